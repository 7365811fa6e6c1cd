"""Where a str of ASCII letters has its letters: found by looking at some, since no word of Python's C interface tells it."""

from __future__ import annotations

import ctypes
import sys

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.once import once
from autograph_jit.records import dataclass

STR_SIZE = symbols.OBJECT_SIZE  # bytes behind the address of a str: its number of letters
STR_HASH = symbols.OBJECT_SIZE + 8  # its hash, -1 until somebody has asked for it
STATE = symbols.OBJECT_SIZE + 16  # a word of bits: behind that and the hash


@dataclass(frozen=True, slots=True)
class StrLayout:
    """Bits of the word `STATE` that are set in a str of one byte a letter, all of them ASCII, and the bytes from its address to these."""

    mask: int
    letters: int


def state_word(text: str) -> int:
    return ctypes.c_uint32.from_address(id(text) + STATE).value


@once
def str_layout() -> StrLayout | None:
    """The layout of this Python's strs; None where looking at some does not tell it."""
    letters = sys.getsizeof("") - 1
    plain = ["".join(chr(97 + (7 * k + i) % 26) for i in range(size)) for k, size in enumerate((2, 3, 17, 40, 64))]
    others = [text + letter for text in plain for letter in ("\xe9", "\u0101", "\u65e5", "\U0001f600")]
    mask = 0xFFFFFFFF
    for text in plain:
        mask &= state_word(text)
    for bit in (1 << k for k in range(32)):
        if mask & bit and all(not state_word(text) & bit for text in others):
            found = all(ctypes.string_at(id(text) + letters, len(text)) == text.encode() for text in plain)
            sizes = all(ctypes.c_ssize_t.from_address(id(text) + STR_SIZE).value == len(text) for text in (*plain, *others))
            return StrLayout(bit, letters) if found and sizes else None
    return None
