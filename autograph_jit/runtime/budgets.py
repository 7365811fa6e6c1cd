"""The budget of the compilations of one function: how many seconds' work, and whether it is the end of them or a warning."""

from __future__ import annotations

from typing import Any

from autograph_jit.budget import Account, Compilation
from autograph_jit.callers import warn_caller
from autograph_jit.errors import BudgetError, ConversionError
from autograph_jit.runtime.settings import current_device, settings


def begin(account: Account, name: str, options: dict[str, Any], for_tape: bool = False) -> Compilation:
    """A compilation of a function with these options. What Python has no form of (derivatives, and code for another device, unless the
    function's user prefers an error) goes on beyond its budget, with a warning."""
    seconds = options.get("compile_seconds") or settings.compile_seconds
    elsewhere = (options["device"] or current_device()) != "cpu" and options["fallback"] != "error"
    goes_on = for_tape or elsewhere or options.get("goes_on", False)
    account.compilations += 1
    account.last = Compilation(account, f"`{name}`", seconds, warn_caller if goes_on else None)
    return account.last


def is_last(error: ConversionError) -> bool:
    """Whether an error says that the function is not to be compiled any more, for whatever arguments."""
    return isinstance(error, BudgetError) and error.is_last
