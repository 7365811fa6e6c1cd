"""Which calls that could be compiled are left to Python: where the program is slower, or each content of an argument needs another."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograph_jit.backends.cpu.matching import MAX_ARRAYS
from autograph_jit.backends.cpu.written_lists import find_written
from autograph_jit.budget import MICROSECONDS
from autograph_jit.errors import SlowerThanPython
from autograph_jit.ir.function import CALLS, walk_with_functions
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import TEXT_REFERENCES, ArrayType, ListType
from autograph_jit.runtime.costs import (
    AMONG_MANY,
    ARRAY,
    ATTRIBUTE_FETCHED,
    ATTRIBUTE_READ,
    ATTRIBUTE_STORED,
    ATTRIBUTE_WRITTEN,
    CALLING,
    CHECKED,
    COLUMNS,
    CONTENT,
    ENTERED,
    FOLLOWED,
    INSTANCE,
    INSTANCE_FOUND,
    INSTANCE_LINKED,
    INSTANCE_READ,
    INSTANCES_LISTED,
    INSTANCES_READ,
    ITEM_READ,
    ITEM_WRITTEN_BACK,
    KEY,
    KEY_READ,
    KEYS_COMPARED,
    LARGE,
    LIST_MADE,
    MADE,
    MANY_ITEMS,
    NOTHING,
    ON_TENSORS,
    ONE_OF_READ,
    ORDERED_SET,
    POOL,
    RAISED,
    READING,
    REBUILT,
    REBUILT_PART,
    REFERENCE_LINKED,
    REFERENCE_WRITTEN,
    ROW_LISTED,
    ROW_READ,
    TEXT_READ,
    WRITTEN_BACK,
    Cost,
    cost_of_block,
    kind_of,
    most_calls,
    refuse,
)  # fmt: skip
from autograph_jit.runtime.direct import is_written_out
from autograph_jit.runtime.entering import checks_for
from autograph_jit.runtime.figures import calling_lines, place_of
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.reasons import failing, found_text, with_user_names
from autograph_jit.runtime.recursion_costs import LENGTHS, LinkedRuns, calls_of_recursions, cost_of_recursions
from autograph_jit.runtime.result_costs import SETS, cost_of_results, made_in
from autograph_jit.runtime.specializations import SINGLE, Specialization
from autograph_jit.runtime.trips import ASSUMED_TRIPS, FEW_TRIPS, LONG_TRIPS, Runs, RunsAtLengths, assumed_runs, runs_in
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.structures.getters import Applied, Attribute, Entry, Getter, Known, Named, Positional
from autograph_jit.tracing.structures.guards import Guard
from autograph_jit.tracing.structures.heaps import HeapPlan
from autograph_jit.tracing.structures.item_parts import PartReader, holds_one_of, items_of_rows
from autograph_jit.tracing.structures.peeking import READ_ERRORS, peek
from autograph_jit.tracing.structures.rebuilding import Instance, Listed, parts_of
from autograph_jit.tracing.values.types import ListOf
from autograph_jit.transforms.measured import find_measured
from autograph_jit.transforms.tallies import LOOPS, gone_through, puts_texts_in

LONG_COMPILATIONS, FEW_REPEATED = 1.0, 10  # seconds for contents of which each comes fewer times than that
LOST_WITH_ARRAYS = 0.5e-6  # seconds of a call
BY_LENGTH = (list, dict, set, str, bytes)
MOST_LEFT = 4  # programs that raise, for one content of the arguments each
ROUGHLY, ROUGH_SECONDS = 1.5, 10e-6  # how far it is known what the columns of a few items take; of Python's time, where that matters
ARGUMENTS, PARTS = (Positional, Named), (Entry, Attribute)  # how what stands in a container or an instance is found


def may_choose_python(options: dict[str, Any]) -> bool:
    """Whether calls of a function with these options may run in Python although it could be compiled."""
    return options["fallback"] == "warn" and not options.get("recorded_in_python", False)


def may_count(options: dict[str, Any]) -> bool:
    """Whether programs of a function with these options count how often they call Python."""
    return options["fallback"] in ("warn", "error") and not options.get("recorded_in_python", False)


def cost_of(program: Program, runs: Runs = assumed_runs) -> Cost:
    """What a call of a program takes, its arguments checked and read, its result made; without a graph what another process found."""
    if not program.is_traced:
        return program.costs[runs is few_runs]
    total = cost_of_entering(program) + FOLLOWED.times(program.followed) + Cost(compilation=FOLLOWED.compilation * program.followed)
    dicts = {id(guard.getter) for guard in program.guards if guard.kind == "length" and guard.expected[0] is dict}
    total += sum((KEY if id(getter.owner) in dicts else READING for getter in parts_read(program)), NOTHING)
    total += COLUMNS.times(len(columns_read(program)))
    is_direct = is_written_out(program)
    total += (ATTRIBUTE_STORED if is_direct else WRITTEN_BACK).times(len(program.write_back))
    total += INSTANCE.times(sum(isinstance(part, Instance) for part in parts_of(program.rebuild)))
    if not is_direct:
        total += REBUILT + REBUILT_PART.times(len(program.types))
    if program.boxes:
        total += ON_TENSORS.times(array_operations(program, runs))
    total += POOL if puts_texts_in(program.graph) else NOTHING
    total += LIST_MADE.times(sum(isinstance(part, Listed) for part in parts_of(program.rebuild)))
    total += sum((ORDERED_SET if part.make in SETS else MADE for part in made_in(program)), NOTHING)
    total += cost_of_results(program, runs, length_of_lists(program, runs))
    total += cost_of_instances(program, runs)
    return total + cost_of_lists(program, runs) + cost_of_block(program.graph.block, runs)


def length_of_lists(program: Program, runs: Runs) -> float:
    """How many items lists are taken to have: as many as loops make trips; where few, only if loops go through all there is."""
    if runs is long_runs or isinstance(runs, ShortRuns):
        return runs.length if isinstance(runs, ShortRuns) else LONG_TRIPS
    loops = [operation for operation in walk_with_functions(program.graph) if operation.name in LOOPS and operation.for_c is None]
    goes_through = all(loop.name == "for_loop" and not loop.attributes.get("has_break") for loop in loops)
    return FEW_TRIPS if runs is few_runs and loops and goes_through else ASSUMED_TRIPS


def cost_of_lists(program: Program, runs: Runs) -> Cost:
    """What it takes to read the lists of a call, and to write back those that may have changed; they are long where no loop or recursion
    goes through them; of those found outside the lengths are known."""
    graph, known = program.graph, program.lengths_outside
    made = {arg for arg, getter in zip(graph.block.args, program.getters) if is_listed(getter)}
    mixed = {arg for arg, getter in zip(graph.block.args, program.getters) if is_of_one_of(getter)}
    lists = [parameter for parameter in graph.block.args if isinstance(parameter.type, ListType)]
    if not lists:
        return NOTHING
    has_loops = any(goes_on(operation) for operation in walk_with_functions(graph))
    assumed = length_of_lists(program, runs) if has_loops else LONG_TRIPS
    lengths: dict[Value, float] = {**known, **getattr(runs, "lengths", {})}
    written = find_written(graph)
    used = {operand for operation in graph.walk() if operation.name not in ("table_len", "list_identity") for operand in operation.operands}
    indices = [operation for operation in graph.walk() if operation.name in ("table_index", "table_of_set") and operation.result in used]
    keys = {operation.operands[-1] for operation in indices}
    costs, measured = [], find_measured(graph)
    for x in lists:
        further = {ITEM_WRITTEN_BACK: bool(written[id(x)]), KEY_READ: x in keys, ROW_READ: is_of_rows(x), ROW_LISTED: x in made}
        further[ONE_OF_READ] = x in mixed
        read = TEXT_READ if isinstance(x.type, ListType) and x.type.number in TEXT_REFERENCES and x not in measured else ITEM_READ
        costs.append(sum((cost for cost, applies in further.items() if applies), read))
    return sum((cost.times(lengths.get(x, assumed)) for cost, x in zip(costs, lists)), NOTHING)


def goes_on(operation: Operation) -> bool:
    """Whether an operation does something as often as there are items, perhaps: a loop, a recursion that branches out. One that does not
    may halve what is left, and so look at few items, as nobody counts."""
    if operation.name not in CALLS:
        return operation.name in LOOPS
    callee = operation.attributes["callee"]
    return callee.is_recursive and most_calls(callee.graph.block, callee) > 1


def is_listed(getter: Any) -> bool:
    """Whether a parameter holds the items of the sets in a container."""
    columns = columns_with(getter)
    getter = getter if columns is None else columns.operands[0]
    return isinstance(getter, Applied) and getter.function is items_of_rows


def is_of_one_of(getter: Any) -> bool:
    """Whether a parameter is a column of items of one of several types, or of tuples of such."""
    columns = columns_with(getter)
    return columns is not None and holds_one_of(columns.function.form)


def columns_read(program: Program) -> set[int]:
    """What makes the lists that compiled code has of the items of containers, but lists that it reads as they are; each by its identity."""
    lists = (getter for x, getter in zip(program.graph.block.args, program.getters) if isinstance(x.type, ListType))
    sources = (getter.owner if isinstance(getter, Entry) else getter for getter in lists)
    return {id(source) for source in sources if isinstance(source, Applied)}


def columns_with(getter: Any) -> Any:
    """What makes the columns of a container, of which a parameter is one; None of any other parameter."""
    is_one = isinstance(getter, Entry) and isinstance(getter.owner, Applied) and isinstance(getter.owner.function, PartReader)
    return getter.owner if is_one else None


def is_of_rows(x: Value) -> bool:
    """Whether a list holds lists."""
    return isinstance(x.type, ListType) and isinstance(x.type.elem, ListType)


def cost_of_instances(program: Program, runs: Runs) -> Cost:
    """What it takes to read the attributes of the caller's instances, and to give them those that have changed."""
    plan = program.instances
    if plan is None:
        return NOTHING
    length = LONG_TRIPS if runs is long_runs else runs.length if isinstance(runs, ShortRuns) else None
    each = (cost_of_instance(plan, kind).times(plan.length(kind) if length is None else length) for kind in plan.classes)
    return sum(each, INSTANCES_READ)


