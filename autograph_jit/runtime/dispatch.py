"""A compiled function: finds the program whose guards hold, traces and compiles one where none does, runs it."""

from __future__ import annotations

import functools
import threading
import time
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.runtime.executables import compile_program
from autograph_jit.runtime.frames import raise_at
from autograph_jit.runtime.program import Args, Program, trace_program
from autograph_jit.runtime.settings import settings
from autograph_jit.staging.trace import current

MAX_PROGRAMS = 32


@dataclass
class Specialization:
    """A program with its executables, by memory layout of the arguments."""

    program: Program
    executables: dict[Any, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    calls: int = 0


class CompiledFunction:
    """What `ag.compile` returns."""

    def __init__(self, function: Callable[..., Any], convert: Callable[[Any], Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function, self.convert, self.options = function, convert, options
        self.specializations: list[Specialization] = []
        self.generalized: set[Any] = set()
        self.lock = threading.RLock()
        self.fell_back: str | None = None
        self.owner: Any = None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current() is not None or settings.eager:
            return self.run_plain(args, kwargs)
        arguments = (*args, kwargs)
        for specialization in self.specializations:
            if specialization.program.matches(arguments):
                return self.run(specialization, arguments)
        return self.first_call(arguments)

    def run_plain(self, args: Args, kwargs: dict[str, Any]) -> Any:
        """Run the plain function, or its conversion inside another trace."""
        if current() is not None:
            return self.convert(self.function)(*args, **kwargs)
        return self.function(*args, **kwargs)

    def first_call(self, arguments: Args) -> Any:
        """Trace for these arguments, or run in Python where that is asked for and cannot be avoided."""
        if self.fell_back is not None:
            return self.function(*arguments[:-1], **arguments[-1])
        try:
            specialization = self.specialize(arguments)
        except ConversionError as error:
            if self.options["fallback"] == "error":
                raise
            self.fell_back = str(error)
            warnings.warn(f"{self.function.__qualname__} runs in Python, uncompiled:\n{error}", stacklevel=3)
            return self.function(*arguments[:-1], **arguments[-1])
        return self.run(specialization, arguments)

    def specialize(self, arguments: Args) -> Specialization:
        """A new specialization for these arguments; another thread may have made it meanwhile."""
        with self.lock:
            for specialization in self.specializations:
                if specialization.program.matches(arguments):
                    return specialization
            if len(self.specializations) >= MAX_PROGRAMS:
                self.fell_back = self.explain_cap(arguments)
                raise ConversionError(self.fell_back, None, "each call so far needed a program of its own", "pass changing values as array elements or numbers, not as constants")
            self.generalize(arguments)
            started = time.perf_counter()
            program = trace_program(self.function.__name__, self.convert(self.function), arguments, frozenset(self.generalized), self.static_names(arguments))
            made = Specialization(program, seconds={"trace": time.perf_counter() - started})
            self.specializations.append(made)
            return made

    def static_names(self, arguments: Args) -> frozenset[str]:
        """The arguments that `static_argnames` makes constants, under the names the trace gives them."""
        wanted = self.options["static_argnames"]
        if not wanted:
            return frozenset()
        names = self.function.__code__.co_varnames if hasattr(self.function, "__code__") else ()
        positions = {name: f"arg{index}" for index, name in enumerate(names[: len(arguments) - 1])}
        return frozenset(positions.get(name, name) for name in wanted)

    def generalize(self, arguments: Args) -> None:
        """Sizes that differ from an earlier specialization's stop being specialised."""
        for specialization in self.specializations:
            for name, getter, shape in specialization.program.arrays:
                try:
                    found = np.shape(getter(arguments))
                except (AttributeError, KeyError, IndexError, TypeError):
                    continue
                if len(found) == len(shape):
                    self.generalized |= {("size", name, axis) for axis, (old, new) in enumerate(zip(shape, found)) if old != new and new > 1}

    def explain_cap(self, arguments: Args) -> str:
        """What changed between this call and the last specialization."""
        failed = [guard.text for guard in self.specializations[-1].program.guards if not guard.holds(arguments)]
        return f"{self.function.__qualname__} was compiled {MAX_PROGRAMS} times and this call needs another: the last program expects {'; '.join(failed) or 'other arguments'}"

    def run(self, specialization: Specialization, arguments: Args) -> Any:
        """Run a specialization whose guards hold."""
        program = specialization.program
        leaves = program.leaves(arguments)
        key = layout_key(leaves)
        executable = specialization.executables.get(key)
        if executable is None:
            with self.lock:
                executable = specialization.executables.get(key)
                if executable is None:
                    executable = specialization.executables[key] = compile_program(program, key, self.options)
        specialization.calls += 1
        try:
            results = executable(*leaves)
        except Exception as exception:
            span = getattr(exception, "__autograph_span__", None)
            if span is None:
                raise
            del exception.__autograph_span__  # type: ignore[attr-defined]
            raise_at(exception, span)
        return program.finish(results, arguments)


def layout_key(leaves: list[Any]) -> tuple[Any, ...]:
    """Per array "C" or "A" (any), and whether no two arrays overlap."""
    arrays = [leaf for leaf in leaves if type(leaf) is np.ndarray]
    layouts = tuple(("C" if leaf.flags.c_contiguous and leaf.flags.aligned else "A") if type(leaf) is np.ndarray else "" for leaf in leaves)
    return layouts, are_distinct(arrays)


def are_distinct(arrays: list[np.ndarray]) -> bool:
    """Whether no two arrays share memory bounds."""
    for index, first in enumerate(arrays):
        for second in arrays[index + 1:]:
            if not (first.base is None and second.base is None) and np.may_share_memory(first, second):
                return False
    return True
