"""Long runs: child processes judge batches of seeds, so that a crash or a hang is caught and reported with its seed.

scripts/fuzz --programs 1000 --seed 0        judge 1000 programs, with --jobs 2 in two processes
scripts/fuzz --programs 1000 --out FILE      the same with a line for each; seeds that stand in the file already are not judged again
scripts/fuzz --show 17                       print one program and its verdict
scripts/fuzz --shrink 17                     print the smallest program that fails, or is refused, in the same way
scripts/fuzz --indices 100000                call index programs on guarded memory so many times
scripts/fuzz --cache-faults                  let every file operation of the cache fail once in every way
scripts/fuzz --faults 8000                   let allocations of calls fail, at least so many times in all
scripts/fuzz --gradients ...                 the same with smooth programs and their derivatives
scripts/fuzz --tables ...                    the same with programs over dicts and sets whose keys only the run knows
scripts/fuzz --containers ...                the same with dicts, sets and lists of tuples among the arguments, and deques
scripts/fuzz --helpers ...                   the same where functions and recursions change them
scripts/fuzz --records ...                   the same with dicts of constant keys, and values that are numbers, texts or None
scripts/fuzz --objects ...                   the same with a few instances under several names
scripts/fuzz --made ...                      the same with instances that the program makes
scripts/fuzz --classes ...                   the same over classes, exceptions and closures as people write them
scripts/fuzz --calls ...                     sequences of calls of one function, between which what it reads changes
scripts/fuzz --generators ...                the same with generators and iterators that are advanced elsewhere than they are made
scripts/fuzz --pairs --programs 3266         each kind of value in each use of it; further seeds: operators of two kinds
scripts/fuzz --nested --programs 2376        each kind of statement in each kind of block; further seeds: in two of them, and three
scripts/fuzz --operations --programs 61000   each operation of containers and values, by where they come from and where it stands
scripts/fuzz --divided ...                   the same with loops that Python runs in the middle of compiled code, as many as can be
scripts/fuzz --handed-over ...               the same with loops that Python takes over from compiled code, as many as can be
scripts/fuzz --nans 20000                    make so many random NumPy calls with NaNs, infinities, signed zeros and extreme integers
scripts/fuzz --canaries 20000                the same with places that are wrong now and then, in guarded memory
scripts/fuzz --streams 1000000               draw so many numbers of each distribution on each bit generator, compiled and by NumPy
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import os
import queue
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import autograph_jit as ag
from tests import random_streams
from tests.differential.harness import TOLERANCES
from tests.fuzz import allocation_faults
from tests.fuzz.cache_faults import CacheCampaign
from tests.fuzz.call_oracle import judge_sequence
from tests.fuzz.calls import call_program_text
from tests.fuzz.classes import class_program_text, judge_classes
from tests.fuzz.containers import container_program_text
from tests.fuzz.divided import judge_divided, judge_handed_over
from tests.fuzz.generators import generator_program_text
from tests.fuzz.gradient_oracle import judge_derivatives
from tests.fuzz.helpers import helper_program_text
from tests.fuzz.indices import IndexCampaign
from tests.fuzz.nesting import nested_program_text
from tests.fuzz.numpy_calls import CALLS, call_text, judge_calls
from tests.fuzz.objects import made_program_text, object_program_text
from tests.fuzz.operations import operation_program_text
from tests.fuzz.oracle import EXTREMES, MATCH, MISMATCH, REFUSED, SKIPPED, Verdict, judge
from tests.fuzz.pairs import pair_program_text
from tests.fuzz.programs import load, program_text
from tests.fuzz.records import record_program_text
from tests.fuzz.shrinking import shrink
from tests.fuzz.smooth_programs import smooth_program_text
from tests.fuzz.tables import table_program_text

CRASH, HANG = "crash", "hang"
FAULTS = (MISMATCH, CRASH, HANG)
PROGRAM_LIMIT_SECONDS = 60.0  # of the processor; of the clock where the system does not tell how long a process computed
COMPILE_SECONDS = 2.0  # that a compilation may cost: one that takes long is refused before its program counts as one that hangs
BATCH = 100
UNIMPORTANT = re.compile(r"`[^`]*`|\d+")
SINGLE, DOUBLE = re.compile("float32|complex64"), {"float32": "float64", "complex64": "complex128"}
ROUNDING_OF_FLOAT32 = {np.dtype(np.float64): 1e-6, np.dtype(np.complex128): 1e-6}


def judge_program(text: str, name: str, only: str = "") -> Verdict:
    """The verdict on what a program does. A difference in size of the rounding of float32, which may go on as float64, is one of the
    order of a sum where the program without float32 has none."""
    signs = not EXTREMES.search(text)
    verdict = judge(*load(text, name), only, signs)
    if verdict.kind == MISMATCH and SINGLE.search(text):
        with patch.dict(TOLERANCES, ROUNDING_OF_FLOAT32):
            is_rounding = judge(*load(text, name), only, signs).kind != MISMATCH
        doubled = SINGLE.sub(lambda found: DOUBLE[found[0]], text)
        if is_rounding and judge(*load(doubled, name), only, signs).kind != MISMATCH:
            return Verdict(MATCH)
    return verdict


@dataclass(frozen=True, slots=True)
class Suite:
    """How the program of a seed is written, and how a program is judged, in one way or, without its name, in all."""

    text: Callable[[int], str]
    verdict: Callable[[str, str, str], Verdict]


SUITES = {
    "programs": Suite(program_text, judge_program),
    "gradients": Suite(smooth_program_text, judge_derivatives),
    "tables": Suite(table_program_text, judge_program),
    "containers": Suite(container_program_text, judge_program),
    "helpers": Suite(helper_program_text, judge_program),
    "generators": Suite(generator_program_text, judge_program),
    "calls": Suite(call_program_text, judge_sequence),
    "objects": Suite(object_program_text, judge_program),
    "made": Suite(made_program_text, judge_classes),
    "classes": Suite(class_program_text, judge_classes),
    "records": Suite(record_program_text, judge_program),
    "pairs": Suite(pair_program_text, judge_program),
    "nested": Suite(nested_program_text, judge_program),
    "operations": Suite(operation_program_text, judge_program),
    "divided": Suite(program_text, judge_divided),
    "handed over": Suite(program_text, judge_handed_over),
    **{name: Suite(partial(call_text, name), judge_calls) for name in ("nans", "canaries")},
}


def judge_text(text: str, name: str, only: str = "", suite: str = "programs") -> Verdict:
    """The verdict on a program; an error of the oracle itself is a mismatch."""
    try:
        return SUITES[suite].verdict(text, name, only)
    except Exception as error:
        return Verdict(MISMATCH, f"the run failed: {type(error).__name__}: {error}")


def judge_batch(seeds: list[int], verdicts: Any, suite: str) -> None:
    """In a child: verdicts of seeds, each announced before it starts."""
    faulthandler.enable(sys.stderr)
    for seed in seeds:
        verdicts.put((seed, None, None))
        with ag.config(compile_seconds=COMPILE_SECONDS):
            verdict = judge_text(SUITES[suite].text(seed), str(seed), "", suite)
        verdicts.put((seed, verdict.kind, verdict.reason))
    verdicts.put(None)


def seconds_used(process: int | None) -> float:
    """How long a process has computed: a machine that is busy with other work is not a program that hangs."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Campaign:
    """The verdicts of a run."""

    def __init__(self, out: Path | None, suite: str = "programs") -> None:
        self.suite = suite
        self.counts: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.judged: set[int] = set()
        for line in out.read_text().splitlines() if out and out.exists() else ():
            self.count(**json.loads(line))
        self.out = out.open("a") if out else None

    def add(self, seed: int, kind: str, reason: str) -> None:
        with self.lock:
            self.count(seed, kind, reason)
            if self.out:
                self.out.write(json.dumps({"seed": seed, "kind": kind, "reason": reason[:2000]}) + "\n")
                self.out.flush()

    def count(self, seed: int, kind: str, reason: str) -> None:
        self.judged.add(seed)
        self.counts[kind] += 1
        if kind == REFUSED:
            self.reasons[why_refused(reason)[:110]] += 1
        if kind in FAULTS:
            print(f"seed {seed}: {kind}: {reason[:600]}", flush=True)

    def run(self, seeds: list[int], jobs: int = 1) -> None:
        left = [seed for seed in seeds if seed not in self.judged]
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.run_to_end, [left[start : start + BATCH] for start in range(0, len(left), BATCH)]))

    def run_to_end(self, seeds: list[int]) -> None:
        """Judge a batch, in one child after another where they crash or hang."""
        while seeds:
            seeds = self.run_batch(seeds)

    def run_batch(self, seeds: list[int]) -> list[int]:
        """Judge in a child; the seeds left over where it crashed or hung."""
        context = multiprocessing.get_context("spawn")
        verdicts = context.Queue()
        child = context.Process(target=judge_batch, args=(seeds, verdicts, self.suite))
        child.start()
        at, started = seeds[0], seconds_used(child.pid)
        while True:
            try:
                message = verdicts.get(timeout=0.5)
            except queue.Empty:
                fault = CRASH if not child.is_alive() else HANG if seconds_used(child.pid) - started > PROGRAM_LIMIT_SECONDS else ""
                if not fault:
                    continue
                child.kill()
                child.join()
                self.add(at, fault, f"exit code {child.exitcode}")
                return seeds[seeds.index(at) + 1 :]
            if message is None:
                child.join()
                return []
            at, kind, reason = message
            if kind is None:
                started = seconds_used(child.pid)
            else:
                self.add(at, kind, reason)

    def report(self) -> str:
        total = sum(self.counts.values()) or 1
        lines = [f"{count:6} {kind} ({100 * count / total:.1f} %)" for kind, count in self.counts.most_common()]
        lines += ["refused because:"] + [f"{count:6} {reason}" for reason, count in self.reasons.most_common(25)]
        return "\n".join(lines)


