"""The join of upper and lower halves of a board against pure.py, backtracking and the published counts.

Everything here runs only where the kernel was built; continuous integration requires it to be. NQUEENS_CP_SLOW=1 adds the
boards of 17 rows and more.
"""

from __future__ import annotations

import os
import pickle
import random
import re
import subprocess
import sys
import threading
import warnings
from array import array
from collections import Counter
from functools import cache
from itertools import islice, pairwise
from math import comb
from time import monotonic

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nqueens_cp.control import Cancelled, Control, TimeLimitReached
from nqueens_cp.core import join, kernel, pure
from nqueens_cp.core.compile import DiagonalForm

pytestmark = pytest.mark.skipif(
    kernel.load()[0] is None and os.environ.get("NQUEENS_CP_REQUIRE_KERNEL") != "1",
    reason=f"the kernel is not in use: {kernel.load()[1]}",
)
with warnings.catch_warnings():  # the mark, for -m slow, is known to this module only
    warnings.simplefilter("ignore", pytest.PytestUnknownMarkWarning)
    SLOW = (
        pytest.mark.slow,
        pytest.mark.skipif(os.environ.get("NQUEENS_CP_SLOW") != "1", reason="slow: set NQUEENS_CP_SLOW=1 to run it"),
    )


def slow(test):
    for mark in SLOW:
        test = mark(test)
    return test


