"""Searches in vectors of code points or bytes: written in Python and converted like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def equals(x: Any, y: Any) -> Any:
    """Whether two vectors hold the same."""
    n = len(x)
    if n != len(y):
        return False
    for i in range(n):
        if x[i] != y[i]:
            return False
    return True


def order(x: Any, y: Any) -> Any:
    """-1, 0 or 1: where the first difference, or the end of the shorter, puts x against y."""
    n, m = len(x), len(y)
    for i in range(min(n, m)):
        if x[i] != y[i]:
            return -1 if x[i] < y[i] else 1
    return -1 if n < m else (1 if n > m else 0)


def clipped(bound: Any, n: Any) -> Any:
    """A bound of a slice, counted from the end where it is negative, and no further out than the vector goes."""
    if bound < 0:
        bound = bound + n
    return min(max(bound, 0), n)


def is_at(x: Any, part: Any, position: Any) -> Any:
    """Whether a vector that is long enough holds a part at a position."""
    for i in range(len(part)):
        if x[position + i] != part[i]:
            return False
    return True


def next_of(x: Any, code: Any, low: Any, high: Any) -> Any:
    """The first position between two bounds at which a code stands, the upper bound where there is none: sixteen positions at once."""
    is_there = False
    while low + 16 <= high and not is_there:
        for k in range(16):
            is_there = is_there or x[low + k] == code
        low += 0 if is_there else 16
    while low < high and x[low] != code:
        low += 1
    return low


def find(x: Any, part: Any, start: Any, stop: Any) -> Any:
    """The first position between two bounds at which a part stands; -1 where it does not."""
    n, m = len(x), len(part)
    if start > n:
        return -1
    low, high = clipped(start, n), clipped(stop, n)
    if m == 0:
        return low if low <= high else -1
    while low + m <= high:
        low = next_of(x, part[0], low, high - m + 1)
        if low + m <= high:
            if m == 1 or is_at(x, part, low):
                return low
            low += 1
    return -1


def rfind(x: Any, part: Any, start: Any, stop: Any) -> Any:
    """The last position between two bounds at which a part stands; -1 where it does not."""
    n, m = len(x), len(part)
    if start > n:
        return -1
    low, high = clipped(start, n), clipped(stop, n) - m
    while high >= low:
        if is_at(x, part, high):
            return high
        high -= 1
    return -1


def count(x: Any, part: Any, start: Any, stop: Any) -> Any:
    """How often a part stands between two bounds, one behind the other; an empty part before every letter and at the end."""
    n, m = len(x), len(part)
    if start > n:
        return 0
    low, high = clipped(start, n), clipped(stop, n)
    if m == 0:
        return max(high - low + 1, 0)
    found = 0
    while low + m <= high:
        if is_at(x, part, low):
            found += 1
            low += m
        else:
            low += 1
    return found


def starts_with(x: Any, part: Any, start: Any, stop: Any) -> Any:
    """Whether what is between two bounds begins with a part."""
    n, m = len(x), len(part)
    if start > n:
        return False
    low, high = clipped(start, n), clipped(stop, n)
    return low + m <= high and is_at(x, part, low)


def ends_with(x: Any, part: Any, start: Any, stop: Any) -> Any:
    """Whether what is between two bounds ends with a part."""
    n, m = len(x), len(part)
    if start > n:
        return False
    low, high = clipped(start, n), clipped(stop, n)
    return low + m <= high and is_at(x, part, high - m)


def contains_code(x: Any, code: Any) -> Any:
    """Whether a code stands in a vector."""
    for i in range(len(x)):
        if x[i] == code:
            return True
    return False


def decimal_digits(number: Any) -> Any:
    """The code points of a number in the decimal system."""
    size, rest = 1 if number <= 0 else 0, number
    while rest != 0:
        size += 1
        rest = (rest + (10 - rest % 10) % 10) // 10 if rest < 0 else rest // 10
    made = np.empty(size, np.uint32)
    if number == 0:
        made[0] = 48
    if number < 0:
        made[0] = 45
    rest = number
    while rest != 0:
        size -= 1
        digit = (10 - rest % 10) % 10 if rest < 0 else rest % 10
        rest = (rest + digit) // 10 if rest < 0 else rest // 10
        made[size] = 48 + digit
    return made


def decimal(x: Any) -> Any:
    """The number that decimal digits after a sign are, and whether they are one that 60 bits hold."""
    n = len(x)
    start = 1 if n > 0 and (x[0] == 45 or x[0] == 43) else 0
    number = 0
    if n == start or n - start > 18:
        return 0, False
    for i in range(start, n):
        if x[i] < 48 or x[i] > 57:
            return 0, False
        number = number * 10 + (int(x[i]) - 48)
    return (-number if x[0] == 45 else number), True


def in_base(x: Any, base: Any) -> Any:
    """The number that digits of a base after a sign are, and whether they are one that 62 bits hold, without a prefix."""
    n = len(x)
    start = 1 if n > 0 and (x[0] == 45 or x[0] == 43) else 0
    number = 0
    for i in range(start, n):
        code = int(x[i])
        digit = code - 48 if code <= 57 else (code | 32) - 87
        if digit < 0 or digit >= base or (code > 57 and digit < 10) or number >= 72057594037927936:
            return 0, False
        number = number * base + digit
    return (-number if n > 0 and x[0] == 45 else number), n > start


def power_of_ten(x: Any, place: Any) -> Any:
    """The power of ten that an `e` at a place begins, and whether what follows is a number of at most three digits."""
    negative = place + 1 < len(x) and x[place + 1] == 45
    start = place + 2 if negative or place + 1 < len(x) and x[place + 1] == 43 else place + 1
    power = 0
    if len(x) == start or len(x) - start > 3:
        return 0, False
    for i in range(start, len(x)):
        if x[i] < 48 or x[i] > 57:
            return 0, False
        power = power * 10 + (int(x[i]) - 48)
    return (-power if negative else power), True


def floating(x: Any) -> Any:
    """The float that letters are, and whether it is known. With digits that 53 bits hold and a power of ten of at most 22, both are floats
    as they are, and one operation on them rounds once (W. Clinger, "How to read floating point numbers accurately", 1990)."""
    n, digits, power, is_known = len(x), 0.0, 0, True
    i = first = 1 if n > 0 and (x[0] == 45 or x[0] == 43) else 0
    while i < n and x[i] >= 48 and x[i] <= 57:
        digits = digits * 10.0 + (int(x[i]) - 48)
        i += 1
    point = i
    if i < n and x[i] == 46:
        i += 1
        while i < n and x[i] >= 48 and x[i] <= 57:
            digits = digits * 10.0 + (int(x[i]) - 48)
            i += 1
    end = i
    if i < n:
        power, is_known = power_of_ten(x, i)
        is_known = is_known and (x[i] == 101 or x[i] == 69)
    power -= max(end - 1 - point, 0)
    if not is_known or end - first <= (1 if end > point else 0) or digits >= 9007199254740992.0 or power < -22 or power > 22:
        return 0.0, False
    scale = 1.0
    for _ in range(abs(power)):
        scale *= 10.0
    found = digits / scale if power < 0 else digits * scale
    return (-found if x[0] == 45 else found), True


def stripped(x: Any, unwanted: Any, left: bool, right: bool) -> Any:
    """The bounds of what is left without unwanted codes at the ends."""
    low, high = 0, len(x)
    if left:
        while low < high and contains_code(unwanted, x[low]):
            low += 1
    if right:
        while low < high and contains_code(unwanted, x[high - 1]):
            high -= 1
    return low, high


def spread(x: Any, between: Any) -> Any:
    """The items of a vector with another one between each two."""
    n, m = len(x), len(between)
    size = n + (n - 1) * m if n > 0 else 0
    made = np.empty(size, x.dtype)
    place = 0
    for i in range(n):
        if i > 0:
            for k in range(m):
                made[place] = between[k]
                place += 1
        made[place] = x[i]
        place += 1
    return made


def all_have(x: Any, table: Any, of_none: bool) -> Any:
    """1 or 0: whether a table says yes of all codes (of none of them `of_none`); -1 where one stands beyond the table."""
    n = len(x)
    found = 1 if n > 0 or of_none else 0
    for i in range(n):
        if x[i] >= len(table):
            return -1
        if table[x[i]] == 0:
            found = 0
    return found


def are_cased(x: Any, wanted: Any, unwanted: Any) -> Any:
    """1 or 0: whether one table says yes of some code, and the other of none; -1 where one stands beyond the tables."""
    found, refused = 0, False
    for i in range(len(x)):
        if x[i] >= len(wanted):
            return -1
        if wanted[x[i]] != 0:
            found = 1
        if unwanted[x[i]] != 0:
            refused = True
    return 0 if refused else found


def mapped(x: Any, table: Any) -> Any:
    """The codes that a table has for those of a vector, and whether it has one for each."""
    n = len(x)
    made = np.empty(n, x.dtype)
    for i in range(n):
        if x[i] >= len(table) or table[x[i]] < 0:
            return made, False
        made[i] = table[x[i]]
    return made, True


def are_bytes(x: Any) -> Any:
    """Whether all numbers are from 0 to 255."""
    for i in range(len(x)):
        if x[i] < 0 or x[i] > 255:
            return False
    return True


def without_nulls(x: Any) -> Any:
    """How many codes there are before the zeros at the end, which are none of an item of an array of texts."""
    n = len(x)
    while n > 0 and x[n - 1] == 0:
        n -= 1
    return n


def put_letters(x: Any, part: Any) -> None:
    """Put the codes of a text into an item of an array of texts, as many as it has room for, and zeros behind them."""
    m = len(part)
    for i in range(len(x)):
        x[i] = part[i] if i < m else 0


def rows_equal(rows: Any, part: Any) -> Any:
    """Which items of an array of texts are a text."""
    count, room = rows.shape
    m = without_nulls(part)
    made = np.zeros(count, np.bool_)
    for i in range(count):
        if m <= room and (m == room or rows[i, m] == 0):
            made[i] = without_nulls(rows[i]) == m and is_at(rows[i], part[:m], 0)
    return made


CONVERTED: tuple[Callable[..., Any], ...] = (
    without_nulls,
    put_letters,
    rows_equal,
    equals,
    order,
    clipped,
    is_at,
    next_of,
    find,
    rfind,
    count,
    starts_with,
    ends_with,
    contains_code,
    stripped,
    spread,
    decimal_digits,
    decimal,
    in_base,
    power_of_ten,
    floating,
    all_have,
    are_cased,
    mapped,
    are_bytes,
)
