"""The suite everyday-python: every program in a process of its own, stopped where it does not end, against plain Python."""

from __future__ import annotations

import json
import math
import os
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from benchmarks import report
from benchmarks.everyday_python import peers
from benchmarks.everyday_python.program import Program

Record = dict[str, Any]

LIMIT_SECONDS = 60.0  # of CPU time
WAITING = 6.0  # times the limit by the wall's clock: a machine with other work gives a share of its time, and who waits for ever uses none
START_SECONDS = 20.0  # until a process has loaded the compiler
POLL_SECONDS = 0.1
STAGES = {
    "python_s": "start",
    "first_call": "first call",
    "second_call": "second call",
    "ours_s": "calls",
    "other_size": "call with other arguments",
    "other_call": "second call with other arguments",
}
SLOWER, SLOWER_SECONDS = 1.1, 5e-7  # over both, a program is slower than Python
LONG_FIRST_CALLS = (2.0, 12.0)  # seconds


def measure_apart(program: Program, size: int, limit: float) -> Record:
    """What a new process measures of a program, and `ended` where it did not reach its end."""
    command = [sys.executable, "-m", "benchmarks.everyday_python.child", program.function.__module__, program.name, str(size)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    record: Record = {"program": program.name, "kind": program.kind, "size": size, "limit_s": limit, "ended": ""}
    with TemporaryFile("w+") as said, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, env=environment) as child:
        if not follow(child, limit, record):
            child.kill()
            record["ended"] = f"{current_call(record)}: no end within {limit:g} s"
        elif child.wait():
            said.seek(0)
            last = (said.read().strip().splitlines() or ["nothing said"])[-1]
            record["ended"] = f"{current_call(record)}: status {child.returncode}: {last}"
    return record


def follow(child: subprocess.Popen, limit: float, record: Record) -> bool:
    """Put what the process tells into the record until it ends; False where it is silent for too long after it has begun to tell."""
    assert child.stdout is not None
    text, since, silent = b"", 0.0, time.monotonic()
    while True:
        if select.select([child.stdout], [], [], POLL_SECONDS)[0]:
            new = os.read(child.stdout.fileno(), 1 << 16)
            if not new:
                return True
            *lines, text = (text + new).split(b"\n")
            for line in lines:
                record.update(json.loads(line))
            since, silent = cpu_seconds(child.pid), time.monotonic()
        waited = time.monotonic() - silent
        if (since and cpu_seconds(child.pid) - since > limit) or waited > WAITING * (limit + START_SECONDS):
            return False


def cpu_seconds(process: int) -> float:
    """What a process has used; seconds of the wall where the system does not tell."""
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return time.monotonic()
    fields = path.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def current_call(record: Record) -> str:
    """Which call a process was busy with."""
    return next((text for key, text in STAGES.items() if key not in record), "end")


def first_seconds(record: Record) -> float:
    """CPU seconds of the first call; infinity where it had no end."""
    return record["first_call"]["seconds"] if "first_call" in record else math.inf


def ratio(record: Record) -> float:
    """A warm call against Python's: least of several, of the second call where there was time for no more, NaN where it had no end."""
    if "ours_s" in record:
        return record["ours_s"] / record["python_s"]
    return record["second_call"]["seconds"] / record["python_s"] if "second_call" in record else math.nan


def other_ratio(record: Record) -> float:
    """A call with other arguments of the kind against Python's, NaN where there was none."""
    call = record.get("other_call")
    return call["seconds"] / max(call["python_s"], 1e-7) if call else math.nan


def peer_ratio(record: Record, peer: str) -> float:
    """A warm call against a peer's, NaN where there is none."""
    theirs = record.get(f"{peer}_s")
    return record["ours_s"] / theirs if theirs and "ours_s" in record else math.nan


def is_slower(found: float, python_s: float) -> bool:
    return found > SLOWER and (found - 1.0) * python_s > SLOWER_SECONDS


def calls(record: Record) -> list[Record]:
    return [record[when] for when in ("first_call", "second_call", "other_size", "other_call") if when in record]


