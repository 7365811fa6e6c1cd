"""Sums of a loop that may be made in any order: those of the reverse sweep into elements that nothing else in the loop reads or writes."""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value, walk_block
from autograph_jit.kernels.trips import Trips, indices_of
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class ElementSum:
    """`array[indices] += contribution`, in three operations of one block."""

    load: Operation
    add: Operation
    store: Operation
    contribution: Value


def find_commuting(trips: Trips) -> dict[Value, list[ElementSum]]:
    """The arrays that a loop only adds to, and the sums."""
    stores = [operation for operation in trips.operations if operation.name == "store"]
    users = users_in(trips)
    found: dict[Value, list[ElementSum]] = {}
    for array in dict.fromkeys(store.operands[0] for store in stores):
        sums = [sum_of(store, users) for store in stores if store.operands[0] is array]
        whole = [each for each in sums if each is not None]
        if len(whole) == len(sums) and set(users[array]) == {part for each in whole for part in (each.load, each.store)}:
            found[array] = whole
    return found


def users_in(trips: Trips) -> dict[Value, list[Operation]]:
    """Which operations of a loop read a value; the loop around stands for what its blocks yield."""
    users: dict[Value, list[Operation]] = {}
    for operation in trips.operations:
        for value in operation.operands:
            if operation.name != "dim":
                users.setdefault(value, []).append(operation)
    for block in trips.blocks:
        for value in block.yields:
            users.setdefault(value, []).append(trips.loop)
    return users


def sum_of(store: Operation, users: dict[Value, list[Operation]]) -> ElementSum | None:
    """The sum that a store ends, if it is one of the reverse sweep's (`contract`)."""
    array, total, *indices = store.operands
    add = total.owner
    if not isinstance(add, Operation) or add.name != "add" or not add.contract or add.block is not store.block or users[total] != [store]:
        return None
    for mine, other in (add.operands, add.operands[::-1]):
        load = mine.owner
        is_element = isinstance(load, Operation) and load.name == "load" and load.operands[0] is array and load.block is store.block
        if isinstance(load, Operation) and is_element and indices_of(load) == indices and users[mine] == [add]:
            return ElementSum(load, add, store, other) if is_at_once(load, store) else None
    return None


def is_at_once(load: Operation, store: Operation) -> bool:
    """Whether nothing adds to the array between the load and the store of a sum: for another trip that might be the same element."""
    assert store.block is not None
    operations, array = store.block.operations, store.operands[0]
    between = operations[operations.index(load) + 1 : operations.index(store)]
    inside = [inner for operation in between for region in operation.regions for inner in walk_block(region)]
    return not any(operation.name == "store" and operation.operands[0] is array for operation in (*between, *inside))
