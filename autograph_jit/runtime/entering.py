"""Which calls a native entrance can take: those of arguments whose guards compare objects, numbers and arrays.

Every other call goes through the direct call behind it, which is Python (`direct.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, get_args, get_origin

from autograph_jit.backends.cpu import checks as native
from autograph_jit.backends.cpu.checks import Check
from autograph_jit.backends.cpu.driver import ENTRY, CpuExecutable
from autograph_jit.backends.cpu.entrance_code import AS_IT_IS, GIVEN, REBUILT
from autograph_jit.backends.cpu.entrances import Bypass, Entrance, Run
from autograph_jit.backends.cpu.matching import Match
from autograph_jit.runtime.direct import MAX_PAIRED, Source, expected_arrays, write_finish, write_result
from autograph_jit.runtime.program import Program
from autograph_jit.tracing.structures.getters import Attribute, Entry, Getter, Known, Named, Positional, Reading
from autograph_jit.tracing.structures.guards import Guard
from autograph_jit.tracing.structures.rebuilding import Fixed
from autograph_jit.tracing.values.trace import unusual

IDENTICAL = ("is", "code", "value")  # for a value: what is equal but another object goes on to the direct call


def make_entrance(
    made: Any, key: tuple[Any, ...], executable: Any, failed: Callable[..., Any], plain: Callable[..., Any]
) -> Entrance | None:
    """The entrance of a specialization for leaves of these layouts; None where a call needs more than an entrance can do."""
    program = made.program
    places, checks = places_of(program, program.getters), checks_for(program)
    if not isinstance(executable, CpuExecutable) or places is None or checks is None:
        return None
    arrays = expected_arrays(program, key)
    if arrays is None or arrays.ordered:
        return None
    array_places = places_of(program, arrays.getters)
    if array_places is None:
        return None
    match = Match(arrays.rows, key[1], array_places) if arrays.rows else None
    result, given = result_of(program, executable)
    finish = write_finish(program, executable)
    address = executable.library.address(ENTRY)

    def failing(exception: Exception, args: tuple[Any, ...]) -> Any:
        return failed(made, exception, program.call_of(args))

    run = Run(address, executable.entry, places, result, given, finish, failing, plain)
    return Entrance(program.count - 1, program.keywords, checks, match, run, unusual, made.calls_left)


def checks_for(program: Program) -> list[Check] | None:
    """The native form of the guards, but for those of arrays, which have one of their own; None where calls need more than that."""
    if program.boxes or program.write_back or places_of(program, program.getters) is None:
        return None
    on_host = {id(guard.getter) for guard in program.guards if guard.kind == "array"}
    left = [guard for guard in program.guards if guard.kind != "array"]
    left = [guard for guard in left if guard.kind != "apart" or not on_host.issuperset(map(id, guard.expected))]
    found = [checks_of(program, guard) for guard in left]
    return None if None in found else [check for checks in found for check in checks or ()]


def before_left(made: Any, plain: Callable[..., Any], behind: Callable[..., Any]) -> Callable[..., Any]:
    """`behind` after what takes calls to Python that a specialization has left there twice, where native code can tell them."""
    program = made.program
    checks = checks_for(program) if program.is_left and made.calls > 1 else None
    if checks is None or any(guard.kind == "array" for guard in program.guards):
        return behind
    return Bypass(program.count - 1, program.keywords, checks, plain, unusual).before(behind)


def place_of(program: Program, getter: Getter) -> int | None:
    """Which argument a getter finds, named ones counted behind the others; None where it finds anything else."""
    if isinstance(getter, Named):
        return program.count - 1 + program.keywords.index(getter.key)
    return getter.index if isinstance(getter, Positional) else None


def places_of(program: Program, getters: list[Getter]) -> tuple[int, ...] | None:
    """Which arguments the getters find; None where one finds anything else."""
    places = [place for getter in getters if (place := place_of(program, getter)) is not None]
    return tuple(places) if len(places) == len(getters) else None


def checks_of(program: Program, guard: Guard) -> list[Check] | None:
    """The native form of a guard; None where it has none. Of arguments that are different ones one for each pair."""
    if guard.kind != "apart":
        check = check_of(program, guard)
        return None if check is None else [check]
    places = places_of(program, list(guard.expected))
    if places is None or len(places) > MAX_PAIRED:
        return None
    return [native.are_apart(*pair) for pair in combinations(places, 2)]


def check_of(program: Program, guard: Guard) -> Check | None:
    """The native form of a guard; None where it has none."""
    getter, expected = guard.getter, guard.expected
    place = place_of(program, getter)
    if place is not None:
        if guard.kind in IDENTICAL:
            return native.is_object(place, expected)
        if guard.kind == "type":
            return native.has_type(place, expected)
        return native.is_int_within(place, expected) if guard.kind == "int" else None
    if guard.kind == "fits":
        return items_check(program, getter)
    if guard.kind not in IDENTICAL:
        return None
    if isinstance(getter, Reading):
        return native.read_by(getter.read, expected)
    if isinstance(getter, Attribute) and isinstance(getter.owner, Known) and guard.kind == "code":
        return native.has_part(getter.owner.found, expected)
    if isinstance(getter, Attribute) and isinstance(getter.owner, Known) and isinstance(getter.owner.found, type):
        return native.has_own_attribute(getter.owner.found, getter.name, expected)
    if isinstance(getter, Entry) and isinstance(getter.owner, Known) and type(getter.owner.found) is dict and type(getter.key) is str:
        return native.has_key(getter.owner.found, getter.key, expected)
    return None


def items_check(program: Program, getter: Any) -> Check | None:
    """The native form of the guard that an argument is a list of numbers, or texts, of one type, or of lists of them; None of others."""
    place, form = place_of(program, getter.operands[0]), getter.function.form
    of_lists = get_origin(form) is list
    kind = get_args(form)[0] if of_lists else form
    return native.has_items_of(place, kind, int(of_lists)) if place is not None and get_origin(kind) is None else None


def result_of(program: Program, executable: CpuExecutable) -> tuple[int, object]:
    """How the result is handed on, and the object that is given instead of it."""
    if isinstance(program.rebuild, Fixed):
        return GIVEN, program.rebuild.value
    is_only = len(program.types) == 1 and write_result(Source(), program, executable) == "results[0]"
    return (AS_IT_IS, None) if is_only else (REBUILT, None)
