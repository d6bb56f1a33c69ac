"""Colours of regions: how far apart they are for all eyes, and which regions have which.

How colour-blind readers see colours is computed here by three published simulations, and how different colours are by two
measures; the package itself has only the colours.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

from nqueens_cp import puzzle
from nqueens_cp.render.colours import PALETTE, luminance, region_colours

REGION_BOARDS = Path(__file__).resolve().parents[3] / "shared" / "cases" / "region_puzzles.jsonl"
CIELAB_APART, OKLAB_APART = 14, 6  # some 2 are just seen
OWN = {
    "quarters": ["AABB", "AABB", "CCDD", "CCDD"],
    "rows": [str(r) * 9 for r in range(9)],
    "corners": ["AB", "BA"],
    "a region around all others": ["AAAAA", "ABCDA", "AEFGA", "AHIJA", "AAAAA"],
    "sixteen": [[r // 4 * 4 + c // 4 for c in range(16)] for r in range(16)],
    "a column beside all others": ["A" + "".join(pair) for pair in itertools.pairwise("ABCDEFGHIJABCDEFGHIJ")],
}

# Machado, Oliveira and Fernandes (2009), severity 1; for linear RGB.
MACHADO = {
    "red-blind": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green-blind": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "blue-blind": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Viénot, Brettel and Mollon (1999), for linear RGB, as worked out by DaltonLens.
VIENOT = {
    "red-blind": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
    "green-blind": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
}
# Brettel, Viénot and Mollon (1997): one matrix on each side of a plane; likewise.
BRETTEL_BLUE = (
    [[1.01277, 0.13548, -0.14826], [-0.01243, 0.86812, 0.14431], [0.07589, 0.80500, 0.11911]],
    [[0.93678, 0.18979, -0.12657], [0.06154, 0.81526, 0.12320], [-0.37562, 1.12767, 0.24796]],
)
BRETTEL_PLANE = [0.03901, -0.02788, -0.01113]


def linear(colour: str) -> np.ndarray:
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def brettel_blue(rgb: np.ndarray) -> np.ndarray:
    return np.array(BRETTEL_BLUE[0 if rgb @ np.array(BRETTEL_PLANE) >= 0 else 1]) @ rgb


VISIONS = {
    "normal": lambda rgb: rgb,
    **{f"{name}, Machado": lambda rgb, matrix=matrix: np.array(matrix) @ rgb for name, matrix in MACHADO.items()},
    **{f"{name}, Viénot": lambda rgb, matrix=matrix: np.array(matrix) @ rgb for name, matrix in VIENOT.items()},
    "blue-blind, Brettel": brettel_blue,
}


def cielab(rgb: np.ndarray) -> np.ndarray:
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    part = np.array(matrix) @ rgb / np.array([0.9505, 1, 1.089])
    x, y, z = np.where(part > (6 / 29) ** 3, np.cbrt(part), part * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def oklab(rgb: np.ndarray) -> np.ndarray:
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return 100 * np.array(lab) @ np.cbrt(np.array(cones) @ rgb)


def apart(first: str, second: str, vision: str, space) -> float:
    seen = [space(np.clip(VISIONS[vision](linear(colour)), 0, 1)) for colour in (first, second)]
    return float(np.linalg.norm(seen[0] - seen[1]))


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_colours_are_told_apart(vision):
    for first, second in itertools.combinations(PALETTE, 2):
        assert apart(first, second, vision, cielab) >= CIELAB_APART, (first, second)
        assert apart(first, second, vision, oklab) >= OKLAB_APART, (first, second)


def test_the_simulations_confuse_what_is_confused():
    """Red and green of equal weight, for one: otherwise the test above would prove nothing."""
    assert apart("#bb5500", "#7b7b00", "normal", cielab) > 40
    assert apart("#bb5500", "#7b7b00", "green-blind, Viénot", cielab) < 10
    assert (
        apart("#00ff88", "#00eeff", "blue-blind, Brettel", cielab) < apart("#00ff88", "#00eeff", "normal", cielab) / 2
    )


def test_black_can_be_read_on_every_colour():
    for colour in PALETTE:
        light = luminance([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        assert light == pytest.approx(linear(colour) @ [0.2126, 0.7152, 0.0722])
        assert (light + 0.05) / 0.05 >= 7  # WCAG 2.2, 1.4.6


def neighbours(grid) -> set[frozenset]:
    squares = {(r, c): label for r, row in enumerate(grid) for c, label in enumerate(row)}
    return {
        frozenset((label, squares[r + s, c + d]))
        for (r, c), label in squares.items()
        for s, d in itertools.product((-1, 0, 1), repeat=2)
        if squares.get((r + s, c + d), label) != label
    }


def check(grid) -> None:
    """Neighbours, corners included, have colours that everybody tells apart; up to ten regions have different ones."""
    chosen = region_colours(grid)
    assert set(chosen.values()) <= set(PALETTE)
    for first, second in map(tuple, neighbours(grid)):
        assert chosen[first] != chosen[second]
    if len(chosen) <= len(PALETTE):
        assert len(set(chosen.values())) == len(chosen)


@pytest.mark.parametrize("name", OWN)
def test_neighbouring_regions_have_different_colours(name):
    check(OWN[name])


@pytest.mark.parametrize("size", [5, 8, 12])
def test_regions_of_puzzles_that_are_made(size):
    for seed in range(3):
        check(puzzle.new(size, seed=seed).grid)


def test_random_regions():
    rng = random.Random(11)
    for _ in range(60):
        n = rng.randint(4, 16)
        grid = [[rng.randrange(n) if rng.random() < 0.05 else (r * c + r) // 7 % n for c in range(n)] for r in range(n)]
        chosen = region_colours(grid)
        assert set(chosen) == {label for row in grid for label in row}
        if len(chosen) <= len(PALETTE):
            check(grid)


def test_regions_of_puzzles_that_people_made():
    if not REGION_BOARDS.exists():
        pytest.skip(f"{REGION_BOARDS} is not there: its boards can't be coloured")
    boards = [json.loads(line)["regions"] for line in REGION_BOARDS.read_text(encoding="utf-8").splitlines()]
    assert len(boards) >= 100
    for regions in boards:
        check(regions)
