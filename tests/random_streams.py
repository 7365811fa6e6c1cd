"""Random streams, compiled and in Python: every distribution that compiled code draws natively, on every bit generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph_jit as ag

BIT_GENERATORS = (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
SEED = 20240607

# By method, parameters that take different ways through NumPy's functions.
OF_GENERATOR: dict[str, tuple[tuple[float, ...], ...]] = {
    "random": ((),),
    "uniform": ((), (-3.0, 4.5)),
    "standard_normal": ((),),
    "normal": ((1.5, 0.3),),
    "lognormal": ((0.1, 0.7),),
    "standard_exponential": ((),),
    "exponential": ((0.3,),),
    "standard_cauchy": ((),),
    "standard_gamma": ((0.0,), (0.3,), (1.0,), (4.5,)),
    "gamma": ((0.7, 2.0), (3.5, 0.5)),
    "beta": ((0.5, 0.4), (2.0, 3.0)),
    "chisquare": ((1.0,), (5.5,)),
    "f": ((2.0, 7.0),),
    "noncentral_chisquare": ((0.8, 2.0), (3.0, 1.5)),
    "standard_t": ((4.0,),),
    "pareto": ((2.5,),),
    "weibull": ((0.0,), (1.7,)),
    "power": ((2.5,),),
    "rayleigh": ((1.2,),),
    "laplace": ((0.5, 2.0),),
    "gumbel": ((0.5, 2.0),),
    "logistic": ((0.5, 2.0),),
    "vonmises": ((0.3, 4.0), (0.3, 0.0)),
    "wald": ((2.0, 1.5),),
    "poisson": ((0.0,), (3.5,), (40.0,)),
    "geometric": ((0.2,), (0.7,)),
    "binomial": ((10, 0.3), (300, 0.6), (0, 0.5)),
    "integers": ((10,), (-5, 5), (0, 2**32 - 1), (0, 2**32), (3, 2**33 + 7), (-(2**63), 2**63 - 1), (7, 8)),
}
OF_RANDOM_STATE: dict[str, tuple[tuple[float, ...], ...]] = {
    "random": ((),),
    "random_sample": ((),),
    "uniform": ((-3.0, 4.5),),
    "laplace": ((0.5, 2.0),),
    "gumbel": ((0.5, 2.0),),
    "logistic": ((0.5, 2.0),),
    "poisson": ((3.5,), (40.0,)),
    "binomial": ((10, 0.3), (300, 0.6)),
    "rand": ((),),
    "standard_normal": ((),),
    "randn": ((),),
    "normal": ((1.5, 0.3),),
    "standard_exponential": ((),),
    "exponential": ((0.3,),),
    "randint": ((10,), (-5, 5), (0, 2**32 - 1), (0, 2**40), (7, 8)),
}
WHOLE = {"poisson", "geometric", "binomial", "integers", "randint"}
TABLES: dict[type, dict[str, tuple[tuple[float, ...], ...]]] = {
    np.random.Generator: OF_GENERATOR,
    np.random.RandomState: OF_RANDOM_STATE,
}


def state_of(generator: Any) -> Any:
    """The state of a generator's stream, to compare."""
    if isinstance(generator, np.random.RandomState):
        return repr(generator.get_state(legacy=False))
    return repr(generator.bit_generator.state)


def drawing(name: str) -> Callable[..., Any]:
    """A function that draws numbers one by one, then an array of them, then one more."""

    def draw(rng, out, *parameters):
        for k in range(len(out)):
            out[k] = getattr(rng, name)(*parameters)
        many = getattr(rng, name)(3, 5) if name in ("rand", "randn") else getattr(rng, name)(*parameters, size=(3, 5))
        return getattr(rng, name)(*parameters), many

    return draw


def differences(kind: type, count: int, bit_generators: tuple[Any, ...] = BIT_GENERATORS) -> Iterator[str]:
    """Where a stream differs: method, parameters and bit generator."""
    for name, choices in TABLES[kind].items():
        function = drawing(name)
        compiled = ag.compile(function, fallback="error")
        for parameters in choices:
            for source in bit_generators:
                expected, found = (drawn(run, kind(source(SEED)), name, count, parameters) for run in (function, compiled))
                if found != expected:
                    yield f"{kind.__name__}({source.__name__}).{name}{parameters}"


def drawn(run: Callable[..., Any], generator: Any, name: str, count: int, parameters: tuple[float, ...]) -> tuple[Any, ...]:
    """Numbers, their types, and the state that is left, to compare."""
    out = np.zeros(count, np.int64 if name in WHOLE else np.float64)
    one, many = run(generator, out, *parameters)
    return out.tobytes(), type(one), repr(one), many.dtype, many.shape, many.tobytes(), state_of(generator)


def campaign(count: int) -> int:
    """Draw so many numbers of every stream, and tell which differ; 1 where one does."""
    found = [each for kind in TABLES for each in differences(kind, count)]
    streams = len(BIT_GENERATORS) * sum(len(choices) for table in TABLES.values() for choices in table.values())
    print(*found, f"{streams} streams of {count} numbers, {len(found)} differ", sep="\n")
    return bool(found)
