"""The `cmath` module on staged numbers: what functions of the parts give is computed of them, as CPython does; Python computes the rest."""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import ScalarType
from autograph_jit.library.python.math_functions import FLOAT, is_staged
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.hosting.host_calls import host
from autograph_jit.tracing.texts.letters import usually
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.language import language

BY_PYTHON = "exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh phase".split()
LARGEST_EXPONENT = 700.0  # below that of the largest float
LARGEST, LEAST = sys.float_info.max, sys.float_info.min


def exponential(x: Any, y: Any) -> Any:
    """cmath.exp of the number with these parts."""
    size = math.exp(x)
    return complex(size * math.cos(y), size * math.sin(y))


def has_exponential(x: Any, y: Any) -> Any:
    """Whether nothing overflows on the way."""
    return -LARGEST <= x <= LARGEST_EXPONENT and -LARGEST <= y <= LARGEST


def root_of_parts(x: Any, y: Any) -> Any:
    """cmath.sqrt of the number with these parts; an eighth of them does not overflow."""
    if x == 0.0 and y == 0.0:
        return complex(0.0, y)
    large = 2.0 * math.sqrt(abs(x) / 8.0 + math.hypot(abs(x) / 8.0, abs(y) / 8.0))
    small = abs(y) / (2.0 * large)
    if x >= 0.0:
        return complex(large, math.copysign(small, y))
    return complex(small, math.copysign(large, y))


def has_root(x: Any, y: Any) -> Any:
    """Whether the parts are finite, and no digit of them is lost."""
    ax, ay = abs(x), abs(y)
    return ax <= LARGEST and ay <= LARGEST and (ax >= LEAST or ay >= LEAST or (ax == 0.0 and ay == 0.0))


def angle(x: Any, y: Any) -> Any:
    """cmath.phase of the number with these parts."""
    return math.atan2(y, x)


def has_angle(x: Any, y: Any) -> Any:
    """Whether it does not underflow, which is an error in some versions of Python."""
    return not (y != 0.0 and abs(math.atan2(y, x)) < LEAST)


OF_PARTS = {cmath.exp: (has_exponential, exponential), cmath.sqrt: (has_root, root_of_parts), cmath.phase: (has_angle, angle)}
for _written in (function for pair in OF_PARTS.values() for function in pair):
    builtin(_written)(convert_on_call(_written))


def complex_rule(function: Any) -> Callable[..., Any]:
    """A function of cmath."""
    type_ = ScalarType(FLOAT if function is cmath.phase else np.dtype(np.complex128))

    def by_python(*args: Any) -> Any:
        (result,) = host(function, args, types=(type_,), label=f"cmath.{function.__name__}", source=function, pure=True)
        result.weak = True
        return result

    def rule(*args: Any) -> Any:
        if not is_staged(*args):
            return function(*args)
        if function not in OF_PARTS or len(args) != 1 or not isinstance(args[0], StagedScalar) or args[0].is_tagged:
            return by_python(*args)
        parts, (test, compute) = parts_in(args[0]), OF_PARTS[function]
        return usually(language.call(test, parts, None), lambda: language.call(compute, parts, None), lambda: by_python(*args))

    return rule


def parts_in(z: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of a number."""
    z = BUILTINS[complex](z)
    return language.attribute(z, "real"), language.attribute(z, "imag")


@builtin(cmath.polar)
def polar(z: Any, /) -> Any:
    return (BUILTINS[abs](z), language.call(angle, parts_in(z), None)) if is_staged(z) else cmath.polar(z)


@builtin(cmath.rect)
def rect(r: Any, phi: Any, /) -> Any:
    if not is_staged(r, phi):
        return cmath.rect(r, phi)
    return BUILTINS[complex](r * BUILTINS[math.cos](phi), r * BUILTINS[math.sin](phi))


BUILTINS.update({getattr(cmath, name): complex_rule(getattr(cmath, name)) for name in BY_PYTHON})
