"""Handlers as branches: before it is differentiated, every `try_` is rewritten so that no exception leaves more than a few operations.

The reverse sweep must know how far a body came. So the operations that can fail stand in *atomic* handlers, which write nothing and
say whether they succeeded, and the rest of the body is a branch on that; loops end when their body fails.

Before: `try_()[a; b!; c; yield y][handler(exception, *state)]`, `b!` an operation that can fail
After:  `a; ok, b = try_()[b!; yield True, b][yield False, -]; cond(ok)[c; yield y][handler(exception, *state)]`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_jit.autodiff.rewrites.rotation import is_rotated, needs_rotation, rotate
from autograph_jit.autodiff.sweeps.stand_ins import Scope, stand_in
from autograph_jit.ir.graph import Block, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import BOOL, OBJECT, Type
from autograph_jit.tracing.values.trace import active, block_of, constant, detached, emit

MOVABLE = (Effect.PURE, Effect.VIEW)


def handlers_as_branches(block: Block) -> dict[Value, Value]:
    """Rewrite the handlers of a block and of its regions, the inner ones first, and rotate loops (`rotation`); what the results of
    removed operations are now."""
    if any(needs_rotation(inner) or (inner.name == "try_" and not is_atomic(inner)) for inner in walk_block(block)):
        operations, block.operations = block.operations, []
        with detached(active(), block):
            rewriting = Rewriting()
            for operation in operations:
                rewriting.place(operation)
        block.yields = [rewriting.name(value) for value in block.yields]
        return rewriting.renamed
    return {}


def is_atomic(operation: Operation) -> bool:
    """Whether a `try_` tells if it succeeded, writes nothing before its last operation that can fail, and has a handler that takes no
    state and cannot fail; or does nothing but catch."""
    body, handler = operation.regions
    if body.terminated:
        return handler.yields == handler.args
    if not (is_flag(body.yields[:1], True) and is_flag(handler.yields[:1], False)):
        return False
    if len(handler.args) != 1 or any(can_leave(inner) for inner in handler.operations):
        return False
    last = max((position for position, inner in enumerate(body.operations) if can_leave(inner)), default=-1)
    return all(
        not inner.regions and (inner.opdef.effect in MOVABLE or position == last or inner.name == "check")
        for position, inner in enumerate(body.operations[: last + 1])
    )


def is_flag(values: list[Value], expected: bool) -> bool:
    """Whether these are one bool constant."""
    return bool(values) and values[0].type == BOOL and constant_of(values[0]) == expected


def can_leave(operation: Operation) -> bool:
    """Whether an exception can leave an operation."""
    if operation.name == "try_":
        return any(can_leave(inner) for inner in operation.regions[1].operations)
    return operation.can_fail or any(can_leave(inner) for region in operation.regions for inner in region.operations)


@dataclass
class Outcome:
    """What a rewritten block leaves. None stands for a value that nothing reads: of `unwind` where the block always succeeds, of
    `yields` where it always fails."""

    ok: Value
    exception: Value | None
    unwind: list[Value | None]
    yields: list[Value | None]

    def values(self) -> list[Value | None]:
        """All of them in one list."""
        return [self.ok, self.exception, *self.unwind, *self.yields]

    def split(self, values: list[Value | None]) -> Outcome:
        """The same shape around other values."""
        count = 2 + len(self.unwind)
        assert values[0] is not None
        return Outcome(values[0], values[1], values[2:count], values[count:])


class Rewriting:
    """The rewriting of one block; `renamed` maps results of operations that were replaced."""

    def __init__(self) -> None:
        self.scope = Scope()
        self.renamed: dict[Value, Value] = {}

    def rewrite(self, block: Block) -> None:
        """Rewrite the handlers of a block in place; none is around it."""
        operations, block.operations = block.operations, []
        with self.inside(block):
            for operation in operations:
                self.place(operation)
        block.yields = [self.name(value) for value in block.yields]

    def inside(self, block: Block) -> Any:
        return block_of(active(), block)

    def name(self, value: Value) -> Value:
        while value in self.renamed:
            value = self.renamed[value]
        return value

    def place(self, operation: Operation) -> None:
        """Append an operation that no handler watches; its own handlers are rewritten."""
        if operation.name == "try_" and not is_atomic(operation):
            self.branch(operation)
            return
        if needs_rotation(operation):
            for part in rotate(operation, self.renamed):
                self.place(part)
            return
        self.adopt(operation)
        for region in operation.regions:
            self.rewrite(region)

    def adopt(self, operation: Operation) -> None:
        """Append an operation as it stands."""
        block = active().block
        operation.operands = [self.name(operand) for operand in operation.operands]
        operation.unwind = [self.name(value) for value in operation.unwind]
        operation.block = block
        for region in operation.regions:
            region.parent = block
        block.operations.append(operation)

    def branch(self, operation: Operation) -> None:
        """Replace a `try_`: its body's outcome, then a branch to what follows or to the handler."""
        body, handler = operation.regions
        outcome = self.run(body.operations, body, [value.type for value in handler.args[1:]])
        fine, failed = Block(), Block()
        with self.inside(fine):
            left = outcome.yields or [None] * len(operation.results)  # a body that always fails yields nothing
            fine.yields = [self.present(value, result.type) for value, result in zip(left, operation.results)]
        with self.inside(failed):
            given = [self.scope.nothing if outcome.exception is None else outcome.exception]
            given += [self.present(value, arg.type) for value, arg in zip(outcome.unwind, handler.args[1:])]
            self.renamed.update(zip(handler.args, given))
            for inner in handler.operations:
                self.place(inner)
            failed.terminated = handler.terminated
            failed.yields = [self.name(value) for value in handler.yields]
        made = emit("cond", outcome.ok, regions=[fine, failed], results=tuple(result.type for result in operation.results))
        self.renamed.update(zip(operation.results, made.results))

    def present(self, value: Value | None, type_: Type) -> Value:
        return stand_in(type_, self.scope) if value is None else self.name(value)

    def run(self, operations: list[Operation], block: Block, unwind: list[Type], kept: Sequence[Value | None] = ()) -> Outcome:
        """Append operations that a handler watches, up to the end of `block`; what they leave, `kept` where they fail."""
        for position, operation in enumerate(operations):
            if operation.name == "raise_":
                return self.raised(operation, block)
            if operation.name == "try_" and not is_atomic(operation):
                inner = Block()
                with self.inside(inner):
                    self.branch(operation)
                return self.run([*inner.operations, *operations[position + 1 :]], block, unwind, kept)
            if not can_leave(operation):
                self.place(operation)
                continue
            if operation.name == "while_loop" and not is_rotated(operation):
                return self.run([*rotate(operation, self.renamed), *operations[position + 1 :]], block, unwind, kept)
            if operation.regions:
                outcome, rest = REGIONS[operation.name](self, operation, unwind), operations[position + 1 :]
            else:
                outcome, rest = self.attempt(operations[position:], block)
            return self.go_on(outcome, rest, block, unwind, kept)
        return Outcome(constant(np.bool_(True)), None, [None] * len(unwind), [self.name(value) for value in block.yields])

    def raised(self, operation: Operation, block: Block) -> Outcome:
        """The outcome of raising: an exception object, or one that an atomic handler catches."""
        unwind: list[Value | None] = [self.name(value) for value in operation.unwind]
        operation.unwind = []
        if operation.attributes.get("error") is None:
            exception = self.name(operation.operands[0])
        else:
            body, handler = Block(), Block()
            with self.inside(body):
                self.adopt(operation)
            body.terminated = True
            handler.yields = [handler.add_argument(OBJECT)]
            exception = emit("try_", regions=[body, handler], results=(OBJECT,)).result
        return Outcome(constant(np.bool_(False)), exception, unwind, [None] * len(block.yields))

    def attempt(self, operations: list[Operation], block: Block) -> tuple[Outcome, list[Operation]]:
        """Put the first operation, and those after it that fail alike and write nothing, into an atomic handler."""
        count = attempt_length(operations)
        tried, rest = operations[:count], operations[count:]
        unwind: list[Value | None] = [self.name(value) for value in tried[0].unwind]
        wanted = {self.name(value) for value in values_read(rest) | set(block.yields)}
        leaving = [result for operation in tried for result in operation.results if result in wanted]
        body, handler = Block(), Block()
        with self.inside(body):
            for operation in tried:
                operation.unwind = []
                self.adopt(operation)
                inner = [Value(result.type, operation, result.index, result.hint) for result in operation.results]
                self.renamed.update(zip(operation.results, inner))
                operation.results = inner
            body.yields = [constant(np.bool_(True)), self.scope.nothing, *map(self.name, leaving)]
        exception = handler.add_argument(OBJECT)
        with self.inside(handler):
            handler.yields = [constant(np.bool_(False)), exception, *(stand_in(value.type, self.scope) for value in leaving)]
        made = emit("try_", regions=[body, handler], results=tuple(value.type for value in handler.yields))
        self.renamed.update(zip(leaving, made.results[2:]))
        return Outcome(made.results[0], made.results[1], unwind, []), rest

    def go_on(self, outcome: Outcome, rest: list[Operation], block: Block, unwind: list[Type], kept: Sequence[Value | None]) -> Outcome:
        """What follows takes place if all went well so far."""
        fine = Block()
        with self.inside(fine):
            after = self.run(rest, block, unwind, kept)
        first = after.values()
        if constant_of(after.ok):
            first[0] = None
        failed = Outcome(outcome.ok, outcome.exception, outcome.unwind, list(kept) or [None] * len(after.yields))
        return after.split(self.merge(outcome.ok, fine, first, failed.values()))

    def merge(self, ok: Value, fine: Block, first: list[Value | None], second: list[Value | None]) -> list[Value | None]:
        """A branch between the end of `fine` and nothing, the values being either; one that only one side has needs no branch where it
        is visible here."""
        found: list[Value | None] = []
        joined: list[tuple[int, Type]] = []
        for index, (x, y) in enumerate(zip(first, second)):
            only = x if y is None or x is y else y if x is None else None
            if x is None and y is None:
                found.append(None)
            elif only is not None and not is_within(only, fine):
                found.append(only)
            else:
                joined.append((index, (x or y).type))  # type: ignore[union-attr]
                found.append(None)
        other = Block()
        with self.inside(fine):
            fine.yields = [self.present(first[index], type_) for index, type_ in joined]
        with self.inside(other):
            other.yields = [self.present(second[index], type_) for index, type_ in joined]
        made = emit("cond", ok, regions=[fine, other], results=tuple(type_ for _, type_ in joined))
        for (index, _), result in zip(joined, made.results):
            found[index] = result
        return found

    def region_outcome(self, region: Block, unwind: list[Type]) -> tuple[Block, Outcome]:
        """A region run in a block of its own."""
        block = Block()
        with self.inside(block):
            return block, self.run(region.operations, region, unwind)

    def cond(self, operation: Operation, unwind: list[Type]) -> Outcome:
        """A branch one side of which may fail."""
        (then, first), (other, second) = (self.region_outcome(region, unwind) for region in operation.regions)
        count = len(operation.results)
        first.yields, second.yields = first.yields or [None] * count, second.yields or [None] * count
        pairs = list(zip(first.values(), second.values()))
        types = [next((value.type for value in pair if value is not None), None) for pair in pairs]
        for block, outcome in ((then, first), (other, second)):
            with self.inside(block):
                block.yields = [self.present(value, type_) for value, type_ in zip(outcome.values(), types) if type_ is not None]
        made = iter(
            emit("cond", self.name(operation.operands[0]), regions=[then, other], results=tuple(t for t in types if t is not None)).results
        )
        values = [None if type_ is None else next(made) for type_ in types]
        joined = first.split(values)
        for result, value in zip(operation.results, joined.yields):
            if value is not None:
                self.renamed[result] = value
        return joined

    def for_loop(self, operation: Operation, unwind: list[Type]) -> Outcome:
        """A counted loop that ends when its body fails."""
        (body,) = operation.regions
        block = Block()
        self.renamed.update(zip(body.args, [block.add_argument(arg.type, arg.hint) for arg in body.args]))
        state = block.args[1:]
        breaks = bool(operation.attributes.get("has_break"))
        with self.inside(block):
            outcome = self.run(body.operations, body, unwind, [*[None] * breaks, *state])
            yields = outcome.yields or [None] * (len(state) + breaks)
            go_on = self.both(outcome.ok, yields[0]) if breaks else outcome.ok
            left = [value if value is not None else arg for value, arg in zip(yields[breaks:], state)]
        ends = Ends(self, outcome, block, unwind)
        block.yields = [go_on, *left, *ends.yields]
        made = self.loop(operation, [block], [*operation.operands, *ends.starts], ends, has_break=True)
        return ends.outcome(made, state)

    def while_loop(self, operation: Operation, unwind: list[Type]) -> Outcome:
        """A rotated loop, whose test becomes false after a failure."""
        test, body = operation.regions
        tested, block = Block(), Block()
        for region, copy in ((test, tested), (body, block)):
            self.renamed.update(zip(region.args, [copy.add_argument(arg.type, arg.hint) for arg in region.args]))
        state = list(block.args)
        with self.inside(block):
            outcome = self.run(body.operations, body, unwind, state)
        yields = outcome.yields or [None] * len(state)
        ends = Ends(self, outcome, block, unwind)
        block.yields = [*(value or arg for value, arg in zip(yields, state)), *ends.yields]
        kept = list(tested.args)
        passed = ends.add_arguments(tested)
        with self.inside(tested):
            tested.yields = [self.both(passed[0], kept[0]), *kept, *passed]
        made = self.loop(operation, [tested, block], [*operation.operands, *ends.starts], ends)
        return ends.outcome(made, state)

    def both(self, x: Value, y: Value | None) -> Value:
        """Whether two bools are true; a missing one is false."""
        return constant(np.bool_(False)) if y is None else emit("logical_and", x, y).result

    def loop(self, operation: Operation, regions: list[Block], operands: list[Value], ends: Ends, **attributes: Any) -> list[Value]:
        """The new loop; its first results are the old one's."""
        attributes = {**operation.attributes, **attributes}
        if "results" in attributes:
            attributes["results"] = (*attributes["results"], *(value.type for value in ends.starts))
        made = emit(operation.name, *(self.name(operand) for operand in operands), regions=regions, **attributes)
        self.renamed.update(zip(operation.results, made.results))
        return made.results


