"""Draws of random numbers: single numbers of the streams of NumPy's generators, bit for bit.

A generator is an object of the run. `bit_generator` is the address of its C interface (NumPy's `bitgen_t`), which stays where it is as long
as the generator lives; `draw` takes both, so that it does live. The parameters of a draw are valid: who draws has checked them.

Normal numbers of a `RandomState` come in pairs, of which the second one waits in the object; NumPy exports neither their place nor the
functions that draw them. Their address is that of the pair of `bitgen_t *` and what waits (NumPy's `aug_bitgen_t`), where it can be found.
Python's `random.Random` has its Mersenne Twister in the object: the address is that of the index, behind which the words stand.
"""

from __future__ import annotations

import ctypes
import enum
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import FLAT, Derivative, Unsupported
from autograph_jit.ir.opdef import Attributes, Effect
from autograph_jit.ir.types import F64, I64, OBJECT, ScalarType
from autograph_jit.ops.inference import Types, expect_count, expect_type
from autograph_jit.ops.registry import define_op
from autograph_jit.records import dataclass

REAL, INTEGER = F64, I64
WORDS = 624  # of the state of Python's Mersenne Twister


class Place(enum.Enum):
    """What a draw takes the address of."""

    BIT_GENERATOR = "bit_generator"
    WAITING = "waiting"
    TWISTER = "twister"


@dataclass(frozen=True, slots=True)
class Distribution:
    """What one draw takes and gives, and how NumPy makes it.

    method      the method of a generator that draws one number
    parameters  the types of its parameters
    result      the type of the number
    symbol      the C function that `numpy.random._generator` exports for it, or ""
    place       whose address it takes
    standard    what the method takes for the standard form of the distribution
    """

    method: str
    parameters: tuple[ScalarType, ...]
    result: ScalarType
    symbol: str
    place: Place = Place.BIT_GENERATOR
    standard: tuple[float, ...] = ()

    def draw(self, generator: Any, parameters: tuple[Any, ...]) -> Any:
        """One number, drawn by NumPy."""
        return self.result.dtype.type(getattr(generator, self.method)(*parameters, *self.standard))


@dataclass(frozen=True, slots=True)
class Integers(Distribution):
    """Integers between two bounds, both of which belong to them."""

    def draw(self, generator: Any, parameters: tuple[Any, ...]) -> Any:
        """One number, drawn by NumPy."""
        first, last = map(int, parameters)
        if self.method == "randint":
            return np.int64(generator.randint(first, last + 1, dtype=np.int64))
        return np.int64(generator.integers(first, last, endpoint=True))


def reals(method: str, count: int = 0, symbol: str = "") -> Distribution:
    """A distribution of floats with that many parameters, all floats."""
    return Distribution(method, (REAL,) * count, REAL, symbol or f"random_{method}")


def whole_numbers(method: str, *parameters: ScalarType) -> Distribution:
    """A distribution of ints."""
    return Distribution(method, parameters, INTEGER, f"random_{method}")


DISTRIBUTIONS: dict[str, Distribution] = {
    distribution.method: distribution
    for distribution in (
        reals("random", symbol="random_standard_uniform"),
        *map(reals, ("standard_normal", "standard_exponential", "standard_cauchy")),
        *(reals(name, 1) for name in ("standard_gamma", "chisquare", "standard_t", "pareto", "weibull", "power", "rayleigh")),
        *(reals(name, 2) for name in ("beta", "f", "noncentral_chisquare", "vonmises", "wald")),
        *(reals(name, 2) for name in ("laplace", "gumbel", "logistic", "lognormal")),
        *(reals(name, 3) for name in ("noncentral_f", "triangular")),
        *(whole_numbers(name, REAL) for name in ("poisson", "geometric", "logseries", "zipf")),
        whole_numbers("binomial", INTEGER, REAL),
        whole_numbers("negative_binomial", REAL, REAL),
        whole_numbers("hypergeometric", INTEGER, INTEGER, INTEGER),
        Integers("integers", (INTEGER, INTEGER), INTEGER, "random_bounded_uint64"),
        Integers("randint", (INTEGER, INTEGER), INTEGER, "random_bounded_uint64"),
    )
}
DISTRIBUTIONS |= {
    "legacy_standard_normal": Distribution("standard_normal", (), REAL, "", Place.WAITING),
    "legacy_standard_exponential": Distribution("standard_exponential", (), REAL, "", Place.WAITING),
    "python_random": Distribution("random", (), REAL, "", Place.TWISTER),
    "python_below": Distribution("randrange", (INTEGER,), INTEGER, "", Place.TWISTER),
    "python_bits": Distribution("getrandbits", (INTEGER,), INTEGER, "", Place.TWISTER),
    "python_normal": Distribution("normalvariate", (), REAL, "", Place.TWISTER, (0.0, 1.0)),
    "python_exponential": Distribution("expovariate", (), REAL, "", Place.TWISTER, (1.0,)),
}


def infer_bit_generator(types: Types, attributes: Attributes) -> Types:
    """A generator gives an address."""
    expect_count("bit_generator", types, 1)
    expect_type("bit_generator", types[0], OBJECT)
    return (I64,)


def address_of(generator: Any, place: str = Place.BIT_GENERATOR.value, offset: int = 0) -> np.int64:
    """Where the `bitgen_t` of a generator's bit generator is, or what is at an offset in the generator."""
    if offset:
        return np.int64(id(generator) + offset)
    source = generator._bit_generator if isinstance(generator, np.random.RandomState) else generator.bit_generator
    return np.int64(source.ctypes.bit_generator.value)


