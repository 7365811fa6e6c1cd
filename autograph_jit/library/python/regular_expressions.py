"""`re`: searches of known patterns in texts of the run, and the matches that they give, by the machine for patterns."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterator
from re import _parser  # type: ignore[attr-defined]
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.in_c import MATCHED
from autograph_jit.ir.types import I64
from autograph_jit.library.python.pattern_programs import PatternProgram, program_of
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.journal import note_created
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.control.generators import start
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c, shared_on_call
from autograph_jit.tracing.hosting.host_calls import host
from autograph_jit.tracing.objects.opaque import OF_CONSTANTS
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.texts import letters, pattern_machine
from autograph_jit.tracing.texts.constants import expect_data
from autograph_jit.tracing.texts.pattern_machine import ASK, NO_MATCH, match_program
from autograph_jit.tracing.texts.text import Text, as_text, literal
from autograph_jit.tracing.values.abstract import Maybe, StagedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_number, scalar
from autograph_jit.tracing.values.trace import active, constant, emit, in_c, user_span

MODES = ("match", "fullmatch", "search")


class FoundMatch:
    """A match of the run: the text, and where it and its groups begin and end."""

    __rebuilt_type__ = re.Match

    def __init__(self, pattern: re.Pattern[str], how: tuple[Any, ...], string: Text, marks: tuple[Any, ...]) -> None:
        self.re, self.how, self.string, self.marks = pattern, how, string, marks
        note_created(active(), self)

    def __getattr__(self, name: str) -> Any:
        """What is computed where it is asked for; properties would be looked at by every call."""
        if name in ("lastindex", "lastgroup"):
            return self.last_index() if name == "lastindex" else self.last_group()
        if name in ("pos", "endpos"):
            return self.how[1 + (name == "endpos")]
        if name.startswith("__") or not hasattr(re.Match, name):
            raise AttributeError(f"'re.Match' object has no attribute '{name}'")
        raise self.refusal(f"`{name}` of a match")

    def __eq__(self, other: object) -> bool:
        raise self.refusal("`==` of matches")

    def __hash__(self) -> int:
        raise self.refusal("`hash` of a match")

    def refusal(self, what: str) -> ConversionError:
        return ConversionError(what, user_span(), "compiled code has the places that it found alone", "ask for its groups")

    def __made_by__(self) -> MatchOf:
        return MatchOf(self.re, self.how[0])

    def __parts__(self) -> Any:
        made_by = self.__made_by__()
        return made_by, [*self.how[1:], self.string, *self.marks], made_by._make

    def __template__(self, template: Any) -> Rebuild:
        pattern, mode = self.re, self.how[0]
        build = template.of((*self.how[1:], self.string, self.marks[0]))

        def rebuilt(values: Any) -> Any:
            place, end, string, begin = build(values)
            if mode != "finditer":
                return getattr(pattern, mode)(string, place, end)
            return next(found for found in pattern.finditer(string, place, end) if found.start() == begin)

        return rebuilt

    def number(self, group: Any) -> int:
        """The number of a group."""
        if isinstance(group, str):
            group = self.re.groupindex.get(group, -1)
        if isinstance(group, StagedScalar):
            group = operator.index(group)  # which the trace has to know
        if not isinstance(group, int) or not 0 <= group <= self.re.groups:
            raise IndexError("no such group")
        return int(group)

    def has(self, number: int) -> bool:
        """Whether each match has a group."""
        return number == 0 or number in known_program(self.re).certain

    def part(self, number: int) -> Any:
        """The text of a group that there is."""
        return language.getitem(self.string, slice(self.marks[2 * number], self.marks[2 * number + 1]))

    @acts_for_program
    def one(self, group: Any, otherwise: Any = None) -> Any:
        """A group, by its number or name."""
        if isinstance(group, Text):
            is_last = getattr(group, "told_by", None) is self.marks[-1].value
            return self.last_one() if is_last else self.by_names(group, sorted(self.re.groupindex), otherwise)
        number = self.number(group)
        if self.has(number):
            return self.part(number)
        is_there = language.compare(">=", self.marks[2 * number], 0)
        if otherwise is None:
            return Maybe(is_there, self.part(number), None)
        return language.if_exp(is_there, lambda: self.part(number), lambda: otherwise)

    def last_one(self) -> Any:
        """The group that was closed last, where its name has been asked for."""
        numbers = sorted(self.re.groupindex.values())
        return language.getitem(self.string, slice(*(self.mark_of_last(numbers, k) for k in range(2))))

    def mark_of_last(self, numbers: list[int], k: int) -> Any:
        """Where the group that was closed last begins, or ends."""
        number, *others = numbers
        found = self.marks[2 * number + k]
        if not others:
            return found
        return language.if_exp(language.compare("==", self.marks[-1], number), lambda: found, lambda: self.mark_of_last(others, k))

    def by_names(self, name: Text, names: list[str], otherwise: Any) -> Any:
        """The group of a name that only the run knows."""
        if not names:
            raise IndexError("no such group")
        first, *others = names
        return language.if_exp(
            language.compare("==", name, first), lambda: self.one(first, otherwise), lambda: self.by_names(name, others, otherwise)
        )

    def group(self, *groups: Any) -> Any:
        found = tuple(self.one(group) for group in groups or (0,))
        return found if len(found) > 1 else found[0]

    def __getitem__(self, group: Any) -> Any:
        return self.one(group)

    def groups(self, default: Any = None) -> Any:
        return tuple(self.one(number, default) for number in range(1, self.re.groups + 1))

    def groupdict(self, default: Any = None) -> Any:
        return language.call(dict, ([(name, self.one(name, default)) for name in self.re.groupindex],), None)

    @acts_for_program
    def start(self, group: Any = 0) -> Any:
        return self.marks[2 * self.number(group)]

    @acts_for_program
    def end(self, group: Any = 0) -> Any:
        return self.marks[2 * self.number(group) + 1]

    def span(self, group: Any = 0) -> Any:
        return self.start(group), self.end(group)

    def last_index(self) -> Any:
        if not self.re.groups:
            return None
        return Maybe(language.compare(">=", self.marks[-1], 0), self.marks[-1], None)

    def last_group(self) -> Any:
        names = {number: name for name, number in self.re.groupindex.items()}
        found = self.named(sorted(names), names)
        text = found.content if isinstance(found, Maybe) else found
        if isinstance(text, Text):
            text.told_by = self.marks[-1].value
        return found

    def named(self, numbers: list[int], names: dict[int, str]) -> Any:
        """The name of the group that was closed last."""
        if not numbers:
            return None
        first, *others = numbers
        is_first = language.compare("==", self.marks[-1], first)
        if len(names) == self.re.groups and not others and known_program(self.re).closes:
            return as_text(names[first])
        return language.if_exp(is_first, lambda: as_text(names[first]), lambda: self.named(others, names))

    def found(self) -> Any:
        """What `findall` gives of it."""
        texts = tuple(self.one(number, "") for number in range(1, self.re.groups + 1))
        return self.part(0) if not texts else texts[0] if len(texts) == 1 else texts


@dataclass(frozen=True, slots=True)
class MatchOf:
    """What makes a match of its parts: its pattern and the method that found it."""

    pattern: re.Pattern[str]
    mode: str

    def _make(self, items: list[Any]) -> FoundMatch:
        return FoundMatch(self.pattern, (self.mode, *items[:2]), items[2], tuple(items[3:]))


def known_program(pattern: re.Pattern[str]) -> PatternProgram:
    """The program of a pattern that has one."""
    found = program_of(pattern)
    assert found is not None
    return found


def asked(pattern: re.Pattern[str], mode: int, text: str, place: int, end: int, advances: int) -> tuple[int, ...]:
    """What the machine would find, by Python."""
    scanned = (found for found in pattern.finditer(text, place, end) if not advances or found.end() > place)
    found = getattr(pattern, MODES[mode])(text, place, end) if not advances else next(scanned, None)
    if found is None:
        return (NO_MATCH,) * (2 * pattern.groups + 3)
    spans = (each for group in range(pattern.groups + 1) for each in found.span(group))
    return *spans, found.lastindex or -1


def find(pattern: re.Pattern[str], how: tuple[Any, ...], mode: int, text: Text, place: Any, advances: Any) -> Any:
    """The first match from a place on, or None."""
    known, end = known_program(pattern), how[2]
    numbers_given = (StagedScalar(lift_number(x, I64.dtype), True) for x in (place, end, mode, advances, known.size))
    with in_c(MATCHED):
        program, tables = of_any_size(known.program), of_any_size(known.tables)
    marks = language.call(match_program, (program, tables, text.codes, *numbers_given), None)
    numbers = [scalar(emit("load", marks.value, constant(np.int64(k)), proved=True).result, True) for k in range(known.size)]

    def by_python() -> Any:
        types = (I64,) * known.size
        found = host(asked, (pattern, mode, text, place, end, advances), types=types, label=f"Pattern.{how[0]}", pure=True)
        return tuple(StagedScalar(each.value, True) for each in found)

    found = letters.usually(language.compare("!=", numbers[0], ASK), lambda: tuple(numbers), by_python)
    is_there = language.compare(">=", found[0], 0)
    return language.if_exp(is_there, lambda: FoundMatch(pattern, how, text, found), lambda: None)


def of_any_size(x: np.ndarray) -> Any:
    """A vector that is known while tracing, for a function of vectors of any size."""
    return language.getitem(literal(x), slice(0, StagedScalar(constant(np.int64(len(x))), True)))


def bounds_of_search(text: Text, pos: Any = 0, endpos: Any = None) -> tuple[Any, Any]:
    """The bounds of a search, within the text."""
    length = text.length()
    clip = lambda bound: language.call(min, (language.call(max, (bound, 0), None), length), None)  # noqa: E731
    return 0 if type(pos) is int and pos <= 0 else clip(pos), length if endpos is None else clip(endpos)


def searched(name: str) -> Callable[..., Any]:
    """`pattern.match`, `fullmatch` or `search`."""

    def rule(pattern: re.Pattern[str], text: Text, pos: Any = 0, endpos: Any = None) -> Any:
        place, end = bounds_of_search(text, pos, endpos)
        return find(pattern, (name, place, end), MODES.index(name), text, place, 0)

    return rule


def scanner(pattern: re.Pattern[str], text: Text, place: Any, end: Any) -> Callable[[Any, Any], Any]:
    """What finds the next match from a place on, not an empty one there where it `advances`."""
    how = ("finditer", place, end)
    return lambda begin, advances: find(pattern, how, MODES.index("search"), text, begin, advances)


def matches(next_match: Any, place: Any, end: Any) -> Iterator[Any]:
    """`pattern.finditer(text)`."""
    advances = 0
    while place <= end:
        match = next_match(place, advances)
        if match is None:
            return
        place = match.end()
        advances = 1 if place == match.start() else 0
        yield match


def all_found(next_match: Any, place: Any, end: Any) -> Any:
    """`pattern.findall(text)`."""
    return [match.found() for match in matches(next_match, place, end)]


def with_replacements(next_match: Any, replacement: Any, text: Any, end: Any, count: Any) -> Any:
    """`pattern.sub(replacement, text, count)`, by a function of the match."""
    parts = []
    behind, done = 0, 0
    for match in matches(next_match, 0, end):
        if count != 0 and done >= count:
            break
        parts.append(text[behind : match.start()])
        made = replacement(match)
        if made is not None:
            parts.append(made)
        behind = match.end()
        done += 1
    parts.append(text[behind:])
    return "".join(parts)


def pieces(next_match: Any, text: Any, end: Any, most: Any) -> Any:
    """`pattern.split(text, most)` of a pattern without groups."""
    found = []
    behind, done = 0, 0
    for match in matches(next_match, 0, end):
        if most != 0 and done >= most:
            break
        found.append(text[behind : match.start()])
        behind = match.end()
        done += 1
    found.append(text[behind:])
    return found


def generator_of_found(pattern: re.Pattern[str], text: Text, pos: Any = 0, endpos: Any = None) -> Any:
    place, end = bounds_of_search(text, pos, endpos)
    return start(matches, (scanner(pattern, text, place, end), place, end), {})


def list_of_found(pattern: re.Pattern[str], text: Text, pos: Any = 0, endpos: Any = None) -> Any:
    place, end = bounds_of_search(text, pos, endpos)
    return language.call(all_found, (scanner(pattern, text, place, end), place, end), None)


def filled_in(match: Any, text: Any, parts: Any) -> Any:
    """A replacement with groups of the match in it, each by its number: nothing for one that the match does not have."""
    return "".join([part if isinstance(part, str) else text[max(match.start(part), 0) : max(match.end(part), 0)] for part in parts])


def template_parts(template: str, pattern: re.Pattern[str]) -> tuple[str | int, ...]:
    """What a replacement consists of: texts, and numbers of groups."""
    parsed: Any = _parser.parse_template(template, pattern)
    if isinstance(parsed, tuple):  # before Python 3.12: places and numbers of the groups, and the texts in between
        groups, texts = dict(parsed[0]), parsed[1]
        parsed = [groups.get(place, text) for place, text in enumerate(texts)]
    return tuple(part for part in parsed if part != "")


def substituted(pattern: re.Pattern[str], repl: Any, string: Any, count: Any = 0) -> Any:
    if not isinstance(string, Text) or not isinstance(repl, str | FunctionType | MethodType):
        return NotImplemented
    place, end = bounds_of_search(string)
    parts = template_parts(repl, pattern) if isinstance(repl, str) and "\\" in repl else (repl,)
    of_template = (lambda match: repl) if parts == (repl,) else lambda match: language.call(filled_in, (match, string, parts), None)
    by = of_template if isinstance(repl, str) else repl
    return language.call(with_replacements, (scanner(pattern, string, place, end), by, string, end, count), None)


def split_up(pattern: re.Pattern[str], string: Text, maxsplit: Any = 0) -> Any:
    if pattern.groups:
        return NotImplemented
    place, end = bounds_of_search(string)
    return language.call(pieces, (scanner(pattern, string, place, end), string, end, maxsplit), None)


RULES: dict[str, Callable[..., Any]] = {
    **{name: searched(name) for name in MODES},
    "finditer": generator_of_found, "findall": list_of_found, "sub": substituted, "split": split_up,
}


def pattern_method(name: str) -> Callable[..., Any]:
    """The rule of a method; NotImplemented where Python has to be called."""

    def rule(pattern: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        texts = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, Text)]
        if not texts or any(text.__rebuilt_type__ is not str for text in texts) or program_of(pattern) is None:
            return NotImplemented
        given = {"text" if key == "string" and name not in ("sub", "split") else key: arg for key, arg in kwargs.items()}
        return RULES[name](pattern, *args, **given)

    return rule


def module_function(name: str) -> Callable[..., Any]:
    """The rule of a function of `re`: the method of the pattern."""
    function = getattr(re, name)
    signature = inspect.signature(function)

    def rule(*args: Any, **kwargs: Any) -> Any:
        for arg in (*args[1:], *kwargs.values()):
            expect_data(arg)
        if not any(isinstance(arg, Text) for arg in (*args, *kwargs.values())):
            raise NotNative
        given = signature.bind(*args, **kwargs).arguments
        pattern, flags = given.pop("pattern"), given.pop("flags", 0)
        if not isinstance(pattern, (str, bytes, re.Pattern)) or not isinstance(flags, int):
            raise NotNative
        return language.call(getattr(re.compile(pattern, flags), name), (), given)

    return rule


for _name in RULES:
    OF_CONSTANTS[re.Pattern, _name] = pattern_method(_name)
    builtin(getattr(re, _name))(module_function(_name))
for _function in pattern_machine.CONVERTED:
    builtin(_function)(for_c(shared_on_call(_function), MATCHED))
for _whole in (all_found, with_replacements, filled_in, pieces):
    builtin(_whole)(convert_on_call(_whole))
builtin(matches)(lambda *args: start(matches, args, {}))
