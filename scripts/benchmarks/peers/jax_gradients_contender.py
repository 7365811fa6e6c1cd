"""`jax.grad` as a contender: `jit` with 64-bit types, the argument on the device before the clock starts, the result waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from benchmarks.peers import jax_gradients, jax_gradients_dynamics, jax_gradients_science
from benchmarks.peers.program import Program, by_name

jax.config.update("jax_enable_x64", True)

VERSION = jax.__version__
PROGRAMS = by_name(tuple(map(Program, (*jax_gradients.PROGRAMS, *jax_gradients_science.PROGRAMS, *jax_gradients_dynamics.PROGRAMS))))


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call of the compiled gradient that returns when its result is there."""
    run = jax.jit(jax.grad(PROGRAMS[name].function))
    argument = jax.device_put(arguments[0])
    return lambda: run(argument).block_until_ready()
