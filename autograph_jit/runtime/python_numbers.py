"""Which results of a program are nothing but Python numbers, so that compiled code may make them itself.

NumPy's scalars, which compiled code makes otherwise, keep their dtype; a conversion of each costs as much as a short call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.ir.types import ScalarType
from autograph_jit.ops.direct_calls import PYTHON_NUMBERS
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.writing_back import Argument, PlaceWrite
from autograph_jit.tracing.structures.rebuilding import Fixed, Items, Leaf, Number, Rebuild, Shared

Use = tuple[int, Callable[[Any], Any] | None]


class Unknown(Exception):
    """A part of a result that is rebuilt in another way."""


def python_numbers(program: Program) -> frozenset[int]:
    """The places of such results."""
    writes = [write for write in program.write_back if isinstance(write, PlaceWrite)]
    if len(writes) < len(program.write_back):
        return frozenset()
    try:
        uses = [use for rebuild in (program.rebuild, *(write.build for write in writes)) for use in uses_of(rebuild)]
    except Unknown:
        return frozenset()
    others = {index for index, convert in uses if not is_python_number(program, index, convert)}
    return frozenset(index for index, _ in uses) - others


def uses_of(rebuild: Rebuild) -> Iterator[Use]:
    """The leaves that a result is made of, each with what it is converted to."""
    if isinstance(rebuild, Number):
        yield rebuild.index, rebuild.convert
    elif isinstance(rebuild, Leaf):
        yield rebuild.index, None
    elif isinstance(rebuild, Shared):
        yield from uses_of(rebuild.build)
    elif isinstance(rebuild, Items):
        for part in rebuild.parts:
            yield from uses_of(part)
    elif not isinstance(rebuild, Fixed | Argument):
        raise Unknown


def is_python_number(program: Program, index: int, convert: Callable[[Any], Any] | None) -> bool:
    """Whether a leaf has the dtype of the Python number that it becomes."""
    type = program.types[index]
    return isinstance(type, ScalarType) and convert is not None and PYTHON_NUMBERS.get(type.dtype) is convert
