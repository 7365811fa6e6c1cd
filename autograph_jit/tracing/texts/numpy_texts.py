"""Texts as NumPy gives them, of an item of an array of texts: a str, or bytes object, that leaves as `np.str_` or `np.bytes_`.

Before: `word = words[i]; word == "x"; word + "s"`: calls of Python
After:  comparisons and sums of letters; `word` itself is a `np.str_` wherever it leaves, what is made of it is a str
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograph_jit.ops.texts import numpy_text
from autograph_jit.tracing.hosting.host_calls import host_object, host_operator
from autograph_jit.tracing.structures.rebuilding import Made, Rebuild
from autograph_jit.tracing.texts.text import Bytes, Text, as_text, method_of
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import emit

COVERED = ("item", "dtype")
MAY_GIVE_ITSELF = ("partition", "rpartition", "format", "format_map")  # where nothing is to be done, then it is of NumPy's class


class OfNumPy(Text):
    """A text of NumPy's: all that is made of it is of Python's own class, `made_of_it`."""

    covered_names = COVERED
    made_of_it: type[Text]

    @property
    def plain(self) -> Text:
        return self.made_of_it(self.codes)

    def __mul__(self, times: Any) -> Any:
        return text_repeated(self, times)

    __rmul__ = __mul__

    def attribute_of_object(self, name: str) -> Any:
        return attribute_of(self, name)

    __getattr__ = attribute_of_object

    def __staged_object__(self) -> StagedObject:
        return object_of_text(self)

    def __template__(self, template: Any) -> Rebuild:
        return template_of_text(self, template)


class NumPyText(OfNumPy):
    """A `np.str_`."""

    __rebuilt_type__: type = np.str_
    made_of_it = Text


class NumPyBytes(OfNumPy, Bytes):
    """A `np.bytes_`."""

    __rebuilt_type__: type = np.bytes_
    made_of_it = Bytes


NumPyText.__name__, NumPyBytes.__name__ = "numpy.str_", "numpy.bytes_"  # in the texts of errors that Python raises itself
NumPyText.__module__ = NumPyBytes.__module__ = "builtins"

MADE: dict[type, type[Text]] = {str: Text, bytes: Bytes, np.str_: NumPyText, np.bytes_: NumPyBytes}


def text_repeated(x: Any, times: Any) -> Any:
    """`x * times`: with a number of NumPy's, it is an array of texts that NumPy would multiply."""
    is_numpys = isinstance(times, np.integer) or isinstance(times, StagedScalar) and not times.weak
    return host_operator("*", x, times) if is_numpys else x.plain * times


def attribute_of(x: Any, name: str) -> Any:
    """A method of str or bytes; what NumPy adds to these is Python's."""
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    method, label = getattr(x.kind_of_text, name, None), f"{x.kind_of_text.__name__}.{name}"
    if name in MAY_GIVE_ITSELF and method is not None:
        return lambda *args, **kwargs: host_object(method, x, *args, label=label, **kwargs)
    if name in ("split", "rsplit"):
        return lambda *args, **kwargs: split_up(x, name, *args, **kwargs)
    if method is not None:
        return method_of(x.plain, name)
    return host_object(getattr, x, name, label=f"attribute {name}") if hasattr(x.__rebuilt_type__, name) else method_of(x, name)


def split_up(x: Any, name: str, sep: Any = None, maxsplit: Any = -1) -> Any:
    """`x.split(sep)`, or from the right: a text that is shorter than the separator is the one item itself."""
    plain, separator = x.plain, None if sep is None else as_text(sep, x.kind_of_text)
    split = functools.partial(method_of(plain, name), sep, maxsplit)
    if separator is None:
        return split()
    is_shorter = language.compare("<", plain.length(), separator.length())
    return language.if_exp(is_shorter, lambda: language.call(list, ((x,),), None), split)


def object_of_text(x: Any) -> StagedObject:
    """The object that Python code is given."""
    reference = emit("text_reference", x.codes.value, numpy=True).result if x.reference is None else x.reference
    return StagedObject(emit("text_object", reference).result, x.__rebuilt_type__)


def template_of_text(x: Any, template: Any) -> Rebuild:
    """How it is made where it leaves."""
    if x.reference is None or template.is_late:
        return Made(numpy_text, (template.leaves.position(x.codes.value),))
    return template.of(object_of_text(x))  # type: ignore[no-any-return]
