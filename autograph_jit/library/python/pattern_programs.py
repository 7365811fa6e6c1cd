"""Programs of regular expressions for the machine in `tracing.texts.pattern_machine`, made of what Python's parser says of a pattern.

`a+b|c` is `PEEK {a} next; RUN {a} 1; CHAR b; JUMP end; next: CHAR c; end: DONE`. A table has a row of 257 entries for each set of letters:
whether each letter of Latin-1 is in it, and all others, by asking Python's own patterns. Where the letters that may follow tell the ways
apart, no way back is noted.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import numpy as np

from autograph_jit.records import dataclass
from autograph_jit.tracing.texts import pattern_machine as machine
from autograph_jit.tracing.texts.pattern_machine import LATIN, UNKNOWN

LONGEST, MOST = 2000, 2**31
SINGLE = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
ASSERTIONS = {
    _constants.AT_BEGINNING: (machine.BEGIN, machine.BEGIN_LINE),
    _constants.AT_BEGINNING_STRING: (machine.BEGIN, machine.BEGIN),
    _constants.AT_END: (machine.END, machine.END_LINE),
    _constants.AT_END_STRING: (machine.END_TEXT, machine.END_TEXT),
    _constants.AT_BOUNDARY: (machine.BOUNDARY, machine.BOUNDARY),
    _constants.AT_NON_BOUNDARY: (machine.NO_BOUNDARY, machine.NO_BOUNDARY),
}
Letters = np.ndarray | None  # for each entry whether a match may begin with it; None where it may be empty


class NoProgram(Exception):
    """A pattern has what the machine does not know."""


@dataclass(frozen=True, slots=True)
class PatternProgram:
    """The program and tables of a pattern, how many marks it has, which groups each match has, and whether each has any."""

    program: np.ndarray
    tables: np.ndarray
    size: int
    certain: frozenset[int]
    closes: bool


@functools.lru_cache(maxsize=256)
def program_of(pattern: re.Pattern[str]) -> PatternProgram | None:
    """The program of a pattern; None where it is Python's."""
    if not isinstance(pattern.pattern, str) or pattern.flags & re.LOCALE:
        return None
    try:
        parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        maker = Maker(parsed.state, dict(numbered(list(parsed), pattern.flags)))
        maker.code.append(-1)
        maker.sequence(list(parsed), pattern.flags, None)
        maker.code.append(machine.DONE)
        first = maker.first(list(parsed), pattern.flags, None)
        maker.code[0] = -1 if first is None else maker.row(first)
    except NoProgram:
        return None
    tables, nodes = np.concatenate([*maker.tables, np.zeros(1, np.uint8)]), list(parsed)
    return PatternProgram(np.array(maker.code), tables, 2 * pattern.groups + 3, frozenset(certain_groups(nodes)), closes(nodes))


def certain_groups(nodes: list[Any]) -> set[int]:
    """The groups that every match has."""
    found = set[int]()
    for op, value in nodes:
        if op is _constants.SUBPATTERN:
            found |= certain_groups(list(value[3])) | ({value[0]} if value[0] is not None else set())
        elif op in (_constants.MAX_REPEAT, _constants.MIN_REPEAT) and value[0] > 0:
            found |= certain_groups(list(value[2]))
    return found


def numbered(nodes: list[Any], flags: int) -> Iterator[tuple[int, tuple[list[Any], int]]]:
    """The numbered groups of a sequence, each with its parts and flags."""
    for op, value in nodes:
        if op is _constants.SUBPATTERN:
            inside, own = list(value[3]), inner_flags(flags, value)
            if value[0] is not None:
                yield value[0], (inside, own)
            yield from numbered(inside, own)
        elif op is _constants.BRANCH:
            for way in value[1]:
                yield from numbered(list(way), flags)
        elif op in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            yield from numbered(list(value[2]), flags)


