"""Random programs whose containers are changed by functions of their own: called at several places, by themselves, or by each other, with
containers that are passed or captured.

`scripts/fuzz --helpers --programs 500`. What the program leaves in its arguments is compared too.
"""

from __future__ import annotations

from tests.fuzz.containers import CALLS, ContainerWriter

PASSED = "d, m, g, h, q, edges, s, came, out"
LOCAL = ("buf", "half", "one", "two", "tup", "seen", "kept", "given", "edges =", "if len({d}) > 40")  # of the program's own


class HelperWriter(ContainerWriter):
    """The statements of one program and of its functions."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        kinds = [("{d}",), ("{g}",), ("q",), ("edges",), ("came",), ("{d}", "{g}"), ("{d}", "q", "came"), ("{g}", "q"), ("s", "{d}")]
        self.kinds = self.random.choice(kinds)
        self.choices = [x for x in self.choices_of(self.kinds) if not any(name in x for name in LOCAL)]
        self.is_captured = self.random.choice([False, True])

    def call(self, name: str, count: str) -> str:
        return f"{name}({count})" if self.is_captured else f"{name}({PASSED}, {count})"

    def function(self, name: str, calls: str) -> list[str]:
        """A function that ends by its count, and calls another, itself or nothing."""
        lines = [f"def {self.call(name, 'k')}:", "    i = k", "    u = k * 7 % 12", "    t = v = 0", "    z = 0.0"]
        lines += ["    if k <= 0:", f"        return {self.random.choice(['t', '1', 'len(out)'])}"]
        in_loop = self.random.choice([0, 0, 1])
        if in_loop:
            lines += ["    for i in range(k):", "        v = t % 50"]
        lines += [self.statement(1 + in_loop) for _ in range(self.random.randint(1, 2))]
        if calls:
            lines += [f"    if {self.random.choice(['k > 1', 't % 3 != 1', 'k % 4'])}:"]
            lines += [f"        t += {self.call(calls, self.random.choice(['k - 1', 'k - 2', 'k // 2']))}"]
        lines += [self.statement(1) for _ in range(self.random.choice([0, 1]))]
        return [*lines, self.random.choice(["    return t", "    return t + k", "    return len(out)"])]


def helper_program_text(seed: int) -> str:
    """The module of a seed."""
    w = HelperWriter(seed)
    shape = w.random.choice([("", ""), ("first", ""), ("first", ""), ("", "first"), ("second", "first")])
    functions = [w.function(name, calls) for name, calls in zip(("first", "second"), shape)]
    begin = ["    out = []", "    t = u = v = i = 0", "    z = 0.0", "    q = deque()", "    m = {}", "    h = {}", "    came = {0: None}"]
    lines = ["from collections import deque", ""]
    if not w.is_captured:
        lines += [line for body in functions for line in ("", *body, "")]
    lines += ["", "def f(d, g, edges, s):", *begin]
    if w.is_captured:
        lines += ["    " + line.replace("\n", "\n    ") for body in functions for line in body]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 0, 1]))]
    lines += ["    for i in range(8):", "        u = i * 7 % 12", "        v = t % 50", "        m[i % 4] = u", "        h[i] = [u]"]
    calls = [f"t += {w.call(name, w.random.choice(['i', 'u % 4', 'i % 3 + 1', '3']))}" for name in ("first", "second", "first")]
    body = [w.statement(2) for _ in range(w.random.randint(0, 2))] + ["        " + call for call in calls[: w.random.randint(1, 3)]]
    w.random.shuffle(body)
    lines += [*body, f"    t += {w.call(w.random.choice(['first', 'second']), '4')}"]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 1, 2]))]
    return "\n".join([*lines, "    return out, t, z, list(q), m, h, d, g, edges, sorted(s), came", "", CALLS])
