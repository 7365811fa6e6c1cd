"""Functions of the module `operator` that change what they are given, take items of it, compare or ask for a truth: as the statements and
operators that they stand for."""

from __future__ import annotations

import operator
from functools import partial

from autograph_jit.tracing.expressions.access import delitem, getitem, setitem
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.expressions.comparison import ORDERINGS, compare
from autograph_jit.tracing.expressions.updating import iop
from autograph_jit.tracing.values.abstract import INPLACE_OPERATORS
from autograph_jit.tracing.values.language import language

BUILTINS[operator.getitem], BUILTINS[operator.setitem], BUILTINS[operator.delitem] = getitem, setitem, delitem
BUILTINS[operator.iconcat] = partial(iop, "+")
BUILTINS[operator.is_], BUILTINS[operator.is_not] = partial(compare, "is"), partial(compare, "is not")
for _symbol, _function in ORDERINGS.items():
    BUILTINS[_function] = partial(compare, _symbol)
BUILTINS[operator.contains] = lambda container, item: compare("in", item, container)
BUILTINS[operator.not_], BUILTINS[operator.truth] = lambda x: language.unary("not", x), lambda x: language.call(bool, (x,), None)
for _symbol, _function in INPLACE_OPERATORS.items():
    BUILTINS[_function] = partial(iop, _symbol)
