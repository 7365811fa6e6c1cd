"""Random pieces of programs as users write them: classes, closures, dicts, sets, text, stacks, handlers with every clause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.arrays import any_array
from tests.fuzz.language import LIST_FLOAT, LIST_INT
from tests.fuzz.numbers import boolean, integer, integer_leaf, real, real_leaf
from tests.fuzz.writer import BOOL, FLOAT, INT, Kind, Writer

ERRORS = ("ValueError", "KeyError", "ZeroDivisionError", "IndexError", "Trouble", "(Trouble, LookupError)", "Exception", "ArithmeticError")


def numbers_of(w: Writer) -> str:
    """The text of an iterable of numbers."""
    vector = any_array(w, 1)
    known = w.variable(lambda kind: kind.name in ("list", "tuple") and kind.dtype in ("int", "float"))
    plain = f"[{integer_leaf(w)}, {real_leaf(w)}, 2, {integer_leaf(w)}]"
    if vector and w.kind(vector).dtype.startswith("complex"):
        vector = None
    return w.pick(known or "range(4)", vector or plain, plain, f"range({w.pick('n % 5', '5', 'len(x)')})", "(3, 1, 2)")


def counted_keys(w: Writer, depth: int) -> None:
    """A dict that a loop fills by keys that it computes, and what is read from it."""
    counts, item, result = w.fresh("d"), w.fresh("e"), w.fresh("z")
    key = w.pick(f"int({item}) % 3", f"{item} > {integer_leaf(w)}", f"'low' if {item} < 2 else 'high'", f"{item}", f"str({item})")
    value = w.pick("1", item, "0.5")
    change = w.pick(
        f"{counts}[k] = {counts}.get(k, 0) + {value}",
        f"{counts}.setdefault(k, []).append({value})",
        f"if k not in {counts}: {counts}[k] = {value}",
        f"{counts}[k] = {value}",
    )
    w.text(f"""
        {counts} = {{}}
        for {item} in {numbers_of(w)}:
            k = {key}
            {change}
    """)
    read = w.pick(
        f"len({counts})",
        f"sorted({counts}.items(), key=lambda pair: str(pair[0]))",
        f"list({counts}.values())",
        f"[k for k in {counts}]",
        f"{counts}.pop({w.pick('0', repr('low'), 'True')}, None)",
        f"{{v: k for k, v in {counts}.items()}}" if "setdefault" not in change else f"{{k: len(v) for k, v in {counts}.items()}}",
        f"({counts} | {{'end': {integer_leaf(w)}}})",
        f"max({counts}, key=lambda k: str(k)) if {counts} else None",
    )
    w.line(f"{result} = {read}")
    w.define(result, Kind("value"))


def set_work(w: Writer, depth: int) -> None:
    """Sets of ints: made, combined, asked."""
    name, result = w.fresh("u"), w.fresh("z")
    made = w.pick(f"{{{integer(w, 1)}, {integer_leaf(w)}, 2}}", f"{{int(v) % 5 for v in {numbers_of(w)}}}", "set()", "set(range(3))")
    w.line(f"{name} = {made}")
    w.line(w.pick(f"{name}.add({integer_leaf(w)})", f"{name} |= {{1, {integer_leaf(w)}}}", f"{name}.discard({integer_leaf(w)})"))
    text, kind = w.pick(
        (f"sorted({name} & {{0, 1, 2}})", LIST_INT),
        (f"len({name} - {{{integer_leaf(w)}}})", INT),
        (f"{integer_leaf(w)} in {name}", BOOL),
        (f"sorted({name} ^ {{1, 7}}, reverse=True)", LIST_INT),
        (f"{name} <= {{0, 1, 2, 3, 4, 5}}", BOOL),
        (f"sum({name})", INT),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)


def text_built(w: Writer, depth: int) -> None:
    """Text that a loop builds, and what becomes of it."""
    name, item, result = w.fresh("s"), w.fresh("e"), w.fresh("z")
    piece = w.pick(f"str({item})", f"f'{{{item}:.1f}},'", "'ab'", f"f'{{{item}}}' + '-'", f"'x' if {item} > 1 else 'y'", "repr(n)")
    w.text(f"""
        {name} = {w.pick("''", "'<'", "str(n)")}
        for {item} in {numbers_of(w)}:
            {name} {w.pick("+=", f"= {name} +", "+=")} {piece}
    """)
    text, kind = w.pick(
        (f"len({name})", INT),
        (f"{name}[::-1].upper()", Kind("value")),
        (f"{name}.split('-')", Kind("value")),
        (f"{name}.replace('a', 'o').count('o')", INT),
        (f"[c for c in {name} if c.isdigit()]", Kind("value")),
        (f"{name}.startswith('x') or 'y' in {name}", BOOL),
        (f"{name}.strip('<,').partition(',')[0]", Kind("value")),
        (f"{name}[{integer_leaf(w)}]" if w.chance(w.bold) else f"{name}[:2]", Kind("value")),
        (f"f'{{{name}!r:>12}}|{{len({name}):04d}}'", Kind("value")),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)


def folded(w: Writer, depth: int) -> None:
    """What Python's own functions and the standard library make of numbers."""
    result = w.fresh("z")
    items = numbers_of(w)
    text, kind = w.pick(
        (f"[i * v for i, v in enumerate({items}, start={w.pick(0, 1)})]", LIST_FLOAT),
        (f"[a - b + c for a, b, c in zip({items}, {items}, range(3))]", LIST_FLOAT),
        (f"sorted({items}, key=lambda v: {w.pick('-v', 'abs(v)', 'v % 3')}, reverse={boolean(w)})", LIST_FLOAT),
        (f"list(reversed(list({items})))", LIST_FLOAT),
        (f"max({items}, key=lambda v: (v % 2, v), default=-1)", Kind("scalar")),
        (f"min({items}, default={real_leaf(w)})", Kind("scalar")),
        (f"sum(map(lambda v: v * v, {items}), {integer_leaf(w)})", Kind("scalar")),
        (f"list(filter(lambda v: v > {integer_leaf(w)}, {items}))", LIST_FLOAT),
        (f"functools.reduce(lambda a, b: a * 2 + b, {items}, 0)", Kind("scalar")),
        (f"list(itertools.accumulate({items}))", LIST_FLOAT),
        (f"[a * b for a, b in itertools.product(range(2), {items})]", LIST_FLOAT),
        (f"list(itertools.chain({items}, [1]))", LIST_FLOAT),
        (f"math.prod(int(v) % 3 + 1 for v in {items})", INT),
        (f"next((v for v in {items} if v > {integer_leaf(w)}), -1)", Kind("scalar")),
        (f"[b - a for a, b in itertools.pairwise({items})]", LIST_FLOAT),
        (f"isinstance({real(w, 1)}, {w.pick('float', 'int', '(int, float)', 'np.floating')})", BOOL),
        (f"divmod({integer(w, 1)}, {w.pick('3', '-4', '7')})", Kind("tuple", "int")),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)


