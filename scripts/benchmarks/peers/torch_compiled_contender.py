"""PyTorch as a contender under `torch.compile`: the array programs whose loops it can take in."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from benchmarks.peers import torch_contender

VERSION = torch_contender.VERSION
PROGRAMS = {name: program for name, program in torch_contender.PROGRAMS.items() if name not in ("recurrent_layer", "power_iteration")}


@cache
def compiled(name: str) -> Callable[..., Any]:
    return torch.compile(PROGRAMS[name].function)


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call of the compiled function; needs a C++ compiler. From the second size on, one code serves all sizes."""
    run, mine = compiled(name), torch_contender.tensors(arguments)
    return lambda: run(*mine)
