"""Python's `random.Random` and the functions of the module `random`: draws from its Mersenne Twister in place.

Python itself writes most of its methods in Python, upon `random()` and upon ints below a bound: these are converted from its source. What
it computes by C's `log` has a form of its own, so that no bit differs. What keeps a number in the object (`gauss`) Python calls.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.library.numpy.draws import Source, bound
from autograph_jit.ops.random import can_be_found
from autograph_jit.tracing.arrays.register import NotNative, refuse
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.objects.opaque import NATIVE_METHODS
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.lift import dtype_of, is_number, is_weak, lift_number, wrap

MOST_BITS = 62  # of an int that is drawn here
METHODS: dict[str, Callable[..., Any]] = {}
WRITTEN_IN_PYTHON = ("choice", "choices", "randint", "randrange", "sample", "shuffle", "triangular", "uniform")


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enter the form of the method of this name; the generator is its first parameter."""
    METHODS[function.__name__.removesuffix("_of")] = function
    return function


def number(source: Source, distribution: str, *parameters: Value) -> Any:
    """One number of Python's."""
    return wrap(source.draw(distribution, parameters), weak=True)


def expect_numbers(kinds: str, *given: Any) -> None:
    """Leave to Python what is no number of Python's of these kinds."""
    refuse(not all(is_number(x) and is_weak(x) and dtype_of(x).kind in kinds for x in given))


@method
def random_of(source: Source) -> Any:
    """A float from 0 to 1."""
    return number(source, "python_random")


@method
def _randbelow(source: Source, n: Any) -> Any:
    """An int from 0 to below `n`, which is positive."""
    expect_numbers("i", n)
    return number(source, "python_below", lift_number(n))


@method
def getrandbits(source: Source, k: Any) -> Any:
    """An int of `k` bits."""
    refuse(type(k) is not int or not 0 < k <= MOST_BITS)
    return number(source, "python_bits", lift_number(k))


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


def converted_method(name: str) -> Callable[..., Any]:
    """What the source of a method comes to; a list of Python's is shuffled by Python."""
    converted = convert_on_call(getattr(random.Random, name))

    def call(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name == "shuffle" and any(isinstance(arg, StagedObject) for arg in args):
            return NotImplemented
        return converted(owner, *args, **kwargs)

    return call


NATIVE_METHODS.update({(random.Random, name): native_method(name) for name in METHODS})
NATIVE_METHODS.update({(random.Random, name): converted_method(name) for name in WRITTEN_IN_PYTHON})
