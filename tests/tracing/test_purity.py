"""What is known of functions and classes of libraries: those in C of packages that nobody knows are left to the run."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import numpy as np

import autograph_jit as ag
from autograph_jit.tracing.hosting.purity import is_extension


class Strict(list[Any]):
    """A class with a constructor in C, as those of extension modules have it."""

    __new__ = list.__new__

    def __init__(self, items: Any) -> None:
        if type(items) is not list:
            raise TypeError(f"Expected list, got {type(items).__name__}")
        super().__init__(items)


class Plain(dict[str, Any]):
    pass


class Pair(NamedTuple):
    a: Any
    b: Any


class Kind(enum.Enum):
    ONE = 1


class Failure(ValueError):
    pass


def test_a_class_with_a_constructor_in_c_is_of_an_extension() -> None:
    assert is_extension(Strict)
    assert not any(map(is_extension, (Plain, Pair, Kind, Failure, list, np.ndarray)))


def test_a_class_in_c_is_given_what_python_gives_it() -> None:
    def made(x: Any) -> Any:
        return list(Strict([x, 2]))

    assert ag.compile(made)(1.5) == made(1.5)
    assert ag.compile(made)(3) == made(3)
