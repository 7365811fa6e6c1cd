"""Random pieces of the language: functions that raise, generators, comprehensions, text, stars, patterns, managers, early exits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.arrays import any_array
from tests.fuzz.numbers import boolean, integer, integer_leaf, real, real_leaf
from tests.fuzz.writer import FLOAT, INT, Kind, Writer

LIST_INT, LIST_FLOAT = Kind("list", "int"), Kind("list", "float")
RAISED = ("ValueError", "KeyError", "ZeroDivisionError", "IndexError", "ArithmeticError")


def formatted(w: Writer, depth: int) -> None:
    """Text made of numbers, its length and comparisons."""
    name, i, r = w.fresh("s"), integer(w, 1), real(w, 1)
    element = f"{any_array(w, 1)}[0]" if any_array(w, 1) and w.chance(0.4) else r
    w.line(
        name
        + " = "
        + w.pick(
            f"f'{{{i}:5d}}|{{{r}:.2f}}|{{{element}}}'",
            f"'%d and %s' % ({i}, {i})",
            f"'{{:.3e}}/{{}}'.format({r}, {i})",
            f"str({i}) + repr({boolean(w)})",
            f"f'{{{element}!r:>8}}' + 'x' * 2",
            f"', '.join([str({i}), 'end'])",
            f"'%.2f' % {r}",
        )
    )
    used = w.fresh("n")
    w.line(w.pick(f"print({name})", f"{used} = len({name})", f"print({name}.upper(), {name} == 'a')", f"{used} = {name}.count('1')"))
    if w.lines[-1].strip().startswith(used):
        w.define(used, INT)


def starred(w: Writer, depth: int) -> None:
    """A list with the items that a star takes, from a sequence of known or unknown length."""
    first, middle, last = w.fresh("p"), w.fresh("m"), w.fresh("q")
    sequence = w.variable(lambda kind: kind.name in ("list", "tuple") and kind.dtype in ("int", "float"))
    vector = any_array(w, 1)
    items = f"{vector}.tolist()" if vector else "[4, 5]"
    source = w.pick(sequence or "(1, 2, 3)", items, f"({integer(w, 1)}, {real(w, 1)}, 3)", "range(4)")
    form = w.pick(f"{first}, *{middle}", f"*{middle}, {last}", f"{first}, *{middle}, {last}")
    w.line(f"{form} = {source}")
    element = Kind("scalar")
    if first in form:
        w.define(first, element)
    if last in form:
        w.define(last, element)
    w.define(middle, LIST_FLOAT)


def function_that_raises(w: Writer, depth: int) -> None:
    """A function that may raise, called inside a handler or outside."""
    name, result = w.fresh("g"), w.fresh("z")
    error = w.pick(*RAISED)
    text = w.pick("'low'", "f'low {t}'", "t", "'low', 3")
    w.line(f"def {name}(t, k={integer_leaf(w)}):")
    w.line(f"    if t {w.pick('>', '<', '==')} {w.pick('k', '0', '2.5')}: raise {error}({text})")
    w.line(f"    return {w.pick('t * 2', 't - k', '(t, k)[0]')}")
    call = f"{name}({w.pick(real, integer)(w, 1)}{w.pick('', ', ' + integer_leaf(w), ', k=1')})"
    if w.chance(0.8):
        caught = w.pick(error, error, "Exception", "(ValueError, LookupError)", "ZeroDivisionError")
        w.line("try:")
        w.line(f"    {result} = {call}")
        w.line(f"except {caught} as problem:")
        w.line(w.pick("    print('caught', problem)", "    print(problem.args)", "    pass"))
        w.line(f"    {result} = {w.pick('0', '1.5', '-1')}")
    else:
        w.line(f"{result} = {call}")
    w.define(result, FLOAT)
    w.define(name, Kind("function", "", size=1))


def generated(w: Writer, depth: int) -> None:
    """A generator, used by a loop or a function that consumes it."""
    name, item = w.fresh("g"), w.fresh("e")
    w.line(f"def {name}(t, m=3):")
    w.line(f"    for j in range({w.pick('m', '4', '2')}):")
    if w.chance(0.3):
        w.line(f"        if j == {w.pick('1', '2')}: {w.pick('continue', 'return')}")
    w.line(f"        yield {w.pick('j * t', 't + j', '(j - 1) * 0.5', 'j')}")
    call = f"{name}({w.pick(real_leaf, integer_leaf)(w)}{w.pick('', ', ' + w.pick('2', '5'))})"
    if w.chance(0.5):
        total = w.fresh("t")
        w.line(f"{total} = {w.pick('0', '0.0')}")
        w.line(f"for {item} in {call}:")
        w.line(f"    {total} += {item}")
        if w.chance(0.3):
            w.line(f"    if {total} > {w.pick('2', '5')}: break")
        w.define(total, FLOAT)
        return
    result = w.fresh("t")
    w.line(f"{result} = {w.pick('sum', 'max', 'list', 'sorted')}({call})")
    w.define(result, LIST_FLOAT if "list(" in w.lines[-1] or "sorted(" in w.lines[-1] else FLOAT)


def comprehension(w: Writer, depth: int) -> None:
    """Comprehensions whose variables have names of the function's own, nest, or filter."""
    name = w.fresh("c")
    inner = w.of("int") or "n"
    vector = any_array(w, 1)
    simple = vector if vector and not w.kind(vector).dtype.startswith("complex") else None
    text, kind = w.pick(
        (f"[{inner} * 2 for {inner} in range({w.pick(3, 5)})]", LIST_INT),
        ("[i * j for i in range(3) for j in range(i)]", LIST_INT),
        (f"[{inner} + k for k in range(4) if k {w.pick('!=', '<', '>')} {integer_leaf(w)}]", LIST_INT),
        (f"[[k, k + 1] for k in range(2)][{w.pick(0, -1)}]", LIST_INT),
        (f"sum(k * k for k in range({w.pick(4, 'n % 5')}))", INT),
        (f"[(lambda k=k: k + {inner})() for k in range(3)]", LIST_INT),
        (f"any(v > {real_leaf(w)} for v in {simple or '(1, 2)'})", Kind("bool")),
        (f"all(v >= 0 for v in {simple or '(1, 2)'})", Kind("bool")),
        (f"{{k: k * {real_leaf(w)} for k in ('a', 'b')}}", Kind("dict", "float")),
        (f"[v for v in {simple}]" if simple else "[1.5, 2.5]", LIST_FLOAT),
        (f"len({{k % 3 for k in range({w.pick(5, 2)})}})", INT),
        (f"[a * b for a, b in zip(range(3), ({integer_leaf(w)}, 2, 5))]", LIST_INT),
        (f"max((abs(v) for v in {simple or '(1, 2)'}), default=0)", FLOAT),
    )
    w.line(f"{name} = {text}")
    w.define(name, kind)


