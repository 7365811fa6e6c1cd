"""Methods of dicts and Counters of compiled code written in Python, and converted: most are those of `collections.Counter` itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.library_dicts import TracedCounter, holds_counts
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.sequences.dynamic import KINDS_OF_MADE
from autograph_jit.tracing.structures.demands import keep_at_run_time
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import PYTHON_OBJECT

OPERATORS = ("add", "sub", "and", "or")
OF_TWO = (*OPERATORS, "iadd", "isub", "iand", "ior", "eq", "ne", "le", "lt", "ge", "gt")


def have_same_entries(one: Any, other: Any) -> Any:
    """`one == other` of two dicts."""
    if len(one) != len(other):
        return False
    for key, value in one.items():
        if key not in other or other.get(key) != value:
            return False
    return True


def are_exact(x: Any) -> bool:
    """Whether a dict is a table without floats: a nan equals itself where it is one object."""
    if not isinstance(x, TracedDict) or not x.is_native or not x.kind.value.is_flat:
        return False
    return all(part.number.dtype.kind not in "fc" for part in x.kind.parts)


def expect_table(x: Any, like: Any) -> None:
    """Restart where a dict or Counter whose entries the trace knows could be such a table as another one."""
    is_known = isinstance(x, TracedDict) and x.dynamic is None
    kind = x.content_kind() if is_known else KINDS_OF_MADE[type(x)](x) if type(x) is Counter else PYTHON_OBJECT
    if are_exact(like) and kind.inner == like.kind.inner:
        _, key, depth = (x, x.key, x.depth) if is_known else active().outside.made.get(id(x), (x, None, 0))
        if key is not None:
            keep_at_run_time(active(), key, depth, x.allowed(kind) if is_known else kind)


def equals(self: TracedDict, other: Any) -> Any:
    """The same, natively where it can be told so."""
    expect_table(self, other)
    expect_table(other, self)
    if are_exact(self) and are_exact(other):
        return convert_on_call(have_same_entries)(self, other)
    return EQUALS_OF_PYTHON(self, other)


def most_common(counter: Any, n: Any = None) -> Any:
    """The entries by falling counts, the `n` first; equal ones in the order of the counter."""
    ordered = sorted(counter.items(), key=lambda entry: entry[1], reverse=True)
    return ordered if n is None else ordered[: max(n, 0)]


def run_converted(function: Any) -> Callable[..., Any]:
    """A method of stand-ins that runs a function, converted, of ints: those that may be nan have no order."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not holds_counts(self):
            self.restructure()
        return convert_on_call(function)(self, *args, **kwargs)

    return run


def operator_method(function: Any, is_reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The same of an operator of two Counters; beside anything else Python's does what it does."""

    def run(self: Any, other: Any) -> Any:
        if isinstance(other, TracedDict) and not isinstance(other, TracedCounter) and function in (Counter.__eq__, Counter.__ne__):
            found = equals(self, other)
            return found if function is Counter.__eq__ else language.unary("not", found)
        if not isinstance(other, (Counter, TracedCounter)):
            self.restructure()
        return convert_on_call(function)(*((other, self) if is_reflected else (self, other)))

    return run


EQUALS_OF_PYTHON, TracedDict.__eq__ = TracedDict.__eq__, equals  # type: ignore[method-assign]
TracedCounter.most_common = run_converted(most_common)  # type: ignore[attr-defined]
for _name in ("subtract", "__pos__", "__neg__", "_keep_positive"):
    setattr(TracedCounter, _name, run_converted(getattr(Counter, _name)))
for _name in OF_TWO:
    setattr(TracedCounter, f"__{_name}__", operator_method(getattr(Counter, f"__{_name}__")))
for _name in OPERATORS:
    setattr(TracedCounter, f"__r{_name}__", operator_method(getattr(Counter, f"__{_name}__"), is_reflected=True))
