"""Texts: the code points of a str and the bytes of a bytes object as a vector, and the object that holds those of a vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes
from autograph_jit.ir.types import BOOL, BYTES, I64, NUMPY_BYTES, NUMPY_TEXT, OBJECT, TEXT, TEXT_REFERENCES, ArrayType, ScalarType, Type
from autograph_jit.ops.inference import Types, dims_of, expect_array, expect_count, expect_list, expect_type
from autograph_jit.ops.registry import define_op

CODE_POINT, BYTE = np.dtype(np.uint32), np.dtype(np.uint8)
PREFIX, NO_BYTE = 8, 255
ENCODING, ERRORS = "utf-32-le", "surrogatepass"


def infer_text_codes(types: Types, attributes: Attributes) -> Types:
    """A vector of `dtype`, whose size is in `dims`."""
    expect_count("text_codes", types, 1)
    expect_type("text_codes", types[0], OBJECT)
    dtype = np.dtype(attributes["dtype"])
    if dtype not in (CODE_POINT, BYTE):
        raise GraphError(f"text_codes gives uint32 of a str and uint8 of bytes, not {dtype}")
    return (ArrayType(dtype, dims_of("text_codes", attributes, 1)),)


def codes_of(text: str | bytes, dtype: Any = CODE_POINT, dims: Any = None) -> np.ndarray:
    """A fresh vector of the code points of a str (uint32), or of the bytes of a bytes object (uint8).

    >>> codes_of("aé")
    array([ 97, 233], dtype=uint32)
    """
    content = text.encode(ENCODING, ERRORS) if isinstance(text, str) else text
    return np.frombuffer(content, dtype=dtype).copy()


def infer_text_of_codes(types: Types, attributes: Attributes) -> Types:
    """A vector of uint32 or uint8 gives an object."""
    expect_count("text_of_codes", types, 1)
    array = expect_array("text_of_codes", types[0])
    if array.rank != 1 or array.dtype not in (CODE_POINT, BYTE):
        raise GraphError(f"text_of_codes takes a vector of uint32 or uint8, not {array}")
    return (OBJECT,)


def text_of(codes: np.ndarray) -> str | bytes:
    """The str of code points (uint32), or the bytes object of uint8.

    >>> text_of(np.array([97, 233], np.uint32)), text_of(np.array([97], np.uint8))
    ('aé', b'a')
    """
    content = codes.tobytes()
    return content if codes.dtype == BYTE else content.decode(ENCODING, ERRORS)


def infer_text_append(types: Types, attributes: Attributes) -> Types:
    """A vector, and another one or a scalar of its dtype, give a vector."""
    expect_count("text_append", types, 2)
    text, added = expect_array("text_append", types[0]), types[1]
    if not isinstance(added, ArrayType | ScalarType) or added.dtype != text.dtype or text.rank != 1:
        raise GraphError(f"text_append takes a vector and what it is made of, not {text} and {added}")
    return (ArrayType(text.dtype, dims_of("text_append", attributes, 1)),)


def appended(text: np.ndarray, added: Any, dims: Any = None) -> np.ndarray:
    """Two vectors one behind the other, or one and a number."""
    return np.concatenate((text, np.atleast_1d(added)))


def infer_text_reference(types: Types, attributes: Attributes) -> Types:
    """A vector of code points, or one of them, give a reference to the text, one of bytes to a bytes object; to one of NumPy's, `numpy`."""
    expect_count("text_reference", types, 1)
    found = types[0]
    rank = len(getattr(found, "dims", "1"))
    if not isinstance(found, ArrayType | ScalarType) or found.dtype not in (CODE_POINT, BYTE) or rank != 1:
        raise GraphError(f"text_reference takes code points or bytes, not {found}")
    if attributes.get("numpy"):
        return (NUMPY_BYTES if found.dtype == BYTE else NUMPY_TEXT,)
    return (BYTES if found.dtype == BYTE else TEXT,)


def text_at(codes: Any, numpy: bool = False) -> str | bytes:
    """The text itself, which stands for a reference to it."""
    return (numpy_text if numpy else text_of)(np.atleast_1d(codes))


def numpy_text(codes: Any) -> np.str_ | np.bytes_:
    """A text as NumPy gives it of an item of an array of texts.

    >>> numpy_text(np.array([97, 233], np.uint32)) == np.str_("aé")
    True
    """
    found = text_of(np.asarray(codes))
    return np.str_(found) if isinstance(found, str) else np.bytes_(found)


def expect_reference(name: str, found: Type) -> None:
    """An operand is a reference to a text or a bytes object."""
    if found not in TEXT_REFERENCES:
        raise GraphError(f"{name} takes a reference to a text, not {found}")


def letters_of_reference(text: str | bytes, dims: Any = None, borrowed: bool = True) -> np.ndarray:
    """The code points of what stands for a reference.

    >>> letters_of_reference("aé"), letters_of_reference(b"ab")
    (array([ 97, 233], dtype=uint32), array([97, 98], dtype=uint32))
    """
    return codes_of(text if isinstance(text, str) else text.decode("latin-1"))