def global_counter(w: Writer, depth: int) -> None:
    """A global variable that a function inside changes; set anew at every use, so that runs agree."""
    if w.functions:
        return
    name, result = w.fresh("g"), w.fresh("z")
    w.line(f"def {name}(t=1):")
    w.line("    global LEVEL")
    w.line(f"    LEVEL {w.pick('+=', '-=', '=')} {w.pick('t', '2', 't * 0.5')}")
    w.line("    return LEVEL")
    w.line(f"set_level({w.pick(integer_leaf, real_leaf)(w)})")
    w.line(f"{result} = {name}() + {name}({integer_leaf(w)})")
    if w.chance(0.5):
        w.line("print(LEVEL)")
    w.define(result, FLOAT)


def many_arguments(w: Writer, depth: int) -> None:
    """Functions with defaults, *args and **kwargs, called in several ways."""
    name, result = w.fresh("g"), w.fresh("z")
    w.line(f"def {name}(t, *more, k={integer_leaf(w)}, **rest):")
    of_more, of_rest = w.pick("sum(more)", "len(more)", "(more[0] if more else 0.5)"), w.pick("len(rest)", "sum(rest.values())")
    w.line(f"    return t + {of_more} * k + {of_rest}")
    arguments = w.pick(
        real_leaf(w),
        f"{real_leaf(w)}, {integer_leaf(w)}",
        f"*({integer_leaf(w)}, 2, 0.5)",
        f"{integer_leaf(w)}, k={real_leaf(w)}, z=1",
        f"1, **{{'k': {integer_leaf(w)}, 'y': 2}}",
        f"*[{real_leaf(w)}], 3, z={real_leaf(w)}",
    )
    w.line(f"{result} = {name}({arguments})")
    w.define(result, FLOAT)


