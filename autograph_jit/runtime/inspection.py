"""What a compiled function shows of itself: source, graph, kernels, and the report of `explain`."""

from __future__ import annotations

from typing import Any

from autograph_jit.converters.pipeline import to_source
from autograph_jit.errors import ConversionError
from autograph_jit.ir.function import functions_of
from autograph_jit.ir.printer import print_graph
from autograph_jit.runtime.refusals import Refusals
from autograph_jit.runtime.report import Report, Text, write_report


class MadeOfFunction:
    """What is made of a function, a compiled form of it or a derivative, is what that function and the options are."""

    function: Any
    options: Any


class Inspected(MadeOfFunction):
    """The questions that can be put to a compiled function. None of them runs it."""

    options: dict[str, Any]
    specializations: list[Any]
    refusals: Refusals

    def prepare(self, arguments: tuple[Any, ...]) -> Any:
        """The specialization for these arguments, made if there is none."""
        raise NotImplementedError

    def executable_for(self, specialization: Any, leaves: list[Any]) -> Any:
        """The executable of a specialization for leaves of these layouts."""
        raise NotImplementedError

    def has_python_form(self) -> bool:
        """Whether the function runs without a trace: gradients and other transforms do not, also where eager mode is asked for."""
        return "goes_on" not in self.options

    def source(self) -> str:
        """The function's transformed source."""
        return to_source(self.function)

    def graph(self, *args: Any, **kwargs: Any) -> Text:
        """The graph that these arguments are traced to, and the functions that it calls, printed; the function does not run. Raises
        ConversionError where there is none."""
        graph = self.prepare((*args, kwargs)).program.graph
        return Text("\n".join(map(print_graph, (graph, *(function.graph for function in functions_of(graph))))))

    def kernels(self, *args: Any, **kwargs: Any) -> Text:
        """The loop nests that these arguments are compiled to, printed; the function does not run."""
        arguments = (*args, kwargs)
        specialization = self.prepare(arguments)
        executable = self.executable_for(specialization, specialization.program.leaves(arguments))
        return Text(getattr(executable, "kernels", "") or "no loop nests: the function works on numbers, single elements and library calls")

    def explain(self, *args: Any, **kwargs: Any) -> Text:
        """What was compiled, when and why: guards, sizes, host calls, memory, seconds. With arguments: for these, compiled if need be.

        The function does not run. What cannot be compiled is part of the report.
        """
        if not args and not kwargs:
            made, reason = list(self.specializations), self.refusals.last
            return write_report(Report(self.function, self.options, made, reason, len(made)))
        arguments = (*args, kwargs)
        try:
            specialization = self.prepare(arguments)
            self.executable_for(specialization, specialization.program.leaves(arguments))
        except ConversionError as error:
            return write_report(Report(self.function, self.options, [], str(error), len(self.specializations)))
        return write_report(Report(self.function, self.options, [specialization], self.refusals.last, len(self.specializations)))
