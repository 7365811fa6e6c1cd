"""Measure compiled functions side by side with NumPy, hand-written numba and other peers; exit status 1 if a result is wrong."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import autograph_jit as ag
from benchmarks import earlier, gradients, peaks, plot, report, startup
from benchmarks.contender import CPU, WALL
from benchmarks.everyday_python import registry
from benchmarks.everyday_python import suite as everyday_python
from benchmarks.measure import Settings
from benchmarks.peers import installed
from benchmarks.tables import TABLES, run

SUITES = (*TABLES, "gradients", "compile-time", "memory", "everyday-python")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--suite", action="append", choices=[*SUITES, "all"], help="what to measure (default: kernels); may be repeated")
    parser.add_argument("--only", default="", metavar="TEXT", help="only functions whose name or kind contains TEXT")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds: does everything run?")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to sample each function (default: 1)")
    parser.add_argument("--least", action="store_true", help="compare least CPU times, not medians: for a machine with other work")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="processors for every contender (default: 1)")
    parser.add_argument("--json", type=Path, default=Path("bench-output/bench.json"), help="where the figures go; plots go beside them")
    parser.add_argument(
        "--limit",
        type=float,
        default=everyday_python.LIMIT_SECONDS,
        metavar="SECONDS",
        help="everyday-python: CPU seconds for a first call, for a second one, for the samples; then the process is stopped (default: 60)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="everyday-python: figures by program; what is in it is not run again")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="this checkout and an earlier one in turns: kernels, gradients")
    parser.add_argument("--no-peers", action="store_true", help="only what runs in this process")
    parser.add_argument("--install-peers", action="store_true", help="install JAX, torch, TensorFlow and numexpr under .peers first")
    parser.add_argument("--gradients", dest="suite", action="append_const", const="gradients", help="the same as --suite gradients")
    parser.add_argument("--compile-time", dest="suite", action="append_const", const="compile-time", help="as --suite compile-time")
    return parser.parse_args()


def use_processors(count: int) -> None:
    """Keep this process and those that it starts to some processors: peers size their thread pools by it.

    Which ones depends on the process, so that two runs at a time need not share one.
    """
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(usable)
        os.sched_setaffinity(0, [*usable[first:], *usable[:first]][:count])


def main() -> int:
    options = parse_arguments()
    if options.install_peers:
        installed.install_all()
    chosen = options.suite or ["kernels"]
    # The time that other programs take from a thread is not in its CPU time; that of several threads would be their sum.
    clock = CPU if options.least and options.threads == 1 else WALL
    settings = Settings(options.quick, options.seconds, options.least, clock)
    use_processors(options.threads)
    document: dict[str, Any] = {"machine": report.machine() | {"clock": clock}, "peers": {}, "suites": {}}
    faulty = False
    if options.against:
        document["against"] = earlier.run(options.against, options.only, options.quick)
        report.write_json(options.json, document)
        return 0
    for suite in SUITES if "all" in chosen else chosen:
        print(f"\n{suite}", flush=True)
        if suite == "compile-time":
            document["suites"][suite] = startup.run_suite()
            continue
        if suite == "memory":
            document["suites"][suite] = peaks.run_suite()
            continue
        if suite == "everyday-python":
            records = everyday_python.run(registry.choose(options.only), options.limit, options.quick, options.out, not options.no_peers)
            faulty |= any(map(everyday_python.fault, records)) or not records
            document["suites"][suite] = records
            continue
        ag.config(cache=False)  # first calls are those of a machine that has not seen the function
        if suite == "gradients":
            found, versions = gradients.run(settings, options.only, not options.no_peers)
            faulty |= gradients.is_faulty(found) or not found
            document["peers"] |= versions
            document["suites"][suite] = gradients.as_json(found)
            continue
        results, versions = run(TABLES[suite], options.only, settings, not options.no_peers)
        faulty |= report.is_faulty(results) or not results
        document["peers"] |= versions
        document["suites"][suite] = report.figures(results)
        plot.write(options.json.parent / f"{suite}.svg", suite, results)
    report.write_json(options.json, document)
    print(f"figures and plots: {options.json.resolve().parent}")
    return int(faulty)


if __name__ == "__main__":
    sys.exit(main())
