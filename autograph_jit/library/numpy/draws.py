"""Single random numbers: what methods of NumPy's generators draw, as draws of the graph and arithmetic on them.

What is wrong with parameters NumPy says: each limit has parameters that break it, for which NumPy is asked for its exception.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.types import I64
from autograph_jit.ops.random import DISTRIBUTIONS, can_be_found, offset_of
from autograph_jit.records import dataclass
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import FUNCTIONS, METHODS, NotNative, refuse
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check
from autograph_jit.tracing.values.checks import constant_value, is_constant
from autograph_jit.tracing.values.lift import array, cast, dtype_of, is_number, lift_number, shape_of, wrap
from autograph_jit.tracing.values.trace import active, block_of, constant, detached, emit

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)
LARGEST = np.iinfo(np.int64).max
LARGEST_MEAN = LARGEST - np.sqrt(LARGEST) * 10  # of a Poisson distribution, as NumPy limits it


@dataclass(frozen=True, slots=True)
class Limit:
    """What must hold for the parameters, and parameters for which it does not."""

    holds: Callable[..., Any]
    broken_by: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a generator that draws from a distribution.

    parameters  its parameters by name, with their defaults
    limits      what must hold for them, in the order in which NumPy looks
    base        the distribution of the graph, whose parameters are the first ones
    combine     the number, of a number of that distribution and all parameters; None where it is that
    """

    parameters: dict[str, float | None]
    limits: tuple[Limit, ...]
    base: str
    combine: Callable[..., Any] | None = None

    def signature(self, options: tuple[str, ...]) -> Signature:
        """What a call may give: the parameters, the size and further options."""
        given: dict[str, Any] = {name: Parameter.empty if default is None else default for name, default in self.parameters.items()}
        given |= {"size": None, **{name: OPTIONS[name] for name in options}}
        return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default) for name, default in given.items()])


@dataclass(frozen=True, slots=True)
class Source:
    """A generator of the run."""

    generator: StagedObject

    def address(self, distribution: str) -> Value:
        """Where what a distribution draws from is: asked for where the generator is made or handed in, in front of the loops that draw."""
        trace, generator, place = active(), self.generator.value, DISTRIBUTIONS[distribution].place
        key = "bit_generator", id(generator), place
        known, address = trace.inputs.reads.get(key, (None, None))
        if known is not generator:
            owner, made = generator.owner, Block()
            with detached(trace, made):
                offset = offset_of(place, self.generator.python_type or object)
                address = emit("bit_generator", generator, place=place.value, offset=offset).result
            block = owner if isinstance(owner, Block) else owner.block
            assert block is not None
            position = 0 if isinstance(owner, Block) else block.operations.index(owner) + 1
            block.operations[position:position] = block.adopt(made.operations)
            trace.inputs.reads[key] = generator, address
        return address

    def draw(self, distribution: str, parameters: tuple[Value, ...]) -> Value:
        """One number."""
        address = self.address(distribution)
        return emit("draw", self.generator.value, address, *parameters, distribution=distribution).result

    def draw_many(self, distribution: str, parameters: tuple[Value, ...], size: Any) -> Any:
        """An array of numbers, drawn one by one in C order."""
        shape = size if isinstance(size, tuple) else (size,)
        refuse(not all(map(is_size, shape)))
        result = FUNCTIONS[np.empty](shape, DISTRIBUTIONS[distribution].result.dtype)
        flat = METHODS["reshape"](result, -1) if len(shape) != 1 else result
        self.fill(flat.value, distribution, lambda place: parameters)
        return array(result.value)

    def fill(self, flat: Value, distribution: str, parameters_at: Callable[[Value], tuple[Value, ...]]) -> None:
        """A vector filled with numbers, drawn one by one with the parameters at their place."""
        body = Block()
        place = body.add_argument(I64, "k")
        with block_of(active(), body):
            emit("store", flat, self.draw(distribution, parameters_at(place)), place)
        count = emit("dim", flat, axis=0).result
        emit("for_loop", constant(np.int64(0)), count, constant(np.int64(1)), regions=[body], results=(), has_break=False)


