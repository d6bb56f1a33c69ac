from typing_extensions import Buffer

MAX_ROWS: int
MAX_VARIABLES: int
WORD: int

JOIN_LEAST: int
JOIN_MOST: int

def vectors() -> list[str]: ...

class _Search:  # what all searches have; there is no such class at run time
    def count(self, budget: int, /) -> bool: ...
    def share(self) -> float: ...
    @property
    def found(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def done(self) -> bool: ...

class RowSearch(_Search):
    def __new__(cls, allowed: Buffer, width: int, columns: bool, diagonals: bool, antidiagonals: bool) -> RowSearch: ...
    def fill(self, out: Buffer, budget: int, /) -> int: ...

class TableSearch(_Search):
    def __new__(
        cls,
        sizes: Buffer,
        group_starts: Buffer,
        entry_variables: Buffer,
        entry_masks: Buffer,
        exact: Buffer,
        pair_variables: Buffer,
        pair_others: Buffer,
        pair_masks: Buffer,
        lexicographic: bool,
    ) -> TableSearch: ...
    def fill(self, out: Buffer, budget: int, /) -> int: ...

class JoinBoard:
    def __new__(cls, allowed: Buffer, symmetry: int) -> JoinBoard: ...
    def step(self) -> bool: ...
    @property
    def sets(self) -> int: ...

class JoinSearch(_Search):
    def __new__(cls, board: JoinBoard, first: int, last: int, vectors: str) -> JoinSearch: ...
