"""Random programs over dicts and sets whose keys only the run knows: ints, floats or pairs, changed and gone through in a loop.

`scripts/fuzz --tables --programs 1000`. What leaves is a list in the order of each dict and set; sets leave sorted, since a set that lost
items may be gone through in another order once it is Python's (docs/limits.md).
"""

from __future__ import annotations

import random

CALLS = """
CALLS = (
    lambda: (np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]),),
    lambda: (np.arange(40) * 7 % 23 - 5,),
    lambda: (np.array([], int),),
)
"""
INTS = ("i", "v", "i % 5", "v % 7", "i * i % 11", "3", "t % 13", "v // 2")
NUMBERED = (
    "{d}[{k}] = {d}.get({k}, 0) + {w}",
    "if {k} in {d}:\n        {d}[{k}] += 1",
    "t += int(sum({d}.values()))",
    "out.append(max({d}.values(), default=0))",
)
ORDERED = (
    "t += int(sum({s}))",
    "out.append(max({s}, default=0))",
    "out.extend(sorted({s}))",
    "out.extend({d})",
    "out.extend({d}.keys() & {s})",
)
STATEMENTS = (
    "{d}[{k}] = {w}", "{d}[{k}] = {w}", "{s}.add({k})", "{s}.add({k})", "{s}.discard({k})", "t += len({d})", "t += len({s})",
    "if {k} in {d}:\n        t += 1", "if {k} not in {s}:\n        {s}.add({k})\n        t += 2",
    "{d}.pop({k}, None)", "{d}.setdefault({k}, {w})", "if {k} in {d}:\n        del {d}[{k}]",
    "if len({d}) > 9:\n        {d}.clear()", "if len({s}) > 12:\n        {s}.clear()",
    "if {s}:\n        q = {s}.pop()\n        out.append(q)", "for q in {s}:\n        out.append(q)", "for q in {d}:\n        out.append(q)",
    "for q, w in {d}.items():\n        out.append(q)", "{s} |= {r}", "{s} = {s} | {r}", "{s} = {s} - {r}", "{s} = {s} & {r}",
    "{s} = {s} ^ {r}", "{s} -= {r}", "{s} ^= {r}", "{s} &= {r}", "if {s} <= {r}:\n        t += 3", "if {s} == {r}:\n        t += 3",
    "{s}.update({d})", "{d} = {d}.copy()", "{s} = {s}.copy()", "{s} = set({r})", "{s} = set({d})", "{d} = {{}}", "{s} = set()",
    "{s} = {{{k} for i in range(3)}}", "t += {s}.isdisjoint({r})", "{s}.remove({k})", "out.append({d}[{k}])",
    "for q in {d}:\n        {d}[{k}] = {w}", "for q in {s}:\n        {s}.add({k})\n        break", "{d} = {{q: {w} for q in {s}}}",
    "if {d}:\n        out.extend({d}.popitem())", "{d} = {{**{d}, {k}: {w}}}", "{d} = {d} | {e}", "{d} |= {e}",
    "if {d} == {e}:\n        t += 5", "while len({d}) > 3:\n        out.append({d}.popitem()[0])", "{d} = {{**{e}, **{d}}}",
    "{d}.popitem()",
    "for c in (Counter([*{d}]) + Counter([*{e}]) - Counter(sorted({r})),):\n        out.extend(c.most_common(3))",
)  # fmt: skip


class TableWriter:
    """The statements of one program; its keys are of one type, and so are the values of its dicts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.keys, self.values = self.random.choice(["int", "int", "pair", "float"]), self.random.choice(["int", "float", "pair", "none"])
        self.dicts = ["d", "e"][: self.random.choice([1, 1, 2])]
        self.sets = ["s", "r"][: self.random.choice([1, 2, 2])]

    def key(self) -> str:
        number = self.random.choice(INTS)
        second = self.random.choice(["i % 3", "0", "v % 2"])
        return {"int": number, "pair": f"({number}, {second})", "float": f"({number}) * 0.5"}[self.keys]

    def value(self) -> str:
        number = self.random.choice(["i", "v", "t", "1"])
        absent = self.random.choice([number, "None"])
        return {"int": number, "float": f"{number} * 0.25", "pair": f"({number}, i)", "none": absent}[self.values]

    def statement(self, depth: int) -> str:
        choices = [*STATEMENTS, *(NUMBERED * 2 if self.values in ("int", "float") else ()), *(ORDERED if self.keys != "pair" else ())]
        pick = self.random.choice
        d, e, s, r = (pick(names) for names in (self.dicts, self.dicts, self.sets, self.sets))
        text = pick(choices).format(d=d, e=e, s=s, r=r, k=self.key(), w=self.value())
        return "\n".join("    " * depth + line.replace("        ", "    ") for line in text.split("\n"))


def table_program_text(seed: int) -> str:
    """The module of a seed."""
    w = TableWriter(seed)
    names = [*w.dicts, *w.sets]
    lines = ["from collections import Counter", "", "import numpy as np", "", "", "def f(x):", "    out = []", "    t = v = i = 0"]
    lines += [f"    {name} = {'{}' if name in w.dicts else 'set()'}" for name in names]
    lines += ["    for i in range(len(x)):", "        v = int(x[i])"]
    lines += [w.statement(2) for _ in range(w.random.randint(1, 4))]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 0, 1, 2]))]
    found = [f"list({name}.items())" if name in w.dicts else f"[*{name}], sorted({name})" for name in names]
    return "\n".join([*lines, f"    return out, t, {', '.join(found)}", "", CALLS])
