"""Comparisons and predicates, element by element, to bool; and the choice between two values."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.derivative import FLAT
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.derivatives_elementwise import WHERE
from autograph_jit.ops.pointwise import define_pointwise, define_ufunc

less = define_ufunc("less", ex.less, FLAT)
less_equal = define_ufunc("less_equal", ex.less_equal, FLAT)
greater = define_ufunc("greater", lambda x, y: ex.less(y, x), FLAT)
greater_equal = define_ufunc("greater_equal", lambda x, y: ex.less_equal(y, x), FLAT)
equal = define_ufunc("equal", scalar.eq, FLAT)
not_equal = define_ufunc("not_equal", scalar.ne, FLAT)
isnan = define_ufunc("isnan", ex.is_nan, FLAT)
isinf = define_ufunc("isinf", ex.is_inf, FLAT)
isfinite = define_ufunc("isfinite", ex.is_finite, FLAT)
signbit = define_ufunc("signbit", ex.has_sign, FLAT)


def chosen_dtype(dtypes: tuple[np.dtype, ...]) -> np.dtype:
    """The dtype of the branches of `where`."""
    if dtypes[0] != np.dtype(bool) or dtypes[1] != dtypes[2]:
        raise GraphError(f"where takes a bool and two values of one dtype, not {', '.join(map(str, dtypes))}")
    return dtypes[1]


def choose(condition: Any, x: Any, y: Any) -> Any:
    """NumPy's `where`; scalars for scalars."""
    return np.where(condition, x, y)[()]


where = define_pointwise("where", 3, chosen_dtype, choose, scalar.select, WHERE)
