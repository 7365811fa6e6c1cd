"""Random compound statements: branches, loops, handlers, nested functions, match."""

from __future__ import annotations

from tests.fuzz.array_idioms import array_idiom
from tests.fuzz.arrays import any_array
from tests.fuzz.habits import habit
from tests.fuzz.idioms import idiom
from tests.fuzz.language import language
from tests.fuzz.numbers import boolean, integer, integer_leaf, real
from tests.fuzz.statements import EXCEPTIONS, SIMPLE
from tests.fuzz.writer import FLOAT, INT, Kind, Writer

CAUGHT = (*EXCEPTIONS, "Exception", "(ValueError, IndexError)", "ArithmeticError", "UnboundLocalError", "(KeyError, ZeroDivisionError)")


def statements(w: Writer, depth: int, most: int = 4) -> None:
    """A few statements."""
    for _ in range(w.random.randint(1, most)):
        if w.budget <= 0:
            return
        w.budget -= 1
        if depth > 0 and w.chance(0.4):
            w.weighted(COMPOUND)(w, depth - 1)
        else:
            w.weighted(SIMPLE)(w)
        if w.loops and w.chance(0.08) and depth < 3:
            w.line(f"if {boolean(w)}: {w.pick('break', 'continue', 'break')}")
        elif depth < 3 and w.chance(0.04):
            w.line(f"if {boolean(w)}: {ending(w)}")


def ending(w: Writer) -> str:
    name = w.variable(lambda kind: kind.name != "function")
    return f"return {w.pick(name, name, integer(w, 1), real(w, 1), f'({name}, {integer_leaf(w)})')}"


def branch(w: Writer, depth: int) -> None:
    w.line(f"if {boolean(w, 2)}:")
    with w.block():
        statements(w, depth)
    if w.chance(0.25):
        w.line(f"elif {boolean(w)}:")
        with w.block():
            statements(w, depth, 2)
    if w.chance(0.5):
        w.line("else:")
        with w.block():
            statements(w, depth)


def both_define(w: Writer, depth: int) -> None:
    """Both branches define a variable."""
    name, kind = w.fresh("d"), w.pick(INT, FLOAT, FLOAT)
    w.line(f"if {boolean(w)}:")
    with w.block():
        w.line(f"{name} = {integer(w)}")
        statements(w, depth, 2)
    w.line("else:")
    with w.block():
        w.line(f"{name} = {integer(w) if kind == INT else real(w)}")
        statements(w, depth, 2)
    w.define(name, kind)


def loop_end(w: Writer, depth: int) -> None:
    if w.chance(0.2):
        w.line("else:")
        with w.block():
            statements(w, depth, 2)


def for_range(w: Writer, depth: int) -> None:
    name = w.fresh("i")
    count = w.pick("3", "5", "6", "0", "n % 7", "len(x)", "n % 4", "4")
    bounds = w.pick(count, count, f"1, {count}", f"{count}, -1, -1", f"0, {count}, 2", f"{count}, 0, -2", integer_leaf(w) + " % 5")
    counted(w, depth, name, INT, f"for {name} in range({bounds}):")


def counted(w: Writer, depth: int, name: str, kind: Kind, header: str) -> None:
    """A loop with its body and end; its variable may be undefined afterwards."""
    w.line(header)
    with w.block():
        w.define(name, kind)
        w.frozen.add(name)
        w.loops += 1
        statements(w, depth)
        w.loops -= 1
        w.frozen.discard(name)
    loop_end(w, depth)


def for_items(w: Writer, depth: int) -> None:
    name, index = w.fresh("e"), w.fresh("i")
    array, items = any_array(w, 1), w.variable(lambda kind: kind.name in ("list", "tuple") and kind.dtype != "array")
    rows = any_array(w, 2)
    forms = [(f"for {name} in ({integer(w, 1)}, 2, {integer_leaf(w)}):", INT)]
    if array:
        forms += [
            (f"for {name} in {array}:", Kind("scalar")),
            (f"for {index}, {name} in enumerate({array}):", Kind("scalar")),
            (f"for {name}, {index} in zip({array}, range(4)):", Kind("scalar")),
            (f"for {name} in reversed({array}):", Kind("scalar")),
        ]
    if items:
        forms.append((f"for {name} in list({items}):", INT if w.kind(items).dtype == "int" else FLOAT))
    if rows:
        forms.append((f"for {name} in {rows}:", Kind("array", w.kind(rows).dtype, 1, w.kind(rows).regular)))
    header, kind = w.pick(*forms)
    counted(w, depth, name, kind, header)


def while_counted(w: Writer, depth: int) -> None:
    name = w.fresh("k")
    w.line(f"{name} = {w.pick(0, 1, -2)}")
    w.define(name, INT)
    condition = w.pick(
        f"{name} < {w.pick(3, 5, 6)}",
        f"{name} < 5 and {boolean(w)}",
        f"{boolean(w)} and {name} < 4",
        f"(not {name} > 3)",
        f"{name} < n % 6",
    )
    w.line(f"while {condition}:")
    with w.block():
        w.frozen.add(name)
        w.line(f"{name} += {w.pick(1, 1, 2)}")
        w.loops += 1
        statements(w, depth)
        w.loops -= 1
        w.frozen.discard(name)
    loop_end(w, depth)


