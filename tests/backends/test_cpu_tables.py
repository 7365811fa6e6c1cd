"""Tables of compiled graphs agree with the eager rules, and these with CPython's sets and dicts, in the order of both."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from autograph_jit.ir.dims import atom
from autograph_jit.ir.types import ScalarType
from autograph_jit.ops.tables import (
    INDEX,
    adopt_slots,
    find_position,
    insert_key,
    keep_items,
    pop_slot,
    positions_of,
    put_item,
    remove_key,
    renumber,
)
from tests.backends.building import B1, F8, I8, Maker, N, array, check, compare

SPECIAL = (0.5, 1e300, 5e-324, -0.0, 0.0, 1.0, 2.0**61 - 1, -(2.0**62), float("inf"), -float("inf"), 1e-310, 123456.75)


def numbers_of(kind: str, rng: random.Random) -> tuple[Any, ...]:
    reach = rng.choice([10, 1000, 2**62])
    whole = rng.choice([rng.randint(-reach, reach), 2**61 - 1, -(2**61 - 1), -(2**63), 2**63 - 1, -1, -2, 0])
    if kind == "x":
        return (whole,)
    if kind == "f":
        return (rng.choice([rng.choice(SPECIAL), float(whole), rng.gauss(0, 1) * reach]),)
    return whole % 50, rng.choice([-1, 0, 1, 2.5])


def test_eager_rules_keep_the_order_of_cpython():
    for kind, form, seed in itertools.product("xf2", ("x",), range(12)):
        rng = random.Random(f"{kind}{seed}")
        form = "(xx)" if kind == "2" else "x"
        columns: tuple[list[Any], ...] = ([], []) if kind == "2" else ([],)
        index: list[Any] = []
        plain: set[Any] = set()
        for _ in range(rng.choice([6, 60, 300])):
            numbers = numbers_of(kind, rng)
            key = numbers if kind == "2" else numbers[0]
            given = [np.asarray(number)[()] for number in numbers]
            choice = rng.random()
            if choice < 0.7:
                position, is_new = insert_key(index, *columns, *given, form=form)
                assert is_new == (key not in plain)
                for column, number in zip(columns, given):
                    put_item(column, position, is_new, number, True)
                plain.add(key)
            elif choice < 0.85:
                assert (remove_key(index, *columns, *given, form=form) >= 0) == (key in plain)
                plain.discard(key)
            elif choice < 0.9 and plain:
                position = pop_slot(index)
                found = tuple(column[position] for column in columns)
                assert (found if kind == "2" else found[0]) == plain.pop()
            elif choice < 0.95:
                order = positions_of(index, "position")
                renumber(index, order)
                for column in columns:
                    keep_items(column, order)
            assert (find_position(index, *columns, *given, form=form) >= 0) == (key in plain)
        found = [tuple(column[position] for column in columns) for position in positions_of(index, "slot")]
        assert (found if kind == "2" else [key for (key,) in found]) == list(plain)
        copied: list[Any] = []
        assert adopt_slots(copied, *columns, index, form=form) == bool(plain)
        found = [tuple(column[position] for column in columns) for position in positions_of(copied, "slot")]
        assert (found if kind == "2" else [key for (key,) in found]) == list(plain.copy())


def program_of(form: str, elems: list[Any]):
    """A graph that inserts, removes, pops and counts as an array of orders says."""
    m = Maker()
    orders = m.param(array(N, dtype="i8"))
    arrays = [m.param(array(N, dtype=elem.dtype.str)) for elem in elems]
    index, log = m.op("list_new", elem=INDEX.elem), m.op("list_new", elem=I8)
    columns = [m.op("list_new", elem=elem) for elem in elems]

    def body(i: Any) -> list[Any]:
        order = m.op("load", orders, i)
        key = [m.op("load", each, i) for each in arrays]

        def insert() -> list[Any]:
            position, is_new = m.raw("table_insert", index, *columns, *key, form=form).results
            for column, number in zip(columns, key):
                m.do("list_put", column, position, is_new, number, keeps=True)
            m.do("list_push", log, position)
            return []

        def others() -> list[Any]:
            m.cond(m.op("equal", order, m.integer(1)), remove, last)
            return []

        def remove() -> list[Any]:
            m.do("list_push", log, m.op("table_remove", index, *columns, *key, form=form))
            return []

        def last() -> list[Any]:
            m.cond(m.op("equal", order, m.integer(2)), pop, tidy)
            return []

        def pop() -> list[Any]:
            m.do("list_push", log, m.op("table_pop", index))
            return []

        def tidy() -> list[Any]:
            m.do("list_push", log, m.op("table_first", index, *columns, form=form))
            m.do("list_push", log, m.op("table_pop", index, *columns, form=form))
            m.do("list_push", log, m.op("table_len", index, of="removed"))
            kept = m.op("table_order", index, by="position")
            m.do("table_renumber", index, kept)
            places = m.op("list_to_array", kept, dims=(atom("d0"),))
            for column in columns:
                m.do("list_keep", column, places, m.op("list_len", column))
            m.do("table_reserve", index, *columns, m.integer(3), form=form)
            return []

        m.cond(m.op("equal", order, m.integer(0)), insert, others)
        m.do("list_push", log, m.op("table_find", index, *columns, *key, form=form))
        return []

    m.count(m.integer(0), m.op("dim", orders, axis=0), m.integer(1), [], body)
    copied, length = m.op("list_new", elem=INDEX.elem), m.op("table_len", index, of="keys")
    m.do("list_push", log, m.op("cast", m.op("table_adopt", copied, *columns, index, form=form), dtype=I8.dtype))
    return m.done(index, log, m.op("table_order", copied, by="slot"), m.op("table_order", index, by="slot"), length, *columns)


def test_compiled_tables_do_what_the_eager_rules_do():
    for form, elems in (("x", [I8]), ("x", [F8]), ("(xx)", [I8, F8]), ("(x(xx))", [B1, ScalarType(np.dtype("i4")), F8]), ("(x)", [I8])):
        graph = program_of(form, elems)
        executable = None
        for seed, size in enumerate((0, 7, 200)):
            rng = random.Random(seed)
            orders = np.array([rng.choice([0, 0, 0, 0, 1, 1, 2, 3]) for _ in range(size)], np.int64)
            kinds = ["f" if elem == F8 else "x" for elem in elems]
            drawn = [[numbers_of(kind, rng)[0] for _ in range(size)] for kind in kinds]
            if len(elems) > 1:
                drawn = [[number % 7 if number == number and abs(number) < 1e18 else 1 for number in each] for each in drawn]
            arguments = [orders, *(np.array(each).astype(elem.dtype) for each, elem in zip(drawn, elems))]
            if executable is None:
                executable = compare(graph, *arguments)
            else:
                check(executable, graph, *arguments)
