"""A process that runs one contender's programs on request: `python -m benchmarks.peers.worker MODULE`, a line of JSON for each request.

It runs in the peer's own environment, where neither this project nor numba is installed, and is timed by its own clock. Requests:

    {"do": "start", "name": ..., "folder": ...}    load the arguments, call the program once, write its result
    {"do": "again", "folder": ...}                 call it once more, write its result
    {"do": "sample", "batch": ..., "warm": ..., "clock": ...}    seconds of one call, the mean over a batch, after some that are not timed
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers.exchange import read_values, write_values


def flat(result: Any) -> list:
    """The arrays and numbers of a result, in order."""
    if isinstance(result, tuple | list):
        return [leaf for item in result for leaf in flat(item)]
    return [np.asarray(result.detach() if hasattr(result, "detach") else result)]  # of one that PyTorch records, the value


class Server:
    """Answers requests with a contender's module; holds the program that was started last."""

    def __init__(self, contender: Any) -> None:
        self.contender = contender
        self.call: Callable[[], Any] = lambda: None

    def start(self, name: str, folder: str) -> dict[str, Any]:
        self.call = self.contender.prepare(name, read_values(folder, "arguments"))
        began, processor = time.perf_counter(), time.process_time()
        result = self.call()
        processor_s, seconds = time.process_time() - processor, time.perf_counter() - began
        write_values(folder, "result", flat(result))
        return {"seconds": seconds, "processor_s": processor_s, "also": list(self.contender.PROGRAMS[name].also)}

    def again(self, folder: str) -> dict[str, Any]:
        write_values(folder, "result", flat(self.call()))
        return {}

    def sample(self, batch: int, warm: int, clock: str) -> dict[str, Any]:
        now, call = getattr(time, clock), self.call
        for _ in range(warm):
            call()
        began = now()
        for _ in range(batch):
            call()
        return {"seconds": (now() - began) / batch}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    contender = importlib.import_module(sys.argv[1])
    server = Server(contender)
    print(json.dumps({"version": contender.VERSION, "programs": sorted(contender.PROGRAMS)}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(server, request.pop("do"))(**request)
        except Exception as error:  # noqa: BLE001 - reported as the contender's fault, the worker goes on
            answer = {"fault": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
