"""Random pieces of numerical programs: loops over indices, masks, NumPy's functions, `out=`, mixed and wrapping dtypes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.fuzz.numbers import boolean, integer_leaf, real, real_leaf
from tests.fuzz.writer import BOOL, FLOAT, INT, Kind, Writer

SMALL = ("int8", "uint8", "int16", "int32", "float32", "uint32", "int64", "float64", "uint64")
SCALAR = Kind("scalar")


def real_array(w: Writer, rank: int | None = None) -> str | None:
    """An array of a dtype that can be ordered, of rank 1 at least."""
    return w.variable(
        lambda kind: (
            kind.name == "array" and kind.rank > 0 and (rank is None or kind.rank == rank) and kind.dtype[:4] not in ("bool", "comp")
        )
    )


def vector_of(w: Writer) -> str:
    return real_array(w, 1) or f"np.array([{real_leaf(w)}, 1.0, {integer_leaf(w)}])"


def matrix_of(w: Writer) -> str:
    return real_array(w, 2) or f"np.array([[{real_leaf(w)}, 1.0, 2], [{integer_leaf(w)}, 3, -1]])"


def element_loop(w: Writer, depth: int) -> None:
    """A loop over the indices of a vector that reads, compares, writes and leaves."""
    i, total, v = w.fresh("i"), w.fresh("t"), vector_of(w)
    if not v.isidentifier():
        w.line(f"{total} = {v}")
        v, total = total, w.fresh("t")
    bounds = w.pick(f"len({v})", f"{v}.size", f"1, len({v})", f"{v}.shape[0] - 1, -1, -1", f"0, len({v}), 2", f"len({v}) + 1")
    step = w.pick(
        f"{total} += {v}[{i}]",
        f"{total} = max({total}, {v}[{i}])",
        f"{total} = {total} * 0.5 + {v}[{i}]",
        f"{total} += {v}[{i}] * {v}[-{i} - 1]",
        f"{v}[{i}] = {v}[{i} - 1]",
        f"{v}[{i}] += {i}",
        f"{v}[{i}], {v}[0] = {v}[0], {v}[{i}]",
        f"{total} += 1",
    )
    test = w.pick(f"{v}[{i}] > {real_leaf(w)}", f"{i} % 2 == 0", f"{v}[{i}] < {total}", f"{i} > 0 and {v}[{i}] >= {v}[{i} - 1]", boolean(w))
    other = w.pick("continue", "break", f"{total} -= 1", f"{v}[{i}] = {w.pick('1', '0')}", "pass", f"return {total}")
    w.text(f"""
        {total} = {w.pick("0", "0.0", f"{v}[0]", "n")}
        for {i} in range({bounds}):
            if {test}:
                {step}
            else:
                {other}
    """)
    w.define(total, FLOAT)


def matrix_loop(w: Writer, depth: int) -> None:
    """Nested loops over the elements of a matrix."""
    m, out, total = w.fresh("m"), w.fresh("a"), w.fresh("t")
    inner = w.pick(f"range({m}.shape[1])", "range(i)", f"range(i + 1, {m}.shape[1])", f"range({m}.shape[1] - 1, -1, -1)")
    step = w.pick(
        f"{out}[i, j] = {m}[i, j] * 2",
        f"{out}[i, j] += {m}[i, j - 1]",
        f"{total} += {m}[i, j] * {out}[i, j]",
        f"{out}[i] += {m}[i, j]",
        f"{out}[i, j] = {m}[i][j] if {m}[i, j] > {real_leaf(w)} else {total}",
        f"{out}[:, j] -= {m}[i, j]",
        f"{total} = {total} + abs({m}[i, j])",
    )
    w.text(f"""
        {m} = {matrix_of(w)}
        {out}, {total} = np.zeros({m}.shape{w.pick("", ", " + m + ".dtype")}), {w.pick("0", "0.0")}
        for i in range({m}.shape[0]):
            for j in {inner}:
                {w.pick(step, step, f"if {m}[i, j] > {integer_leaf(w)}: {step}")}
            {w.pick(f"{total} += 1", "pass", f"if {total} > 20: break", f"{out}[i] *= 2")}
    """)
    w.define(m, Kind("array", "float64", 2, False))
    w.define(out, Kind("array", "float64", 2, False))
    w.define(total, FLOAT)


def algorithm(w: Writer, depth: int) -> None:
    """A small algorithm with a while loop over indices."""
    v, i, j, result = w.fresh("v"), w.fresh("i"), w.fresh("j"), w.fresh("z")
    w.line(f"{v} = {vector_of(w)}{w.pick('.copy()', '', ' * 1.0')}")
    w.text(
        w.pick(
            f"""
            for {i} in range(1, len({v})):
                {j} = {i}
                while {j} > 0 and {v}[{j} - 1] > {v}[{j}]:
                    {v}[{j} - 1], {v}[{j}] = {v}[{j}], {v}[{j} - 1]
                    {j} -= 1
            {result} = {v}[0] if len({v}) else 0
            """,
            f"""
            {i}, {j}, {result} = 0, len({v}) - 1, 0
            while {i} < {j}:
                {result} += {v}[{i}] - {v}[{j}]
                if {result} > {integer_leaf(w)}: {i} += 1
                else: {j} -= 1
            """,
            f"""
            {i}, {result} = 0, {integer_leaf(w)}
            while {i} < len({v}) and {v}[{i}] != {real_leaf(w)}:
                {result}, {i} = {result} + {i}, {i} + 1
            """,
            f"""
            {i}, {j}, {result} = 0, 1, n % 12
            while {result} > 0:
                {i}, {j}, {result} = {j}, {i} + {j}, {result} - 1
            {result} = {i} + {v}.sum()
            """,
            f"""
            {i}, {result} = 1.0, 0
            while abs({i} * {i} - {w.pick("2", "abs(" + real_leaf(w) + ") + 1")}) > 1e-6 and {result} < 30:
                {i} = 0.5 * ({i} + 2 / {i})
                {result} += 1
            """,
            f"""
            {i}, {j} = 0, len({v})
            while {i} < {j}:
                {result} = ({i} + {j}) // 2
                if {v}[{result}] < {real_leaf(w)}: {i} = {result} + 1
                else: {j} = {result}
            {result} = {i}
            """,
        )
    )
    w.define(result, FLOAT)
    w.define(v, Kind("array", "float64", 1, False))


def masked(w: Writer, depth: int) -> None:
    """Masks: made, combined, counted, read and written through."""
    name, mask, result = real_array(w), w.fresh("m"), w.fresh("z")
    if name is None:
        return
    kind = w.kind(name)
    other = w.pick(f"({name} < {real_leaf(w)})", f"({name} % 2 == 0)", f"np.isfinite({name})", f"({name} != {name}[::-1])")
    w.line(
        f"{mask} = ({name} {w.pick('>', '<=', '!=')} {w.pick(real_leaf, integer_leaf)(w)}) {w.pick('&', '|', '^')} {w.pick('', '~')}{other}"
    )
    w.define(mask, replace(kind, dtype="bool"))
    w.line(
        w.pick(
            f"{name}[{mask}] = {w.pick('0', '1', name + '[::-1][' + mask + ']')}",
            f"{name}[{mask}] += {w.pick('1', '2')}",
            f"{name}[~{mask}] *= 2",
            f"np.putmask({name}, {mask}, {w.pick('1', name + ' * 2')})",
            f"np.copyto({name}, 1, where={mask})",
            f"{name}[np.nonzero({mask})] = 3",
            "pass",
        )
    )
    text, found = w.pick(
        (f"{name}[{mask}]", Kind("array", kind.dtype, 1, False)),
        (f"{name}[{mask}].sum()", SCALAR),
        (f"{mask}.sum()", SCALAR),
        (f"np.count_nonzero({mask}, axis=0)", Kind("value")),
        (f"np.where({mask})[0]", Kind("array", "int64", 1, False)),
        (f"np.argwhere({mask})", Kind("array", "int64", 2, False)),
        (f"{mask}.any(axis=-1)", Kind("value")),
        (f"np.where({mask}, {name}, {w.pick('0', '-1.5', 'np.float32(2)', 'n')})", Kind("array", "float64", kind.rank, False)),
        (f"np.flatnonzero({mask})", Kind("array", "int64", 1, False)),
        (f"{name}[{mask}].max(initial=-1)", SCALAR),
        (f"np.logical_or({mask}, {name} == 0).all()", BOOL),
        (f"np.extract({mask}, {name})", Kind("array", kind.dtype, 1, False)),
    )
    w.line(f"{result} = {text}")
    w.define(result, found)


def numpy_call(w: Writer, depth: int) -> None:
    """One of NumPy's functions that users call most, with its options."""
    result, v, m = w.fresh("a"), vector_of(w), matrix_of(w)
    axis, keep = w.pick("0", "-1", "None"), w.pick("", ", keepdims=True")
    other = real_array(w, 1) or v
    text, kind = w.pick(
        (f"np.cumsum({m}, axis={w.pick('0', '1')})", Kind("array", "float64", 2, False)),
        (f"np.cumprod({v}{w.pick('', ', dtype=np.float64')})", Kind("array", "float64", 1, False)),
        (f"np.dot({v}, {v})", SCALAR),
        (f"np.dot({m}, {m}.T)", Kind("array", "float64", 2, False)),
        (f"np.concatenate(({v}, {other}, [1]))", Kind("array", "float64", 1, False)),
        (f"np.concatenate([{m}, {m}], axis={axis})", Kind("value")),
        (f"np.stack([{v}, {v}], axis={w.pick('0', '1', '-1')})", Kind("array", "float64", 2, False)),
        (f"np.hstack([{v}, {other}])", Kind("array", "float64", 1, False)),
        (f"np.vstack([{v}, {v}])", Kind("array", "float64", 2, False)),
        (f"np.split({v}, [1])", Kind("value")),
        (f"np.array_split({v}, 2)[{w.pick('0', '-1')}]", Kind("array", "float64", 1, False)),
        (f"np.einsum('ij,ij->i', {m}, {m})", Kind("array", "float64", 1, False)),
        (f"np.einsum('ij->ji', {m})", Kind("array", "float64", 2, False)),
        (f"np.outer({v}, {other})", Kind("array", "float64", 2, False)),
        (f"np.linspace({real_leaf(w)}, 2, {w.pick('4', '1', 'n % 5')})", Kind("array", "float64", 1, False)),
        (f"np.interp({v}, [0, 1, 3], [1.0, {real_leaf(w)}, 2])", Kind("array", "float64", 1, False)),
        (f"np.diff({v}{w.pick('', ', n=2', ', prepend=0')})", Kind("array", "float64", 1, False)),
        (f"np.ptp({m}, axis={axis})", Kind("value")),
        (f"np.var({m}, axis={axis}{w.pick('', ', ddof=1')}{keep})", Kind("value")),
        (f"np.percentile({v}, {w.pick('50', '25', '[10, 90]')})", Kind("value")),
        (f"np.argmax({m}, axis={axis})", Kind("value")),
        (
            f"np.pad({v}, {w.pick('1', '(1, 2)')}, {w.pick('constant_values=3', 'mode=' + repr('edge'))})",
            Kind("array", "float64", 1, False),
        ),
        (f"np.tril({m}, {w.pick('0', '-1')})", Kind("array", "float64", 2, False)),
        (f"np.trace({m})", SCALAR),
        (f"np.polyval([1, {integer_leaf(w)}, 2], {v})", Kind("array", "float64", 1, False)),
        (f"np.convolve({v}, [1, {real_leaf(w)}]{w.pick('', ', mode=' + repr('same'))})", Kind("array", "float64", 1, False)),
        (f"np.allclose({v}, {v} + {w.pick('0', '1e-12', '1')})", BOOL),
        (f"np.array_equal({v}, {other})", BOOL),
        (f"np.isclose({v}, {real_leaf(w)})", Kind("array", "bool", 1, False)),
        (f"np.digitize({v}, [0, 1, {w.pick('2', '5')}])", Kind("array", "int64", 1, False)),
        (f"np.add.reduce({m}, axis={axis})", Kind("value")),
        (f"np.subtract.outer({v}, {other})", Kind("array", "float64", 2, False)),
        (f"np.moveaxis({m}, 0, 1)", Kind("array", "float64", 2, False)),
        (f"np.expand_dims({v}, {w.pick('0', '-1')}) * {v}", Kind("array", "float64", 2, False)),
        (f"np.squeeze({m}[:1])", Kind("value")),
        (f"{m}[np.ix_([0, -1], [1, 0])]", Kind("array", "float64", 2, False)),
        (f"np.take_along_axis({m}, np.argsort({m}, axis=1), axis=1)", Kind("array", "float64", 2, False)),
        (f"np.meshgrid({v}, [0, 1])[{w.pick('0', '1')}]", Kind("array", "float64", 2, False)),
        (f"np.full_like({m}, {w.pick('3', real_leaf(w))})", Kind("array", "float64", 2, False)),
        (f"np.unique({v}, return_counts=True)", Kind("value")),
        (f"np.linalg.norm({m}, axis={axis})", Kind("value")),
        (f"np.average({v}, weights=np.arange(len({v})) + 1)", SCALAR),
        (f"np.histogram({v}, bins=[-1, 0, 2, 10])[0]", Kind("array", "int64", 1, False)),
        (f"np.rot90({m}, {w.pick('1', '2', '-1')})", Kind("array", "float64", 2, False)),
        (f"np.round({m} / 3, {w.pick('1', '2')})", Kind("array", "float64", 2, False)),
        (f"np.apply_along_axis(lambda r: r.sum(), 1, {m})", Kind("value")),
        (f"np.fromiter((t * 2 for t in {v}), dtype=float)", Kind("array", "float64", 1, False)),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)


