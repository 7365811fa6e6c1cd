"""The stand-ins that a trace computes with: a scalar, an array, an opaque object, a value that may be absent."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.errors import NONE_IS_NO_OPERAND, ConversionError
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Value
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import BOOL, ArrayType, ScalarType
from autograph_jit.tracing.plain.undefined import Undefined as Undefined
from autograph_jit.tracing.values.conditions import numbers_left
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, constant, emit, note_tracer

PYTHON_TYPES: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}
NEW_INT_BITS = 64
OBJECT_NAMES = {"__name__", "__qualname__", "__doc__", "__cause__", "__context__"}


class OfTheRun:
    """What exists only when the compiled function runs."""

    __slots__ = ()


class Staged(OfTheRun):
    """One value of the graph."""

    __slots__ = ("value", "__weakref__")

    def __init__(self, value: Value) -> None:
        self.value = value
        note_tracer(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return language.call(copy.deepcopy, (self,), None)


SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "divmod": "divmod",
}


class Arithmetic:
    """Python's operators."""

    __slots__ = ()


def _install() -> None:
    for name, symbol in SYMBOLS.items():
        setattr(Arithmetic, f"__{name}__", lambda self, other, _s=symbol: language.binary(_s, self, other))
        setattr(Arithmetic, f"__r{name}__", lambda self, other, _s=symbol: language.binary(_s, other, self))
        if name != "divmod":
            setattr(Arithmetic, f"__i{name}__", lambda self, other, _s=symbol: language.inplace(_s, self, other))
    for name, symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
        setattr(Arithmetic, f"__{name}__", lambda self, other, _s=symbol: language.binary(_s, self, other))
    for name, symbol in {"neg": "-", "pos": "+", "abs": "abs", "invert": "~"}.items():
        setattr(Arithmetic, f"__{name}__", lambda self, _s=symbol: language.unary(_s, self))


_install()

INPLACE_OPERATORS = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "/": operator.itruediv,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "@": operator.imatmul,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
    "<<": operator.ilshift,
    ">>": operator.irshift,
}