def cost_of_instance(plan: HeapPlan, kind: type) -> Cost:
    """The same of one of a class."""
    numbers, composite, references = plan.numbers.get(kind, {}), plan.composite.get(kind, {}), plan.references.get(kind, {})
    found = INSTANCE_READ if plan.is_listed(kind) else INSTANCE_LINKED if plan.is_linked else INSTANCE_FOUND
    found += ATTRIBUTE_READ.times(len(numbers) + len(plan.absent.get(kind, ())))
    found += TEXT_READ.times(sum(each is str for each, _ in numbers.values()))
    found += ATTRIBUTE_FETCHED.times(len(composite)) + (REFERENCE_LINKED if plan.is_linked else ATTRIBUTE_FETCHED).times(len(references))
    found += REFERENCE_WRITTEN.times(sum((kind, name) in plan.written for name in references))
    found += INSTANCES_LISTED.times(len(plan.lists.get(kind, ())))
    found += KEYS_COMPARED.times(kind in plan.whole)
    found += (ROW_READ + ITEM_READ.times(FEW_TRIPS)).times(sum(isinstance(each, ListOf) for each in composite.values()))
    return found + ATTRIBUTE_WRITTEN.times(sum(each is kind for each, _ in plan.written))


def cost_of_linked(program: Program, plan: HeapPlan, longest: int) -> Cost:
    """What a call takes that goes along linked lists and trees of the size of this call's: once, where nothing tells how often."""
    count = sum(map(plan.length, plan.classes))
    runs = LinkedRuns(count, longest, program.graph.block.args)
    return cost_of(program, runs) + cost_of_recursions(program.graph, runs, calls_of_recursions(program.graph, runs, count))


