"""A random smooth program: the text of a module with a function `f` that gives a real number, and `CALLS` that make its arguments."""

from __future__ import annotations

from tests.fuzz.smooth_compound import loss_text, statements
from tests.fuzz.smooth_writer import COMPLEX, SmoothWriter, array_kind
from tests.fuzz.writer import FLOAT, INT, Kind

HEADER = """import math
import numpy as np
import autograph_jit as ag


class Tank:
    def __init__(self, level, scale=1.0):
        self.level = level
        self.scale = scale

    def fill(self, amount):
        if amount > self.scale:
            self.level = self.level * 0.5 + self.scale
        else:
            self.level += amount * 0.5
        return self.level


def weigh(a):
    return np.sum(np.sin(a) * np.cos(1.7 * np.arange(1, a.size + 1)).reshape(a.shape))


def relax(a, r):
    for i in range(1, len(a)):
        a[i] = 0.6 * a[i] + r * np.tanh(a[i - 1])
        if a[i] > 1.2:
            a[i - 1] *= 0.5
    return a.sum()


def horner(k, a, r):
    return a[k] if k == len(a) - 1 else a[k] + 0.7 * r * horner(k + 1, a, r)


def root(a):
    y = 1.0 + 0.3 * a
    for _ in range(20):
        step = (y ** 3 + y - a) / (3 * y ** 2 + 1)
        y = y - step
        if abs(step) < 1e-9:
            break
    return y

"""


def values(w: SmoothWriter, count: int) -> str:
    return ", ".join(str(round(w.random.uniform(-1.5, 1.5), 3)) for _ in range(count))


def array_text(w: SmoothWriter, shape: tuple[int, ...], layout: str) -> str:
    count = 1
    for size in shape:
        count *= size
    text = f"np.array([{values(w, count)}], dtype=np.{w.dtype})" + (f".reshape({shape})" if len(shape) > 1 else "")
    if layout == "complex":
        return f"np.array([{values(w, count)}]) + 1j * np.array([{values(w, count)}])"
    if layout == "reversed":
        return f"{text}[::-1]"
    return (
        f"np.asfortranarray({text})" if layout == "fortran" else f"np.repeat({text}, 2, axis=-1)[..., ::2]" if layout == "strided" else text
    )


def parameters(w: SmoothWriter) -> dict[str, tuple[Kind, str]]:
    """Names, kinds and layouts of the parameters: a vector, a number and an int always, others by chance."""
    layout = w.random.choices(("plain", "reversed", "strided"), (80, 10, 10))[0]
    found = {"x": (array_kind((w.m,)), layout), "r": (FLOAT, ""), "n": (INT, "")}
    if w.chance(0.6):
        shape = w.pick((w.m,), (w.k, w.m), (w.m, w.m) if w.m < 5 else (w.k, w.m))
        found["y"] = (array_kind(shape), w.random.choices(("plain", "fortran"), (85, 15))[0])
    if w.has_complex and w.chance(0.6):
        found["z"] = (array_kind((w.m,), COMPLEX), "complex")
    if w.chance(0.12):
        found["p"] = (Kind("dict", "float"), "")
    return found


def argument(w: SmoothWriter, kind: Kind, layout: str) -> str:
    if kind == INT:
        return w.pick("0", "1", "2", "3", "4")
    if kind == FLOAT:
        return values(w, 1)
    return f"{{'s': {values(w, 1)}, 't': {values(w, 1)}}}" if kind.name == "dict" else array_text(w, kind.shape, layout)


def smooth_program_text(seed: int) -> str:
    """The module of a seed."""
    w = SmoothWriter(seed)
    taken = parameters(w)
    for name, (kind, _) in taken.items():
        w.define(name, kind)
    w.frozen.add("n")
    while w.budget > 0:
        statements(w, 3)
    body = [*w.lines, f"    return {loss_text(w)}"]
    calls = [f"lambda: ({', '.join(argument(w, kind, layout) for kind, layout in taken.values())},)" for _ in range(2)]
    listed = "".join(f"    {text},\n" for text in calls)
    return f"{HEADER}\ndef f({', '.join(taken)}):\n" + "\n".join(body) + f"\n\n\nCALLS = (\n{listed})\n"