def is_size(x: Any) -> bool:
    """Whether an int, which may be one of the run, tells a size."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool) or isinstance(x, StagedScalar) and x.scalar_dtype.kind == "i"


def on(name: str, condition: Condition, usual: dict[str, float]) -> Limit:
    """A limit of one parameter; the others are as usual."""
    place, (holds, wrong) = list(usual).index(name), condition
    return Limit(lambda *parameters: holds(parameters[place]), tuple({**usual, name: wrong}.values()))


Condition = tuple[Callable[[Any], Any], float]  # what holds for a parameter, and a parameter for which it does not
NOT_NEGATIVE = (lambda x: np.logical_or(np.isnan(x), np.logical_not(np.signbit(x))), -1.0)
POSITIVE = (lambda x: np.logical_not(x <= 0.0), 0.0)
PROBABILITY = (lambda x: np.logical_and(x >= 0.0, x <= 1.0), 2.0)
POSITIVE_PROBABILITY = (lambda x: np.logical_and(x > 0.0, x <= 1.0), 0.0)
MEAN = (lambda x: x >= 0.0, -1.0)
MEAN_THAT_FITS = (lambda x: x <= LARGEST_MEAN, 2.0 * LARGEST_MEAN)
COUNT = (lambda x: x >= 0, -1)


def distribution_method(base: str, *limits: tuple[str, Condition], combine: Any = None, **parameters: float | None) -> Method:
    """A method with limits by the names of its parameters, of which the first are those of the distribution of the graph; for those
    without a default 0.5 is valid."""
    usual = {name: 0.5 if default is None else default for name, default in parameters.items()}
    if base == "binomial":
        usual["n"] = 1
    found = tuple(on(name, condition, usual) for name, condition in limits)
    return Method(parameters, found, base, combine)


def located(base: str, combine: Any = None, **names: float) -> Method:
    """A distribution by its place and its scale."""
    given: dict[str, Any] = names or {"loc": 0.0, "scale": 1.0}
    return distribution_method(base, (list(given)[-1], NOT_NEGATIVE), combine=combine, **given)


def scaled(base: str) -> Method:
    """A standard distribution by its scale."""
    return distribution_method(base, ("scale", NOT_NEGATIVE), combine=lambda z, scale: scale * z, scale=1.0)


def moved(z: Any, loc: Any, scale: Any) -> Any:
    """A standard number at a place and a scale."""
    return loc + scale * z


FINITE = Limit(lambda low, high: np.isfinite(high - low), (0.0, math.inf))
IN_ORDER = Limit(lambda low, high: np.logical_not(np.signbit(high - low)), (1.0, 0.0))


def uniform(*limits: Limit) -> Method:
    """Floats between two bounds."""
    return Method({"low": 0.0, "high": 1.0}, limits, "random", lambda u, low, high: low + (high - low) * u)


SHARED = {  # by both kinds of generators
    "random": distribution_method("random"),
    **{name: located(name) for name in ("laplace", "gumbel", "logistic")},
    "poisson": distribution_method("poisson", ("lam", MEAN), ("lam", MEAN_THAT_FITS), lam=1.0),
    "binomial": distribution_method("binomial", ("n", COUNT), ("p", PROBABILITY), n=None, p=None),
}
OF_GENERATOR = {
    **SHARED,
    "uniform": uniform(FINITE, IN_ORDER),
    **{name: distribution_method(name) for name in ("standard_normal", "standard_exponential", "standard_cauchy")},
    "normal": located("standard_normal", moved),
    "lognormal": located("lognormal", mean=0.0, sigma=1.0),
    "exponential": scaled("standard_exponential"),
    "rayleigh": distribution_method("rayleigh", ("scale", NOT_NEGATIVE), scale=1.0),
    "standard_gamma": distribution_method("standard_gamma", ("shape", NOT_NEGATIVE), shape=None),
    "gamma": distribution_method(
        "standard_gamma",
        ("shape", NOT_NEGATIVE),
        ("scale", NOT_NEGATIVE),
        combine=lambda g, shape, scale: scale * g,
        shape=None,
        scale=1.0,
    ),
    "beta": distribution_method("beta", ("a", POSITIVE), ("b", POSITIVE), a=None, b=None),
    "chisquare": distribution_method("chisquare", ("df", POSITIVE), df=None),
    "f": distribution_method("f", ("dfnum", POSITIVE), ("dfden", POSITIVE), dfnum=None, dfden=None),
    "noncentral_chisquare": distribution_method("noncentral_chisquare", ("df", POSITIVE), ("nonc", NOT_NEGATIVE), df=None, nonc=None),
    "standard_t": distribution_method("standard_t", ("df", POSITIVE), df=None),
    "pareto": distribution_method("pareto", ("a", POSITIVE), a=None),
    "weibull": distribution_method("weibull", ("a", NOT_NEGATIVE), a=None),
    "power": distribution_method("power", ("a", POSITIVE), a=None),
    "vonmises": distribution_method("vonmises", ("kappa", NOT_NEGATIVE), mu=None, kappa=None),
    "wald": distribution_method("wald", ("mean", POSITIVE), ("scale", POSITIVE), mean=None, scale=None),
    "geometric": distribution_method("geometric", ("p", POSITIVE_PROBABILITY), p=None),
}
OF_RANDOM_STATE = {
    **SHARED,
    "uniform": uniform(FINITE),
    **dict.fromkeys(("random_sample", "rand"), SHARED["random"]),
    **{name: distribution_method("legacy_standard_normal") for name in ("standard_normal", "randn")},
    "normal": located("legacy_standard_normal", moved),
    "standard_exponential": distribution_method("legacy_standard_exponential"),
    "exponential": scaled("legacy_standard_exponential"),
}
OPTIONS = {"dtype": np.float64, "method": "zig", "out": None}  # with anything else NumPy draws
TAKEN_OPTIONS = {  # by the methods of a Generator that take any
    **dict.fromkeys(("random", "standard_normal", "standard_gamma"), ("dtype", "out")),
    "standard_exponential": ("dtype", "method", "out"),
}
TABLES: dict[type, dict[str, Method]] = {np.random.Generator: OF_GENERATOR, np.random.RandomState: OF_RANDOM_STATE}


def draw_natively(kind: type, name: str, generator: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a method of a generator gives; NotNative where NumPy has to draw."""
    method = TABLES.get(kind, {}).get(name)
    special = SPECIAL.get((kind, name))
    refuse(method is None and special is None)
    if special is not None:
        return special.function(Source(generator), kind, bound(special.signature, args, kwargs))
    assert method is not None
    refuse(not can_be_found(method.base))
    if name in ("rand", "randn"):
        refuse(bool(kwargs))
        args, kwargs = (), {"size": args or None}
    given = bound(method.signature(TAKEN_OPTIONS.get(name, ()) if kind is np.random.Generator else ()), args, kwargs)
    options = {**OPTIONS, **given}
    refuse(options["dtype"] not in (np.float64, float, FLOAT), options["method"] != "zig", options["out"] is not None)
    return drawn(Source(generator), kind, name, method, [given[parameter] for parameter in method.parameters], given["size"])


