"""Programs kept on disk, with guards, what rebuilds results and what code refers to: a later process neither traces nor emits them.

What decides (`kept_entries.py`) are the kinds of the arguments, and not what they hold: that is for the program's guards to find, as it is
at any later call. Where the guards do not hold the function is traced, and the entry replaced. Not kept is what refers to objects that no
other process can find (`record_codec.py`), nor what chooses between compiled code and Python by the graph.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any, cast

import numpy as np

from autograph_jit.backends.cpu.driver import CpuExecutable
from autograph_jit.backends.cpu.library import Library
from autograph_jit.backends.cpu.published import provide
from autograph_jit.backends.cpu.runtime_library import runtime, runtime_found
from autograph_jit.backends.disk_cache import PROGRAM
from autograph_jit.runtime import kept_entries
from autograph_jit.runtime.preferences import cost_of, few_runs
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.record_codec import Reader, Unstorable, Writer
from autograph_jit.runtime.settings import current_device, settings
from autograph_jit.runtime.specializations import Specialization
from autograph_jit.runtime.stable_texts import StableText, is_plain_instance
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.structures.guards import SMALL_SIZE

LEAST_SECONDS = 0.02  # of tracing and emission: what takes less is made again as soon
MOST_ITEMS, MOST_DEPTH = 1000, 4
NUMBERS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
STORED = (
    *("getters", "rebuild", "write_back", "arrays", "exits", "count", "keywords", "boxes", "boxed"),
    *("followed", "lengths", "constants", "types"),
)
FOUND, NO_GRAPH = "found on disk", cast(Any, None)


def add_arguments(text: StableText, arguments: Args) -> None:
    """The kinds of arguments, at any depth."""
    for x in (*arguments[:-1], *(part for item in arguments[-1].items() for part in item)):
        add_kind(text, x)


def add_kind(text: StableText, x: Any) -> None:
    """The kind of one value: of numbers and texts the class, of arrays dtype and rank, of containers the items'."""
    kind = type(x)
    if kind in NUMBERS:
        text.say(kind.__name__)
    elif isinstance(x, np.generic):
        text.say(kind.__name__, str(x.dtype))
    elif id(x) in text.seen or kind not in (np.ndarray, list, tuple, dict, np.random.Generator) and not is_plain_instance(x):
        text.add(x)
    else:
        text.meet(x)
        text.expect(text.parts < MOST_ITEMS)
        add_parts(text, x, kind)


def add_parts(text: StableText, x: Any, kind: type) -> None:
    """The kind of what has parts."""
    if kind is np.ndarray:
        text.expect(not x.dtype.hasobject)
        text.say("array", str(x.dtype), x.ndim)
    elif kind is np.random.Generator:
        text.say("generator", type(x.bit_generator).__name__)
    elif kind in (list, tuple) and set(map(type, x)) <= set(NUMBERS):
        text.say(kind.__name__, sorted({item.__name__ for item in set(map(type, x))}))
    elif kind in (list, tuple):
        text.say(kind.__name__, len(x))
        for item in x:
            add_kind(text, item)
    else:
        items = x if kind is dict else object.__getattribute__(x, "__dict__")
        text.say("dict" if kind is dict else "instance", len(items))
        text.add(kind)
        for key, value in items.items():
            text.add(key)
            add_kind(text, value)


KIND = kept_entries.Kind(PROGRAM, add_arguments, of_process=False)


def shape_in_words(x: Any, depth: int = 0) -> Any:
    """What programs are made for apart from kinds: small sizes, where memory lies, constants; to a depth, as a list may hold itself."""
    if isinstance(x, np.ndarray):
        return [min(size, SMALL_SIZE + 1) for size in x.shape], x.flags.c_contiguous, x.flags.writeable
    if type(x) in (list, tuple) and depth < MOST_DEPTH:
        return [shape_in_words(item, depth + 1) for item in x[:SMALL_SIZE]]
    return x if type(x) in (bool, str, bytes) else None


def further(compiled: kept_entries.HasEntries, arguments: Args) -> tuple[Any, ...]:
    """What else tells the programs of a function apart."""
    shapes = [shape_in_words(x) for x in (*arguments[:-1], *arguments[-1].values())]
    return (len(arguments), shapes, sorted(map(repr, compiled.generalized)))


def are_kept(compiled: kept_entries.HasEntries) -> bool:
    """Whether programs of a function are looked for and kept."""
    return kept_entries.has_name(compiled) and settings.backend == "cpu" and (compiled.device or current_device()) == "cpu"


def recall_program(compiled: kept_entries.HasEntries, arguments: Args) -> Specialization | None:
    """The program of this call that another process has kept, with its executable, if its guards hold."""
    if not are_kept(compiled):
        return None
    started = time.perf_counter()
    found = KIND.recall(compiled, arguments, *further(compiled, arguments))
    if found is None:
        return None
    entry, text = found
    reader = Reader(text, entry["nodes"])
    guards, fields, parts, key, tallies, costs = map(reader.read, entry["roots"])
    program = Program(graph=NO_GRAPH, guards=guards, notes=[], costs=costs, **dict(zip(STORED, fields)))
    if not program.matches(arguments):
        return None
    runtime_found(entry["runtime"])
    library = Library.found(entry["code"], entry["needs"]) if provide(entry["needs"]) else None
    if library is None:
        return None
    kinds, number = compiled.refusals.kinds(arguments), len(compiled.specializations) + 1
    made = Specialization(program, number, None, FOUND, frozenset(compiled.generalized), tallies, kinds)
    made.executables[key] = executable = CpuExecutable(parts, library)
    executable.compile_seconds = {"disk": time.perf_counter() - started}
    return made


def keep_program(compiled: kept_entries.HasEntries, made: Specialization, arguments: Args) -> None:
    """Keep a program that was just made, with its only executable."""
    if not are_kept(compiled) or not is_worth_keeping(compiled, made):
        return
    ((key, executable),) = made.executables.items()

    def entry(text: StableText) -> dict[str, Any]:
        writer, program = Writer(text), made.program
        fields = tuple(getattr(program, name) for name in STORED)
        costs = cost_of(program), cost_of(program, few_runs)
        found = program.guards, fields, executable.parts, key, made.tallies, costs
        roots = [writer.write(x, is_own=True) for x in found]
        library, shared = executable.library, runtime().library.digest
        return {"nodes": writer.nodes, "roots": roots, "code": library.digest, "needs": library.needs, "runtime": shared}

    with contextlib.suppress(Unstorable):
        KIND.keep(compiled, arguments, entry, *further(compiled, arguments))


def is_worth_keeping(compiled: kept_entries.HasEntries, made: Specialization) -> bool:
    """Whether a program took long to make, and nothing that stays in this process decides about its calls."""
    program, compilation = made.program, made.compilation
    asks = program.tells or any(loop.question is not None for loop in program.loops)
    if not program.is_traced or program.is_left or program.instances is not None or asks:
        return False
    if len(made.executables) != 1 or compilation is None or compilation is not compiled.account.last:
        return False
    executable = next(iter(made.executables.values()))
    return isinstance(executable, CpuExecutable) and compilation.elapsed > LEAST_SECONDS
