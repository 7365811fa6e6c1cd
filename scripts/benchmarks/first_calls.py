"""A process of its own that calls each benchmark once and prints the seconds as JSON: `python -m benchmarks.first_calls`.

One trivial function is compiled before, so that what the process pays once is apart.
"""

from __future__ import annotations

import json
import sys

import autograph_jit as ag
from benchmarks import overhead
from benchmarks.contender import Local
from benchmarks.kernels import BENCHMARKS


def main() -> None:
    Local(ag.compile(overhead.CASE.plain), overhead.CASE.arguments(overhead.CASE.size), False).first()
    seconds = {}
    for case in BENCHMARKS:
        seconds[case.name] = Local(ag.compile(case.plain, fallback="error"), case.arguments(case.quick), True).first().seconds
    json.dump(seconds, sys.stdout)


if __name__ == "__main__":
    main()
