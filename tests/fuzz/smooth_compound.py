"""Random compound statements of smooth programs: branches, loops with trips that the data decide, handlers, functions inside."""

from __future__ import annotations

from tests.fuzz.smooth_numbers import condition, number, number_leaf
from tests.fuzz.smooth_statements import SIMPLE, bounded
from tests.fuzz.smooth_writer import REAL, SmoothWriter, array_kind, is_matrix, is_real, is_vector
from tests.fuzz.writer import FLOAT, INT, Kind


def statements(w: SmoothWriter, depth: int, most: int = 4) -> None:
    """A few statements."""
    for _ in range(w.random.randint(1, most)):
        if w.budget <= 0:
            return
        w.budget -= 1
        if depth > 0 and w.chance(0.4):
            w.weighted(COMPOUND)(w, depth - 1)
        else:
            w.weighted(SIMPLE)(w)
        if w.loops and w.chance(0.1) and depth < 3:
            w.line(f"if {condition(w)}: {w.pick('break', 'continue', 'break')}")
        elif depth < 3 and w.chance(0.05):
            w.line(f"if {condition(w)}: return {loss_text(w)}")


def loss_text(w: SmoothWriter) -> str:
    """A real number that some of the variables decide."""
    arrays = w.names(is_real)
    others = w.names(lambda kind: kind.name == "float")
    picked = w.random.sample(arrays, min(len(arrays), 3)) + w.random.sample(others, min(len(others), 3))
    return " + ".join(f"weigh({name})" if name in arrays else name for name in picked) or number(w)


def branch(w: SmoothWriter, depth: int) -> None:
    w.line(f"if {condition(w)}:")
    with w.block():
        statements(w, depth)
    if w.chance(0.25):
        w.line(f"elif {condition(w)}:")
        with w.block():
            statements(w, depth, 2)
    if w.chance(0.5):
        w.line("else:")
        with w.block():
            statements(w, depth)


def both_define(w: SmoothWriter, depth: int) -> None:
    """Both branches define a variable, one of them perhaps as a constant."""
    name = w.fresh("s")
    w.line(f"if {condition(w)}:")
    with w.block():
        w.line(f"{name} = {number(w)}")
        statements(w, depth, 2)
    w.line("else:")
    with w.block():
        w.line(f"{name} = {w.pick('0', '1.0', number(w))}")
        statements(w, depth, 2)
    w.define(name, FLOAT)


def looped(w: SmoothWriter, header: str, names: dict[str, Kind], depth: int) -> None:
    """A for loop over items of known kinds."""
    w.line(f"for {', '.join(names)} in {header}:")
    with w.block():
        for name, kind in names.items():
            w.define(name, kind)
        hidden = set(w.frozen)
        w.frozen |= {name for name, kind in names.items() if kind == INT}
        w.loops += 1
        statements(w, depth)
        w.loops -= 1
        w.frozen = hidden
    if w.chance(0.12):
        w.line("else:")
        with w.block():
            statements(w, depth, 2)


def for_range(w: SmoothWriter, depth: int) -> None:
    trips = w.pick("n", "3", "n + 1", "10", f"int(3 * abs({number_leaf(w)})) % 4", "len(x)", "1, len(x)", "len(x) - 2, -1, -1", "0")
    if w.loops and trips == "10":
        trips = "2"
    header = f"ag.loop_options(range({trips}), checkpoint={w.pick('True', '2')})" if w.chance(0.06) else f"range({trips})"
    looped(w, header, {w.fresh("i"): INT}, depth)


def item_name(w: SmoothWriter, kind: Kind) -> str:
    """Numbers and arrays have names of their own: the two differ in what an augmented assignment does."""
    return w.fresh("e" if kind == FLOAT else "v")


def for_items(w: SmoothWriter, depth: int) -> None:
    name = w.variable(is_real)
    items = w.of("list", "tuple")
    if items is not None and w.chance(0.3):
        kind = array_kind(w.kind(items).shape) if w.kind(items).dtype == "array" else FLOAT
        return looped(w, f"{w.pick('list', 'tuple')}({items})", {item_name(w, kind): kind}, depth)
    if name is None:
        return for_range(w, depth)
    shape = w.kind(name).shape
    kind = FLOAT if len(shape) == 1 else array_kind(shape[1:], REAL)
    other = w.variable(is_vector)
    if other is not None and w.chance(0.25):
        return looped(w, f"zip({name}, {other})", {item_name(w, kind): kind, w.fresh("e"): FLOAT}, depth)
    if w.chance(0.4):
        return looped(w, f"enumerate({name})", {w.fresh("i"): INT, item_name(w, kind): kind}, depth)
    looped(w, w.pick(name, f"reversed({name})", f"{name}[1:]"), {item_name(w, kind): kind}, depth)


