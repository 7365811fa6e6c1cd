"""Random programs over classes, exceptions and closures as people write them: the worlds of `tests/fuzz/domains`, their statements
mixed and nested in loops, branches, handlers and `with`.

`scripts/fuzz --classes --programs 500`. What the program leaves in its arguments, its globals, its classes and its functions is compared
too, and which of these are one object; a program is run in a module of its own in every way, where one call finds what others left.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import autograph_jit as ag
from tests.fuzz.oracle import (
    MATCH,
    MISMATCH,
    PLAIN_LIMIT_SECONDS,
    REFUSED,
    SKIPPED,
    TookTooLong,
    Verdict,
    is_refusal,
    outcome,
    same_text,
    time_limit,
)
from tests.fuzz.portraits import module_state, portrait, portrait_fault
from tests.fuzz.programs import load

DOMAINS = Path(__file__).parent / "domains"
HEAD = """
from contextlib import contextmanager, suppress
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, field, fields, replace
from enum import Enum, Flag, IntEnum, auto
from functools import cmp_to_key, partial, reduce, total_ordering, wraps
from operator import index as operator_index
from typing import NamedTuple


def by_length(words):
    return {word: len(word) for word in words}
"""
NUMBERS = ("i", "i % 3", "t % 5", "1", "2", "k", "k - 1", "len(xs)", "-1", "0", "3")
FLOATS = ("z", "0.5", "z * 2", "k / 2", "float(t % 9)", "1.0")
CONDITIONS = ("{n} > 1", "t % 2", "{n} == {n}", "xs", "i % 2 == 0", "t > {n} and {n} < 3", "not xs or {n} > 2", "k in xs", "{z} < 1.5")
BLOCKS = (
    "if {b}:\n    {B}", "if {b}:\n    {B}\nelse:\n    {B}",
    "if {b}:\n    {B}\nelif {b}:\n    {B}\nelse:\n    {B}",
    "for i in range({n} + 2):\n    {B}", "for i, x in enumerate(xs):\n    {B}",
    "for x in xs:\n    if {b}:\n        break\n    {B}\nelse:\n    {B}",
    "for x in xs:\n    if {b}:\n        continue\n    {B}",
    "n = 0\nwhile n < {n} + 2:\n    n += 1\n    {B}", "try:\n    {B}\nfinally:\n    t += 1",
    "try:\n    {B}\nexcept Exception as error:\n    out.append(type(error).__name__)\n    out.append(str(error))\nelse:\n    t += 1",
    "def act():\n    nonlocal {names}\n    {B}\n    return t\nout.append(act())", "if {b}:\n    return out, t, z, 'early'",
    "for x in xs:\n    try:\n        {B}\n    except (ValueError, LookupError):\n        t -= 1",
    "try:\n    {B}\nexcept Exception as error:\n    t += 2\n    if {b}:\n        raise\nfinally:\n    out.append(t)",
)  # fmt: skip
SIZES = ((3, [3, 1, 4, 1]), (5, [2, 7, 1, 8, 2, 8]), (1, [5]), (0, []), (4, [0, -2, 3]))
WAYS: dict[str, Callable[[Any], Any]] = {
    "converted": ag.convert,
    "compiled": lambda function: ag.compile(function, fallback="error"),
    "default": ag.compile,
}


@dataclass(frozen=True)
class Domain:
    """Classes, parameters with what makes them, first statements, names of objects, and statements over them."""

    classes: str
    parameters: tuple[str, ...]
    first: tuple[str, ...]
    objects: tuple[str, ...]
    statements: tuple[str, ...]


@cache
def domains() -> dict[str, Domain]:
    """All worlds by name."""
    found = {}
    for path in sorted(DOMAINS.glob("*.txt")):
        classes, parameters, first, objects, statements = re.split(r"^===== \w+\n", path.read_text(), flags=re.MULTILINE)[1:]
        lines = [[line for line in part.splitlines() if line] for part in (parameters, first, objects)]
        texts = tuple(text.strip("\n") for text in statements.split("\n\n") if text.strip())
        found[path.stem] = Domain(classes.strip("\n"), tuple(lines[0]), tuple(lines[1]), tuple(lines[2]), texts)
    return found


class ClassWriter:
    """The statements of one program over one to three worlds."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        names = self.random.sample(sorted(domains()), self.random.choice([1, 1, 2, 2, 3]))
        self.worlds = [domains()[name] for name in names]
        texts = [self.random.sample([(text, d) for text in d.statements], min(len(d.statements), 10)) for d in self.worlds]
        lines = [line for domain in self.worlds for line in (*domain.parameters, *domain.first)]
        self.names = ", ".join(name for line in lines for name in line.split(" = ")[0].split(", "))
        self.choices = [choice for chosen in texts for choice in chosen]

    def filled(self, text: str, objects: tuple[str, ...]) -> str:
        """A statement with its places filled, those of blocks excepted."""
        places = {"{o}": objects or ("t",), "{b}": CONDITIONS, "{z}": FLOATS, "{n}": NUMBERS}
        while found := next((place for place in places if place in text), None):
            text = text.replace(found, self.random.choice(places[found]), 1)
        return text

    def statement(self, depth: int) -> str:
        """A statement, or a block of them where the depth allows."""
        if depth and self.random.random() < 0.35:
            text, objects = self.random.choice(BLOCKS), ()
        else:
            text, domain = self.random.choice(self.choices)
            objects = domain.objects
        text = self.filled(text, objects).replace("{names}", f"t, z, i, {self.names}")
        while place := re.search(r"^( *)\{B\}", text, flags=re.MULTILINE):
            body = "\n".join(self.statement(max(depth - 1, 0)) for _ in range(self.random.choice([1, 1, 2])))
            text = text[: place.start()] + textwrap.indent(body, place[1]) + text[place.end() :]
        return text