def same_fault(verdict: Verdict, suite: str) -> Callable[[str], bool]:
    """Whether a text fails as before: in the same way, with the same sort of difference or for the same reason."""
    way = verdict.reason.partition(", call ")[0] if verdict.kind == MISMATCH else ""
    wanted = signature(verdict)

    def fails(text: str) -> bool:
        found = judge_text(text, "shrunk", way, suite)
        return found.kind == verdict.kind and signature(found) == wanted

    return fails


def signature(verdict: Verdict) -> str:
    """The way that failed and the first words of the difference, all of them for an exception; the reason of a refusal."""
    if verdict.kind == REFUSED:
        return UNIMPORTANT.sub("", why_refused(verdict.reason))
    way, _, rest = verdict.reason.partition(", call ")
    words = UNIMPORTANT.sub("", rest) if "raised" in rest else " ".join(rest.split(" ")[1:3])[:40]
    return f"{way}, {words}"


def why_refused(reason: str) -> str:
    """The reason and the remedy that a refusal names."""
    return " ".join(line.strip() for line in reason.splitlines()[-2:])


def shrunk(seed: int, suite: str) -> str:
    """The smallest program found that fails, or is refused, as the program of a seed is."""
    text = SUITES[suite].text(seed)
    verdict = judge_text(text, str(seed), "", suite)
    return shrink(text, same_fault(verdict, suite)) if verdict.kind in (MISMATCH, REFUSED) else text