def closure(w: Writer, depth: int) -> None:
    """A function that gives a function with a variable of its own."""
    make, step, result = w.fresh("make"), w.fresh("g"), w.fresh("z")
    w.text(f"""
        def {make}(start, *, by={integer_leaf(w)}):
            count = start
            def step(t=1):
                nonlocal count
                count {w.pick("+=", "-=")} {w.pick("t * by", "t + by", "by")}
                return count
            return step
        {step} = {make}({w.pick(real_leaf, integer_leaf)(w)}{w.pick("", f", by={integer_leaf(w)}")})
    """)
    if w.chance(0.5):
        w.text(f"""
            for _ in range({w.pick("3", "6", "n % 4")}):
                {step}({w.pick("", "2", real_leaf(w))})
        """)
    w.line(f"{result} = {step}() + {step}({real_leaf(w)})")
    w.define(result, FLOAT)


def chosen_function(w: Writer, depth: int) -> None:
    """One of several functions, from a dict or a list, or one that decorates another."""
    result = w.fresh("z")
    if w.chance(0.5):
        table, key = w.fresh("t"), w.pick("'b' if n > 2 else 'a'", "'a'", f"['a', 'b'][{integer_leaf(w)} % 2]", "'c'")
        w.text(f"""
            {table} = {{'a': lambda t: t + {real_leaf(w)}, 'b': lambda t: t * {integer_leaf(w)}}}
            {result} = {table}.get({key}, abs)({real(w, 1)})
        """)
    else:
        twice, g = w.fresh("twice"), w.fresh("g")
        w.text(f"""
            def {twice}(h):
                def inner(*args, **kwargs):
                    return h(*args, **kwargs) {w.pick("* 2", "+ h(1)", "")}
                return inner
            @{twice}
            def {g}(t, k=2):
                return {w.pick("t * k", "t if t > k else k", "k - t")}
            {result} = {g}({real_leaf(w)}{w.pick("", ", k=3", ", " + integer_leaf(w))})
        """)
    w.define(result, FLOAT)


