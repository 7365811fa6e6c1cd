"""Functions of the module `operator` that change what they are given, take items of it, or tell objects apart: as the statements and
operators that they stand for."""

from __future__ import annotations

import operator
from functools import partial

from autograph_jit.tracing.expressions.access import delitem, getitem, iop, setitem
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.expressions.comparison import compare
from autograph_jit.tracing.values.abstract import INPLACE_OPERATORS

BUILTINS[operator.getitem], BUILTINS[operator.setitem], BUILTINS[operator.delitem] = getitem, setitem, delitem
BUILTINS[operator.iconcat] = partial(iop, "+")
BUILTINS[operator.is_], BUILTINS[operator.is_not] = partial(compare, "is"), partial(compare, "is not")
for _symbol, _function in INPLACE_OPERATORS.items():
    BUILTINS[_function] = partial(iop, _symbol)
