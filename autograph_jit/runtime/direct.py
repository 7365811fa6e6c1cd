"""The direct call: a Python function written for one executable, which checks all guards, collects the leaves and rebuilds the result.

For `def add(x, y): return x + y` on two arrays it reads:

    def call(args, kwargs):
        try:
            if kwargs: return MISS
            a0, a1 = args
            if not check(address, a0, a1): return MISS
        except MISSING: return MISS
        made.calls += 1
        try:
            results = entry(a0, a1)
        except Deoptimized: results = None
        except Exception as exception: return failed(made, exception, (*args, kwargs))
        if results is None: return plain(*args, **kwargs)
        return results[0]
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.backends.cpu.matching import MAX_ARRAYS, Expected, Match
from autograph_jit.backends.cpu.part_readers import reader
from autograph_jit.backends.cpu.row_readers import distinctness, entries_reader, row_picker
from autograph_jit.backends.cpu.shadowing import unshadowed
from autograph_jit.errors import Deoptimized
from autograph_jit.ir.types import ScalarType
from autograph_jit.ops.direct_calls import PYTHON_NUMBERS
from autograph_jit.ops.dispatch import is_recorded
from autograph_jit.records import dataclass
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.writing_back import Argument, PlaceWrite, sets_in_c
from autograph_jit.tracing.aliasing.journal import AttributePlace
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.structures.getters import Applied, Attribute, Entry, Getter, Known, Named, Positional, Reading
from autograph_jit.tracing.structures.guards import Guard
from autograph_jit.tracing.structures.item_parts import PartReader
from autograph_jit.tracing.structures.rebuilding import (
    Entries,
    Fixed,
    Instance,
    Items,
    Leaf,
    Made,
    Number,
    ReadOnlyLeaf,
    Rebuild,
    Shared,
    TaggedNumber,
    read_only,
)
from autograph_jit.tracing.values.axis_order import order_in_memory

MISS = object()
MISSING = (AttributeError, KeyError, IndexError, NameError, TypeError, ValueError)
SINGLETONS = (bool, type(None), type(Ellipsis))
PLAIN = (int, str, bytes)
MAX_PAIRED = 5
FILENAME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "<direct call>")


class Source:
    """The lines of a direct call under construction, and the constants that they name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        self.texts: dict[str, str] = {}
        self.kept: list[Getter] = []

    def constant(self, value: Any, hint: str = "k") -> str:
        """The name of a constant."""
        name = f"{hint}_{len(self.constants)}"
        self.constants[name] = value
        return name

    def reject_if(self, condition: str) -> None:
        self.lines.append(f"if {condition}: return MISS")

    def value(self, getter: Getter) -> str:
        """The name of what a getter finds, read once."""
        name = self.names.get(id(getter))
        if name is None:
            text = self.expression(getter)
            name = text if text.isidentifier() else self.texts.get(text, "")
            if not name:
                name = self.texts[text] = f"v_{len(self.texts)}"
                self.lines.append(f"{name} = {text}")
            self.names[id(getter)] = name
            self.kept.append(getter)
        return name

    def expression(self, getter: Getter) -> str:
        """What a getter reads, as an expression."""
        if isinstance(getter, Positional):
            return f"a{getter.index}"
        if isinstance(getter, Named):
            return f"kwargs[{getter.key!r}]"
        if isinstance(getter, Attribute) and getter.name.isidentifier():
            return f"{self.value(getter.owner)}.{getter.name}"
        if isinstance(getter, Entry) and type(getter.key) in PLAIN:
            return f"{self.value(getter.owner)}[{getter.key!r}]"
        if isinstance(getter, Known):
            return self.constant(getter.found, "known")
        if isinstance(getter, Reading):
            return f"{self.constant(getter.read, 'read')}()"
        if isinstance(getter, Applied):
            function = reader(getter.function.form) if isinstance(getter.function, PartReader) else getter.function
            return f"{self.constant(function, 'made')}({', '.join(map(self.value, getter.operands))})"
        return f"{self.constant(getter, 'get')}((*args, kwargs))"


