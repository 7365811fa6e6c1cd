"""Random indices, slices, gathers and scatters on arrays with guards around their memory: NumPy's result or its exception, nothing else.

scripts/fuzz --indices 100000        judge so many calls

A few programs are compiled once for each dtype and rank and called with thousands of index sets. Where the system can protect pages, a
contiguous array ends or begins at a page that cannot be read or written, so that one element too far ends the process; every array lies
among canaries, whose bytes are compared after each call. The judge is NumPy on an equal array; only indices that NumPy itself takes safely
are given to it.
"""

from __future__ import annotations

import ctypes
import mmap
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.errors import BEYOND_TEXTS

CANARY = 0xA5
MARGIN = 96  # bytes of canaries on either side
NOTABLE = (
    0, 1, -1, 2, 3, 5, -6, 7, -8, 255, 256, 2**15, 2**31 - 1, 2**31, 2**31 + 1, -(2**31), -(2**31) - 1, 2**32, 2**40, 2**60,
    -(2**61), 2**62, 2**63 - 1, -(2**63), -(2**63) + 1,
)  # fmt: skip
SIZES = (0, 1, 2, 3, 4, 5, 8, 9, 17)
WIDTHS = (0, 2, 3, 4, 5, 9)  # fewer kinds of sizes: each of 0, 1 and more has a program of its own
DTYPES = ("float64", "int64", "float32", "uint8", "complex128", "bool")
PROT_NONE, PROT_ALL = 0, 3


def read_element(x: Any, i: int, j: int, k: int) -> Any:
    return x[i]


def write_element(x: Any, i: int, j: int, k: int) -> Any:
    x[i] = x[j]


def add_to_elements(x: Any, i: int, j: int, k: int) -> Any:
    x[i] += 1
    x[j % 7] += 2
    return x[k - i]


def read_slice(x: Any, i: int, j: int, k: int) -> Any:
    return x[i:j].sum(), x[i:j:2].size, x[j:i:-1].copy(), x[:i].size, x[k:].shape


def write_slice(x: Any, i: int, j: int, k: int) -> Any:
    x[i:j] = 1
    x[j:i:-1] = 0
    x[:k] = x[-1:]


def stepped_slice(x: Any, i: int, j: int, k: int) -> Any:
    x[i:j:k] = 1
    return x[i::k].copy()


def overlapping_slices(x: Any, i: int, j: int, k: int) -> Any:
    x[i:j] = x[j:k]
    return x


def slice_of_slice(x: Any, i: int, j: int, k: int) -> Any:
    v = x[i:j]
    v[k:] = 1
    return v[::-1][i:]


def gather(x: Any, i: int, j: int, k: int) -> Any:
    return x[np.array([i, j, 0])]


def scatter(x: Any, i: int, j: int, k: int) -> Any:
    x[np.array([i, j])] = 1


def scatter_sum(x: Any, i: int, j: int, k: int) -> Any:
    np.add.at(x, np.array([i, j, i]), 1)


def take_and_put(x: Any, i: int, j: int, k: int) -> Any:
    y = np.take(x, np.array([i, j]), axis=0, mode="clip")
    x[:1] = y[:1]
    return np.take(x, np.array([k % 90 - 45, i % 9]), axis=0, mode="wrap") if x.size else y  # NumPy wraps by adding, again and again


def last_axis(x: Any, i: int, j: int, k: int) -> Any:
    x[..., i] = 1
    return x[..., j:k].copy()


def masked(x: Any, i: int, j: int, k: int) -> Any:
    mask = np.arange(x.shape[0]) % 2 == i % 2
    y = x[mask]
    x[mask] = y[::-1]
    return y, x[i] if mask.any() else None


def loop_of_writes(x: Any, i: int, j: int, k: int) -> Any:
    for step in range(5):
        x[j - step * 2] = x[i + step]


def loop_over_positions(x: Any, i: int, j: int, k: int) -> Any:
    total = 0
    for position in range(i, i + 6):
        if position < len(x):
            x[position] += 1
            total += position % 11
    return total


def while_loop_downwards(x: Any, i: int, j: int, k: int) -> Any:
    position, steps = j, 0
    while steps < 4:
        x[position] = x[position - 1]
        position, steps = position - 3, steps + 1
    return position