def into_output(w: Writer, depth: int) -> None:
    """Ufuncs and functions that write where they are told to."""
    name = w.variable(lambda kind: kind.name == "array" and kind.rank > 0 and kind.dtype in ("float64", "float32", "int64", "int32"))
    if name is None:
        return
    part = w.pick(name, name, f"{name}[::-1]", f"{name}[1:]", f"{name}[...]")
    floats = w.kind(name).dtype.startswith("float")
    value = w.pick("2", "1", integer_leaf(w), part)
    w.line(
        w.pick(
            f"np.multiply({part}, {value}, out={part})",
            f"np.subtract({part}, {value}, out={part}, where={part} > {real_leaf(w)})",
            f"np.clip({part}, 0, {w.pick('3', '5')}, out={part})",
            f"np.negative({part}, {part})",
            f"np.cumsum({name}, axis=0, out={name})",
            f"np.minimum({part}, {value}, out={part})",
            f"np.sqrt(np.abs({part}), out={part})" if floats else f"np.add({part}, 0.5, out={part}, casting='unsafe')",
            f"np.divide({part}, {w.pick('2', '4')}, out={part})" if floats else f"np.floor_divide({part}, 2, out={part})",
            f"np.add({part}, {real_leaf(w)}, out={part}, casting='{w.pick('unsafe', 'same_kind')}')",
            f"np.matmul(np.eye({name}.shape[0]), {name} * 1.0, out={name})" if floats else f"np.left_shift({part}, 1, out={part})",
            f"np.maximum.accumulate({name}, axis=0, out={name})",
            f"{name}[{name} > 1] **= 2",
            f"{part}[...] = np.where({part} > 0, {part}, -1)",
            f"np.add.at({name}, {w.pick('[0, 0, -1]', '0')}, {w.pick('1', '2')})",
        )
    )


