"""The dict of an instance's attributes, as `x.__dict__` and `vars(x)` show it: what the program changes there are attributes."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.journal import AttributePlace, write
from autograph_jit.tracing.values.abstract import Undefined, may_be_missing
from autograph_jit.tracing.values.trace import active, current, user_span


def expect_certain_attributes(obj: Any) -> None:
    """Refuse to show all attributes of an instance where the data decide whether it has one."""
    fields = getattr(obj, "__dict__", {})
    for name, value in fields.items():
        if may_be_missing(value):
            raise ConversionError(
                f"the attributes of a `{type(obj).__name__}` as a dict",
                user_span(),
                f"only the run knows whether it has `{name}`, which some way through the program does not set",
                f"ask `hasattr(..., {name!r})`, or set it on every way",
            )


def show_attributes(obj: Any) -> None:
    """The program gets the dict of an instance's attributes: what it changes there are attributes."""
    expect_certain_attributes(obj)
    fields = getattr(obj, "__dict__", None)
    if isinstance(fields, dict):
        active().definitions.instance_dicts[id(fields)] = (fields, obj)


def is_instance_dict(x: Any) -> bool:
    """Whether x is the dict of an instance's attributes that the program got while it is traced."""
    trace = current()
    return trace is not None and id(x) in trace.definitions.instance_dicts


def change_attributes(owner: dict, method: str, *args: Any, **kwargs: Any) -> Any:
    """A method that changes the dict of an instance's attributes."""
    _, obj = active().definitions.instance_dicts[id(owner)]
    after = dict(owner)
    result = getattr(after, method)(*args, **kwargs)
    for name in owner.keys() - after.keys():
        write(AttributePlace(obj, name), Undefined(name))
    for name, value in after.items():
        if name not in owner or owner[name] is not value:
            write(AttributePlace(obj, name), value)
    return result
