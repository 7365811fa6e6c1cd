"""Python's `random.Random` and the functions of the module `random`: draws from its Mersenne Twister in place.

Python itself writes most of its methods in Python, upon `random()` and upon ints below a bound. They are written here the same way, so that
they take the same numbers from the stream. What keeps a number in the object (`gauss`), or draws in another way, Python calls.
"""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.library.numpy.draws import Source, bound
from autograph_jit.ops.random import can_be_found
from autograph_jit.tracing.arrays.register import NotNative, refuse
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.objects.opaque import NATIVE_METHODS
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, check
from autograph_jit.tracing.values.checks import constant_value, is_constant
from autograph_jit.tracing.values.lift import dtype_of, is_number, is_weak, lift_number, wrap
from autograph_jit.tracing.values.trace import constant, emit

METHODS: dict[str, Callable[..., Any]] = {}


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enter the form of the method of this name; the generator is its first parameter."""
    METHODS[function.__name__.rstrip("_")] = function
    return function


def number(source: Source, distribution: str, *parameters: Value) -> Any:
    """One number of Python's."""
    return wrap(source.draw(distribution, parameters), weak=True)


def below(source: Source, count: Any) -> Any:
    """An int from 0 to below `count`, which is positive."""
    return number(source, "python_below", lift_number(count))


def int_below(generator: Any, count: int) -> int:
    """An int from 0 to below `count`, which is positive."""
    return generator.randrange(count)


@builtin(int_below)
def staged_int_below(generator: StagedObject, count: Any) -> Any:
    """The same of a generator of the run."""
    return below(Source(generator), count)


def expect_numbers(kinds: str, *given: Any) -> None:
    """Leave to Python what is no number of Python's of these kinds."""
    refuse(not all(is_number(x) and is_weak(x) and dtype_of(x).kind in kinds for x in given))


@method
def random_(source: Source) -> Any:
    """A float from 0 to 1."""
    return number(source, "python_random")


@method
def uniform(source: Source, a: Any, b: Any) -> Any:
    """A float between two."""
    expect_numbers("if", a, b)
    return a + (b - a) * random_(source)


@method
def expovariate(source: Source, lambd: Any) -> Any:
    """A float of the exponential distribution."""
    expect_numbers("if", lambd)
    return number(source, "python_exponential") / lambd


@method
def normalvariate(source: Source, mu: Any, sigma: Any) -> Any:
    """A float of the normal distribution."""
    expect_numbers("if", mu, sigma)
    return mu + number(source, "python_normal") * sigma


@method
def randrange(source: Source, start: Any, stop: Any, step: Any) -> Any:
    """An int of a range of step 1."""
    if stop is None:
        expect_numbers("i", start)
        expect_positive(start, (), "randrange", (0,))
        return below(source, start)
    refuse(type(step) is not int or step != 1)
    expect_numbers("i", start, stop)
    width = stop - start
    expect_positive(width, (start, stop, width), "randrange", (1009, 1002))
    return start + below(source, width)


@method
def randint(source: Source, a: Any, b: Any) -> Any:
    """An int between two, which belong to them."""
    return randrange(source, a, b + 1, 1)


@method
def choice(source: Source, seq: Any) -> Any:
    """An item of a sequence."""
    refuse(isinstance(seq, StagedObject) or isinstance(seq, StagedArray) and seq.ndim == 0)
    return convert_on_call(choose)(source.generator, seq)


@method
def shuffle(source: Source, x: Any) -> None:
    """All items in another order."""
    refuse(isinstance(x, StagedObject))
    convert_on_call(exchange)(source.generator, x)


def choose(generator: Any, seq: Any) -> Any:
    """`Random.choice`."""
    if not len(seq):
        raise IndexError("Cannot choose from an empty sequence")
    return seq[int_below(generator, len(seq))]


def exchange(generator: Any, x: Any) -> None:
    """`Random.shuffle`."""
    for i in range(len(x) - 1, 0, -1):
        j = int_below(generator, i + 1)
        x[i], x[j] = x[j], x[i]


def expect_positive(width: Any, named: tuple[Any, ...], name: str, broken_by: tuple[int, ...]) -> None:
    """Fail as Python does unless a range holds ints; its message names numbers, in the order `start, stop, width`."""
    value = lift_number(width)
    if is_constant(value) and constant_value(value) > 0:
        return
    numbers = (*broken_by, broken_by[-1] - broken_by[0]) if named else ()
    holds = emit("less", constant(np.int64(0)), value).result
    check(holds, ValueError, complaint(name, broken_by, numbers), *map(lift_number, named))


@functools.cache
def complaint(name: str, broken_by: tuple[int, ...], numbers: tuple[int, ...]) -> str:
    """The text that Python raises for these arguments, with places for the numbers in it."""
    try:
        getattr(random.Random(0), name)(*broken_by)
    except ValueError as error:
        text = str(error).replace("{", "{{").replace("}", "}}")
        for place, each in enumerate(numbers):
            text = text.replace(str(each), f"{{{place}}}")
        return text
    raise AssertionError(f"{name}{broken_by} is valid")


def native_method(name: str) -> Callable[..., Any]:
    """What a method of a generator gives; NotImplemented where Python has to draw."""
    parameters = list(inspect.signature(getattr(random.Random, name)).parameters.values())[1:] if name != "random" else []
    signature = inspect.Signature(parameters)

    def call(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            refuse(not can_be_found("python_random"))
            return METHODS[name](Source(owner), *bound(signature, args, kwargs).values())
        except NotNative:
            return NotImplemented

    return call


NATIVE_METHODS.update({(random.Random, name): native_method(name) for name in METHODS})
