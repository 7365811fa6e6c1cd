"""Draw a table of measurements as SVG: a dot for each contender's time relative to ours, or lines over the size."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from benchmarks.report import Results

COLOURS = {"ours": "#d62728", "numpy": "#7f7f7f", "numba": "#1f77b4", "jax": "#2ca02c", "numexpr": "#9467bd"}
MORE_COLOURS = ("#ff7f0e", "#8c564b", "#e377c2", "#17becf")
LINE, LABEL, WIDTH = 16, 220, 640  # height of a row, width of its name, width of the scale, in pixels
PANEL, MARGIN = 240, 50  # side of a panel of lines, room for its axes


def colours(names: list[str]) -> dict[str, str]:
    spare = iter(MORE_COLOURS * len(names))
    return {name: COLOURS.get(name) or next(spare) for name in names}


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#dddddd") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'


def document(width: float, height: float, shapes: list[str]) -> str:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" font-size="11">'
    return "\n".join([opening, '<rect width="100%" height="100%" fill="white"/>', *shapes, "</svg>"]) + "\n"


def legend(names: list[str], y: float) -> list[str]:
    shapes = []
    for k, (name, colour) in enumerate(colours(names).items()):
        shapes += [dot(LABEL + 110 * k, y - 4, colour), text(LABEL + 8 + 110 * k, y, name)]
    return shapes


def relative(results: Results) -> str:
    """Each row is a benchmark, each dot a contender: its time over ours, on a logarithmic scale; right of the line ours is faster."""
    names = contenders(results)
    found = {
        name: {who: timing.time_s / timings["ours"].time_s for who, timing in timings.items() if who != "ours" and timing.time_s > 0}
        for name, (_, timings) in results.items()
        if "ours" in timings and timings["ours"].time_s > 0
    }
    decades = [math.log10(ratio) for ratios in found.values() for ratio in ratios.values()]
    low, high = math.floor(min(decades, default=-1.0)), math.ceil(max(decades, default=1.0))
    scale = WIDTH / max(high - low, 1)
    bottom = LINE * (len(found) + 3)
    shapes = [*legend([name for name in names if name != "ours"], LINE)]
    for decade in range(low, high + 1):
        x = LABEL + scale * (decade - low)
        shapes.append(line(x, 2 * LINE, x, bottom, "#000000" if decade == 0 else "#dddddd"))
        shapes.append(text(x, bottom + LINE, f"{10.0**decade:g}", "middle"))
    paint = colours(names)
    for k, (name, ratios) in enumerate(found.items()):
        y = LINE * (k + 3)
        shapes.append(text(LABEL - 8, y + 4, name, "end"))
        shapes += [dot(LABEL + scale * (math.log10(ratio) - low), y, paint[who]) for who, ratio in ratios.items()]
    shapes.append(text(LABEL, bottom + 2 * LINE, "time over ours"))
    return document(LABEL + WIDTH + LINE, bottom + 3 * LINE, shapes)


def by_size(results: Results) -> str:
    """A panel for each function and dtype: nanoseconds per element over the number of elements, both logarithmic."""
    names = contenders(results)
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for case, timings in results.values():
        series = panels.setdefault(case.name.rsplit(",", 1)[0], {})
        for who, timing in timings.items():
            if timing.time_s > 0:
                series.setdefault(who, []).append((math.log10(case.size), math.log10(timing.time_s / case.size * 1e9)))
    points = [point for series in panels.values() for path in series.values() for point in path]
    if not points:
        return document(PANEL, PANEL, [])
    (left, right), (low, high) = ((math.floor(min(axis)), math.ceil(max(axis)) + 1e-9) for axis in zip(*points))
    paint, shapes = colours(names), legend(names, LINE)
    for k, (title, series) in enumerate(panels.items()):
        x0, y0 = MARGIN + (k % 4) * (PANEL + MARGIN), 4 * LINE + (k // 4) * (PANEL + 2 * MARGIN)
        across, down = PANEL / (right - left), PANEL / (high - low)
        shapes.append(text(x0, y0 - 6, f"{title} (ns per element)"))
        for decade in range(left, int(right) + 1):
            shapes += [text(x0 + across * (decade - left), y0 + PANEL + LINE, f"1e{decade}", "middle")]
        for decade in range(low, int(high) + 1):
            y = y0 + PANEL - down * (decade - low)
            shapes += [line(x0, y, x0 + PANEL, y), text(x0 - 4, y + 4, f"{10.0**decade:g}", "end")]
        for who, path in series.items():
            ends = [(x0 + across * (x - left), y0 + PANEL - down * (y - low)) for x, y in path]
            shapes += [line(*first, *second, paint[who]) for first, second in zip(ends, ends[1:])]
            shapes += [dot(x, y, paint[who]) for x, y in ends]
    rows = -(-len(panels) // 4)
    return document(4 * (PANEL + MARGIN) + MARGIN, 4 * LINE + rows * (PANEL + 2 * MARGIN), shapes)


def contenders(results: Results) -> list[str]:
    return list(dict.fromkeys(who for _, timings in results.values() for who in timings))


def write(path: Path, suite: str, results: Results) -> None:
    """One file for a suite."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(by_size(results) if suite == "elementwise" else relative(results))
