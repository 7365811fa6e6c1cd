"""Structured arrays of the caller's: each field is a view of its own, with strides, one of texts of letters; `a[i]` is a row of all.

Before: `a["v"][i] -= a["x"][i]`: four calls of Python
After:  two loads and a store in the memory of the array, under a guard on its dtype
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import is_supported
from autograph_jit.tracing.containers.buffers import ViewedObject, left_to_python
from autograph_jit.tracing.containers.text_arrays import TextArray, is_of_texts, is_text_dtype, of_texts, text_array
from autograph_jit.tracing.sequences.dynamic import position
from autograph_jit.tracing.structures.getters import Attribute, Entry, Getter
from autograph_jit.tracing.texts.text import is_int
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import note_tracer

KNOWN = ("ndim", "size", "shape")
Field = StagedArray | TextArray


def item_of_field(field: Field, key: Any) -> Any:
    """`field[key]`."""
    return field[key] if isinstance(field, TextArray) else language.getitem(field, key)


def put_into(field: Field, key: Any, value: Any) -> None:
    """`field[key] = value`."""
    if isinstance(field, TextArray):
        field[key] = value
    else:
        language.setitem(field, key, value)


class StructuredArray(ViewedObject):
    """A structured array, or the part of one that a slice or a mask selects; `fields` makes that part of a field, where it is `known`."""

    __rebuilt_type__ = np.ndarray

    def __init__(self, dtype: np.dtype, fields: Any, name: str) -> None:
        self.dtype, self.fields, self.name, self.known = dtype, fields, name, known_fields(dtype)
        note_tracer(self)

    def field(self, name: str) -> Field:
        if self.dtype.names is None or name not in self.dtype.names:
            raise ValueError(f"no field of name {name}")
        return self.fields(name) if name in self.known else self.be_object()

    @property
    def first(self) -> Field:
        """A field of which the sizes are asked for."""
        return self.field(min(self.known, key=lambda name: len(self.dtype[name].shape)))

    def length(self) -> Any:
        return self.first.shape[0]

    def item(self, index: Any) -> Any:
        if self.first.ndim != 1:
            self.be_object()
        language.getitem(getattr(self.first, "codes", self.first), index)  # the index is looked at here
        return StructuredRow(self, index)

    @acts_for_program
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.field(key)
        if is_int(key):
            return self.item(key)
        if not isinstance(key, (slice, StagedArray)) or self.first.ndim != 1:
            self.be_object()
        parts = {name: item_of_field(self.field(name), position(key)) for name in self.known}
        return StructuredArray(self.dtype, parts.__getitem__, self.name)

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            field = self.field(key)
            if not isinstance(value, StagedArray) or isinstance(field, TextArray) or value.value is not field.value:
                put_into(field, ..., value)
        elif is_int(key) and type(value) is tuple and self.dtype.names is not None and len(value) == len(self.dtype.names):
            row = self.item(key)
            for name, part in zip(self.dtype.names, value):
                row[name] = part
        else:
            self.be_object()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.first, name) if name in KNOWN else self.attribute_of_object(name)


class StructuredRow(ViewedObject):
    """`a[i]`: what is written to it, is written to the array."""

    __rebuilt_type__ = np.void

    def __init__(self, owner: StructuredArray, index: Any) -> None:
        self.owner, self.index, self.name = owner, index, owner.name
        note_tracer(self)

    def __parts__(self) -> Any:
        return ("row", id(self.owner)), [self.index], lambda parts: StructuredRow(self.owner, parts[0])

    def length(self) -> int:
        return len(self.owner.dtype.names or ())

    def field_of(self, key: Any) -> Field:
        """The field that a name, or a number, stands for."""
        if isinstance(key, int) and not isinstance(key, bool) and self.owner.dtype.names is not None:
            key = self.owner.dtype.names[key]
        return self.owner.field(key) if isinstance(key, str) else self.be_object()

    def item(self, index: Any) -> Any:
        return self[index.size if isinstance(index, StagedScalar) else index]

    @acts_for_program
    def __getitem__(self, key: Any) -> Any:
        return item_of_field(self.field_of(key), self.index)

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        put_into(self.field_of(key), self.index, value)


StructuredArray.__name__, StructuredRow.__name__ = "ndarray", "void"  # in the texts of errors that NumPy raises itself


def known_fields(dtype: np.dtype) -> list[str]:
    """The names of the fields that are numbers or texts, or arrays of these; with any other one the array is an object."""
    bases = {name: dtype[name].base for name in dtype.names or ()}
    return [name for name, base in bases.items() if is_supported(base) or is_text_dtype(base)]


def is_by_fields(inputs: Any, x: Any, name: str) -> bool:
    """Whether an object of the caller's is a structured array with numbers or texts, and nothing in the program speaks against it."""
    is_alone = type(x) is np.ndarray and x.ndim > 0 and left_to_python(name) not in inputs.trace.decisions
    return is_alone and bool(known_fields(x.dtype))


def by_fields(inputs: Any, x: np.ndarray, getter: Getter, name: str) -> StructuredArray:
    """The stand-in of one of the caller's."""
    inputs.identify(x, getter, name)
    known = inputs.reads.get(("fields", id(x)))
    if known is None:
        inputs.guard(getter, "type", np.ndarray, f"{name} is an array")
        inputs.guard(Attribute(getter, "dtype"), "value", x.dtype, f"{name} has the fields of {x.dtype}")
        found: dict[str, Field] = {}

        def field(part: str) -> Field:
            if part not in found:
                view, read, label = x[part], Entry(getter, part), f"{name}[{part!r}]"
                is_text = is_text_dtype(view.dtype)
                found[part] = text_array(inputs, view, read, label, name) if is_text else inputs.array(view, read, label)
            return found[part]

        known = inputs.reads["fields", id(x)] = x, StructuredArray(x.dtype, field, name)
        inputs.views.append((known[1], getter))
    return known[1]


def form_of_memory(inputs: Any, x: Any, name: str) -> Callable[..., Any] | None:
    """What makes the stand-in of an array of the caller's by the memory of its fields, or of its texts; None of any other object."""
    return by_fields if is_by_fields(inputs, x, name) else of_texts if is_of_texts(inputs, x, name) else None
