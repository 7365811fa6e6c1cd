"""Measure NumPy, hand-written numba and autograph_jit side by side; exit status 1 if a result is wrong or missing."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import arrays, loops, overhead, report, stencils
from benchmarks.measure import Contender, contenders, measure

try:
    import jax
except ImportError:  # an optional peer: scripts/bench --install-peers
    jax = None

BENCHMARKS = (*loops.BENCHMARKS, *stencils.BENCHMARKS, *arrays.BENCHMARKS)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only functions whose name or kind contains TEXT")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds: does everything run?")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to sample each function (default: 1)")
    parser.add_argument("--json", type=Path, default=Path("bench-output/bench.json"), help="where the figures go")
    parser.add_argument("--install-peers", action="store_true", help="install the optional peers (JAX) first")
    return parser.parse_args()


def warm_up(field_of: list[Contender]) -> dict[str, float]:
    """Seconds that each contender's first compilation of the process takes, so that no benchmark pays for it."""
    cost = {}
    for contender in field_of:
        start = time.perf_counter()
        function = contender.build(overhead.CASE)
        if function is not None:
            function(*overhead.CASE.arguments(4))
            cost[contender.name] = time.perf_counter() - start
    return cost


def configured_jax() -> Any | None:
    """JAX with 64-bit types, as NumPy has them, or None where it is not installed."""
    if jax is not None:
        jax.config.update("jax_enable_x64", True)
    return jax


def main() -> int:
    options = parse_arguments()
    chosen = [case for case in BENCHMARKS if options.only in case.name or options.only in case.kind]
    if not chosen:
        print(f"no benchmark's name or kind contains {options.only!r}", file=sys.stderr)
        return 2
    field_of = contenders(configured_jax())
    warm_up_s = warm_up(field_of)
    print(report.HEADER, flush=True)
    results: report.Results = {}
    for case in chosen:
        results[case.name] = case, measure(case, field_of, options.quick, 0.0 if options.quick else options.seconds)
        print(report.row(*results[case.name]), flush=True)
    overhead_s = overhead.seconds_per_call(field_of, options.quick)
    print("", report.summary(results), *report.overhead_lines(warm_up_s, overhead_s), sep="\n")
    report.write_json(options.json, results, warm_up_s, overhead_s)
    print(f"figures: {options.json.resolve()}")
    return int(any(timing.fault for _, timings in results.values() for timing in timings.values()))


if __name__ == "__main__":
    sys.exit(main())
