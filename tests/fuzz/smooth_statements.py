"""Random simple statements of smooth programs: numbers and arrays made anew, written in place, put into containers and taken out."""

from __future__ import annotations

from tests.fuzz.smooth_arrays import Shape, array, complex_array, view
from tests.fuzz.smooth_numbers import LITERALS, condition, index, number, number_leaf
from tests.fuzz.smooth_writer import COMPLEX, SmoothWriter, array_kind, is_array, is_complex, is_real
from tests.fuzz.writer import FLOAT, INT, Kind


def bounded(w: SmoothWriter, text: str) -> str:
    """The text of a number, kept small where a loop might make it grow."""
    return w.pick(f"math.tanh({text})", f"0.5 * ({text})", f"np.sin({text})") if w.loops or w.chance(0.2) else text


def bounded_array(w: SmoothWriter, text: str) -> str:
    return w.pick(f"np.tanh({text})", f"0.5 * ({text})", f"np.sin({text})") if w.loops or w.chance(0.2) else text


def any_shape(w: SmoothWriter) -> Shape:
    return w.pick((w.m,), (w.m,), (w.m,), (w.k, w.m), (w.m, w.m) if w.m < 5 else (w.m,))


def assigned(w: SmoothWriter) -> None:
    """A number, of a variable that there is or a new one."""
    name = w.of("float")
    if name is None or name in w.frozen or w.chance(0.5):
        name = w.fresh("s")
    w.line(f"{name} = {bounded(w, number(w))}")
    w.define(name, FLOAT)


def updated(w: SmoothWriter) -> None:
    """An augmented assignment to a number."""
    name = w.of("float")
    if name is None or name in w.frozen:
        return assigned(w)
    operator = w.pick("+=", "-=", "*=", "/=", "+=")
    value = (
        f"(1.3 + ({number(w, 1)}) ** 2)"
        if operator == "/="
        else f"math.cos({number(w, 1)})"
        if operator == "*="
        else f"0.5 * {number(w, 1)}"
    )
    w.line(f"{name} {operator} {value}")


def exchanged(w: SmoothWriter) -> None:
    """Variables change places."""
    name = w.of("float", "array")
    if name is None or name in w.frozen:
        return assigned(w)
    other = w.like(w.kind(name))
    if other is None or other in w.frozen or other == name:
        return updated(w)
    text = number if w.kind(name) == FLOAT else lambda w, depth: array(w, w.kind(name).shape, depth)
    new = text(w, 1) if w.kind(name).dtype != COMPLEX else name
    w.line(f"{name}, {other} = {other}, {w.pick(name, bounded(w, new) if w.kind(name) == FLOAT else bounded_array(w, new))}")


def new_array(w: SmoothWriter) -> None:
    name = w.variable(is_real) if w.chance(0.4) else None
    if name is None or name in w.frozen:
        shape, name = any_shape(w), w.fresh("a")
    else:
        shape = w.kind(name).shape
    w.line(f"{name} = {bounded_array(w, array(w, shape))}")
    w.define(name, array_kind(shape))


def empty_array(w: SmoothWriter) -> None:
    """An array of zeros or of a copy, to write to."""
    shape = any_shape(w)
    kind, name = array_kind(shape), w.fresh("a")
    source = w.like(kind)
    options = [f"np.zeros({shape})", f"np.ones({shape})"]
    if source is not None:
        options += [f"np.zeros_like({source})", f"{source}.copy()", f"{source} * 1.0"]
    w.line(f"{name} = {w.pick(*options)}")
    w.define(name, kind)


def new_complex(w: SmoothWriter) -> None:
    if not w.has_complex:
        return new_array(w)
    name = w.variable(is_complex) if w.chance(0.4) else None
    shape = (w.m,) if name is None or name in w.frozen else w.kind(name).shape
    name = w.fresh("z") if name is None or name in w.frozen else name
    w.line(f"{name} = 0.6 * ({complex_array(w, shape)})" if w.loops else f"{name} = {complex_array(w, shape)}")
    w.define(name, array_kind(shape, COMPLEX))


def new_view(w: SmoothWriter) -> None:
    source = w.variable(is_array)
    if source is None:
        return new_array(w)
    text, kind = view(w, source)
    name = w.fresh("v")
    w.line(f"{name} = {text}")
    w.define(name, kind)


