"""Every exception the package raises itself, and how a message is laid out: what, where, why, what to do."""

from __future__ import annotations

from autograph_jit.source import SourceSpan


class AutographJitError(Exception):
    """Base of all exceptions that the package defines."""


class ConversionError(AutographJitError, NotImplementedError):
    """A construct cannot be staged. The message names the user's line, the reason and the remedy.

    what: one line that says what cannot be done; span: where; why: the reason; remedy: how to change the code.
    """

    def __init__(self, what: str, span: SourceSpan | None = None, why: str = "", remedy: str = "") -> None:
        self.what, self.span, self.why, self.remedy = what, span, why, remedy
        super().__init__(layout(what, span, why, remedy))


class NotDifferentiable(ConversionError, TypeError):
    """A derivative is asked for where there is none: the operation, the user's line, what to do."""


class VariableMade(ConversionError):
    """A compiled function makes a Variable: the first such call runs in Python, and later ones find the Variable there."""


class ResultDiffers(ConversionError):
    """A library's function gave another type of result than it gave on the examples from which compiled code knows it."""


class SlowerThanPython(ConversionError):
    """A program could be compiled, but takes longer than Python, or longer to compile than it is worth."""


class InternalError(ConversionError):
    """A fault of this package, met while a function was traced or compiled: please report it."""


class BudgetError(ConversionError):
    """A compilation would take longer than its budget. `is_counted`: its work says so, which is the same at every run, and not a clock;
    `is_last`: all that the function's compilations may take together is spent."""

    def __init__(self, what: str, span: SourceSpan | None, why: str, remedy: str, is_counted: bool, is_last: bool) -> None:
        self.is_counted, self.is_last = is_counted, is_last
        super().__init__(what, span, why, remedy)


class OverBudget(AutographJitError, MemoryError):
    """A gradient would save more than `ag.config(saved_bytes=...)`: its loops are checkpointed, and it runs again."""


class GraphNeeded(Exception):
    """A program whose code another process has made has to be traced before the call can go on; nothing has happened yet."""


class Deoptimized(Exception):
    """A call that has done nothing yet met an exception: it is made again in Python, which raises it. Nobody else sees this one."""


class Unfit(Deoptimized):
    """A call whose list turned out to hold other things than the numbers that the program is for: whoever else takes calls has it."""


class GraphError(AutographJitError, ValueError):
    """A graph breaks a rule of the grammar, or its text cannot be parsed."""


class LoweringError(AutographJitError, NotImplementedError):
    """A backend cannot express an operation."""


class SettingError(AutographJitError, ValueError):
    """A setting, a device or an option is unknown, or its value does not fit."""


class ShapeError(AutographJitError, ValueError):
    """Arrays do not fit each other, or what is asked of them."""


class IterationLimitError(AutographJitError, RuntimeError):
    """A loop began more trips than `ag.loop_options(max_iterations=...)` allows."""


class LoopVariableError(AutographJitError, TypeError, ValueError):
    """The body of `ag.while_loop(cond, body, loop_vars=...)` changes the number of the loop variables, or the dtype or shape of one."""


class CheckpointError(AutographJitError, ValueError):
    """A saved checkpoint is damaged, or does not fit the objects that it should be restored into."""


class MissingExtraError(AutographJitError, ImportError):
    """Something needs a package that comes with an extra of this one; the message says how to install it."""


class CommandError(AutographJitError, ValueError):
    """The command line names a file, a module, a function or arguments that cannot be used."""


class CacheError(AutographJitError, OSError):
    """A place on disk cannot be used for compiled code: the path, the reason, and what to do about it."""

    def __init__(self, path: str, reason: str, remedy: str = "") -> None:
        self.remedy = remedy
        super().__init__(f"{path} {reason}")


class DeviceError(AutographJitError, RuntimeError):
    """A device that was asked for cannot be used; the message says what is missing and what to do."""


class CacheWarning(UserWarning):
    """Compiled code cannot be kept between processes: the reason and the remedy, once a process."""


class ConstantWarning(UserWarning):
    """`float(x)` or `complex(x)` of a Tensor that a tape records is a constant of differentiation: once for each line."""


RAISED_BY_PROGRAM = "__autograph_raised__"  # the attribute of an exception of this package that a user's compiled program raises itself

# How the messages of exceptions begin that say what compiled code cannot do; Python would not have raised them.
BEYOND_TEXTS = (
    "Python int too large for compiled code",
    "a negative float to a fractional power is complex in Python",
    "a slice of a bytearray changes its length in compiled code",
    "as_strided: the shape and strides reach outside the array",  # outside a view, perhaps, but not outside what it is a view of
)


NONE_IS_NO_OPERAND = "unsupported operand: the value is None here"  # where Python may have another text, or go on


def is_beyond(exception: BaseException) -> bool:
    """Whether an exception is compiled code's own: a number left the range of its type, a view its array."""
    return isinstance(exception, (OverflowError, ValueError)) and str(exception).startswith(BEYOND_TEXTS)


def is_for_no_handler(exception: BaseException) -> bool:
    """The same, or that a result has another type than compiled code knows: Python would have raised none of them."""
    return is_beyond(exception) or isinstance(exception, ResultDiffers)


def layout(what: str, span: SourceSpan | None = None, why: str = "", remedy: str = "") -> str:
    """Lay out a message: `file:line: what`, the source line, why, remedy; empty parts are left out."""
    lines = [f"{span.location()}: {what}" if span else what]
    if span and span.text():
        lines.append(f"    {span.text()}")
    lines += [part for part in (why, remedy) if part]
    return "\n".join(lines)