def wrapped(w: Writer, depth: int) -> None:
    """Arithmetic on small integer dtypes that wraps around, and dtypes that mix."""
    result, dtype, other = w.fresh("a"), w.pick(*SMALL), w.pick(*SMALL)
    big = {
        "int8": "100",
        "uint8": "200",
        "int16": "30000",
        "int32": "2**31 - 5",
        "uint32": "2**32 - 2",
        "int64": "2**62",
        "uint64": "2**63",
    }
    top = big.get(dtype, "1e10")
    name = w.pick(f"np.array([{top}, 1, 7], np.{dtype})", f"np.full(3, {top}, dtype=np.{dtype})", f"np.arange(3, dtype=np.{dtype})")
    second = w.pick(
        f"np.array([3, 1, {w.pick('0', '2')}], np.{other})", f"np.{other}({w.pick('3', '100')})", w.pick("2", "3", "1.5", "True", "-1")
    )
    if w.chance(0.25):
        left, right = f"np.{dtype}({top})", w.pick(f"np.{other}(3)", "2", "1.5", "n", f"np.{dtype}(3)")
        w.line(f"{result} = {left} {w.pick('+', '*', '-', '//', '%', '/', '>')} {right}")
        w.define(result, SCALAR)
        return
    operator = w.pick("+", "*", "-", "+", "*", "//", "%", "/", "<<", "**", "<", "==", "^")
    if operator in ("<<", "^") and (dtype.startswith("float") or not second.startswith("np") or other.startswith("float")):
        operator = "*"
    if operator in ("<<", "**"):
        second = w.pick("2", "3", "np.array([0, 1, 2], np.uint8)")
    w.line(f"{result} = {name} {operator} {second}")
    if w.chance(0.5):
        change = w.pick(f"{result} += {result}", f"{result} = {result}.sum()", f"{result} = -{result}", f"{result} = abs({result} - 1)")
        whole = not (operator == "/" or "1.5" in second or dtype.startswith("float") or other.startswith("float"))
        cast = f"{result} = {result}.astype(np.{w.pick(*SMALL)})" if whole else f"{result} = {result} * 2"
        again = w.pick(cast, f"{result} = np.cumsum({result})", f"{result} = {result}.prod()")
        w.line(w.pick(change, again) if operator not in ("<", "==") else f"{result} = ~{result}")
    w.define(result, Kind("value"))
    if w.chance(0.5) and real_array(w, 1):
        vector = real_array(w, 1)
        w.line(f"{vector}[:1] = {w.pick('np.uint8(200)', 'np.int32(-3)', 'np.float32(0.1)', 'True')}")


