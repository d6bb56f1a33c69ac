"""What a check of a file of solutions finds out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """What was found out about a file of solutions.

    Attributes
    ----------
    file, model, format : str
        The file, the model's name, the format.
    fault : str
        What is wrong first; "" if nothing is.
    line : int or None
        Where: the number of the line, of .npy the number of the row, counted from 1.
    content : str
        What stands there.
    solutions : int
        How many solutions were read.
    ordered : bool
        Whether they are in lexicographic order.
    status : str or None
        What the metadata says of how the writing ended; None without metadata.
    partial : bool
        Whether the metadata says that not all solutions are there.
    expected : int or None
        How many solutions the model has, if that was asked for and found out in time; up to symmetry, how many the orbits hold.
    at_least : int or None
        If it was not found out in time: how many there are at least.
    counted_by : str or None
        Who counted them.
    complete : bool or None
        Whether all solutions are there; None if that is not known.
    notes : tuple of str
        What else is of interest.
    """

    file: str
    model: str
    format: str
    fault: str = ""
    line: int | None = None
    content: str = ""
    solutions: int = 0
    ordered: bool = True
    status: str | None = None
    partial: bool = False
    expected: int | None = None
    at_least: int | None = None
    counted_by: str | None = None
    complete: bool | None = None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.fault