def write_guard(source: Source, guard: Guard) -> None:
    """The line that checks one guard; arrays are left to the native check."""
    if guard.kind == "array":
        return
    if guard.kind == "apart" and len(guard.expected) <= MAX_PAIRED:
        names = [source.value(getter) for getter in guard.expected]
        source.reject_if(" or ".join(f"{x} is {y}" for x, y in itertools.combinations(names, 2)))
        return
    found, expected = source.value(guard.getter), guard.expected
    if guard.kind in ("is", "code") or (guard.kind == "value" and isinstance(expected, SINGLETONS)):
        source.reject_if(f"{found} is not {source.constant(expected)}")
    elif guard.kind == "type":
        source.reject_if(f"type({found}) is not {source.constant(expected)}")
    elif guard.kind == "fits":
        source.reject_if(f"{found} is None")
    elif guard.kind == "int":
        source.reject_if(f"type({found}) is not int or not {-expected} < {found} < {expected}")
    elif guard.kind == "length":
        source.reject_if(f"type({found}) is not {source.constant(expected[0])} or len({found}) != {expected[1]}")
    elif guard.kind == "value" and type(expected) in PLAIN:
        name = source.constant(expected)
        source.reject_if(f"{found} is not {name} and (type({found}) is not {source.constant(type(expected))} or {found} != {name})")
    else:
        is_other = f"{found} is not {source.constant(expected)} and " if guard.kind == "value" else ""
        source.reject_if(f"{is_other}not {source.constant(guard.accepts)}({found})")


@dataclass(frozen=True, slots=True)
class ExpectedArrays:
    """What the arrays of a call must be, where they are found, and those whose order in memory counts besides."""

    rows: list[Expected]
    getters: list[Getter]
    ordered: list[tuple[Getter, Any]]


def expected_arrays(program: Program, key: tuple[Any, ...]) -> ExpectedArrays | None:
    """What the native check is told; None where it cannot tell."""
    guards = {id(guard.getter): guard for guard in program.guards if guard.kind == "array"}
    found = ExpectedArrays([], [], [])
    for getter, layout in zip(program.getters, key[0]):
        if not layout:
            continue
        guard = guards.get(id(getter))
        if guard is None:
            return None
        dtype, rank, fixed, writeable, order = guard.expected
        sizes = dict(fixed)
        found.rows.append(Expected(dtype, tuple(sizes.get(axis) for axis in range(rank)), layout == "C", writeable))
        found.getters.append(getter)
        if rank > 1 and layout != "C":
            found.ordered.append((getter, order))
    return found if len(found.rows) == len(guards) <= MAX_ARRAYS else None


def write_arrays(source: Source, program: Program, key: tuple[Any, ...]) -> bool:
    """The line that checks all arrays; False where the native check cannot."""
    arrays = expected_arrays(program, key)
    if arrays is None:
        return False
    names = [source.value(getter) for getter in arrays.getters]
    if names:
        match = Match(arrays.rows, key[1])
        source.constants["match"], source.constants["check"] = match, match.check
        source.reject_if(f"not check({match.address}, {', '.join(names)})")
    for getter, order in arrays.ordered:
        source.reject_if(f"{source.constant(order_in_memory)}({source.value(getter)}) != {order}")
    return True


def result_text(source: Source, rebuild: Rebuild, types: list[Any], seen: set[int]) -> str:
    """The result as an expression in `results`; empty where only the program itself can rebuild it."""
    if isinstance(rebuild, Shared) and isinstance(rebuild.build, Leaf):
        rebuild = rebuild.build  # one object wherever it stands
    if isinstance(rebuild, Leaf):
        return f"results[{rebuild.index}]"
    if isinstance(rebuild, Shared) and rebuild.key not in seen and isinstance(rebuild.build, ReadOnlyLeaf):
        seen.add(rebuild.key)
        return f"{source.constant(read_only)}(results[{rebuild.build.index}])"
    if isinstance(rebuild, Number):
        text = f"results[{rebuild.index}]"
        return text if types[rebuild.index] is rebuild.convert else f"{source.constant(rebuild.convert)}({text})"
    if isinstance(rebuild, TaggedNumber):
        places = {place for place, _ in rebuild.choices}
        kinds = [None if types[place] is convert else convert for place, convert in rebuild.choices]
        if len(rebuild.choices) != 2 or len(places) != 1:
            return ""
        texts = [f"{source.constant(kind)}({{0}})" if kind else "{0}" for kind in kinds]
        return f"({texts[1]} if results[{rebuild.tag}] else {texts[0]})".format(f"results[{places.pop()}]")
    if isinstance(rebuild, Fixed):
        return source.constant(rebuild.value)
    if isinstance(rebuild, Argument):
        is_given = isinstance(rebuild.getter, Positional | Named)
        return source.expression(rebuild.getter) if is_given else source.names.get(id(rebuild.getter), "")
    if isinstance(rebuild, Made):
        return container_text(source, rebuild, types, seen)
    if isinstance(rebuild, Shared) and rebuild.key not in seen:
        seen.add(rebuild.key)
        return container_text(source, rebuild.build, types, seen)
    return ""


