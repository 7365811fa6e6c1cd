"""Functions of the module `operator` that change what they are given, or take items of it: as the statements that they stand for."""

from __future__ import annotations

import operator
from functools import partial

from autograph_jit.tracing.expressions.access import delitem, getitem, iop, setitem
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.values.abstract import INPLACE_OPERATORS

BUILTINS[operator.getitem], BUILTINS[operator.setitem], BUILTINS[operator.delitem] = getitem, setitem, delitem
BUILTINS[operator.iconcat] = partial(iop, "+")
for _symbol, _function in INPLACE_OPERATORS.items():
    BUILTINS[_function] = partial(iop, _symbol)
