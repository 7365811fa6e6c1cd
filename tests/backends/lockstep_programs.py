"""Random functions whose outer trips are independent around loops whose trips wait for each other, as text."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

FLOATS, COUNTS = ("s", "t", "u"), ("k", "q")
CARRIED = ("total += s", "total = total * 0.5 + u", "count += k", "if s > total: total = s", "if q == k or s < t: count, total = q, u")
OUTER = ("n", "len(out)", "1, n", "n - 1")
INNER = ("3", "6", "n", "i", "i, n", "i + 1", "n - 1, i, -1", "0, n, 2", "k % 5")


@dataclass(slots=True)
class Writer:
    """Writes one program; `indices` are the integers that may be read where it is."""

    random: random.Random
    indices: list[str] = field(default_factory=lambda: ["i", *COUNTS])
    names: int = 0

    def number(self, depth: int = 0) -> str:
        chosen = self.random.random()
        if depth > 2 or chosen < 0.3:
            return self.random.choice([*FLOATS, "x", str(round(self.random.uniform(-2, 2), 2))])
        if chosen < 0.7:
            return f"({self.number(depth + 1)} {self.random.choice('+-*')} {self.number(depth + 1)})"
        if chosen < 0.8:
            return f"{self.random.choice('ab')}[{self.integer(1)}]"
        if chosen < 0.85:
            return f"m[{self.integer(1)}, {self.integer(1)}]"
        if chosen < 0.95:
            return f"({self.number(depth + 1)} if {self.condition()} else abs({self.number(depth + 1)}))"
        return f"({self.number(depth + 1)} * {self.integer(1)})"

    def integer(self, depth: int = 0) -> str:
        chosen = self.random.random()
        if depth > 2 or chosen < 0.6:
            return self.random.choice(self.indices)
        if chosen < 0.85:
            return f"({self.integer(depth + 1)} {self.random.choice('+-')} {self.random.choice(['1', '2', self.integer(depth + 1)])})"
        return f"({self.integer(depth + 1)} {self.random.choice(['% n', '// 2', '// 4', '% 8'])})"

    def condition(self) -> str:
        chosen = self.random.random()
        if chosen < 0.6:
            return f"{self.number(1)} {self.random.choice(['<', '>', '<='])} {self.number(1)}"
        if chosen < 0.9:
            return f"{self.integer(1)} {self.random.choice(['<', '>', '==', '!='])} {self.integer(1)}"
        return f"({self.condition()} {self.random.choice(['and', 'or'])} {self.condition()})"

    def body(self, depth: int, in_loop: bool) -> list[str]:
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        chosen = self.random.random()
        if chosen < 0.55 or depth > 2:
            return [f"{self.random.choice(FLOATS)} = {self.number()} * 0.5"]
        if chosen < 0.63:
            return [f"{self.random.choice(COUNTS)} {self.random.choice(['+=', '-='])} {self.random.choice(['1', '2', 'i', 'k'])}"]
        if chosen < 0.77:
            other = ["else:", *indented(self.body(depth + 1, in_loop))] if self.random.random() < 0.5 else []
            return [f"if {self.condition()}:", *indented(self.body(depth + 1, in_loop)), *other]
        if chosen < 0.87 and depth < 2:
            return self.loop(depth)
        if chosen < 0.95 and in_loop:
            return [f"if {self.condition()}:", f"    {self.random.choice(['break', 'break', 'continue'])}"]
        if chosen < 0.97:
            return [f"out[i] += {self.number()}"]
        return [f"if {self.condition()}:", "    raise ValueError('out of range')"]

    def loop(self, depth: int) -> list[str]:
        self.names += 1
        counted, index = self.random.random() < 0.55, f"j{self.names}"
        self.indices.append(index)
        body = indented(self.body(depth + 1, True))
        if counted:
            lines = [f"for {index} in range({self.random.choice(INNER)}):", *body]
        else:
            test = f"while {index} < {self.random.randint(2, 20)} and {self.condition()}:"
            lines = [f"{index} = 0", test, f"    {index} += 1", *body]
        self.indices.remove(index)
        return lines


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def program(seed: int) -> str:
    """The text of a function `f(a, b, m, out, n, x)`."""
    writer = Writer(random.Random(seed))
    start = writer.random.choice(["b[i]", "0.0", "m[0, i]"])
    trip = ["s = a[i]", "t = 1.0", f"u = {start}", "k = 0", "q = i", *writer.loop(0), *writer.body(1, False), "out[i] = s + t * u"]
    trip += writer.random.sample(CARRIED, writer.random.choice([0, 1, 2]))
    loop = ["total, count = 0.0, 0", f"for i in range({writer.random.choice(OUTER)}):", *indented(trip), "return out, total, count"]
    return "\n".join(["def f(a, b, m, out, n, x):", *indented(loop)])
