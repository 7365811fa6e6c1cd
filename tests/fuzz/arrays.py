"""Random expressions that give an array, and random index expressions, as text with the kind of the result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.fuzz.numbers import boolean, integer, position, real, real_leaf, scalar
from tests.fuzz.writer import DTYPE_WEIGHTS, DTYPES, Kind, Writer

UFUNCS = ("np.abs", "np.negative", "np.square", "np.sin", "np.floor", "np.sign", "np.ceil", "np.tanh", "np.rint", "np.conj", "np.positive")
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
Typed = tuple[str, Kind]


def any_array(w: Writer, rank: int | None = None) -> str | None:
    return w.variable(lambda kind: kind.name == "array" and (rank is None or kind.rank == rank))


def array(w: Writer, depth: int = 2) -> Typed:
    """An array."""
    name = any_array(w)
    if name is None:
        return created(w, depth)
    if depth <= 0:
        return name, w.kind(name)
    return w.weighted(ARRAYS)(w, depth - 1)


def dtype_of(*kinds: Kind) -> str:
    return np.result_type(*(kind.dtype or "float64" for kind in kinds)).name


def created(w: Writer, depth: int) -> Typed:
    dtype = w.random.choices(DTYPES, DTYPE_WEIGHTS)[0]
    size = w.pick(0, 1, 2, 3, 4)
    typed = f", dtype=np.{'bool_' if dtype == 'bool' else dtype}"
    text = w.pick(
        f"np.zeros({size}{typed})",
        f"np.ones(({size}, 2){typed})",
        f"np.full({size}, {w.pick(0, 1, 3)}{typed})",
        f"np.arange({size}{typed})" if dtype != "bool" else f"np.zeros({size}{typed})",
        f"np.eye({size}{typed})",
        f"np.array({w.pick(1, 0)}{typed})",
        f"np.array([{integer(w, 1)}, {integer(w, 0)}])",
        f"np.array([{real(w, 1)}, {real(w, 0)}, 1.0])",
    )
    rank = 2 if "eye" in text or "ones" in text else 0 if text.startswith(("np.array(1", "np.array(0")) else 1
    dtype = dtype if "dtype" in text else "int64" if text.startswith("np.array([") and "1.0]" not in text else "float64"
    return text, Kind("array", dtype, rank, False)


def like(w: Writer, depth: int) -> Typed:
    name = any_array(w)
    kind = w.kind(name)
    return w.pick(
        (f"np.zeros_like({name})", kind),
        (f"{name}.copy()", kind),
        (f"np.zeros_like({name})", kind),
        (f"np.array({name})", kind),
        (f"np.zeros({name}.shape)", replace(kind, dtype="float64")),
        (f"np.full({name}.shape, {real(w, 1)})", replace(kind, dtype="float64")),
        (f"np.ones_like({name}, dtype=np.float32)", replace(kind, dtype="float32")),
        (f"np.asarray({name})", kind),
    )


def partner(w: Writer, kind: Kind) -> str | None:
    """An array that broadcasts with one of this kind, usually."""
    if w.chance(w.bold):
        return any_array(w)
    return w.variable(lambda other: other.name == "array" and other.regular and kind.regular)


def operated(w: Writer, depth: int) -> Typed:
    text, kind = array(w, depth)
    operator = w.pick("+", "-", "*", "+", "*", "/", "//", "%", "&", "**") if not kind.dtype.startswith("complex") else w.pick("+", "-", "*")
    if operator in ("&",) and kind.dtype not in ("bool", "int64", "int32", "uint8") and not w.chance(w.bold):
        operator = "*"
    if operator == "**":
        return f"({text} ** {w.pick(2, 2.0, 3, 1)})", kind
    other = partner(w, kind)
    if other and operator != "&" and w.chance(0.5):
        result = Kind("array", dtype_of(kind, w.kind(other)), max(kind.rank, w.kind(other).rank), kind.regular)
        return f"({text} {operator} {other})", replace(result, dtype="float64") if operator == "/" else result
    number = w.pick(integer, integer, real, scalar)(w, 1) if operator in "+-*" else w.pick("2", "3", "4")
    if w.chance(0.2) and operator in "+-*":
        return f"({number} {operator} {text})", kind
    return f"({text} {operator} {number})", kind


def ufunc(w: Writer, depth: int) -> Typed:
    text, kind = array(w, depth)
    if w.chance(0.7):
        name = w.pick(*UFUNCS)
        if kind.dtype == "bool":
            name = w.pick("np.logical_not", "np.abs", "np.invert")
        if kind.dtype.startswith("complex") and name in ("np.floor", "np.ceil", "np.rint"):
            name = "np.conj"
        return f"{name}({text})", kind
    other = w.pick(partner(w, kind) or "2", integer(w, 1), real_leaf(w))
    known = w.scope.sure.get(other)
    rank = max(kind.rank, known.rank) if known is not None and known.name == "array" else kind.rank
    return f"np.{w.pick('maximum', 'minimum', 'add', 'multiply', 'subtract', 'fmax')}({text}, {other})", replace(kind, rank=rank)


def compared(w: Writer, depth: int) -> Typed:
    text, kind = array(w, depth)
    if kind.dtype.startswith("complex"):
        return f"({text} == {text})", replace(kind, dtype="bool")
    return f"({text} {w.pick(*COMPARISONS)} {w.pick(integer, real)(w, 0)})", replace(kind, dtype="bool")


def selected(w: Writer, depth: int) -> Typed:
    mask, kind = compared(w, depth)
    if kind.rank == 0:  # np.where of numbers gives a number: docs/limits.md
        return mask, kind
    if w.chance(0.6):
        name = mask.strip("(").split(" ")[0]
        other = name if name in w.scope.sure and w.kind(name).name == "array" else None
        return f"np.where({mask}, {other or real_leaf(w)}, {w.pick(integer, real)(w, 0)})", replace(kind, dtype="float64")
    text, kind = array(w, depth)
    if kind.dtype.startswith("complex"):
        return text, kind
    return f"np.clip({text}, {w.pick('0', '-1', '0.5', 'None')}, {w.pick('2', '1', '3.5')})", kind


def cast(w: Writer, depth: int) -> Typed:
    text, kind = array(w, depth)
    dtype = w.random.choices(DTYPES, DTYPE_WEIGHTS)[0]
    if kind.dtype.startswith("complex") and not dtype.startswith("complex"):
        return f"{text}.real", replace(kind, dtype="float64")
    if dtype in ("uint8", "int8", "int16", "int32", "uint64", "uint32") and kind.dtype.startswith("float"):
        text = f"np.nan_to_num(np.clip({text}, 0, 100))"  # what nan becomes depends on the processor
    return f"{text}.astype(np.{'bool_' if dtype == 'bool' else dtype})", replace(kind, dtype=dtype)


def piece(w: Writer) -> str:
    """A slice of one axis."""
    start, stop = w.pick("", "", "1", "-1", "2", "0"), w.pick("", "", "-1", "3", "2", "9")
    if w.chance(0.15):
        start = integer(w, 0)
    step = w.pick("", "", ":2", ":-1", ":-2", ":1", ":3")
    if step.startswith(":-"):
        start, stop = w.pick("", "-1", "3"), w.pick("", "0")
    return f"{start}:{stop}{step}"


def view(w: Writer, name: str) -> Typed:
    """A view of a variable."""
    kind = w.kind(name)
    odd = replace(kind, regular=False)
    if kind.rank == 0:
        return f"{name}[...]", kind
    options = [
        (f"{name}[{piece(w)}]", odd),
        (f"{name}[{piece(w)}]", odd),
        (f"{name}[::-1]", kind),
        (f"{name}[...]", kind),
        (f"{name}.T", odd if kind.rank > 1 else kind),
        (f"{name}.reshape(-1)", replace(odd, rank=1)),
        (f"{name}[None]", replace(odd, rank=kind.rank + 1)),
        (f"{name}.ravel()", replace(odd, rank=1)),
        (f"{name}[..., None]", replace(odd, rank=kind.rank + 1)),
        (f"np.flip({name})", kind),
    ]
    if kind.rank > 1:
        options += [
            (f"{name}[{position(w, name, 0)}]", replace(kind, rank=kind.rank - 1)),
            (f"{name}[:, {piece(w)}]", odd),
            (f"{name}[..., {position(w, name, kind.rank - 1)}]", replace(odd, rank=kind.rank - 1)),
            (f"{name}[{piece(w)}, {piece(w)}]", odd),
        ]
    if kind.rank == 2:
        options += [(f"np.diagonal({name})", replace(odd, rank=1)), (f"{name}.swapaxes(0, 1)", odd)]
    text, found = w.pick(*options)
    return (text, found) if found.rank <= 3 else (f"{name}[...]", kind)


def viewed(w: Writer, depth: int) -> Typed:
    return view(w, any_array(w))


def taken(w: Writer, depth: int) -> Typed:
    """Integer-array and boolean indexing."""
    name = any_array(w)
    kind = replace(w.kind(name), regular=False)
    if kind.rank == 0:
        return name, w.kind(name)
    index = w.variable(lambda other: other.name == "array" and other.rank == 1 and other.dtype == "int64")
    options = [
        (f"{name}[[0, -1]]", kind),
        (f"{name}[np.array([0, 0, -1])]", kind),
        (f"{name}[np.argsort({name}, axis=0)]", replace(kind, rank=2 * kind.rank - 1)),
        (f"np.take({name}, [0, -1], axis=-1)", kind),
        (f"{name}[np.array([], dtype=int)]", kind),
    ]
    if index:
        options.append((f"{name}[{index} % {name}.shape[0]]", kind))
        if w.chance(w.bold):
            options.append((f"{name}[{index}]", kind))
    if not kind.dtype.startswith("complex"):
        options += [(f"{name}[{name} > {real_leaf(w)}]", replace(kind, rank=1))] * 2
    text, found = w.pick(*options)
    return (text, found) if found.rank <= 3 else (name, w.kind(name))


def moved(w: Writer, depth: int) -> Typed:
    text, kind = array(w, depth)
    odd = replace(kind, regular=False)
    if kind.rank == 0:
        return text, kind
    options = [
        (f"np.roll({text}, {w.pick(1, -1, 2)})", kind),
        (f"np.sort({text}, axis={w.pick(0, -1)})", kind),
        (f"np.cumsum({text})", replace(odd, rank=1)),
        (f"np.concatenate([{text}, {text}])", odd),
        (f"np.stack([{text}, {text}])", replace(odd, rank=kind.rank + 1)),
        (f"np.repeat({text}, 2)", replace(odd, rank=1)),
        (f"np.cumsum({text}, axis=0)", kind),
        (f"np.broadcast_to({text}, (2,) + {text}.shape)", replace(odd, rank=kind.rank + 1)),
        (f"np.append({text}, 1)", replace(odd, rank=1)),
        (f"np.unique({text})", replace(odd, rank=1)),
        (f"np.tile({text}, 2)", odd),
        (f"np.nonzero({text})[0]", Kind("array", "int64", 1, False)),
    ]
    if kind.dtype != "bool":
        options += [(f"np.diff({text}, axis=0)", odd), (f"np.sort({text}, axis=None)", replace(odd, rank=1))]
    text, found = w.pick(*options)
    return (text, found) if found.rank <= 3 else (f"np.atleast_1d({text}.ravel())", replace(odd, rank=1))


def reduced(w: Writer, depth: int) -> Typed:
    text, kind = array(w, depth)
    if kind.rank < 1 or kind.dtype.startswith("complex"):
        return text, kind
    axis = w.random.randrange(-1, kind.rank)
    keep = w.pick("", "", ", keepdims=True")
    function = w.pick("sum", "max", "mean", "prod", "any", "argmax", "min", "all")
    if function in ("max", "min", "argmax") and not w.chance(max(w.bold, 0.3)):
        function = "sum"
    if kind.rank == 1 and not keep:
        return f"np.array({text}.{function}(axis=0))", Kind("array", kind.dtype, 0)
    return f"{text}.{function}(axis={axis}{keep})", replace(kind, rank=kind.rank if keep else kind.rank - 1, regular=False)


def multiplied(w: Writer, depth: int) -> Typed:
    name, other = any_array(w, 2), any_array(w, 1)
    if name and w.kind(name).dtype != "bool":
        if w.chance(0.5):
            if w.kind(name).dtype.startswith("complex"):  # which parts of a product are no numbers is up to BLAS, where others are none
                return f"np.sign({name}) @ np.sign({name}.T)", Kind("array", w.kind(name).dtype, 2, False)
            return f"{name} @ {name}.T", Kind("array", w.kind(name).dtype, 2, False)
        if other and w.kind(other).regular and w.kind(name).regular:
            return f"{name} @ {other}", Kind("array", dtype_of(w.kind(name), w.kind(other)), 1, False)
    if other:
        return f"np.outer({other}, {other})", Kind("array", w.kind(other).dtype, 2, False)
    return array(w, 0)


def branched(w: Writer, depth: int) -> Typed:
    """One of two arrays, chosen by a condition."""
    name = any_array(w)
    kind = w.kind(name)
    other = w.variable(lambda found: found == kind)
    return f"({name} if {boolean(w, 1)} else {other})", kind


def comprehended(w: Writer, depth: int) -> Typed:
    name = w.fresh("v")
    source = any_array(w, 1)
    if source is None or w.kind(source).dtype in ("bool", "complex128", "complex64"):
        return array(w, 0)
    if w.kind(source).dtype != "float64":  # the dtype of an array of an empty list: docs/limits.md
        return f"np.array([{name} + 0.5 for {name} in {source}], dtype=np.float64)", Kind("array", "float64", 1, False)
    test = w.pick("", "", f" if {name} > {w.pick(0, 1)}")
    return f"np.array([{name} {w.pick('*', '+')} {w.pick(2, 0.5)} for {name} in {source}{test}])", Kind("array", "float64", 1, False)


ARRAYS = (
    (10, operated),
    (5, ufunc),
    (3, compared),
    (3, selected),
    (3, cast),
    (5, viewed),
    (3, taken),
    (4, moved),
    (4, reduced),
    (1, multiplied),
    (2, created),
    (3, like),
    (1, branched),
    (1, comprehended),
)