class Ends:
    """What a loop carries about the failure of its body, besides its state: whether it succeeded, the exception, and the unwind values
    that are neither visible outside nor the state itself."""

    def __init__(self, rewriting: Rewriting, outcome: Outcome, body: Block, unwind: list[Type]) -> None:
        self.outcome_, self.body = outcome, body
        scope = rewriting.scope
        self.carried = [
            index for index, value in enumerate(outcome.unwind) if value is not None and is_within(value, body) and value not in body.args
        ]
        types = [unwind[index] for index in self.carried]
        self.starts = [constant(np.bool_(True)), scope.nothing, *(stand_in(type_, scope) for type_ in types)]
        exception = scope.nothing if outcome.exception is None else outcome.exception
        self.yields = [outcome.ok, exception, *(value for index in self.carried if (value := outcome.unwind[index]) is not None)]
        self.add_arguments(body)

    def add_arguments(self, block: Block) -> list[Value]:
        return [block.add_argument(value.type) for value in self.starts]

    def outcome(self, results: list[Value], state: list[Value]) -> Outcome:
        """The outcome of the loop, given its results and the arguments that its state has in the body."""
        ok, exception, *kept = results[len(results) - len(self.starts) :]
        unwind = [
            kept[self.carried.index(index)] if index in self.carried else results[state.index(value)] if value in state else value
            for index, value in enumerate(self.outcome_.unwind)
        ]
        return Outcome(ok, exception, unwind, [])


