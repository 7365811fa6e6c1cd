"""The seconds that each test function takes, and the lines that it covers: measured by two runs of the suite.

The first one makes pytest's JUnit report, the second runs the tests that are not too long under `coverage`, with a context for each
test function. Parameters of a test count for its function. What tests do in processes of their own, and what importing the package
runs, belongs to no test.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import defaultdict
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "autograph_jit"
DATA, REPORT, SETTINGS, NAMES = ".coverage", "durations.xml", "coverage.ini", "names.txt"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "--timeout", "600", "-m", "not gpu"]
OPTIONS = f"[run]\nsource = {PACKAGE}\nbranch = False\ndisable_warnings = no-data-collected\n"
Line = tuple[str, int]  # a file, relative to the package, and the number of a line


@dataclasses.dataclass(frozen=True, slots=True)
class Measurements:
    """By test function (`tests/ops/test_scan.py::test_sum`): its lines and its seconds."""

    lines: dict[str, set[Line]]
    seconds: dict[str, float]


def measure_seconds(directory: Path) -> None:
    """Run the suite, and leave its report in the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([*PYTEST, f"--junitxml={directory / REPORT}"], cwd=ROOT, check=True)


def measure_lines(directory: Path, longest_seconds: float) -> None:
    """Run the test functions that take no longer than that under coverage."""
    (directory / SETTINGS).write_text(OPTIONS + f"data_file = {directory / DATA}\n")
    names = [name for name, seconds in read_seconds(directory).items() if seconds <= longest_seconds]
    (directory / NAMES).write_text("\n".join(names) + "\n")
    covered = ["--cov", "--cov-context=test", f"--cov-config={directory / SETTINGS}", "--cov-report="]
    subprocess.run([*PYTEST, *covered, f"@{directory / NAMES}"], cwd=ROOT, check=True)


def read_seconds(directory: Path) -> dict[str, float]:
    """The seconds of each test function."""
    seconds: dict[str, float] = defaultdict(float)
    for case in xml.parse(directory / REPORT).iter("testcase"):
        name = function_name(case.get("classname", ""), case.get("name", "").partition("[")[0])
        seconds[name] += float(case.get("time", 0.0))
    return dict(seconds)


def read(directory: Path) -> Measurements:
    """What the two runs left."""
    lines: dict[str, set[Line]] = defaultdict(set)
    data = coverage.CoverageData(str(directory / DATA))
    data.read()
    for path in filter(os.path.exists, data.measured_files()):  # what is written at run time has no file
        file = str(Path(path).relative_to(PACKAGE))
        for number, contexts in data.contexts_by_lineno(path).items():
            for context in filter(None, contexts):
                lines[context.partition("|")[0].partition("[")[0]].add((file, number))
    seconds = read_seconds(directory)
    return Measurements({name: lines.get(name, set()) for name in seconds}, seconds)


def function_name(module: str, function: str) -> str:
    """`tests.ops.test_scan` and `test_sum` as pytest writes them."""
    return f"{module.replace('.', '/')}.py::{function}"
