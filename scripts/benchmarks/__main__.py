"""Measure NumPy, hand-written numba and autograph_jit side by side; exit status 1 if a result is wrong or missing."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import autograph_jit as ag
from benchmarks import algebra, arrays, gradients, learning, loops, overhead, report, sequences, signals, startup, stencils
from benchmarks.measure import Contender, Timing, contenders, measure

try:
    import jax
except ImportError:  # an optional peer: scripts/bench --install-peers
    jax = None

MODULES = (loops, sequences, stencils, signals, algebra, learning, arrays)
BENCHMARKS = tuple(case for module in MODULES for case in module.BENCHMARKS)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="only functions whose name or kind contains TEXT")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds: does everything run?")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to sample each function (default: 1)")
    parser.add_argument("--json", type=Path, default=Path("bench-output/bench.json"), help="where the figures go")
    parser.add_argument("--gradients", action="store_true", help="measure gradients against the functions themselves instead")
    parser.add_argument("--compile-time", action="store_true", help="measure first calls, cold and with code on disk, and start-up instead")
    parser.add_argument("--install-peers", action="store_true", help="install the optional peers (JAX) first")
    return parser.parse_args()


def warm_up(field_of: list[Contender]) -> dict[str, Timing]:
    """Each contender's first compilation of the process, so that no benchmark pays for it."""
    return measure(overhead.CASE, field_of, quick=True, seconds=0.0)


def configured_jax() -> Any | None:
    """JAX with 64-bit types, as NumPy has them, or None where it is not installed."""
    if jax is not None:
        jax.config.update("jax_enable_x64", True)
    return jax


def main() -> int:
    options = parse_arguments()
    if options.compile_time:
        return startup.main()
    ag.config(cache=False)  # first calls are those of a machine that has not seen the function
    if options.gradients:
        return gradients.run(options.quick, configured_jax(), options.only)
    chosen = [case for case in BENCHMARKS if options.only in case.name or options.only in case.kind]
    if not chosen:
        print(f"no benchmark's name or kind contains {options.only!r}", file=sys.stderr)
        return 2
    field_of = contenders(configured_jax())
    first = warm_up(field_of)
    warm_up_s = {name: timing.first_call_s for name, timing in first.items() if not timing.fault}
    print(report.HEADER, flush=True)
    results: report.Results = {}
    for case in chosen:
        results[case.name] = case, measure(case, field_of, options.quick, 0.0 if options.quick else options.seconds)
        print(report.row(*results[case.name]), flush=True)
    overhead_s = overhead.seconds_per_call([who for who in field_of if who.name in warm_up_s], options.quick)
    print("", *report.faults(first), report.summary(results), *report.overhead_lines(warm_up_s, overhead_s), sep="\n")
    report.write_json(options.json, results, warm_up_s, overhead_s)
    print(f"figures: {options.json.resolve()}")
    every = [first, *(timings for _, timings in results.values())]
    return int(any(timing.fault for timings in every for timing in timings.values()))


if __name__ == "__main__":
    sys.exit(main())
