"""Functions that NumPy itself writes in Python, in terms of others: they are converted from NumPy's source, as the user's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError, InternalError
from autograph_jit.tracing.arrays.register import FUNCTIONS, NotNative
from autograph_jit.tracing.expressions.register import convert_on_call


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
        np.linalg.cross, np.linalg.diagonal, np.linalg.matrix_norm, np.linalg.matrix_transpose, np.linalg.outer, np.linalg.tensordot,
        np.linalg.tensorinv, np.linalg.trace, np.linalg.vector_norm, np.logspace, np.polyadd, np.polyder, np.polyint, np.polysub,
        np.polyval, np.rollaxis, np.sinc, np.trapezoid, np.vander, np.polynomial.polynomial.polyval,
    )
)  # fmt: skip
