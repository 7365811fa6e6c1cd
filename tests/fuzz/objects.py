"""Random programs over a few instances of users' classes that stand under several names: in lists, dicts, sets and attributes of one
another, sorted, chosen by the data, changed under one name and read under another; some attributes are lists, dicts or other instances.

`scripts/fuzz --objects --programs 500`. What the program leaves in its arguments is compared too. `--made`: the program makes the
instances, more of them in loops and branches, and which of those that leave are one object is compared.
"""

from __future__ import annotations

import random
import re

CLASSES = """
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Row:  # without a hash: instances can be rows of a table
    x: int
    name: str
    w: float = 0.5
    items: list = field(default_factory=list)
    entries: dict = field(default_factory=dict)
    other: Any = None
    friends: list = field(default_factory=list)

    @property
    def worth(self):
        return self.x * self.w

    def grow(self, by):
        self.x += by
        self.items.append(by)
        return self


@dataclass
class Part(Row):
    def __hash__(self):
        return hash(self.name)


class World:
    def __init__(self, parts, by, p, q, k):
        self.parts, self.by, self.p, self.q, self.k = parts, by, p, q, k

    def step(self, by):
        for r in self.parts:
            r.x += by
        self.p.x -= by
        return self.q.x


@dataclass
class Plain:
    x: int
    name: str
    w: float = 1.5

    def grow(self, by):
        self.x += by
        self.w *= 0.5
        return self


def parts_of(n, kind=Part):
    parts = [kind(k, f"n{k}", k * 0.5) for k in range(n)]
    for a, b in zip(parts, parts[1:]) if kind is not Plain else ():
        a.other = b
        a.friends = b.friends = [kind(a.x + 9, "f"), *a.friends[:1]]
        a.entries["k"] = b.x
    return parts


def shared(n, kind=Part):
    parts = parts_of(n, kind)
    return [*parts, parts[0]], {"a": parts[1], "b": parts[-1]}, parts[0], parts[1], 3


def apart(n, kind=Part):
    return parts_of(n, kind), {"a": kind(7, "a"), "b": kind(8, "b")}, kind(5, "p"), kind(6, "q"), 2
"""
CALLS = """
CALLS = (lambda: apart({few}, {kind}), lambda: apart({more}, {kind}), lambda: shared({few}, {kind}), lambda: shared({more}, {kind}))
"""
CALLS_WHERE_MADE = """
CALLS = (lambda: ({few}, [1, 2]), lambda: ({more}, [0, 3, 1, 5]), lambda: ({few}, []), lambda: ({few}, [4]))
"""
NUMBERS = ("i", "i % 3", "t % 5", "1", "k", "k + 1", "len(parts)")
LIGHT_NUMBERS = (*NUMBERS[:-1], "n", "i - 2")
ONES = ("p", "q", "one", "parts[0]", "parts[{n} % len(parts)]", "by['a']", "made")
STATEMENTS = (
    "one = {o}", "one = {o} if {n} > 1 else {o}", "if {n} > 1:\n    one = {o}", "one = parts[{n} % len(parts)]", "one = by[{s}]",
    "one = by.get({s}, {o})", "one = min(parts, key=lambda r: r.w)", "one = max(parts, key=lambda r: (r.x * 7) % 5)", "{o}.x += {n}",
    "{o}.x = {n}", "{o}.w *= 1.5", "{o}.name += 'x'", "{o}.grow({n})", "t += {o}.x", "z += {o}.w", "t += len({o}.name)",
    "t += {o} is {o}", "t += {o} == {o}", "held.append({o})", "held[{n} % len(held)].x += {n}", "if held:\n    one = held[-1]",
    "for r in held:\n    r.x += 1", "if held:\n    held.pop().x += 3", "index[{o}.x] = {o}", "index[{o}.name] = {o}",
    "if {n} in index:\n    index[{n}].x += 10", "for r in index.values():\n    t += r.x", "for r in index.values():\n    r.x += {n}",
    "for r in parts:\n    r.x += {n}", "for r in parts:\n    t += r.x",
    "for r in sorted(parts, key=lambda r: -r.x):\n    r.x += t % 3\n    t += r.x", "for r in reversed(parts):\n    held.append(r)",
    "out.append([r.x for r in parts])", "out.append(sum(r.x for r in parts))", "t += sum(r.x for r in parts if r is not {o})",
    "made = Kind({n}, 'm')", "made = Kind({n}, {o}.name)\nheld.append(made)", "parts.append({o})", "by[{s}] = {o}",
    "parts[{n} % len(parts)] = {o}", "t += one in held", "out.append(one)", "out.append({o}.x)", "if {o}.x > {n}:\n    one = {o}",
    "try:\n    by['zz'].x = 1\nexcept KeyError:\n    {o}.x += 2", "groups.setdefault({o}.x % 3, []).append({o})",
    "for row in groups.values():\n    row[0].x += {n}", "pair = ({o}, {o})\npair[0].x += 1\nt += pair[1].x", "change({o}, {n})",
    "one = change({o}, {n})", "setattr({o}, 'x', {n})", "t += getattr({o}, 'x')", "vars({o})['x'] = {n}", "held = [{o}, {o}]",
    "parts.sort(key=lambda r: r.w)", "parts.reverse()", "a, b = {o}, {o}\na.x, b.x = b.x, a.x",
)  # fmt: skip
OF_PARTS = (
    "{o}.items.append({n})", "t += len({o}.items)", "t += sum({o}.items)", "{o}.items = [{n}]", "{o}.entries['k'] = {n}",
    "{o}.entries[{n}] = {n}", "t += len({o}.entries)", "t += {o}.entries.get('k', 0)", "items = {o}.items\nitems.append({n})",
    "items = {o}.items if {n} > 1 else {o}.items\nitems.append({n})", "if {o}.other is not None:\n    {o}.other.x += 1",
    "{o}.other = None", "if {o}.other is not None:\n    one = {o}.other", "z += {o}.worth", "out.append([len(r.items) for r in parts])",
    "found = {{{o}, {o}}}\nt += len(found)", "for r in {{{o}, {o}}}:\n    r.x += 1", "{o}.items += [1, 2]", "{o}.items.clear()",
    "if {o}.items:\n    t += {o}.items.pop()", "{o}.items, {o}.items = {o}.items, {o}.items", "t += {n} in {o}.items",
)  # fmt: skip