def in_functions(w: Writer, depth: int) -> None:
    """A function that changes the array that it is given, or gives one of several."""
    name, result = w.fresh("g"), w.fresh("a")
    body = w.pick(
        "a[0] = 9\nreturn a",
        "a = a * k\nreturn a",
        "a += k\nreturn a[::-1]",
        "if a.sum() > k: return a[1:]\nreturn a.copy()",
        "for i in range(len(a)): a[i] += a[i - 1]\nreturn a",
        "b = np.zeros_like(a)\nfor i, t in enumerate(a): b[i] = t * k\nreturn b",
        "if not len(a): return a\nreturn np.where(a > a[0], a, k)",
        "total = a[:0].sum()\nwhile len(a) > 1:\n    total += a[0]\n    a = a[1:]\nreturn a + total",
        "return (a if k > 1 else a[:1])",
        "first, *rest = a\nreturn np.array([first, *rest])",
        "a, b = a[:1], a[1:]\nb[...] = k\nreturn np.concatenate([b, a])",
    )
    w.line(f"def {name}(a, k={w.pick('2', '1', '0.5')}):")
    w.indent += 1
    w.text(body)
    w.indent -= 1
    w.line(f"{result} = {name}({vector_of(w)}{w.pick('', ', 2', ', k=' + integer_leaf(w), '.copy()')})")
    w.define(result, Kind("array", "float64", 1, False))


