"""Random smooth expressions that give an array of a wanted shape, as text."""

from __future__ import annotations

from tests.fuzz.smooth_numbers import LITERALS, index, number, number_leaf
from tests.fuzz.smooth_writer import COMPLEX, SmoothWriter, array_kind, is_complex, is_matrix, is_vector
from tests.fuzz.writer import Kind

Shape = tuple[int, ...]


def array(w: SmoothWriter, shape: Shape, depth: int = 2) -> str:
    """A real array of a shape."""
    if depth <= 0 or w.chance(0.15):
        return array_leaf(w, shape)
    table = VECTORS if len(shape) == 1 else MATRICES
    return w.weighted(table)(w, shape, depth - 1)


def array_leaf(w: SmoothWriter, shape: Shape) -> str:
    name = w.like(array_kind(shape))
    if name is not None and w.chance(0.9):
        return name
    if len(shape) == 1:
        return w.pick(f"np.linspace(-0.5, 0.7, {shape[0]})", f"np.cos(np.arange({shape[0]}.0))", f"np.full({shape[0]}, {number_leaf(w)})")
    row = w.like(array_kind(shape[1:]))
    if row is not None and w.chance(0.7):
        return f"np.outer(np.linspace(0.3, 0.9, {shape[0]}), {row})"
    return f"np.cos(np.arange({shape[0] * shape[1]}.0)).reshape({shape})"


def elementwise(w: SmoothWriter, shape: Shape, depth: int) -> str:
    x = array(w, shape, depth)
    return w.pick(
        f"np.sin({x})",
        f"np.tanh({x})",
        f"np.cos({x})",
        f"np.exp(-({x}) ** 2)",
        f"np.sqrt(1.0 + ({x}) ** 2)",
        f"1.0 / (1.5 + ({x}) ** 2)",
        f"np.log1p(({x}) ** 2)",
        f"({x}) ** 2 * 0.5",
        f"np.arctan({x})",
        f"(-{x})",
        f"np.where({x} > {w.pick(*LITERALS)}, {number(w, 1)}, {array_leaf(w, shape)})",
        f"np.maximum({x}, {w.pick(*LITERALS)})",
        f"np.clip({x}, -0.8, 0.9)",
        f"np.abs({x} + 0.05)",
        f"np.logaddexp({x}, {number_leaf(w)})",
    )


def operated(w: SmoothWriter, shape: Shape, depth: int) -> str:
    x = array(w, shape, depth)
    y = w.pick(array, array, scalar_operand, row_operand)(w, shape, depth)
    return w.pick(
        f"({x} + {y})",
        f"({x} - {y})",
        f"{x} * {y}",
        f"{x} * {y}",
        f"({x}) / (2.0 + ({y}) ** 2)",
        f"np.where({x} > {y}, {x}, {number_leaf(w)} * {y})",
    )


def scalar_operand(w: SmoothWriter, shape: Shape, depth: int) -> str:
    return number(w, depth)


def row_operand(w: SmoothWriter, shape: Shape, depth: int) -> str:
    """Something that broadcasts to the shape."""
    if len(shape) == 1:
        return number(w, depth)
    return array(w, shape[1:], depth) if w.chance(0.5) else f"({array(w, shape[:1], depth)})[:, None]"


def moved(w: SmoothWriter, shape: Shape, depth: int) -> str:
    """The elements of an array in other places, or gathered."""
    x = array(w, shape, depth)
    x = x if x.isidentifier() else f"({x})"
    size = shape[0]
    picked = ", ".join(str(w.random.randrange(-size, size)) for _ in range(size))
    options = [f"{x}[::-1]", f"np.roll({x}, {w.pick(1, 2, -1)}, axis=0)", f"{x}[[{picked}]]", f"np.cumsum({x}, axis={w.pick(0, -1)}) * 0.4"]
    options += [
        f"np.concatenate(({x}[1:] * {number_leaf(w)}, {x}[:1]))",
        f"np.sort({x}, axis=0)",
        f"{x}.copy()",
        f"np.cumprod(np.cos({x}), axis=0)",
    ]
    options += [
        f"{x}[np.argsort({array(w, shape[:1], 0)})]",
        f"np.take({x}, np.array([{picked}]), axis=0)",
        f"np.repeat({x}, 2, axis=0)[::2]",
    ]
    options += [f"np.maximum.accumulate({x}, axis=0)", f"np.exp({x} - {x}.max()) / np.sum(np.exp({x} - {x}.max()))"]
    return w.pick(*options)


def vector_of_matrix(w: SmoothWriter, shape: Shape, depth: int) -> str:
    """A row, column, reduction or product of a matrix."""
    matrix, vector = w.variable(is_matrix), w.variable(is_vector)
    rows = w.kind(matrix).shape if matrix is not None else ()
    options = []
    if matrix is not None and rows[1] == shape[0]:
        options += [f"{matrix}[{index(w, rows[0])}]", f"{matrix}.sum(axis=0) * 0.5", f"np.mean({matrix}, axis=0)", f"{matrix}.max(axis=0)"]
        options += [f"{array(w, rows[:1], depth)} @ {matrix} * 0.5", f"np.dot({matrix}.T, {array(w, rows[:1], 0)}) * 0.5"]
    if matrix is not None and rows[0] == shape[0]:
        options += [
            f"{matrix}[:, {index(w, rows[1])}]",
            f"np.sum({matrix} ** 2, axis=1) * 0.3",
            f"{matrix} @ {array(w, rows[1:], depth)} * 0.5",
        ]
        options += [
            f"np.linalg.norm({matrix} + 0.1, axis=1)",
            f"np.einsum('ij,ij->i', {matrix}, np.sin({matrix}))",
            f"np.var({matrix}, axis=1)",
        ]
    if matrix is not None and rows == (shape[0], shape[0]):
        options += [f"np.diag({matrix}) * 1.0", f"np.linalg.solve(np.tanh({matrix}) + 3 * np.eye({shape[0]}), {array(w, shape, 0)})"]
    if vector is not None and w.kind(vector).shape == shape:
        options += [
            f"np.convolve({vector}, [0.2, 0.5, {number_leaf(w)}])[1:-1]",
            f"np.interp({vector}, [-2.0, 0.1, 2.0], [0.5, -0.3, 1.0])",
        ]
        options += [f"np.diff({vector}, prepend={number_leaf(w)})", f"np.array([math.sin(t) * {number_leaf(w)} for t in {vector}])"]
    return w.pick(*options) if options else scalars_joined(w, shape, depth)