OF_FRIENDS = (
    "for r in {o}.friends:\n    t += r.x", "for r in {o}.friends:\n    r.x += {n}", "t += len({o}.friends)",
    "if {o}.friends:\n    one = {o}.friends[0]", "t += {o} in {o}.friends", "out.append([len(r.friends) for r in parts])",
    "held.extend({o}.friends)", "{o}.friends.append(Kind(t, 'z'))", "for r in parts:\n    for a in r.friends:\n        a.w += r.w",
    "out.append([a.name for r in parts for a in r.friends])", "{o}.friends = []", "t += sum(a.x for a in {o}.friends)",
    "if {o}.friends:\n    {o}.friends.pop()", "found = sorted({o}.friends, key=lambda r: -r.x)\nheld += found",
    "made.friends = {o}.friends", "t += {o}.friends is {o}.friends", "out.append({o}.friends)",
)  # fmt: skip
OF_WORLDS = (
    "world.p = {o}", "world.q = {o}", "t += world.step({n})", "world.p, world.q = world.q, world.p", "world.parts = [{o}, {o}]",
    "world.parts.append({o})", "for r in world.parts:\n    t += r.x", "world.k += {n}", "t += world.k", "world.by[{s}] = {o}",
    "parts = world.parts", "t += world.p is {o}", "one = world.parts[-1]", "setattr(world, 'q', {o})",
)  # fmt: skip
WHERE_MADE = (
    "p = Kind(p.x + {n}, 'p')", "q = p", "one = made", "p, q = q, p", "one = p if {n} > 1 else Kind({n}, 'o')", "made = one",
    "if made.x > one.x:\n    one = made", "if {n} > 1:\n    p = q = Kind({n}, 'b')", "q = {o} if {n} > 1 else {o}",
    "made = Kind({n}, 'm')\nif made.x > one.x:\n    one = made", "while p.x < q.x:\n    p = Kind(p.x + 3, p.name)", "t += {o} is {o}",
    "try:\n    q = Kind(10 // ({n}), 'd')\nexcept ZeroDivisionError:\n    q = p", "out.append({o}.x)", "t += {o}.x", "z += {o}.w",
    "for j in range({n} % 4):\n    made = Kind(made.x + j, 'j')\n    if made.x > {n}:\n        one = made", "{o}.x += {n}", "{o}.w *= 1.5",
    "made = change({o}, {n})",
)  # fmt: skip
WITH_LISTS = (
    "parts = [Kind(j + {n}, 'z') for j in range({n} % 4 + 1)]",
    "best = {o}\nfor r in parts:\n    if r.x > best.x:\n        best = r\none = best",
    "held = [Kind({n}, 'h'), {o}]", "by = {{'a': {o}, 'b': Kind({n}, 'b')}}", "one = next((r for r in parts if r.x > {n}), made)",
    "parts = [*parts, made]",
)  # fmt: skip
OF_KEYS = (
    "index[{o}] = {o}", "if {o} in index:\n    one = index[{o}]", "found = {{{o}: 1, {o}: 2}}\nt += found.get({o}, 5)",
    "index.pop({o}, None)",
)  # fmt: skip
RESULT = "    return out, t, z, one, held, list(index.items()), list(groups.items()), made, p, q, parts, by"