def recursive(w: Writer, depth: int) -> None:
    """A function that calls itself, with a depth that is known or that the data decide."""
    if w.loops:
        return
    name, result = w.fresh("g"), w.fresh("z")
    w.line(f"def {name}(k, t):")
    again = f"{w.pick('k * ', 't + ', '')}{name}(k - {w.pick(1, 2)}, t{w.pick('', ' * 0.5')})"
    w.line(f"    return {w.pick('t', '1', 'k * t')} if k <= 0 else {again}")
    w.line(f"{result} = {name}({w.pick('3', '5', '2')}, {real_leaf(w)})")
    w.define(result, FLOAT)
    w.define(name, Kind("function", "", size=2))
    w.scope.sure.pop(name)


def view_update(w: Writer, depth: int) -> None:
    """Augmented assignment through views, of views, to overlapping parts."""
    name = w.variable(lambda kind: kind.name == "array" and kind.rank > 0 and kind.dtype in ("float64", "int64", "float32", "int32"))
    if name is None:
        return
    v = w.fresh("v")
    w.line(f"{v} = {name}[{w.pick('1:', '::-1', ':-1', '::2', '...', '1:3')}]")
    w.define(v, Kind("array", w.kind(name).dtype, w.kind(name).rank, False))
    value = w.pick("1", "2", f"{integer_leaf(w)} % 5")
    w.line(
        w.pick(
            f"{v} += {value}",
            f"{v}[...] = {name}[0]",
            f"{v} -= {v}[::-1]",
            f"{v}[:1] *= {value}",
            f"{name}[1:] += {name}[:-1]",
            f"{name}[::-1][:1] -= {value}",
            f"{v}[...] += {v}[0]",
            f"{v} *= ({v} > {value})",
            f"{name}[{name} > {value}] += 1",
            f"np.add({v}, {value}, out={v})",
        )
    )


def chosen_elements(w: Writer, depth: int) -> None:
    """take, clip, where, select, choose and their relatives, with dtypes of every kind."""
    name = w.variable(lambda kind: kind.name == "array" and kind.rank > 0 and not kind.dtype.startswith("complex"))
    if name is None:
        return
    made, kind = w.fresh("a"), w.kind(name)
    low, high = w.pick("-1", "0", "None", integer_leaf(w)), w.pick("3", "200", "1.5", integer_leaf(w))
    taken = f"np.take({name}, [0, 0], axis={w.pick(0, -1)}, mode={w.pick(repr('clip'), repr('wrap'))})"
    text = w.pick(
        taken if w.chance(0.7) else f"np.take({name}, 0)",
        f"np.clip({name}, {low}, {high})",
        f"{name}.clip({w.pick('0', '-2', integer_leaf(w))}, {w.pick('5', '300')})",
        f"np.where({name} > {real_leaf(w)}, {name}, {w.pick('np.uint8(3)', 'np.float32(1)', '-1', real_leaf(w))})",
        f"np.where({name} != 0, {name}[::-1], {name})",
        f"np.select([{name} > 2, {name} < 0], [{name}, {w.pick('0', '-1.5')}], {w.pick('7', '0.5')})",
        f"np.minimum({name}, {w.pick('np.int8(3)', 'np.float32(0.5)', '2')})",
        f"np.repeat({name}, {w.pick('2', '0', '3')}, axis=0)",
        f"np.compress([True, False], {name}, axis=0)" if w.chance(w.bold + 0.2) else f"np.flip({name})",
        f"np.searchsorted(np.sort({name}, axis=None), {integer_leaf(w)}) + np.zeros({name}.shape)",
        f"np.maximum.accumulate({name})" if kind.dtype != "bool" else f"~{name}",
        f"np.nan_to_num({name})",
        f"np.isin({name}, [0, 1, 7])",
        f"np.bincount(np.abs({name}.ravel().astype(np.int64)) % 5)",
    )
    w.line(f"{made} = {text}")
    rank = 1 if "bincount" in text or text.startswith("np.take(" + name + ", 0)") else kind.rank
    if text == f"np.take({name}, 0)":
        w.define(made, Kind("scalar"))
    else:
        w.define(made, Kind("array", "float64" if "zeros" in text or "where" in text or "select" in text else kind.dtype, rank, False))


