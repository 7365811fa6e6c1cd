"""Derivatives of SciPy's special functions, by name: SciPy is loaded by the program that calls them, not by this package."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Unsupported, unsupported
from autograph_jit.ops.derivatives.elementwise import digamma
from autograph_jit.ops.derivatives.shared import chain, total_of_terms

SPECIAL = "scipy.special"
ROOT_TAU = math.sqrt(2 * math.pi)
SHIFTS = 10


def special(name: str) -> Any:
    """A function of scipy.special, which is loaded where one of its functions is called."""
    return getattr(sys.modules[SPECIAL], name)


def name_of(function: Any) -> str:
    """The name of a function of scipy.special that has a rule; otherwise empty."""
    name = getattr(function, "__name__", "")
    loaded = sys.modules.get(SPECIAL)
    known = loaded is not None and name in SLOPES and type(function) is np.ufunc
    return name if known and getattr(loaded, name, None) is function else ""


def by_beta(r: Any, a: Any, b: Any) -> Any:
    """The derivative of the logarithm of beta by its first argument."""
    return digamma(a) - digamma(a + b)


def by_limit(r: Any, a: Any, x: Any) -> Any:
    """The derivative of gammainc by its second argument."""
    return np.exp((a - 1) * np.log(x) - x - special("gammaln")(a))


def trigamma(x: Any) -> Any:
    """The derivative of digamma: shifted to where the asymptotic series holds, by reflection below 1/2 (Abramowitz and Stegun 1964,
    6.4.6, 6.4.7 and 6.4.12)."""
    low = x < 0.5
    y = np.where(low, 1 - x, x)
    shifted = 0.0
    for k in range(SHIFTS):
        shifted = shifted + 1 / (y + k) ** 2
    z = y + SHIFTS
    w = 1 / z**2
    found = shifted + 1 / z + w / 2 + w / z * (1 / 6 - w * (1 / 30 - w * (1 / 42 - w * (1 / 30 - w * (5 / 66)))))
    return np.where(low, (math.pi / np.sin(math.pi * x)) ** 2 - found, found)


# By name: the partial derivatives, functions of the result and the arguments; None where there is no rule.
SLOPES: dict[str, tuple[Callable[..., Any] | None, ...]] = {
    "gammaln": (lambda r, x: digamma(x),),
    "gamma": (lambda r, x: r * digamma(x),),
    "rgamma": (lambda r, x: -r * digamma(x),),
    "expit": (lambda r, x: r * (1 - r),),
    "logit": (lambda r, x: 1 / (x * (1 - x)),),
    "log_expit": (lambda r, x: special("expit")(-x),),
    "xlogy": (lambda r, x, y: special("xlogy")(1.0, y), lambda r, x, y: x / y),
    "xlog1py": (lambda r, x, y: np.log1p(y), lambda r, x, y: x / (1 + y)),
    "entr": (lambda r, x: -np.log(x) - 1,),
    "rel_entr": (lambda r, x, y: np.log(x / y) + 1, lambda r, x, y: -x / y),
    "kl_div": (lambda r, x, y: np.log(x / y), lambda r, x, y: 1 - x / y),
    "exp10": (lambda r, x: r * math.log(10),),
    "erfinv": (lambda r, x: np.exp(r * r) * (math.sqrt(math.pi) / 2),),
    "erfcinv": (lambda r, x: np.exp(r * r) * (-math.sqrt(math.pi) / 2),),
    "ndtr": (lambda r, x: np.exp(-0.5 * x * x) / ROOT_TAU,),
    "ndtri": (lambda r, x: np.exp(0.5 * r * r) * ROOT_TAU,),
    "log_ndtr": (lambda r, x: np.exp(-0.5 * x * x - r) / ROOT_TAU,),
    "dawsn": (lambda r, x: 1 - 2 * x * r,),
    "i0": (lambda r, x: special("i1")(x),),
    "i1": (lambda r, x: (special("i0")(x) + special("iv")(2.0, x)) / 2,),
    "i0e": (lambda r, x: special("i1e")(x) - np.sign(x) * r,),
    "i1e": (lambda r, x: (special("i0e")(x) + special("ive")(2.0, x)) / 2 - np.sign(x) * r,),
    "iv": (None, lambda r, v, x: (special("iv")(v - 1, x) + special("iv")(v + 1, x)) / 2),
    "ive": (None, lambda r, v, x: (special("ive")(v - 1, x) + special("ive")(v + 1, x)) / 2 - np.sign(x) * r),
    "j0": (lambda r, x: -special("j1")(x),),
    "j1": (lambda r, x: (special("j0")(x) - special("jv")(2.0, x)) / 2,),
    "jv": (None, lambda r, v, x: (special("jv")(v - 1, x) - special("jv")(v + 1, x)) / 2),
    "k0": (lambda r, x: -special("k1")(x),),
    "k1": (lambda r, x: -(special("k0")(x) + special("kv")(2.0, x)) / 2,),
    "kv": (None, lambda r, v, x: -(special("kv")(v - 1, x) + special("kv")(v + 1, x)) / 2),
    "beta": (lambda r, a, b: r * by_beta(r, a, b), lambda r, a, b: r * by_beta(r, b, a)),
    "betaln": (by_beta, lambda r, a, b: by_beta(r, b, a)),
    "gammainc": (None, by_limit),
    "gammaincc": (None, lambda r, a, x: -by_limit(r, a, x)),
    "psi": (lambda r, x: trigamma(x),),
    "erfcx": (lambda r, x: 2 * x * r - 2 / math.sqrt(math.pi),),
    "expi": (lambda r, x: np.exp(x) / x,),
    "exp1": (lambda r, x: -np.exp(-x) / x,),
    "spence": (lambda r, x: np.log(x) / (1 - x),),
    "cosm1": (lambda r, x: -np.sin(x),),
    "ellipk": (lambda r, m: (special("ellipe")(m) / (1 - m) - r) / (2 * m),),
    "ellipe": (lambda r, m: (r - special("ellipk")(m)) / (2 * m),),
    "huber": (None, lambda r, delta, x: np.clip(x, -delta, delta)),
    "boxcox": (lambda r, x, power: np.power(x, power - 1), None),
}


def special_vjp(ct: Any, r: Any, name: str, x: tuple[Any, ...]) -> tuple[Any, ...]:
    """The cotangent times each partial derivative."""
    return tuple(missing(name) if slope is None else chain(ct, slope(r, *x)) for slope in SLOPES[name])


def special_jvp(tangents: tuple[Any, ...], r: Any, name: str, x: tuple[Any, ...]) -> Any:
    """The sum of the tangents times the partial derivatives."""
    pairs = [(tangent, slope) for tangent, slope in zip(tangents, SLOPES[name]) if tangent is not None]
    if any(slope is None for _, slope in pairs):
        return missing(name)
    return total_of_terms([tangent * slope(r, *x) for tangent, slope in pairs if slope is not None])


def missing(name: str) -> Unsupported:
    """Why a function has no derivative by an argument."""
    return unsupported(f"scipy.special.{name} has a derivative by its other argument only")