def container_text(source: Source, build: Rebuild, types: list[Any], seen: set[int]) -> str:
    """A list, tuple, dict or instance that the run makes, as an expression; empty where there is none."""
    if isinstance(build, Instance):
        there = [(name, part) for name, part in build.fields if not is_undefined(part)]
        parts = [result_text(source, part, types, seen) for _, part in there]
        make = source.constant(write_instance(build, [name for name, _ in there]), "make")
        return f"{make}({', '.join(parts)})" if all(parts) else ""
    if isinstance(build, Made):
        return f"{source.constant(build.make)}({', '.join(f'results[{place}]' for place in build.places)})"
    if isinstance(build, Entries) and build.kind is dict:
        pairs = [[result_text(source, part, types, seen) for part in pair] for pair in build.pairs if not is_undefined(pair[1])]
        return f"{{{', '.join(map(': '.join, pairs))}}}" if all(map(all, pairs)) else ""
    if isinstance(build, Items) and build.kind in (tuple, list):
        parts = [result_text(source, part, types, seen) for part in build.parts]
        joined = "".join(f"{part}, " for part in parts)
        return "" if not all(parts) else f"({joined})" if build.kind is tuple else f"[{joined}]"
    return ""


def is_undefined(part: Rebuild) -> bool:
    """Whether no path makes a part of a container."""
    return isinstance(part, Fixed) and isinstance(part.value, Undefined)


def write_instance(build: Instance, names: list[str]) -> Callable[..., Any]:
    """A function of the attributes that makes an instance."""
    source = Source()
    values = [f"p{index}" for index in range(len(names))]
    lines = [f"def make({', '.join(values)}):", f"    made = {source.constant(build.new)}({source.constant(build.kind)})"]
    for name, value in zip(names, values):
        is_plain = name in build.slots or not hasattr(build.kind, name)
        text = f"{source.constant(object.__setattr__)}(made, {name!r}, {value})" if is_plain else f"made.__dict__[{name!r}] = {value}"
        lines.append(f"    {text}")
    return written(source, "make", [*lines, "    return made"], {})


def write_ending(source: Source, program: Program, executable: Any) -> list[str]:
    """The lines that write back what has changed and return the result, made of `results`, `args` and `kwargs`."""
    types = [type.dtype.type if isinstance(type, ScalarType) else None for type in program.types]
    for index in getattr(executable, "plain", ()):
        types[index] = PYTHON_NUMBERS[program.types[index].dtype]
    return ending_text(source, program, types) or [f"return {source.constant(program.finish)}(results, (*args, kwargs))"]


def ending_text(source: Source, program: Program, types: list[Any]) -> list[str]:
    """These lines as code of the program's own; none where only the program itself can rebuild its result. Everything is found before
    anything is stored."""
    seen: set[int] = set()
    writes = [write for write in program.write_back if isinstance(write, PlaceWrite)]
    owners = [owner_text(source, program, write) for write in writes]
    values = [result_text(source, write.build, types, seen) for write in writes]
    result = result_text(source, program.rebuild, types, seen)
    if len(writes) < len(program.write_back) or not all((*owners, *values, result)):
        return []
    if not owners:
        return [f"return {result}"]
    finding = [f"w{index} = {value}" for index, value in enumerate(values)]
    storing = [f"{owner}.{write.name} = w{index}" for index, (owner, write) in enumerate(zip(owners, writes))]
    return [*finding, f"result = {result}", *storing, "return result"]


