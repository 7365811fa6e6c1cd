"""Random sequences of calls of one compiled function, between which globals, closures, classes, defaults, helpers, kinds of arguments and
what stands under several names change.

`scripts/fuzz --calls --programs 500`; `call_oracle.py` judges. A program is the text of a module with a function `f` and `STEPS`: texts
of what changes before a call and of the call's arguments, both carried out in the module.
"""

from __future__ import annotations

import random
import re

from tests.fuzz.call_module import MODULE

ARGUMENTS = ("a", "b", "xs", "ys", "d", "x", "y", "t", "s")
NUMBERS = (
    *"aabb12i", "LIMIT", "RATE", "COUNT", "len(TABLE)", "TANK.level", "Tank.factor", "TANK.factor", "t.level", "SCORES['a']", "PAIR[0]",
    "TABLE[0]", "POINT.x", "MODE.value", "conf.rate", "CELL.v", "len(xs)", "Level.LOW", "w", "SLOT.v", "GRID[0]", "TANKS[0].level",
)  # fmt: skip
LISTS = (
    "TABLE", "WEIGHTS", "ROWS[0]", "KEPT", "TANK.items", "t.items", "xs", "xs", "ys", "ys", "conf.sizes", "GROUPS['a']", "acc", "Tank.tags",
)  # fmt: skip
ARRAYS = ("x", "x", "y", "GRID", "COUNTS", "GRID[1:]", "x[::-1]", "x[1:]")
DICTS = ("d", "d", "SCORES", "MEMO", "TANK.table", "Tank.limits")
TANKS = ("t", "t", "TANK", "OTHER", "TANKS[0]", "TANKS[-1]")
FUNCTIONS = (
    "scale", "weigh", "clipped", "memo", "down", "marked", "inner", "FUNCS[0]", "HANDLERS['a']", "PART", "Tank.double", "floor", "keep",
)  # fmt: skip
STATEMENTS = (
    "out.append({n})", "out.append({n} + {n})", "out.append({n} * {n})", "out.append({n} < {n})", "out.append({n} == {n})",
    "if {n} > LIMIT:\n    out.append('more')\nelse:\n    out.append('less')", "total += {n}", "total -= {n} * RATE",
    "out.append({f}({n}))", "out.append({f}({n}) + {f}({n}))", "total += sum({l})", "out.append(len({l}))", "out.append({n} in {l})",
    "for v in {l}:\n    total += v * RATE", "for v in {l}:\n    total += {f}(v)", "{l}.append({n})", "{l}[0] = {n}", "{l} += [1]",
    "out.append(list({l}))", "out.append({l})", "out.append({l} is {l})", "out.append({l} == {l})", "out.append(sorted({l}))",
    "out.append([v * 2 for v in {l}])", "out.append([v for v in {l} if v != LIMIT])", "if {l}:\n    out.append({l}[-1])",
    "out.append(max({l}))", "for k, v in enumerate({l}):\n    total += k * v", "for v, u in zip({l}, {l}):\n    total += v * u",
    "{l}.pop()", "{l}.insert(0, {n})", "{l}.sort()", "{l}.extend({l})", "{l}[:] = {l}[::-1]", "out.append({l}[::-1])",
    "for v, u in pairs({l}):\n    total += v * u", "out.append(''.join(str(v) for v in {l}))", "KEPT = {l}", "KEPT = [{n}]", "COUNT += 1",
    "COUNT = {n}", "LAST = {l}", "LAST = {x}", "LAST = {t}", "TABLE = {l}", "LOG.append({n})", "LOG.append(COUNT)", "LOG.append({l})",
    "keep({l})", "keep({x})", "keep({t})", "TANK = {t}", "LIMIT = {n}", "total += {x}.sum()", "out.append({x} * RATE)",
    "out.append({x} + {x})", "out.append({x}.mean() if len({x}) else {n})", "{x}[0] = {n}", "{x} += 1", "{x}[...] = {n}", "{x} *= RATE",
    "out.append({x})", "out.append({x}.shape)", "out.append({x}.dtype.name)", "out.append({x}[-1])",
    "for k in range(len({x})):\n    total += {x}[k] * k", "for k in range(len({x})):\n    {x}[k] = {x}[k] + {n}",
    "out.append({x} is {x})", "out.append(np.maximum({x}, LIMIT))", "out.append({x}[{x} > {n}])", "out.append(np.dot({x}, {x}))",
    "out.append({x}.max())", "x[:] = x[::-1]", "out.append({d}.get('a', {n}))", "out.append({d}['a'])", "{d}['a'] = {n}",
    "{d}['k'] = {n}", "out.append(len({d}))", "out.append('a' in {d})", "for k, v in {d}.items():\n    total += v",
    "for k in {d}:\n    out.append(k)", "out.append(list({d}.values()))", "out.append(sum({d}.values()))",
    "{d}['a'] = {d}.get('a', 0) + 1", "{d}.pop('a', None)", "{d}.update({d})", "out.append({d} is {d})", "out.append({d})",
    "out.append(dict({d}))", "{d}.setdefault('c', []).append({n})", "{d}[{n}] = {n}", "out.append({d} == {d})", "{d}.clear()",
    "out.append(sorted({d}))", "out.append({t}.fill({n}))", "out.append({t}.peek())", "out.append({t}.full)", "out.append({t}.level)",
    "{t}.level += {n}", "{t}.level = {n}", "out.append({t}.factor)", "{t}.factor = {n}", "Tank.factor = {n}", "out.append(Tank.factor)",
    "out.append({t}.named())", "out.append({t}.double({n}))", "{t}.items.append({n})", "{t}.items = {l}", "total += sum({t}.items)",
    "{t}.table['a'] = {n}", "out.append(hasattr({t}, 'extra'))", "out.append(getattr({t}, 'extra', {n}))", "{t}.extra = {n}",
    "out.append({t} is {t})", "out.append({t})", "out.append(type({t}).__name__)", "out.append(isinstance({t}, SubTank))",
    "Tank.tags.append('q')", "out.append(Tank.tags)", "out.append({t}.limits)", "{t}.limits['low'] += 1",
    "for u in TANKS:\n    total += u.level", "for u in TANKS:\n    u.level += {n}", "TANKS.append({t})", "out.append(TANKS)",
    "TANKS[0] = {t}", "out.append({t} == {t})", "out.append(vars({t}))", "for u in (TANK, OTHER):\n    out.append(u.peek())",
    "out.append({t}.unit * 2)", "out.append(NAME + 'z')", "out.append(NAME == s)", "out.append(s)", "out.append(s * 2)",
    "for c in s:\n    out.append(c)", "out.append(len(s))", "out.append(s in NAMES)", "out.append(SCORES.get(s))", "NAME += 'x'",
    "out.append(f'{NAME}-{a}-{LIMIT}')", "print(NAME, LIMIT, a)", "out.append(s.upper() + NAME)", "if s == NAME:\n    total += 1",
    "out.append([n + NAME for n in NAMES])", "out.append(NAMES.index('b'))", "if FLAG:\n    total += 1",
    "if NOTHING is None:\n    total += 2\nelse:\n    out.append(NOTHING)", "out.append(FLAG and {n})", "out.append(not FLAG)",
    "if MODE is Color.RED:\n    total += 5", "out.append(MODE)", "out.append(MODE.name)", "if MODE == Color.GREEN:\n    out.append({n})",
    "out.append(POINT)", "out.append(POINT.x + POINT.y)", "px, py = POINT\nout.append(py)", "POINT = POINT._replace(x={n})",
    "out.append(PAIR)", "p, q = PAIR\ntotal += p * q", "out.append({n} in CHOSEN)", "CHOSEN.add(LIMIT)", "out.append(len(CHOSEN))",
    "QUEUE.append({n})", "out.append(sum(QUEUE))", "if QUEUE:\n    out.append(QUEUE.popleft())", "out.append(conf.rate)",
    "out.append(conf.mode)", "conf.rate = {n}", "conf.sizes.append({n})", "out.append(getattr(conf, 'mode', 'no'))",
    "if conf.mode == 'x':\n    total += 1", "out.append(CELL)", "CELL.v += {n}", "CELL.seen.append({n})", "CELL = Cell({n})",
    "out.append(Cell({n}) == CELL)", "out.append(copy.copy(CELL))", "out.append(SLOT.v)", "SLOT.v = {n}",
    "out.append(hasattr(SLOT, 'n'))", "try:\n    out.append(EXTRA)\nexcept NameError:\n    out.append('none')",
    "try:\n    out.append({d}['zz'])\nexcept KeyError as e:\n    out.append(str(e))",
    "try:\n    total += LIMIT\nexcept TypeError:\n    out.append('type')", "out.append(math.sqrt(abs({n})))", "out.append(RNG.random())",
    "out.append(random.random())", "acc.append({n})", "acc.append({l})", "out.append(acc)", "out.append(len(acc))",
    "w += 1\nout.append(w)", "put({n})", "set_cell({n})", "out.append(inner({n}))", "out.append([g(1) for g in FUNCS])",
    "for g in FUNCS:\n    total += g({n})", "for k, g in HANDLERS.items():\n    out.append(g({n}))", "HANDLERS['c'] = inner",
    "if s in HANDLERS:\n    out.append(HANDLERS[s]({n}))", "FUNCS.append(inner)", "h = lambda v: v * LIMIT\nout.append(h({n}))",
    "out.append(list(map({f}, {l})))", "out.append(sorted({l}, key={f}))", "out.append(sum(scale(v) for v in {l}))",
    "GROUPS['a'].append({n})", "for k, vs in GROUPS.items():\n    total += sum(vs)", "GROUPS.setdefault(s, []).append({n})",
    "ROWS.append({l})", "for row in ROWS:\n    total += sum(row)", "ROWS[0] = {l}", "for row in ROWS:\n    row.append({n})",
    "out.append([list(row) for row in ROWS])", "out.append(LAST is {l})", "out.append(LAST)", "out.append(KEPT)",
    "out.append(KEPT is {l})", "TABLE, KEPT = KEPT, TABLE", "TANK, OTHER = OTHER, TANK", "GRID = {x}", "GRID = {x} + 1", "GRID[0] += {n}",
    "COUNTS[{l}] = 7", "while total < {n}:\n    total += 1 + abs(RATE)", "for k in range(LIMIT):\n    total += k",
    "for k in range({n}):\n    total += LIMIT", "out.append(TABLE[{n}])", "del {l}[0]", "a += 1", "a = {n}", "b = a",
    "out.append(a is None)", "if a is not None and a:\n    total += 1", "out.append(type(a).__name__)", "out.append(isinstance(a, int))",
    "out.append(str({n}))",
    "match a:\n    case 1 | 2:\n        total += 3\n    case None:\n        out.append('nothing')\n    case _:\n        total += 4",
    "out.append(a or LIMIT)", "xs = xs[1:]", "xs, ys = ys, xs", "x = x[1:]", "x = x + GRID[:1]", "d = dict(d)", "xs = list(xs)",
    "out.append(xs[0] if xs else LIMIT)", "out.append(tuple(xs))",
)  # fmt: skip
ASSIGNED = ("KEPT", "COUNT", "LAST", "TABLE", "TANK", "OTHER", "LIMIT", "NAME", "POINT", "CELL", "GRID", "COUNTS", "WEIGHTS", "RATE")
VALUES = (
    *"01235", "-1", "1.5", "2.0", "-0.0", "True", "False", "np.int64(3)", "np.float64(1.5)", "np.float32(0.5)", "None", "'ab'", "LIMIT",
    "COUNT", "TABLE[0]", "2**40", "np.bool_(True)", "float('nan')", "Level.HIGH",
)  # fmt: skip
SEQUENCES = (
    "[1, 2, 3]", "[4, 5, 6]", "[1.5, 2.0]", "[]", "[1]", "[1, None]", "[1, 2.5]", "(1, 2)", "list(range(50))", "[0.5] * 300", "TABLE",
    "WEIGHTS", "KEPT", "acc_()", "['a', 'b']", "[True, False]", "[[1], [2]]", "range(4)", "np.arange(3)",
    "(last if isinstance(last, list) else [4])", "NAMES", "TANK.items", "v_", "ROWS[0]", "GROUPS['a']", "conf.sizes",
    "collections.deque([1, 2])", "[2**40, 1]", "LOG", "Tank.tags", "list(TABLE)", "iter([1, 2, 3])", "(k for k in [1, 2])", "{1, 2}",
    "{1: 2, 3: 4}", "[np.float64(1.0), 2.0]", "(last or [3])",
)  # fmt: skip
OF_KIND = {
    "a": VALUES,
    "xs": SEQUENCES,
    "d": (
        "{'a': 1}", "{'a': 2, 'b': 3}", "{}", "{1: 2, 3: 4}", "{'a': 1.5, 'c': 2}", "SCORES", "{'a': None}", "{k: k for k in range(50)}",
        "dict(SCORES)", "MEMO",
        "collections.defaultdict(int)", "{'a': [1]}", "{'a': 'x'}", "TANK.table", "collections.Counter('aab')", "Tank.limits",
        "{f'k{k}': k for k in range(40)}",
    ),
    "x": (
        "np.arange(4.0)", "np.arange(5)", "np.zeros(0)", "np.ones((2, 3))", "np.arange(300.0)", "np.arange(6.0)[::2]",
        "np.asfortranarray(np.ones((3, 2)))",
        "np.ones(3, np.float32)", "np.array([True, False])", "frozen(np.arange(3.0))", "GRID", "GRID[1:]", "GRID[::-1]",
        "np.array([1j, 2.0])", "np.array([2.0])",
        "np.array(1.5)", "COUNTS", "COUNTS[1:]", "(last if isinstance(last, np.ndarray) else np.ones(2))",
        "np.arange(3, dtype=np.int32)", "GRID.reshape(2, -1)", "[1.0, 2.0]",
    ),
    "t": ("Tank(2)", "Tank(1.5)", "SubTank(3)", "TANK", "OTHER", "TANKS[0]", "(LAST if isinstance(LAST, Tank) else Tank(4))",
    "copy.copy(TANK)", "Tank(None)"),
    "s": ("'a'", "'ab'", "''", "'b'", "'xyz'", "NAME", "'ü'", "NAMES[0]", "'k' * 40", "1"),
}  # fmt: skip
OF_KIND |= {"b": OF_KIND["a"], "ys": OF_KIND["xs"], "y": OF_KIND["x"]}
CHANGES = (
    "LIMIT = {v}", "RATE = {v}", "COUNT = {v}", "NAME = {s}", "FLAG = {v}", "NOTHING = {v}", "TABLE.append({v})", "TABLE[0] = {v}",
    "TABLE[:] = []", "TABLE = {l}", "WEIGHTS[0] = {v}", "WEIGHTS = {l}", "WEIGHTS.append(2.5)", "NAMES.append({s})", "NAMES[0] = {s}",
    "SCORES['a'] = {v}", "SCORES['z'] = {v}", "SCORES.pop('b', None)", "SCORES = {d}", "GROUPS['a'].append({v})", "GROUPS['c'] = {l}",
    "GROUPS['a'] = {l}", "ROWS[0].append({v})", "ROWS.append({l})", "ROWS[0] = {l}", "ROWS[1] = ROWS[0]", "PAIR = (3, {v})",
    "PAIR = (1, 2, 3)", "POINT = Point({v}, 4)", "CHOSEN.add({v})", "CHOSEN = set()", "QUEUE.append({v})", "QUEUE.clear()", "GRID[0] = 7",
    "GRID = {x}", "COUNTS[1] = 9", "COUNTS = {x}", "GRID.flags.writeable = False", "MODE = Color.GREEN", "MODE = Color.RED",
    "MODE = Level.HIGH", "TANK.level = {v}", "OTHER.level = {v}", "TANK = {t}", "OTHER = TANK", "OTHER = {t}", "TANKS.append({t})",
    "TANKS[0] = {t}", "TANKS.pop()", "TANK.items.append({v})", "TANK.items = {l}", "TANK.items = TABLE", "TANK.table['a'] = {v}",
    "TANK.table = SCORES", "TANK.factor = {v}", "TANK.__dict__.pop('factor', None)", "Tank.factor = {v}", "SubTank.factor = {v}",
    "Tank.unit = {s}", "TANK.unit = {s}", "Tank.tags.append('n')", "TANK.tags = {l}", "Tank.tags = {l}", "Tank.limits['low'] = {v}",
    "Tank.extra = {v}", "TANK.extra = {v}", "del Tank.extra", "TANK.fill = lambda by: by", "Tank.fill = lambda self, by: by + 1",
    "Tank.peek = lambda self: self.level", "OTHER.peek = lambda: 99", "SubTank.peek = Tank.fill",
    "Tank.full = property(lambda self: self.level)", "Tank.full = 5", "Tank.double = staticmethod(lambda v: v * 3)",
    "Tank.named = classmethod(lambda cls: 'n')", "Tank.__eq__ = lambda self, other: True", "TANK.__class__ = SubTank", "del TANK.level",
    "class Tank(Tank):\n    factor = 9", "TANK.double = lambda v: v", "scale = lambda v, by=1: v + 100",
    "def scale(v, by=5):\n    return v - by", "scale = weigh", "scale.__defaults__ = (5,)",
    "scale.__code__ = (lambda v, by=2: v + by).__code__", "weigh.__defaults__[0].append(1)", "weigh.__defaults__ = ([],)",
    "def clipped(v):\n    return v * RATE", "clipped = abs", "def memo(v):\n    return v", "MEMO.clear()", "MEMO[1] = {v}", "MEMO = {d}",
    "floor = math.ceil", "floor = scale", "def pairs(vs):\n    for v in vs:\n        yield v, RATE", "def down(v):\n    return v",
    "inner, put, set_cell = make_closure({v})", "set_cell({v})", "put({v})", "inner.__closure__[0].cell_contents = {v}",
    "def keep(v):\n    return v", "marked = scale", "FUNCS[0] = inner", "FUNCS.append(clipped)", "FUNCS = [weigh]",
    "HANDLERS['a'] = inner", "HANDLERS.pop('b', None)", "PART = functools.partial(scale, by={v})", "PART = scale", "conf.rate = {v}",
    "conf.mode = {s}", "del conf.mode", "conf = types.SimpleNamespace(rate=1, mode='y', sizes=[3])", "conf.sizes.append({v})",
    "conf.sizes = {l}", "conf = Tank(1)", "CELL.v = {v}", "CELL = Cell({v})", "CELL.seen.append({v})", "Cell.n = {v}", "SLOT.v = {v}",
    "SLOT.n = {v}", "SLOT = Slotted({v})", "EXTRA = {v}", "del EXTRA", "del LIMIT", "del RATE", "del TABLE", "KEPT.append({v})",
    "KEPT[:1] = [{v}]", "KEPT = {l}", "KEPT = TABLE", "LAST = {l}", "LAST = {x}", "LAST = None", "LOG.clear()", "last.append({v})",
    "last[0] = {v}", "LAST.append({v})", "v_.append({v})", "RNG = np.random.default_rng(5)",
    "math = types.SimpleNamespace(sqrt=lambda v: v + 1)", "f.__defaults__ = (*f.__defaults__[:-1], {l}) if f.__defaults__ else None",
    "f.__defaults__[-1].append({v})", "TABLE = WEIGHTS", "WEIGHTS = TABLE", "SCORES = TANK.table", "GRID = GRID[::-1]", "GRID = GRID[1:]",
    "GRID = COUNTS", "LIMIT = RATE", "NAMES = (*NAMES, 'q')", "TABLE = tuple(TABLE)", "TABLE = [float(v) for v in TABLE]",
    "TABLE = TABLE * 20", "SCORES |= {f'k{k}': k for k in range(20)}", "Point = collections.namedtuple('Point', 'y x')",
    "TANKS = TANKS * 6", "TANKS = [Tank(k) for k in range(12)]", "TANKS[-1].factor = 7", "Level = Color",
    "Color.RED.__dict__['_value_'] = 1", "Tank.__init__ = lambda self, level=1: None",
)  # fmt: skip

