"""Random programs over dicts with constant keys and over values that are numbers, texts or None as the data choose: given and made in
loops, changed, sorted, grouped, looked up by them and compared.

`scripts/fuzz --records --programs 500`. What the program leaves in its arguments is compared too.
"""

from __future__ import annotations

import random

CALLS = """
CALLS = (
    lambda: ([{"id": k, "name": f"n{k % 5}", "w": k * 0.5} for k in range(70)], [[k, f"t{k % 7}", None, k * 0.5][k % 4] for k in range(80)],
             [(f"k{k % 6}", [k, "x", None][k % 3]) for k in range(70)], {f"n{k}": [k, "one"][k % 2] for k in range(70)}),
    lambda: ([{"id": 3, "name": "n1", "w": 1.5}, {"id": 1, "name": "zz", "w": 0.5}],
             [1, "t1", None], [("k1", 2), ("k2", "x")], {"n1": 1, "a": "b"}),
    lambda: ([{"id": k, "name": "n2", "w": 2} for k in range(80)], list(range(12)), [("k3", None)] * 9, {"t1": "t2"}),
)
"""
NUMBERS = ("i", "i % 5", "u", "t % 11", "3", "u + 1", "len(made)")
TEXTS = ('"a"', 'f"n{i % 6}"', "name", '"t1"', 'name + "x"')
VALUES = (*NUMBERS, *TEXTS, "None", "z", "x", "i % 2 == 0", "x", "0.5 * i")
STATEMENTS = (
    "x = {v}", "x = {v} if {k} > 3 else {v}", "if {k} > 3:\n    x = {v}", "x = mixed[{k} % len(mixed)]", "out.append(x)",
    "held.append(x)", "held.append({v})", "x = held[{k} % len(held)]", "held[{k} % len(held)] = {v}", "t += x is None",
    "if isinstance(x, str):\n    name = x", "if isinstance(x, int):\n    t += x", "if isinstance(x, (int, float)):\n    z += x",
    "if x is not None:\n    t += 1", "t += x == {v}", "if x == {v}:\n    t += 2", "if x:\n    t += 1", "t += x in held",
    "t += {v} in held", "t += held.count(x)", "name = str(x)", 'name = f"{{x}}!"', "z += x", "x += 1", "x = x * 2", 'x = x + "s"',
    "t += x < 3", "t += len(x)", "x = -x", "t += int(x)", "name = x[0]", "name = x.upper()", "if type(x) is str:\n    t += len(x)",
    "for a in held:\n    if a is not None:\n        t += 1", "pairs.append((name, {v}))", "pairs.append((name, x))",
    "for a, b in pairs:\n    if a == name:\n        x = b", "a, x = pairs[{k} % len(pairs)]", "t += (name, x) in pairs", "d[{v}] = {v}",
    "d[name] = {v}", "d[name] = x", "x = d.get({v})", "x = d.get(name, x)", "if {v} in d:\n    t += 1", "x = d[name]", "d.pop({v}, None)",
    "for a in d:\n    t += 1", "for a, b in d.items():\n    if isinstance(b, str):\n        t += len(b)", "t += len(d)",
    "out.append(list(d))", "d.setdefault(name, {v})", "found = {{**d}}\nt += len(found)", "held.extend(mixed[:3])",
    "held = [x, *held[:9]]", "for a in mixed:\n    if isinstance(a, str):\n        t += len(a)\n    elif a is not None:\n        z += a",
    "held.reverse()", "if held:\n    x = held.pop()", "x = held.pop()", "by[x] = {k}", "by[x] = by.get(x, 0) + 1", "t += x in by",
    "out.append(list(by.items()))", "for row in rows:\n    t += row['id']", "row = rows[{k} % len(rows)]", "t += row['id']",
    "row['id'] = {k}", "row['id'] += {k}", "z += row['w']", "row['w'] = z", "name = row['name']", "row['name'] = {s}",
    "row['name'] += 'q'", "made.append({{'id': {k}, 'name': {s}}})", "made.append({{'id': {k}, 'name': {s}, 'v': {v}}})",
    "made.append({{'id': {k}, 'name': {s}}})\none = made[-1]", "if made:\n    one = made[{k} % len(made)]", "t += one['id']",
    "one['id'] += {k}", "one['name'] = {s}", "one['more'] = {k}", "t += one.get('id', 0)", "t += len(one)", "t += 'v' in one",
    "made.append(one)", "rows.append(row)", "t += one is made[0]", "out.append(dict(row))", "out.append({{**one, 'id': {k}}})",
    "made.sort(key=lambda r: r['id'])", "rows.sort(key=lambda r: (r['name'], r['w']))",
    "out.append(max(rows, key=lambda r: r['id'])['name'])", "for a, b in row.items():\n    name = a",
    "groups.setdefault(name, []).append(row)", "groups.setdefault({s}, []).append({k})", "index[name] = row",
    "if name in index:\n    t += index[name]['id']", "index[name] = {{'n': 0, 'of': name}}",
    "if name in index:\n    index[name]['n'] = {k}", "t += sum(r['id'] for r in rows)", "del row['w']",
    "rows.append({{'id': {k}, 'name': {s}, 'w': z}})", "t += row == rows[0]", "rows[{k} % len(rows)] = row",
    "out.append([r['id'] for r in made])", "one = {{'id': {k}, 'name': {s}}}", "held.append(one)", "x = one", "pairs.append((name, one))",
    "out.append(one)", "if x is one:\n    t += 1",
)  # fmt: skip


class RecordWriter:
    """The statements of one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        kinds = [("x", "held"), ("x", "mixed", "name"), ("pairs", "x"), ("d", "x", "name"), ("by", "x"), ("rows", "row"), ("made", "one")]
        kinds += [("rows", "row", "index"), ("made", "one", "groups"), ("one", "row", "x", "held")]
        self.kinds = self.random.choice(kinds)
        self.choices = [text for text in STATEMENTS if any(kind in text.split("'")[0] for kind in self.kinds)]

    def statement(self, depth: int) -> str:
        pick = self.random.choice
        text = pick(self.choices)
        while "{v}" in text:
            text = text.replace("{v}", pick(VALUES), 1)
        text = text.replace("{k}", pick(NUMBERS)).replace("{s}", pick(TEXTS)).replace("{{", "{").replace("}}", "}")
        return "\n".join("    " * depth + line for line in text.split("\n"))


def record_program_text(seed: int) -> str:
    """The module of a seed."""
    w = RecordWriter(seed)
    x, held = w.random.choice(["None", "1", "'a'", "2.5"]), w.random.choice(["[]", "[3]", "['h', 2]", "[None, 2]", "list(mixed)"])
    lines = ["def f(rows, mixed, pairs, d):", "    out = []", "    t = u = 0", "    z = 0.0", f"    x = {x}"]
    lines += ["    name = 'n0'", f"    held = {held}"]
    lines += ["    made = []", "    by = {}", "    index = {}", "    groups = {}", "    row = rows[0]", "    one = {'id': 0, 'name': 'a'}"]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 0, 1]))]
    lines += ["    for i in range(12):", "        u = i * 7 % 12", "        name = f'n{t % 9}'"]
    lines += [w.statement(2) for _ in range(w.random.randint(1, 4))]
    lines += [w.statement(1) for _ in range(w.random.choice([0, 0, 1, 2]))]
    return "\n".join([*lines, "    return out, t, z, x, name, held, made, by, index, groups, row, one", "", CALLS])