@cache
def offset_of(place: Place, kind: type) -> int:
    """Where in a generator of a kind its state, or its copy of the `bitgen_t`, is; 0 where that is not known."""
    if place is Place.TWISTER:
        return twister_offset()
    return waiting_offset() if place is Place.WAITING else next(iter(copies_in(kind(np.random.MT19937(0)))), 0)


def can_be_found(distribution: str) -> bool:
    """Whether the address that a distribution takes is known."""
    place = DISTRIBUTIONS[distribution].place
    return place is Place.BIT_GENERATOR or offset_of(place, object) > 0


@cache
def twister_offset() -> int:
    """Where in a `random.Random` the index of its Mersenne Twister is, behind which its words are. 0 where they are not found."""
    generator = random.Random(1)
    _, state, _ = generator.getstate()
    words = list((ctypes.c_uint32 * (type(generator).__basicsize__ // 4)).from_address(id(generator)))
    wanted = [state[WORDS], *state[:WORDS]]
    return next((4 * place for place in range(len(words) - WORDS) if words[place : place + WORDS + 1] == wanted), 0)


def copies_in(generator: Any) -> list[int]:
    """Where in one of NumPy's generators copies of the `bitgen_t` of its bit generator are."""
    words = words_of(generator)
    interface = list((ctypes.c_uint64 * 5).from_address(int(address_of(generator))))
    return [8 * place for place in range(len(words) - 4) if list(words[place : place + 5]) == interface]


def words_of(x: Any) -> Any:
    """The memory of an object."""
    return (ctypes.c_uint64 * (type(x).__basicsize__ // 8)).from_address(id(x))


@cache
def waiting_offset() -> int:
    """Where in a `RandomState` its `aug_bitgen_t` is: behind a pointer to the object's own copy of the `bitgen_t`. 0 where it is not found,
    or does not hold what it should."""
    state = np.random.RandomState(np.random.MT19937(0))
    words, copies = words_of(state), [id(state) + offset for offset in copies_in(state)]
    state.standard_normal()
    number = state.get_state(legacy=False)["gauss"]  # type: ignore[call-overload]
    for place in range(len(words) - 2):
        waits, waiting = words[place + 1] & 0xFFFFFFFF, ctypes.c_double.from_buffer(words, 8 * place + 16).value
        if words[place] in copies and (waits, waiting) == (1, number):
            return 8 * place
    return 0


def distribution_of(attributes: Attributes) -> Distribution:
    """The distribution that a draw names."""
    try:
        return DISTRIBUTIONS[attributes["distribution"]]
    except KeyError:
        raise GraphError(f"draw knows no distribution {attributes.get('distribution')!r}") from None


def infer_draw(types: Types, attributes: Attributes) -> Types:
    """A generator, its address and the parameters of the distribution give a number."""
    found = distribution_of(attributes)
    expect_count("draw", types, 2 + len(found.parameters))
    wanted: Types = (OBJECT, I64, *found.parameters)
    for type_, expected in zip(types, wanted):
        expect_type("draw", type_, expected)
    return (found.result,)


def draw_by_numpy(generator: Any, address: Any, *parameters: Any, distribution: str) -> Any:
    """One number, by the generator's own method."""
    return DISTRIBUTIONS[distribution].draw(generator, parameters)


Slopes = tuple[Callable[..., Any], ...]
# How a number moves with the parameters when the stream is the same: functions of the number and of the parameters.
MOVES: dict[str, Slopes] = {
    "lognormal": (lambda z, mean, sigma: z, lambda z, mean, sigma: z * (np.log(z) - mean) / sigma),
    "rayleigh": (lambda z, scale: z / scale,),
    "laplace": (lambda z, loc, scale: 1.0, lambda z, loc, scale: (z - loc) / scale),
    "gumbel": (lambda z, loc, scale: 1.0, lambda z, loc, scale: (z - loc) / scale),
    "logistic": (lambda z, loc, scale: 1.0, lambda z, loc, scale: (z - loc) / scale),
    "weibull": (lambda z, a: -z * np.log(z) / a,),
    "power": (lambda z, a: -z * np.log(z) / a,),
    "pareto": (lambda z, a: -(1.0 + z) * np.log1p(z) / a,),
}


def no_rule(distribution: str) -> Unsupported:
    """Why a number does not move with its parameters."""
    if DISTRIBUTIONS[distribution].result == INTEGER:
        return Unsupported(f"numbers of the distribution {distribution} are whole: they jump where its parameters change")
    return Unsupported(f"numbers of the distribution {distribution} have no rule for its parameters")


def pull_draw(ct: Any, z: Any, generator: Any, address: Any, *parameters: Any, distribution: str) -> Any:
    """Reparametrisation: the number is a function of its parameters and of the stream, which does not change."""
    if not parameters:
        return (None, None)
    if distribution not in MOVES:
        return no_rule(distribution)
    return (None, None, *(ct * slope(z, *parameters) for slope in MOVES[distribution]))


def push_draw(tangents: Any, z: Any, generator: Any, address: Any, *parameters: Any, distribution: str) -> Any:
    """The same forward."""
    if distribution not in MOVES:
        return no_rule(distribution)
    slopes = zip(tangents[2:], MOVES[distribution])
    return sum(tangent * slope(z, *parameters) for tangent, slope in slopes if tangent is not None)


bit_generator = define_op("bit_generator", infer=infer_bit_generator, eager=address_of, derivative=FLAT)
draw = define_op("draw", infer=infer_draw, eager=draw_by_numpy, effect=Effect.DRAW, derivative=Derivative(pull_draw, push_draw))