def class_program_text(seed: int) -> str:
    """The module of a seed."""
    w = ClassWriter(seed)
    taken = [line.split(" = ", 1) for domain in w.worlds for line in domain.parameters]
    names = [name for name, _ in taken]
    body = [line for domain in w.worlds for line in domain.first] + ["out, t, i, z = [], 0, 0, 0.5"]
    statements = [w.statement(2) for _ in range(w.random.choice([3, 4, 5, 6]))]
    body += statements
    found = {name for line in statements for name in re.findall(r"^(\w+) [-+*]?= ", line, flags=re.MULTILINE)}
    assigned = sorted(found - {"out", "t", "z"})
    first = {line.split(" = ")[0] for domain in w.worlds for line in domain.first if " = " in line}
    returned = [name for name in names + sorted(first) if "," not in name and name in {*assigned, *names}]
    lines = [HEAD.strip(), "", "", *(domain.classes + "\n\n" for domain in w.worlds if domain.classes)]
    lines += [f"def f(xs, k, {', '.join(names)}):", *(textwrap.indent(text, "    ") for text in body)]
    lines += [f"    return {', '.join(['out', 't', 'z', *returned])}", "", "", "def arguments(n, xs):"]
    lines += [f"    {name} = {value}" for name, value in taken]
    lines += [f"    return {', '.join(['xs', 'n', *names])}", "", ""]
    calls = [f"lambda: arguments({n}, {xs})" for n, xs in w.random.sample(SIZES, 3)]
    return "\n".join([*lines, f"CALLS = ({', '.join(calls)})", ""])


def run(text: str, name: str, way: Callable[[Any], Any], turns: int) -> list[tuple[Any, ...]]:
    """What each call of a program does, in a module of its own: its exception, what was printed, and a portrait of what is left."""
    function, calls = load(text, name)
    run_it = way(function)
    found = []
    for make in calls * turns:
        done = outcome(run_it, make)
        state = portrait((done.value, done.arguments, done.error, module_state(function.__globals__)))
        found.append((done.error, done.printed, state))
    return found


def judge_classes(text: str, name: str, only: str = "", turns: int = 2) -> Verdict:
    """The verdict on a program, each of whose calls is made twice, run as it was and then in every way, or in one."""
    try:
        with time_limit(PLAIN_LIMIT_SECONDS):
            wanted = run(text, name, lambda function: function, turns)
    except TookTooLong:
        return Verdict(SKIPPED, "plain Python takes too long")
    refused = ""
    for way in [only] if only else WAYS:
        for index, (got, want) in enumerate(zip(run(text, name, WAYS[way], turns), wanted)):
            if way == "compiled" and is_refusal(got[0]):
                refused = str(got[0])
                break  # the calls after it find another state than Python's
            fault = call_fault(got, want)
            if fault:
                return Verdict(MISMATCH, f"{way}, call {index}: {fault}")
    return Verdict(REFUSED, refused) if refused else Verdict(MATCH)


def call_fault(got: tuple[Any, ...], want: tuple[Any, ...]) -> str | None:
    """The first difference between what two calls did; where Python's stack ends is not compared."""
    if isinstance(got[0], RecursionError) and isinstance(want[0], RecursionError):
        return None
    if type(got[0]).__qualname__ != type(want[0]).__qualname__ or not same_text(str(got[0]), str(want[0])):
        return f"raised {got[0]!r}, expected {want[0]!r}"
    if not same_text(got[1], want[1]):
        return f"printed {got[1]!r}, expected {want[1]!r}"
    return portrait_fault(got[2], want[2])
