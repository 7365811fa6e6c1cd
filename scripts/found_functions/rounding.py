"""Tells rounding, and memory that nobody wrote, from faults: what plain Python's own result does where its floats, its elementary functions
or its memory differ."""

from __future__ import annotations

import cmath
import contextlib
import ctypes
import functools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.everyday_python.judge import difference, parts_of

EPSILON = float(np.finfo(float).eps)
SMALL = 16 * EPSILON  # of the largest number of the same array or list: a few last bits before numbers of equal size cancel
RUNS = 8  # on floats that are changed by up to one last place each
FACTOR = 10.0  # times the largest change of these runs
PERTURB = -6  # glibc's M_PERTURB: what new and freed memory is filled with


@contextlib.contextmanager
def filled_memory(byte: int) -> Iterator[None]:
    """Inside the with statement memory holds `byte` before anything is written to it: what the C library gives, and `np.empty`."""
    makers = {name: getattr(np, name) for name in ("empty", "empty_like")}

    def filled(maker: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        made = maker(*args, **kwargs)
        if made.nbytes and not made.dtype.hasobject:
            np.copyto(made, np.frombuffer(bytes([byte]) * made.dtype.itemsize, made.dtype)[0])
        return made

    set_filling(byte)
    try:
        for name, maker in makers.items():
            setattr(np, name, functools.partial(filled, maker))
        yield
    finally:
        for name, maker in makers.items():
            setattr(np, name, maker)
        set_filling(0)


def set_filling(byte: int) -> None:
    """What glibc fills memory with that it gives out or takes back; another C library does nothing."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(PERTURB, byte)


ELEMENTARY = """
exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh cbrt power hypot
asin acos atan atan2 asinh acosh atanh pow gamma lgamma erf erfc
""".split()


@contextlib.contextmanager
def rounding_functions(seed: int) -> Iterator[None]:
    """Inside the with statement the elementary functions of NumPy and `math` give results that are changed by up to one last place."""
    random = np.random.default_rng(seed)
    found = [(module, name, getattr(module, name)) for module in (np, math) for name in ELEMENTARY if hasattr(module, name)]

    def rounded(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if isinstance(result, np.ndarray):
            if result.dtype.kind in "fc":
                result *= 1 + np.finfo(result.dtype).eps * random.integers(-1, 2, result.shape)
            return result
        return type(result)(result * (1 + EPSILON * int(random.integers(-1, 2)))) if isinstance(result, float | complex) else result

    try:
        for module, name, function in found:
            setattr(module, name, functools.partial(rounded, function))
        yield
    finally:
        for module, name, function in found:
            setattr(module, name, function)


def is_rounding(run: Callable[[Callable[[Any], Any]], Any], got: Any, want: Any) -> bool:
    """Whether two outcomes differ by floats alone, each by a few last places of the largest beside it, or by no more than ten times what
    plain Python's outcome changes by where the floats among its arguments, and the results of elementary functions, are changed by a last
    place. `run(change)` makes the plain call with changed arguments."""
    mine, theirs = list(leaves(got)), list(leaves(want))
    if places(mine) != places(theirs):
        return False
    largest: dict[str, float] = {}
    for place, number in theirs:
        if is_float(number) and cmath.isfinite(number):
            largest[group_of(place)] = max(largest.get(group_of(place), 0.0), abs(number))
    spread: dict[int, float] = {}
    for k, ((place, x), (_, y)) in enumerate(zip(mine, theirs)):
        if not (is_float(x) and is_float(y)):
            if difference(x, y):
                return False
        elif x != y and (x == x or y == y) and not abs(x - y) <= SMALL * largest.get(group_of(place), 0.0):
            spread[k] = 0.0
    for seed in range(RUNS if spread else 0):
        with rounding_functions(seed):
            moved = list(leaves(run(Nudge(seed))))
        if places(moved) != places(theirs):
            return False
        spread = {k: max(most, abs(moved[k][1] - theirs[k][1])) for k, most in spread.items()}
    return all(abs(mine[k][1] - theirs[k][1]) <= FACTOR * most for k, most in spread.items())


class Nudge:
    """Changes floats by up to one last place, those in arrays, lists, dicts and attributes where they stand."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.seen: set[int] = set()

    def __call__(self, x: Any) -> Any:
        if isinstance(x, float | complex) and type(x).__module__ in ("builtins", "numpy"):
            return type(x)(x * (1 + EPSILON * int(self.random.integers(-1, 2))))
        if type(x) is tuple:
            return tuple(map(self, x))
        if id(x) in self.seen or isinstance(x, type):
            return x
        self.seen.add(id(x))
        if isinstance(x, np.ndarray):
            if x.dtype.kind in "fc" and x.flags.writeable:
                x *= 1 + np.finfo(x.dtype).eps * self.random.integers(-1, 2, x.shape)
        elif type(x) is list:
            x[:] = map(self, x)
        elif isinstance(fields := x if type(x) is dict else getattr(x, "__dict__", None), dict):
            for name, value in list(fields.items()):
                fields[name] = self(value)
        return x


def leaves(x: Any, where: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """What a value consists of in the end, numbers and texts and types, with their places; each object once."""
    seen = set() if seen is None else seen
    parts = [] if is_float(x) or id(x) in seen else parts_of(x, where)
    if not parts:
        yield where, type(x) if id(x) in seen else x
        return
    if not isinstance(x, tuple):
        seen.add(id(x))
    yield f"type of {where}", type(x)
    for place, part in parts:
        yield from leaves(part, place, seen)


def places(found: list[tuple[str, Any]]) -> list[str]:
    return [place for place, _ in found]


def is_float(x: Any) -> bool:
    return isinstance(x, float | complex)


def group_of(place: str) -> str:
    """The array, list or object that a number stands in: its place without the last subscripts."""
    return re.sub(r"(\[\d+\])+$", "", place)