def join_references(texts: Any, between: np.ndarray, dims: Any = None) -> np.ndarray:
    """The code points of texts one behind the other, with some between each two of them."""
    parts = [part for text in texts for part in (between, letters_of_reference(text))]
    return np.concatenate(parts[1:]) if parts else codes_of("")


def prefix_of(text: str | bytes) -> int:
    """A number that is no greater where a text comes before another one: a byte for each of the first eight letters, 0 where the text has
    ended, 255 from the first on that has no byte. Texts of the same number are the same where its last byte is 0.

    >>> prefix_of("") < prefix_of("ab") < prefix_of("b") < prefix_of("b日"), prefix_of("b日") == prefix_of("b本")
    (True, True)
    """
    letters = [min(int(code) + 1, NO_BYTE) for code in letters_of_reference(text)[:PREFIX]]
    if NO_BYTE in letters:
        letters[letters.index(NO_BYTE) :] = [NO_BYTE] * PREFIX
    return int.from_bytes(bytes(letters[:PREFIX]).ljust(PREFIX, b"\0"), "big") - (1 << 63)


def prefixes_of(texts: Any, dims: Any = None) -> np.ndarray:
    """Those of the texts of a list."""
    return np.array([prefix_of(text) for text in texts], np.int64)


def infer_text_of_object(types: Types, attributes: Attributes) -> Types:
    """A str gives a reference to its text."""
    expect_count("text_of_object", types, 1)
    expect_type("text_of_object", types[0], OBJECT)
    return (TEXT,)


def infer_text_letters(types: Types, attributes: Attributes) -> Types:
    """A reference gives a vector of code points; those of a bytes object are its bytes."""
    expect_count("text_letters", types, 1)
    expect_reference("text_letters", types[0])
    return (ArrayType(CODE_POINT, dims_of("text_letters", attributes, 1)),)


def infer_text_object(types: Types, attributes: Attributes) -> Types:
    """A reference gives a str or a bytes object."""
    expect_count("text_object", types, 1)
    expect_reference("text_object", types[0])
    return (OBJECT,)


def infer_text_is_same(types: Types, attributes: Attributes) -> Types:
    """Two references of a type give a bool."""
    expect_count("text_is_same", types, 2)
    expect_reference("text_is_same", types[0])
    expect_type("text_is_same", types[1], types[0])
    return (BOOL,)


def infer_text_order(types: Types, attributes: Attributes) -> Types:
    """Two references give an int."""
    infer_text_is_same(types, attributes)
    return (I64,)


def infer_text_prefixes(types: Types, attributes: Attributes) -> Types:
    """A list of references gives a vector of ints."""
    expect_count("text_prefixes", types, 1)
    expect_reference("text_prefixes", expect_list("text_prefixes", types[0]).elem)
    return (ArrayType(I64.dtype, dims_of("text_prefixes", attributes, 1)),)


def infer_text_join(types: Types, attributes: Attributes) -> Types:
    """A list of references, and the code points between each two of them, give code points."""
    expect_count("text_join", types, 2)
    expect_reference("text_join", expect_list("text_join", types[0]).elem)
    expect_array("text_join", types[1])
    return (ArrayType(CODE_POINT, dims_of("text_join", attributes, 1)),)


text_codes = define_op("text_codes", infer=infer_text_codes, eager=codes_of, derivative=BY_STRUCTURE)
text_of_codes = define_op("text_of_codes", infer=infer_text_of_codes, eager=text_of, derivative=BY_STRUCTURE)
# Its result may share memory with its first operand, which nobody sees: nothing writes to texts, nor computes in their memory.
text_append = define_op("text_append", infer=infer_text_append, eager=appended, derivative=BY_STRUCTURE)
# Equal texts have one reference within a call, whether they were met before or not.
text_reference = define_op("text_reference", infer=infer_text_reference, eager=text_at, derivative=BY_STRUCTURE)
text_of_object = define_op("text_of_object", infer=infer_text_of_object, eager=lambda text: text, derivative=BY_STRUCTURE)
text_letters = define_op(
    "text_letters", infer=infer_text_letters, eager=letters_of_reference, derivative=BY_STRUCTURE
)
text_object = define_op("text_object", infer=infer_text_object, eager=lambda text: text, derivative=BY_STRUCTURE)
text_is_same = define_op("text_is_same", infer=infer_text_is_same, eager=lambda x, y: np.bool_(x == y), derivative=BY_STRUCTURE)
text_order = define_op(  # of its result only the sign has a meaning
    "text_order",
    infer=infer_text_order,
    eager=lambda x, y: np.int64((x > y) - (x < y)),
    derivative=BY_STRUCTURE,
)
text_join = define_op(
    "text_join",
    infer=infer_text_join,
    eager=join_references,
    derivative=BY_STRUCTURE,
)
text_prefixes = define_op("text_prefixes", infer=infer_text_prefixes, eager=prefixes_of, derivative=BY_STRUCTURE)
