"""Updates of several arrays, each of all its elements and from the elements at the same index: they run as one nest.

Before: r = 1 / h; b += ct * q * r; c -= ct * q * q * r * r
After:  one nest, b[i] = b[i] + ct[i] * q[i] * r; c[i] = c[i] - ct[i] * q[i] * q[i] * r * r, in which r is a number

This is how a reverse sweep adds to the cotangents of several operands, and how fields are moved by one another. What the updates read in
common is read once, and what is computed for them alone takes no memory. Kept apart: updates that read nothing in common, or another one's
array elsewhere.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.rotations import dims_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.diamonds import Diamonds
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import array_dims, blocks_of, domain_of, is_pointwise_array, is_repeated, leaves_of, may_write, uses_of
from autograph_jit.kernels.slices import place_of
from autograph_jit.kernels.updates import MOST_PARTS, Update, disturbs, update_of

MOST_ARRAYS = 12  # that one nest reads and writes: each is a stream of its own
MOST_SOURCES = 24  # arrays among which one in common is looked for
Runs = list[list[Update]]


def join_companions(
    graph: Graph,
    facts: Facts,
    consumers: dict[Operation, Operation],
    positions: dict[str, int],
    updates: dict[Operation, list[Update]],
    taken: Container[Operation],
) -> None:
    """Put runs of updates that may run together in the place of the last one of them; assignments that are `taken` are none."""
    users = None
    for block in blocks_of(graph.block):
        for runs in groups_of(block, facts, consumers, updates, taken):
            last = runs[-1][-1].operation
            for run in runs:
                updates.pop(run[-1].operation, None)
                consumers.update((update.operation, last) for update in run if update.operation is not last)
            users = users or uses_of(graph)
            nests = Diamonds(block, facts, consumers, positions, users, elsewhere=False)
            updates[last] = with_temporaries(nests, [update for run in runs for update in run])


def groups_of(
    block: Block, facts: Facts, consumers: dict[Operation, Operation], updates: dict[Operation, list[Update]], taken: Container[Operation]
) -> list[Runs]:
    """The runs of a block that may run together, each before the next one."""
    groups: list[Runs] = [[]]
    for operation in block.operations:
        run = None if operation in consumers or operation in taken else run_of(operation, facts, consumers, updates)
        if run is not None and goes_with(run, groups[-1], facts):
            groups[-1].append(run)
        elif run is not None:
            groups.append([run])
        elif any(disturbs(operation, each, facts, consumers) for each in groups[-1]):
            groups.append([])
    return [group for group in groups if len(group) > 1]


def run_of(
    operation: Operation, facts: Facts, consumers: dict[Operation, Operation], updates: dict[Operation, list[Update]]
) -> list[Update] | None:
    """The updates that run at an operation, if each is of all elements of an array that is there."""
    if operation in updates:
        run = updates[operation]
    else:
        update = update_of(operation, facts, consumers)
        run = [] if update is None else [update]
    whole = all(not update.makes and update.target is update.base and not update.builder.reads_elsewhere for update in run)
    return run if run and whole else None


def goes_with(run: list[Update], group: Runs, facts: Facts) -> bool:
    """Whether a run has the sizes of others, reads something that they do, and neither they nor it read elements that the other changes,
    but those at their own index."""
    together = [update for each in group for update in each]
    if not together or dims_of(run[0].base) != dims_of(together[0].base) or len(together) + len(run) > MOST_PARTS:
        return False
    changed, read = changed_by(together), read_by(together)
    if changed_by(run) & changed or len(changed_by(run) | changed | read_by(run) | read) > MOST_ARRAYS:
        return False
    if not sources_of(read_by(run)) & (sources_of(read) | changed) and not changed_by(run) & read:
        return False
    return all(
        is_same_place(value, base) or not facts.may_meet(value, base)
        for value in {*changed, *read, *changed_by(run), *read_by(run)}
        for base in {*changed, *changed_by(run)}
    )


def changed_by(updates: Iterable[Update]) -> set[Value]:
    return {update.base for update in updates}


def read_by(updates: Iterable[Update]) -> set[Value]:
    return {value for update in updates for value in update.others}


def sources_of(arrays: Iterable[Value]) -> set[Value]:
    """The arrays, and those that they are computed of element by element."""
    found = set(arrays)
    pending = list(found)
    for value in pending:
        if len(found) < MOST_SOURCES and isinstance(value.owner, Operation) and is_pointwise_array(value.owner):
            new = [operand for operand in value.owner.operands if isinstance(operand.type, ArrayType) and operand not in found]
            pending += new
            found.update(new)
    return found


def is_same_place(value: Value, base: Value) -> bool:
    """Whether an array is all of another one."""
    array_, starts = place_of(value)
    return array_ is base and starts is not None and not any(starts) and array_dims(value) == array_dims(base)


def with_temporaries(nests: Diamonds, updates: list[Update]) -> list[Update]:
    """The updates, with all that only they read computed in their nest."""
    updates = sorted(updates, key=lambda update: nests.position[update.operation])
    last = updates[-1].operation
    for operation in reversed(nests.block.operations[: nests.position[last]]):
        if not is_pointwise_array(operation) or operation in nests.consumers or not is_temporary(nests, operation, updates):
            continue
        nests.consumers[operation] = last
        longer = [update_of(update.operation, nests.facts, nests.consumers) for update in updates]
        if None in longer:
            del nests.consumers[operation]
        else:
            updates = [update for update in longer if update is not None]
    return updates


def is_temporary(nests: Diamonds, operation: Operation, updates: list[Update]) -> bool:
    """Whether an array is read by updates only, and may be computed where they run."""
    last = updates[-1].operation
    readers = nests.readers_of(operation.result)
    if not readers or {nest for reader in readers for nest in nests.nests_of(reader)} != {last} or not nests.suits(operation, last):
        return False
    reads = leaves_of(operation, nests.consumers)
    if is_repeated(array_dims(operation.result), domain_of(last)) or any(
        nests.facts.may_meet(value, base) for value in reads for base in changed_by(updates)
    ):
        return False
    between = nests.block.operations[nests.position[operation] + 1 : nests.position[last]]
    return not any(may_write(other, reads, nests.facts) for other in between)
