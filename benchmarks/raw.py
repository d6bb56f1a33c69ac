"""Raw formulations: what one would write by hand with each solver's own API. The yardsticks of backends.py."""

from __future__ import annotations

from typing import Any


def recursion(n: int) -> int:
    """Count by the plainest bit-mask recursion in Python: no symmetry, no look-ahead."""
    full = (1 << n) - 1

    def place(columns: int, left: int, right: int) -> int:
        if columns == full:
            return 1
        total = 0
        free = full & ~(columns | left | right)
        while free:
            bit = free & -free
            free ^= bit
            total += place(columns | bit, (left | bit) << 1, (right | bit) >> 1)
        return total

    return place(0, 0, 0)


def pairwise_functions(n: int, solver: str = "BacktrackingSolver") -> int:
    """Count with python-constraint, one function for each pair of rows, rows from the middle outward."""
    import constraint

    problem = constraint.Problem(getattr(constraint, solver)())
    rows = middle_out(n)
    for row in rows:
        problem.addVariable(row, list(range(n)))
    for place, i in enumerate(rows):
        for j in rows[place + 1 :]:
            distance = abs(i - j)
            problem.addConstraint(lambda a, b, d=distance: a != b and abs(a - b) != d, (i, j))
    return sum(1 for _ in problem.getSolutionIter())


def line_sets(n: int) -> int:
    """Count with python-constraint: a value is the set of its lines, a pair is allowed if they have none in common."""
    import constraint

    problem = constraint.Problem(constraint.BacktrackingSolver())
    rows = middle_out(n)
    for row in rows:
        problem.addVariable(row, [frozenset((c, 1000 + c + row, 3000 + c - row)) for c in range(n)])
    for place, i in enumerate(rows):
        for j in rows[place + 1 :]:
            problem.addConstraint(frozenset.isdisjoint, (i, j))
    return sum(1 for _ in problem.getSolutionIter())


def cp_sat(n: int, formulation: str, *, tuned: bool) -> int:
    """Count with CP-SAT.

    Parameters
    ----------
    formulation : str
        "affine" (all-different on q[i] + i), "auxiliary" (a variable for each of those) or "boolean" (a literal a square).
    tuned : bool
        With a fixed search order from the middle outward and the parameters that were found fastest; or the defaults with,
        for "auxiliary", the fixed search that tutorials give.
    """
    from ortools.sat.python import cp_model

    class Counter(cp_model.CpSolverSolutionCallback):  # type: ignore[misc, unused-ignore]
        found = 0

        def on_solution_callback(self) -> None:
            self.found += 1

    model: Any = cp_model.CpModel()
    order = middle_out(n) if tuned else list(range(n))
    if formulation == "boolean":
        square = [[model.new_bool_var("") for _ in range(n)] for _ in range(n)]
        for i in range(n):
            model.add_exactly_one(square[i])
            model.add_exactly_one([row[i] for row in square])
        for sign in (1, -1):
            lines: dict[int, list[Any]] = {}
            for row in range(n):
                for column in range(n):
                    lines.setdefault(column + sign * row, []).append(square[row][column])
            for line in lines.values():
                model.add_at_most_one(line)
        cells = [square[row][column] for row in order for column in order]
        model.add_decision_strategy(cells, cp_model.CHOOSE_FIRST, cp_model.SELECT_MAX_VALUE)
    else:
        queen = [model.new_int_var(0, n - 1, "") for _ in range(n)]
        model.add_all_different(queen)
        for sign in (1, -1):
            terms: list[Any] = [queen[i] + sign * i for i in range(n)]
            if formulation == "auxiliary":
                helpers = [model.new_int_var(sign * i, n - 1 + sign * i, "") for i in range(n)]
                for helper, term in zip(helpers, terms, strict=True):
                    model.add(helper == term)
                terms = helpers
            model.add_all_different(terms)
        value = cp_model.SELECT_MEDIAN_VALUE if tuned else cp_model.SELECT_MIN_VALUE
        model.add_decision_strategy([queen[i] for i in order], cp_model.CHOOSE_MIN_DOMAIN_SIZE, value)
    solver: Any = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.enumerate_all_solutions = True
    if tuned or formulation == "auxiliary":
        parameters.search_branching = cp_model.FIXED_SEARCH
    if tuned:
        parameters.cp_model_presolve = False
        parameters.use_sat_inprocessing = False
        parameters.linearization_level = 0
        parameters.symmetry_level = 0
        parameters.cp_model_probing_level = 0
        parameters.clause_cleanup_period = 20
        parameters.clause_cleanup_ratio = 0.9
        parameters.clause_cleanup_lbd_bound = 1
    counter = Counter()
    solver.solve(model, counter)
    return counter.found


def middle_out(size: int) -> list[int]:
    """Return 0 .. size - 1 from the middle outward."""
    return sorted(range(size), key=lambda i: abs(2 * i - size + 1))
