"""Refusals that took long to find, kept on disk: a later process runs such a call in Python at once, with the same warning.

A refusal is one of exactly this call: what decides (`kept_entries.py`) are also the sizes and values of the arguments. Refusals by a clock
are not kept, nor those of a function that was compiled before in the process.
"""

from __future__ import annotations

from types import FunctionType

from autograph_jit.backends.disk_cache import REFUSAL
from autograph_jit.budget import Compilation
from autograph_jit.errors import BudgetError, ConversionError, SlowerThanPython
from autograph_jit.records import dataclass
from autograph_jit.runtime import kept_entries
from autograph_jit.runtime.budgets import is_last
from autograph_jit.runtime.stable_texts import StableText
from autograph_jit.runtime.writing_back import Args

LONG = 0.5  # seconds: what is found sooner is found again
KIND = kept_entries.Kind(REFUSAL, StableText.add)


@dataclass(frozen=True, slots=True)
class Kept:
    """A refusal: the reason, and whether it is that of all calls of the function."""

    reason: str
    is_general: bool


def recall(compiled: kept_entries.HasEntries, arguments: Args) -> Kept | None:
    """The refusal of this call that another process has found."""
    if compiled.account.compilations or not may_be_kept(compiled):
        return None
    found = KIND.recall(compiled, arguments)  # with a larger budget it may be compiled now, and found on disk later
    return None if found is None else Kept(found[0]["reason"], found[0]["is_general"])


def keep(compiled: kept_entries.HasEntries, error: ConversionError, arguments: Args) -> None:
    """Keep the refusal of a function's first compilation, if it took long to find and later processes would find it again."""
    if is_first(compiled) and may_be_kept(compiled) and is_worth_keeping(compiled.account.last, error):
        KIND.keep(compiled, arguments, lambda text: {"reason": str(error), "is_general": is_last(error)})


def is_first(compiled: kept_entries.HasEntries) -> bool:
    """Whether nothing that the process did before can have led to a refusal."""
    return compiled.account.compilations == 1 and not any(made.all_calls for made in compiled.specializations)


def is_worth_keeping(compilation: Compilation | None, error: ConversionError) -> bool:
    """Whether a refusal depends on what was asked alone, and took long to find."""
    if isinstance(error, BudgetError):
        return error.is_counted
    return isinstance(error, SlowerThanPython) and compilation is not None and compilation.elapsed > LONG


def may_be_kept(compiled: kept_entries.HasEntries) -> bool:
    """Whether refusals of a function are looked for and kept."""
    return kept_entries.has_name(compiled) and type(compiled.function) is FunctionType and compiled.may_choose_python()
