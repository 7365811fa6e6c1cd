"""What a program's modules hold is let go with them: neither conversions nor compiled code keep globals alive."""

from __future__ import annotations

import gc
import types
import weakref
from pathlib import Path

import numpy as np
import pytest

import autograph_jit as ag

SOURCE = """
import numpy as np
import autograph_jit as ag

FACTOR = 2.0

class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __mul__(self, x):
        return shifted(x) * self.factor

def shifted(x):
    return x + FACTOR

def halves(x):
    for i in range(3):
        yield x[i] / 2.0

def depth(n):
    return 0 if n <= 0 else 1 + depth(n - 1)

@ag.compile(fallback="error")
def calls(x):
    return shifted(x)

@ag.compile(fallback="error")
def method(x):
    return Scale(3.0) * x

@ag.compile(fallback="error")
def generator(x):
    total = 0.0
    for value in halves(x):
        total += value
    return total

@ag.compile(fallback="error")
def recursive(x):
    return depth(int(x[0]))

@ag.compile
def plain(x):
    return [name for name in sorted(globals()) if name == "FACTOR"], x

@ag.grad
def gradient(x):
    return np.sum(shifted(x) ** 2)
"""


class Held:
    """Something that only the module holds."""


@pytest.mark.parametrize("name", ("calls", "method", "generator", "recursive", "plain", "gradient"))
def test_a_dropped_module_is_let_go(name: str, tmp_path: Path) -> None:
    path = tmp_path / "dropped.py"
    path.write_text(SOURCE)
    module = types.ModuleType("dropped")
    exec(compile(SOURCE, str(path), "exec"), module.__dict__)  # noqa: S102 - the module of this test
    module.held = Held()  # type: ignore[attr-defined]
    held = weakref.ref(module.held)  # type: ignore[attr-defined]
    for _ in range(2):
        getattr(module, name)(np.array([5.0, 2.0, 1.0]))
    del module
    gc.collect()
    assert held() is None


def test_a_wrapper_that_copies_attributes_has_a_conversion_of_its_own() -> None:
    def inner(x: float) -> float:
        return x + 1.0 if x > 0.0 else x - 1.0

    def outer(x: float) -> float:
        return inner(x) * 2.0 if x > 1.0 else inner(x)

    compiled = ag.compile(inner, fallback="error")
    assert compiled(3.0) == 4.0
    outer.__dict__.update(inner.__dict__)
    assert ag.compile(outer, fallback="error")(3.0) == 8.0
    assert compiled(-3.0) == -4.0
