"""A comparison as a matplotlib figure; the HTML page draws its own (chart.py says why)."""

from __future__ import annotations

from typing import Any

from nqueens_cp.checks import shown
from nqueens_cp.comparison.records import FIGURES, Comparison
from nqueens_cp.errors import InvalidValue
from nqueens_cp.render.image import require_matplotlib

LABELS = {
    "import_seconds": "import (s)",
    "build_seconds": "build (s)",
    "first_seconds": "first solution (s)",
    "solve_seconds": "task (s)",
    "cpu_seconds": "processor time (s)",
    "peak_mib": "peak memory (MiB)",
}


def plot(comparison: Comparison, figure: str, axes: Any) -> Any:
    """Draw a figure against size, or as bars where there is only one model of each; what was stopped is drawn hollow."""
    if figure not in FIGURES:
        raise InvalidValue(f"figure: {shown(figure)} is none of {', '.join(FIGURES)}")
    require_matplotlib("plot")
    from matplotlib import pyplot

    rows = [row for row in comparison.rows if row.figure(figure) is not None]
    if not rows:
        raise InvalidValue(f"plot: no row has {figure}")
    if axes is None:
        _, axes = pyplot.subplots(layout="constrained")
    sizes = {row.size for row in rows}
    by_size = len(sizes) > 1 and None not in sizes
    places = {label: i for i, label in enumerate(dict.fromkeys(row.model for row in rows))}
    for backend in dict.fromkeys(row.backend for row in rows):
        own = [row for row in rows if row.backend == backend]
        own.sort(key=lambda row: row.size if by_size and row.size is not None else places[row.model])
        x = [row.size if by_size else places[row.model] for row in own]
        spreads = [row.spreads[figure] for row in own]
        y = [spread.median for spread in spreads]
        below = [spread.median - spread.least for spread in spreads]
        above = [spread.most - spread.median for spread in spreads]
        (line, *_) = axes.errorbar(
            x, y, (below, above), marker="o", capsize=3, label=backend, ls="-" if by_size else ""
        )
        stopped = [i for i, row in enumerate(own) if not row.is_complete]
        axes.plot([x[i] for i in stopped], [y[i] for i in stopped], "o", mfc="white", color=line.get_color())
    axes.set_yscale("log")
    axes.set_ylabel(LABELS[figure])
    if by_size:
        axes.set_xlabel("size")
        axes.xaxis.get_major_locator().set_params(integer=True)
    else:
        axes.set_xticks(range(len(places)), list(places), rotation=20 if len(places) > 1 else 0)
    axes.set_title(f"{comparison.model}: {comparison.setting.get('task', 'count')}")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes
