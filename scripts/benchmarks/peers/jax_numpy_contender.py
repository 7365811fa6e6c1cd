"""JAX as a contender that takes NumPy arrays at every call and gives NumPy arrays back, as a caller outside of JAX meets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from benchmarks.peers import jax_contender

VERSION = jax_contender.VERSION
PROGRAMS = {name: jax_contender.PROGRAMS[name] for name in ("first_sum", "add")}


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    program = PROGRAMS[name]
    run = jax.jit(program.function, static_argnums=program.static)
    return lambda: np.asarray(run(*arguments))
