"""JAX as a contender: `jit` with 64-bit types, arrays on the device before the clock starts, results waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from benchmarks.peers import jax_array_programs, jax_arrays, jax_control_flow, jax_loops, jax_stencils
from benchmarks.peers.program import by_name

jax.config.update("jax_enable_x64", True)

VERSION = jax.__version__
PROGRAMS = by_name(
    jax_loops.PROGRAMS, jax_stencils.PROGRAMS, jax_arrays.PROGRAMS, jax_control_flow.PROGRAMS, jax_array_programs.PROGRAMS
)


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call of the compiled program that returns when its result is there."""
    program = PROGRAMS[name]
    run = jax.jit(program.function, static_argnums=program.static)
    mine = [jax.device_put(value) if isinstance(value, np.ndarray) else value for value in arguments]

    def call() -> Any:
        result = run(*mine)
        # The method of one array costs less than the function, which looks for arrays in any container.
        return result.block_until_ready() if isinstance(result, jax.Array) else jax.block_until_ready(result)

    return call
