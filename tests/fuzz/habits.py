"""Random pieces with everyday constructs: searches, attributes set and deleted, surgery on lists, dicts and arrays, swaps, nested text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.arrays import any_array
from tests.fuzz.idioms import numbers_of
from tests.fuzz.language import LIST_FLOAT, LIST_INT
from tests.fuzz.numbers import boolean, integer, integer_leaf, real, real_leaf
from tests.fuzz.writer import BOOL, FLOAT, INT, Kind, Writer


def search(w: Writer, depth: int) -> None:
    """any, all and next of a generator expression, with names that it assigns or what fails behind the item that is found."""
    result, found, item = w.fresh("z"), w.fresh("h"), w.fresh("e")
    items, test = numbers_of(w), f"{item} {w.pick('>', '<', '==')} {integer_leaf(w)}"
    form = w.pick("names", "fails", "next", "iterator")
    if form == "names":
        w.text(f"""
            {found} = None
            {result} = {w.pick("any", "all")}(({found} := {item}) {w.pick(">", "!=", "<=")} {real_leaf(w)} for {item} in {items})
            {result} = ({result}, {found})
        """)
    elif form == "fails":
        w.text(f"""
            try:
                {result} = {w.pick("any", "all")}({integer_leaf(w)} // int({item}) {w.pick(">", "<")} 0 for {item} in {items})
            except (ZeroDivisionError, ValueError, OverflowError, TypeError) as problem:
                {result} = type(problem).__name__
        """)
    elif form == "next":
        default = w.pick("", ", None", f", {integer_leaf(w)}", f", {real_leaf(w)}")
        w.text(f"""
            try:
                {result} = next(({w.pick("i", item, f"{item} * 2", f"(i, {item})")} for i, {item} in enumerate({items}) if {test}){default})
            except StopIteration:
                {result} = 'none'
        """)
    else:
        w.text(f"""
            {found} = iter({items})
            {result} = {w.pick("any", "all")}({test} for {item} in {found})
            {result} = ({result}, list({found}))
        """)
    w.define(result, Kind("value"))


def attributes(w: Writer, depth: int) -> None:
    """A namespace or an instance whose attributes branches and loops set, delete and look for."""
    name, result = w.fresh("o"), w.fresh("z")
    w.line(f"{name} = {w.pick(f'SimpleNamespace(a={real(w, 1)}, b={integer_leaf(w)})', f'Box({integer_leaf(w)}, {real_leaf(w)})')}")
    for _ in range(w.pick(1, 2, 3)):
        attribute, condition = w.pick("a", "b", "c"), boolean(w)
        change = w.pick(
            f"{name}.{attribute} = {real(w, 1)}",
            f"setattr({name}, '{attribute}', {integer(w, 1)})",
            f"if hasattr({name}, '{attribute}'): del {name}.{attribute}",
            f"if hasattr({name}, '{attribute}'): {name}.{attribute} += 1",
            f"{name}.{attribute} = getattr({name}, '{attribute}', 2) * 2",
            f"{name}.{attribute} = [{integer_leaf(w)}]" if w.chance(0.3) else f"{name}.a = {real_leaf(w)}",
        )
        w.line(w.pick(f"if {condition}:", f"for _ in range({w.pick('2', 'n % 3')}):", "if True:"))
        w.line(f"    {change}")
    asked = [f"getattr({name}, 'a', None)", f"getattr({name}, 'b', -1)", f"hasattr({name}, 'c')"]
    w.line(f"{result} = ({', '.join(w.random.sample(asked, 2))})")
    w.define(result, Kind("value"))


def named_tuples(w: Writer, depth: int) -> None:
    """Named tuples: made, replaced in loops and branches, unpacked, compared."""
    name, result = w.fresh("p"), w.fresh("z")
    w.line(f"{name} = Pair({real(w, 1)}, {w.pick('', 'second=')}{integer_leaf(w)})")
    w.text(
        w.pick(
            f"if {boolean(w)}: {name} = {name}._replace(first={real(w, 1)})",
            f"for i in range({w.pick('3', 'n % 4')}): {name} = Pair({name}.second, {name}.first + i)",
            f"{name} = Pair(*reversed({name}))",
        )
    )
    read = w.pick(f"{name}.first - {name}.second", f"{name} == ({real_leaf(w)}, {integer_leaf(w)})", f"{name}._asdict()", f"{name}[::-1]")
    w.line(f"{result} = {read}")
    w.define(result, Kind("value"))


def list_surgery(w: Writer, depth: int) -> None:
    """A list changed by slices, del, insert, remove and sort, in a branch or loop."""
    name, result = w.fresh("c"), w.fresh("z")
    w.line(f"{name} = {w.pick(f'list({numbers_of(w)})', f'[{integer_leaf(w)}, 4, {integer(w, 1)}, -2]')}")
    for _ in range(w.pick(1, 2, 3)):
        change = w.pick(
            f"{name}[1:2] = [{integer_leaf(w)}, 7]",
            f"{name}[:0] = {name}[-1:]",
            f"del {name}[{w.pick(':1', '-1:', '::2', '1:')}]",
            f"{name}.insert({integer_leaf(w)}, {real_leaf(w)})",
            f"{name}.sort(reverse={boolean(w)})",
            f"{name}.reverse()",
            f"{name}.extend(v * 2 for v in {name}[:2])",
            f"if {name}: {name}[-1] {w.pick('+=', '-=', '*=')} {integer_leaf(w)}",
            f"if len({name}) > 1: {name}[0], {name}[-1] = {name}[-1], {name}[0]",
            f"if 4 in {name}: {name}.remove(4)",
            f"{name} += [{integer_leaf(w)}] * {w.pick(1, 2)}",
        )
        w.line(w.pick(f"if {boolean(w)}:", f"for _ in range({w.pick('2', 'n % 3')}):", "if True:"))
        w.line(f"    {change}")
    text, kind = w.pick((f"{name}[::-1]", LIST_FLOAT), (f"len({name})", INT), (f"sum({name})", FLOAT), (f"{name}[1:] < {name}[:-1]", BOOL))
    w.line(f"{result} = {text}")
    w.define(result, kind)


def dict_surgery(w: Writer, depth: int) -> None:
    """A dict that loses, gets and changes entries, nested dicts, comprehensions with conditions."""
    name, result = w.fresh("d"), w.fresh("z")
    w.line(f"{name} = {{'a': {real(w, 1)}, 'b': {integer_leaf(w)}, {w.pick('n', '3', repr('c'))}: {integer_leaf(w)}}}")
    change = w.pick(
        f"if {boolean(w)}: del {name}['a']",
        f"if {boolean(w)}: {name}.update(b={real_leaf(w)}, z=1)",
        f"for i in range(3): {name}[i] = {name}.get(i - 1, {integer_leaf(w)}) + 1",
        f"{name}['in'] = {{k: v for k, v in {name}.items() if v {w.pick('>', '!=')} {integer_leaf(w)}}}",
        f"for k in list({name}): {name}[k] *= {w.pick('2', '-1', '0.5')}",
        f"if {boolean(w)}: {name}.pop('b')",
        f"{name} = {{**{name}, 'a': {integer_leaf(w)}}}",
        f"{name} = {{k: v + 1 if v > {integer_leaf(w)} else v for k, v in {name}.items()}}",
    )
    w.line(change)
    read = w.pick(f"dict({name})", f"list({name}.items())", f"'a' in {name}", f"{name}.get('b', {real_leaf(w)})", f"len({name})")
    w.line(f"{result} = {read}")
    w.define(result, Kind("value"))


def array_surgery(w: Writer, depth: int) -> None:
    """Single elements by position, rows that change places, lists of indices on the left, stores of what misfits."""
    matrix, vector = any_array(w, 2), any_array(w, 1) or "x"
    name = matrix if matrix and w.chance(0.5) else vector
    place = w.pick("0", "-1", integer_leaf(w), integer(w, 1))
    w.line(
        w.pick(
            f"{name}.flat[{place}] = {w.pick(integer_leaf, real_leaf)(w)}",
            f"{name}[[0, -1]] = {name}[[-1, 0]]",
            f"{name}[..., [0, 0]] += {integer_leaf(w)} % 3",
            f"{name}[{place}], {name}[0] = {name}[0], {name}[{place}]",
            f"{name}[{place}] {w.pick('+=', '-=', '*=')} {integer_leaf(w)} % 5",
            f"{name}[::-1][{w.pick(':1', '1:', '::2')}] {w.pick('+=', '-=', '=')} {integer_leaf(w)} % 7",
            f"{name}[{name} {w.pick('>', '<', '==')} {integer_leaf(w)}] = {name}.flat[0]",
            f"{name}[{place}] = {w.pick(real(w, 1), integer(w, 1))}",
            f"{name}.T[...] = {name}.T[..., ::-1]",
            f"{name}[np.argsort({name}.ravel())[:1] * 0] = 1",
        )
    )


def nested_text(w: Writer, depth: int) -> None:
    """Formats whose width or precision is computed, `=` in f-strings, text joined by comprehensions."""
    result, width = w.fresh("s"), f"{{{integer_leaf(w)} % 5 + 3}}"
    text = w.pick(
        f"f'{{{real(w, 1)}:{width}.{{n % 3}}f}}|'",
        f"f'{{{integer(w, 1)}:>{width}}}|{{{integer_leaf(w)}:<{width}d}}|'",
        f"'-'.join(f'{{i}}:{{v:.2f}}' for i, v in enumerate({numbers_of(w)}))",
        f"' '.join(map(str, {numbers_of(w)}))",
        f"'{{a}}/{{b:>4}}'.format(a={integer(w, 1)}, b={integer_leaf(w)})",
        f"''.join(['x', 'y'][int(v > {integer_leaf(w)})] for v in {numbers_of(w)})",
    )
    w.line(f"{result} = {text}")
    w.define(result, Kind("value"))


def assigning_comprehension(w: Writer, depth: int) -> None:
    """Comprehensions inside each other, with names that they assign for the function."""
    result, found = w.fresh("c"), w.fresh("h")
    items = numbers_of(w)
    w.line(f"{found} = {integer_leaf(w)}")
    text, kind = w.pick(
        (f"[{found} := {found} + v for v in {items}]", LIST_FLOAT),
        (f"[y for v in {items} if (y := v * 2) > {integer_leaf(w)}]", LIST_FLOAT),
        (f"[[i + j for j in range(i)] for i in range({w.pick('3', 'n % 4')})]", Kind("value")),
        (f"[v for row in [[{integer_leaf(w)}, 2], [{real_leaf(w)}]] for v in row if v != {found}]", LIST_INT),
        (f"{{i: [v, {found}] for i, v in enumerate({items})}}", Kind("value")),
        (f"[*{items}, {found}, *range(2)]", LIST_FLOAT),
        (f"(lambda *rest, k={found}: (len(rest), k))(*{items})", Kind("value")),
    )
    w.line(f"{result} = {text}")
    w.define(result, kind)
    w.define(found, Kind("scalar"))


HABITS: tuple[tuple[int, Callable[[Writer, int], Any]], ...] = (
    (3, search),
    (3, attributes),
    (1, named_tuples),
    (3, list_surgery),
    (2, dict_surgery),
    (3, array_surgery),
    (2, nested_text),
    (2, assigning_comprehension),
)


def habit(w: Writer, depth: int) -> None:
    """One of these."""
    w.weighted(HABITS)(w, depth)