def fault(record: Record) -> str:
    """What is wrong with a result, if anything is."""
    return next((call["fault"] for call in calls(record) if call["fault"]), "")


def reason(record: Record) -> str:
    """Why the program ended in Python, or an empty string."""
    return next((call["reason"] for call in calls(record) if call["reason"]), "")


def state(record: Record) -> str:
    """What became of the program, in a few words."""
    if fault(record):
        return f"WRONG: {' '.join(fault(record).split())}"
    if record["ended"]:
        return record["ended"]
    lines = reason(record).splitlines()
    return f"Python: {' '.join(lines[1:2] + lines[3:4])}" if lines else "compiled"


def header(width: int) -> str:
    columns = ("Python ms", 11), ("ratio", 10), ("others", 10), *((f"of {peer}", 10) for peer in peers.COMMANDS), ("first call s", 14)
    return f"{'program':{width}}{''.join(f'{name:>{space}}' for name, space in columns)}  what became of it"


def row(record: Record, width: int) -> str:
    """A line of the table."""
    first = first_seconds(record)
    seconds = "none" if math.isinf(first) else f"{first:.2f}"
    found = ratio(record), other_ratio(record), *(peer_ratio(record, peer) for peer in peers.COMMANDS)
    ratios = "".join(f"{'none' if math.isnan(each) else format(each, '.3g'):>10}" for each in found)
    python = f"{1e3 * record['python_s']:.3g}" if "python_s" in record else "none"
    return f"{record['program']:{width}}{python:>11}{ratios}{seconds:>14}  {state(record)[:150]}"


def summary(records: Iterable[Record]) -> str:
    """The geometric mean, and how many are slower, slow to start, in Python, without end, wrong."""
    records = list(records)
    others = [record for record in records if "other_call" in record]
    counts = [
        (f"slower than {SLOWER:g} x", [one for one in records if "python_s" in one and is_slower(ratio(one), one["python_s"])]),
        ("slower with others", [one for one in others if is_slower(other_ratio(one), one["other_call"]["python_s"])]),
        *((f"first call over {bound:g} s", [one for one in records if first_seconds(one) > bound]) for bound in LONG_FIRST_CALLS),
        ("without end", [record for record in records if record["ended"]]),
        ("end in Python", [record for record in records if reason(record)]),
        ("wrong", [record for record in records if fault(record)]),
    ]
    lines = [f"{len(records)} programs"]
    for what, measured in (("again", ratio), ("with other arguments", other_ratio)):
        if ratios := [found for record in records if (found := measured(record)) > 0]:
            mean = statistics.geometric_mean(ratios)
            lines.append(f"{len(ratios)} called {what}: {mean:.3g} x Python's time (geometric mean), most {max(ratios):.3g}")
    for peer in peers.COMMANDS:
        if beside := [found for record in records if (found := peer_ratio(record, peer)) > 0]:
            mean = statistics.geometric_mean(beside)
            lines.append(f"{len(beside)} beside {peer}: {mean:.3g} x its time (geometric mean), most {max(beside):.3g}")
    lines += [f"{what}: {len(found)} ({', '.join(record['program'] for record in found) or 'none'})" for what, found in counts]
    return "\n".join(lines)


def run(programs: Iterable[Program], limit: float, quick: bool, out: Path | None, with_peers: bool = False) -> list[Record]:
    """Measure and print; those that `out` has already are not run again, and it gets each figure as soon as it is known. `with_peers`:
    beside PyPy, where it is installed, and numba, where it compiles the program."""
    known: dict[str, Record] = json.loads(out.read_text()) if out and out.exists() else {}
    programs = list(programs)
    width = max((len(program.name) for program in programs), default=0) + 2
    print(header(width), flush=True)
    for program in programs:
        if program.name not in known:
            size = program.quick if quick else program.size
            known[program.name] = measure_apart(program, size, limit)
            if with_peers:
                known[program.name] |= {f"{peer}_s": peers.seconds(peer, program, size) for peer in peers.installed()}
            if out:
                report.write_json(out, known)
        print(row(known[program.name], width), flush=True)
    records = [known[program.name] for program in programs]
    print("", summary(records), sep="\n", flush=True)
    return records