def owner_text(source: Source, program: Program, write: PlaceWrite) -> str:
    """The argument that gets an attribute, as an expression; empty for any other write."""
    if write.kind is not AttributePlace or not isinstance(write.getter, Positional | Named):
        return ""
    text = source.expression(write.getter)
    kinds = [guard.expected for guard in program.guards if guard.kind == "type" and source.expression(guard.getter) == text]
    is_plain = write.name.isidentifier() and not is_undefined(write.build)
    return text if is_plain and kinds and sets_in_c(kinds[0]) else ""


def is_written_out(program: Program) -> bool:
    """Whether code can be written that makes the result; otherwise the program itself rebuilds it, part by part."""
    source = Source()
    for getter in (*program.getters, *(guard.getter for guard in program.guards if guard.kind != "apart")):
        source.value(getter)
    return bool(ending_text(source, program, [None] * len(program.types)))


def write_arguments(source: Source, program: Program) -> str:
    """The line that gives the positional arguments their names; empty where there are none."""
    return "".join(f"a{index}, " for index in range(program.count - 1)) + "= args" if program.count > 1 else ""


def write_finish(program: Program, executable: Any) -> Callable[[Any, tuple[Any, ...]], Any]:
    """A function of an executable's results and all arguments, one behind the other, that rebuilds the result."""
    source = Source()
    for getter in program.getters:
        if isinstance(getter, Positional):
            source.value(getter)
    given = f"args, kwargs = args[:{program.count - 1}], {{}}"  # without the attributes that an entrance has read
    split = f"*args, kwargs = {source.constant(program.call_of)}(args)" if program.keywords else given
    lines = ["def finish(results, args):", f"    {split}"]
    if program.count > 1:
        lines.append(f"    {write_arguments(source, program)}")
    lines += [f"    {line}" for line in write_ending(source, program, executable)]
    return written(source, "finish", lines, {})


def written(source: Source, name: str, lines: list[str], variables: dict[str, Any]) -> Callable[..., Any]:
    """The function that the lines define."""
    variables = {**source.constants, **variables}
    exec(compile("\n".join(lines), FILENAME, "exec"), variables)
    function: Callable[..., Any] = variables[name]
    return function


def write_direct_call(
    made: Any, key: tuple[Any, ...], executable: Any, failed: Callable[..., Any], plain: Callable[..., Any]
) -> Callable[..., Any] | None:
    """A function of `args` and `kwargs` that gives the result, or MISS where a guard does not hold; None where none can be made. Of a
    program that is left to Python, the result is that of `plain`."""
    program = made.program
    source = Source()
    if made.tallies and not program.is_left:
        source.reject_if(f"{source.constant(made.is_due)}()")
    if program.boxes:
        source.reject_if(f"{source.constant(is_recorded)}()")
    source.reject_if(f"tuple(kwargs) != {source.constant(program.keywords)}" if program.keywords else "kwargs")
    source.lines.append(write_arguments(source, program) or "if args: return MISS")
    on_host = {id(guard.getter) for guard in program.guards if guard.kind == "array"}
    for guard in program.guards:
        if guard.kind != "apart" or not on_host.issuperset(map(id, guard.expected)):
            write_guard(source, guard)
    if not write_arrays(source, program, key):
        return None
    if program.is_left:
        ending = ["return plain(*args, **kwargs)"]
    else:
        if program.instances is not None:
            program.instances.be_run(distinctness, entries_reader, row_picker, unshadowed)
        leaves = ", ".join(source.value(getter) for getter in program.getters)
        ending = [
            "made.calls += 1",
            "try:",
            f"    results = entry({leaves})",
            "except Deoptimized: results = None",
            "except Exception as exception: return failed(made, exception, (*args, kwargs))",
            "if results is None: return plain(*args, **kwargs)",
            *write_ending(source, program, executable),
        ]
    guards = ["try:", *(f"    {line}" for line in source.lines), "except MISSING: return MISS"]
    lines = ["def call(args, kwargs):", *(f"    {line}" for line in (*guards, *ending))]
    variables = {"MISS": MISS, "MISSING": MISSING, "made": made, "entry": getattr(executable, "entry", executable), "np": np}
    return written(source, "call", lines, variables | {"failed": failed, "plain": plain, "Deoptimized": Deoptimized})
