"""The pullback of a traced function: its forward sweep with saved values, then the reverse sweep, in the current block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.autodiff.checkpointing.checkpoints import ask_for_segments, segment_loops
from autograph_jit.autodiff.containers import set_up_tape
from autograph_jit.autodiff.draws import refuse_jumps
from autograph_jit.autodiff.rewrites.elements import accumulate_by_elements
from autograph_jit.autodiff.rewrites.handlers import handlers_as_branches
from autograph_jit.autodiff.rewrites.merging import merge_branches, rename_block
from autograph_jit.autodiff.rewrites.pairing import pair_trips
from autograph_jit.autodiff.rewrites.searches import differentiate_what_is_found
from autograph_jit.autodiff.sweeps import lists, regions, repeating, structural, tables
from autograph_jit.autodiff.sweeps.accumulate import or_zero
from autograph_jit.autodiff.sweeps.classes import Classes, is_reference
from autograph_jit.autodiff.sweeps.counters import add_counters
from autograph_jit.autodiff.sweeps.disjoint import check_disjoint
from autograph_jit.autodiff.sweeps.first_use import start_with_first_sum
from autograph_jit.autodiff.sweeps.forward import at_hand, copy_forward, prune, replace
from autograph_jit.autodiff.sweeps.invariants import Invariants
from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request, find_homes
from autograph_jit.autodiff.sweeps.residuals import Residuals
from autograph_jit.autodiff.sweeps.reverse import SPLITTING, Sweep
from autograph_jit.autodiff.text_paths import refuse_texts
from autograph_jit.autodiff.trees import map_tree
from autograph_jit.errors import AutographJitError, NotDifferentiable
from autograph_jit.ir.graph import Block, Value, resolve, walk_block
from autograph_jit.ir.inlining import inline_all, inline_for_reverse
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, TaggedScalar
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import Restart, active, detached, differentiated, user_span

INSTALLED = (lists, regions, repeating, structural, tables)
Staged = StagedArray | StagedScalar


class Primal:
    """A function traced into a block of its own, as a function of `inputs`."""

    def __init__(self, inputs: list[Staged], run: Callable[[list[Any]], Any], backwards: bool = True) -> None:
        self.block = Block()
        self.given = [item.value for item in inputs]
        self.arguments: list[Any] = []
        for item in inputs:
            value = self.block.add_argument(item.value.type, item.value.hint)
            self.arguments.append(StagedArray(value, item.writeable) if isinstance(item, StagedArray) else StagedScalar(value, item.weak))
        try:
            with differentiated("backwards" if backwards else "forwards"), detached(active(), self.block):
                self.result = run(self.arguments)
        except AutographJitError:
            raise
        except (Unreachable, Exception):  # every path ends in an exception: nothing is differentiated, and it is raised where the call is
            run(list(inputs))
            raise
        expect_no_exchange(self.block)
        renamed = prepare(self.block) if backwards else {**inline_all(self.block), **written_out(self.block)}
        self.result = map_tree(self.result, lambda leaf: under_new_name(leaf, renamed)) if renamed else self.result
        active().differentiation.clones.update(renamed)
        if backwards:
            add_counters(self.block)
            check_disjoint(self.block)
            lists.keep_lengths(self.block)

    def refuse_written_twins(self, classes: Classes) -> None:
        """An array that stands for two inputs may not be written: each input has a cotangent of its own."""
        for value, given in zip(self.block.args, self.given):
            if isinstance(value.type, ArrayType) and self.given.count(given) > 1 and classes.is_written(value):
                raise NotDifferentiable(
                    "the gradient with respect to an array that is passed twice and written is not supported",
                    user_span(),
                    "its inputs would share memory",
                    "pass a copy as one of them",
                )


def expect_no_exchange(block: Block) -> None:
    """No branch or loop may exchange a list for another one, since neither mode knows which shadow it has then, nor has a list of lists
    one: trace again with Python's lists where there is any."""
    results = ((operation, result) for operation in walk_block(block) for result in operation.results)
    lists = [(operation, result.type) for operation, result in results if isinstance(result.type, ListType)]
    if any(operation.regions or isinstance(type_.elem, ListType) for operation, type_ in lists):
        raise Restart(PYTHON_LISTS)


def prepare(block: Block) -> dict[Value, Value]:
    """Rewrite what the reverse sweep takes in another form; what the results of removed operations are now."""
    ask_for_segments(block)
    renamed, cut = {**written_out(block), **merge_branches(block)}, differentiate_what_is_found(block)
    segment_loops(block, cut)
    pair_trips(block)
    rename_block(block, cut)  # the others were renamed where they are visible: inside handlers they keep their names
    return {**renamed, **cut}


def written_out(block: Block) -> dict[Value, Value]:
    """Rewrite what neither mode has rules for: accumulations in place, handlers."""
    accumulate_by_elements(block)
    return {**inline_for_reverse(block), **handlers_as_branches(block)}