def array_operations(program: Program, runs: Runs) -> float:
    """How many operations on arrays a call of a program makes."""
    return sum(times for operation, times in runs_in(program.graph.block, runs=runs) if kind_of(operation) is ARRAY)


def cost_of_entering(program: Program) -> Cost:
    """What it takes to find out that a call is for a program."""
    if checks_for(program) is not None:
        return ENTERED
    total = CALLING + CHECKED.times(max(0, len(program.guards) - len(parts_read(program))))
    arrays = sum(isinstance(x.type, ArrayType) for x in program.graph.block.args)
    total += AMONG_MANY.times(arrays if arrays > MAX_ARRAYS else 0)
    identical = {id(guard.expected) for guard in program.guards if not isinstance(guard.getter, Applied)}
    for guard in program.guards:
        if guard.kind == "value" and isinstance(guard.getter, Applied) and id(guard.expected) not in identical:
            total += CONTENT.times(1 + len(guard.expected) if type(guard.expected) is tuple else 1)
    return total


def parts_read(program: Program) -> list[Entry | Attribute]:
    """The getters of parameters that stem from containers and instances of the caller's."""
    return [getter for getter in program.getters if isinstance(getter, PARTS)]


def long_runs(operation: Operation, region: Block, around: float) -> float:
    """How often a region runs if loops are long: what a call does once counts for little then."""
    return assumed_runs(operation, region, around, LONG_TRIPS)