def method_calls(w: Writer, depth: int) -> None:
    """An object with methods, properties and operators, changed and asked."""
    name, result = w.fresh("o"), w.fresh("z")
    source = any_array(w, 1)
    if source is None or w.kind(source).dtype in ("bool", "complex128", "complex64"):
        source = f"[{real_leaf(w)}, {integer_leaf(w)}, 3]"
    w.line(f"{name} = {w.pick('Meter', 'Meter', 'Scaled')}({source}, {w.pick('2', '0.5', integer_leaf(w))})")
    if w.chance(0.4):
        w.line(f"if {boolean(w)}: {name}.gain {w.pick('+=', '=', '*=')} {w.pick('1', '0.5', integer_leaf(w))}")
    if w.chance(0.4):
        w.line(f"for v in range({w.pick('3', 'n % 6', '5')}): {name}.note({w.pick('v', 'v * 0.5', integer_leaf(w))})")
    text, kind = w.pick(
        (f"{name}({real(w, 1)})", FLOAT),
        (f"len({name})", INT),
        (f"{name}[{w.pick('0', '-1', integer_leaf(w))}]", Kind("scalar")),
        (f"{name}.peak", Kind("scalar")),
        (f"sum(v for v in {name})", Kind("scalar")),
        (f"{name}.limit(3) + Meter.limit({integer_leaf(w)})", INT),
        (f"({integer_leaf(w)} in {name}, bool({name}))", Kind("value")),
        (f"{name}.made({real_leaf(w)}).gain", FLOAT),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)
    if w.chance(0.5):
        w.define(name, Kind("meter"))


def records(w: Writer, depth: int) -> None:
    """Dataclasses: made, compared, replaced, in lists, unpacked by patterns."""
    name, result = w.fresh("p"), w.fresh("z")
    w.line(f"{name} = Point({real(w, 1)}{w.pick('', ', ' + real_leaf(w), ', y=' + integer_leaf(w))})")
    form = w.pick("loop", "branch", "match", "list")
    if form == "loop":
        w.text(f"""
            for _ in range({w.pick("3", "n % 5", "6")}):
                {name} = {name}.shifted({real_leaf(w)})
                {name}.x *= 0.5
            {result} = {name}.x - {name}.y
        """)
    elif form == "branch":
        w.text(f"""
            if {boolean(w)}:
                {name} = {name} + Point({integer_leaf(w)}, 1.0)
            {result} = {name}.y if {name} == Point({real_leaf(w)}) else {name}.x
        """)
    elif form == "match":
        w.text(f"""
            match {name}:
                case Point(0, y): {result} = y
                case Point(x=a, y=b) if a > b: {result} = a - b
                case Point(): {result} = -1
        """)
    else:
        w.text(f"""
            {result} = [Point(k, {real_leaf(w)}) for k in range({w.pick("3", "5")})]
            {result} = sum(p.x * p.y for p in {result} if p.x {w.pick("!=", ">")} {integer_leaf(w)})
        """)
    w.define(result, FLOAT)
    w.define(name, Kind("point"))


def handled(w: Writer, depth: int) -> None:
    """A handler with else and finally, in a function that may leave from any of them."""
    name, result = w.fresh("g"), w.fresh("z")
    risky = w.pick(
        "1 // t", "[1, 2, 3][int(t)]", "{'a': 1}[{0: 'a'}.get(t, 'b')]", "check(t)", "int('7') // (t - 2)", "math.sqrt(t)", "x[int(t)] * 2"
    )
    error = w.pick(*ERRORS)
    w.line(f"def {name}(t):")
    w.indent += 1
    if risky == "check(t)":
        cause = w.pick("", " from None", " from KeyError(v)")
        w.text(f"""
            def check(v):
                if v {w.pick(">", "<", "!=")} {integer_leaf(w)}: raise Trouble(v, f'bad {{v}}'){cause}
                return v + 1
        """)
    ending = w.pick("found = -1", "return len(problem.args)", "print(problem)", "raise", 'found = getattr(problem, "code", 5)')
    w.text(f"""
        found = {integer_leaf(w)}
        try:
            found = {risky}
        except {error} as problem:
            {ending}
        else:
            {w.pick("found += 10", "return found", "found = -found")}
        finally:
            {w.pick('print("done")', "x[:1] = 7", "found = 3", "pass")}
        return found
    """)
    w.indent -= 1
    argument = w.pick(integer(w, 1), integer_leaf(w), "0", "2")
    if w.chance(0.6):
        w.text(f"""
            try:
                {result} = {name}({argument})
            except (ValueError, ArithmeticError, LookupError) as problem:
                {result} = {w.pick("-5", "str(problem)", "repr(problem.__cause__)", "problem.args")}
        """)
        w.define(result, Kind("value"))
    else:
        w.line(f"{result} = {name}({argument})")
        w.define(result, FLOAT)