READ_BY = {
    "clipped": {"LIMIT"}, "down": {"LIMIT"}, "peek": {"LIMIT", "Tank", "SubTank"}, "full": {"LIMIT", "Tank"}, "memo": {"RATE",
    "MEMO"}, "pairs": {"LIMIT"},
    "marked": {"COUNT", "NAME", "LOG"}, "named": {"NAME", "Tank"}, "inner": {"put", "set_cell"}, "t": {"Tank",
    "SubTank"}, "TANK": {"Tank", "SubTank"},
    "OTHER": {"Tank", "TANK"}, "FUNCS": {"scale", "clipped", "LIMIT"}, "HANDLERS": {"scale", "clipped",
    "LIMIT"}, "PART": {"scale"}, "acc": {"f"}, "w": {"f"},
}  # fmt: skip


class CallWriter:
    """Statements, changes and arguments of one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        count = self.random.choice([1, 2, 3, 3, 4])
        self.taken = [name for name in ARGUMENTS if name in self.random.sample(ARGUMENTS, count)]
        self.has_defaults = self.random.random() < 0.3
        missing = "|".join([*(set(ARGUMENTS) - set(self.taken)), *([] if self.has_defaults else ["acc", "w"])])
        self.known = self.taken and re.compile(rf"(?<![\w.'])(?:{'|'.join(self.taken)})(?!\w|'|=|\()")
        self.unknown = re.compile(rf"(?<![\w.'])(?:{missing})(?!\w|'|=|\()")

    def filled(self, text: str, holes: dict[str, tuple[str, ...]]) -> str:
        """A text whose holes are filled at random."""
        for hole, choices in holes.items():
            while "{" + hole + "}" in text:
                text = text.replace("{" + hole + "}", self.random.choice(choices), 1)
        return text

    def statement(self, depth: int) -> str:
        holes = {"f": FUNCTIONS, "n": NUMBERS, "l": LISTS, "x": ARRAYS, "d": DICTS, "t": TANKS}
        wants = self.random.random() < 0.6 and self.known
        while self.unknown.search(text := self.filled(self.random.choice(STATEMENTS), holes)) or wants and not wants.search(text):
            pass
        return "\n".join("    " * depth + line for line in text.split("\n"))

    def change(self, body: str) -> str:
        """What happens before a call: mostly to what the function's text names."""
        holes = {"v": VALUES, "l": SEQUENCES, "s": OF_KIND["s"], "d": OF_KIND["d"], "x": OF_KIND["x"], "t": OF_KIND["t"]}
        names = set(re.findall(r"\w+", body))
        names |= {name for user, read in READ_BY.items() if user in names for name in read}
        for _ in range(40):
            text = self.random.choice(CHANGES)
            if {name.rstrip("_") for name in re.findall(r"\w+", text)[:3]} & names:
                break
        return self.filled(text, holes)

    def arguments(self, first: dict[str, str]) -> str:
        """The text of a call's arguments: mostly of the kinds of the first call."""
        texts = [first[name] if self.random.random() < 0.6 else self.random.choice(OF_KIND[name]) for name in self.taken]
        for one, two in (("xs", "ys"), ("x", "y"), ("a", "b")):
            if {one, two} <= set(self.taken) and self.random.random() < 0.2:
                at, to = self.taken.index(one), self.taken.index(two)
                texts[at], texts[to] = f"(v_ := {texts[at]})", self.random.choice(["v_", "v_", "v_[:]", "v_[1:]"]) if one != "a" else "v_"
        return "(" + "".join(f"{text}, " for text in texts) + ")"