def cost_at_length(program: Program) -> Cost:
    """What a call takes if loops are long and arrays large."""
    return cost_of(program, long_runs) + LARGE.times(array_operations(program, long_runs))


def refuse_slower(program: Program, arguments: Args) -> None:
    """SlowerThanPython where such calls of a program are better left to Python: where it is slower, with long loops and large arrays too
    and at the lengths of this call, or the compilation is not repaid. One that does nothing but raise is left to Python alone: other
    arguments of its kinds may be good ones. A program that is for long containers alone guards that they are long."""
    cost = cost_of(program)
    if program.graph.block.terminated and cost_at_length(program).compiled < RAISED.compiled:
        program.is_left = True
        program.notes.append("calls run in Python, which raises sooner")
        return
    lengths = lengths_of(arguments) if reads_containers(program) and not program.arrays else {}
    longest = max(lengths.values(), default=0)
    short = cost_of(program, ShortRuns(longest if longest <= MANY_ITEMS else FEW_TRIPS)) if lengths else NOTHING
    is_left = is_slower(program, cost) and cost_at_length(program).is_slower
    if is_left and longest > MANY_ITEMS and gone_through(program.graph):
        call = cost_of_call(program, arguments)
        is_left = call.compiled >= call.python
    if program.instances is not None and program.instances.is_linked:
        cost = cost_of_linked(program, program.instances, longest)
        is_left = cost.is_slower
    is_rough = longest <= MANY_ITEMS and short.python < ROUGH_SECONDS and bool(columns_read(program))
    gains_little = not is_left and is_rough and short.compiled * ROUGHLY > short.python
    if gains_little or not is_left and short.is_slower and longest <= MANY_ITEMS:
        cost = short
    elif not is_left and (cost.is_repaid or not cost.is_long):
        program.guards += [is_longer(getter, kind) for (getter, kind), length in lengths.items() if length > MANY_ITEMS and short.is_slower]
        return
    calls = sum(operation.name == "host_call" for operation in program.graph.walk())
    count = sum(1 for _ in program.graph.walk())
    what = f"{len(parts_read(program))} values are read out of arguments, {calls} of {count} operations call Python; "
    lines = calling_lines(program.graph)
    refuse(cost, place_of(program.graph, lines), what + "".join(f"{line}; " for line in lines), gains_little)


def cost_of_call(program: Program, arguments: Args) -> Cost:
    """What a call takes whose lists are as long as those of these arguments, as far as nothing has to run to tell."""
    lengths: dict[Value, float] = {}
    for x, getter in zip(program.graph.block.args, program.getters):
        if isinstance(x.type, ListType):
            with contextlib.suppress(*READ_ERRORS):
                lengths[x] = len(peek(getter, arguments))
    return cost_of(program, RunsAtLengths(lengths))


def lengths_of(arguments: Args) -> dict[tuple[Getter, type], int]:
    """The lengths of the lists, dicts, sets and texts among the arguments."""
    known = [(Positional(place), x) for place, x in enumerate(arguments[:-1])] + [(Named(name), x) for name, x in arguments[-1].items()]
    return {(getter, type(x)): len(x) for getter, x in known if type(x) in BY_LENGTH}


def is_longer(getter: Getter, kind: type) -> Guard:
    """Guards that a later call brings a long container where this one does: others may be left to Python."""
    return Guard(Applied(len, (getter,)), "longer", (kind, MANY_ITEMS), f"a {kind.__name__} has more than {MANY_ITEMS} items")


