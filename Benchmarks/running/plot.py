"""Draws the cost of one operation against the number of objects, one panel a workload, as SVG."""

import math
from xml.sax.saxutils import escape

from .workloads import ROWS

COLOURS = {"freehold": "#c2410c", "sqlite": "#2563eb", "lmdb": "#15803d"}
TITLES = {"freehold": "Freehold", "sqlite": "SQLite", "lmdb": "LMDB"}
COLUMNS, WIDTH, HEIGHT = 4, 270, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 28, 30
HEAD = 40


def svg(session):
    """The picture, or None when one size alone was measured."""
    panels = [(row, lines) for row in ROWS.values() if (lines := _lines(session, row))]
    if len(session.sizes) < 2 or not panels:
        return None
    width, height = COLUMNS * WIDTH, HEAD + math.ceil(len(panels) / COLUMNS) * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        _legend(sorted({name for _, lines in panels for name in lines}, key=list(COLOURS).index)),
    ]
    for index, (row, lines) in enumerate(panels):
        parts.append(_panel(row, lines, session.sizes, index % COLUMNS * WIDTH, HEAD + index // COLUMNS * HEIGHT))
    return "\n".join(parts + ["</svg>", ""])


def _lines(session, row):
    """Each driver's (size, cost) points; bytes and ratios are plotted as they are."""
    lines = {}
    for name in COLOURS:
        values = [(size, session.median(size, name, row.name)) for size in session.sizes]
        points = [(size, row.nanoseconds(value) or value) for size, value in values if value]
        if points:
            lines[name] = points
    return lines


def _legend(names):
    parts = ['<text x="10" y="24" font-size="14" font-weight="bold">Cost of one operation against the number of objects (both axes logarithmic; lower is better)</text>']
    for index, name in enumerate(reversed(names)):
        x = COLUMNS * WIDTH - 90 * (index + 1)
        parts.append(f'<line x1="{x}" y1="20" x2="{x + 20}" y2="20" stroke="{COLOURS[name]}" stroke-width="3"/><text x="{x + 25}" y="24">{TITLES[name]}</text>')
    return "\n".join(parts)


def _panel(row, lines, sizes, x, y):
    costs = [cost for points in lines.values() for _, cost in points]
    low, high = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
    high = max(high, low + 1)
    first, last = math.log10(min(sizes)), math.log10(max(sizes))

    def place(size, cost):
        across = (math.log10(size) - first) / (last - first)
        up = (math.log10(cost) - low) / (high - low)
        return x + LEFT + across * (WIDTH - LEFT - RIGHT), y + HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [f'<text x="{x + LEFT}" y="{y + 16}" font-weight="bold">{escape(row.name)}</text>']
    for decade in range(low, high + 1):
        (x1, y1), (x2, _) = place(min(sizes), 10**decade), place(max(sizes), 10**decade)
        parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y1:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x1 - 4:.1f}" y="{y1 + 4:.1f}" text-anchor="end" fill="#555">{_tick(row, decade)}</text>')
    for size in sizes:
        across, bottom = place(size, 10**low)
        parts.append(f'<text x="{across:.1f}" y="{bottom + 15:.1f}" text-anchor="middle" fill="#555">{_size(size)}</text>')
    for name, points in lines.items():
        dots = [place(size, cost) for size, cost in points]
        path = " ".join(f"{across:.1f},{down:.1f}" for across, down in dots)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        parts += [f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.5" fill="{COLOURS[name]}"/>' for across, down in dots]
    return "\n".join(parts)


def _tick(row, decade):
    value = 10.0**decade
    if row.nanoseconds(1.0) is None:
        return f"{value:g}" + (" B" if row.unit.startswith("bytes") else "")
    for bound, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if value >= bound:
            return f"{value / bound:g} {unit}"
    return f"{value:g} ns"


def _size(size):
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1000}k" if size >= 1000 else str(size)
