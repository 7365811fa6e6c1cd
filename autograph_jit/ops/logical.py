"""Logic of bools and bits of integers, element by element."""

from __future__ import annotations

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.derivative import FLAT
from autograph_jit.ir.opdef import OpDef
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.pointwise import define_pointwise, define_ufunc


def bool_only(dtypes: tuple[np.dtype, ...]) -> np.dtype:
    """Bool for bools; tracing casts other dtypes first."""
    if any(dtype.kind != "b" for dtype in dtypes):
        raise GraphError(f"logical operations take bools, not {', '.join(map(str, dtypes))}")
    return np.dtype(bool)


def define_logical(name: str, node: str) -> OpDef:
    """Define a logical operation over bools."""
    ufunc = getattr(np, name)
    expression = scalar.not_ if node == "not_" else lambda x, y: scalar.binary(node, x, y)
    return define_pointwise(name, ufunc.nin, bool_only, ufunc, expression, FLAT)


logical_and = define_logical("logical_and", "and_")
logical_or = define_logical("logical_or", "or_")
logical_xor = define_logical("logical_xor", "xor")
logical_not = define_logical("logical_not", "not_")
bitwise_and = define_ufunc("bitwise_and", scalar.and_, FLAT)
bitwise_or = define_ufunc("bitwise_or", scalar.or_, FLAT)
bitwise_xor = define_ufunc("bitwise_xor", scalar.xor, FLAT)
invert = define_ufunc("invert", scalar.not_, FLAT)
left_shift = define_ufunc("left_shift", ex.shift_left, FLAT)
right_shift = define_ufunc("right_shift", ex.shift_right, FLAT)
