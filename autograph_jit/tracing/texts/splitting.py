"""Texts that are made of parts of one, and one that is made of many: written in Python and converted like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.texts.searching import contains_code, count, find, is_at, rfind


def letters_in(text: Any) -> Any:
    """The code points of a text: its form for texts of the run is `builtins.codes_of_text`."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def is_space(code: Any, table: Any, others: Any) -> Any:
    """Whether a code is white space: one that a table marks, or, beyond the table, one of the others."""
    if code > 32 and code < 128:
        return False
    return table[code] != 0 if code < len(table) else contains_code(others, code)


def ends_line(code: Any, ends: Any) -> Any:
    """Whether a code ends a line."""
    if code > 30 and code < 133:
        return False
    return contains_code(ends, code)


def stripped_of_spaces(x: Any, table: Any, others: Any, left: bool, right: bool) -> Any:
    """The bounds of what is left without white space at the ends."""
    low, high = 0, len(x)
    if left:
        while low < high and is_space(x[low], table, others):
            low += 1
    if right:
        while low < high and is_space(x[high - 1], table, others):
            high -= 1
    return low, high


def split_at_spaces(text: Any, table: Any, others: Any, limit: Any) -> Any:
    """The parts between runs of white space, `limit` of them and the rest; negative: all."""
    made = []
    codes = letters_in(text)
    low, n = 0, len(codes)
    while low < n:
        while low < n and is_space(codes[low], table, others):
            low += 1
        if low == n:
            break
        high = n
        if limit != 0:
            high = low + 1
            while high < n and not is_space(codes[high], table, others):
                high += 1
        made.append(text[low:high])
        limit -= 1
        low = high
        if limit == -1:
            break
    return made


def split_at(text: Any, separator: Any, limit: Any) -> Any:
    """The parts between separators, `limit` of them and the rest; negative: all."""
    made = []
    codes, between = letters_in(text), letters_in(separator)
    low, n, m = 0, len(codes), len(between)
    if m == 0:
        raise ValueError("empty separator")
    while limit != 0:
        high = find(codes, between, low, n)
        if high < 0:
            break
        made.append(text[low:high])
        low = high + m
        limit -= 1
    made.append(text[low:n])
    return made


def split_from_right(text: Any, separator: Any, limit: Any) -> Any:
    """The same from the end."""
    made = []
    codes, between = letters_in(text), letters_in(separator)
    high, m = len(codes), len(between)
    if m == 0:
        raise ValueError("empty separator")
    while limit != 0:
        low = rfind(codes, between, 0, high)
        if low < 0:
            break
        made.append(text[low + m : high])
        high = low
        limit -= 1
    made.append(text[0:high])
    made.reverse()
    return made


def split_lines(text: Any, ends: Any, keeps: Any) -> Any:
    """The lines, with what ends them where it is kept."""
    made = []
    codes = letters_in(text)
    low, n = 0, len(codes)
    while low < n:
        high = low
        while high < n and not ends_line(codes[high], ends):
            high += 1
        stop = high
        if high < n:
            stop = high + 2 if codes[high] == 13 and high + 1 < n and codes[high + 1] == 10 else high + 1
        made.append(text[low : stop if keeps else high])
        low = stop
    return made


def replaced(codes: Any, old: Any, new: Any, limit: Any) -> Any:
    """The codes with new ones in the place of old ones, which are not none, `limit` times; negative: everywhere."""
    n, m, k = len(codes), len(old), len(new)
    times = count(codes, old, 0, n)
    if limit >= 0:
        times = min(times, limit)
    made = np.empty(n + times * (k - m), codes.dtype)
    place, low = 0, 0
    while low < n:
        if times > 0 and low + m <= n and is_at(codes, old, low):
            for i in range(k):
                made[place + i] = new[i]
            place += k
            low += m
            times -= 1
        else:
            made[place] = codes[low]
            place += 1
            low += 1
    return made