def scalars_joined(w: SmoothWriter, shape: Shape, depth: int) -> str:
    """A vector of numbers computed one by one."""
    if shape[0] > 5:
        return f"np.array([{number(w, depth)}, {number(w, 0)}] + [{number_leaf(w)}] * {shape[0] - 2})"
    return f"np.array([{', '.join(number(w, w.pick(0, depth)) for _ in range(shape[0]))}])"


def matrix_of_vectors(w: SmoothWriter, shape: Shape, depth: int) -> str:
    rows, columns = shape
    options = [
        f"np.outer({array(w, (rows,), depth)}, {array(w, (columns,), depth)})",
        f"np.stack([{', '.join(array(w, (columns,), w.pick(0, depth)) for _ in range(rows))}])" if rows < 4 else "",
    ]
    options += [
        f"np.tile({array(w, (columns,), depth)}, ({rows}, 1))",
        f"({array(w, (rows,), depth)})[:, None] * {array(w, (columns,), 0)}",
    ]
    square = w.like(array_kind((columns, columns)))
    if square is not None:
        options += [f"{array(w, shape, depth)} @ {square} * 0.4", f"np.einsum('ij,jk->ik', {array(w, shape, 0)}, {square}) * 0.4"]
    other = w.like(array_kind((columns, rows)))
    if other is not None:
        options += [f"{other}.T * {number_leaf(w)}", f"np.transpose({other}) + 0.1"]
    if rows == columns:
        options += [
            f"np.linalg.inv({array(w, shape, 0)} * 0.3 + 2 * np.eye({rows}))",
            f"np.diag({array(w, (rows,), 0)})",
            f"np.tril({array(w, shape, depth)})",
        ]
    return w.pick(*(text for text in options if text))


def complex_array(w: SmoothWriter, shape: Shape, depth: int = 1) -> str:
    """A complex array of a shape."""
    name = w.like(array_kind(shape, COMPLEX))
    if name is None or depth <= 0:
        real = array(w, shape, 1)
        return (
            name
            if name is not None and w.chance(0.8)
            else w.pick(
                f"np.exp(1j * {real})",
                f"({real} + 0.5j * {array(w, shape, 0)})",
                f"np.fft.fft({real}) * 0.3" if len(shape) == 1 else f"1j * {real}",
            )
        )
    z, x = complex_array(w, shape, depth - 1), array(w, shape, 0)
    return w.pick(
        f"{z} * {x}",
        f"np.conj({z}) * (0.5 + 0.3j)",
        f"{z} * {z} * 0.5",
        f"({z}) / (2.0 + {x} ** 2)",
        f"np.sin({z}) * 0.4",
        f"({z} + 1j * {number(w, 1)})",
        f"{z}[::-1] * 0.7j",
        f"np.exp(0.3 * {z})",
    )


def real_of_complex(w: SmoothWriter, shape: Shape, depth: int) -> str:
    name = w.variable(lambda kind: is_complex(kind) and kind.shape == shape)
    if name is None:
        return elementwise(w, shape, depth)
    return w.pick(
        f"{name}.real", f"np.imag({name})", f"np.abs({name} + 0.2)", f"({name} * {name}.conj()).real * 0.5", f"np.real({name} ** 2) * 0.5"
    )


def view(w: SmoothWriter, name: str) -> tuple[str, Kind]:
    """A view of an array: what is written through it is written to the array."""
    kind = w.kind(name)
    shape = kind.shape
    first = shape[0]
    options = [(f"{name}[::-1]", shape), (f"{name}[1:]", (first - 1, *shape[1:])), (f"{name}[:-1]", (first - 1, *shape[1:])), (name, shape)]
    options += [(f"{name}[::2]", ((first + 1) // 2, *shape[1:])), (f"{name}[...]", shape)]
    if len(shape) == 2:
        options += [
            (f"{name}.T", shape[::-1]),
            (f"{name}[{index(w, first, 0)}]", shape[1:]),
            (f"{name}[:, {index(w, shape[1], 0)}]", shape[:1]),
        ]
        options += [(f"{name}.reshape(-1)", (first * shape[1],)), (f"{name}[:, ::-1]", shape)]
    text, found = w.pick(*(option for option in options if option[1][0] > 1))
    return text, array_kind(found, kind.dtype)


VECTORS = ((6, elementwise), (6, operated), (4, moved), (5, vector_of_matrix), (2, scalars_joined), (1, real_of_complex))
MATRICES = ((6, elementwise), (6, operated), (3, moved), (5, matrix_of_vectors))
