"""A random program: the text of a module with a function `f` and `CALLS` that make its arguments; the same for the same seed."""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

from tests.fuzz.compound import statements
from tests.fuzz.writer import BOOL, FLOAT, INT, Kind, Writer

HEADER = """import dataclasses
import functools
import itertools
import math
from collections import namedtuple
from types import SimpleNamespace
import numpy as np

Pair = namedtuple("Pair", "first second")


class Tank:
    def __init__(self, level, scale=1.0):
        self.level = level
        self.scale = scale

    def fill(self, amount):
        if amount > self.scale:
            self.level = self.level + self.scale
        else:
            self.level += amount * 0.5
        return self.level


class Stage:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return False


class Shield:
    def __init__(self, kind):
        self.kind = kind
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.count += 1
        return kind is self.kind


class Meter:
    def __init__(self, values, gain=1.0):
        self.values = values
        self.gain = gain
        self.seen = []

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index] * self.gain

    def __contains__(self, number):
        return number in self.seen

    def __call__(self, t):
        return t * self.gain + len(self.seen)

    def note(self, number):
        if number > 1:
            self.seen.append(number)
        self.last = number

    @property
    def peak(self):
        best = self.values[0]
        for value in self.values:
            if value > best:
                best = value
        return best

    @staticmethod
    def limit(number):
        return min(number, 2)

    @classmethod
    def made(cls, gain):
        return cls([1, 2], gain)


class Scaled(Meter):
    def __call__(self, t):
        return super().__call__(t) + 1

    @property
    def peak(self):
        return super().peak * 2


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def shifted(self, amount):
        return dataclasses.replace(self, y=self.y - amount) if amount > 1 else Point(self.x + amount, self.y)


class Halved:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        if self.name not in obj.__dict__:
            raise AttributeError(self.name)
        return obj.__dict__[self.name]

    def __set__(self, obj, value):
        obj.__dict__[self.name] = value / 2 if value > 1 else value

    def __delete__(self, obj):
        del obj.__dict__[self.name]


class Box:
    a = Halved()

    def __init__(self, a, b):
        self.a, self.b = a, b


class Trouble(ValueError):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


LEVEL = 0


def set_level(value):
    global LEVEL
    LEVEL = value

"""
ELEMENTS = ("0", "1", "-1", "0.5", "2", "3.25", "-2.5", "4", "7", "-0.0", "0.25", "6")
ODD_ELEMENTS = ("np.nan", "np.inf", "-np.inf", "1e300", "1e-300", "-0.0", "1.5")


def argument(w: Writer, sizes: tuple[int, ...], kind: Kind, layout: str) -> str:
    """The text of one argument."""
    if kind == INT:
        return w.pick("0", "1", "2", "3", "5", "7", "-1", "-3", "12")
    if kind == FLOAT:
        return w.pick("0.0", "0.5", "2.0", "-1.25", "3.0", "10.0", "-0.0", *(("float('nan')", "float('inf')", "1e200") if w.odd else ()))
    if kind == BOOL:
        return w.pick("True", "False")
    if kind.name == "list":
        return f"[{', '.join(w.pick('1', '2', '-3', '0', '5') for _ in range(sizes[-1]))}]"
    return array_argument(w, sizes, kind, layout)


def array_argument(w: Writer, sizes: tuple[int, ...], kind: Kind, layout: str) -> str:
    shape = sizes[len(sizes) - kind.rank :]
    count = 1
    for size in shape:
        count *= size
    if kind.dtype == "bool":
        items = [w.pick("0", "1") for _ in range(count)]
    elif kind.dtype.startswith(("int", "uint")):
        items = [w.pick("0", "1", "2", "3", "7", "100", *(("-1", "-5") if kind.dtype[0] == "i" else ("200",))) for _ in range(count)]
    else:
        items = [w.pick(*(ODD_ELEMENTS if w.odd and w.chance(0.3) else ELEMENTS)) for _ in range(count)]
    text = f"np.array([{', '.join(items)}], dtype=np.{'bool_' if kind.dtype == 'bool' else kind.dtype})"
    if len(shape) != 1:
        text += f".reshape({shape})"
    if layout == "reversed" and kind.rank:
        return f"{text}[::-1]"
    if layout == "strided" and kind.rank:
        return f"np.repeat({text}, 2, axis=-1)[..., ::2]"
    return f"np.asfortranarray({text})" if layout == "fortran" and kind.rank > 1 else text


