"""A compiled function: finds the program whose guards hold, traces and compiles one where none does, runs it."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from autograph_jit.autodiff.checkpointing.budget import UNBOUNDED
from autograph_jit.budget import Account, counting
from autograph_jit.callers import warn_caller
from autograph_jit.errors import RAISED_BY_PROGRAM, ConversionError, Deoptimized, GraphNeeded
from autograph_jit.interrupts import keeping_interrupts
from autograph_jit.ops.dispatch import EAGER, current_interpreter, is_recorded, tell_of_write
from autograph_jit.runtime import logs
from autograph_jit.runtime.binding import BoundFunction
from autograph_jit.runtime.budgets import begin, is_last
from autograph_jit.runtime.direct import MISS, write_direct_call
from autograph_jit.runtime.effects import acts_outside
from autograph_jit.runtime.entering import before_left, make_entrance
from autograph_jit.runtime.exactness import asks_for_graph, checkpoint_decisions, exact_decisions, may_run_again
from autograph_jit.runtime.executables import compile_program
from autograph_jit.runtime.failures import may_fall_back, named_failures, without_system_error
from autograph_jit.runtime.feedback import note_raised, refuse_counted, tell_of_calls
from autograph_jit.runtime.frames import raise_at_span
from autograph_jit.runtime.inspection import Inspected
from autograph_jit.runtime.kept_programs import keep_program, recall_program
from autograph_jit.runtime.kept_refusals import keep, recall
from autograph_jit.runtime.layouts import layout_key
from autograph_jit.runtime.making import make_specialization
from autograph_jit.runtime.pickling import Referenced
from autograph_jit.runtime.preferences import for_other_contents, may_choose_python, other_content
from autograph_jit.runtime.program import trace_program
from autograph_jit.runtime.python_loops import without_python_loops
from autograph_jit.runtime.python_numbers import python_numbers
from autograph_jit.runtime.reasons import positional_names, static_names, too_many
from autograph_jit.runtime.recordings import Recording, make_recording, refusal
from autograph_jit.runtime.refusals import Refusals, refuse_lazy
from autograph_jit.runtime.settings import current_device, device_here, eager_here, settings
from autograph_jit.runtime.specializations import AGAIN, Specialization, changed_sizes, looked_for
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS
from autograph_jit.tracing.values.trace import current, unusual
from autograph_jit.weak import WeakKeys

UNRECORDED, CALLS_OFTEN = "runs in Python where a tape records it", "calls Python often"
living: WeakKeys[CompiledFunction, None] = WeakKeys()


def renew_locks() -> None:
    """In the child of a fork: nobody will release what other threads of the parent held."""
    for function in living:
        function.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)


class CompiledFunction(Referenced, Inspected):
    """What `ag.compile` returns. `__call__` is looked up in the class, which has a slot for it: each function has its own, an entrance
    in front of `call_in_general` as soon as there is one."""

    __slots__ = ("__call__",)
    __call__: Callable[..., Any]

    def __init__(
        self, function: Callable[..., Any], convert: Callable[[Any], Any], options: dict[str, Any], initial: frozenset[Any] = frozenset()
    ) -> None:
        update_wrapper(self, function)
        self.function, self.convert, self.options, self.initial = function, convert, options, initial
        self.specializations: list[Specialization] = []
        self.generalized: set[Any] = set()
        self.direct_calls: dict[str, tuple[Callable[..., Any], ...]] = {}
        self.lock = threading.RLock()
        self.refusals = Refusals(function)
        self.account, self.recordings = Account(), list[Recording]()
        self.told: set[str] = set()
        self.recalls = True  # whether programs of other processes are looked for
        self.device = options["device"]
        self.name = getattr(function, "__qualname__", None) or type(function).__name__
        self.__call__ = self.call_in_general
        living[self] = None

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundFunction(self, instance)

    def __repr__(self) -> str:
        return f"<compiled {self.name}>"

    def call_in_general(self, *args: Any, **kwargs: Any) -> Any:
        """A call that no entrance has taken."""
        if unusual and (current() is not None or self.has_python_form() and (settings.eager or eager_here.get())):
            return self.run_plain(args, kwargs)
        for call in self.direct_calls.get(self.device or device_here.get() or settings.device, ()):
            result = call(args, kwargs)
            if result is not MISS:
                return result
        arguments = (*args, kwargs)
        for specialization in self.specializations:
            if specialization.program.matches(arguments):
                return self.run(specialization, arguments)
        return self.first_call(arguments)

    def __staged__(self) -> Callable[..., Any]:
        """What a call from other compiled code runs: the function becomes a part of the caller's program."""
        return self.function

    def run_plain(self, args: Args, kwargs: dict[str, Any]) -> Any:
        """Run the plain function, or its conversion inside another trace."""
        if current() is not None:
            return self.convert(self.function)(*args, **kwargs)
        return self.function(*args, **kwargs)

    def first_call(self, arguments: Args) -> Any:
        """Trace for these arguments, or run in Python where that is asked for and cannot be avoided."""
        if self.refusals.covers(arguments):
            return self.run_refused(arguments)
        if (kept := recall(self, arguments)) is not None:
            return self.fall_back(kept.reason, arguments, kept.is_general)
        try:
            specialization = self.specialize(arguments)
        except ConversionError as error:
            is_setup = self.may_run_once(error)
            if not is_setup:
                if not may_fall_back(error, self.options["fallback"]):
                    raise
                keep(self, error, arguments)
            reason, is_general = str(error), is_last(error)
        else:
            self.refusals.are_for_setup(None)
            return self.run(specialization, arguments)
        if is_setup:  # outside of the handler, which its exceptions have nothing to do with
            return self.function(*arguments[:-1], **arguments[-1])
        return self.fall_back(reason, arguments, is_general)

    def may_run_once(self, error: ConversionError) -> bool:
        """Whether a call runs in Python to make the Variables that later ones use."""
        return self.has_python_form() and self.refusals.are_for_setup(error)

    def fall_back(self, reason: str, arguments: Args, is_general: bool = False) -> Any:
        """Run calls like this one in Python from now on, and say so once for each reason."""
        with self.lock:
            is_new = self.refusals.note(reason, arguments, self, is_general)
        if is_new:
            logs.fallbacks.info("%s: %s", self.name, reason)
            warn_caller(f"{self.name} runs in Python, uncompiled:\n{reason}")
        return self.refusals.plain(*arguments[:-1], **arguments[-1])

    def run_refused(self, arguments: Args) -> Any:
        """Run a call like one that was refused. A second call pays for the way to it: a function may run only once."""
        with self.lock:
            if self.refusals.are_to_be_installed():
                self.collect_direct_calls()
        return self.refusals.plain(*arguments[:-1], **arguments[-1])

    def prepare(self, arguments: Args) -> Specialization:
        """The specialization for these arguments, made if there is none."""
        self.recalls = False
        for specialization in self.specializations:
            if specialization.program.matches(arguments):
                return self.traced(specialization, arguments)
        return self.specialize(arguments)

    def specialize(self, arguments: Args) -> Specialization:
        """A new specialization for these arguments; another thread may have made it meanwhile."""
        with self.lock, named_failures(self.name):
            for specialization in self.specializations:
                if specialization.program.matches(arguments):
                    return specialization
            changed = changed_sizes(self.specializations, arguments)
            self.refuse(arguments, is_resized=not changed <= self.generalized)
            self.generalized |= changed
            found = recall_program(self, arguments) if self.recalls else None
            if found is None:
                return self.trace(arguments, self.initial)
            self.specializations.append(found)
            return found

    def traced(self, specialization: Specialization, arguments: Args) -> Specialization:
        """A specialization; where another process has traced it, the one that this process makes for the same arguments instead."""
        if specialization.program.is_traced:
            return specialization
        self.drop(specialization)
        self.recalls = False
        return self.specialize(arguments)

    def refuse(self, arguments: Args, is_resized: bool) -> None:
        """ConversionError for what is never traced, and for one program too many; the next may serve other sizes than the last."""
        refuse_lazy(self.function, self.name)
        if not is_resized and self.may_choose_python() and not self.options["static_argnames"]:
            others = for_other_contents(self.specializations, arguments)
            for made in others:  # calls with any content are refused from now on
                self.drop(made)
            if others:
                raise other_content(others[0].program, arguments, positional_names(self.function))
        if len(self.specializations) >= settings.max_programs:
            raise too_many([made.program for made in self.specializations], arguments, self.function, self.name)

    @keeping_interrupts()
    def trace(self, arguments: Args, initial: frozenset[Any] = frozenset()) -> Specialization:
        """Convert the function and trace it for these arguments; a program with `initial` decisions is tried before the others."""
        made = make_specialization(self, arguments, initial)
        self.specializations.insert(0 if initial - self.initial else len(self.specializations), made)
        logs.recompiles.info("%s: program %d: %s", self.name, made.number, made.reason)
        return made

    def may_choose_python(self) -> bool:
        """Whether calls may run in Python although they could be compiled."""
        return may_choose_python(self.options) and (self.device or current_device()) == "cpu"

    def run(self, specialization: Specialization, arguments: Args) -> Any:
        """Run a specialization whose guards hold."""
        program = specialization.program
        if program.is_left:
            return self.run_left(specialization, arguments)
        leaves = program.leaves(arguments)
        if not program.is_traced and self.needs_graph(specialization, leaves):
            self.drop(specialization)
            self.recalls = False
            return self.first_call(arguments)
        if program.boxes and is_recorded():
            if current_interpreter.get() is not EAGER:
                return self.run_recorded(specialization, arguments)
            for leaf in leaves:
                tell_of_write(leaf)
        is_due = specialization.is_due()
        try:
            if is_due:
                self.look_at_counts(specialization)
            executable = self.executable_for(specialization, leaves)
        except ConversionError as error:
            if not may_fall_back(error, self.options["fallback"]):
                raise
            executable, reason, is_general = None, str(error), is_last(error)
            keep(self, error, arguments)
        if executable is None:
            self.drop(specialization)
            return self.fall_back(reason, arguments, is_general)
        if not specialization.calls:
            keep_program(self, specialization, arguments)
        else:
            self.call_directly(specialization, leaves, executable)
        specialization.calls += 1
        try:
            results = executable(*leaves)
        except Deoptimized:
            results = None
        except Exception as exception:
            return self.failed(specialization, exception, arguments)
        if results is None:
            return self.function(*arguments[:-1], **arguments[-1])
        result = program.finish(results, arguments)
        if is_due and self.options["fallback"] == "error" and CALLS_OFTEN not in self.told and tell_of_calls(specialization, self.name):
            self.told.add(CALLS_OFTEN)
        return result

    def needs_graph(self, specialization: Specialization, leaves: list[Any]) -> bool:
        """Whether a call looks at the graph: at counts, or for code for another layout."""
        is_looked_at = specialization.calls > 0 and specialization.is_due()
        return is_looked_at or self.executable_key(leaves) not in specialization.executables

    def run_left(self, specialization: Specialization, arguments: Args) -> Any:
        """Run a call in Python that only raises. A second call pays for the way to it."""
        specialization.calls += 1
        if specialization.calls > 1 and not specialization.direct:
            self.call_directly(specialization, specialization.program.leaves(arguments), None)
        return self.function(*arguments[:-1], **arguments[-1])

    def look_at_counts(self, specialization: Specialization) -> None:
        """SlowerThanPython where the calls so far prove that later ones belong in Python; otherwise look again later. One thread looks."""
        with self.lock:
            if specialization.is_due():
                specialization.look_later()
                if self.may_choose_python():
                    refuse_counted(specialization)

    def drop(self, specialization: Specialization) -> None:
        """Calls do not go to a specialization any more."""
        with self.lock:
            self.specializations = [made for made in self.specializations if made is not specialization]
            self.collect_direct_calls()

    def run_recorded(self, specialization: Specialization, arguments: Args) -> Any:
        """Run a call that a tape records as one operation; in Python where that has no derivative."""
        call = None
        if UNRECORDED in self.told:
            return self.function(*arguments[:-1], **arguments[-1])
        try:
            specialization = self.traced(specialization, arguments)
            recording = self.recording_for(specialization, arguments)
            call, operands = recording.call(arguments)
            return recording.run(call, operands, arguments, self.name)
        except ConversionError as error:
            in_python = self.options.get("recorded_in_python", False)
            if not refusal(call, error) or (self.options["fallback"] == "error" and not in_python):
                raise
            if in_python:
                self.told.add(UNRECORDED)
                return self.function(*arguments[:-1], **arguments[-1])
            reason = str(error)
        except Exception as exception:
            if exact_decisions(specialization.program, exception):
                return self.function(*arguments[:-1], **arguments[-1])
            raise_at_span(exception)
        return self.call_in_python("runs in Python, uncompiled, where ag.GradientTape records it", reason, arguments)

    def recording_for(self, specialization: Specialization, arguments: Args) -> Recording:
        """The recording for these arguments, made if there is none."""
        with self.lock:
            for recording in self.recordings:
                if recording.program.matches(arguments):
                    return recording
            decisions = without_python_loops(specialization.program.decisions) | {UNBOUNDED, PYTHON_LISTS}
            name, generalized = self.name.rpartition(".")[2], frozenset(self.generalized)
            static, convert = static_names(self.function, self.options["static_argnames"], arguments), partial(self.convert, self.function)
            with named_failures(name), counting(begin(self.account, name, self.options, for_tape=True)):
                recording = make_recording(
                    lambda keep: trace_program(name, convert, arguments, generalized, static, decisions, keep),
                    arguments,
                    self.device or current_device(),
                )
            self.recordings.append(recording)
            return recording

    def repeat_in_python(self, specialization: Specialization, exception: Exception, arguments: Args, what: str = AGAIN) -> Any:
        """Make a call again in Python, whose ints are exact; later ones go there at once, where nearly all had to."""
        if self.may_choose_python() and specialization.note_repeat():
            with self.lock:
                self.collect_direct_calls()
        return self.call_in_python(what, str(exception), arguments)

    def call_in_python(self, what: str, reason: str, arguments: Args) -> Any:
        """Make one call in Python, and say the first time what happens."""
        self.tell_once(what, reason)
        return self.function(*arguments[:-1], **arguments[-1])

    def tell_once(self, what: str, reason: str) -> None:
        """Say the first time what happens."""
        with self.lock:
            is_first = what not in self.told
            self.told.add(what)
        if is_first:
            logs.fallbacks.info("%s %s:\n%s", self.name, what, reason)
            warn_caller(f"{self.name} {what}:\n{reason}")

    def failed(self, specialization: Specialization, exception: Exception, arguments: Args) -> Any:
        """After an exception in compiled code: run again with exact ints or in Python where that helps, or raise it at the user's line."""
        exception = without_system_error(exception)
        if not specialization.program.is_traced and asks_for_graph(exception):
            specialization = self.traced(specialization, arguments)
            if isinstance(exception, GraphNeeded):
                return self.run(specialization, arguments)
        exact = exact_decisions(specialization.program, exception)
        made = self.exact_program(specialization, arguments, exact) if exact else None
        if made is not None:
            return self.run(made, arguments)
        if may_run_again(specialization.program, exception):
            return self.repeat_in_python(specialization, exception, arguments)
        is_ours = isinstance(exception, ConversionError) and RAISED_BY_PROGRAM not in vars(exception)
        if is_ours and self.options["fallback"] == "warn" and not acts_outside(specialization.program.graph, exception):
            return self.repeat_in_python(specialization, exception, arguments, "runs in Python, uncompiled, on arguments like these")
        cuts = checkpoint_decisions(specialization.program, exception)
        if cuts:
            return self.run(self.checkpointed(specialization, arguments, cuts), arguments)
        specialization.program.leave(exception, arguments)
        if self.may_choose_python() and note_raised(specialization):
            with self.lock:
                self.collect_direct_calls()
        raise_at_span(exception)

    def exact_program(self, found: Specialization, arguments: Args, decisions: frozenset[Any]) -> Specialization | None:
        """A program for these numbers as constants, whose ints are exact; None where that would be too long, or is done too often."""
        if not found.may_be_exact():
            return None
        try:
            with self.lock:
                return self.trace(arguments, decisions)
        except ConversionError:
            found.is_inexact = True
            return None

    def checkpointed(self, found: Specialization, arguments: Args, cuts: frozenset[Any]) -> Specialization:
        """The specialization with these loops in segments, tried before the one that would save too much, or one without a budget."""
        with self.lock:
            for made in self.specializations:
                if made.program.decisions >= cuts and made.program.matches(arguments):
                    return made
            found.direct = dict.fromkeys(found.direct)
            found.entrances = dict.fromkeys(found.entrances)
            self.collect_direct_calls()
            try:
                return self.trace(arguments, cuts)
            except ConversionError:
                return self.trace(arguments, frozenset({UNBOUNDED}))

    def call_directly(self, specialization: Specialization, leaves: list[Any], executable: Any) -> None:
        """Have later calls like this one go straight to the executable. A second call pays for it: a function may run only once."""
        key = self.executable_key(leaves)
        with self.lock:
            if key in specialization.direct:
                return
            specialization.direct[key] = write_direct_call(specialization, key, executable, self.failed, self.function)
            specialization.entrances[key] = make_entrance(specialization, key, executable, self.failed, self.function)
            self.collect_direct_calls()

    def collect_direct_calls(self) -> None:
        """The direct calls by device, in the order in which the programs are tried; entrances in front as far as that order allows."""
        found: dict[str, list[Callable[..., Any]]] = {}
        for made in self.specializations:
            for key, call in made.direct.items():
                if call is not None:
                    found.setdefault(key[-1], []).append(call)
        self.direct_calls = {device: tuple(calls) for device, calls in found.items()}
        behind = self.refusals.before(self.call_in_general, looked_for(self.specializations))
        for made in self.specializations:
            behind = before_left(made, self.function, behind)
        self.__call__ = self.entered(behind) if self.device in (None, "cpu") else behind

    def entered(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The entrances before each other, the first ones that there are, and `call` behind them."""
        found = []
        for made in (each for each in self.specializations if not each.program.is_left):
            found += [made.entrances.get(key) for key, direct in made.direct.items() if direct is not None and key[-1] == "cpu"]
        first = [entrance for entrance in itertools.takewhile(bool, found) if entrance is not None]
        for entrance in reversed(first):
            call = entrance.before(call)
        return call

    def executable_key(self, leaves: list[Any]) -> tuple[Any, ...]:
        """What tells the executables of one program apart: layouts, overlap, device."""
        return (*layout_key(leaves), self.device or current_device())

    def executable_for(self, specialization: Specialization, leaves: list[Any]) -> Any:
        """The executable of a specialization for leaves of these layouts, compiled once however many threads ask."""
        key = self.executable_key(leaves)
        if key not in specialization.executables:
            with self.lock:
                if key not in specialization.executables:
                    program, parallel, counts = specialization.program, self.options.get("parallel", True), bool(specialization.tallies)
                    leaves_early = self.may_choose_python() and not program.boxes
                    with named_failures(self.name), counting(specialization.compilation):
                        executable = compile_program(program, key, leaves, parallel, python_numbers(program), counts, leaves_early)
                    specialization.executables[key] = executable
                    logs.kernels.info("%s: program %d\n%s", self.name, specialization.number, getattr(executable, "kernels", ""))
        return specialization.executables[key]
