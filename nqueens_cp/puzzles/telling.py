"""Steps as sentences for a player: rows and columns are counted from 0, a square is (row, column), regions have labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from nqueens_cp.board import EMPTY, QUEEN, Square
from nqueens_cp.puzzles.layout import Layout
from nqueens_cp.puzzles.position import Kind, Link, Move

FAMILIES = ("region", "row", "column")
CROSSED = "x"


class Teller:
    """Tells the steps of one board.

    Parameters
    ----------
    layout : Layout
    labels : sequence of hashable, optional
        The label of each region; their numbers if there are none.
    """

    def __init__(self, layout: Layout, labels: Sequence[Hashable] | None = None) -> None:
        self.layout = layout
        self.labels = [str(label) for label in (range(layout.regions) if labels is None else labels)]

    def unit(self, unit: int) -> str:
        """Return the name of a unit: region A, row 3."""
        return self.units((unit,))

    def units(self, units: Sequence[int]) -> str:
        """Return the names of units of one family: rows 3 and 4."""
        family, first = next(
            (i, numbers.start) for i, numbers in enumerate(self.layout.families) if units[0] in numbers
        )
        names = [str(unit - first) if family else self.labels[unit] for unit in units]
        return f"{FAMILIES[family]}{'s' if len(units) > 1 else ''} {listed(names)}"

    def squares(self, mask: int, word: str = "and") -> str:
        """Return squares as text."""
        return listed(map(str, self.layout.squares(mask)), word)

    def sentence(self, maybe: int, move: Move) -> str:
        """Return why a step follows, in a sentence; `maybe` are the squares that might hold a queen before it."""
        match move.kind:
            case Kind.CONTRADICTION:
                text = self._contradiction(maybe, move)
            case Kind.ONLY:
                text = self._only(move)
            case Kind.CROSSES:
                text = self._crosses(move)
            case Kind.CONFINED:
                unit, line = self.unit(move.units[0]), self.unit(move.others[0])
                text = f"{unit} has squares left only in {line}, so the rest of {line} is empty: {self.squares(move.crossed)}"
            case Kind.NO_PLACE:
                text = f"a queen at {self.squares(move.crossed, 'or')} would leave {self._nothing(move.units[0])}"
            case Kind.NEEDED:
                unit, square = self.unit(move.units[0]), self.squares(move.placed)
                text = f"the queens that {unit} needs have no room without {square}, so a queen stands there"
            case Kind.SETS:
                text = (
                    f"the queens of {self.units(move.units)} must stand in {self.units(move.others)} and fill "
                    f"{'them' if len(move.others) > 1 else 'it'}, so no other queen does: "
                    f"{self.squares(move.crossed)} {'is' if move.crossed.bit_count() == 1 else 'are'} empty"
                )
            case Kind.SHARED:
                text = (
                    f"a queen at {self.squares(move.crossed, 'or')} would leave {self.units(move.units)} "
                    f"with squares only in {self.unit(move.others[0])}, which has no room for both"
                )
            case Kind.CHAIN:
                text = self._chain(move)
        return text[0].upper() + text[1:] + "."

    def _nothing(self, unit: int) -> str:
        """Return what a unit is left with if its queens have no place."""
        return f"{self.unit(unit)} without {'a square' if self.layout.stars == 1 else 'room for its queens'}"

    def _only(self, move: Move) -> str:
        unit, squares = self.unit(move.units[0]), self.squares(move.placed)
        number = move.placed.bit_count()
        if number == 1 and self.layout.stars == 1:
            return f"{unit} has only one square left, {squares}: a queen stands there"
        needed = "one more queen" if number == 1 else f"{number} more queens"
        return f"{unit} needs {needed} and has only {squares} left: so {'it stands' if number == 1 else 'they stand'} there"

    def _crosses(self, move: Move) -> str:
        if move.units:
            has = f"{self.unit(move.units[0])} has its {self.layout.stars} queens"
            return f"{has}, so its other squares are empty: {self.squares(move.crossed)}"
        one = move.queens.bit_count() == 1
        its = "its" if one else "their"
        s = "" if one else "s"
        what = f"{its} row{s}, column{s}, region{s} and neighbours" if self.layout.stars == 1 else f"{its} neighbours"
        return f"the queen{s} at {self.squares(move.queens)} cross{'es' if one else ''} out {what}"

    def _chain(self, move: Move) -> str:
        parts = [f"if a queen stood at {self.squares(move.crossed)}"]
        parts += [("then " if i else "") + self._link(link) for i, link in enumerate(move.chain)]
        end = f"that would leave {self._nothing(move.units[0])}; so {self.squares(move.crossed)} is empty"
        return f"{parts[0]}, {'; '.join([*parts[1:], end])}"

    def _link(self, link: Link) -> str:
        unit = self.unit(link.unit)
        if link.line is None:
            return f"{unit} would have only {self.squares(link.squares)} left"
        return f"{unit} would have squares left only in {self.unit(link.line)}"

    def _contradiction(self, maybe: int, move: Move) -> str:
        layout = self.layout
        if move.queens and not move.units:
            first, second = layout.squares(move.queens)
            return f"the queens at {first} and {second} {self._closeness(first, second)}"
        unit = self.unit(move.units[0])
        if move.queens:
            return f"{unit} may have {layout.stars} queens and has {move.queens.bit_count()}"
        if move.others:
            has, have = ("has" if len(units) == 1 else "have" for units in (move.units, move.others))
            lines = self.units(move.others)
            return f"{self.units(move.units)} {has} squares left only in {lines}, which {have} no room for all their queens"
        if layout.stars == 1:
            return f"{unit} has no square left for its queen"
        left = self.squares(layout.masks[move.units[0]] & maybe) or "no square"
        return f"{unit} has no room for the queens that it needs: it has {left} left"

    def _closeness(self, first: Square, second: Square) -> str:
        if max(abs(first[0] - second[0]), abs(first[1] - second[1])) <= 1:
            return "touch"
        columns = self.layout.columns
        ours = self.layout.units_of[first[0] * columns + first[1]]
        theirs = self.layout.units_of[second[0] * columns + second[1]]
        return f"share {next(self.unit(unit) for unit, other in zip(ours, theirs, strict=True) if unit == other)}"

    def board(self, queens: int, maybe: int) -> str:
        """Return the board as text: the label of each square, and Q where a queen stands, x where none can, . where one can."""
        width = max(map(len, self.labels))
        lines = []
        for row in range(self.layout.rows):
            cells = []
            for column in range(self.layout.columns):
                square = row * self.layout.columns + column
                mark = QUEEN if queens >> square & 1 else EMPTY if maybe >> square & 1 else CROSSED
                cells.append(f"{self.labels[self.layout.units_of[square][0]]:>{width}}{mark}")
            lines.append(" ".join(cells))
        return "\n".join(lines)


def listed(texts: Iterable[str], word: str = "and") -> str:
    """Return texts joined with commas and a last `word`."""
    *head, last = [*texts] or [""]
    return f"{', '.join(head)} {word} {last}" if head else last