def target_of(w: SmoothWriter, name: str) -> tuple[str, Shape]:
    """A part of an array to write to, and its shape; () for an element."""
    shape = w.kind(name).shape
    first, rest = shape[0], shape[1:]
    element = ", ".join(index(w, size) for size in shape), ()
    options: list[tuple[str, Shape]] = [element] * 4 + [
        ("1:", (first - 1, *rest)),
        (":-1", (first - 1, *rest)),
        ("::2", ((first + 1) // 2, *rest)),
        ("...", shape),
        ("::-1", shape),
    ]
    picked = [w.random.randrange(-first, first) for _ in range(w.pick(2, 3))]
    options += [(str(picked), (len(picked), *rest)), (f"np.array({picked})", (len(picked), *rest))]
    if len(shape) == 2:
        options += [
            (index(w, first), rest),
            (f":, {index(w, rest[0])}", (first,)),
            (f"{index(w, first)}, 1:", (rest[0] - 1,)),
            ("1:, :-1", (first - 1, rest[0] - 1)),
        ]
    return w.pick(*(option for option in options if all(size > 0 for size in option[1])))


def value_for(w: SmoothWriter, name: str, target: str, shape: Shape) -> str:
    """What to write to a part of an array."""
    if w.kind(name).dtype == COMPLEX and shape:
        return (
            f"{name}[{target}] * {w.pick('1j', '(0.3 - 0.8j)')}"
            if w.chance(0.5)
            else complex_array(w, shape, 1)
            if len(shape) == 1
            else "0.3j"
        )
    if not shape or w.chance(0.2):
        return number(w, 2)
    return w.pick(array(w, shape, 1), f"{name}[{target}] * {number_leaf(w)}", f"np.sin({name}[{target}])")


def written(w: SmoothWriter) -> None:
    """A write to an element or a part of an array, plain or augmented."""
    name = w.variable(is_array)
    if name is None:
        return empty_array(w)
    target, shape = target_of(w, name)
    value = value_for(w, name, target, shape)
    operator = w.pick("=", "=", "+=", "-=", "*=")
    if operator == "*=":
        value = f"np.cos({value})" if w.kind(name).dtype != COMPLEX else w.pick("0.6j", "(0.5 + 0.3j)")
    elif w.kind(name).dtype != COMPLEX:
        value = bounded_array(w, value)
    w.line(f"{name}[{target}] {operator} {value}")


def overlapping(w: SmoothWriter) -> None:
    """A part of an array is written with another part of it, or the whole in one operation."""
    name = w.variable(is_real)
    if name is None:
        return empty_array(w)
    kind = w.kind(name)
    other, s = w.like(kind) or name, number_leaf(w)
    w.line(
        w.pick(
            f"{name}[1:] += 0.4 * {name}[:-1]",
            f"{name}[:-1] *= np.cos({name}[1:])",
            f"{name}[1:] = {name}[:-1] * {s}",
            f"{name}[...] = np.sin({other}[::-1])",
            f"{name} *= {s}",
            f"{name} += 0.5 * {other}",
            f"{name} -= 0.3 * np.cos({other})",
            f"{name} /= 1.5 + {other} ** 2",
            f"np.multiply({name}, {s}, out={name})",
            f"np.add({other}, 0.3 * {name}, out={name})",
            f"np.tanh({name}, out={name})",
            f"{name}[{name} > {w.pick(*LITERALS)}] *= {s}",
            f"{name}[{name} < {w.pick(*LITERALS)}] = {s}",
            f"np.copyto({name}, 0.5 * {other})",
            f"{name}.fill({s})",
            f"np.maximum({name}, -0.4, out={name})",
            f"np.multiply({name}, {s}, out={name}, where={other} > 0.1)",
        )
    )


def scattered(w: SmoothWriter) -> None:
    """Contributions to elements, some of them several times."""
    name = w.variable(is_real)
    if name is None:
        return empty_array(w)
    shape = w.kind(name).shape
    picked = [w.random.randrange(shape[0]) for _ in range(w.pick(2, 3, 4))]
    value = array(w, (len(picked),), 1) if len(shape) == 1 else number(w, 1)
    w.line(f"np.{w.pick('add', 'add', 'subtract')}.at({name}, {picked}, {bounded_array(w, value)})")


def new_container(w: SmoothWriter) -> None:
    form, name = w.pick("list", "list", "empty", "tuple", "dict", "object", "arrays"), w.fresh("c")
    if form in ("list", "empty"):
        w.line(f"{name} = [{', '.join(number(w, 1) for _ in range(w.random.randint(1, 3)))}]")
        w.define(name, Kind("list", "float"))
    elif form == "tuple":
        w.line(f"{name} = ({number(w, 1)}, {number(w, 1)})")
        w.define(name, Kind("tuple", "float"))
    elif form == "dict":
        w.line(f"{name} = {{'s': {number(w, 1)}, 't': {number(w, 1)}}}")
        w.define(name, Kind("dict", "float"))
    elif form == "object":
        w.line(f"{name} = Tank({number(w, 1)}, {number_leaf(w)})")
        w.define(name, Kind("object", "float"))
    else:
        w.line(f"{name} = [{array(w, (w.m,), 1)}, {array(w, (w.m,), 1)}]")
        w.define(name, Kind("list", "array", shape=(w.m,)))


def container_change(w: SmoothWriter) -> None:
    name = w.of("list", "dict", "object")
    if name is None:
        return new_container(w)
    kind = w.kind(name)
    if kind.dtype == "array":
        value = bounded_array(w, array(w, kind.shape, 1))
        w.line(w.pick(f"{name}.append({value})", f"{name}[-1] = {value}", f"{name}[0] = {value}"))
        return
    value = bounded(w, number(w, 1))
    if kind.name == "dict":
        w.line(w.pick(f"{name}['s'] = {value}", f"{name}['t'] += {value}", f"{name}['s'], {name}['t'] = {name}['t'], {value}"))
    elif kind.name == "object":
        w.line(w.pick(f"{name}.level = {value}", f"{name}.level += 0.3 * {value}", f"{name}.fill({value})", f"{name}.scale *= 0.5"))
    else:
        options = [f"{name}.append({value})"] * 3 + [
            f"{name}[0] = {value}",
            f"{name}[-1] += {value}",
            f"{name}.insert(0, {value})",
            f"{name}.reverse()",
        ]
        w.line(
            w.pick(
                *options,
                f"{name}.extend([{value}, 0.2])",
                f"{name}.append({name}.pop() * 0.5)",
                f"if len({name}) > 2: {name}.pop()",
                f"{name}[:1] = [{value}]",
            )
        )


def listed(w: SmoothWriter) -> None:
    """A list becomes an array, or its items are taken up."""
    name, made = w.of("list"), w.fresh("s")
    if name is None:
        return new_container(w)
    stacked = f"np.stack({name})" if w.kind(name).dtype == "array" else f"np.array({name})"
    w.line(f"{made} = weigh(np.tanh({stacked}))")
    w.define(made, FLOAT)


def unpacked(w: SmoothWriter) -> None:
    a, b = w.fresh("s"), w.fresh("s")
    w.line(
        w.pick(
            f"{a}, {b} = {number(w, 1)}, {number(w, 1)}",
            f"{a} = {b} = {number(w, 1)}",
            f"{a}, {b} = {array(w, (w.m,), 0)}[:2]" if w.m >= 2 else "",
        )
    )
    w.define(a, FLOAT)
    w.define(b, FLOAT)


def counted(w: SmoothWriter) -> None:
    name = w.of("int")
    if name is None or name in w.frozen or w.loops == 0:
        name = w.fresh("i")
        w.line(f"{name} = {w.pick('n', '0', '1', 'len(x) - 1', 'int(np.argmax(x))')}")
    else:
        w.line(f"{name} += 1" if w.chance(0.5) else f"if {condition(w)}: {name} += 1")
    w.define(name, INT)


def lambda_made(w: SmoothWriter) -> None:
    name, scope = w.fresh("g"), w.scope.copy()
    w.define("t", FLOAT)
    text = number(w, 2)
    w.scope = scope
    w.line(f"{name} = lambda t: {text}")
    w.define(name, Kind("function"))


SIMPLE = (
    (7, assigned),
    (5, updated),
    (3, exchanged),
    (7, new_array),
    (3, empty_array),
    (2, new_complex),
    (4, new_view),
    (12, written),
    (7, overlapping),
    (3, scattered),
    (3, new_container),
    (4, container_change),
    (1, listed),
    (1, unpacked),
    (2, counted),
    (1, lambda_made),
)