REGIONS = {"cond": Rewriting.cond, "for_loop": Rewriting.for_loop, "while_loop": Rewriting.while_loop}


def attempt_length(operations: list[Operation]) -> int:
    """How many operations fit into one atomic handler: up to the last that fails as the first does."""
    first = operations[0]
    count = 1
    if first.opdef.effect not in MOVABLE and first.name != "check":
        return count
    for position, operation in enumerate(operations[1:], 2):
        if operation.regions or operation.name == "raise_" or (operation.opdef.effect not in MOVABLE and operation.name != "check"):
            break
        if operation.can_fail:
            if operation.unwind != first.unwind:
                break
            count = position
    return count


def values_read(operations: list[Operation]) -> set[Value]:
    """The values that operations and their regions read."""
    found: set[Value] = set()
    for operation in walk_all(operations):
        found.update(operation.operands, operation.unwind, *(region.yields for region in operation.regions))
    return found


def walk_all(operations: list[Operation]) -> Iterator[Operation]:
    """Operations and those of their regions."""
    for operation in operations:
        yield operation
        for region in operation.regions:
            yield from walk_block(region)


def is_within(value: Value, block: Block) -> bool:
    """Whether a value is made in a block or in one of its regions."""
    home = value.owner if isinstance(value.owner, Block) else value.owner.block
    while home is not None:
        if home is block:
            return True
        home = home.parent
    return False
