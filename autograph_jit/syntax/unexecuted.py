"""A function of a file that is read and not run: its code, among names that stand for nothing."""

from __future__ import annotations

import inspect
import os
import symtable
from types import CellType, CodeType, FunctionType


def functions_of(path: str) -> dict[str, list[FunctionType]]:
    """The functions of a file by their qualified names (`Class.method`), those inside functions left out; several may have one name.

    They can be converted, but not called. Raises OSError, SyntaxError and ValueError as reading and compiling does.
    """
    with open(path, "rb") as file:
        content = file.read()
    path = os.path.abspath(path)
    module = compile(content, path, "exec", dont_inherit=True)
    names = symtable.symtable(content, path, "exec").get_symbols()  # type: ignore[arg-type]
    scope = {name.get_name(): None for name in names if name.is_assigned() or name.is_imported()}
    found: dict[str, list[FunctionType]] = {}
    pending = [module]
    while pending:
        code = pending.pop()
        inner = [const for const in code.co_consts if isinstance(const, CodeType)]
        pending += [const for const in inner if "<locals>" not in const.co_qualname][::-1]
        if code.co_flags & inspect.CO_OPTIMIZED and "<" not in code.co_qualname:
            cells = tuple(CellType() for _ in code.co_freevars)
            found.setdefault(code.co_qualname, []).append(FunctionType(code, scope, closure=cells))
    return found
