"""Random programs over containers among the arguments, deques, dicts of lists, buffers, lists that the data chooses and what may be None:
changed, exchanged, gone through and looked up in loops.

`scripts/fuzz --containers --programs 500`. What the program leaves in its arguments is compared too.
"""

from __future__ import annotations

import random

CALLS = """
CALLS = (
    lambda: ({i: i * i % 7 for i in range(70)}, {i: [(i * j) % 70 for j in range(i % 4)] for i in range(70)},
             [(i % 9, i * 5 % 30, 0.5 * i) for i in range(70)], {i * 3 % 131 for i in range(70)}),
    lambda: ({i * 2: i for i in range(12)}, {i: [i, i + 1] for i in range(12)}, [(3, 4, 2.5)] * 12, set(range(0, 40, 3))),
    lambda: ({0: 1, 5: 2}, {0: [1], 1: [0, 2], 2: []}, [(1, 2, 0.5), (0, 1, 1.5)], {1, 2}),
)
"""
NUMBERS = ("i", "i % 5", "u", "t % 11", "3", "i * i % 13", "len(q)", "u + 1", "v % 7")
STATEMENTS = (
    "{d}[{k}] = {k}", "{d}[{k}] = {d}.get({k}, 0) + 1", "{d}.pop({k}, None)", "if {k} in {d}:\n    del {d}[{k}]",
    "t += {d}.setdefault({k}, {k})", "t += len({d})", "if {k} in {d}:\n    t += {d}[{k}]", "out.append({d}[{k}])",
    "for a, b in {d}.items():\n    t += a * b", "for a in {d}:\n    t += a\n    if a > 20:\n        break", "t += sum({d}.values())",
    "out.append(max({d}.values(), default=0))", "{d}.update(m)", "if len({d}) > 40:\n    {d}.clear()", "out.append(list({d}))",
    "if {k} in {g}:\n    {g}[{k}].append({k})", "{g}.setdefault({k}, []).append({k})", "t += len({g}.get(u, out))", "{g}[{k}] = [{k}]",
    "{g}[{k}] = {g}[u]", "for a in {g}[u]:\n    t += a", "for a in {g}:\n    t += len({g}[a])", "{g}.pop({k}, None)",
    "for a, row in {g}.items():\n    t += a * len(row)", "if {k} in {g} and {g}[{k}]:\n    {g}[{k}].pop()",
    "q.append({k})", "q.append({k})", "q.appendleft({k})", "if q:\n    t += q.popleft()", "if q:\n    t += q.pop()", "t += q.popleft()",
    "q.rotate({k})", "q.extend([{k}, {k}])", "if len(q) > 20:\n    q.clear()", "for a in q:\n    t += a",
    "if q:\n    q[0] = {k}\n    t += q[-1]",
    "while q and q[-1] > {k}:\n    q.pop()", "t += q[{k}]", "for a in q:\n    t += a\n    if a == 3:\n        q.append(1)",
    "for a, b, w in edges:\n    t += a * b\n    z += w", "a, b, w = edges[{k} % len(edges)]\nz += w * a", "edges.append(({k}, {k}, 1.5))",
    "edges[{k} % len(edges)] = (u, {k}, z)", "t += len(edges)", "out.append(max(edges)[0])",
    "buf.append({k} & 255)", "if buf:\n    t += buf[{k} % len(buf)]", "if buf:\n    buf[-1] = {k}", "if len(buf) > 3:\n    t += buf.pop()",
    "buf.extend(b'ab')", "buf += (t & 65535).to_bytes(2, 'little')",
    "t += int.from_bytes(bytes(buf[:3]), 'big')", "for a in buf:\n    t += a",
    "half.append({k})", "if len(half) > 2:\n    t += half[{k} % len(half)]", "for a in half:\n    t += a", "half[0] = {k}",
    "came[{k}] = came.get(u)", "if came.get({k}) is None:\n    came[{k}] = u", "out.append(came.get({k}))",
    "if came.get(u) == {k}:\n    t += 1",
    "x = one if {k} > 3 else two\nx.append({k})", "x = one if {k} > 3 else two\nif x:\n    t += x.pop()", "if one:\n    t += one[-1]",
    "if not two:\n    t += 1", "t += len(one) * len(two)", "one, two = two, one", "one = [{k}] + two", "t += two is one",
    "two = list(one)[:9]",
    "edges = [(a + 1, b, w) for a, b, w in edges]", "edges = [e for e in edges if e[0] != {k}]", "if {k} > 3:\n    edges = edges[1:]",
    "out.append(edges is given)",
    "tup = tup + ({k},)", "tup = ({k}, *tup[:4])", "tup = tup[{k} % 3:]", "if tup:\n    t += tup[0] + tup[-1]", "for a in tup:\n    t += a",
    "tup = tuple({g}[u])", "tup = tuple(sorted(tup))", "tup = tup * ({k} % 3)", "seen[tup] = {k}", "if tup in seen:\n    t += seen[tup]",
    "t += seen[tup]", "out.append(tup)", "t += len(tup)", "t += tup[:2] == (u, {k})", "t += tup < (u, {k})", "kept.append(tup)",
    "if kept:\n    tup = kept[{k} % len(kept)]", "kept.sort()", "if {k} in tup:\n    t += tup.index({k})",
    "out.append(max(seen, default=()))",
    "for a, w in seen.items():\n    t += len(a) + w", "a, *rest = (*tup, {k})\nt += a + len(rest)", "tup = tup or ({k},)",
    "for col in zip(*kept):\n    t += sum(col)", "seen.pop(tup, None)", "t += tup.count({k})",
    "if {k} in s:\n    t += 1", "t += len(s)", "if {k} not in s:\n    z += 0.5", "s.add({k})", "out.append(sorted(s))",
)  # fmt: skip