class ShortRuns:
    """How often regions run in a call whose containers have so many items at most: loops through these, as often."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __call__(self, operation: Operation, region: Block, around: float) -> float:
        bound = operation.operands[1].owner if operation.name == "for_loop" else None
        is_through = isinstance(bound, Operation) and bound.name in LENGTHS
        return assumed_runs(operation, region, around, self.length if is_through else ASSUMED_TRIPS)


def reads_containers(program: Program) -> bool:
    """Whether a program reads the items or letters of arguments."""
    found = [operation.operands[0] for operation in program.graph.block.operations if operation.name == "text_codes"]
    return program.instances is not None or any(isinstance(x.type, ListType) or x in found for x in program.graph.block.args)


def is_slower(program: Program, cost: Cost) -> bool:
    """Whether calls are slower compiled, where there are arrays by more than a little: all calls with arguments of such kinds would
    be refused, and those that take another path may work on them."""
    return cost.is_slower and (not program.arrays or cost.compiled - cost.python > LOST_WITH_ARRAYS)


def for_other_contents(made: Sequence[Specialization], arguments: Args) -> list[Specialization]:
    """The specializations that lack nothing but the content of these arguments, where it is not worth it to compile for each content."""
    found = [one for one in made if is_for_other_content(one.program, arguments)]
    spent = sum(one.compilation.spent for one in found if one.compilation is not None) / MICROSECONDS
    if spent > LONG_COMPILATIONS and sum(one.all_calls for one in found) < FEW_REPEATED * len(found):
        return found
    left = sum(one.program.is_left for one in found)
    return [one for one in found if not (left < MOST_LEFT if one.program.is_left else is_worth_another(one.program))]


def is_for_other_content(program: Program, arguments: Args) -> bool:
    """Whether a program lacks nothing but the content of these arguments; which lists are one list goes with it."""
    failed = [guard for guard in failing(program, arguments) if guard.kind != "apart"]
    resized = {id(guard.getter) for guard in failed if guard.kind == "length" and finds_its_type(guard, arguments)}
    return bool(failed) and all(is_content(guard) or id(guard.getter) in resized or is_inside(guard.getter, resized) for guard in failed)


def finds_its_type(guard: Guard, arguments: Args) -> bool:
    """Whether a guard of a length finds a container of the type that it expects; what expects none in it knows no types of items, and the
    next program may serve all lengths."""
    kind, length = guard.expected
    try:
        return length > 0 and type(peek(guard.getter, arguments)) is kind
    except READ_ERRORS:  # it is in another container than it was
        return False


def is_inside(getter: Any, owners: set[int]) -> bool:
    """Whether something stands in what one of these getters finds."""
    while isinstance(getter, PARTS):
        getter = getter.owner
        if id(getter) in owners:
            return True
    return False


def few_runs(operation: Operation, region: Block, around: float) -> float:
    """How often the region of an operation runs at least, as far as that can be told: where loops are short, nothing may be gained."""
    return assumed_runs(operation, region, around, FEW_TRIPS)


def is_worth_another(program: Program) -> bool:
    """Whether such a program repays its compilation for certain, with short loops too and without what it has done for good, which holds
    for one content only."""
    cost = cost_of(program, few_runs)
    return replace(cost, python=cost.python - FOLLOWED.python * program.followed).is_repaid


def other_content(program: Program, arguments: Args, names: Sequence[str]) -> SlowerThanPython:
    """The refusal of yet another program for nothing but other content."""
    guard = failing(program, arguments)[0]
    reason = f"every content of the arguments would need a program of its own: {with_user_names(guard.text, names)}: found "
    why = f"the compilation is not repaid by few calls; {cost_of(program).describe()}"
    remedy = "pass what changes as numbers or arrays; static_argnames compiles for each value in any case"
    return SlowerThanPython(reason + found_text(guard, arguments), None, why, remedy)


def is_content(guard: Guard) -> bool:
    """Whether a guard holds for one content of a text or a number only, or for one function or other object in an argument or that is
    one; for a flag there are not many programs."""
    if guard.kind == "is":
        getter = guard.getter
        return isinstance(getter, ARGUMENTS) or (isinstance(getter, PARTS) and not isinstance(getter.owner, Known))
    return guard.kind == "value" and not isinstance(guard.expected, SINGLE)
