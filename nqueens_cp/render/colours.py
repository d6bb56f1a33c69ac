"""Colours of regions that all eyes tell apart.

The colours are Paul Tol's light ones (personal.sron.nl/~pault) and two more, each moved as little as was needed for any two of
them to be 14 apart in CIELAB and 6 in 100 times OKLAB, for normal vision and as red-, green- and blue-blind readers see them by
Machado, Oliveira and Fernandes (2009), by Viénot, Brettel and Mollon (1999) and, for blue-blind ones, by Brettel, Viénot and
Mollon (1997); some 2 are just seen. Black has a contrast of 7 to 1 on each of them. The tests work all of that out again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

PALETTE = (
    "#85a1c7",
    "#efdd88",
    "#ef8a6a",
    "#a3d44f",
    "#cd9ef8",
    "#0fbd9a",
    "#ffafc8",
    "#9bddff",
    "#b89b00",
    "#ffffff",
)


def region_colours(grid: Sequence[Sequence[Hashable]], palette: Sequence[str] = PALETTE) -> dict[Hashable, str]:
    """Return a colour for the label of each region of a board.

    Up to as many regions as there are colours have different ones. Where there are more, neighbours have, which also meet at
    corners; only if that cannot be found some neighbours have the same, and nothing but the line between them tells them apart.

    Parameters
    ----------
    grid : sequence of rows of labels
        The label of each square's region.
    palette : sequence of str
        The colours.
    """
    neighbours = _neighbours(grid)
    order = list(neighbours)
    if len(order) > len(palette):
        order = _fewest_neighbours_last(neighbours)[::-1]
    chosen: dict[Hashable, str] = {}
    for label in order:
        near = [chosen[other] for other in neighbours[label] if other in chosen]
        taken = list(chosen.values())
        chosen[label] = min(palette, key=lambda colour: (near.count(colour), taken.count(colour)))
    return chosen


def _neighbours(grid: Sequence[Sequence[Hashable]]) -> dict[Hashable, set[Hashable]]:
    """Return the neighbours of each region, the regions in the order in which they are met."""
    found: dict[Hashable, set[Hashable]] = {label: set() for row in grid for label in row}
    for r, row in enumerate(grid):
        for c, label in enumerate(row):
            for s, d in ((r, c + 1), (r + 1, c - 1), (r + 1, c), (r + 1, c + 1)):
                if s < len(grid) and 0 <= d < len(grid[s]) and grid[s][d] != label:
                    found[label].add(grid[s][d])
                    found[grid[s][d]].add(label)
    return found


def _fewest_neighbours_last(neighbours: Mapping[Hashable, set[Hashable]]) -> list[Hashable]:
    """Return the regions, each time one with the fewest neighbours among those left; coloured backwards, few are in the way."""
    left = {label: set(others) for label, others in neighbours.items()}
    order = []
    while left:
        label = min(left, key=lambda one: len(left[one]))
        for other in left.pop(label):
            left[other].discard(label)
        order.append(label)
    return order


def luminance(colour: Sequence[float]) -> float:
    """Return the relative luminance of red, green and blue in sRGB, each 0 to 1, as WCAG 2 defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
