"""The stand-ins of texts: a str as a vector of its code points, a bytes object as one of its bytes; a str of one letter is a number.

Nobody writes to such a vector, so a slice is a view, and its items lie side by side.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import TOLD_APART
from autograph_jit.ops.texts import BYTE, CODE_POINT, codes_of
from autograph_jit.tracing.hosting.host_calls import host_object, host_operator
from autograph_jit.tracing.numbers.scalars import PYTHON_OPERATORS, apply_operator
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import like, text_with_stand_ins
from autograph_jit.tracing.structures.rebuilding import Rebuild, TextOfCodes
from autograph_jit.tracing.texts import searching
from autograph_jit.tracing.texts.constants import compared_as, expect_data
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, Undecided, demand_python
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dimension, index_value, lift_number, scalar, size_of
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import active, at_the_beginning, emit, in_c, is_inside, note_tracer

CODE_BITS = 21
PLAIN_VALUES = (bool, int, float, complex, str, bytes, type(None))
SWAPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
MAX_WRITTEN_OUT = 8  # letters of a constant that a text is compared with one by one


class Text(Indexed):
    """A str. Items, slices, sums and comparisons as Python's; its methods stand in a table of their own (`texts.methods`)."""

    __rebuilt_type__: type = str
    __array_ufunc__ = None
    kind_of_text: type = str  # as which it is computed with: the same, but for texts of NumPy's
    origin: Any = None  # the name of the caller's text that it is
    dtype: np.dtype = CODE_POINT
    between: tuple[Any, Any] = (None, None)  # the bounds of a slice
    written: tuple[Any, ...] = ()  # the parts of the f-string that made it
    told_by: Any = None  # the number of a group whose name it is, of the match that was asked
    methods: dict[str, Callable[..., Any]] = {}

    def __init__(self, codes: StagedArray, source: StagedObject | None = None, reference: Value | None = None) -> None:
        self.held: Any = codes
        self.source = source  # the object that it was read from
        self.reference = reference  # what stands for it in lists, dicts and sets
        note_tracer(self)

    @property
    def codes(self) -> StagedArray:
        """The code points, or bytes, as a vector."""
        return self.held

    @property
    def plain(self) -> Text:
        """The text as Python's own."""
        return self

    def length(self) -> Any:
        return dimension(self.codes, 0)

    def most(self) -> int | None:
        """How long it is at most, where the trace knows that."""
        start, stop = (None if bound is None else size_of(bound) for bound in self.between)
        known = self.codes.type.dims[0] if start is None or stop is None else stop - start
        return known if isinstance(known, int) and known >= 0 else None

    def item(self, index: Any) -> Any:
        """The letter at an index that may be negative."""
        return Character(self.code_at(index))

    @acts_for_program
    def code_at(self, index: Any) -> StagedScalar:
        """The code point at an index; Python's IndexError where there is none."""
        known = index.size if isinstance(index, StagedScalar) else index
        length = self.codes.type.dims[0]
        text = out_of_range(self.kind_of_text)
        if isinstance(known, int) and isinstance(length, int):
            if not -length <= known < length:
                raise IndexError(text)
            index = known % length
        return code_number(emit("load", self.codes.value, index_value(index), text=text).result)

    def code_in(self, index: int) -> StagedScalar:
        """The code point at an index that there is."""
        return code_number(emit("load", self.codes.value, index_value(index), proved=True).result)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, slice):
            return self.item(index_of(key, self.kind_of_text))
        if any(isinstance(bound, (StagedObject, Maybe)) for bound in (key.start, key.stop, key.step)):
            kind = self.kind_of_text
            return as_text(host_object(operator.getitem, self, key, label="slice", python_type=kind, pure=True), kind)
        part = language.getitem(self.codes, key)
        found = type_of_kind(self).of(part if key.step is None or key.step == 1 else array(emit("copy", part.value).result))
        found.between = key.start, key.stop
        return found

    @classmethod
    def of(cls, codes: StagedArray) -> Any:
        """A text of code points; where there is but one, a letter."""
        if cls is Text and codes.type.dims == (1,):
            return Character(code_number(emit("load", codes.value, index_value(0), proved=True).result))
        return cls(codes)

    def __add__(self, other: Any) -> Any:
        return joined(self, other, self, other)

    def __radd__(self, other: Any) -> Any:
        return joined(self, other, other, self)

    def __mul__(self, times: Any) -> Any:
        if not is_int(times):
            return operator_in_python("*", self, times)
        count = scalar(emit("maximum", index_value(times), index_value(0)).result, True)
        if isinstance(self, Character):
            return Text(language.numpy(np.full, (count, self.stored), {"dtype": CODE_POINT}))
        return type_of_kind(self).of(language.numpy(np.tile, (self.codes, count), {}))

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> Any:
        return operator_in_python("%", self, values)

    def __eq__(self, other: Any) -> Any:
        return compared("==", self, other)

    def __ne__(self, other: Any) -> Any:
        return compared("!=", self, other)

    def __lt__(self, other: Any) -> Any:
        return compared("<", self, other)

    def __le__(self, other: Any) -> Any:
        return compared("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return compared(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return compared(">=", self, other)

    def __hash__(self) -> int:
        return demand_python(self.__staged_object__(), "hashable value")

    def __str__(self) -> str:
        return demand_python(self.__staged_object__(), "string")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return method_of(self, name)

    def __staged_object__(self) -> StagedObject:
        """The object that Python code is given."""
        if self.source is not None:
            return self.source
        if self.reference is not None:
            return StagedObject(emit("text_object", self.reference).result, self.__rebuilt_type__)
        return StagedObject(emit("text_of_codes", self.codes.value).result, self.kind_of_text)

    def __template__(self, template: Any) -> Rebuild:
        if self.source is None and (self.reference is None or template.is_late):
            return TextOfCodes(template.leaves.position(self.codes.value))
        return template.of(self.__staged_object__())


class Character(Text):
    """A str of one letter, by its code point."""

    is_letter = True

    def __init__(self, code: StagedScalar) -> None:
        super().__init__(code)  # type: ignore[arg-type]

    @property
    def code(self) -> StagedScalar:
        """The code point as a Python int; it may be held as vectors hold it."""
        return self.held if self.held.weak else code_number(self.held.value)

    @property
    def codes(self) -> StagedArray:
        return language.numpy(np.full, (1, self.stored), {"dtype": CODE_POINT})

    def length(self) -> Any:
        return 1

    def code_at(self, index: Any) -> StagedScalar:
        if isinstance(index, int) and -1 <= index <= 0:
            return self.code
        return super().code_at(index)

    @property
    def stored(self) -> StagedScalar:
        """The code point as vectors hold it."""
        return scalar(cast(self.held.value, CODE_POINT))

    def __template__(self, template: Any) -> Rebuild:
        return TextOfCodes(template.leaves.position(self.stored.value))


class Bytes(Text):
    """A bytes object: its items are ints."""

    __rebuilt_type__: type = bytes
    kind_of_text = bytes
    dtype = BYTE

    def item(self, index: Any) -> Any:
        return self.code_at(index)


Text.__name__ = Character.__name__ = "str"  # in the texts of errors that Python raises itself
Bytes.__name__ = "bytes"
Text.__module__ = Character.__module__ = Bytes.__module__ = "builtins"


CLASSES: dict[type, type[Text]] = {str: Text, bytes: Bytes}
TEXTS = (Text, *CLASSES)
NUMPY_TEXTS = (np.str_, np.bytes_)


def code_number(value: Any) -> StagedScalar:
    """A code point or byte as a Python int."""
    return scalar(cast(value, np.dtype(np.int64)), True, bits=CODE_BITS)


def out_of_range(kind: type) -> str:
    """Python's text for an index beyond the letters."""
    return "string index out of range" if kind is str else "index out of range"


@acts_for_program
def index_of(key: Any, kind: type) -> Any:
    """An index as an int; Python's TypeError for anything else."""
    if is_int(key):
        return key
    if isinstance(key, StagedObject):
        return language.integer_of(key)
    if isinstance(key, StagedArray) and key.ndim:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    if hasattr(key, "__index__") and not isinstance(key, StagedScalar):
        return key.__index__()
    raise TypeError(text_with_stand_ins(operator.getitem, kind(), key))


def is_int(x: Any) -> bool:
    """Whether a value is an int, real or staged, of Python's or NumPy's."""
    return isinstance(x, (int, np.integer)) or isinstance(x, StagedScalar) and x.scalar_dtype.kind in "iub"


def type_of_kind(x: Text) -> type[Text]:
    """The class of a text of any length."""
    return Bytes if isinstance(x, Bytes) else Text


def as_text(x: Any, kind: type = str) -> Text | None:
    """A str (or bytes object, of the `kind`) as a stand-in of one, a constant or an object of the run; None for anything else."""
    if isinstance(x, Text):
        return x if kind in (x.kind_of_text, x.__rebuilt_type__) else None
    if isinstance(x, StagedObject):
        return text_of_object(x) if x.python_type is kind else None
    if isinstance(x, NUMPY_TEXTS) and isinstance(x, kind):
        x = x.item()
    if type(x) is not kind:
        return None
    expect_data(x, whole=True)
    return text_of_constant(x)  # type: ignore[arg-type]


def text_of_constant(x: str | bytes) -> Text:
    """A text that is known while tracing."""
    if isinstance(x, str) and len(x) == 1:
        return Character(scalar(lift_number(ord(x)), True, ord(x), CODE_BITS))
    made = CLASSES[type(x)]
    return made(literal(codes_of(x, made.dtype)))


def known_text(x: Any) -> Text:
    """A str or bytes object that is known while tracing, as a text."""
    made = as_text(x, type(x))
    assert made is not None
    return made


def literal(value: np.ndarray) -> StagedArray:
    """A vector that is known while tracing: made when the program begins, once however often it is used."""
    trace = active()
    if trace.inputs is None or not is_inside(trace):
        return array(emit("array_constant", value=value).result)
    key = "literal", value.dtype, value.tobytes()
    if key not in trace.inputs.reads:
        with at_the_beginning(trace):
            trace.inputs.reads[key] = array(emit("array_constant", value=value).result)
    return trace.inputs.reads[key]


def text_of_object(x: StagedObject) -> Text:
    """A str or bytes object of the run as a text."""
    made = Bytes if x.python_type is bytes else Text
    dims = (active().fresh_atom("d", "text"),)
    return made(array(emit("text_codes", x.value, dtype=made.dtype, dims=dims).result), x)


def joined(x: Text, other: Any, *parts: Any) -> Any:
    """`x + other`, or `other + x`: the parts one behind the other."""
    texts = [as_text(part, x.kind_of_text) for part in parts]
    first, second = texts
    if first is None or second is None:
        return operator_in_python("+", *parts)
    for known, there in ((parts[0], second), (parts[1], first)):
        if isinstance(known, (str, bytes)) and not known:
            return there.plain
    if isinstance(first, Character):
        return concatenated(texts, type_of_kind(x))
    size = first.codes.type.dims[0] + (1 if isinstance(second, Character) else second.codes.type.dims[0])
    added = second.stored if isinstance(second, Character) else second.codes
    return type_of_kind(x)(array(emit("text_append", first.codes.value, added.value, dims=(size,)).result))


def concatenated(texts: Sequence[Any], made: type[Text] | None = None) -> Any:
    """Texts one behind the other."""
    made = made or Text
    if len(texts) == 1:
        return texts[0].plain
    return made.of(language.numpy(np.concatenate, (tuple(text.codes for text in texts),), {}))


def binary(symbol: str, x: Any, y: Any) -> Any:
    """An operator of a text and anything."""
    text, other = (x, y) if isinstance(x, Text) else (y, x)
    if symbol == "+":
        return joined(text, other, x, y)
    if symbol == "*":
        return text * other
    if symbol in SWAPPED:
        return compared(symbol, text, other) if text is x else compared(SWAPPED[symbol], text, other, symbol)
    return operator_in_python(symbol, x, y)


def operator_in_python(symbol: str, x: Any, y: Any) -> Any:
    """What only Python does with a text and something else; for numbers, texts, lists, dicts and None its error."""
    text, other = (x, y) if isinstance(x, TEXTS) else (y, x)
    if isinstance(other, Undecided):
        return distribute(other, lambda case: apply_operator(symbol, *((x, case) if text is x else (case, y))))
    is_known = isinstance(other, (Text, list, dict)) or isinstance(other, StagedScalar) and other.weak or type(other) in PLAIN_VALUES
    if is_known and not (symbol == "%" and text is x) and not (symbol == "*" and is_int(other)):
        raise TypeError(text_with_stand_ins(PYTHON_OPERATORS[symbol], x, y))
    if symbol == "%" and text is x:
        kind = getattr(x, "__rebuilt_type__", type(x))
        made = host_object(operator.mod, x, y, label="operator %", python_type=kind if kind in CLASSES else None)
        return as_text(made, kind) if kind in CLASSES else made
    return host_operator(symbol, x, y)


def as_object(x: Any) -> Any:
    """A text as the object that Python code is given; tuples of them; anything else as it is."""
    if isinstance(x, Text):
        return x.__staged_object__()
    if type(x) is tuple and any(isinstance(item, (Text, tuple)) for item in x):
        return tuple(map(as_object, x))
    return x


@acts_for_program
def compared(symbol: str, x: Text, other: Any, turned: str = "") -> Any:
    """`x symbol other`, which the program has as `other turned x`."""
    y = as_text(compared_as(other), x.kind_of_text)
    if isinstance(other, Undecided) and not isinstance(other, StagedScalar):
        return distribute(other, lambda case: apply_operator(turned, case, x) if turned else apply_operator(symbol, x, case))
    if y is None and isinstance(other, (StagedObject, str, bytes)) and type(other) not in CLASSES:
        return host_operator(symbol, x, other)
    if is_marked(other, "compares_with_texts"):
        return PYTHON_OPERATORS[turned or SWAPPED[symbol]](other, x)
    if y is None and isinstance(other, StagedArray) and other.ndim and symbol in ("==", "!="):
        return language.numpy(np.full_like, (other, symbol == "!="), {"dtype": bool})
    if y is None:
        kind = type_of_value(other)
        plain = kind() if kind is not None else like(other)
        return PYTHON_OPERATORS[turned](plain, x.__rebuilt_type__()) if turned else PYTHON_OPERATORS[symbol](x.__rebuilt_type__(), plain)
    if isinstance(x, Character) and isinstance(y, Character):
        return PYTHON_OPERATORS[symbol](x.code, y.code)
    references = common_references(x, y)
    if symbol not in ("==", "!=") and references:
        return PYTHON_OPERATORS[symbol](scalar(emit("text_order", *references).result, True), 0)
    if symbol not in ("==", "!="):
        return PYTHON_OPERATORS[symbol](language.call(searching.order, (x.codes, y.codes), None), 0)
    equal = equality(x, y)
    return equal if symbol == "==" else language.unary("not", equal)


def type_of_value(x: Any) -> type | None:
    """The type that stands for a value in the error of an operator; None for numbers and constants, which stand for themselves."""
    return x.__rebuilt_type__ if isinstance(x, Text) else None


def equality(x: Text, y: Text) -> Any:
    """Whether two texts are the same: letter by letter where one is short and known to be so."""
    if references := common_references(x, y):
        return scalar(emit("text_is_same", *references).result, True)
    sizes = [text.codes.type.dims[0] if not isinstance(text, Character) else 1 for text in (x, y)]
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) == 2 and known[0] != known[1]:
        return False
    if not known or known[0] > MAX_WRITTEN_OUT:
        return language.call(searching.equals, (x.codes, y.codes), None)
    is_as_long = True if len(known) == 2 else x.length() == y.length()
    with in_c(active().calls.for_c or (TOLD_APART if known[0] > 1 else None)):
        return language.if_exp(is_as_long, lambda: same_letters(x, y, known[0]), lambda: False)


def common_references(x: Text, y: Text) -> tuple[Value, ...]:
    """The references to two texts, where both have one, of one type."""
    found = tuple(text.reference for text in (x, y) if text.reference is not None)
    return found if len(found) == 2 and found[0].type == found[1].type else ()


def same_letters(x: Text, y: Text, count: int) -> Any:
    """Whether two texts that have so many letters have the same ones."""
    same = [emit("equal", *(text.code_in(i).value for text in (x, y))).result for i in range(count)]
    if not same:
        return True
    result = same[0]
    for other in same[1:]:
        result = emit("logical_and", result, other).result
    return scalar(result, True)


@acts_for_program
def method_of(x: Text, name: str) -> Any:
    """A method of a text: from the table, or Python's on the object."""
    getattr(x.__rebuilt_type__(), name)
    found = x.methods.get(name)
    if found is not None:
        return functools.partial(found, x)
    method = getattr(x.kind_of_text, name)

    def call_method(*args: Any, **kwargs: Any) -> Any:
        return host_object(method, x, *args, label=f"{x.kind_of_text.__name__}.{name}", **kwargs)

    return call_method