class ContainerWriter:
    """The statements of one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.bound = self.random.choice(["", "", "[1, 2, 3]", "maxlen=5", "[1, 2], 3"])
        self.begin = self.random.choice(["", "3", "b'xyz'", "[1, 2, 250]"])
        kinds = [("{d}", "{g}", "q", "edges", "s", "came")] + [(kind,) for kind in ("{d}", "{g}", "q", "edges", "came")]
        kinds += [("buf", "half"), ("one", "two", "edges"), ("tup", "seen", "kept"), ("tup", "seen", "kept"), ("tup", "{g}")]
        self.kinds = self.random.choice(kinds)
        self.choices = self.choices_of(self.kinds)

    def choices_of(self, kinds: tuple[str, ...]) -> list[str]:
        return [text for text in STATEMENTS if any(kind in text for kind in kinds)]

    def statement(self, depth: int) -> str:
        pick = self.random.choice
        text = pick(self.choices).format(d=pick(["d", "d", "m"]), g=pick(["g", "g", "h"]), k=pick(NUMBERS))
        return "\n".join("    " * depth + line for line in text.split("\n"))


def container_program_text(seed: int) -> str:
    """The module of a seed."""
    w = ContainerWriter(seed)
    lines = ["from array import array", "from collections import deque", "", "", "def f(d, g, edges, s):"]
    lines += ["    out = []", "    t = u = v = 0", "    z = 0.0"]
    lines += [f"    q = deque({w.bound})", "    m = {}", "    h = {}", "    came = {0: None}"]
    lines += [f"    buf = bytearray({w.begin})", "    half = array('h', [4])", "    one = [1]", "    two = []", "    given = edges"]
    lines += ["    tup = ()", "    seen = {(): 1}", "    kept = []"]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 0, 1]))]
    lines += ["    for i in range(12):", "        u = i * 7 % 12", "        v = t % 50", "        m[i % 4] = u", "        h[i] = [u]"]
    lines += [w.statement(2) for _ in range(w.random.randint(1, 4))]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 0, 1, 2]))]
    return "\n".join([*lines, "    return out, t, z, list(q), m, h, d, g, edges, buf, half, came, one, two, tup, seen, kept", "", CALLS])
