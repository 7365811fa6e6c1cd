"""The methods that `collections.namedtuple` writes in Python: of a named tuple whose items only the run knows."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from autograph_jit.library.python.tuples import staged_tuple
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.tuples import TracedTuple
from autograph_jit.tracing.expressions.package_forms import PACKAGE_FORMS
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.lift import truth

Example = namedtuple("Example", "")  # noqa: PYI024 its methods have the code of all such classes


@acts_for_program
def with_changes(x: Any, /, **changes: Any) -> Any:
    """`x._replace(**changes)`."""
    unknown = [name for name in changes if name not in x._fields]
    if unknown:
        Example()._replace(**dict.fromkeys(unknown))  # Python's error
    return tuple.__new__(type(x), [changes.get(name, value) for name, value in zip(x._fields, x)])


@acts_for_program
def made(kind: Any, iterable: Any) -> Any:
    """`kind._make(iterable)`."""
    items, count = staged_tuple(iterable), len(kind._fields)
    if isinstance(items, TracedTuple):
        found = items.items.length()
        check(truth(found == count), TypeError, f"Expected {count} arguments, got {{0}}", found.value)
        items = tuple(items.items[place] for place in range(count))
    if len(items) != count:
        raise TypeError(f"Expected {count} arguments, got {len(items)}")
    return tuple.__new__(kind, items)


def as_dict(x: Any) -> Any:
    """`x._asdict()`."""
    return TracedDict.made(dict(zip(x._fields, x)))


FORMS: dict[Any, Callable[..., Any]] = {
    Example._replace.__code__: with_changes,
    Example._make.__func__.__code__: made,  # type: ignore[attr-defined]
    Example._asdict.__code__: as_dict,
}


def method_form(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The form of a method of a named tuple; any other function of the module itself."""
    return FORMS.get(fn.__code__, fn)


PACKAGE_FORMS["collections"] = method_form