class ObjectWriter:
    """The statements of one program."""

    def __init__(self, seed: int, makes: bool = False) -> None:
        self.random = random.Random(seed)
        self.kind = self.random.choice(["Part", "Row", "Row", "Plain"])
        self.sizes = self.random.choice([("4", "9"), ("5", "30"), ("20", "30")])
        of_parts = [text for text in OF_PARTS if self.kind == "Part" or "{{" not in text]
        if self.random.random() < 0.5:
            of_parts = [*self.random.sample(OF_FRIENDS, 9), *self.random.sample(of_parts, 5)]
        self.is_world = self.random.random() < 0.4
        self.ones = (*ONES, *(("world.p", "world.q", "world.parts[0]", "world.by['b']") * 2 if self.is_world else ()))
        of_parts += OF_WORLDS if self.is_world else ()
        self.choices = [*STATEMENTS, *(of_parts * 2 if self.kind != "Plain" else OF_WORLDS * self.is_world)]
        self.is_light = makes and self.random.random() < 0.7  # without containers of instances
        if makes:
            of_parts += OF_KEYS * 2 if self.kind == "Part" else ()
            self.choices = [*WHERE_MADE, *(() if self.is_light else (*WHERE_MADE, *WITH_LISTS, *STATEMENTS, *of_parts))]
            self.choices = [text for text in self.choices if "world" not in text]
            self.is_world, self.ones = False, ("p", "q", "one", "made") if self.is_light else ONES

    def statement_of_helper(self) -> str:
        """What a function does to an instance."""
        return self.random.choice(["    r.x += by", "    r.grow(by)", "    r.w *= 2.0", "    if by > 1:\n        r.x -= 1"])

    def statement(self, depth: int) -> str:
        pick = self.random.choice
        text = pick(self.choices)
        while "{o}" in text:
            text = text.replace("{o}", pick(self.ones), 1)
        while "{n}" in text:
            text = text.replace("{n}", pick(LIGHT_NUMBERS if self.is_light else NUMBERS), 1)
        text = text.replace("{s}", pick(["'a'", "'b'", "'ab'[i % 2]"])).replace("{{", "{").replace("}}", "}")
        return "\n".join("    " * depth + line for line in text.split("\n"))


def object_program_text(seed: int) -> str:
    """The module of a seed."""
    w = ObjectWriter(seed)
    names = ("parts", "by", "p", "q", "k")
    lines = [*opening(w), f"def f({'world' if w.is_world else ', '.join(names)}):"]
    lines += [f"    {', '.join(names)} = {', '.join(f'world.{name}' for name in names)}"] if w.is_world else []
    lines += body(w, "for i in range(k + 2):")
    few, more = w.sizes
    calls = CALLS.replace("{kind}", w.kind).replace("{few}", few).replace("{more}", more)
    if w.is_world:
        calls = re.sub(r"lambda: (\w+\([^)]*\))", r"lambda: (World(*\1),)", calls)
    return "\n".join([*lines, RESULT + (", vars(world)" if w.is_world else ""), "", calls])


def made_program_text(seed: int) -> str:
    """The module of a seed whose function makes the instances."""
    w = ObjectWriter(seed, makes=True)
    source = w.random.choice(["shared", "apart"])
    made = "p, q, k = Kind(5, 'p'), Kind(6, 'q'), 2" if w.is_light else f"parts, by, p, q, k = {source}(n, Kind)"
    lines = [*opening(w), "def f(n, xs):", f"    {made}", *body(w, "for i in xs:")]
    few, more = w.sizes
    result = "    return p, q, one, made, t, z, out" if w.is_light else RESULT
    return "\n".join([*lines, result, "", CALLS_WHERE_MADE.replace("{few}", few).replace("{more}", more)])


def opening(w: ObjectWriter) -> list[str]:
    """The classes, and a function that changes an instance."""
    return [CLASSES.strip(), "", "", f"Kind = {w.kind}", "", "", "def change(r, by):", w.statement_of_helper(), "    return r", "", ""]


def body(w: ObjectWriter, loop: str) -> list[str]:
    """What the function does between its arguments and its result."""
    lines = ["    out, held, index, groups = [], [], {}, {}", "    t = i = 0", "    z = 0.0"]
    lines += ["    one = p", "    made = Kind(1, 'm')"]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 1, 2]))]
    if w.random.random() < 0.7:
        lines += [f"    {loop}", *(w.statement(2) for _ in range(w.random.randint(1, 4)))]
    lines += [w.statement(1) for _ in range(w.random.choice([1, 2, 3]))]
    return lines if w.is_light else [*lines, "    out.append([r.x for r in parts])"]
