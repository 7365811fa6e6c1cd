"""`int.from_bytes` and `int.to_bytes` of a few bytes, whose numbers 64 bits hold; Python takes the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.in_c import FOUND
from autograph_jit.tracing.arrays.register import METHODS
from autograph_jit.tracing.expressions.calls import native
from autograph_jit.tracing.expressions.register import INT_METHODS, builtin, convert_on_call, for_c
from autograph_jit.tracing.texts.text import Bytes, as_object
from autograph_jit.tracing.values.abstract import StagedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_number, scalar, truth

ORDERS = ("big", "little")
MOST_READ, MOST_MADE = 7, 8  # bytes: a number of eight may be beyond an int64


def error_of(number: int) -> OverflowError:
    """What Python raises for a number that one byte does not hold."""
    try:
        number.to_bytes(1, "big")
    except OverflowError as error:
        return error
    raise AssertionError(f"{number} is a byte")


NEGATIVE, TOO_BIG = error_of(-1), error_of(256)


def number_in_bytes(x: Any, is_big: bool) -> Any:
    """The number that a few bytes are."""
    n, number = len(x), 0
    for i in range(n):
        number = number * 256 + int(x[i] if is_big else x[n - 1 - i])
    return number


def last_bytes(number: Any, n: int, is_big: bool) -> Any:
    """The last bytes of a number."""
    made = np.empty(n, np.uint8)
    for i in range(n):
        made[n - 1 - i if is_big else i] = number & 255
        number = number >> 8
    return made


for _written in (number_in_bytes, last_bytes):
    builtin(_written)(for_c(convert_on_call(_written), FOUND))


@builtin(int.from_bytes)
def staged_from_bytes(x: Any, byteorder: Any = "big", *, signed: Any = False) -> Any:
    is_plain = isinstance(x, Bytes) and byteorder in ORDERS and signed is False
    if not is_plain or x.most() is None or x.most() > MOST_READ:
        return native(int.from_bytes, (as_object(x), byteorder), {"signed": signed})
    number = language.call(number_in_bytes, (x.codes, byteorder == "big"), None)
    return scalar(lift_number(number), True, bits=8 * x.most())


def staged_to_bytes(x: StagedScalar, length: Any = 1, byteorder: Any = "big", *, signed: Any = False) -> Any:
    """`x.to_bytes(length, byteorder)` of a Python int."""
    if type(length) is not int or not 0 < length <= MOST_MADE or byteorder not in ORDERS or signed is not False:
        return METHODS["host method"](x, "to_bytes", length, byteorder, signed=signed)
    check(truth(language.compare(">=", x, 0)), OverflowError, str(NEGATIVE))
    if length < MOST_MADE:
        check(truth(language.compare("<", x, 256**length)), OverflowError, str(TOO_BIG))
    return Bytes(language.call(last_bytes, (x, length, byteorder == "big"), None))


INT_METHODS["to_bytes"] = staged_to_bytes
