"""Text in converted code: f-strings and messages."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from autograph_jit.tensor.boxes import map_boxes
from autograph_jit.tracing.expressions.chosen_arguments import is_one_of_instances
from autograph_jit.tracing.expressions.exception_attributes import text_of_exception
from autograph_jit.tracing.expressions.text_methods import join_strings
from autograph_jit.tracing.hosting.exceptions import StagedException, object_of
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.callers_objects import depends_on_run
from autograph_jit.tracing.objects.operator_methods import written_by
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.texts import formats
from autograph_jit.tracing.texts.letters import letters_of, quoted
from autograph_jit.tracing.texts.text import CLASSES, Text, as_object, as_text, concatenated
from autograph_jit.tracing.values.abstract import StagedScalar, may_be_none
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import current

NO_CONVERSION = -1
CONVERSIONS: dict[str, Any] = {"s": str, "r": repr, "a": ascii}
Part = str | tuple[Any, str, Any]


def fstring(*parts: Any) -> Any:
    """An f-string: `parts` are strings, or tuples (value, conversion character or "", format spec)."""
    unwrapped = tuple((text_or_object(*part), *part[1:]) if isinstance(part, tuple) else part for part in parts)
    if current() is not None and depends_on_run(unwrapped):
        unwrapped = tuple(part if isinstance(part, str) else with_own_text(*part) for part in unwrapped)
        text = built_natively(unwrapped)
        if text is None:
            return by_python(unwrapped)
        if type(text) is Text:
            text.written = unwrapped
        return text
    return writer_of(unwrapped)(*values_in(unwrapped))


def text_or_object(value: Any, conversion: str, spec: Any) -> Any:
    """An exception of the run as its text, where that can be made of what it holds, else as its object; anything else as it is."""
    if not isinstance(value, StagedException) or conversion == "a" or not is_empty(spec):
        return object_of(value)
    found = text_of_exception(CONVERSIONS[conversion or "s"], value)
    return object_of(value) if found is NotImplemented else found


def is_empty(spec: Any) -> bool:
    """Whether a format specification is known to be empty."""
    return type(spec) is str and spec == ""


def with_own_text(value: Any, conversion: str, spec: Any) -> tuple[Any, str, Any]:
    """A value to be written, its conversion and specification, as the text that a method of its class gives where that is the user's."""
    if may_be_none(value) and isinstance(value.content, (Text, StagedScalar)) and (conversion or is_empty(spec)):
        return language.call(CONVERSIONS[conversion or "s"], (value,), None), "", spec
    if is_one_of_instances(value):
        return language.call(format, (language.call(CONVERSIONS[conversion], (value,), None) if conversion else value, spec), None), "", ""
    kind: Any = type(value)
    function: Any = {"": str, "s": str, "r": repr}.get(conversion)
    is_asked = function is not None and (conversion or is_empty(spec) and kind.__format__ is object.__format__)
    if not is_asked or written_by(value, function) is None:
        return value, conversion, spec
    return language.call(function, (value,), None), "", spec


def built_natively(parts: tuple[Any, ...]) -> Any:
    """The text of parts that are texts, ints and truth values of the run; None where there are others, but for a text among them."""
    found = [text_part(part) for part in parts]
    if any(part is None for part in found) and not any(isinstance(part, tuple) and isinstance(part[0], Text) for part in parts):
        return None
    texts = [as_text(by_python((part,))) if text is None else text for part, text in zip(parts, found) if part != ""]
    return concatenated(texts) if texts else ""


def text_part(part: Any) -> Any:
    """The text of a part; None where Python has to write it."""
    if isinstance(part, str):
        return as_text(part)
    value, conversion, spec = part
    if conversion == "a" or not isinstance(spec, (str, Text)) or conversion == "r" and (value := quoted(value)) is None:
        return None
    if not is_empty(spec):
        return formatted_natively(letters_of(value) if conversion else value, spec)
    return letters_of(value) if isinstance(value, (Text, StagedScalar)) else as_text(value)


def formatted_natively(value: Any, spec: Any) -> Any:
    """`format(value, spec)` by compiled code; None where Python has to write it."""

    def in_python() -> Any:
        return as_text(by_python(((value, "", spec),)))

    if type(spec) is str:
        return formats.formatted(value, spec, in_python)
    return formats.formatted_to_width(value, spec.written, in_python) if isinstance(spec, Text) else None


def method_of_text(text: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a constant that is given values of the run; None where Python has to call it."""
    if name == "join":
        return join_strings(text, *args)
    parts = formats.parts_of_fields(text, args, kwargs) if name == "format" else None
    return None if parts is None else built_natively(tuple(parts))


def by_python(parts: tuple[Part, ...]) -> Any:
    """Parts as Python writes them."""
    writer, values = writer_of(parts), values_in(parts)
    if not depends_on_run(values):
        return writer(*values)
    pure = all(isinstance(value, (str, StagedScalar)) or not depends_on_run(value) for value in values)
    return host_object(writer, *values, label="f-string", python_type=str, pure=pure)


def modulo(a: Any, b: Any) -> Any:
    """`a % b`: the remainder, or text with values filled in."""
    if is_mixed(a):
        return distribute(a, lambda case: modulo(case, b))
    if current() is not None and isinstance(a, (str, bytes, Text)) and depends_on_run((a, b)):
        parts = formats.parts_of_template(a, b) if type(a) is str else None
        if parts is not None and (text := built_natively(tuple(parts))) is not None:
            return text
        kind, is_plain = getattr(type(a), "__rebuilt_type__", type(a)), isinstance(b, (int, float, StagedScalar))
        python_type = kind if kind in CLASSES else None  # one of NumPy's may be given back
        return host_object(filled_in, as_object(a) if is_plain else a, b, label="str %", python_type=python_type, pure=is_plain)
    return a % b


def filled_in(text: Any, values: Any) -> Any:
    """`text % values`: recorded numbers by their values, since a text has no derivative."""
    return text % map_boxes(values, lambda box: box.array[()])


def values_in(parts: tuple[Part, ...]) -> list[Any]:
    """What parts are written from: values, and format specs behind those that have one."""
    return [value for part in parts if not isinstance(part, str) for value in ((part[0], part[2]) if has_spec(part) else part[:1])]


def has_spec(part: tuple[Any, str, Any]) -> bool:
    """Whether a part has a format spec, which may be known to the run only."""
    return not isinstance(part[2], str) or part[2] != ""


def writer_of(parts: tuple[Part, ...]) -> Callable[..., str]:
    """A function of the values in parts that writes them."""
    return writer(tuple(part if isinstance(part, str) else (part[1], has_spec(part)) for part in parts))


@functools.cache
def writer(shape: tuple[str | tuple[str, bool], ...]) -> Callable[..., str]:
    """A function whose only line is an f-string: of literal texts, and values with a conversion and perhaps a format spec."""
    names: list[str] = []
    written: list[ast.expr] = []
    for part in shape:
        if isinstance(part, str):
            written.append(ast.Constant(part))
            continue
        (conversion, with_spec), found = part, [f"x{len(names)}", f"x{len(names) + 1}"][: 1 + part[1]]
        value, *spec = (ast.Name(name, ast.Load()) for name in found)
        names += found
        nested = ast.JoinedStr([ast.FormattedValue(spec[0], NO_CONVERSION)]) if with_spec else None
        written.append(ast.FormattedValue(value, ord(conversion) if conversion else NO_CONVERSION, nested))
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, ast.JoinedStr(written))))
    return acts_for_program(eval(compile(tree, __file__, "eval"), {}))
