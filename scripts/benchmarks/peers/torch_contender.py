"""PyTorch as a contender, step by step as Python goes: array programs and elementwise functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from benchmarks.peers import torch_eager
from benchmarks.peers.elementwise import programs_with
from benchmarks.peers.program import Program, by_name

VERSION = torch.__version__


def recurrent_layer(x: Any, w: Any, u: Any) -> Any:
    h = torch.zeros(u.shape[0], dtype=x.dtype)
    for t in range(x.shape[0]):
        h = torch.tanh(x[t] @ w + h @ u)
    return h


def power_iteration(a: Any, tolerance: Any) -> Any:
    v = torch.ones(a.shape[0], dtype=a.dtype)
    change = 1.0
    steps = 0
    while change > tolerance:
        w = a @ v
        w = w / torch.sqrt(torch.sum(w * w))
        change = torch.max(torch.abs(w - v))
        v = w
        steps += 1
    return v, steps


PROGRAMS = by_name((Program(recurrent_layer), Program(power_iteration)), programs_with(torch)) | torch_eager.PROGRAMS


def tensors(arguments: list) -> list:
    return [torch.from_numpy(value) if isinstance(value, np.ndarray) else value for value in arguments]


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call of the function on tensors that share the arrays' memory."""
    function, mine = PROGRAMS[name].function, tensors(arguments)
    return lambda: function(*mine)