def while_true(w: Writer, depth: int) -> None:
    name = w.fresh("k")
    w.line(f"{name} = 0")
    w.define(name, INT)
    w.line("while True:")
    with w.block():
        w.frozen.add(name)
        w.line(f"{name} += 1")
        w.line(f"if {name} > {w.pick(2, 4, 5)}{w.pick('', ' or ' + boolean(w))}: {w.pick('break', 'break', 'break', ending(w))}")
        w.loops += 1
        statements(w, depth)
        w.loops -= 1
        w.frozen.discard(name)


def handler(w: Writer, depth: int) -> None:
    w.line("try:")
    with w.block():
        if w.chance(0.7):
            w.line(
                w.pick(
                    f"if {boolean(w)}: raise {w.pick(*EXCEPTIONS)}({integer_leaf(w)})",
                    f"{w.fresh('h')} = {integer(w, 1)} // {integer_leaf(w)}",
                    f"{w.fresh('h')} = {integer(w, 1)} % {integer_leaf(w)}",
                    f"{any_array(w) or 'x'}[{integer_leaf(w)}] = 1",
                    f"{w.fresh('h')} = [1, 2][{integer_leaf(w)}]",
                    f"{w.fresh('h')} = 1.0 / {real(w, 0)}",
                    f"{w.fresh('h')} = math.sqrt({real(w, 0)})",
                    f"{w.fresh('h')} = int({real(w, 0)})",
                )
            )
        statements(w, depth, 3)
    has_handler = w.chance(0.85)
    if has_handler:
        name = w.pick("", " as err")
        w.line(f"except {w.pick(*CAUGHT)}{name}:")
        with w.block():
            if name:
                w.line(w.pick("print(err)", "print(type(err).__name__, err)", "print(repr(err))", "pass"))
            statements(w, depth, 2)
            if w.chance(0.1):
                w.line(w.pick("raise", "raise RuntimeError('again')", "raise KeyError(1) from None"))
        if w.chance(0.2):
            w.line("else:")
            with w.block():
                statements(w, depth, 2)
    if not has_handler or w.chance(0.25):
        w.line("finally:")
        with w.block():
            statements(w, depth, 2)


def nested(w: Writer, depth: int) -> None:
    """A function inside, which may change a variable of the enclosing one."""
    name = w.fresh("g")
    outer = [found for found in w.names(lambda kind: kind == INT) if found not in w.frozen]
    changed = w.pick(*outer) if outer and not w.functions and w.indent > 0 else None
    w.line(f"def {name}(t, s=2.0):")
    before, loops = w.scope.copy(), w.loops
    with w.block():
        w.scope.maybe.clear()
        if changed:
            w.line(f"nonlocal {changed}")
            w.line(f"{changed} {w.pick('+=', '-=', '^=')} {w.pick(1, 2)}")
        hidden, w.frozen, w.loops, w.functions = w.frozen, set(w.scope.sure), 0, w.functions + 1
        w.define("t", FLOAT)
        w.define("s", FLOAT)
        if w.chance(0.3):
            w.line(f"if {boolean(w)}: return {real(w, 1)}")
        w.line(f"return {real(w)}")
        w.frozen, w.loops, w.functions = hidden, loops, w.functions - 1
    w.scope = before
    w.define(name, Kind("function", "", size=1))
    result = w.fresh("z")
    w.line(f"{result} = {name}({real(w, 1)})")
    w.define(result, FLOAT)


def matched(w: Writer, depth: int) -> None:
    subject = w.pick(integer(w, 1) + " % 4", f"({integer(w, 1)} % 3, {integer(w, 0)})")
    w.line(f"match {subject}:")
    w.indent += 1
    cases = (
        ("0", "1 | 2", "-1", "_ if " + boolean(w))
        if not subject.startswith("(") or not subject.endswith(")")
        else ("(0, 1)", "(1, _)", "[2, m]", "(k, l)")
    )
    for case in w.random.sample(cases, 2):
        w.line(f"case {case}:")
        with w.block():
            statements(w, depth, 2)
    if w.chance(0.7):
        w.line("case _:")
        with w.block():
            statements(w, depth, 2)
    w.indent -= 1


def scoped(w: Writer, depth: int) -> None:
    """A with statement."""
    w.line(f"with Stage({w.pick(repr('s'), integer_leaf(w))}){w.pick('', ' as stage')}:")
    with w.block():
        statements(w, depth, 3)


COMPOUND = (
    (8, branch),
    (3, both_define),
    (6, for_range),
    (4, for_items),
    (4, while_counted),
    (1, while_true),
    (4, handler),
    (1, nested),
    (1, matched),
    (1, scoped),
    (9, language),
    (9, idiom),
    (9, array_idiom),
    (7, habit),
)