def under_new_name(leaf: Any, renamed: dict[Value, Value]) -> Any:
    """A result whose operation was replaced, as what replaces it."""
    if isinstance(leaf, StagedArray):
        return StagedArray(resolve(leaf.value, renamed), leaf.writeable, leaf.identity)
    if isinstance(leaf, TaggedScalar):
        whole = None if leaf.whole is None else resolve(leaf.whole, renamed)
        return TaggedScalar(resolve(leaf.value, renamed), resolve(leaf.tag, renamed), leaf.kinds, whole)
    return StagedScalar(resolve(leaf.value, renamed), leaf.weak) if isinstance(leaf, StagedScalar) else leaf


@dataclass(frozen=True, slots=True)
class Swept:
    """A primal and its reverse sweep: the lists that keep what is saved, the forward sweep, the reverse sweep; where each primal value is
    found in the forward sweep, and the cotangents of the inputs."""

    header: Block
    forward: Block
    backward: Block
    values: dict[Value, Value]
    cotangents: list[Value]


def sweep_through(primal: Primal, outputs: list[Value], cotangents: Callable[[list[Any]], list[Any]]) -> Swept:
    """The primal and its reverse sweep, in blocks of their own.

    outputs are values of the primal block; `cotangents(forward values)` gives theirs.
    """
    trace = active()
    block = primal.block
    block.yields = list(outputs)
    classes = Classes(block, block.args, outputs)
    for split_calls in SPLITTING:
        if splits := split_calls(block, classes):
            classes = Classes(block, block.args, outputs)
            classes.splits = splits
    refuse_jumps(classes, block)
    refuse_texts(classes, block)
    primal.refuse_written_twins(classes)
    header, forward, backward = Block(), Block(), Block()
    phantoms = phantoms_of(block, classes, header)
    with detached(trace, header):
        set_up_tape(classes, block, phantoms)
    with detached(trace, backward):
        sweep = Sweep(block, classes, phantoms)
        for arg in block.args:
            if isinstance(arg.type, ArrayType) and classes.is_active(arg) and not sweep.is_value(arg):
                sweep.shadows[arg] = sweep.fresh_shadow(arg)
        for value in outer_references(block, phantoms):
            if classes.is_active(value):
                sweep.shadows[value] = sweep.fresh_shadow(value)
        sweep.make_shadows()
        stand_ins = [wrap(phantoms.value(value).value) if isinstance(value.type, ArrayType) else phantoms.value(value) for value in outputs]
        for value, ct in zip(outputs, cotangents(stand_ins)):
            sweep.add(value, ct)
        sweep.run()
        found = [input_cotangent(sweep, arg) for arg in block.args]
    prune(backward, {ct.value for ct in found})
    values = dict(zip(block.args, primal.given))
    wanted = root_requests(phantoms, backward)
    copies = copy_forward(phantoms, block, forward, values, wanted)
    trace.differentiation.clones.update(values)
    with detached(trace, forward):
        substitution = {request.phantom: at_hand(request, values, copies) for request in wanted} | phantoms.residuals.made
    replace(backward, substitution)
    start_with_first_sum(backward)
    return Swept(header, forward, backward, values, [substitution.get(ct.value, ct.value) for ct in found])


def forward_and_reverse(
    primal: Primal, outputs: list[Value], cotangents: Callable[[list[Any]], list[Any]]
) -> tuple[dict[Value, Value], list[Any]]:
    """Emit the primal and its reverse sweep into the current block; returns where each primal value is found, and the cotangents of the
    inputs."""
    swept, block = sweep_through(primal, outputs, cotangents), active().block
    for part in (swept.header, swept.forward, swept.backward):
        block.operations += block.adopt(part.operations)
    return swept.values, [wrap(ct) for ct in swept.cotangents]


def phantoms_of(block: Block, classes: Classes, header: Block) -> Phantoms:
    """The phantoms of a primal block, whose lists of residuals are made in `header`."""
    homes = find_homes(block)
    return Phantoms(homes, classes.is_changed, classes.writes, Residuals(header, Invariants(block, homes)))


def outer_references(block: Block, phantoms: Phantoms) -> list[Value]:
    """The arrays of enclosing code that the primal uses."""
    operands = [operand for operation in walk_block(block) for operand in operation.operands]
    return list(dict.fromkeys(operand for operand in operands if isinstance(operand.type, ArrayType) and operand not in phantoms.homes))


def root_requests(phantoms: Phantoms, backward: Block) -> list[Request]:
    """Every phantom that is left: values of the primal's outermost block."""
    found: dict[Value, Request] = {}
    for operation in walk_block(backward):
        for operand in [*operation.operands, *(value for region in operation.regions for value in region.yields)]:
            if operand in phantoms.by_phantom:
                found[operand] = phantoms.by_phantom[operand]
    return list(found.values())


def input_cotangent(sweep: Sweep, arg: Value) -> Any:
    """The cotangent of an input: its shadow, its scalar, or zero."""
    if arg in sweep.values:
        return sweep.values[arg]
    if is_reference(arg):
        if sweep.has_shadow(arg):
            return sweep.shadow(arg)
        return sweep.fresh_shadow(arg)
    return or_zero(sweep.take(arg), arg)
