"""The least time of a call, as the processes of peers take it; it runs under their older Pythons, too."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

WARM_SECONDS, SAMPLED_SECONDS = 1.0, 0.3  # PyPy compiles what has run a thousand times
SHORTEST_SECONDS, LARGEST_BATCH = 1e-3, 1000  # shorter calls are timed together


def print_figures(function: Any, arguments: tuple) -> None:
    """Print, as JSON, the seconds of a warm call and the text of its result."""
    result = repr(function(*copy.deepcopy(arguments)))
    warm = least_seconds(function, arguments, WARM_SECONDS, 1)
    batch = max(1, min(LARGEST_BATCH, int(SHORTEST_SECONDS / max(warm, 1e-9))))
    print(json.dumps({"seconds": least_seconds(function, arguments, SAMPLED_SECONDS, batch), "result": result}))


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