def partition(text: Any, sep: Any) -> Any:
    """What stands before a separator, the separator, and what stands behind it."""
    codes, between = letters_in(text), letters_in(sep)
    if len(between) == 0:
        raise ValueError("empty separator")
    place = find(codes, between, 0, len(codes))
    if place < 0:
        return text, text[:0], text[:0]
    return text[:place], sep, text[place + len(between) :]


def partition_from_right(text: Any, sep: Any) -> Any:
    """The same of the last separator."""
    codes, between = letters_in(text), letters_in(sep)
    if len(between) == 0:
        raise ValueError("empty separator")
    place = rfind(codes, between, 0, len(codes))
    if place < 0:
        return text[:0], text[:0], text
    return text[:place], sep, text[place + len(between) :]


def between(codes: Any, fill: Any, before: Any, more: Any) -> Any:
    """The codes with so many more of one kind, some of them before."""
    n = len(codes)
    made = np.empty(n + more, np.uint32)
    for i in range(before):
        made[i] = fill
    for i in range(n):
        made[before + i] = codes[i]
    for i in range(before + n, n + more):
        made[i] = fill
    return made


def zero_filled(codes: Any, width: Any) -> Any:
    """The codes with zeros in front of them, but behind a sign."""
    n = len(codes)
    more = max(width - n, 0)
    made = np.empty(n + more, np.uint32)
    sign = 1 if more > 0 and n > 0 and (codes[0] == 43 or codes[0] == 45) else 0
    for i in range(sign):
        made[i] = codes[i]
    for i in range(more):
        made[sign + i] = 48
    for i in range(sign, n):
        made[more + i] = codes[i]
    return made


def titled(codes: Any, first: Any, others: Any, cased: Any) -> Any:
    """The codes by one table at the beginning of a word, by another one in it, and whether the tables have one for each."""
    n = len(codes)
    made = np.empty(n, codes.dtype)
    is_inside = False
    for i in range(n):
        if codes[i] >= len(first):
            return made, False
        changed = others[codes[i]] if is_inside else first[codes[i]]
        if changed < 0:
            return made, False
        made[i] = changed
        is_inside = cased[codes[i]] != 0
    return made, True


def translated(codes: Any, table: Any) -> Any:
    """The codes that a table has for those of a vector, without those for which it has -2, and whether it has one for each."""
    n = len(codes)
    made = np.empty(n, codes.dtype)
    count = 0
    for i in range(n):
        if codes[i] >= len(table) or table[codes[i]] == -1:
            return made, False
        if table[codes[i]] >= 0:
            made[count] = table[codes[i]]
            count += 1
    return made[:count], True


def position_of(items: Any, item: Any, start: Any, stop: Any) -> Any:
    """Where an item stands first between two places; -1 where it does not."""
    for place in range(start, min(stop, len(items))):
        if items[place] == item:
            return place
    return -1


def times_of(items: Any, item: Any) -> Any:
    """How often an item stands in a list."""
    found = 0
    for place in range(len(items)):
        if items[place] == item:
            found += 1
    return found


def are_same(items: Any, others: Any) -> bool:
    """Whether two lists hold equal items."""
    if len(items) != len(others):
        return False
    for place in range(len(items)):  # noqa: SIM110  # a loop, which is compiled
        if items[place] != others[place]:
            return False
    return True


def lists_in_order(items: Any, others: Any, compare: Callable[[Any, Any], Any]) -> Any:
    """`compare` of the first items of two lists that differ, of their lengths where none do."""
    for place in range(min(len(items), len(others))):
        if items[place] != others[place]:
            return compare(items[place], others[place])
    return compare(len(items), len(others))


IN_LISTS: tuple[Callable[..., Any], ...] = (position_of, times_of, are_same, lists_in_order)
FOUND: tuple[Callable[..., Any], ...] = (replaced, between, zero_filled, titled, translated)
SPACED: tuple[Callable[..., Any], ...] = (is_space, ends_line, stripped_of_spaces)
PARTED: tuple[Callable[..., Any], ...] = (split_at_spaces, split_at, split_from_right, split_lines, partition, partition_from_right)