def run_indices(count: int, seed: int) -> int:
    """Index programs on guarded memory."""
    faulthandler.enable(sys.stderr)
    campaign, started = IndexCampaign(), time.monotonic()
    campaign.run(count, seed)
    print(campaign.report(), f"\n{time.monotonic() - started:.0f} s", sep="")
    return bool(campaign.faults)


def run_cache_faults() -> int:
    """Every fault of every file operation of the cache."""
    campaign, started = CacheCampaign(), time.monotonic()
    campaign.run()
    print(campaign.report(), f"\n{time.monotonic() - started:.0f} s", sep="")
    return bool(campaign.wrong)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a file for one JSON line per program")
    parser.add_argument("--show", type=int)
    parser.add_argument("--shrink", type=int)
    parser.add_argument("--indices", type=int)
    parser.add_argument("--cache-faults", action="store_true")
    parser.add_argument("--faults", type=int)
    parser.add_argument("--streams", type=int)
    parser.add_argument("--gradients", action="store_const", const="gradients", default="programs", dest="suite")
    parser.add_argument("--tables", action="store_const", const="tables", dest="suite")
    parser.add_argument("--containers", action="store_const", const="containers", dest="suite")
    parser.add_argument("--helpers", action="store_const", const="helpers", dest="suite")
    parser.add_argument("--generators", action="store_const", const="generators", dest="suite")
    parser.add_argument("--objects", action="store_const", const="objects", dest="suite")
    parser.add_argument("--made", action="store_const", const="made", dest="suite")
    parser.add_argument("--classes", action="store_const", const="classes", dest="suite")
    parser.add_argument("--calls", action="store_const", const="calls", dest="suite")
    parser.add_argument("--records", action="store_const", const="records", dest="suite")
    parser.add_argument("--nested", action="store_const", const="nested", dest="suite")
    parser.add_argument("--operations", action="store_const", const="operations", dest="suite")
    parser.add_argument("--pairs", action="store_const", const="pairs", dest="suite")
    parser.add_argument("--divided", action="store_const", const="divided", dest="suite")
    parser.add_argument("--handed-over", action="store_const", const="handed over", dest="suite")
    for name in ("nans", "canaries"):
        parser.add_argument(f"--{name}", type=int, metavar="CALLS")
    options = parser.parse_args(arguments)
    if options.cache_faults:
        return run_cache_faults()
    for name in ("nans", "canaries"):
        if (calls := getattr(options, name)) is not None:
            options.suite, options.programs = name, -(-calls // CALLS)
    if options.indices is not None:
        return run_indices(options.indices, options.seed)
    if options.faults is not None:
        return allocation_faults.campaign(options.faults)
    if options.streams is not None:
        return random_streams.campaign(options.streams)
    seed = options.show if options.show is not None else options.shrink
    if seed is not None:
        text = SUITES[options.suite].text(seed) if options.shrink is None else shrunk(seed, options.suite)
        verdict = judge_text(text, str(seed), "", options.suite)
        print(text, f"\n{verdict.kind}: {verdict.reason}", sep="")
        return verdict.kind in FAULTS
    campaign, started = Campaign(options.out, options.suite), time.monotonic()
    try:
        campaign.run(list(range(options.seed, options.seed + options.programs)), options.jobs)
    finally:
        print(campaign.report(), f"\n{time.monotonic() - started:.0f} s", sep="")
    return any(campaign.counts[kind] for kind in FAULTS)


__all__ = ["MATCH", "SKIPPED", "main"]

if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
