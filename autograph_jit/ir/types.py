"""Types of graph values: scalars in registers, arrays in memory, opaque Python objects, growable lists."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.records import dataclass

SHORT_NAMES = {
    "bool": "b1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float32": "f32",
    "float64": "f64",
    "complex64": "c64",
    "complex128": "c128",
}
LONG_NAMES = {short: name for name, short in SHORT_NAMES.items()}
# Of references, with which nothing is computed.
TEXT_DTYPES = tuple(np.dtype([(name, np.int64)]) for name in ("text", "bytes", "numpy_text", "numpy_bytes"))
SUPPORTED = frozenset(map(np.dtype, SHORT_NAMES))


def short_name(dtype: np.dtype) -> str:
    """How the text of a graph calls a dtype."""
    return SHORT_NAMES[dtype.name] if dtype.names is None else dtype.names[0]


def is_supported(dtype: np.dtype) -> bool:
    """Whether values of this dtype can live in a graph; others (float16, str, object, datetime) stay Python objects."""
    return dtype in SUPPORTED


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A number in a register, or a reference to a text (TEXT), a bytes object (BYTES), or one of NumPy's."""

    dtype: np.dtype

    def __str__(self) -> str:
        return short_name(self.dtype)


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A reference to strided memory, NumPy's model: pointer, shape, strides, owner. Rank 0 is memory too."""

    dtype: np.dtype
    dims: tuple[Size, ...]

    @property
    def rank(self) -> int:
        return len(self.dims)

    def __str__(self) -> str:
        return f"{short_name(self.dtype)}[{', '.join(map(str, self.dims))}]"


@dataclass(frozen=True, slots=True)
class ObjectType:
    """An opaque Python object, created and consumed by host calls."""

    def __str__(self) -> str:
        return "object"


@dataclass(frozen=True, slots=True)
class ListType:
    """A reference to a growable list of scalars, or of lists."""

    elem: ScalarType | ListType

    @property
    def number(self) -> ScalarType:
        """The type of the numbers in the list, or in the lists in it."""
        return self.elem if isinstance(self.elem, ScalarType) else self.elem.number

    def __str__(self) -> str:
        return f"list[{self.elem}]"


Type = ScalarType | ArrayType | ObjectType | ListType

BOOL = ScalarType(np.dtype(bool))
I64 = ScalarType(np.dtype(np.int64))
F64 = ScalarType(np.dtype(np.float64))
C128 = ScalarType(np.dtype(np.complex128))
TEXT_REFERENCES = TEXT, BYTES, NUMPY_TEXT, NUMPY_BYTES = tuple(map(ScalarType, TEXT_DTYPES))
OBJECT = ObjectType()


def inner_lists(type_: Type) -> Iterator[ListType]:
    """The types of the lists that stand in a list, and in those."""
    while isinstance(type_, ListType) and isinstance(type_.elem, ListType):
        type_ = type_.elem
        yield type_


def may_be_one_type(x: Type, y: Type) -> bool:
    """Whether memory of one type may be that of another, or stand in it: arrays are seen as of several types, lists are not."""
    if isinstance(x, ArrayType) or isinstance(y, ArrayType):
        return isinstance(x, ArrayType) and isinstance(y, ArrayType)
    return not {x, *inner_lists(x)}.isdisjoint((y, *inner_lists(y)))
