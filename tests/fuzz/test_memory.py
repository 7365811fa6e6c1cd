"""Random index expressions on views into the middle of larger buffers: NumPy's result or its IndexError, and nothing outside changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

CANARY = -77.0
NOTABLE = (0, 1, -1, 2, 3, 5, -6, 7, -8, 2**31 - 1, 2**31, 2**31 + 1, -(2**31), -(2**31) - 1, 2**40, -(2**61))
SHAPES = ((6,), (1,), (0,), (4, 5), (3, 0), (1, 1), (2, 3, 4))
CALLS_PER_PROGRAM = 84


def read_element(x: Any, i: int, j: int, k: int) -> Any:
    return x[i]


def write_element(x: Any, i: int, j: int, k: int) -> Any:
    x[i] = 5.0


def add_to_elements(x: Any, i: int, j: int, k: int) -> Any:
    x[i % 3] += 1.0
    x[j] += 2.0


def read_slice(x: Any, i: int, j: int, k: int) -> Any:
    return x[i:j].sum(), x[i:j:2].size


def write_slice(x: Any, i: int, j: int, k: int) -> Any:
    x[i:j] = 3.0
    x[j:i:-1] = 4.0


def step_of_slice(x: Any, i: int, j: int, k: int) -> Any:
    return x[i:j:k].copy()


def write_stepped_slice(x: Any, i: int, j: int, k: int) -> Any:
    x[i:j:k] = 6.0


def gather(x: Any, i: int, j: int, k: int) -> Any:
    return x[np.array([i, j, 0])]


def scatter(x: Any, i: int, j: int, k: int) -> Any:
    x[np.array([i, j])] = 7.0


def scatter_sum(x: Any, i: int, j: int, k: int) -> Any:
    np.add.at(x, np.array([i, j]), 1.0)


def last_axis(x: Any, i: int, j: int, k: int) -> Any:
    x[..., i] = 2.0
    return x[..., j:k]


def loop_of_writes(x: Any, i: int, j: int, k: int) -> Any:
    for step in range(5):
        x[j - step * 2] = step


PROGRAMS = (
    read_element, write_element, add_to_elements, read_slice, write_slice, step_of_slice, write_stepped_slice, gather, scatter,
    scatter_sum, last_axis, loop_of_writes,
)  # fmt: skip


def guarded(shape: tuple[int, ...], step: int) -> tuple[np.ndarray, np.ndarray]:
    """A buffer of canaries, and a view of the shape in its middle; its rows go backwards for a negative step."""
    buffer = np.full([size * abs(step) + 8 for size in shape], CANARY)
    inner = buffer[tuple(slice(4, 4 + size * abs(step), abs(step)) for size in shape)]
    inner[...] = np.arange(inner.size, dtype=float).reshape(shape)
    return buffer, inner[::-1] if step < 0 else inner


def outcome(function: Callable[..., Any], buffer: np.ndarray, x: np.ndarray, indices: tuple[int, ...]) -> tuple[str, bytes]:
    """What a call gives or raises, and the whole buffer afterwards."""
    try:
        result = repr(function(x, *indices))
    except (IndexError, ValueError) as error:
        result = f"{type(error).__name__}: {error}"
    return result, buffer.tobytes()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_indices_never_leave_the_buffer(program: Callable[..., Any], rng: np.random.Generator) -> None:
    compiled = ag.compile(program, fallback="error")
    for number in range(CALLS_PER_PROGRAM):
        shape = SHAPES[number % len(SHAPES)]
        step = (1, 2, -1)[number // len(SHAPES) % 3]
        indices = tuple(int(rng.choice(NOTABLE)) if rng.random() < 0.5 else int(rng.integers(-9, 9)) for _ in range(3))
        got, want = (outcome(function, *guarded(shape, step), indices) for function in (compiled, program))
        assert got == want, (program.__name__, shape, step, indices)