def while_loop(w: SmoothWriter, depth: int) -> None:
    """A loop that ends by the data, by a counter at the latest."""
    counter, value = w.fresh("k"), w.of("float")
    w.line(f"{counter} = 0")
    w.define(counter, INT)
    if value is None or value in w.frozen:
        value = w.fresh("s")
        w.line(f"{value} = {number(w, 1)}")
        w.define(value, FLOAT)
    most = w.pick(3, 5, 8) if not w.loops else w.pick(2, 3)
    w.line(
        w.pick(
            f"while {counter} < {most} and {value} < {w.pick(0.9, 1.6)}:",
            f"while abs({value}) > {w.pick(0.05, 0.2)} and {counter} < {most}:",
            f"while {counter} < {most}:",
        )
    )
    with w.block():
        w.frozen.add(counter)
        w.line(f"{counter} += 1")
        w.line(
            w.pick(
                f"{value} = {value} * {w.pick(0.5, 0.7)} + 0.1 * {number(w, 1)}",
                f"{value} = {bounded(w, number(w, 1))}",
                f"{value} += 0.2 * {number(w, 1)} ** 2",
                f"{value} *= 0.6",
            )
        )
        w.loops += 1
        statements(w, depth)
        w.loops -= 1
        w.frozen.discard(counter)
    if w.chance(0.1):
        w.line("else:")
        with w.block():
            statements(w, depth, 1)


def while_true(w: SmoothWriter, depth: int) -> None:
    counter = w.fresh("k")
    w.line(f"{counter} = 0")
    w.define(counter, INT)
    w.line("while True:")
    with w.block():
        w.frozen.add(counter)
        w.line(f"{counter} += 1")
        w.line(f"if {counter} > 5: break")
        w.loops += 1
        statements(w, depth, 2)
        w.line(f"if {counter} > {w.pick(2, 4)} or {condition(w)}: {w.pick('break', 'break', f'return {loss_text(w)}')}")
        statements(w, depth, 2)
        w.loops -= 1
        w.frozen.discard(counter)


def handler(w: SmoothWriter, depth: int) -> None:
    w.line("try:")
    with w.block():
        statements(w, depth, 2)
        w.line(
            w.pick(
                f"if {condition(w)}: raise ValueError({w.pick(1, repr('x'))})",
                f"{w.fresh('h')} = [1, 2][{w.of('int') or 'n'}]",
                f"{w.fresh('h')} = 1 // ({w.of('int') or 'n'} % 2)",
            )
        )
        statements(w, depth, 2)
    has_handler = w.chance(0.85)
    if has_handler:
        w.line(f"except {w.pick('Exception', '(ValueError, IndexError, ZeroDivisionError)', 'Exception as err')}:")
        with w.block():
            statements(w, depth, 2)
    if not has_handler or w.chance(0.2):
        w.line("finally:")
        with w.block():
            statements(w, depth, 2)


def nested(w: SmoothWriter, depth: int) -> None:
    """A function inside, of a number, which may change a variable of the enclosing one or write to its arrays."""
    name = w.fresh("g")
    outer = [found for found in w.names(lambda kind: kind == FLOAT) if found not in w.frozen]
    changed = w.pick(*outer) if outer and w.functions == 0 and w.chance(0.5) else None
    w.line(f"def {name}(t, s=0.7):")
    before, loops, frozen = w.scope.copy(), w.loops, w.frozen
    with w.block():
        w.scope.maybe.clear()
        w.define("t", FLOAT)
        w.define("s", FLOAT)
        w.frozen, w.loops, w.functions = set(w.scope.sure) - {"t", "s"}, 0, w.functions + 1
        if changed and changed not in ("t", "s"):
            w.line(f"nonlocal {changed}")
            w.line(f"{changed} = 0.5 * {changed} + 0.3 * t")
        if w.chance(0.4):
            w.line(f"if {condition(w)}: return {number(w, 1)}")
        if w.chance(0.4):
            w.weighted(SIMPLE)(w)
        w.line(f"return {number(w)}")
        w.frozen, w.loops, w.functions = frozen, loops, w.functions - 1
    w.scope = before
    w.define(name, Kind("function"))
    result = w.fresh("s")
    w.line(f"{result} = {name}({number(w, 1)}){w.pick('', f' + {name}({number_leaf(w)}, s={number_leaf(w)})')}")
    w.define(result, FLOAT)


def called(w: SmoothWriter, depth: int) -> None:
    """One of the module's own functions."""
    matrix, vector = w.variable(is_matrix), w.variable(is_vector)
    made = w.fresh("s")
    if vector is not None and w.chance(0.5):
        w.line(
            w.pick(
                f"{made} = relax({vector}, {number_leaf(w)})",
                f"{made} = horner(0, {vector}, {number_leaf(w)})",
                f"{made} = root({number(w, 1)})",
            )
        )
    elif matrix is not None:
        w.line(f"{made} = sum(relax(row, {number_leaf(w)}) for row in {matrix})")
    else:
        w.line(f"{made} = root({number(w, 1)})")
    w.define(made, FLOAT)


def matched(w: SmoothWriter, depth: int) -> None:
    w.line(f"match {w.of('int') or 'n'} % 3:")
    w.indent += 1
    for case in w.random.sample(("0", "1 | 2", f"_ if {condition(w)}"), 2):
        w.line(f"case {case}:")
        with w.block():
            statements(w, depth, 2)
    w.line("case _:")
    with w.block():
        statements(w, depth, 2)
    w.indent -= 1


COMPOUND = (
    (8, branch),
    (3, both_define),
    (7, for_range),
    (5, for_items),
    (6, while_loop),
    (2, while_true),
    (3, handler),
    (2, nested),
    (2, called),
    (1, matched),
)
