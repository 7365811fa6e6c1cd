"""Hash tables: the rules of their operations call the functions of the module."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arrays.lists import (
    element_type,
    item_address,
    load_item,
    place_item,
    replace_item,
    reserve,
    set_length,
    slot,
    store_item,
)
from autograph_jit.backends.cpu.boundary import empty_python_list
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import ITEMS, LENGTH
from autograph_jit.backends.cpu.signatures import I32, I64, PTR
from autograph_jit.backends.cpu.tables import functions  # noqa: F401  (makes them known)
from autograph_jit.backends.cpu.tables.code import WORD, Keys
from autograph_jit.backends.cpu.values import Array, Emitted
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import I64 as I64_TYPE
from autograph_jit.ir.types import ListType
from autograph_jit.ops.set_slots import CHANGED
from autograph_jit.ops.tables import ENTRIES, INDEX, USED, count_of_numbers

NO_KEYS = Keys("", ())  # of functions that look at the index alone


def keys_of(operation: Operation) -> Keys:
    form = operation.attributes["form"]
    columns = [operand.type for operand in operation.operands[1 : 1 + count_of_numbers(form)]]
    return Keys(form, tuple(column.elem for column in columns if isinstance(column, ListType)))


def run(e: Emitter, operation: Operation, stem: str) -> ir.Value:
    """Call the function of that name with the operands."""
    function = keys_of(operation).get(e.module, stem)
    return e.b.call(function, [e.get(operand) for operand in operation.operands])


def expect_memory(e: Emitter, status: ir.Value) -> None:
    e.guard(e.b.icmp_signed("==", status, I32(0)), lambda: MemoryError("compiled code cannot grow a table"))


@rule("table_find")
def emit_find(e: Emitter, operation: Operation) -> list[Emitted]:
    return [run(e, operation, "find")]


@rule("table_insert")
def emit_insert(e: Emitter, operation: Operation) -> list[Emitted]:
    found = run(e, operation, "insert")
    e.guard(e.b.icmp_signed(">=", found, I64(0)), lambda: MemoryError("compiled code cannot grow a table"))
    return [e.b.lshr(found, I64(1)), e.b.trunc(found, ir.IntType(1))]


@rule("table_remove")
def emit_remove(e: Emitter, operation: Operation) -> list[Emitted]:
    return [run(e, operation, "remove")]


@rule("table_reserve")
def emit_reserve(e: Emitter, operation: Operation) -> list[Emitted]:
    expect_memory(e, run(e, operation, "reserve"))
    return []


@rule("table_index")
def emit_index(e: Emitter, operation: Operation) -> list[Emitted]:
    form, types = operation.attributes["form"], [operand.type for operand in operation.operands]
    keys = Keys(form, tuple(type_.elem for type_ in types if isinstance(type_, ListType)))
    columns = [e.get(operand) for operand in operation.operands]
    made, count = empty_python_list(e, INDEX.number), slot(e, columns[0], LENGTH)
    expect_memory(e, e.b.call(keys.get(e.module, "reserve"), [made, *columns, count]))

    def insert(position: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        numbers = [load_item(e, item_address(e, column, position, elem), elem) for column, elem in zip(columns, keys.elems)]
        found = e.b.call(keys.get(e.module, "insert"), [made, *columns, *numbers])
        e.guard(e.b.icmp_signed(">=", found, I64(0)), lambda: MemoryError("compiled code cannot grow a table"))
        return []

    emit_loop(e, count, [], insert, in_vectors=False)
    return [made]


def word(e: Emitter, items: ir.Value, place: int) -> ir.Value:
    return e.b.sext(e.b.load(e.offset(items, I64(place * WORD)), typ=I32), I64)


@rule("table_len")
def emit_count(e: Emitter, operation: Operation) -> list[Emitted]:
    index = e.get(operation.operands[0])
    before = e.b.block
    looked, done = e.block("counted"), e.block("count")
    e.b.cbranch(e.b.icmp_signed("==", slot(e, index, LENGTH), I64(0)), done, looked)
    e.b.position_at_end(looked)
    items = slot(e, index, ITEMS, PTR)
    used = word(e, items, USED)
    found = used if operation.attributes["of"] == "keys" else e.b.sub(word(e, items, ENTRIES), used)
    e.b.branch(done)
    e.b.position_at_end(done)
    count = e.b.phi(I64)
    count.add_incoming(I64(0), before)
    count.add_incoming(found, looked)
    return [count]


@rule("table_order")
def emit_order(e: Emitter, operation: Operation) -> list[Emitted]:
    index, made = e.get(operation.operands[0]), empty_python_list(e, I64_TYPE)
    reserve(e, made, e.b.shl(slot(e, index, LENGTH), I64(1)), I64_TYPE)  # there are not more keys than slots, and each has one
    stem = {"position": "ascending", "slot": "order", "place": "places"}[operation.attributes["by"]]
    expect_memory(e, e.b.call(NO_KEYS.get(e.module, stem), [index, e.b.ptrtoint(made, I64)]))
    return [made]


@rule("table_common")
def emit_common(e: Emitter, operation: Operation) -> list[Emitted]:
    keys, made = keys_of(operation), empty_python_list(e, I64_TYPE)
    operands = [e.get(operand) for operand in operation.operands]
    reserve(e, made, slot(e, operands[0], LENGTH), I64_TYPE)
    half = 1 + len(keys.elems)
    others = [e.b.ptrtoint(header, I64) for header in (*operands[half:], made)]
    e.b.call(keys.get(e.module, "common"), [*operands[:half], *others, I64(int(operation.attributes["there"]))])
    return [made]


@rule("table_of_set")
def emit_of_set(e: Emitter, operation: Operation) -> list[Emitted]:
    source, column = (e.get(operand) for operand in operation.operands)
    e.call("ag_take_gil", e.frame)
    held, made = e.call("ag_object", source), empty_python_list(e, INDEX.elem)
    status = e.b.call(NO_KEYS.get(e.module, "of_set"), [made, e.b.ptrtoint(held, I64), slot(e, column, LENGTH)])
    e.call("Py_DecRef", held)
    e.guard(e.b.icmp_signed("<=", status, I32(0)), lambda: RuntimeError(CHANGED))
    expect_memory(e, status)
    return [made]


@rule("table_adopt")
def emit_adopt(e: Emitter, operation: Operation) -> list[Emitted]:
    *given, other = (e.get(operand) for operand in operation.operands)
    found = e.b.call(keys_of(operation).get(e.module, "adopt"), [*given, e.b.ptrtoint(other, I64)])
    e.guard(e.b.icmp_signed(">=", found, I32(0)), lambda: MemoryError("compiled code cannot grow a table"))
    return [e.b.icmp_signed("==", found, I32(1))]


@rule("table_renumber")
def emit_renumber(e: Emitter, operation: Operation) -> list[Emitted]:
    index, order = (e.get(operand) for operand in operation.operands)
    expect_memory(e, e.b.call(NO_KEYS.get(e.module, "renumber"), [index, e.b.ptrtoint(order, I64)]))
    return []


@rule("table_pop")
def emit_pop(e: Emitter, operation: Operation) -> list[Emitted]:
    columns = operation.operands[1:]
    keys = keys_of(operation) if columns else NO_KEYS
    return [e.b.call(keys.get(e.module, "pop_last" if columns else "pop"), [e.get(operand) for operand in operation.operands])]


@rule("table_first")
def emit_first(e: Emitter, operation: Operation) -> list[Emitted]:
    return [run(e, operation, "first")]


@rule("list_put")
def emit_put(e: Emitter, operation: Operation) -> list[Emitted]:
    items, position, is_new, item = (e.get(operand) for operand in operation.operands)
    elem = element_type(operation)
    with e.b.if_else(is_new) as (appends, stays):
        with appends:
            length = slot(e, items, LENGTH)
            reserve(e, items, e.add(length, I64(1)), elem)
            store_item(e, item, item_address(e, items, length, elem), elem)
            set_length(e, items, e.add(length, I64(1)))
        with stays:
            if not operation.attributes.get("keeps"):
                replace_item(e, item, item_address(e, items, position, elem), elem)
    return []


@rule("list_keep")
def emit_keep(e: Emitter, operation: Operation) -> list[Emitted]:
    items, order = (e.get(operand) for operand in operation.operands[:2])
    elem = element_type(operation)
    assert isinstance(order, Array)
    count = order.shape[0]
    position_at = lambda index: e.b.load(e.offset(order.pointer, e.b.mul(index, order.strides[0])), typ=I64)  # noqa: E731

    def exchange(index: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        """What stays changes its place with what goes, whose reference is given up at the end."""
        here, there = (item_address(e, items, place, elem) for place in (index, position_at(index)))
        kept, left = load_item(e, there, elem), load_item(e, here, elem)
        place_item(e, left, there, elem)
        place_item(e, kept, here, elem)
        return []

    emit_loop(e, count, [], exchange, in_vectors=False)
    length = slot(e, items, LENGTH)
    set_length(e, items, count)
    if isinstance(elem, ListType):
        behind = item_address(e, items, count, elem)
        emit_loop(e, e.sub(length, count), [], lambda index, carried: released(e, behind, index), in_vectors=False)
    return []


def released(e: Emitter, items: ir.Value, index: ir.Value) -> list[ir.Value]:
    """A reference to a list is given up."""
    e.call("ag_release", e.frame, e.b.load(e.b.gep(items, [index], source_etype=PTR), typ=PTR))
    return []
