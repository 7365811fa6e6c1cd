"""Random programs over generators and iterators: made at one place and advanced at another, kept in containers and attributes, gone through
in part, chained, and with what they change on the way.

`scripts/fuzz --generators --programs 500`. What the program leaves in its arguments is compared too.
"""

from __future__ import annotations

import random

HEAD = """
import itertools
from collections import deque


class Source:
    def __init__(self, made, n):
        self.made, self.n, self.drawn = made, n, 0

    def draw(self):
        self.drawn += 1
        return next(self.made, -1)
"""
CALLS = """
CALLS = (
    lambda: ([3, 1, 4, 1, 5, 9], "abcab", {"a": 1, "b": 2}, 4), lambda: (list(range(40)), "xyz" * 9, {"z": 5}, 7),
    lambda: ([], "", {}, 3), lambda: ([2], "q", {"q": 2}, 1),
)
"""
NUMBERS = ("i", "i % 3", "t % 5", "1", "k", "2")
BODIES = (
    "while n < {n} + 6:\n    yield n\n    n += 1", "for x in xs:\n    yield x",
    "for x in xs:\n    if x % 2:\n        yield x\n    else:\n        n += x", "for j in range({n} + 2):\n    n += j\n    yield n",
    "a, b = 0, 1\nwhile a < 30:\n    yield a\n    a, b = b, a + b", "yield n\nyield n + 1",
    "for x in xs:\n    log.append(x)\n    yield x * 2", "while True:\n    n = n * 3 % 11\n    yield n",
    "if xs:\n    yield xs[0]\nyield -1", "for x in xs:\n    for y in range(2):\n        yield x + y",
    "total = 0\nfor x in xs:\n    total += x\n    if total > 9:\n        return\n    yield total",
    "for j, x in enumerate(xs):\n    if x == n:\n        continue\n    if j > 5:\n        break\n    yield j",
    "yield from xs[:3]\nyield n", "best = None\nfor x in xs:\n    if best is None or x > best:\n        best = x\n        yield best",
    "got = yield n\nwhile n < 9:\n    n += 1 if got is None else got\n    got = yield n",
)  # fmt: skip
USES = (
    "t += next(g, -1)", "t += next(h, 0)", "for x in g:\n    t += x\n    if x > {n} + 3:\n        break",
    "out.append(list(itertools.islice(g, {n} + 1)))", "g = {m}", "h = {m}", "kept.append({m})",
    "if kept:\n    t += next(kept[{n} % len(kept)], -2)", "for one in kept:\n    out.append(next(one, None))", "waiting.append({m})",
    "if waiting:\n    one = waiting.popleft()\n    x = next(one, None)\n    if x is not None:\n        t += x\n        waiting.append(one)",
    "t += source.draw()", "source.made = {m}", "try:\n    t += next(g)\nexcept StopIteration:\n    g = {m}",
    "for a, b in zip(g, h):\n    t += a * b\n    if a > 9:\n        break",
    "a = next(g, None)\nb = next(h, None)\nif a is not None and b is not None:\n    out.append(max(a, b))", "t += sum({l})",
    "out.append(list({l}))", "out.append(max({l}, default=0))", "for x in {l}:\n    t += x", "t += any(x > 3 for x in {l})",
    "held = iter(xs)\nt += next(held, 0)", "out.append([x for x in held if x > 1])", "t += next(held, 7)",
    "for x in held:\n    t += x\n    if t % 3:\n        break", "for c in letters:\n    if c in by:\n        t += by[c]\n        break",
    "t += len(list(letters))", "letters = iter(s)", "pairs = zip(xs, xs[1:])\nt += sum(a - b for a, b in pairs)",
    "lazy = (x * {n} for x in xs)\nt += next(lazy, 0)\nout.append(list(lazy))", "t += {n} in held",
    "mapped = map(lambda x: x + t, xs)\nt += 1\nout.append(list(mapped))", "both = itertools.chain({l}, [t])\nout.append(list(both))",
    "xs.append(t % 7)", "n = {n}", "t += sum(1 for x in {l} if x % 2)", "count = enumerate({l}, 1)\nout.append(next(count, None))",
)  # fmt: skip
LIMITED = ("itertools.islice({m}, {n} + 4)",)


class GeneratorWriter:
    """The generators and statements of one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["first", "second"][: self.random.choice([1, 2, 2])]
        self.choices = self.random.sample(USES, 14)

    def filled(self, text: str) -> str:
        pick = self.random.choice
        while "{l}" in text:
            text = text.replace("{l}", pick(LIMITED), 1)
        while "{m}" in text:
            text = text.replace("{m}", f"{pick(self.names)}(xs, {pick(NUMBERS)}, log)", 1)
        while "{n}" in text:
            text = text.replace("{n}", pick(NUMBERS), 1)
        return text

    def statement(self, depth: int) -> str:
        return "\n".join("    " * depth + line for line in self.filled(self.random.choice(self.choices)).split("\n"))

    def generator(self, name: str) -> list[str]:
        """A generator function; `n` is what it counts with."""
        body = self.random.choice(BODIES).replace("{n}", "n % 5")
        return [f"def {name}(xs, n, log):", *("    " + line for line in body.split("\n")), "", ""]


def generator_program_text(seed: int) -> str:
    """The module of a seed."""
    w = GeneratorWriter(seed)
    lines = [HEAD.strip(), "", "", *(line for name in w.names for line in w.generator(name))]
    lines += ["def f(xs, s, by, k):", "    out, kept, log, waiting = [], [], [], deque()", "    t = i = n = 0", "    g = first(xs, k, log)"]
    lines += [w.filled("    h = {m}"), w.filled("    source = Source({m}, k)"), "    held, letters = iter(xs), iter(s)"]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 1, 2]))]
    if w.random.random() < 0.8:
        lines += ["    for i in range(k + 2):", *(w.statement(2) for _ in range(w.random.randint(1, 3)))]
    lines += [w.statement(1) for _ in range(w.random.choice([1, 2]))]
    left = "[next(one, None) for one in kept], [next(one, None) for one in waiting]"
    result = f"    return out, t, n, log, source.drawn, {left}, next(g, 5), list(letters)"
    return "\n".join([*lines, result, "", CALLS])
