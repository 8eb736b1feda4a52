"""Writes a session as a Markdown page (medians, ratios, targets) and as JSON (every sample)."""

import json
import os
import platform
import subprocess
from pathlib import Path

from .workloads import ROWS, TARGET_SIZE, WORKLOADS, is_met, target_of

TITLES = {
    "freehold": "Freehold",
    "freehold-c": "Freehold in C",
    "sqlite": "SQLite",
    "lmdb": "LMDB",
    "python": "Python loop",
    "usearch": "usearch",
    "faiss": "faiss",
    "sqlite-vec": "sqlite-vec",
    "tantivy": "tantivy",
    "floor": "floor",
}


def machine(folder):
    """What the figures were taken on, as (what, fact) pairs; asked before the session adds its own load."""
    cpu = next((line.split(":", 1)[1].strip() for line in _read("/proc/cpuinfo").splitlines() if line.startswith("model name")), platform.machine())
    memory = next((int(line.split()[1]) for line in _read("/proc/meminfo").splitlines() if line.startswith("MemTotal")), 0)
    file_system = subprocess.run(["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True).stdout.strip() or "unknown"
    swift = subprocess.run(["sh", "-c", "swift --version 2>/dev/null | sed -n 's/.*Swift version \\([0-9.]*\\).*/\\1/p' | head -n 1"], capture_output=True, text=True).stdout.strip()
    return [
        ("processor", f"{cpu}, {os.cpu_count()} cores"),
        ("memory", f"{memory / 1048576:.0f} GiB"),
        ("kernel", platform.release()),
        ("file system", file_system),
        ("Swift", swift or "none"),
        ("other load when it began", f"{os.getloadavg()[0]:.1f} running on average"),
    ]


def _read(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def number(value):
    """Three significant digits, in the way people say them."""
    if value is None:
        return "–"
    for bound, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= bound:
            scaled = value / {"G": 1e9, "M": 1e6, "k": 1e3}[unit]
            return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 100 else 0}f}{unit}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(row, own, other):
    """How many times better `own` is than `other`: above 1 is better, whatever the unit."""
    if not own or not other:
        return "–"
    times = own / other if row.higher_is_better else other / own
    return f"{times:.3g}×" if times < 100 else f"{times:.0f}×"


def markdown(session, facts, plot_name):
    lines = ["# Benchmark", "", _introduction(session), ""]
    lines += [f"- {what}: {fact}" for what, fact in facts]
    lines += [f"- {remark.rsplit(', n=', 1)[0]}" for name, remark in sorted(session.remarks.items()) if name != "freehold"]
    for size in session.sizes:
        lines += ["", f"## {size:,} objects", ""] + _table(session, size)
    if plot_name:
        lines += ["", "## Cost against the number of objects", "", f"![Cost of one operation against the number of objects]({plot_name})"]
    lines += ["", "## Answers", ""] + _answers(session)
    return "\n".join(lines) + "\n"


def _introduction(session):
    return (
        f"Medians of {session.rounds} round{'s' if session.rounds != 1 else ''}, taken in one session; within each workload the databases take turns. "
        "×SQLite and ×LMDB say how many times better Freehold is (more operations, fewer microseconds or bytes); below 1 it is worse. "
        "The range in brackets is the least and the most of all rounds. Written by `Benchmarks/run`; the workloads are described in `Benchmarks/README.md`."
    )


def _table(session, size):
    names = [driver.name for driver in session.drivers if driver.name != "floor"]
    rivals = [name for name in names if name != "freehold"]
    judged = size == TARGET_SIZE and "freehold" in names
    compared = rivals if "freehold" in names else []
    header = ["workload", "unit"] + [TITLES[name] for name in names] + [f"×{TITLES[name]}" for name in compared] + (["target", "met"] if judged else [])
    lines = ["| " + " | ".join(header) + " |", "|---|---|" + "--:|" * (len(header) - 2)]
    figures = session.figures(size)
    for workload in session.workloads:
        for row in WORKLOADS.get(workload, []):
            if not any((name, row.name) in figures for name in names):
                continue
            own = figures.get(("freehold", row.name))
            cells = [row.name, row.unit] + [_cell(session, size, name, row.name) for name in names]
            cells += [ratio(row, own, figures.get((name, row.name))) for name in compared]
            cells += _judgement(row, own, figures) if judged else []
            lines.append("| " + " | ".join(cells) + " |")
    said = {
        "floor_flush": "a bare 16 KiB overwrite with fdatasync",
        "floor_wakeup": "a bare wake-up through a pipe",
        "floor_told_p50": "the same at the rhythm of notify",
        "floor_told_p99": "its p99",
        "floor_beside_p50": "told by a process that goes on running meanwhile",
        "floor_beside_p99": "its p99",
    }
    floor = [(name, "tx/s" if name == "floor_flush" else "us") for name in said if ("floor", name) in figures]
    if floor:
        lines += ["", "In the same session: " + "; ".join(f"{said[name]} {number(figures['floor', name])} {unit}" for name, unit in floor) + "."]
    return lines


def _cell(session, size, driver, name):
    value, spread = session.median(size, driver, name), session.spread(size, driver, name)
    if value is None:
        return "–"
    return number(value) if session.rounds == 1 else f"{number(value)} ({number(spread[0])}–{number(spread[1])})"


def _judgement(row, own, figures):
    target = target_of(row, figures)
    if target is None:
        return ["–", "–"]
    sign = "≥" if row.higher_is_better else "≤"
    told = f"{sign} {number(target)}" + (" (floor, SQLite)" if isinstance(row.target, str) else "")
    return [told, "–" if own is None else "yes" if is_met(row, own, target) else "**no**"]


def _answers(session):
    problems = session.disagreements()
    count = len(session.answers)
    lines = [f"{count - len(problems)} of {count} answers are the same for every database that gave them, in every round."]
    lines += [f"- {problem}" for problem in problems] + [f"- failed: {error.splitlines()[0]}" for error in session.errors]
    for driver in dict.fromkeys(driver for driver, _ in sorted(session.skipped)):
        left_out = [name for name in list(WORKLOADS) + list(ROWS) if (driver, name) in session.skipped]
        if left_out:
            lines.append(f"- {TITLES[driver]} has no {', '.join(dict.fromkeys(left_out))}.")
    return lines


def as_json(session, facts):
    """Every sample, so that a later reader can judge for themselves."""
    samples = [
        {"n": size, "driver": driver, "name": name, "unit": session.units[name], "values": values}
        for (size, driver, name), values in sorted(session.samples.items())
    ]
    return json.dumps({"machine": dict(facts), "rounds": session.rounds, "samples": samples}, indent=1) + "\n"
