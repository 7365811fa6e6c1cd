"""Random simple statements: assignments, writes to arrays and containers, effects."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.arrays import any_array, array, piece, view
from tests.fuzz.numbers import NUMBER_WRITERS, boolean, complexity, integer, integer_leaf, position, real, real_leaf, scalar
from tests.fuzz.writer import BOOL, COMPLEX, FLOAT, INT, Kind, Writer

EXCEPTIONS = ("ValueError", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "TypeError", "OverflowError", "LookupError")


def bounded(w: Writer, text: str) -> str:
    """The text of an int, kept small where a loop might make it grow."""
    return f"{text} % {w.pick(97, 11, 1009)}" if w.loops and w.chance(0.9) else text


def number(w: Writer) -> None:
    """A number gets a new value, or a new variable is made."""
    kind = w.pick(INT, INT, FLOAT, FLOAT, BOOL, COMPLEX, Kind("scalar"))
    name = w.of(kind.name)
    if name is None or name in w.frozen or w.chance(0.4):
        name = w.fresh(kind.name[0])
    if name in w.frozen:
        return
    if kind == INT:
        text = bounded(w, integer(w))
    elif kind == COMPLEX:
        text = complexity(w) if not w.loops else w.pick("1j", "(2.0 - 1j)", complexity(w, 0))
    elif kind.name == "scalar":
        text = scalar(w)
    else:
        text = NUMBER_WRITERS[kind.name](w)
        if kind == FLOAT and w.loops:
            text = f"({text}) * {w.pick(0.5, 0.25)}"
    w.line(f"{name} = {text}")
    w.define(name, kind)


def copied_kind(w: Writer) -> None:
    """A variable gets the value of another, of any kind: its type may come to depend on the path."""
    source = w.variable(lambda kind: kind.name in ("int", "float", "bool", "scalar", "complex"))
    target = w.variable(lambda kind: kind.name in ("int", "float", "bool"))
    if source is None or target is None or target in w.frozen:
        return number(w)
    w.line(f"{target} = {source}")
    if w.kind(source).name in ("complex", "scalar") or w.kind(target) == INT:
        w.define(target, w.kind(source))


def update(w: Writer) -> None:
    """An augmented assignment to a number."""
    name = w.of("int", "float", "scalar")
    if name is None or name in w.frozen:
        return number(w)
    kind = w.kind(name).name
    if kind == "int":
        operator = w.pick("+=", "-=", "+=", "^=", "//=", "|=") if w.loops else w.pick("+=", "-=", "*=", "//=", "%=", "&=")
        value = w.pick("2", "3", "5") if operator in ("//=", "%=") else integer(w, 1)
        w.line(f"{name} {operator} {bounded(w, f'({value})') if operator != '//=' else value}")
    else:
        operator = w.pick("+=", "-=", "*=", "/=")
        w.line(f"{name} {operator} {w.pick('2', '0.5', '3.0') if operator in ('/=', '*=') else real(w, 1)}")


def new_array(w: Writer) -> None:
    text, kind = array(w)
    name = any_array(w) if w.chance(0.3) else None
    if name is None or name in w.frozen or (w.loops and w.kind(name) != kind):
        name = w.fresh("a")
    if w.loops and name in w.names(lambda kind: kind.name == "array") and not kind.regular:
        name = w.fresh("a")
    w.line(f"{name} = {text}")
    w.define(name, kind)


def new_view(w: Writer) -> None:
    source = any_array(w)
    if source is None:
        return new_array(w)
    text, kind = view(w, source)
    name = w.fresh("v")
    w.line(f"{name} = {text}")
    w.define(name, kind)


def alias(w: Writer) -> None:
    source = w.of("array", "list", "dict", "object")
    if source is None:
        return new_array(w)
    name = w.fresh("b")
    w.line(f"{name} = {source}")
    w.define(name, w.kind(source))


def value_for(w: Writer, kind: Kind) -> str:
    """A number to store in an array."""
    if kind.dtype == "bool":
        return boolean(w)
    if kind.dtype in ("float64", "float32", "complex128", "complex64") or w.chance(w.bold):
        return w.pick(real, real, integer)(w, 1)
    if kind.dtype in ("uint8", "uint64", "uint32", "int8"):
        return w.pick("3", "0", "7", "1", "100", f"abs({integer_leaf(w)}) % 50", "2.5", "True")
    return integer(w, 1) if w.chance(0.8) else "2.75"


def write(w: Writer) -> None:
    """A write through an element, a slice, a mask or an array of indices; plain or augmented."""
    name = any_array(w)
    if name is None:
        return new_array(w)
    kind = w.kind(name)
    value = value_for(w, kind)
    if kind.rank == 0:
        w.line(f"{name}[()] = {value}")
        return
    element = ", ".join(position(w, name, axis) for axis in range(kind.rank))
    targets = [element] * 5 + [piece(w), piece(w), "...", ":", w.pick("[0, -1]", "np.array([0, 0])", "[]"), position(w, name, 0)]
    if not kind.dtype.startswith("complex"):
        targets += [f"{name} {w.pick('>', '<', '==')} {real_leaf(w)}"] * 2
    if kind.rank == 2:
        targets += [f":, {position(w, name, 1)}", f"{piece(w)}, {piece(w)}", f"{position(w, name, 0)}, {piece(w)}"]
    target = w.pick(*targets)
    if w.chance(0.25) and target != element:
        other = w.variable(lambda found: found.name == "array" and found.dtype == kind.dtype)
        value = w.pick(f"{name}[{target}] * 2", f"{name}[::-1][{target}]", other or value, value) if kind.dtype != "bool" else value
    operators = ("=", "=", "+=", "-=", "*=") if kind.dtype not in ("bool",) else ("=", "|=", "^=")
    operator = w.pick(*operators)
    if operator == "*=" and w.loops:
        operator = "+="
    w.line(f"{name}[{target}] {operator} {value}")


def whole_update(w: Writer) -> None:
    """An augmented assignment to an array, a method that writes, or a ufunc with `out`."""
    name = w.variable(lambda kind: kind.name == "array" and kind.rank > 0)
    if name is None:
        return new_array(w)
    kind = w.kind(name)
    value = value_for(w, kind)
    other = w.variable(
        lambda found: found.name == "array" and found.dtype == kind.dtype and found.rank <= kind.rank and found.regular and kind.regular
    )
    if kind.dtype == "bool":
        w.line(w.pick(f"{name} ^= {value}", f"{name} |= {other or value}", f"{name}.fill({value})"))
        return
    w.line(
        w.pick(
            f"{name} += {value}",
            f"{name} -= {other or value}",
            f"{name} *= {w.pick(2, 1, 0)}",
            f"{name}.fill({value})",
            f"{name}[...] = {name}[::-1]",
            f"np.add({name}, {value}, out={name})",
            f"np.maximum({name}, {other or 1}, out={name})",
            f"np.add.at({name}, [0, 0], {w.pick(1, 2)})",
            f"np.multiply({name}, 2, out={name}, where={name} > 1)" if not kind.dtype.startswith("complex") else f"{name} += 1",
            f"{name}.sort(axis=0)",
            f"{name} //= 2" if not kind.dtype.startswith("complex") else f"{name} *= 1j",
            f"np.copyto({name}, {value})",
            f"{name} /= 2",
            f"{name}[1:] = {name}[:-1]",
            f"{name}[:-1] += {name}[1:]",
            f"np.put({name}, [0, -1], {value})",
        )
    )


def new_container(w: Writer) -> None:
    """A list, a tuple, a dict or an object."""
    form = w.pick("list", "list", "tuple", "dict", "object", "arrays", "empty")
    name = w.fresh("c")
    if form == "list":
        element = w.pick(INT, FLOAT)
        items = ", ".join(NUMBER_WRITERS[element.name](w, 1) for _ in range(w.random.randint(1, 4)))
        w.line(f"{name} = [{items}]")
        w.define(name, Kind("list", element.name))
    elif form == "tuple":
        w.line(f"{name} = ({integer(w, 1)}, {integer(w, 1)}, {integer(w, 0)})")
        w.define(name, Kind("tuple", "int"))
    elif form == "dict":
        w.line(f"{name} = {{'a': {real(w, 1)}, 'b': {real_leaf(w)}}}")
        w.define(name, Kind("dict", "float"))
    elif form == "object":
        w.line(f"{name} = Tank({real(w, 1)}, {real_leaf(w)})")
        w.define(name, Kind("object", "float"))
    elif form == "arrays" and any_array(w):
        w.line(f"{name} = [{any_array(w)}, {any_array(w)}]")
        w.define(name, Kind("list", "array"))
    else:
        source = w.pick(
            f"[k * {w.pick(2, 0.5)} for k in range({w.pick(0, 3, 6)})]", f"[{integer(w, 0)}] * 3", "[]", f"list(range({w.pick(2, 4)}))"
        )
        w.line(f"{name} = {source}")
        w.define(name, Kind("list", "float" if "0.5" in source else "int"))


def container_change(w: Writer) -> None:
    name = w.of("list", "dict", "object")
    if name is None:
        return new_container(w)
    kind = w.kind(name)
    value = real(w, 1) if kind.dtype == "float" else bounded(w, integer(w, 1))
    if kind.name == "dict":
        w.line(w.pick(f"{name}['a'] = {value}", f"{name}['b'] += {value}", f"{name}['a'] -= {value}", f"{name}.update(a={value})"))
    elif kind.name == "object":
        w.line(w.pick(f"{name}.level = {value}", f"{name}.level += {value}", f"{name}.fill({value})", f"{name}.scale *= 0.5"))
    elif kind.dtype == "array":
        w.line(w.pick(f"{name}[0][...] = {real_leaf(w)}", f"{name}[-1] = {any_array(w)}", f"{name}[1] += 1"))
    else:
        w.line(
            w.pick(
                f"{name}.append({value})",
                f"{name}.append({value})",
                f"{name}[0] = {value}",
                f"{name}[-1] += {value}",
                f"{name}.extend([{value}, 2])",
                f"{name}.pop()",
                f"{name}.insert(0, {value})",
                f"{name}.reverse()",
                f"{name}.sort()",
                f"{name} += [{value}]",
                f"{name}[1:2] = [{value}]",
                f"del {name}[-1]",
                f"{name}.remove({value})" if w.chance(w.bold) else f"{name}.append({value})",
            )
        )


def unpack(w: Writer) -> None:
    a, b = w.fresh("p"), w.fresh("q")
    form = w.pick("pair", "swap", "star", "nested", "shape", "array")
    ints = [name for name in w.names(lambda kind: kind == INT) if name not in w.frozen]
    if form == "swap" and len(ints) > 1:
        a, b = w.random.sample(ints, 2)
        w.line(f"{a}, {b} = {b}, {a}")
    elif form == "star":
        w.line(f"{a}, *{b} = {integer(w, 1)}, {integer(w, 1)}, {integer(w, 1)}")
        w.define(a, INT)
        w.define(b, Kind("list", "int"))
    elif form == "nested":
        c = w.fresh("r")
        w.line(f"{a}, ({b}, {c}) = {integer(w, 1)}, ({real(w, 1)}, {integer(w, 1)})")
        w.define(a, INT)
        w.define(b, FLOAT)
        w.define(c, INT)
    elif form == "shape" and any_array(w, 2):
        w.line(f"{a}, {b} = {any_array(w, 2)}.shape")
        w.define(a, INT)
        w.define(b, INT)
    elif form == "array" and any_array(w, 1):
        w.line(f"{a}, {b} = {any_array(w, 1)}[:2]")
        w.define(a, Kind("scalar"))
        w.define(b, Kind("scalar"))
    else:
        w.line(f"{a} = {b} = {integer(w, 1)}")
        w.define(a, INT)
        w.define(b, INT)


def printed(w: Writer) -> None:
    name = w.variable(lambda kind: kind.name != "function")
    value = w.pick(integer, real, boolean)(w, 1)
    w.line(
        w.pick(
            f"print('p', {value})",
            f"print({name})",
            f"print(f'{{{value}}}|', end='')",
            f"print({value}, {integer_leaf(w)}, sep='-')",
            f"print(f'{{{real_leaf(w)}:.3f}}')",
        )
    )


def raised(w: Writer) -> None:
    if w.chance(0.3):
        w.line(f"assert {boolean(w, 1)}, {w.pick(repr('no'), 'f' + repr('no {' + integer_leaf(w) + '}'))}")
        return
    text = w.pick(repr("bad"), f"f'bad {{{integer_leaf(w)}}}'", f"'bad', {integer_leaf(w)}")
    w.line(f"if {boolean(w, 1)}: raise {w.pick(*EXCEPTIONS)}({text})")


def deleted(w: Writer) -> None:
    name = w.variable(lambda kind: kind.name in ("int", "float", "list"))
    if name is None or name in w.frozen or w.loops or w.functions:
        return number(w)
    w.line(f"del {name}")
    w.scope.maybe[name] = w.scope.sure.pop(name)


def possible(w: Writer) -> None:
    """A use of a variable that may be undefined."""
    found = [name for name, kind in w.scope.maybe.items() if kind.name in ("int", "float", "scalar")]
    if not found or not w.chance(max(0.3, w.bold)):
        return number(w)
    name = w.fresh("u")
    w.line(f"{name} = {w.pick(*found)} + 1")
    w.define(name, FLOAT)


def lambda_made(w: Writer) -> None:
    name = w.fresh("g")
    with_argument = w.scope.copy()
    w.scope.sure["t"] = FLOAT
    w.functions += 1
    text = real(w, 2)
    w.functions -= 1
    w.scope = with_argument
    w.line(f"{name} = lambda t: {text}")
    w.define(name, Kind("function", "", size=1))


def squeezed(w: Writer) -> None:
    """A list becomes an array, or an array a list."""
    name = w.variable(lambda kind: kind.name == "list" and kind.dtype in ("int", "float"))
    made = w.fresh("a")
    if name is not None and w.chance(0.7):
        w.line(f"{made} = np.array({name}, dtype=np.float64)" if w.chance(0.5) else f"{made} = np.array({name})")
        w.define(made, Kind("array", "float64", 1, False))
        return
    source = any_array(w, 1)
    if source is None:
        return new_container(w)
    w.line(f"{made} = {w.pick(f'{source}.tolist()', f'list({source})')}")
    w.define(made, replace(Kind("list", "float"), size=0))


SIMPLE = (
    (10, number),
    (3, copied_kind),
    (8, update),
    (7, new_array),
    (5, new_view),
    (3, alias),
    (12, write),
    (6, whole_update),
    (3, new_container),
    (5, container_change),
    (3, unpack),
    (2, printed),
    (2, raised),
    (1, deleted),
    (1, possible),
    (1, lambda_made),
    (1, squeezed),
)
