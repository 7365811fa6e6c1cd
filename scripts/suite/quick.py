"""Chooses the quick tier: some packages always, then the tests that cover most for their time, and writes tests/quick.txt."""

from __future__ import annotations

import argparse
import heapq
from pathlib import Path

from suite.measurements import DATA, REPORT, ROOT, Measurements, measure_lines, measure_seconds, read

ALWAYS = ("tests/ir/", "tests/syntax/", "tests/converters/", "tests/transforms/test_cases.py", "tests/ops/", "tests/test_architecture.py")
LIST = ROOT / "tests" / "quick.txt"
LONGEST_SECONDS = 3.0
BUDGET_SECONDS = 120.0  # of all tests together, on two cores half of it
HEADER = "# Written by `scripts/measure-suite`: what `scripts/test --quick` runs. A line is the beginning of the names of tests.\n"


def choose(measured: Measurements, budget_seconds: float) -> list[str]:
    """Names of test functions, those that add most lines for a second first, until the budget is spent."""
    always = [name for name in measured.seconds if name.startswith(ALWAYS)]
    spent = sum(measured.seconds[name] for name in always)
    seen = set().union(*(measured.lines[name] for name in always))
    chosen: list[str] = []
    waiting = [(-float("inf"), name) for name in measured.seconds if name not in set(always)]
    heapq.heapify(waiting)
    while waiting:
        estimate, name = heapq.heappop(waiting)
        gain = -len(measured.lines[name] - seen) / (measured.seconds[name] + 0.01)
        if gain > estimate and waiting and gain > waiting[0][0]:
            heapq.heappush(waiting, (gain, name))  # others have covered some of its lines since
        elif gain and spent + measured.seconds[name] <= budget_seconds:
            chosen.append(name)
            spent += measured.seconds[name]
            seen |= measured.lines[name]
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/measure-suite", description=__doc__)
    parser.add_argument("--directory", type=Path, default=ROOT / ".suite", help="where the measurements are, or are to be left")
    parser.add_argument("--again", action="store_true", help="measure, also where there are measurements")
    parser.add_argument("--longest", type=float, default=LONGEST_SECONDS, help="longer test functions are not measured")
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS, help="seconds of all quick tests together")
    options = parser.parse_args()
    directory = options.directory.resolve()
    if options.again or not (directory / REPORT).exists():
        measure_seconds(directory)
    if options.again or not (directory / DATA).exists():
        measure_lines(directory, options.longest)
    measured = read(directory)
    chosen = choose(measured, options.budget)
    LIST.write_text(HEADER + "\n".join([*ALWAYS, *sorted(chosen)]) + "\n")
    covered, reached = covered_lines(measured, list(measured.seconds)), covered_lines(measured, [*chosen, *always_names(measured)])
    print(f"{LIST.relative_to(ROOT)}: {len(chosen)} test functions beside those always run; {reached} of the {covered} covered lines")


def always_names(measured: Measurements) -> list[str]:
    return [name for name in measured.seconds if name.startswith(ALWAYS)]


def covered_lines(measured: Measurements, names: list[str]) -> int:
    """How many lines these tests cover together."""
    return len(set().union(*(measured.lines[name] for name in names)))


if __name__ == "__main__":
    main()
