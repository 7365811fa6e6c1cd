"""The nodes of a graph, read from the text that `graph(*args)` of a compiled function gives (its grammar: docs/ir.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TYPED = re.compile(r"%(\w+): ([^%]+?)(?=, %|$)")
OPERATION = re.compile(r"(?:(?P<results>%.*?) = )?(?P<op>\w+)\((?P<operands>[^)]*)\)")
BLOCK = re.compile(r"do \((?P<parameters>.*)\) \{$")


@dataclass(frozen=True, slots=True)
class Node:
    """An operation, or a parameter of a block: its name with the groups that it is in, its inputs by name, the type of its results."""

    name: str
    op: str
    inputs: tuple[str, ...]
    type: str


def nodes_of(text: str) -> Iterator[Node]:
    """The nodes of a graph in order.

    >>> for node in nodes_of("graph f(%x: f64) {\\n %0: f64 = sin(%x) @f.py:1\\n yield %0\\n}"):
    ...     print(node.name, node.op, node.inputs)
    x parameter ()
    sin_0 sin ('x',)
    yield_2 yield ('sin_0',)
    """
    names: dict[str, str] = {}
    groups: list[str] = []
    for number, line in enumerate(map(str.strip, text.splitlines())):
        closed = groups.pop() if line.startswith("}") and groups else ""
        group = "".join(name + "/" for name in groups)
        operation, block = OPERATION.match(line), BLOCK.search(line)
        if line.startswith("graph "):
            yield from parameters_of(line[line.index("(") + 1 : line.rindex(")")], "", names)
        elif line.startswith("yield"):
            yield Node(f"{group}yield_{number}", "yield", inputs_of(line, names), "")
        elif operation:
            results = TYPED.findall(operation["results"] or "")
            name = f"{operation['op']}_{results[0][0] if results else number}"
            yield Node(group + name, operation["op"], inputs_of(operation["operands"], names), ", ".join(type for _, type in results))
            names |= {value: f"{group}{name}:{index}".removesuffix(":0") for index, (value, _) in enumerate(results)}
        if block:
            groups.append(closed + "_else" if closed else name)  # `} do (...) {` opens the next block of the operation
            yield from parameters_of(block["parameters"], f"{group}{groups[-1]}/", names)


def parameters_of(text: str, group: str, names: dict[str, str]) -> Iterator[Node]:
    for value, type in TYPED.findall(text):
        names[value] = f"{group}{value}"
        yield Node(names[value], "parameter", (), type)


def inputs_of(text: str, names: dict[str, str]) -> tuple[str, ...]:
    return tuple(names[value] for value in re.findall(r"%(\w+)", text) if value in names)
