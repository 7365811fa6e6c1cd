"""A process of its own that calls every program once: `python -m benchmarks.array_programs.child CONTENDER`; a line of JSON for each.

One trivial function is compiled before, so that what the process pays once is apart. Plain Python is the judge.
"""

from __future__ import annotations

import copy
import json
import sys
import warnings
from typing import Any

import numba
import numpy as np

import autograph_jit as ag
from benchmarks.array_programs.registry import BENCHMARKS
from benchmarks.case import Benchmark
from benchmarks.contender import NUMBA, OURS, Local
from benchmarks.measure import difference_of_calls


def halve(x: Any) -> Any:
    return x * 0.5


TRIVIAL = {OURS.name: (OURS, ag.compile(halve)), NUMBA.name: (NUMBA, numba.njit(halve))}


def kinds_of(value: Any) -> Any:
    """The types of a result, those of elements included."""
    if isinstance(value, tuple | list):
        return type(value), [kinds_of(part) for part in value]
    return (type(value), value.dtype) if isinstance(value, np.ndarray) else type(value)


def measure(case: Benchmark, who: str) -> dict[str, Any]:
    """The processor's seconds of the first call and what differs from plain Python, or what it raised."""
    contender, _ = TRIVIAL[who]
    arguments = case.arguments(case.size)
    want = Local(case.plain, arguments, True).first()
    runner = contender.start(case, copy.deepcopy(arguments), True)
    assert runner is not None
    try:
        got = runner.first()
    except Exception as error:  # noqa: BLE001 - reported: a contender that cannot compile the program has no time
        return {"fault": f"{type(error).__name__}: {error}"}
    fault = difference_of_calls(got, want, case.rtol)
    if not fault and who == OURS.name and kinds_of(got.result) != kinds_of(want.result):
        fault = f"{kinds_of(got.result)} instead of {kinds_of(want.result)}"
    return {"fault": fault, "seconds": got.processor_s}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    TRIVIAL[sys.argv[1]][1](np.ones(3))
    for each in BENCHMARKS:
        print(json.dumps({"name": each.name} | measure(each, sys.argv[1])), flush=True)