def searched(w: Writer, depth: int) -> None:
    """A loop that looks for something and says in its else that there is none; walrus in a while."""
    name, result = w.fresh("e"), w.fresh("z")
    if w.chance(0.6):
        w.text(f"""
            for {name} in {numbers_of(w)}:
                if {name} {w.pick(">", "==", "<")} {integer_leaf(w)}:
                    {result} = {name}
                    break
                {w.pick("continue", "pass", "print(" + name + ")")}
            else:
                {result} = {w.pick("None", "-1", "0.5")}
        """)
        w.define(result, Kind("value"))
    else:
        w.text(f"""
            {result} = {w.pick("n % 7", "5", "0")}
            while ({name} := {result} * 2 - 3) > {w.pick("0", integer_leaf(w))}:
                {result} -= {w.pick("1", "2")}
                if {result} < -20: break
            else:
                {result} += 100
        """)
        w.define(result, INT)
        w.define(name, INT)


def stacked(w: Writer, depth: int) -> None:
    """A stack or queue that a loop works off, or a table of lists."""
    name, result, item = w.fresh("c"), w.fresh("z"), w.fresh("e")
    filled = f"{name}.extend(range(min({item}, 99) - 1))"  # bounded: the item may be 2**31
    if w.chance(0.6):
        w.text(f"""
            {name}, {result} = [{w.pick("n % 6", "5", integer_leaf(w) + " % 9")}], 0
            while {name}:
                {item} = {name}.pop({w.pick("", "0")})
                {result} += {w.pick(item, "1", item + " * 2")}
                if {item} > 1:
                    {w.pick(f"{name}.append({item} - 2)", f"{name} += [{item} // 2, {item} % 2]", filled)}
                if {result} > 50 or len({name}) > 12: break
        """)
        w.define(result, INT)
    else:
        w.text(f"""
            {name} = [[{integer_leaf(w)}] * 3 for _ in range(3)]
            for i in range(3):
                for j in range({w.pick("3", "i", "i + 1")}):
                    {name}[i][j] {w.pick("+=", "=", "-=")} {w.pick("i * j", "1", f"{name}[j][i]", real_leaf(w))}
            {result} = sum(sum(row) for row in {name}) + {name}[{w.pick("-1", "1")}][0]
        """)
        w.define(result, FLOAT)
    w.define(name, Kind("value"))


def returned_several(w: Writer, depth: int) -> None:
    """A function that gives several values, called with stars, keywords and positional arguments only."""
    name, a, b = w.fresh("g"), w.fresh("a"), w.fresh("b")
    value = w.pick("(second - first) * scale", "second + len(rest)", "sum(rest) + sum(more.values())")
    w.text(f"""
        def {name}(first, /, second={real_leaf(w)}, *rest, scale=1, **more):
            if first > second: return first, second
            return {value}, {w.pick("first", "scale", "rest")}
    """)
    arguments = w.pick(
        real_leaf(w),
        f"{integer_leaf(w)}, {real(w, 1)}",
        f"{integer_leaf(w)}, second={real_leaf(w)}, scale={integer_leaf(w)}",
        f"*[{integer_leaf(w)}, {real_leaf(w)}, 3, 4]",
        f"1, 2, 3, z={real_leaf(w)}, **{{'scale': 2}}",
    )
    w.line(f"{a}, {b} = {name}({arguments})")
    w.define(a, FLOAT)
    w.define(b, Kind("value"))


IDIOMS: tuple[tuple[int, Callable[[Writer, int], Any]], ...] = (
    (3, counted_keys),
    (2, set_work),
    (2, text_built),
    (4, folded),
    (2, closure),
    (2, chosen_function),
    (3, method_calls),
    (3, records),
    (3, handled),
    (3, searched),
    (2, stacked),
    (2, returned_several),
)


def idiom(w: Writer, depth: int) -> None:
    """One of these."""
    w.weighted(IDIOMS)(w, depth)