def call_program_text(seed: int) -> str:
    """The module of a seed."""
    w = CallWriter(seed)
    body = ["    out, total, i = [], 0, 1"]
    body += [w.statement(1) for _ in range(w.random.choice([2, 3, 4, 5]))]
    if w.random.random() < 0.3:
        body += [f"    for i in range({w.random.choice(['3', '9', 'LIMIT', 'len(TABLE)'])}):", w.statement(2), w.statement(2)]
    body += [w.statement(1) for _ in range(w.random.choice([0, 1, 2]))]
    body += ["    return out, total"]
    written = [name for name in ASSIGNED if re.search(rf"^ *(\w+, )*{name}(, \w+)* [-+*|]?= ", "\n".join(body), re.M)]
    declared = [f"    global {', '.join(written)}"] if written else []
    parameters = [*w.taken, *(["w=1", "acc=[]"] if w.has_defaults else [])]
    first = {name: w.random.choice(OF_KIND[name][: len(OF_KIND[name]) // 2 + 1]) for name in w.taken}
    steps = [(w.change("\n".join(body)) if k and w.random.random() < 0.8 else "", w.arguments(first)) for k in range(8)]
    listed = [f"    ({change!r}, {arguments!r})," for change, arguments in steps]
    text = [MODULE.strip(), "", "", f"def f({', '.join(parameters)}):", *declared, *body, "", "", "STEPS = (", *listed, ")", ""]
    return "\n".join(text).replace("acc_()", "f.__defaults__[-1]" if w.has_defaults else "[7]")
