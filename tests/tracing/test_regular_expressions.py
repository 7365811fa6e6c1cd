"""Regular expressions in texts of the run: what they find, and what is asked of matches."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.library.python.pattern_programs import program_of
from autograph_jit.tracing.texts.pattern_machine import match_program
from tests.tables import table

PATTERNS = [
    *(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<op>==|<=|>=|[-+*/=<>(){};,]))", r"([A-Z])(\d+)(?::([A-Z])(\d+))?"),
    *(r"a*a", r"(a|ab)(c|bcd)(d*)", r"a.*?b", r"\bfoo\b", r"^\s*#.*$", r"(?m)^a+$", r"(\w)\1", r"(?i)ab+C", r"x{2,4}y?", r"(?:ab){1,3}"),
    *(r"[^,]+", r"(\w+)@(\w+)\.com", r"(a+)+b", r"(?:(a)|b)*c", r"(?:(a)|(b)|c)*d", r"a?b?c?", r".*", r"", r"\d{3}-\d{4}"),
    *(r"(a*)(ab)*(b*)", r"((a)(b)?)+", r"(?:a|b|)c", r"\Aab\Z", r"[\w.]+|\S", r"(?s).+?b", r"(x)?(y)?z", r"\B\w", r"(?:ab|a)(?:bc|c)?"),
    *(r"(a|b)*?c", r"a$", r"a[ab]+?b", r"x.{1,3}?y?", r"(\S+) (.*?)b"),
    *(r"(?:(\d)|(\w))+?-", r"a(?=b)", r"(?<!a)b", r"(?P<q>['\"]).*?(?P=q)", "[\u4e2d-\u4e30x]+"),
]
WORDS = ["foo bar foo", "ab@cd.com", "# x\na\n", "x = 12.5 >= y1;", "A12:B7", "aaab", "abcd", "ababab", "123-4567", "'a\"b'", ""]


def some_texts(seed: int) -> list[str]:
    chance = random.Random(seed)
    letters = "aabbcdxyzABC12 .,-:@\n_fo=<>#\u00e9\u4e2d"
    made = (chance.choices(letters[: chance.choice((6, 10, 30, 34))], k=chance.randint(0, 12)) for _ in range(60))
    return [*WORDS, *map("".join, made)]


@table("pattern", PATTERNS)
def test_the_machine_finds_what_python_finds(pattern: str) -> None:
    compiled = re.compile(pattern)
    program = program_of(compiled)
    if program is None:
        assert "(?=" in pattern or "(?<!" in pattern
        return
    for number, text in enumerate(some_texts(0)):
        codes, place = np.array([ord(letter) for letter in text], np.uint32), number % (len(text) + 1)
        for mode, name in enumerate(("match", "fullmatch", "search")):
            marks = match_program(program.program, program.tables, codes, place, len(text), mode, 0, program.size)
            expected = getattr(compiled, name)(text, place)
            if marks[0] == -2:
                assert any(ord(letter) > 255 for letter in text)
            elif expected is None:
                assert marks[0] == -1
            else:
                spans = [each for group in range(compiled.groups + 1) for each in expected.span(group)]
                assert [*spans, expected.lastindex or -1] == list(marks)


TOKEN, CELL, WORD, SPACE = re.compile(PATTERNS[0]), re.compile(PATTERNS[1]), re.compile(r"\w+"), re.compile(r"\s*,\s*|\s+")
PAIR = re.compile(r"(?P<key>\w+)=(?P<value>\w*)(?P<rest>;)?")


def tokens(texts: Any) -> Any:
    found = []
    for text in texts:
        place = 0
        while place < len(text):
            match = TOKEN.match(text, place)
            if match is None:
                break
            found.append((match.lastgroup, match.group(match.lastgroup), match.start(), match.end("op")))
            place = match.end()
    return found, sorted({text for kind, text, _, _ in found if kind == "name"})


def cells(texts: Any) -> Any:
    names, rows = [], []
    for text in texts:
        if match := CELL.fullmatch(text):
            column, row, last_column, last_row = match.groups()
            names.append(match.group(1) + match[2])
            rows.append((int(row), 0 if last_row is None else int(last_row), last_column is None, match.lastindex))
    return names, rows


def searched(texts: Any) -> Any:
    total, first = 0, ""
    for text in texts:
        match = WORD.search(text, 1)
        if match:
            total += match.end() - match.start()
            first += match.group()[0]
        total += WORD.search(text, 0, 2) is None
    return total, first


def gone_through(texts: Any) -> Any:
    found = []
    for text in texts:
        for match in PAIR.finditer(text):
            found.append((match.group("key"), match["value"], match.span(), match.start("rest")))
    return found


def listed(texts: Any) -> Any:
    words, pairs, empty = [], [], 0
    for text in texts:
        words += WORD.findall(text)
        pairs += re.findall(r"(\w)(\d)?", text)
        empty += len(re.findall(r"x*", text))
    return words, pairs, empty


def changed(texts: Any) -> Any:
    out = []
    for text in texts:
        out.append(WORD.sub("<>", text))
        out.append(re.sub(r"\d+", lambda m: str(int(m.group()) + 1), text, count=2))
        out.append(re.sub(r"x*", "-", text))
        out.append("|".join(SPACE.split(text)))
        out.append("|".join(re.split(r",", text, maxsplit=1)))
        out.append("|".join(re.split(r"x*", text)))
        out.append(re.sub(r"a", "b", text, count=-1))
    return out


def kept(texts: Any) -> Any:
    last = None
    for text in texts:
        match = PAIR.search(text)
        if match is not None and match.end() > 3:
            last = match
    return "" if last is None else last.group("key") + last.string


def left_out(text: Any) -> Any:
    match = PAIR.search(text)
    return None if match is None else match


def no_such_group(texts: Any) -> Any:
    return [WORD.match(text).group(1) for text in texts]


def filled_in(lines: list[str]) -> Any:
    out = []
    for text in lines:
        out.append(re.sub(r"(\w)\1*", lambda m: f"{len(m.group(0))}{m.group(1)}", text))
        out.append(PAIR.sub(r"\g<value>\\\g<key>\3\n", text))
        out.append(re.sub(r"((\w)\2)+", r"[\1]", text, count=1))
    return out


FUNCTIONS = [filled_in, tokens, cells, searched, gone_through, listed, changed, kept]
LINES = [
    *("total = rate * (price7 + 3.5) / count; if (x <= 12)", "A1", "B2:C33", "k=v;l=m", "k=", "a, b ,c", "  x y", "12 and 7x8"),
    *("", "q\u00e9=1", "\u4e2d=x y", "x", "xx, y=2;", "1,2 3", "(a=b)"),
]


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@table("function", [*FUNCTIONS, no_such_group])
def test_programs_find_what_python_finds(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for texts in (LINES, LINES[:10] * 2, [*LINES[3:9], "z=z"] * 3):
        assert outcome(compiled, texts) == outcome(function, texts)


@table("function", FUNCTIONS)
def test_python_is_asked_for_letters_beyond_latin_alone(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    compiled(LINES)
    graph = compiled.specializations[-1].program.graph
    called = [x for x in graph.walk() if x.name == "host_call" and x.operands and not x.attributes.get("rare")]
    assert called == []


def test_a_match_leaves_as_pythons() -> None:
    compiled = ag.compile(left_out, fallback="error")
    for text in ("a k=v;", "none", "xy=", "k=v;"):
        found, expected = compiled(text), left_out(text)
        assert type(found) is type(expected)
        if expected is not None:
            assert (found.groups(), found.span(), found.re, found.string) == (expected.groups(), expected.span(), PAIR, text)
