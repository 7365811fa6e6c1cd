"""One definition for each operation; importing the package registers them all."""

from autograph_jit.ops import (
    comparison,
    control_flow,
    creation,
    effects,
    elementwise,
    indexing,
    linalg,
    lists,
    logical,
    marks,
    memory,
    movement,
    reduction,
    special,
    tables,
)

__all__ = [
    "comparison",
    "control_flow",
    "creation",
    "effects",
    "elementwise",
    "indexing",
    "linalg",
    "lists",
    "logical",
    "marks",
    "memory",
    "movement",
    "reduction",
    "special",
    "tables",
]