def pattern(w: Writer, depth: int) -> None:
    """match on sequences, mappings and objects, with stars and guards."""
    result = w.fresh("z")
    subject, cases = w.pick(
        (f"[{integer(w, 1)}, {integer_leaf(w)}, 3]", ("[0, *rest]", "[a, b, c] if a < b", "[_, b, *_]")),
        (f"{{'a': {integer(w, 1)}, 'b': 2}}", ("{'a': 0}", "{'a': int(v), **rest} if v > 1", "{'b': v}")),
        (f"Tank({real(w, 1)})", ("Tank(level=0)", "Tank(level=v, scale=1.0) if v > 0", "Tank()")),
        (integer(w, 1), ("0 | 1", "int(v) if v > 3", "-1")),
    )
    w.line(f"{result} = 0")
    w.line(f"match {subject}:")
    for place, case in enumerate(w.random.sample(cases, 2)):
        w.line(f"    case {case}:")
        w.line(f"        {result} = {w.pick(str(place + 1), integer_leaf(w), real_leaf(w))}")
    w.define(result, FLOAT)


def guarded(w: Writer, depth: int) -> None:
    """A manager that swallows exceptions of one kind, or changes something when it is left."""
    result = w.fresh("z")
    kind = w.pick("ZeroDivisionError", "ValueError", "IndexError")
    w.line(f"{result} = {integer_leaf(w)}")
    w.line(f"with Shield({kind}) as shield:")
    w.line(f"    {result} = {w.pick(f'{integer(w, 1)} // {integer_leaf(w)}', f'[1, 2][{integer_leaf(w)} % 3]', f'int({real_leaf(w)})')}")
    w.line(f"    {result} += 1")
    w.line(f"{result} += shield.count")
    w.define(result, INT)


def left_early(w: Writer, depth: int) -> None:
    """A loop left by break, continue or return out of try and finally."""
    name, total = w.fresh("i"), w.fresh("t")
    w.line(f"{total} = 0")
    w.line(f"for {name} in range({w.pick('4', 'n % 5', 'len(x)')}):")
    w.line("    try:")
    way = w.pick("break", "continue", "break", f"return {total}")
    w.line(f"        if {name} {w.pick('==', '>')} {w.pick('1', '2', integer_leaf(w))}: {way}")
    w.line(f"        {total} += {w.pick(name, '2', integer_leaf(w))}")
    w.line("    finally:")
    w.line(w.pick(f"        {total} += 10", f"        print({name})", "        x[...] = 1"))
    if w.chance(0.3):
        w.line("else:")
        w.line(f"    {total} = -{total}")
    w.define(total, INT)


def list_work(w: Writer, depth: int) -> None:
    """What lists do besides growing: slices, sorting by keys, counting, places, copies, joining."""
    name = w.variable(lambda kind: kind.name == "list" and kind.dtype in ("int", "float"))
    if name is None:
        return
    made = w.fresh("c")
    text, kind = w.pick(
        (f"{name}[{w.pick('1:', ':-1', '::-1', '::2')}]", w.kind(name)),
        (f"sorted({name}, key=lambda t: {w.pick('-t', 't % 3', 'abs(t)')})", w.kind(name)),
        (f"{name} + [{integer_leaf(w)}]", w.kind(name)),
        (f"{name} * 2", w.kind(name)),
        (f"{name}.copy()", w.kind(name)),
        (f"[t for t in {name} if t > {integer_leaf(w)}]", w.kind(name)),
        (f"list(map(lambda t: t + 1, {name}))", w.kind(name)),
        (f"{name}.index({integer_leaf(w)}) if {integer_leaf(w)} in {name} else -1", INT),
        (f"sum(a * b for a, b in zip({name}, {name}[1:]))", FLOAT),
        (f"[{name}, {name}][1]", w.kind(name)),
        (f"max(enumerate({name}), key=lambda pair: pair[1])[0] if {name} else 0", INT),
        (f"list(reversed({name}))", w.kind(name)),
    )
    w.line(f"{made} = {text}")
    w.define(made, kind)


LANGUAGE: tuple[tuple[int, Callable[[Writer, int], Any]], ...] = (
    (3, formatted),
    (2, starred),
    (4, function_that_raises),
    (2, generated),
    (4, comprehension),
    (1, global_counter),
    (2, many_arguments),
    (1, recursive),
    (4, view_update),
    (4, chosen_elements),
    (2, pattern),
    (2, guarded),
    (3, left_early),
    (3, list_work),
)


def language(w: Writer, depth: int) -> None:
    """One of these."""
    w.weighted(LANGUAGE)(w, depth)
