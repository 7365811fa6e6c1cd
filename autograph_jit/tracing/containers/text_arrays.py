"""Arrays of texts of the caller's: vectors of letters in their own memory, whose items are texts of NumPy's.

Before: `words[i] == "x"`: two calls of Python
After:  comparisons of letters in the memory of the array, under a guard on its dtype
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.texts import BYTE, CODE_POINT
from autograph_jit.tracing.containers.buffers import ViewedObject, left_to_python
from autograph_jit.tracing.sequences.dynamic import position
from autograph_jit.tracing.structures.getters import Applied, Getter
from autograph_jit.tracing.texts import searching
from autograph_jit.tracing.texts.numpy_texts import MADE
from autograph_jit.tracing.texts.text import as_text, is_int
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array
from autograph_jit.tracing.values.trace import emit, note_tracer
from autograph_jit.tracing.values.types import plain_kind


class TextArray(ViewedObject):
    """An array of texts, or the part of one that a slice or a mask selects: `codes` has the letters of each along its last axis."""

    __rebuilt_type__ = np.ndarray
    compares_with_texts = True

    def __init__(self, codes: StagedArray, dtype: np.dtype, name: str) -> None:
        self.codes, self.dtype, self.name = codes, dtype, name
        note_tracer(self)

    @property
    def ndim(self) -> int:
        return self.codes.ndim - 1

    @property
    def shape(self) -> tuple[Any, ...]:
        return self.codes.shape[:-1]  # type: ignore[no-any-return]

    @property
    def kind(self) -> type:
        """The type of the items."""
        return np.str_ if self.dtype.kind == "U" else np.bytes_

    def length(self) -> Any:
        return self.codes.shape[0]

    @acts_for_program
    def item(self, index: Any) -> Any:
        """An item, as it is now; of an array of several axes a part of it."""
        row = language.getitem(self.codes, index)
        if row.ndim > 1:
            return TextArray(row, self.dtype, self.name)
        letters = language.getitem(row, slice(None, language.call(searching.without_nulls, (row,), None)))
        return MADE[self.kind](array(emit("copy", letters.value).result))

    def is_of_items(self, key: Any) -> bool:
        """Whether a key is an int, or one for each of several axes."""
        return is_one_place(key) or type(key) is tuple and 0 < len(key) <= self.ndim and all(map(is_one_place, key))

    def is_of_parts(self, key: Any) -> bool:
        """Whether a key is a slice, a mask or a vector of places."""
        return isinstance(key, slice) or key is Ellipsis or isinstance(key, StagedArray) and key.ndim == 1

    def __getitem__(self, key: Any) -> Any:
        key = position(key)
        if self.is_of_items(key):
            return self.item(key)
        if not self.is_of_parts(key):
            self.be_object()
        return TextArray(language.getitem(self.codes, key), self.dtype, self.name)

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        text, key = as_text(value, plain_kind(self.kind)), position(key)
        if text is None or not self.is_of_items(key) and not self.is_of_parts(key):
            return self.be_object()  # type: ignore[no-any-return]
        part = language.getitem(self.codes, key) if self.is_of_items(key) else None
        is_item = part is not None and part.ndim == 1
        letters = part if is_item else language.numpy(np.zeros, (self.codes.shape[-1], self.codes.dtype), {})
        language.call(searching.put_letters, (letters, text.codes), None)
        if not is_item:
            language.setitem(self.codes, key, letters)

    def is_one(self, text: Any) -> Any:
        """Which items are a text."""
        part = as_text(text, plain_kind(self.kind))
        if part is None or self.ndim != 1:
            return self.be_object()
        return language.call(searching.rows_equal, (self.codes, part.codes), None)

    @acts_for_program
    def __eq__(self, other: Any) -> Any:
        return self.is_one(other)

    @acts_for_program
    def __ne__(self, other: Any) -> Any:
        return language.numpy(np.logical_not, (self.is_one(other),), {})

    __hash__ = ViewedObject.be_object  # type: ignore[assignment]

    def contains(self, item: Any) -> Any:
        """`item in self`."""
        return language.call(bool, (language.numpy(np.any, (self.is_one(item),), {}),), None)

    def __getattr__(self, name: str) -> Any:
        return self.length() if name == "size" and self.ndim == 1 else self.attribute_of_object(name)


TextArray.__name__ = "ndarray"  # in the texts of errors that NumPy raises itself


def is_one_place(key: Any) -> bool:
    """Whether a key is an int, and no truth value, which NumPy takes for a mask."""
    is_truth = isinstance(key, (bool, np.bool_)) or isinstance(key, StagedScalar) and key.scalar_dtype.kind == "b"
    return is_int(key) and not is_truth


def is_text_dtype(dtype: np.dtype) -> bool:
    """Whether compiled code reads items of a dtype as texts."""
    return dtype.kind in "US" and dtype.itemsize > 0 and dtype.isnative


def codes_of_items(x: Any) -> np.ndarray:
    """The letters of the items of an array of texts, as one more axis of the same memory; TypeError for anything else.

    >>> codes_of_items(np.array([b"ab", b"c"]))
    array([[97, 98],
           [99,  0]], dtype=uint8)
    """
    if type(x) is not np.ndarray or not is_text_dtype(x.dtype):
        raise TypeError("no array of texts")
    code = CODE_POINT if x.dtype.kind == "U" else BYTE
    return x.view([("codes", code, (x.dtype.itemsize // code.itemsize,))])["codes"]  # type: ignore[no-any-return]


def is_of_texts(inputs: Any, x: Any, name: str) -> bool:
    """Whether an object of the caller's is an array of texts, and nothing in the program speaks against it."""
    return type(x) is np.ndarray and x.ndim > 0 and is_text_dtype(x.dtype) and left_to_python(name) not in inputs.trace.decisions


def text_array(inputs: Any, x: np.ndarray, getter: Getter, name: str, owner: Any = None) -> TextArray:
    """The stand-in of one of the caller's; `owner` is the name of the structured array of which it is a field."""
    codes = codes_of_items(x)
    staged = inputs.array(codes, Applied(codes_of_items, (getter,)), name)
    made = TextArray(staged, x.dtype, owner or name)
    inputs.views.append((made, getter))
    return made


def of_texts(inputs: Any, x: np.ndarray, getter: Getter, name: str) -> TextArray:
    """The same of an array that is found by itself: one stand-in for one array."""
    inputs.identify(x, getter, name)
    known = inputs.reads.get(("texts", id(x)))
    if known is None:
        known = inputs.reads["texts", id(x)] = x, text_array(inputs, x, getter, name)
    return known[1]  # type: ignore[no-any-return]
