"""Comparisons and predicates, element by element, to bool; and the choice between two values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.derivative import FLAT
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.derivatives.elementwise import WHERE
from autograph_jit.ops.pointwise import define_pointwise, define_ufunc

INT, UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)
Comparison = Callable[[scalar.Expr, scalar.Expr], scalar.Expr]


def exact(compare: Comparison, negative_first: bool, negative_second: bool) -> Comparison:
    """A comparison that also takes int64 with uint64, for which NumPy has loops of their own: what it gives where the one is negative."""

    def expression(x: scalar.Expr, y: scalar.Expr) -> scalar.Expr:
        if (x.dtype, y.dtype) not in ((INT, UNSIGNED), (UNSIGNED, INT)):
            return compare(x, y)
        is_first = x.dtype == INT
        negative = scalar.lt(x if is_first else y, scalar.const(0, INT))
        found = compare(scalar.cast(x, UNSIGNED), scalar.cast(y, UNSIGNED))
        if negative_first if is_first else negative_second:
            return scalar.or_(negative, found)
        return scalar.and_(scalar.not_(negative), found)

    return expression


less = define_ufunc("less", exact(ex.less, True, False), FLAT)
less_equal = define_ufunc("less_equal", exact(ex.less_equal, True, False), FLAT)
greater = define_ufunc("greater", exact(lambda x, y: ex.less(y, x), False, True), FLAT)
greater_equal = define_ufunc("greater_equal", exact(lambda x, y: ex.less_equal(y, x), False, True), FLAT)
equal = define_ufunc("equal", exact(scalar.eq, False, False), FLAT)
not_equal = define_ufunc("not_equal", exact(scalar.ne, True, True), FLAT)
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
