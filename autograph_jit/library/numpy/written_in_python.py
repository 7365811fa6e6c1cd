"""Functions that NumPy itself writes in Python, in terms of others: they are converted from NumPy's source, as the user's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError, InternalError
from autograph_jit.ir.dims import lower_bound
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import FUNCTIONS, NotNative, implements
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.values.abstract import StagedObject


def from_source(function: Callable[..., Any]) -> Callable[..., Any]:
    """The form of a function that writes to no argument: its own source, or NumPy's call where that reaches what cannot be traced."""
    converted = convert_on_call(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return converted(*args, **kwargs)
        except InternalError:
            raise
        except ConversionError:
            raise NotNative from None

    return call


FUNCTIONS.update(
    (function, from_source(function))
    for function in (
        np.allclose, np.append, np.argwhere, np.array_equal, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.column_stack,
        np.dstack, np.fix, np.flatnonzero, np.fliplr, np.flipud, np.fromfunction, np.hsplit, np.hstack, np.indices, np.isclose,
        np.iscomplex, np.isreal, np.ix_, np.kron, np.linalg.cross, np.linalg.diagonal, np.linalg.matrix_norm,
        np.linalg.matrix_transpose, np.linalg.outer, np.linalg.tensordot, np.linalg.tensorinv, np.linalg.trace,
        np.linalg.vector_norm, np.logspace, np.meshgrid, np.outer, np.piecewise, np.polyadd, np.polyder, np.polyint,
        np.polynomial.polynomial.polyval, np.polysub, np.rollaxis, np.select, np.sinc, np.trapezoid, np.tril, np.triu, np.vander,
        np.vsplit, np.vstack,
    )
)  # fmt: skip


@implements(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """NumPy's source; where there is a coefficient, the first is added before the loop, which would begin with another kind of value."""
    terms = as_array(p)
    is_known = not isinstance(x, StagedObject | np.poly1d) and terms.ndim > 0 and (lower_bound(terms.type.dims[0]) or 0) > 0
    return from_source(horner if is_known else np.polyval)(terms, x)


def horner(p: Any, x: Any) -> Any:
    """np.polyval for one coefficient or more: their sum is a number, or complex, from the first on."""
    x = np.asanyarray(x)
    y = np.zeros_like(x) * x + p[0]
    for factor in p[1:]:
        y = y * x + factor
    return y
