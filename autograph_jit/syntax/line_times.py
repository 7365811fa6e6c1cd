"""What Python takes for each line of the user's functions by itself, by the instructions of its bytecode.

Calls are counted as calls: what a called function does is of the lines of that function.
"""

from __future__ import annotations

import dis
import itertools
from collections.abc import Iterator
from types import CodeType

from autograph_jit.originals import SCOPES_OF_PYTHON

USUAL = 7e-9  # seconds of an instruction; measured as docs/decisions.md says
QUICK = 1e-9  # of one that moves a variable or a constant, or jumps
CALLING = 35e-9  # of a call
BUILDING = 40e-9  # of one that makes a container or a text
VARIABLES = ("LOAD_FAST", "STORE_FAST", "LOAD_CONST", "LOAD_SMALL", "MAKE_CELL")
QUICK_NAMES = (*VARIABLES, "POP_TOP", "POP_ITER", "COPY", "SWAP", "RETURN", "END_FOR")
FREE_NAMES = ("CACHE", "NOP", "RESUME", "PRECALL", "PUSH_NULL", "KW_NAMES", "EXTENDED_ARG", "NOT_TAKEN", "LOAD_CLOSURE")
Line = tuple[str, str, int]  # a file, a function, a line


def seconds_of(name: str) -> float:
    """What an instruction takes, by its name."""
    if name.startswith(FREE_NAMES):
        return 0.0
    if name.startswith("CALL") and "INTRINSIC" not in name:
        return CALLING
    if name.startswith(("BUILD_", "FORMAT_")):
        return BUILDING
    return QUICK if name.startswith(QUICK_NAMES) or "JUMP" in name else USUAL


GET_ITER = dis.opmap["GET_ITER"]
END_FOR = bytes([dis.opmap["END_FOR"]]) if "END_FOR" in dis.opmap else b"\xff\xff"  # from 3.12 on a comprehension stands in its function
BY_NUMBER = [seconds_of(name) for name in dis.opname]
UNREAD: list[CodeType] = []
SECONDS: dict[Line, float] = {}


def note_code(code: CodeType) -> None:
    """A function of the user's is converted: its lines may be asked for."""
    UNREAD.append(code)


def seconds_of_line(line: Line) -> float:
    """What Python takes to go through a line once; 0 where it is of no function that was converted."""
    while UNREAD:
        code = UNREAD.pop()
        for place, seconds in lines_of(code, code.co_name).items():
            SECONDS[place] = max(SECONDS.get(place, 0.0), seconds)
    return SECONDS.get(line, 0.0)


def lines_of(code: CodeType, function: str) -> dict[Line, float]:
    """The lines of a function, with those of the functions inside it; of a line with a comprehension, what comes once and what each trip
    takes are not told apart by operations, so the least counts."""
    found: dict[Line, float] = {}
    for line, seconds in runs_of_lines(code):  # the test of a `while` is there twice, and each trip comes by one
        place = code.co_filename, function, line
        found[place] = max(seconds, found.get(place, 0.0))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            is_part = inner.co_name.startswith(SCOPES_OF_PYTHON)
            for place, seconds in lines_of(inner, function if is_part else inner.co_name).items():
                found[place] = min(seconds, found.get(place, seconds))
    return found


def runs_of_lines(code: CodeType) -> Iterator[tuple[int, float]]:
    """The lines of one function, with what their instructions take that follow one another; of a `for`, those of each trip."""
    ranges = ((line, code.co_code[start:end:2]) for start, end, line in code.co_lines() if line is not None)
    for line, parts in itertools.groupby(ranges, key=lambda found: found[0]):
        content = b"".join(part for _, part in parts)
        each_trip = content[content.rfind(GET_ITER) + 1 :].partition(END_FOR)[0]
        yield line, sum(BY_NUMBER[number] for number in each_trip)
