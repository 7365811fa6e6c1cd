"""A process under PyPy that times one program and prints it as JSON. PyPy's Python is 3.9: what is newer, and NumPy, is missing here."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import json
import sys
import time
import types
from typing import Any

WARM_SECONDS, SAMPLED_SECONDS = 1.0, 0.3  # PyPy compiles what has run a thousand times
SHORTEST_SECONDS, LARGEST_BATCH = 1e-3, 1000  # shorter calls are timed together
NEWER_OPTIONS = ("slots", "kw_only")  # of dataclasses


def allow_newer_options() -> None:
    """Let `dataclass` ignore what Python 3.9 does not know."""
    original = dataclasses.dataclass

    def dataclass(cls: Any = None, **options: Any) -> Any:
        return original(cls, **{name: value for name, value in options.items() if name not in NEWER_OPTIONS})

    dataclasses.dataclass = dataclass  # type: ignore[assignment]


def least_seconds(function: Any, arguments: tuple, seconds: float, batch: int) -> float:
    """The least time of a call, each with arguments of its own, which are made before the clock starts."""
    least, spent = float("inf"), 0.0
    while spent < seconds:
        sets = [copy.deepcopy(arguments) for _ in range(batch)]
        started = time.process_time()
        for mine in sets:
            function(*mine)
        taken = time.process_time() - started
        least, spent = min(least, taken / batch), spent + max(taken, 1e-5)
    return least


def main() -> None:
    module, name, size = sys.argv[1:]
    allow_newer_options()
    sys.modules["numpy"] = types.ModuleType("numpy")  # programs that use it fail, others of their file do not
    program = next(each for each in importlib.import_module(module).PROGRAMS if each.name == name)
    arguments = program.arguments(int(size))
    result = repr(program.function(*copy.deepcopy(arguments)))
    warm = least_seconds(program.function, arguments, WARM_SECONDS, 1)
    batch = max(1, min(LARGEST_BATCH, int(SHORTEST_SECONDS / max(warm, 1e-9))))
    print(json.dumps({"seconds": least_seconds(program.function, arguments, SAMPLED_SECONDS, batch), "result": result}))


if __name__ == "__main__":
    main()
