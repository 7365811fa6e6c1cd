"""Records calls of functions that nobody wrote for the compiler, makes each again plain and compiled, and counts what became of them."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pickle
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.everyday_python.suite import cpu_seconds
from found_functions.recording import Found
from found_functions.sources import Source, sources
from found_functions.summary import summary

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".found"
BATCH = 40  # functions of one process
LIMIT_SECONDS = 60.0  # of CPU time, for all calls of one function
WAITING = 4.0  # times the limit by the wall's clock: who waits for ever uses no CPU time
RECORDING_SECONDS = 300.0

Record = dict[str, Any]


def recorded(source: Source) -> list[Found]:
    """The calls of a source, recorded where that has not been done."""
    path = FOLDER / "calls" / f"{source.name}.pickle"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "found_functions.record", source.name, str(FOLDER), str(path)]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), timeout=RECORDING_SECONDS)
        except subprocess.TimeoutExpired:
            pass
    return [Found(*row) for row in pickle.loads(path.read_bytes())] if path.exists() else []


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "scripts"))), "OPENBLAS_NUM_THREADS": "1"}


def replayed(source: str, keys: list[str]) -> Iterator[Record]:
    """The records of some functions of one source; a process that crashes or does not end costs one function."""
    pending = list(keys)
    while pending:
        found: dict[str, Record] = {}
        how = follow([sys.executable, "-m", "found_functions.replay", source, str(FOLDER), *pending], found)
        for key in pending[: len(found) or 1]:
            record = {"key": key, "source": source} | found.get(key, {})
            if not record.pop("ended", False):
                record["broken"] = how
            yield record
        pending = pending[len(found) or 1 :]


def follow(command: list[str], found: dict[str, Record]) -> str:
    """Collect what a process tells of each function; how it ended, in words."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as child:
        assert child.stdout is not None and child.stderr is not None
        said: list[bytes] = []
        thread = threading.Thread(target=lambda: said.extend(child.stderr or ()))
        thread.start()
        text, since, silent = b"", 0.0, time.monotonic()
        while True:
            if select.select([child.stdout], [], [], 0.1)[0]:
                new = os.read(child.stdout.fileno(), 1 << 16)
                if not new:
                    child.wait()
                    thread.join()
                    return f"crash: status {child.returncode}: {b''.join(said[-1:]).decode(errors='replace').strip()}"
                *lines, text = (text + new).split(b"\n")
                for line in lines:
                    told = json.loads(line)
                    found.setdefault(told.pop("key"), {}).update(told)
                since, silent = cpu_seconds(child.pid), time.monotonic()
            if cpu_seconds(child.pid) - since > LIMIT_SECONDS or time.monotonic() - silent > WAITING * LIMIT_SECONDS:
                child.kill()
                return "hang"


def batches(only: str, each: int, limit: int, known: set[str]) -> Iterator[tuple[str, list[str]]]:
    """The functions to be tried, in batches of one source each; `only` names a source, or part of a function's key; `each` of a source."""
    seen, left = set(known), limit - len(known)
    chosen = [source for source in sources() if only in source.name]
    for source in chosen or sources():
        keys = recorded(source)
        found = [one for one in keys[:: -(-len(keys) // each) or 1] if one.key not in seen and (chosen or only in one.key)][: max(0, left)]
        seen |= {one.key for one in found}
        left -= len(found)
        for start in range(0, len(found), BATCH):
            yield source.name, [one.key for one in found[start : start + BATCH]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/found", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a line of JSON for each function, tried once")
    parser.add_argument("--only", default="", help="sources or functions with this text in their names")
    parser.add_argument("--each", type=int, default=100_000, help="functions of one source at most, spread evenly")
    parser.add_argument("--limit", type=int, default=100_000, help="functions at most")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    done = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    pending, lock = batches(options.only, options.each, options.limit, {record["key"] for record in done}), threading.Lock()
    with options.out.open("a") as file:

        def work() -> None:
            while True:
                with lock:
                    batch = next(pending, None)
                if batch is None:
                    return
                for record in replayed(*batch):
                    with lock:
                        done.append(record)
                        print(json.dumps(record), file=file, flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for future in [pool.submit(work) for _ in range(options.jobs)]:
                future.result()
    print(summary(done))


if __name__ == "__main__":
    main()