EXAMPLES = int(os.environ.get("NQUEENS_CP_EXAMPLES", "200"))
CHOSEN_BY_CHANCE = "NQUEENS_CP_EXAMPLES" in os.environ
thorough = settings(max_examples=EXAMPLES, deadline=None, derandomize=not CHOSEN_BY_CHANCE)
brief = settings(max_examples=max(5, EXAMPLES // 8), deadline=None, derandomize=not CHOSEN_BY_CHANCE)

SMALL = (4, 5, 6, 6, 7, 7, 8, 8, 9, 9)  # rows of the random boards that plain Python counts
WIDTHS = ("avx512", "avx2", "plain")
PUBLISHED = {  # OEIS A000170
    4: 2,
    5: 10,
    6: 4,
    7: 40,
    8: 92,
    9: 352,
    10: 724,
    11: 2_680,
    12: 14_200,
    13: 73_712,
    14: 365_596,
    15: 2_279_184,
    16: 14_772_512,
    17: 95_815_104,
    18: 666_090_624,
    19: 4_968_057_848,
    20: 39_029_188_884,
}

# Boards are sets of squares (row, column), and moves of the board are functions of its size and a square.


def mirror(n, square):
    return square[0], n - 1 - square[1]


def turning_over(n, square):
    return n - 1 - square[0], square[1]


def transpose(n, square):
    return square[1], square[0]


def half_turn(n, square):
    return n - 1 - square[0], n - 1 - square[1]


def quarter_turn(n, square):
    return square[1], n - 1 - square[0]


CLASSES = {  # from the largest to the smallest, and the moves that make each
    "mirror and turning over": (mirror, turning_over),
    "mirror": (mirror,),
    "none": (),
}
NUMBERS = {"none": 0, "mirror": 1, "mirror and turning over": 2}
BOTH = "mirror and turning over"
MOVES_OF_NO_USE = ((), (turning_over,), (transpose,), (half_turn,), (quarter_turn,), (transpose, half_turn))


def moved(n, squares, move):
    return frozenset(move(n, square) for square in squares)


def spread(n, squares, moves):
    """Return the squares together with all that the moves, one after the other in any order, make of them."""
    reached, waiting = set(squares), list(squares)
    while waiting:
        square = waiting.pop()
        new = {move(n, square) for move in moves} - reached
        reached |= new
        waiting += new
    return frozenset(reached)


def whole(n):
    return frozenset((row, column) for row in range(n) for column in range(n))


def class_of(n, squares):
    return next(name for name, moves in CLASSES.items() if all(moved(n, squares, move) == squares for move in moves))


def smaller_or_equal(symmetry):
    return list(CLASSES)[list(CLASSES).index(symmetry) :]


def larger(symmetry):
    return list(CLASSES)[: list(CLASSES).index(symmetry)]


def form_of(n, squares, firsts=None):
    allowed = tuple(sum(1 << column for column in range(n) if (row, column) in squares) for row in range(n))
    return DiagonalForm(allowed, firsts or (0,) * n, n, True, True, True)


def full(n):
    return form_of(n, whole(n))


def counted(form, symmetry=None, at_least=1, **how):
    return join.combine([join.run(job, **how) for job in join.jobs(form, symmetry, at_least)])


def backtracked(form):
    return kernel.count(kernel.for_rows(form), Control())


@cache
def some_solutions(n):
    """Return solutions of the unblocked board as sets of squares: all up to 10 rows, the first thousand of larger boards."""
    if n <= 10:
        found = pure.diagonal_solutions(full(n), Control())
    else:
        found = islice(kernel.solutions(kernel.for_rows(full(n)), Control(), n), 1000)
    return [frozenset(enumerate(columns)) for columns in found]


def solutions_equal_to_their(move, n):
    """Return the solutions of the unblocked board that the move maps to themselves."""

    def extend(queens):
        row = next((row for row in range(n) if row not in queens), None)
        if row is None:
            yield frozenset(queens.items())
            return
        for column in range(n):
            added = spread(n, {(row, column)}, (move,))
            more = queens | dict(added)
            lines = (set(more.values()), {c - r for r, c in more.items()}, {c + r for r, c in more.items()})
            if len(more) == len(queens) + len(added) and all(len(line) == len(more) for line in lines):
                yield from extend(more)

    return list(extend({}))


def random_board(symmetry, sizes, chance):
    """Return the size and the squares of a board whose largest symmetry class is the given one.

    Most boards keep some solutions of the unblocked board, so that there is something to count; few have an empty row.
    """
    while True:
        n = chance.choice(sizes)
        moves = CLASSES[symmetry] or chance.choice(MOVES_OF_NO_USE)
        if symmetry == BOTH and chance.random() < 0.5:
            moves = (*moves, transpose)  # all eight, of which the join uses four
        some, move = chance.choices(some_solutions(n), k=6), chance.choice((mirror, half_turn, transpose, quarter_turn))
        solutions = [spread(n, moved(n, solution, move), moves) for solution in some]
        squares = spread(n, chance.sample(sorted(whole(n)), chance.randint(0, 2 * n)), moves)
        if chance.random() < 0.5:
            left = squares.union(*solutions[: chance.randint(0, 6)])
        else:
            left = whole(n) - squares.difference(*solutions[: chance.randint(0, 6)])
        placed = chance.sample(range(n), chance.choice((0, 0, 0, 1, 1, 2, 3)))  # as far as the moves let them
        left -= spread(n, {(row, column) for row in placed for column in range(n)} - solutions[0], moves)
        if chance.random() < 0.05:
            row = chance.randrange(n)
            left -= spread(n, {(row, column) for column in range(n)}, moves)
        if class_of(n, left) == symmetry:
            return n, left


def boards(symmetry, sizes):
    return st.integers(0, 2**64 - 1).map(lambda seed: random_board(symmetry, sizes, random.Random(seed)))


def boards_of_any_class(sizes):
    return st.sampled_from(list(CLASSES)).flatmap(lambda symmetry: boards(symmetry, sizes))


# What is taken, and by which symmetry.


def test_what_the_join_takes():
    assert [n for n in range(1, 30) if join.takes(full(n))] == list(range(4, 23))
    assert join.takes(form_of(6, whole(6) - {(0, column) for column in range(6)})), "a row without a square"
    assert join.takes(form_of(6, frozenset())), "no square at all"
    assert join.takes(form_of(6, whole(6), (3, -1, 0, 7, 1, 1))), "values that do not start at 0"
    every = (0b111111,) * 6
    assert not join.takes(DiagonalForm((*every, 0b111111), (0,) * 7, 6, True, True, True))
    assert not join.takes(DiagonalForm((0b1111111,) * 6, (0,) * 6, 7, True, True, True))
    for watched in ((False, True, True), (True, False, True), (True, True, False), (False, False, False)):
        assert not join.takes(DiagonalForm(every, (0,) * 6, 6, *watched))


def test_without_the_kernel_nothing_is_taken():
    ran = run_python(
        "from nqueens_cp.core import join; from nqueens_cp.core.compile import DiagonalForm\n"
        "print(join.takes(DiagonalForm((63,) * 6, (0,) * 6, 6, True, True, True)))",
        NQUEENS_CP_CORE="pure",
    )
    assert (ran.stdout.strip(), ran.returncode) == ("False", 0), ran.stderr


@pytest.mark.parametrize("n", [6, 7])
def test_the_symmetry_of_some_boards(n):
    assert join.symmetry_of(full(n)) == BOTH
    for square, moves, expected in (
        ((1, 0), (mirror, turning_over, transpose), BOTH),
        ((1, 0), (mirror, turning_over), "mirror and turning over"),
        ((1, 0), (mirror, transpose), BOTH),  # the two make turning over
        ((1, 0), (mirror,), "mirror"),
        *(((1, 0), moves, "none") for moves in MOVES_OF_NO_USE),
    ):
        assert join.symmetry_of(form_of(n, whole(n) - spread(n, {square}, moves))) == expected, (square, moves)
    if n % 2:
        assert join.symmetry_of(form_of(n, whole(n) - {(n // 2, n // 2)})) == BOTH
        assert join.symmetry_of(form_of(n, whole(n) - {(0, n // 2)})) == "mirror"
        assert join.symmetry_of(form_of(n, whole(n) - {(n // 2, 0), (n // 2, n - 1)})) == "mirror and turning over"


def test_a_symmetry_that_there_is_not():
    with pytest.raises(ValueError, match="sideways"):
        join.jobs(full(6), "sideways")


# Published counts.


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n", range(4, 15))
def test_published_counts(n, width):
    skip_without(width)
    for symmetry in CLASSES if n <= 12 else (BOTH,):
        assert counted(full(n), symmetry, vectors=width) == PUBLISHED[n], symmetry


@pytest.mark.parametrize("n", [4, 5, 11, 14, 15, 16])
def test_published_counts_by_the_defaults(n):
    assert join.count(full(n), Control(workers=2)) == PUBLISHED[n]


@slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n", [13, 14, 15, 16])
def test_published_counts_by_every_class(n, width):
    skip_without(width)
    for symmetry in CLASSES:
        assert counted(full(n), symmetry, vectors=width) == PUBLISHED[n], symmetry


@slow
@pytest.mark.parametrize("n", [17, 18, 19, 20])
def test_published_counts_of_large_boards(n):
    assert join.count(full(n), Control(workers=os.cpu_count() or 1)) == PUBLISHED[n]


# Blocked and placed squares.


@pytest.mark.parametrize("symmetry", CLASSES)
@thorough
@given(st.data())
def test_random_boards_as_in_pure(symmetry, data):
    n, squares = data.draw(boards(symmetry, SMALL))
    form = form_of(n, squares, data.draw(st.sampled_from([(0,) * n, tuple(range(-2, n - 2))])))
    assert join.takes(form)
    assert join.symmetry_of(form) == symmetry
    expected = pure.diagonal_count(form, Control())
    assert counted(form) == expected
    for smaller in smaller_or_equal(symmetry):
        for width in join.available_vectors():
            assert counted(form, smaller, vectors=width) == expected, (smaller, width)
    for too_large in larger(symmetry):
        with pytest.raises(ValueError, match=re.escape(too_large)):
            join.jobs(form, too_large)


@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("symmetry", CLASSES)
@brief
@given(st.data())
def test_larger_boards_as_by_backtracking(symmetry, parity, data):
    n, squares = data.draw(boards(symmetry, (10 + parity, 12 + parity)))
    form = form_of(n, squares)
    expected = backtracked(form)
    for smaller in smaller_or_equal(symmetry):
        assert counted(form, smaller) == expected, smaller
    for width in join.available_vectors():
        assert join.count(form, Control(workers=2), vectors=width) == expected, width


def check_a_sparse_board(symmetry, n):
    chance = random.Random(f"{symmetry} {n}")
    start = form_of(n, {square for square in whole(n) if chance.random() < 0.7})
    solution = next(kernel.solutions(kernel.for_rows(start), Control(), n))
    more = {(row, column) for row in range(n) for column in chance.sample(range(n), 2)}
    squares = spread(n, {*enumerate(solution), *more}, CLASSES[symmetry])
    form = form_of(n, squares)
    assert join.symmetry_of(form) == symmetry
    expected = backtracked(form)
    assert expected > 0
    for smaller in smaller_or_equal(symmetry):
        assert counted(form, smaller) == expected, smaller


@pytest.mark.parametrize("n", [14, 15, 16])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_sparse_boards(symmetry, n):
    check_a_sparse_board(symmetry, n)


@slow
@pytest.mark.parametrize("n", range(17, 23))
@pytest.mark.parametrize("symmetry", CLASSES)
def test_large_sparse_boards(symmetry, n):
    check_a_sparse_board(symmetry, n)


@brief
@given(boards_of_any_class(SMALL))
def test_a_board_moved_in_any_way_counts_the_same(board):
    n, squares = board
    expected = pure.diagonal_count(form_of(n, squares), Control())
    for move in (mirror, turning_over, transpose, half_turn, quarter_turn):
        image = form_of(n, moved(n, squares, move))
        assert counted(image) == counted(image, "none") == expected, move.__name__


# Every symmetry rule, one orbit of solutions at a time: over all solutions together wrong weights may cancel out.


@pytest.mark.parametrize("n", [6, 7, 8, 9, 10])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_every_orbit_of_solutions_by_itself(symmetry, n):
    solutions, seen, alone = some_solutions(n), set(), 0
    assert len(solutions) == PUBLISHED[n]
    for solution in solutions:
        squares = spread(n, solution, CLASSES[symmetry])
        if squares in seen:
            continue
        seen.add(squares)
        expected = sum(other <= squares for other in solutions)
        alone += expected <= 8
        form = form_of(n, squares)
        for smaller in smaller_or_equal(symmetry):
            assert counted(form, smaller) == expected, (sorted(solution), smaller)
    assert alone > 0.9 * len(seen), "most of these boards hold hardly more than the orbit"


@pytest.mark.parametrize(
    ("move", "n", "published"),
    [  # OEIS A032522, A033148
        (half_turn, 8, 4),
        (half_turn, 11, 48),
        (half_turn, 12, 80),
        (half_turn, 13, 136),
        (quarter_turn, 12, 8),
        (quarter_turn, 13, 8),
        (quarter_turn, 16, 64),
        pytest.param(quarter_turn, 17, 128, marks=SLOW),
        pytest.param(quarter_turn, 20, 480, marks=SLOW),
    ],
)
def test_orbits_of_solutions_that_a_turn_maps_to_themselves(move, n, published):
    solutions = solutions_equal_to_their(move, n)
    assert len(solutions) == published
    for symmetry, moves in CLASSES.items():
        for squares in islice(dict.fromkeys(spread(n, solution, moves) for solution in solutions), 40):
            form = form_of(n, squares)
            assert counted(form, symmetry) == pure.diagonal_count(form, Control()), symmetry


def numbers_by_column_set(form):
    """Return how many solutions there are for each set of columns that the upper half of the rows may take."""
    half = len(form.allowed) // 2
    return Counter(frozenset(columns[:half]) for columns in pure.diagonal_solutions(form, Control()))


def finest_sums(form, symmetry):
    """Return how often each partial sum that is not 0 occurs when every job has one set of columns."""
    sums = [join.run(job) for job in join.jobs(form, symmetry, 10**6)]
    return Counter(value for value in sums if value)


@pytest.mark.parametrize("n", [8, 9, 10])
def test_the_sum_of_each_column_set(n):
    numbers = numbers_by_column_set(full(n))
    assert finest_sums(full(n), "none") == Counter(numbers.values())
    if n % 2 == 0:
        blocked = form_of(n, whole(n) - {(0, 1), (1, 1), (n - 1, n // 2), (n // 2, 0)})
        assert finest_sums(blocked, "none") == Counter(numbers_by_column_set(blocked).values())


@pytest.mark.parametrize("n", [8, 10])
@pytest.mark.parametrize("symmetry", ["mirror", "mirror and turning over"])
def test_the_sum_of_each_orbit_of_column_sets(symmetry, n):
    sums = Counter()
    for columns, number in numbers_by_column_set(full(n)).items():
        orbit = {columns, frozenset(n - 1 - column for column in columns)}
        if symmetry != "mirror":
            orbit |= {frozenset(range(n)) - image for image in orbit}
        sums[frozenset(orbit)] += number
    assert finest_sums(full(n), symmetry) == Counter(sums.values())


# Jobs.


@brief
@given(boards_of_any_class(SMALL), st.randoms(use_true_random=False))
def test_partial_sums_add_up_in_any_order(board, chance):
    form = form_of(*board)
    expected = pure.diagonal_count(form, Control())
    for symmetry in smaller_or_equal(join.symmetry_of(form)):
        for at_least in (1, 2, 7, 1000):
            jobs = join.jobs(form, symmetry, at_least)
            chance.shuffle(jobs)
            sums = [join.run(job) for job in jobs]
            chance.shuffle(sums)
            assert join.combine(sums) == expected, (symmetry, at_least)


@pytest.mark.parametrize("n", [4, 5, 10, 11])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_the_ranges_of_jobs(symmetry, n):
    ends = set()
    finest = len(join.jobs(full(n), symmetry, 10**6))
    assert finest <= comb(n, n // 2)
    for at_least in (1, 2, 7, 1000, 10**6):
        ranges = [(job.first, job.last) for job in join.jobs(full(n), symmetry, at_least)]
        assert len(ranges) >= min(at_least, finest)
        assert all(first < last for first, last in ranges)
        ranges.sort()
        assert [last for _, last in ranges[:-1]] == [first for first, _ in ranges[1:]], "disjoint, and no gap"
        ends.add((ranges[0][0], ranges[-1][1]))
    assert len(ends) == 1, "all of them however it is split"
    assert all(last - first == 1 for first, last in ranges), "the last of these asks for more than there are sets"


@pytest.mark.parametrize("symmetry", CLASSES)
def test_every_width_gives_the_same_partial_sums(symmetry):
    for n, at_least in ((10, 10**6), (11, 10**6), (13, 20)):
        jobs = join.jobs(full(n), symmetry, at_least)
        sums = [join.run(job, vectors="plain") for job in jobs]
        assert join.combine(sums) == PUBLISHED[n]
        for width in join.available_vectors():
            assert [join.run(job, vectors=width) for job in jobs] == sums, width
        assert [join.run(job, Control()) for job in jobs] == sums


@pytest.mark.parametrize("width", WIDTHS)
def test_jobs_in_a_fresh_process(width):
    skip_without(width)
    blocked = form_of(10, whole(10) - spread(10, {(0, 3), (4, 4)}, (mirror,)))
    jobs = [*join.jobs(full(9), at_least=7), *join.jobs(full(10), "none", 3), *join.jobs(blocked, at_least=20)]
    assert pickle.loads(pickle.dumps(jobs)) == jobs
    ran = run_python(
        "import pickle, sys; from nqueens_cp.core import join\n"
        "jobs = pickle.load(sys.stdin.buffer); print(join.vectors(), *(join.run(job) for job in jobs))",
        given_bytes=pickle.dumps(jobs),
        NQUEENS_CP_VECTORS=width,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [width, *(str(join.run(job)) for job in jobs)]


# Threads, progress and the ways to stop.


class Watched(Control):
    """A control that keeps what the calling thread could read at every poll."""

    def __init__(self, **how):
        super().__init__(**how)
        self.thread = threading.current_thread()
        self.shares, self.sums = [], []

    def poll(self):
        super().poll()
        if threading.current_thread() is self.thread:
            self.sums.append(self.found)
            if self.share is not None:
                self.shares.append(self.share())


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_threads_and_progress(workers):
    blocked = form_of(12, whole(12) - {(0, 0), (3, 5), (11, 6)})
    for form, expected in ((full(14), PUBLISHED[14]), (full(13), PUBLISHED[13]), (blocked, backtracked(blocked))):
        control = Watched(workers=workers)
        assert join.count(form, control) == control.found == expected
        assert control.shares == sorted(control.shares)
        assert control.sums == sorted(control.sums)
        assert all(0 <= share <= 1 for share in control.shares)
        assert control.share() == 1
        assert all(0 <= found <= expected for found in control.sums)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_more_threads_than_there_is_to_do(workers):
    for n in (4, 5, 6):
        assert join.count(full(n), Control(workers=workers * 10)) == PUBLISHED[n]
        assert join.count(form_of(n, frozenset()), Control(workers=workers)) == 0


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_count_is_stopped(workers):
    started = monotonic()
    control = Control(time_limit=0.05, workers=workers)
    with pytest.raises(TimeLimitReached):
        join.count(full(20), control)
    assert 0 <= control.found < PUBLISHED[20]
    control = Control(workers=workers)
    control.cancel()
    with pytest.raises(Cancelled):
        join.count(full(20), control)
    assert 0 <= control.found < PUBLISHED[20]
    assert monotonic() - started < 30, "polled often"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_found_is_kept(workers):
    reports = []

    def enough(progress):
        reports.append(progress)
        if progress.found > 0:
            raise LookupError("enough")

    control = Control(workers=workers, progress=enough, time_limit=60)
    with pytest.raises(LookupError, match="enough"):
        join.count(full(20), control)
    assert 0 < reports[-1].found <= control.found < PUBLISHED[20]
    assert 0 <= reports[-1].share < 1
    control = Control(
        workers=workers, time_limit=60, progress=lambda progress: control.cancel() if progress.found else None
    )
    with pytest.raises(Cancelled):
        join.count(full(20), control)
    assert 0 < control.found < PUBLISHED[20]


def test_a_job_is_stopped():
    job = join.jobs(full(20))[0]
    started = monotonic()
    with pytest.raises(TimeLimitReached):
        join.run(job, Control(time_limit=0.05))
    control = Control()
    control.cancel()
    with pytest.raises(Cancelled):
        join.run(job, control)
    assert monotonic() - started < 30, "polled often"


# The entry in C.


def searches(form, symmetry, at_least=1, width="plain"):
    module, _ = kernel.load()
    board = made(module.JoinBoard(array("Q", form.allowed), NUMBERS[symmetry]))
    return [module.JoinSearch(board, job.first, job.last, width) for job in join.jobs(form, symmetry, at_least)]


def made(board):
    while not board.step():
        pass
    assert board.step() is True, "nothing more to make"
    return board


@pytest.mark.parametrize("budget", [1, 2, 7, 1000])
@pytest.mark.parametrize("symmetry", CLASSES)
def test_a_search_can_be_sliced_anywhere(symmetry, budget):
    for n in (6, 7):
        for width in join.available_vectors():
            found = []
            for search in searches(full(n), symmetry, at_least=3, width=width):
                seen = []
                while not search.count(budget):
                    seen.append((search.share(), search.found, search.nodes))
                seen.append((search.share(), search.found, search.nodes))
                assert (search.done, seen[-1][0]) == (True, 1)
                for earlier, later in pairwise(seen):
                    assert all(left <= right for left, right in zip(earlier, later, strict=True))
                assert search.count(budget) is True, "nothing more to do"
                assert (search.found, search.nodes) == seen[-1][1:]
                found.append(search.found)
            assert join.combine(found) == PUBLISHED[n], width


def test_the_masks_are_copied():
    module, _ = kernel.load()
    (job, *_) = join.jobs(full(8), "none")
    allowed = array("Q", full(8).allowed)
    board = module.JoinBoard(allowed, NUMBERS["none"])
    for row in range(8):
        allowed[row] = 0
    search = module.JoinSearch(made(board), job.first, job.last, "plain")
    del board  # the search keeps what it needs
    while not search.count(1000):
        pass
    assert search.found == join.run(job)


def exercise(search):
    """Search a little, and misuse every method."""
    for _ in range(5):
        assert search.count(100) in (True, False)
        assert 0 <= search.share() <= 1
        assert search.found >= 0
        assert search.nodes >= 0
    assert search.done in (True, False)
    for bad in (0, -1, 2**64, None, 1.5, "x"):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            search.count(bad)


buffers = (
    st.binary(max_size=200)
    | st.lists(st.integers(0, 2**64 - 1), max_size=25).map(lambda values: array("Q", values))
    | st.lists(st.integers(0, 9), max_size=9).map(lambda values: array("I", values))
    | st.sampled_from([None, 3, "text", [1, 2], 2.5])
)


@thorough
@given(st.lists(buffers | st.integers() | st.booleans() | st.sampled_from(WIDTHS), max_size=7))
def test_arbitrary_arguments_are_an_error_and_never_a_crash(arguments):
    module, _ = kernel.load()
    with pytest.raises((TypeError, ValueError, OverflowError, BufferError)):  # nothing of these is a board
        module.JoinSearch(*arguments)
    board = module.JoinBoard(array("Q", [63] * 6), 0)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        module.JoinSearch(board, 0, 1, "plain"), "its tables are not made"
    try:
        board = module.JoinBoard(*arguments)
    except (TypeError, ValueError, OverflowError, BufferError):
        return
    exercise(module.JoinSearch(made(board), 0, board.sets, "plain"))


@thorough
@given(
    st.integers(0, 16) | st.sampled_from([23, 24, 31, 32, 33, 63, 64, 65]),
    st.randoms(use_true_random=False),
    st.sampled_from(["whole", "within", "beyond"]),
    st.integers(0, 3) | st.integers(-(2**70), 2**70),
    st.integers(0, 70) | st.integers(-(2**70), 2**70),
    st.integers(0, 70) | st.sampled_from([comb(n, n // 2) for n in range(4, 23)]) | st.integers(-(2**70), 2**70),
    st.sampled_from([*WIDTHS, "plain", "", "PLAIN", "plain\0", "avx512 ", "\ud800", "x" * 10_000]),
)
def test_arguments_nearly_right(n, chance, masks, symmetry, first, length, width):
    module, _ = kernel.load()
    inside = min((1 << n) - 1, 2**64 - 1)
    allowed = {
        "whole": lambda: inside,
        "within": lambda: chance.getrandbits(64) & inside,
        "beyond": lambda: chance.getrandbits(64),
    }[masks]
    try:
        board = made(module.JoinBoard(array("Q", [allowed() for _ in range(n)]), symmetry))
        search = module.JoinSearch(board, first, first + length, width)
    except (ValueError, OverflowError):
        return
    exercise(search)


# The width of the vectors.


def run_python(code, *, given_bytes=b"", **environment):
    ran = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, input=given_bytes, capture_output=True, timeout=120
    )
    ran.stdout, ran.stderr = ran.stdout.decode(), ran.stderr.decode()
    return ran


def skip_without(width):
    if width not in join.available_vectors():
        pytest.skip(f"this machine has no {width}: {', '.join(join.available_vectors())}")


RUN_SOME = (
    "from nqueens_cp.control import Control; from nqueens_cp.core import join\n"
    "from nqueens_cp.core.compile import DiagonalForm\n"
    "full = DiagonalForm((255,) * 8, (0,) * 8, 8, True, True, True)\n"
    "print(join.combine([join.run(job) for job in join.jobs(full, at_least=3)]), join.count(full, Control()))\n"
    "print(join.vectors())"
)


def test_the_widths_there_are():
    available = join.available_vectors()
    assert set(available) <= set(WIDTHS)
    assert len(set(available)) == len(available)
    assert "plain" in available
    assert join.vectors() in available


@pytest.mark.parametrize("width", [*WIDTHS, "mmx"])
def test_the_environment_forces_a_width(width):
    ran = run_python(RUN_SOME, NQUEENS_CP_VECTORS=width)
    if width in join.available_vectors():
        assert (ran.stdout.split(), ran.returncode) == (["92", "92", width], 0), ran.stderr
    else:
        assert ran.returncode != 0
        assert "92" not in ran.stdout
        message = ran.stderr.strip().splitlines()[-1]
        assert all(word in message for word in (width, *join.available_vectors())), message


def test_an_argument_forces_a_width_or_is_refused():
    job = join.jobs(full(8))[0]
    for width in {*WIDTHS, "mmx", ""} - set(join.available_vectors()):
        for use in (
            lambda width=width: join.run(job, vectors=width),
            lambda width=width: join.count(full(8), Control(), vectors=width),
        ):
            with pytest.raises(ValueError, match="plain") as refusal:
                use()
            assert width in str(refusal.value)