def bound(signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name; NotNative where they do not fit."""
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError:
        raise NotNative from None
    found.apply_defaults()
    return found.arguments


def drawn(source: Source, kind: type, name: str, method: Method, given: list[Any], size: Any) -> Any:
    """A number, or an array of numbers, of a distribution."""
    if any(isinstance(parameter, StagedArray | np.ndarray) for parameter in given):
        return drawn_for_each(source, kind, name, method, given, size)
    own = [type_.dtype for type_ in DISTRIBUTIONS[method.base].parameters]
    dtypes = own + [FLOAT] * (len(given) - len(own))
    refuse(not all(map(is_real_parameter, given, dtypes)))
    values = [lift_number(parameter, dtype) for parameter, dtype in zip(given, dtypes)]
    for limit in method.limits:
        expect(limit, values, kind, name)
    taken = tuple(values[: len(own)])
    number = wrap(source.draw(method.base, taken), weak=True) if size is None else source.draw_many(method.base, taken, size)
    return number if method.combine is None else method.combine(number, *(wrap(value, weak=True) for value in values))


def drawn_for_each(source: Source, kind: type, name: str, method: Method, given: list[Any], size: Any) -> Any:
    """An array of numbers whose parameters are arrays of the same shape, or stretched to it."""
    types = DISTRIBUTIONS[method.base]
    refuse(any(type_.dtype != FLOAT for type_ in types.parameters))
    values = [parameter_array(parameter) for parameter in given]
    stretched = FUNCTIONS[np.broadcast_arrays](*values)
    shape = shape_of(stretched[0]) if size is None else size if isinstance(size, tuple) else (size,)
    refuse(not shape, not all(map(is_size, shape)))
    result = FUNCTIONS[np.empty](shape, types.result.dtype)
    refuse(not all(is_stretched(value.type.dims, result.type.dims) for value in values))
    for limit in method.limits:
        text = complaint(kind, name, tuple((x, x) for x in limit.broken_by))
        check(FUNCTIONS[np.all](limit.holds(*values)).value, *text)
    own = [METHODS["reshape"](FUNCTIONS[np.broadcast_to](value, shape), -1).value for value in values[: len(types.parameters)]]
    flat = METHODS["reshape"](result, -1) if len(shape) != 1 else result
    source.fill(flat.value, method.base, lambda place: tuple(emit("load", value, place).result for value in own))
    return result if method.combine is None else method.combine(result, *values)


def parameter_array(x: Any) -> StagedArray:
    """A parameter as an array of floats."""
    found = as_array(x)
    refuse(found.dtype.kind not in "biuf" or found.dtype.itemsize > FLOAT.itemsize)
    return found if found.dtype == FLOAT else array(cast(found.value, FLOAT))


def is_stretched(dims: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    """Whether an array of these sizes is known to have the wanted ones, or to be stretched to them."""
    return len(dims) <= len(wanted) and all(size in (1, other) for size, other in zip(reversed(dims), reversed(wanted)))


def is_real_parameter(x: Any, dtype: np.dtype) -> bool:
    """Whether a real number may stand for a parameter."""
    return is_number(x) and dtype_of(x).kind in ("biuf" if dtype == FLOAT else "bi") and fits(x)


def fits(x: Any) -> bool:
    """Whether a number has 64 bits."""
    return not isinstance(x, int) or -LARGEST <= x <= LARGEST


def expect(limit: Limit, values: list[Value], kind: type, name: str) -> None:
    """Fail as NumPy does unless a limit holds."""
    if all(map(is_constant, values)):
        good = np.bool_(limit.holds(*map(constant_value, values)))
        if good:
            return
        holds = constant(good)
    else:
        holds = limit.holds(*map(wrap, values)).value
    exception, text = complaint(kind, name, limit.broken_by)
    check(holds, exception, text)


@functools.cache
def complaint(kind: type, name: str, parameters: tuple[Any, ...], **options: Any) -> tuple[type[Exception], str]:
    """What NumPy raises for these parameters, as a class and a template."""
    try:
        getattr(kind(np.random.PCG64(0)), name)(*parameters, **options)
    except (ValueError, OverflowError) as error:
        return type(error), str(error).replace("{", "{{").replace("}", "}}")
    raise AssertionError(f"{name}{parameters} is valid")


@dataclass(frozen=True, slots=True)
class Special:
    """A method with a form of its own: of a source, the kind of generator and the arguments by name."""

    function: Callable[[Source, type, dict[str, Any]], Any]
    signature: Signature


SPECIAL: dict[tuple[type, str], Special] = {}


def special(*methods: tuple[type, str], **defaults: Any) -> Callable[[Any], Any]:
    """Enter the form of methods that take these parameters; Parameter.empty stands for no default."""
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=value) for name, value in defaults.items()]

    def enter(function: Any) -> Any:
        SPECIAL.update(dict.fromkeys(methods, Special(function, Signature(parameters))))
        return function

    return enter


BOUNDS = {"low": Parameter.empty, "high": None, "size": None}


@special((np.random.Generator, "integers"), **BOUNDS, dtype=np.int64, endpoint=False)
def integers(source: Source, kind: type, given: dict[str, Any]) -> Any:
    """Integers of 64 bits between two bounds, the second of which may belong to them."""
    refuse(type(given["endpoint"]) is not bool)
    return draw_between(
        source, given, "integers", given["endpoint"], functools.partial(complaint, kind, "integers", endpoint=given["endpoint"])
    )


@special((np.random.RandomState, "randint"), **BOUNDS, dtype=int)
def randint(source: Source, kind: type, given: dict[str, Any]) -> Any:
    """The same of the legacy stream."""
    return draw_between(source, given, "randint", False, functools.partial(complaint, kind, "randint"))


def draw_between(source: Source, given: dict[str, Any], distribution: str, closed: bool, complaint_of: Callable[..., Any]) -> Any:
    """Integers of a distribution between two bounds."""
    low, high, dtype = given["low"], given["high"], given["dtype"]
    low, high = (0, low) if high is None else (low, high)
    refuse(not all(is_real_parameter(bound, INT) for bound in (low, high)), dtype not in (int, np.int64, INT))
    first, end = lift_number(low, INT), lift_number(high, INT)
    expect_in_order(first, end, closed, complaint_of)
    last = end if closed else emit("subtract", end, constant(np.int64(1))).result
    if given["size"] is not None:
        return source.draw_many(distribution, (first, last), given["size"])
    return wrap(source.draw(distribution, (first, last)), weak=dtype is int)


def expect_in_order(first: Value, end: Value, closed: bool, complaint_of: Callable[..., Any]) -> None:
    """Fail as NumPy does unless there is an integer between the bounds; it names them otherwise where the first one is 0."""
    if is_constant(first) and is_constant(end) and constant_value(first) < constant_value(end):
        return
    holds = emit("less_equal" if closed else "less", first, end).result
    if not is_constant(first) or constant_value(first) == 0:
        other = emit("not_equal", first, constant(np.int64(0))).result
        check(emit("logical_or", holds, other).result, *complaint_of((0, -1)))
    if not is_constant(first) or constant_value(first) != 0:
        check(holds, *complaint_of((2, 1)))
