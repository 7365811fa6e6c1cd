"""First calls of array programs: ours with nothing on disk and with code there, numba's of the same source, JAX's where it has a form."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks import stencils
from benchmarks.array_programs.registry import BENCHMARKS
from benchmarks.case import Benchmark
from benchmarks.contender import Local
from benchmarks.measure import difference_of_calls
from benchmarks.peers import remote
from benchmarks.processes import run as run_process

Record = dict[str, Any]  # seconds by column, and under "fault" what is wrong with ours
CHILD = "benchmarks.array_programs.child"
COLUMNS = ("cold", "on disk", "numba", "jax")
WARMING = next(case for case in stencils.BENCHMARKS if case.name == "diffuse_slices")  # JAX compiles it first


def measure_apart(who: str, cache: str = "") -> dict[str, Record]:
    """What a process of its own found, by program."""
    found = [json.loads(line) for line in run_process("-m", CHILD, who, cache=cache)[1].splitlines()]
    return {one["name"]: one for one in found}


def merge(runs: dict[str, dict[str, Record]], name: str) -> Record:
    """Seconds by column, and what is wrong with ours; another contender that fails has no time."""
    found = {column: run[name] for column, run in runs.items()}
    record: Record = {column: one["seconds"] for column, one in found.items() if not one["fault"]}
    return record | {"fault": next((one["fault"] for column, one in found.items() if column in COLUMNS[:2] and one["fault"]), "")}


def measure_jax(jax: remote.PeerContender, case: Benchmark) -> Record:
    """Seconds of JAX's first call; nothing where it has no program."""
    arguments = case.arguments(case.size)
    runner = jax.start(case, arguments, True)
    if runner is None:
        return {}
    got = runner.first()
    fault = difference_of_calls(got, Local(case.plain, arguments, True).first(), case.rtol)
    return {"jax fault": fault} if fault else {"jax": got.processor_s}


def row(name: str, record: Record) -> str:
    seconds = "".join(f"{record[column]:9.3f}" if column in record else f"{'':9}" for column in COLUMNS)
    return f"{name:28}{seconds}  {record['fault'].splitlines()[0] if record['fault'] else ''}".rstrip()


def summary(records: Iterable[Record]) -> str:
    """Median, 90th percentile and longest of every column, and of ours for the programs that another has."""
    records = list(records)
    lines = [f"{sum(bool(record['fault']) for record in records)} of {len(records)} programs are wrong or not compiled"]
    for column in COLUMNS:
        both = [(record[column], record["cold"]) for record in records if column in record and "cold" in record]
        if both:
            theirs, ours = zip(*both)
            text = f"median {statistics.median(theirs):.3f}, 90th percentile {np.quantile(theirs, 0.9):.3f}, longest {max(theirs):.3f}"
            lines.append(f"{column}: {len(both)} programs, {text}; ours cold, median {statistics.median(ours):.3f}")
    return "\n".join(lines)


def run() -> dict[str, Record]:
    """Measure and print; the figures by program, CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {column: measure_apart("ours", os.path.join(folder, "cache")) for column in COLUMNS[:2]}
    runs["numba"] = measure_apart("numba")
    peers, _ = remote.start_peers(("jax",))
    for peer in peers:
        peer.start(WARMING, WARMING.arguments(WARMING.quick), True).first()
    print(f"{'first call, CPU seconds':28}" + "".join(f"{column:>9}" for column in COLUMNS))
    records: dict[str, Record] = {}
    for case in BENCHMARKS:
        records[case.name] = record = merge(runs, case.name)
        for peer in peers:
            record |= measure_jax(peer, case)
        print(row(case.name, record), flush=True)
    for peer in peers:
        peer.worker.close()
    print(summary(records.values()), "", sep="\n")
    return records
