"""A process of its own that calls each benchmark once and prints the seconds as JSON: `python -m benchmarks.first_calls`.

One trivial function is compiled before, so that what the process pays once is apart.
"""

from __future__ import annotations

import json
import sys

import autograph_jit as ag
from benchmarks import overhead
from benchmarks.__main__ import BENCHMARKS
from benchmarks.measure import first_call


def main() -> None:
    first_call(ag.compile(overhead.CASE.plain), overhead.CASE.arguments(overhead.CASE.size))
    seconds = {}
    for case in BENCHMARKS:
        seconds[case.name] = first_call(ag.compile(case.plain, fallback="error"), case.arguments(case.quick))[0]
    json.dump(seconds, sys.stdout)


if __name__ == "__main__":
    main()