def arithmetic_on_indices(x: Any, i: int, j: int, k: int) -> Any:
    low, high = min(i, j), max(i, j)
    return x[low // 2 : high % 13], x[(i ^ j) & 3], x[(k | 1) % max(len(x), 1)]


def rolled(x: Any, i: int, j: int, k: int) -> Any:
    return np.roll(x, i % 1000003, axis=0), np.repeat(x, (j % 5), axis=0).shape, np.delete(x, i % 3, axis=0)


def put_where_told(x: Any, i: int, j: int, k: int) -> Any:
    np.put(x, np.array([i, j]), x[:1].sum() if x.size else 1)
    np.put(x, np.array([j, i]), 1, mode="clip")
    np.put(x, np.array([k]), 0, mode="clip")


def take_where_told(x: Any, i: int, j: int, k: int) -> Any:
    return x.take(np.array([[i, j]]), axis=0), np.take(x, k)


def along_an_axis(x: Any, i: int, j: int, k: int) -> Any:
    np.put_along_axis(x, np.array([i, j]), 1, axis=0)
    return np.take_along_axis(x, np.array([j, k, i]), axis=0)


def compressed(x: Any, i: int, j: int, k: int) -> Any:
    kept = np.arange(k % 12) % 3 == i % 3
    return np.compress(kept, x, axis=0), np.repeat(x, np.full(len(x), j % 4), axis=0)


def extreme_at(x: Any, i: int, j: int, k: int) -> Any:
    np.maximum.at(x, np.array([i, k % 5]), 1)
    np.subtract.at(x, np.array([j]), 1)


def inserted(x: Any, i: int, j: int, k: int) -> Any:
    return np.insert(x, i, 1), np.delete(x, j), x[np.searchsorted(np.sort(x), x[k % 3 :])]


VECTOR_PROGRAMS = (
    read_element, write_element, add_to_elements, read_slice, write_slice, stepped_slice, overlapping_slices, slice_of_slice, gather,
    scatter, scatter_sum, put_where_told, take_where_told, along_an_axis, compressed, extreme_at, inserted, take_and_put, last_axis,
    masked, loop_of_writes, loop_over_positions, while_loop_downwards,
    arithmetic_on_indices, rolled,
)  # fmt: skip


def matrix_element(x: Any, i: int, j: int, k: int) -> Any:
    x[i, j] = x[j, k]
    return x[k, i]


def matrix_slices(x: Any, i: int, j: int, k: int) -> Any:
    x[i:j, k] = 1
    return x[i, j:k].copy(), x[::-1, i:j].sum(), x[i:, :k].size


def matrix_gather(x: Any, i: int, j: int, k: int) -> Any:
    x[np.array([i, j]), np.array([k, 0])] = 1
    return x[np.array([0, i]), j], x[:, np.array([k, 0])]


def matrix_loop(x: Any, i: int, j: int, k: int) -> Any:
    for row in range(3):
        for column in range(3):
            x[i + row, j - column] += 1
    return x.shape


def matrix_window(x: Any, i: int, j: int, k: int) -> Any:
    window = x[max(i, 0) : i + 2, max(j, 0) : j + 2]
    window[...] = 1
    return window.T[k:], np.diagonal(x), x.reshape(-1)[i:j]


MATRIX_PROGRAMS = (
    read_element, read_slice, write_slice, stepped_slice, gather, scatter, last_axis, masked, matrix_element, matrix_slices, matrix_gather,
    matrix_loop, matrix_window,
)  # fmt: skip


@dataclass
class Guarded:
    """An array among canaries; contiguous ones may touch a page that cannot be accessed at their end or beginning."""

    array: np.ndarray
    region: np.ndarray  # the bytes around and including the array
    kept: list[Any] = field(default_factory=list)


class Pages:
    """Three pages, the outer two of which cannot be accessed; None of it where the system does not protect pages."""

    def __init__(self) -> None:
        self.size = mmap.PAGESIZE
        self.memory = mmap.mmap(-1, 3 * self.size)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for page in (0, 2):
            if protect(ctypes.c_void_p(self.start + page * self.size), self.size, PROT_NONE):
                raise OSError(ctypes.get_errno(), "mprotect")
        self.inner = np.frombuffer(self.memory, np.uint8, self.size, self.size)


def guarded_pages() -> Pages | None:
    return Pages() if sys.platform.startswith("linux") else None


def place(content: np.ndarray, layout: str, pages: Pages | None) -> Guarded:
    """A copy of the content with guards around it, laid out as asked for."""
    if layout in ("end", "start") and pages is not None and content.nbytes <= pages.size - 2 * MARGIN:
        pages.inner[:] = CANARY
        offset = pages.size - content.nbytes if layout == "end" else 0
        array = pages.inner[offset : offset + content.nbytes].view(content.dtype).reshape(content.shape)
        array[...] = content
        return Guarded(array, pages.inner)
    step = {"strided": 2, "reversed": -1}.get(layout, 1)
    padded = [size * abs(step) for size in content.shape]
    margin = MARGIN // content.dtype.itemsize
    region = np.full(2 * MARGIN + int(np.prod(padded)) * content.dtype.itemsize, CANARY, np.uint8)
    inner = region[MARGIN : region.size - MARGIN].view(content.dtype).reshape(padded)
    array = inner[tuple(slice(None, None, step) for _ in content.shape)]
    array[...] = content
    assert margin
    return Guarded(array, region)


LAYOUTS = ("end", "start", "end", "inside", "strided", "reversed")


def described(value: Any) -> Any:
    """What a result is, down to its bytes."""
    if isinstance(value, tuple):
        return tuple(map(described, value))
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, np.ascontiguousarray(value).tobytes()
    return type(value).__name__, repr(value)


def outcome(function: Callable[..., Any], guarded: Guarded, indices: tuple[int, ...]) -> tuple[Any, str, bytes]:
    """What a call gives, what it raises, and all bytes around the array afterwards."""
    result, error = None, ""
    try:
        result = described(function(guarded.array, *indices))
    except (IndexError, ValueError, OverflowError, MemoryError) as raised:
        error = f"{type(raised).__name__}: {raised}"
    return result, error, guarded.region.tobytes()


def index_of(dice: random.Random, size: int) -> int:
    """Near the bounds, notable, or anything of 64 bits."""
    form = dice.random()
    if form < 0.45:
        return dice.randint(-size - 2, size + 2)
    if form < 0.85:
        return dice.choice(NOTABLE) + dice.choice((0, 0, 0, 1, -1)) if form < 0.8 else dice.choice(NOTABLE)
    return dice.getrandbits(64) - 2**63


def as_index(index: int, kind: type) -> Any:
    """An index of this kind. Python's ints stay so small that arithmetic with them does: beyond 62 bits each is a constant of its own."""
    limit = 2**61 if kind is int else 2**63
    return kind(max(min(index, limit - 1), -limit))


def is_refusal(error: str) -> bool:
    """Whether an exception says that an int left 64 bits."""
    return error.startswith(tuple(f"OverflowError: {text}" for text in BEYOND_TEXTS))


@dataclass
class Case:
    """One call: the program, its array and indices."""

    program: Callable[..., Any]
    dtype: str
    shape: tuple[int, ...]
    layout: str
    indices: tuple[Any, Any, Any]


def cases(count: int, seed: int) -> Iterator[Case]:
    """Random calls, the same for the same seed."""
    dice = random.Random(seed)
    for _ in range(count):
        rank = 1 if dice.random() < 0.65 else 2
        program = dice.choice(VECTOR_PROGRAMS if rank == 1 else MATRIX_PROGRAMS)
        shape = tuple(dice.choice(SIZES if rank == 1 else WIDTHS) for _ in range(rank))
        dtype = DTYPES[program.__code__.co_firstlineno % len(DTYPES)] if dice.random() < 0.3 else "float64"
        kind = np.int64 if dtype == "float64" and dice.random() < 0.6 else int
        first, second, third = (as_index(index_of(dice, shape[0]), kind) for _ in range(3))
        yield Case(program, dtype, shape, dice.choice(LAYOUTS), (first, second, third))


def content_of(case: Case) -> np.ndarray:
    count = int(np.prod(case.shape))
    return (np.arange(count) % 5 + 1).astype(case.dtype).reshape(case.shape)


class IndexCampaign:
    """Programs compiled once and called many times; what differed, and how many calls ended how."""

    def __init__(self) -> None:
        self.compiled = {program: ag.compile(program, fallback="error") for program in (*VECTOR_PROGRAMS, *MATRIX_PROGRAMS)}
        self.pages = guarded_pages()
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def judge(self, case: Case) -> None:
        """Call NumPy and the compiled program on equal arrays."""
        content = content_of(case)
        with np.errstate(all="ignore"):
            want = outcome(case.program, place(content, case.layout, self.pages), case.indices)
            got = outcome(self.compiled[case.program], place(content, case.layout, self.pages), case.indices)
        kinds = got[1].partition(":")[0], want[1].partition(":")[0]
        if got == want:
            self.counts[kinds[1] or "a result"] += 1
        elif kinds == ("IndexError", "IndexError") and got[2] == want[2]:
            self.counts["IndexError of another of several wrong indices"] += 1
        elif is_refusal(got[1]):
            self.counts["refused: an int beyond 64 bits"] += 1
        else:
            self.faults.append(f"{case}: {got[:2]}, expected {want[:2]}" + ("" if got[2] == want[2] else "; memory differs"))

    def run(self, count: int, seed: int = 0) -> None:
        with ag.config(max_programs=500):
            for case in cases(count, seed):
                self.judge(case)

    def report(self) -> str:
        total = sum(self.counts.values()) + len(self.faults)
        lines = [f"{count:7} {kind}" for kind, count in self.counts.most_common()]
        return "\n".join([f"{total} calls, {len(self.faults)} faults", *lines, *self.faults[:20]])
