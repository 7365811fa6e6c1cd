"""Which calls a native entrance can take: those whose guards compare objects, numbers and arrays, arguments or attributes of them.

Every other call goes through the direct call behind it, which is Python (`direct.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, get_args, get_origin

from autograph_jit.backends.cpu import checks as native
from autograph_jit.backends.cpu.checks import Check
from autograph_jit.backends.cpu.driver import ENTRY, CpuExecutable
from autograph_jit.backends.cpu.entrance_code import AS_IT_IS, GIVEN, REBUILT
from autograph_jit.backends.cpu.entrances import Bypass, Entrance, Run
from autograph_jit.backends.cpu.matching import Match
from autograph_jit.runtime.direct import MAX_PAIRED, Source, expected_arrays, write_ending, write_finish
from autograph_jit.runtime.program import Program
from autograph_jit.tracing.structures.getters import Applied, Attribute, Entry, Getter, Known, Named, Positional, Reading
from autograph_jit.tracing.structures.guards import Guard, is_always_true
from autograph_jit.tracing.structures.rebuilding import Fixed
from autograph_jit.tracing.values.trace import unusual

IDENTICAL = ("is", "code", "value")  # for a value: what is equal but another object goes on to the direct call


class Slots:
    """Where what guards compare and a program takes is found at a call: the arguments by place, named ones behind the others, then the
    attributes that checks read. The program itself finds `strict` parameters unfit: their first items are checked."""

    def __init__(self, program: Program, strict: frozenset[int]) -> None:
        self.program, self.checks = program, list[Check]()
        self.strict = [program.getters[index] for index in strict]
        self.attributes: dict[tuple[int, str], int] = {}

    def place(self, getter: Getter) -> int | None:
        """The place of what a getter finds; None where it has none."""
        if isinstance(getter, Named):
            return self.program.count - 1 + self.program.keywords.index(getter.key)
        if isinstance(getter, Attribute):
            owner = self.place(getter.owner)
            return None if owner is None else self.attribute(owner, getter.name)
        return getter.index if isinstance(getter, Positional) else None

    def attribute(self, owner: int, name: str) -> int:
        """The place of an attribute, which a check reads before the others that ask for it."""
        found = self.attributes.get((owner, name))
        if found is None:
            found = self.attributes[owner, name] = self.program.count - 1 + len(self.program.keywords) + len(self.attributes)
            self.checks.append(native.reads_attribute(owner, found, name))
        return found

    def places(self, getters: Sequence[Getter]) -> tuple[int, ...] | None:
        """The places of what the getters find; None where one has none."""
        found = [place for getter in getters if (place := self.place(getter)) is not None]
        return tuple(found) if len(found) == len(getters) else None


def make_entrance(
    made: Any, key: tuple[Any, ...], executable: Any, failed: Callable[..., Any], plain: Callable[..., Any]
) -> Entrance | None:
    """The entrance of a specialization for leaves of these layouts; None where a call needs more than an entrance can do."""
    program = made.program
    slots = checks_for(program, executable.parts.strict) if isinstance(executable, CpuExecutable) else None
    if slots is None:
        return None
    arrays = expected_arrays(program, key)
    if arrays is None or arrays.ordered:
        return None
    places, array_places = slots.places(program.getters), slots.places(arrays.getters)
    if places is None or array_places is None:
        return None
    match = Match(arrays.rows, key[1], array_places) if arrays.rows else None
    result, given = result_of(program, executable)
    finish = write_finish(program, executable)
    address = executable.library.address(ENTRY)

    def failing(exception: Exception, args: tuple[Any, ...]) -> Any:
        return failed(made, exception, program.call_of(args))

    run = Run(address, executable.entry, places, result, given, finish, failing, plain)
    return Entrance(program.count - 1, program.keywords, slots.checks, match, run, unusual, made.calls_left, len(slots.attributes))


def checks_for(program: Program, strict: frozenset[int] = frozenset()) -> Slots | None:
    """The native form of the guards, but for those of arrays, which have one of their own; None where calls need more than that. Arguments
    are checked before what is read of them."""
    if program.boxes:
        return None
    slots = Slots(program, strict)
    on_host = {id(guard.getter) for guard in program.guards if guard.kind == "array"}
    left = [guard for guard in program.guards if guard.kind != "array"]
    left = [guard for guard in left if guard.kind != "apart" or not on_host.issuperset(map(id, guard.expected))]
    for guard in sorted(left, key=lambda guard: not isinstance(guard.getter, (Positional, Named))):
        checks = checks_of(slots, guard)
        if checks is None:
            return None
        slots.checks += checks
    return None if slots.places(program.getters) is None else slots


def before_left(made: Any, plain: Callable[..., Any], behind: Callable[..., Any]) -> Callable[..., Any]:
    """`behind` after what takes calls to Python that a specialization has left there twice, where native code can tell them."""
    program = made.program
    slots = checks_for(program) if program.is_left and made.calls > 1 else None
    if slots is None or any(guard.kind == "array" for guard in program.guards):
        return behind
    return Bypass(program.count - 1, program.keywords, slots.checks, plain, unusual, len(slots.attributes)).before(behind)


def checks_of(slots: Slots, guard: Guard) -> list[Check] | None:
    """The native form of a guard; None where it has none. Of arguments that are different ones one for each pair."""
    if isinstance(guard.getter, Applied) and guard.getter.function is is_always_true:
        return native.has_no_truth(guard.getter.operands[0].found) or None  # type: ignore[attr-defined]
    if guard.kind != "apart":
        check = check_of(slots, guard)
        return None if check is None else [check]
    places = slots.places(guard.expected)
    if places is None or len(places) > MAX_PAIRED:
        return None
    return [native.are_apart(*pair) for pair in combinations(places, 2)]


def check_of(slots: Slots, guard: Guard) -> Check | None:
    """The native form of a guard; None where it has none."""
    getter, expected = guard.getter, guard.expected
    place = slots.place(getter)
    if place is not None:
        if guard.kind in IDENTICAL:
            return native.is_object(place, expected)
        if guard.kind == "type":
            return native.has_type(place, expected)
        return native.is_int_within(place, expected) if guard.kind == "int" else None
    if guard.kind == "fits":
        return items_check(slots, getter)
    if guard.kind == "longer":
        place = slots.place(getter.operands[0])  # type: ignore[attr-defined]
        return None if place is None else native.is_longer(place, expected[0], expected[1], True)
    if guard.kind not in IDENTICAL:
        return None
    if isinstance(getter, Applied) and getter.function is operator.is_ and type(expected) is bool:
        places = slots.places(getter.operands)
        return None if places is None else native.are_apart(places[0], places[1], not expected)
    if isinstance(getter, Reading):
        return native.read_by(getter.read, expected)
    if isinstance(getter, Attribute) and isinstance(getter.owner, Known) and guard.kind == "code":
        return native.has_part(getter.owner.found, expected)
    if isinstance(getter, Attribute) and isinstance(getter.owner, Known) and isinstance(getter.owner.found, type):
        return native.has_own_attribute(getter.owner.found, getter.name, expected)
    if isinstance(getter, Entry) and isinstance(getter.owner, Known) and type(getter.owner.found) is dict and type(getter.key) is str:
        return native.has_key(getter.owner.found, getter.key, expected)
    return None


def items_check(slots: Slots, getter: Any) -> Check | None:
    """The native form of the guard that an argument is a list of numbers, or texts, of one type, or of lists of them; None of others."""
    (listed,), form = getter.operands, getter.function.form
    place, of_lists = slots.place(listed), get_origin(form) is list
    kind = get_args(form)[0] if of_lists else form
    if place is None or get_origin(kind) is not None:
        return None
    return native.has_items_of(place, kind, int(of_lists), few=listed in slots.strict)


def result_of(program: Program, executable: CpuExecutable) -> tuple[int, object]:
    """How the result is handed on, and the object that is given instead of it."""
    if isinstance(program.rebuild, Fixed) and not program.write_back:
        return GIVEN, program.rebuild.value
    is_only = len(program.types) == 1 and write_ending(Source(), program, executable) == ["return results[0]"]
    return (AS_IT_IS, None) if is_only else (REBUILT, None)