def collected(w: Writer, depth: int) -> None:
    """Rows or numbers gathered in a list, then one array; or an array taken apart."""
    items, result, v = w.fresh("c"), w.fresh("a"), vector_of(w)
    test = w.pick("", "", f"if t > {real_leaf(w)}: ", f"if {boolean(w)}: ")
    what = w.pick("t * 2", "t", f"{v} * t", "[t, 1.0]", "t > 1", "float(t)", "int(t)")
    w.text(f"""
        {items} = []
        for t in {w.pick(v, v + "[::-1]", f"range({integer_leaf(w)} % 5)")}:
            {test}{items}.append({what})
    """)
    text, kind = w.pick(
        (f"np.array({items}, dtype=float)", Kind("value")),
        (f"len({items})", INT),
        (f"{items}[::-1]", Kind("value")),
        (f"np.array({items} + {items}, dtype=float).sum()", FLOAT),
        (f"np.stack({items})" if what.startswith(v) else f"np.asarray({items}, dtype=np.float32)", Kind("value")),
        (f"np.mean({items})" if w.chance(w.bold) else f"tuple({items})", Kind("value")),
        (f"sum({items})" if "[" not in what else f"{items}[:1]", Kind("value")),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)
    w.define(items, Kind("value"))
    if w.chance(0.2):
        w.line(f"{w.fresh('h')} = {real(w, 1)}")


ARRAY_IDIOMS: tuple[tuple[int, Callable[[Writer, int], Any]], ...] = (
    (5, element_loop),
    (3, matrix_loop),
    (3, algorithm),
    (4, masked),
    (7, numpy_call),
    (4, into_output),
    (3, wrapped),
    (3, in_functions),
    (3, collected),
)


def array_idiom(w: Writer, depth: int) -> None:
    """One of these."""
    w.weighted(ARRAY_IDIOMS)(w, depth)