class StagedScalar(Staged, Arithmetic):
    """A number. `weak`: a Python bool, int, float or complex (NEP 50), otherwise a NumPy scalar.

    size: a label of an int for `ir.dims` (equal labels, equal numbers), or None.
    bits: a bound on the magnitude of a Python int, below 2**bits; 64 means any int64.
    """

    __slots__ = ("weak", "size", "bits")
    __array_priority__ = 1000.0

    def __init__(self, value: Value, weak: bool, size: Size | None = None, bits: int = NEW_INT_BITS) -> None:
        super().__init__(value)
        self.weak, self.size, self.bits = weak, size, bits

    @property
    def dtype(self) -> np.dtype:
        if self.weak:
            raise AttributeError(f"'{self.python_type.__name__}' object has no attribute 'dtype'")
        return self.scalar_dtype

    @property
    def scalar_dtype(self) -> np.dtype:
        assert isinstance(self.value.type, ScalarType)
        return self.value.type.dtype

    @property
    def kinds(self) -> tuple[tuple[np.dtype, bool], ...]:
        """The types that the number may have: pairs of dtype and weak."""
        return ((self.scalar_dtype, self.weak),)

    @property
    def python_types(self) -> list[type]:
        """The same as the types that it has when it leaves."""
        return [PYTHON_TYPES[dtype.kind] if weak else dtype.type for dtype, weak in self.kinds]

    @property
    def is_tagged(self) -> bool:
        """Whether the path decides the type."""
        return len(self.kinds) > 1

    @property
    def type_name(self) -> str:
        """The type as exceptions name it."""
        return self.python_type.__name__ if self.weak else f"numpy.{self.python_type.__name__}"

    @property
    def python_type(self) -> type:
        """The type that the value has when it leaves."""
        return PYTHON_TYPES[self.scalar_dtype.kind] if self.weak else self.scalar_dtype.type

    def __iter__(self) -> Any:
        return language.iterate(self)

    def __bool__(self) -> bool:
        return demand_python(self, "bool")

    def __index__(self) -> int:
        return demand_python(self, "int")

    def __int__(self) -> int:
        return demand_python(self, "int")

    def __float__(self) -> float:
        return demand_python(self, "float")

    def __complex__(self) -> complex:
        return demand_python(self, "complex")

    def __hash__(self) -> int:
        return demand_python(self, "hashable value")

    def __str__(self) -> str:
        return demand_python(self, "string")

    def __repr__(self) -> str:
        return f"<staged {self.python_type.__name__}>"

    def __format__(self, spec: str) -> str:
        return demand_python(self, "value to format")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return language.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return language.numpy(func, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return language.attribute(self, name)


class NumberArray(StagedScalar):
    """A number that NumPy gives as an array of rank 0: a number in compiled code, an array where it leaves as it is."""

    __slots__ = ()


Case = tuple[Callable[[], StagedScalar], Callable[[], Any]]


class Undecided:
    """A value of which the run decides what it is."""

    __slots__ = ()

    def __cases__(self) -> list[Case]:
        """What it may be here, each with the condition under which it is that; of the last one the condition is not needed."""
        raise NotImplementedError


def is_number_of(tag: Value, index: int) -> StagedScalar:
    """Whether a number that tells which of several a value is, is this one."""
    return StagedScalar(emit("equal", tag, constant(np.int64(index))).result, True)


class TaggedScalar(StagedScalar, Undecided):
    """A number whose type the path decides: `tag` (i64) selects among `kinds`, pairs of dtype and weak. `whole` (i64) is the number where
    it is an integer that the common dtype, a float, may round; None where none is rounded."""

    __slots__ = ("tag", "kinds", "whole")

    def __init__(self, value: Value, tag: Value, kinds: tuple[tuple[np.dtype, bool], ...], whole: Value | None = None) -> None:
        super().__init__(value, all(weak for _, weak in kinds))
        self.tag, self.kinds, self.whole = tag, kinds, whole  # type: ignore[misc]

    def of_kind(self, index: int) -> StagedScalar:
        """The number as one of its alternatives."""
        dtype, weak = self.kinds[index]
        value = self.value if self.whole is None or dtype.kind not in "iu" else self.whole
        return StagedScalar(value if value.type == ScalarType(dtype) else emit("cast", value, dtype=dtype).result, weak)

    def __cases__(self) -> list[Case]:
        left = numbers_left(self.tag, len(self.kinds))
        return [(partial(is_number_of, self.tag, index), partial(self.of_kind, index)) for index in left]

    def plain(self) -> StagedScalar:
        """The number in the promoted dtype, without its tag."""
        return StagedScalar(self.value, self.weak)


class StagedArray(Staged, Arithmetic):
    """A NumPy array. `writeable` as in NumPy's flags; `name` tells inputs apart for `is`."""

    __slots__ = ("writeable", "identity")
    __array_priority__ = 1000.0

    def __init__(self, value: Value, writeable: bool = True, identity: Any = None) -> None:
        super().__init__(value)
        self.writeable = writeable
        self.identity = identity

    @property
    def type(self) -> ArrayType:
        assert isinstance(self.value.type, ArrayType)
        return self.value.type

    @property
    def dtype(self) -> np.dtype:
        return self.type.dtype

    @property
    def ndim(self) -> int:
        return self.type.rank

    def __bool__(self) -> bool:
        return demand_python(self, "truth value")

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    __qualname__, __module__ = "ndarray", "numpy"  # in the texts of errors that Python raises itself, from 3.14 on

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return language.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return language.numpy(func, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return demand_python(self, "array")

    def __getattr__(self, name: str) -> Any:
        return language.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("value", "writeable", "identity"):
            object.__setattr__(self, name, value)
        else:
            language.set_attribute(self, name, value)

    def __getitem__(self, key: Any) -> Any:
        return language.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        language.setitem(self, key, value)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return operator.index(self.shape[0])

    def __iter__(self) -> Any:
        return language.iterate(self)

    def __contains__(self, item: Any) -> bool:
        return demand_python(self, "membership test")

    def __repr__(self) -> str:
        return f"<staged array {self.value.type}>"


class OfTheTrace:
    """What exists only while a program is traced: it cannot become an object of the run."""

    def refusal(self) -> ConversionError:
        """Why, and what to do."""
        raise NotImplementedError


class StagedObject(Staged, Arithmetic):
    """A Python object that only the run will know; operations on it are host calls. `python_type` where it is known."""

    __slots__ = ("python_type",)
    __array_ufunc__ = None  # operators of NumPy's numbers leave the operation to this class, instead of making Python numbers of them

    def __init__(self, value: Value, python_type: type | None = None) -> None:
        super().__init__(value)
        self.python_type = python_type

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in OBJECT_NAMES:
            raise AttributeError(name)
        return language.attribute(self, name)

    def __bool__(self) -> bool:
        return demand_python(self, "truth value")

    def __hash__(self) -> int:
        return demand_python(self, "hashable value")

    def __getitem__(self, key: Any) -> Any:
        return language.getitem(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        language.setitem(self, key, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        active()  # there is one: a call made without would come here again
        return language.call(self, args, kwargs)

    def __str__(self) -> str:
        return demand_python(self, "string")

    def __iter__(self) -> Any:
        return demand_python(self, "iterable")

    def __len__(self) -> int:
        return demand_python(self, "length")

    def __format__(self, spec: str) -> str:
        return demand_python(self, "value to format")

    def __repr__(self) -> str:
        return f"<staged object {self.python_type.__name__ if self.python_type else ''}>"


class Maybe(Arithmetic, Undecided, OfTheRun):
    """`content` where the run finds `present`, otherwise `absent` (None, or Undefined)."""

    __slots__ = ("present", "content", "absent", "__weakref__")
    __array_ufunc__ = None

    def __init__(self, present: StagedScalar, content: Any, absent: Any) -> None:
        self.present, self.content, self.absent = present, content, absent
        note_tracer(self)

    def __cases__(self) -> list[Case]:
        is_absent = lambda: StagedScalar(emit("logical_not", self.present.value).result, True)  # noqa: E731
        return [(is_absent, lambda: self.absent), (lambda: self.present, lambda: self.content)]

    def __hash__(self) -> int:
        return demand_python(self, "hashable value")

    def __bool__(self) -> bool:
        return demand_python(self, "truth value")

    def __getattr__(self, name: str) -> Any:
        return getattr(content_of(self), name)

    def __getitem__(self, key: Any) -> Any:
        return content_of(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        content_of(self)[key] = value

    def __len__(self) -> int:
        return len(content_of(self))

    def __iter__(self) -> Any:
        return iter(content_of(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return content_of(self)(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<maybe {self.content!r}, otherwise {self.absent!r}>"


def demand_python(staged: Any, what: str) -> Any:
    """Python code needs the number itself: restart with it as a constant, or an error that names the line."""
    return language.demand(staged, what)


def is_staged(x: Any) -> bool:
    """Whether x itself exists only when the compiled function runs."""
    return isinstance(x, OfTheRun)


def may_be_none(x: Any) -> bool:
    """Whether only the run knows if a value is None."""
    return isinstance(x, Maybe) and x.absent is None


def may_be_missing(value: Any) -> bool:
    """Whether a variable, attribute or entry was made on one path only."""
    return isinstance(value, Maybe) and isinstance(value.absent, Undefined)


def check(good: Value, exception: type[Exception], template: str, *payload: Value) -> None:
    """Fail with `exception(template.format(*payload))` where `good` is false."""
    assert good.type == BOOL
    emit("check", good, *payload, error=ErrorSpec(exception, template))


def content_of(x: Any, exception: type[Exception] = TypeError, message: str = "") -> Any:
    """The content of a value that may be absent; using an absent one raises what Python would: for None, `exception(message)`."""
    if not isinstance(x, Maybe):
        return x
    if active().facts.get(x.present.value):
        return x.content
    if isinstance(x.absent, Undefined):
        check(x.present.value, UnboundLocalError, unbound_message(x.absent.name))
    else:
        check(x.present.value, exception, (message or NONE_IS_NO_OPERAND).replace("{", "{{").replace("}", "}}"))
    return x.content


def unbound_message(name: str) -> str:
    """Python's text for a local that is read before it is assigned."""
    return f"cannot access local variable '{name}' where it is not associated with a value"
