"""Lays out what `explain` says: one block for each specialization, one labelled line for each fact."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.ir.function import CALLS, functions_of, walk_with_functions
from autograph_jit.ir.graph import Graph, Operation
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass
from autograph_jit.runtime.feedback import describe_lines
from autograph_jit.runtime.reasons import positional_names, with_user_names
from autograph_jit.source import SourceSpan

LABEL_WIDTH = 14
MOST_VALUES = 30  # under one label
TEXT_WIDTH = 110
ELSEWHERE = "another process has traced it; asked with arguments, this one does too"
STAGES = (("convert", "convert"), ("trace", "trace"), ("passes", "passes"), ("runtime", "start"), ("emit", "lower"), ("llvm", "LLVM"))


class Text(str):
    """A str that shows itself as it is, without quotes, at the prompt."""

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Report:
    """What a report is about: some specializations of a function, out of `total`."""

    function: Callable[..., Any]
    options: dict[str, Any]
    specializations: list[Any]
    fell_back: str | None
    total: int


def write_report(report: Report) -> Text:
    """The report as text."""
    lines = [heading(report.function)]
    options = [f"{name} {value}" for name, value in report.options.items() if value not in ((), None, False, True)]
    lines += labelled("options", [", ".join(options)])
    lines += labelled("compiled", [counted(report.total, "program")])
    if report.fell_back is not None:
        lines += labelled("fell back", ["calls run in Python, because:", *report.fell_back.splitlines()])
    names = positional_names(report.function)
    for specialization in report.specializations:
        lines += ["", *describe_specialization(specialization, names)]
    return Text("\n".join(lines))


def heading(function: Callable[..., Any]) -> str:
    """The function's name and place."""
    code = getattr(function, "__code__", None)
    place = f", {SourceSpan(code.co_filename, code.co_firstlineno).location()}" if code is not None else ""
    return f"{getattr(function, '__qualname__', repr(function))}{place}"


def counted(count: int, noun: str) -> str:
    """`3 programs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def labelled(label: str, values: list[str]) -> list[str]:
    """A label, and its values under each other; long ones are wrapped, and of very many the first are shown."""
    if len(values) > MOST_VALUES:
        values = [*values[:MOST_VALUES], f"and {len(values) - MOST_VALUES} more"]
    wrapper = textwrap.TextWrapper(TEXT_WIDTH, subsequent_indent="    ", break_long_words=False)
    wrapped = [line for value in values for line in wrapper.wrap(value) or [""]]
    return [f"  {label if index == 0 else '':{LABEL_WIDTH}}{line}".rstrip() for index, line in enumerate(wrapped or ["none"])]


def describe_specialization(made: Any, names: tuple[str, ...]) -> list[str]:
    """Every fact about one specialization."""
    program = made.program
    executables = list(made.executables.values())
    at = time.strftime("%H:%M:%S", time.localtime(made.made_at))
    lines = [f"program {made.number}, compiled at {at}, {counted(made.all_calls, 'call')} since"]
    lines += labelled("because", [made.reason])
    lines += labelled("guards", [with_user_names(guard.text, names) for guard in program.guards if guard.kind != "code"])
    lines += describe_graph(made, names) if program.is_traced else labelled("graph", [ELSEWHERE])
    lines += labelled("layouts", [describe_layout(key) for key in made.executables] or ["not compiled yet"])
    lines += labelled("seconds", [describe_seconds(made.seconds, executables)])
    return lines


def describe_graph(made: Any, names: tuple[str, ...]) -> list[str]:
    """What a graph tells of a specialization."""
    program, executables = made.program, list(made.executables.values())
    lines = labelled("sizes", [with_user_names(line, names) for line in describe_sizes(made)])
    if program.decisions:
        lines += labelled("constants", constants(program.decisions, names))
    lines += labelled("host calls", describe_host_calls(program.graph, executables))
    if made.tallies:
        lines += labelled("costs", describe_lines(made))
    lines += labelled("memory", describe_memory(program.graph, executables))
    lines += labelled("graph", [counted(sum(1 for _ in program.graph.walk()), "operation")])
    if functions := describe_functions(program):
        lines += labelled("functions", functions)
    return lines


def describe_sizes(made: Any) -> Iterator[str]:
    """For each array its sizes, those that are specialised as numbers, and which were generalised."""
    for value, (name, _, _) in zip((arg for arg in made.program.graph.block.args if isinstance(arg.type, ArrayType)), made.program.arrays):
        axes = [str(size) if isinstance(size, int) else "any" for size in value.type.dims]
        general = [str(axis) for kind, array, axis in sorted(made.generalized) if kind == "size" and array == name]
        note = f" (generalised: axis {', '.join(general)})" if general else ""
        yield f"{name}: {', '.join(axes) or 'rank 0'}{note}"


def constants(decisions: frozenset[Any], names: tuple[str, ...]) -> list[str]:
    """The inputs that the trace needed as constants, and the loops that it unrolled."""
    texts = (constant_text(decision) for decision in sorted(decisions, key=repr))
    return [with_user_names(text, names) for text in texts if text]


def constant_text(decision: tuple[Any, ...]) -> str:
    """One decision of the trace in words; empty for those that are no constants."""
    kind, subject = (*decision, None)[:2]
    if kind == "static":
        return f"{subject[1]} is a constant" if subject[0] == "number" else f"size {subject[2]} of {subject[1]} is a constant"
    if kind == "unroll":
        site = subject[0]
        return f"the loop at line {site[2]} is unrolled" if len(site) == 3 else "a loop is unrolled"
    return ""


def describe_host_calls(graph: Graph, executables: list[Any]) -> list[str]:
    """What runs in Python in the middle of compiled code, with the user's line; the same line is named once. What only makes an exception
    that is raised at once ends compiled code; an object that the program knows is only fetched."""
    raising = calls_that_raise(graph)
    labels = {label for executable in executables for label in getattr(executable, "host_calls", ())}
    found: dict[str, None] = {}
    for operation in walk_with_functions(graph):
        label = operation.attributes.get("label") or operation.name
        if operation.name == "host_call" and not operation.operands and operation.attributes.get("pure"):
            labels.discard(label)
        elif operation in raising:
            labels -= {label, operation.name}
        elif operation.name == "host_call" or operation.name in labels:
            found[place_text(label, operation)] = None
            labels.discard(label)
    return [*found, *sorted(labels)]


def calls_that_raise(graph: Graph) -> set[Operation]:
    """The statements that raise an exception, with the calls that make it there."""
    found = {operation for operation in walk_with_functions(graph) if operation.name == "raise_"}
    left = [(value.owner, end.block) for end in found for value in end.operands]
    while left:
        owner, block = left.pop()
        if isinstance(owner, Operation) and owner.name == "host_call" and owner.block is block and owner not in found:
            found.add(owner)
            left += [(value.owner, block) for value in owner.operands]
    return found


def place_text(label: str, operation: Operation) -> str:
    """A label with the user's line."""
    span = operation.span
    return f"{label}  at {span.location()}: {span.text()}" if span is not None else label


