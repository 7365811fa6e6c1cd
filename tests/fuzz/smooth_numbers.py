"""Random smooth expressions that give a number, a truth value or an index, as text; values stay of the order of one."""

from __future__ import annotations

from tests.fuzz.smooth_writer import SmoothWriter, is_array, is_matrix, is_real, is_vector

LITERALS = ("0.3", "0.7", "1.1", "-0.6", "0.45", "1.3", "-0.25")


def number(w: SmoothWriter, depth: int = 2) -> str:
    """A real number."""
    return number_leaf(w) if depth <= 0 or w.chance(0.25) else w.weighted(NUMBERS)(w, depth - 1)


def number_leaf(w: SmoothWriter) -> str:
    name = w.of("float")
    if name is not None and w.chance(0.5):
        return name
    array = w.variable(is_real)
    if array is not None and w.chance(0.6):
        return f"{array}[{', '.join(index(w, size) for size in w.kind(array).shape)}]"
    return w.pick(*LITERALS)


def index(w: SmoothWriter, size: int, depth: int = 1) -> str:
    """An index into an axis: a constant, a counter, or one that the data choose."""
    name = w.of("int")
    if name is not None and w.chance(0.5):
        return f"{name} % {size}" if w.chance(0.7) else f"({name} + {w.pick(1, 2, 3)}) % {size}"
    if depth > 0 and w.chance(0.1):
        return f"int(10 * abs({number(w, 0)})) % {size}"
    return str(w.random.randint(-size, size - 1))


def function_of_one(w: SmoothWriter, depth: int) -> str:
    x = number(w, depth)
    return w.pick(
        f"np.sin({x})",
        f"math.cos({x})",
        f"np.tanh({x})",
        f"math.exp(-({x}) ** 2)",
        f"np.sqrt(1.0 + ({x}) ** 2)",
        f"np.log(2.0 + ({x}) ** 2)",
        f"1.0 / (1.5 + ({x}) ** 2)",
        f"({x}) ** {w.pick(2, 2, 3)} * 0.5",
        f"np.arctan({x})",
        f"math.atan({x})",
        f"-({x})",
        f"np.logaddexp({x}, 0.0)",
    )


def function_of_two(w: SmoothWriter, depth: int) -> str:
    x, y = number(w, depth), number(w, depth)
    return w.pick(
        f"({x} + {y})",
        f"({x} - {y})",
        f"{x} * {y}",
        f"{x} * {y}",
        f"({x}) / (2.0 + ({y}) ** 2)",
        f"np.arctan2({x}, 1.5 + ({y}) ** 2)",
        f"math.hypot({x}, 1.0 + ({y}) ** 2)",
        f"(1.2 + ({x}) ** 2) ** (0.5 * {y})",
        f"{w.pick('max', 'min', 'np.maximum')}({x}, {y} + 0.1)",
        f"({x} if {condition(w, 0)} else {y})",
    )


def reduced(w: SmoothWriter, depth: int) -> str:
    """A number made of an array."""
    name = w.variable(is_real)
    if name is None:
        return number_leaf(w)
    options = [f"np.sum({name}) * 0.3", f"{name}.mean()", f"np.sum(np.cos({name}) * {number(w, 0)}) * 0.3", f"weigh({name})"]
    options += [
        f"np.max({name})",
        f"np.sqrt(np.sum({name} ** 2) + 0.5)",
        f"np.var({name})",
        f"np.std({name} + np.arange({w.count_of(name)}.0).reshape({name}.shape))",
    ]
    options += [f"np.prod(np.cos({name}))", f"np.sum({name}[{name} > {w.pick(*LITERALS)}]) * 0.3", f"np.linalg.norm({name}) * 0.5"]
    options += [f"np.sum({name}, where={name} < {w.pick(*LITERALS)}) * 0.2"]
    return w.pick(*options)


def contracted(w: SmoothWriter, depth: int) -> str:
    """Products of vectors and matrices."""
    vector, matrix = w.variable(is_vector), w.variable(is_matrix)
    if matrix is not None and w.chance(0.5):
        if w.kind(matrix).shape[0] == w.kind(matrix).shape[1] and w.chance(0.5):
            return w.pick(f"np.trace({matrix}) * 0.4", f"np.linalg.det(np.tanh({matrix}) + 3 * np.eye({w.kind(matrix).shape[0]})) * 0.05")
        return w.pick(f"np.sum({matrix} @ {matrix}.T) * 0.1", f"np.einsum('ij,ij->', {matrix}, {matrix}) * 0.2")
    if vector is None:
        return reduced(w, depth)
    return w.pick(
        f"np.dot({vector}, {vector}) * 0.3",
        f"{vector} @ np.sin({vector})",
        f"np.inner({vector}, {vector}[::-1]) * 0.3",
        f"math.tanh(sum({vector}))",
    )


def contained(w: SmoothWriter, depth: int) -> str:
    """A number out of a list, tuple, dict or object, or what a function gives."""
    name = w.of("list", "tuple", "dict", "object", "function")
    if name is None:
        return function_of_one(w, depth)
    kind = w.kind(name)
    if kind.name == "function":
        return f"{name}({number(w, depth)})"
    if kind.name == "dict":
        return f"{name}[{w.pick(repr('s'), repr('t'))}]"
    if kind.name == "object":
        return w.pick(f"{name}.level", f"{name}.scale", f"{name}.level * {name}.scale")
    if kind.dtype == "array":
        return f"weigh({name}[{w.pick(0, -1)}])"
    return w.pick(f"{name}[0]", f"{name}[-1]", f"np.tanh(sum({name}))", f"{name}[-1] * 0.5", f"max({name})", f"{name}[len({name}) // 2]")


def condition(w: SmoothWriter, depth: int = 1) -> str:
    """A truth value that the data or a counter decide."""
    if depth > 0 and w.chance(0.2):
        return f"{condition(w, 0)} {w.pick('and', 'or')} {condition(w, 0)}"
    name = w.of("int")
    if name is not None and w.chance(0.35):
        return w.pick(f"{name} % 2 == 0", f"{name} < {w.pick(2, 3)}", f"{name} != 1", f"{name} > 1")
    array = w.variable(is_array)
    if array is not None and w.chance(0.15):
        return (
            f"np.{w.pick('any', 'all')}({array} {w.pick('<', '>')} {w.pick(*LITERALS)})"
            if is_real(w.kind(array))
            else f"abs({array}[0]) > 0.5"
        )
    return f"{number(w, 1)} {w.pick('>', '<', '>', '<=')} {w.pick(*LITERALS)}"


NUMBERS = ((6, function_of_one), (8, function_of_two), (4, reduced), (3, contracted), (3, contained))
