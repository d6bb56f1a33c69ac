"""One solution of a large board, at random, by local search: the specification of `_local_search.h`.

The columns are a permutation. Row by row, a random one of the columns left is looked for on which no queen above is met; the
few rows that find none wait, and are then exchanged with random other rows wherever that leaves fewer collisions. A collision
is a queen too many on a diagonal. Stuck, the search starts again. Boards do not come with equal chances.

Source: R. Sosic and J. Gu, Efficient local search with conflict minimization: a case study of the n-queens problem, IEEE
Transactions on Knowledge and Data Engineering 6 (1994). The random numbers are those of SplitMix64 (G. Steele, D. Lea,
C. Flood, Fast splittable pseudorandom number generators, 2014).
"""

from __future__ import annotations

from array import array
from typing import Any

from nqueens_cp.core import kernel

LARGEST_SIZE = 100_000_000
PLACING_TRIES = 64  # random columns that a row tries while it is placed; about one in four is free
REPAIRING_TRIES = 1_000  # random rows that a waiting row tries; less than that on small boards
MOST_PLACED_WAITING = 120  # so there are at most 240 collisions, and a count fits a byte
WORD = (1 << 64) - 1


def local_search(size: int, seed: int) -> Any:
    """Return the search: the compiled one where it is there, else a `LocalSearch`; both give the same boards."""
    module, _ = kernel.load()
    return (LocalSearch if module is None else module.LocalSearch)(size, seed)


class LocalSearch:
    """Queens placed at random, one board after the other.

    Parameters
    ----------
    size : int
        Rows and columns: 0, 1, or 4 to `LARGEST_SIZE`.
    seed : int
        0 to 2**64 - 1.

    Attributes
    ----------
    restarts : int
        How often the search was stuck and started again.
    """

    def __init__(self, size: int, seed: int) -> None:
        if not 0 <= size <= LARGEST_SIZE or size in (2, 3):
            raise ValueError(f"size: {size} is not 0, 1 or in 4..{LARGEST_SIZE}")
        if not 0 <= seed <= WORD:
            raise OverflowError(f"seed: {seed} is not in 0..{WORD}")
        self.size = size
        self.restarts = 0
        self._random = seed
        self._columns = array("I", range(size))
        self.again()

    def again(self) -> None:
        """Begin the next board."""
        self._diagonals = bytearray(2 * self.size)  # queens on them
        self._antidiagonals = bytearray(2 * self.size)
        self._row = self._tries = 0  # the row to be placed, and how often it or a waiting row has tried
        self._waiting: list[int] = []  # at most one queen of a diagonal does not wait

    def step(self, budget: int) -> bool:
        """Search on for so many tries; return whether all queens are placed."""
        if budget < 1:
            raise ValueError("a slice has at least one node")
        for _ in range(budget):
            if self._row < self.size:
                self._place()
            elif self._waiting:
                self._repair()
            else:
                break
        return self._done()

    def copy(self, out: array[int]) -> None:
        """Write the column of each row."""
        if not self._done():
            raise RuntimeError("this search has not placed all queens yet")
        if len(out) != self.size:
            raise ValueError(f"out: {len(out)} columns are not {self.size}")
        out[:] = self._columns

    def share(self) -> float:
        """Return the share of the rows that are placed, 0 to 1."""
        return self._row / self.size if self.size else 1.0

    def _done(self) -> bool:
        return self._row == self.size and not self._waiting

    def _random_below(self, bound: int) -> int:
        self._random = self._random + 0x9E3779B97F4A7C15 & WORD
        word = self._random
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
        word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
        word ^= word >> 31
        return (word >> 32) * bound >> 32

    def _put(self, row: int, column: int) -> int:
        """Put a queen on its diagonals; return how many collisions that adds."""
        diagonal, antidiagonal = row + self.size - 1 - column, row + column
        self._diagonals[diagonal] += 1
        self._antidiagonals[antidiagonal] += 1
        return (self._diagonals[diagonal] > 1) + (self._antidiagonals[antidiagonal] > 1)

    def _take(self, row: int, column: int) -> int:
        """Take a queen off its diagonals; return how many collisions that removes."""
        diagonal, antidiagonal = row + self.size - 1 - column, row + column
        self._diagonals[diagonal] -= 1
        self._antidiagonals[antidiagonal] -= 1
        return (self._diagonals[diagonal] > 0) + (self._antidiagonals[antidiagonal] > 0)

    def _is_attacked(self, row: int) -> bool:
        column = self._columns[row]
        return self._diagonals[row + self.size - 1 - column] > 1 or self._antidiagonals[row + column] > 1

    def _exchange(self, row: int, other: int) -> None:
        self._columns[row], self._columns[other] = self._columns[other], self._columns[row]

    def _restart(self) -> None:
        self.restarts += 1
        self.again()

    def _place(self) -> None:
        """Let the next row try one of the columns left."""
        row = self._row
        other = row + self._random_below(self.size - row)
        column = self._columns[other]
        if self._diagonals[row + self.size - 1 - column] or self._antidiagonals[row + column]:
            self._tries += 1
            if self._tries < PLACING_TRIES:
                return
            if len(self._waiting) == MOST_PLACED_WAITING:
                self._restart()
                return
            self._waiting.append(row)
        self._exchange(row, other)
        self._put(row, column)
        self._tries = 0
        self._row += 1

    def _repair(self) -> None:
        """Let the last of the waiting rows try to exchange its column for another's."""
        row = self._waiting[-1]
        if not self._is_attacked(row):
            self._tries = 0
            self._waiting.pop()
            return
        other = self._random_below(self.size)
        column, its_column = self._columns[row], self._columns[other]
        if other != row:
            fewer = self._take(row, column) + self._take(other, its_column)
            fewer -= self._put(row, its_column) + self._put(other, column)
            if fewer > 0:
                self._exchange(row, other)
                if self._is_attacked(other):
                    self._waiting.append(other)
                self._tries = 0
                return
            self._take(row, its_column)
            self._take(other, column)
            self._put(row, column)
            self._put(other, its_column)
        self._tries += 1
        if self._tries == REPAIRING_TRIES or self._tries // 4 == self.size:
            self._restart()