def parameters(w: Writer) -> dict[str, tuple[Kind, str]]:
    """Names, kinds and layouts of the parameters: a vector and an int always, others by chance."""
    from_table = w.random.choices
    dtypes = from_table(
        ("float64", "float32", "int64", "uint8", "bool", "complex128", "int32", "int8", "uint64"), (50, 8, 16, 8, 4, 5, 5, 2, 2), k=3
    )
    layouts = [w.pick("plain", "plain", "plain", "plain", "reversed", "strided", "fortran") for _ in range(3)]
    found = {"x": (Kind("array", dtypes[0], 1), layouts[0]), "n": (INT, "")}
    if w.chance(0.5):
        found["y"] = (Kind("array", dtypes[1], w.pick(1, 2, 2)), layouts[1])
    if w.chance(0.5):
        found["r"] = (FLOAT, "")
    if w.chance(0.15):
        found["q"] = (Kind("array", dtypes[2], w.pick(0, 3)), layouts[2])
    if w.chance(0.1):
        found["flag"] = (BOOL, "")
    if w.chance(0.1):
        found["items"] = (Kind("list", "int"), "")
    return found


def call(w: Writer, sizes: tuple[int, ...], taken: dict[str, tuple[Kind, str]]) -> str:
    """One entry of CALLS, now and then with an array given twice or as a view of another."""
    texts = [argument(w, sizes, kind, layout) for kind, layout in taken.values()]
    kinds = [kind for kind, _ in taken.values()]
    if w.chance(0.08) and len(kinds) > 2 and kinds[2].name == "array":
        other = w.pick("x", "x[::-1]") if kinds[2].rank == 1 else "x[None]"
        return f"lambda: (lambda x: ({', '.join(['x', texts[1], other, *texts[3:]])},))({texts[0]})"
    return f"lambda: ({', '.join(texts)},)"


def program_text(seed: int) -> str:
    """The module of a seed."""
    w = Writer(seed)
    taken = parameters(w)
    for name, (kind, _) in taken.items():
        w.define(name, kind)
    while w.budget > 0:
        statements(w, 3)
    names = [name for name, kind in w.scope.sure.items() if kind.name != "function"]
    if w.scope.maybe and w.chance(0.15):
        names.append(w.pick(*w.scope.maybe))
    names = w.random.sample(names, min(len(names), 6))
    body = [*w.lines, f"    return {', '.join(names)}" if names else "    return None"]
    first = (w.random.randint(1, 3), w.random.randint(2, 3), w.random.randint(2, 5))
    second = tuple(w.random.choice((size, 0, 1, size + 1)) for size in first)
    calls = [call(w, first, taken), call(w, first, taken), call(w, second, taken)]
    listed = "".join(f"    {text},\n" for text in calls)
    return f"{HEADER}\ndef f({', '.join(taken)}):\n" + "\n".join(body) + f"\n\n\nCALLS = (\n{listed})\n"


def load(text: str, name: str) -> tuple[Callable[..., Any], tuple[Callable[[], tuple[Any, ...]], ...]]:
    """The function and the calls of a program."""
    filename = f"<fuzz {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = types.ModuleType(f"fuzz_{name}")
    sys.modules[module.__name__] = module  # a dataclass asks for it
    try:
        exec(compile(text, filename, "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module.f, module.CALLS