def describe_memory(graph: Graph, executables: list[Any]) -> list[str]:
    """Arrays that a call makes, and how many of them fusion does not store."""
    fresh = sum(1 for operation in walk_with_functions(graph) if makes_array(operation))
    lines = [f"{counted(fresh, 'operation')} of the graph {'gives' if fresh == 1 else 'give'} a fresh array"]
    for executable in executables[:1]:
        nests = getattr(executable, "kernels", "").count("kernel ")
        stored = getattr(executable, "allocations", None)
        lines[0] += f"; {counted(nests, 'loop nest')}" + ("" if stored is None else f", {counted(stored, 'allocation')}")
    return lines


def makes_array(operation: Operation) -> bool:
    """Whether the operation by itself makes an array in fresh memory."""
    own = operation.opdef.effect is Effect.PURE and operation.name not in ("dim", *CALLS)
    return own and any(isinstance(result.type, ArrayType) for result in operation.results)


def describe_functions(program: Any) -> list[str]:
    """Functions of the user's that the graph calls, and those called from several places that stay there, with the reason."""
    called = functions_of(program.graph).items()
    sizes = [(callee.name, count, sum(1 for _ in callee.graph.walk())) for callee, count in called]
    lines = [f"{name}: called from {counted(count, 'place')}, {counted(size, 'operation')}" for name, count, size in sizes]
    return lines + [f"{name} stays where it is called: {why}" for name, why in program.inlined]


def describe_layout(key: tuple[Any, ...]) -> str:
    """How the arguments of one executable lie in memory, and on which device it runs if that is not the CPU."""
    layouts, distinct, device = key
    where = "" if device == "cpu" else f"; on {device}"
    words = {"C": "contiguous", "A": "strided"}
    arrays = [words.get(layout, layout) for layout in layouts if layout]
    if not arrays:
        return f"no arrays{where}"
    return f"{', '.join(arrays)}; {'no two overlap' if distinct else 'they may overlap'}{where}"


def describe_seconds(seconds: dict[str, float], executables: list[Any]) -> str:
    """Seconds by stage."""
    total = dict(seconds)
    for executable in executables:
        for stage, spent in getattr(executable, "compile_seconds", {}).items():
            total[stage] = total.get(stage, 0.0) + spent
    known = [(name, total.pop(stage)) for stage, name in STAGES if stage in total]
    parts = [*known, *total.items()]
    return "  ".join(f"{name} {spent:.4f}" for name, spent in parts)
