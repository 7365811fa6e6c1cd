"""Every program of the suite."""

from __future__ import annotations

from benchmarks.everyday_python import (
    chance,
    codes,
    containers,
    graphs,
    instances,
    larger_machines,
    larger_models,
    number_classes,
    numerics,
    objects,
    parsers,
    pipelines,
    puzzles,
    simulations,
    text,
    words,
)
from benchmarks.everyday_python.program import Program

MODULES = (
    parsers,
    text,
    words,
    codes,
    objects,
    instances,
    number_classes,
    graphs,
    containers,
    puzzles,
    simulations,
    chance,
    numerics,
    pipelines,
    larger_machines,
    larger_models,
)
PROGRAMS: tuple[Program, ...] = tuple(program for module in MODULES for program in module.PROGRAMS)


def choose(text: str) -> list[Program]:
    """Those whose name or kind contains a text."""
    return [program for program in PROGRAMS if text in program.name or text in program.kind]