def closes(nodes: list[Any]) -> bool:
    """Whether each match of a sequence has some numbered group."""
    for op, value in nodes:
        if op is _constants.SUBPATTERN and (value[0] is not None or closes(list(value[3]))):
            return True
        if op is _constants.BRANCH and all(closes(list(each)) for each in value[1]):
            return True
        if op in (_constants.MAX_REPEAT, _constants.MIN_REPEAT) and value[0] > 0 and closes(list(value[2])):
            return True
    return False


class Maker:
    """A program that is being made."""

    def __init__(self, state: Any, groups: dict[int, tuple[list[Any], int]]) -> None:
        self.state, self.groups = state, groups
        self.code: list[int] = []
        self.tables: list[np.ndarray] = []

    def row(self, table: np.ndarray) -> int:
        """The number of a table."""
        for number, known in enumerate(self.tables):
            if np.array_equal(known, table):
                return number
        self.tables.append(table)
        return len(self.tables) - 1

    def emit(self, *numbers: int) -> int:
        """Append to the program; the place of the last number."""
        self.code += numbers
        if len(self.code) > LONGEST:
            raise NoProgram
        return len(self.code) - 1

    def letters(self, node: Any, flags: int) -> np.ndarray:
        """The table of a part that takes one letter: Python's own patterns say which."""
        part = _parser.SubPattern(self.state, [node])
        single: Any = _compiler.compile(part, flags & ~re.DEBUG)
        entries = [single.match(chr(code)) is not None for code in range(LATIN)]
        return np.array([*entries, beyond(node, flags)], np.uint8)

    def first(self, nodes: list[Any], flags: int, follow: Letters) -> Letters:
        """What may stand where a sequence begins, before what follows it."""
        if not nodes:
            return follow
        (op, value), rest = nodes[0], nodes[1:]
        if op in SINGLE:
            return self.letters(nodes[0], flags)
        if op is _constants.AT:
            return self.first(rest, flags, follow)
        if op is _constants.SUBPATTERN:
            return self.first(list(value[3]), inner_flags(flags, value), self.first(rest, flags, follow))
        if op is _constants.BRANCH:
            behind = self.first(rest, flags, follow)
            return union([self.first(list(each), flags, behind) for each in value[1]])
        if op in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            behind = self.first(rest, flags, follow)
            inside = self.first(list(value[2]), flags, behind)
            return inside if value[0] > 0 else union([inside, behind])
        return self.first(*self.groups[value], None) if op is _constants.GROUPREF and not flags & re.IGNORECASE else None

    def sequence(self, nodes: list[Any], flags: int, follow: Letters) -> None:
        """The parts of a sequence one after the other."""
        for place, node in enumerate(nodes):
            self.part(node, flags, self.first(nodes[place + 1 :], flags, follow))

    def part(self, node: Any, flags: int, follow: Letters) -> None:
        """One part, before what may follow it."""
        op, value = node
        if op is _constants.LITERAL and not flags & re.IGNORECASE:
            self.emit(machine.CHAR, value)
        elif op in SINGLE:
            self.emit(machine.SET, self.row(self.letters(node, flags)))
        elif op is _constants.SUBPATTERN:
            self.group(value, flags, follow)
        elif op is _constants.BRANCH:
            self.branch([list(each) for each in value[1]], flags, follow)
        elif op is _constants.MAX_REPEAT and len(value[2]) == 1 and value[2][0][0] in SINGLE:
            table = self.letters(value[2][0], flags)
            self.emit(machine.RUN, self.row(table), min(value[0], MOST), min(int(value[1]), MOST), int(are_disjoint(table, follow)))
        elif op is _constants.MIN_REPEAT and len(value[2]) == 1 and value[2][0][0] in SINGLE:
            row, behind = self.row(self.letters(value[2][0], flags)), -1 if follow is None else self.row(follow)
            self.emit(machine.LAZY, row, min(value[0], MOST), min(int(value[1]), MOST), behind)
        elif op in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            self.repeat(op is _constants.MAX_REPEAT, int(value[0]), value[1], list(value[2]), flags, follow)
        elif op is _constants.AT and value in ASSERTIONS:
            kind = ASSERTIONS[value][bool(flags & re.MULTILINE)]
            word = self.row(self.letters((_constants.IN, [(_constants.CATEGORY, _constants.CATEGORY_WORD)]), flags))
            self.emit(machine.AT, kind, word)
        elif op is _constants.GROUPREF and not flags & re.IGNORECASE:
            self.emit(machine.REF, 2 * value)
        else:
            raise NoProgram

    def group(self, value: Any, flags: int, follow: Letters) -> None:
        """A group, with marks where it is numbered."""
        number = value[0]
        if number is not None:
            self.emit(machine.MARK, 2 * number)
        self.sequence(list(value[3]), inner_flags(flags, value), follow)
        if number is not None:
            self.emit(machine.MARK, 2 * number + 1)

    def branch(self, ways: list[list[Any]], flags: int, follow: Letters) -> None:
        """Several ways: the next one where a letter does not fit, or as a way back."""
        firsts = [self.first(way, flags, follow) for way in ways]
        ends = []
        for place, way in enumerate(ways[:-1]):
            fixed = self.choice(firsts[place], union(firsts[place + 1 :]))
            self.sequence(way, flags, follow)
            ends.append(self.emit(machine.JUMP, 0))
            for each in fixed:
                self.code[each] = len(self.code)
        self.sequence(ways[-1], flags, follow)
        for end in ends:
            self.code[end] = len(self.code)

    def choice(self, first: Letters, others: Letters) -> list[int]:
        """Go on where a letter fits, with another way back where that might fit, too; the places that are to name the other way."""
        fixed = []
        if first is not None:
            fixed.append(self.emit(machine.PEEK, self.row(first), 0))
        if first is None or not are_disjoint(first, others):
            fixed.append(self.emit(machine.SPLIT, 0))
        return fixed

    def repeat(self, is_greedy: bool, least: int, most: Any, nodes: list[Any], flags: int, follow: Letters) -> None:
        """A part again and again, which is never empty."""
        inside = self.first(nodes, flags, None)
        if inside is None:
            raise NoProgram
        behind = union([inside, follow])
        for _ in range(least):
            self.sequence(nodes, flags, behind)
        exits = []
        is_endless = most is _constants.MAXREPEAT
        for _ in range(1 if is_endless else int(most) - least):
            begin = len(self.code)
            if is_greedy:
                exits += self.choice(inside, follow)
            else:
                body = self.emit(machine.SPLIT, 0)
                exits.append(self.emit(machine.JUMP, 0))
                self.code[body] = len(self.code)
            self.sequence(nodes, flags, behind)
            if is_endless:
                self.emit(machine.JUMP, begin)
        for place in exits:
            self.code[place] = len(self.code)


def inner_flags(flags: int, value: Any) -> int:
    """The flags inside of a group."""
    return (flags | value[1]) & ~value[2]


def union(tables: list[Letters]) -> Letters:
    """What may stand in any of several places."""
    if any(table is None for table in tables):
        return None
    return functools.reduce(np.maximum, [table for table in tables if table is not None])


def are_disjoint(first: Letters, second: Letters) -> bool:
    """Whether no letter may stand in both."""
    return first is not None and second is not None and not np.any((first > 0) & (second > 0))


def beyond(node: Any, flags: int) -> int:
    """Whether letters beyond Latin-1 are among those of a part: 1 or 0, UNKNOWN where only some are."""
    op, value = node
    if op is _constants.ANY:
        return 1
    if flags & re.IGNORECASE:
        return UNKNOWN
    if op in (_constants.LITERAL, _constants.NOT_LITERAL):
        return UNKNOWN if value >= LATIN else int(op is _constants.NOT_LITERAL)
    is_negated = bool(value) and value[0][0] is _constants.NEGATE
    for kind, part in value[is_negated:]:
        if not (kind is _constants.LITERAL and part < LATIN or kind is _constants.RANGE and part[1] < LATIN):
            return UNKNOWN
    return int(is_negated)
