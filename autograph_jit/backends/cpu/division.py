"""Very long programs in parts: LLVM's time grows faster than a function, so its loops become functions, equal ones one.

Before: one function of 45,000 lines, 27 s to compile          After: 37 functions, the longest of 20,000 instructions, 6 s

Shorter programs stay whole: a loop of its own is called, and what surrounds it is not known in it.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

VERY_LONG = 5_000  # lines of a module, from which on that takes half the time
ROUNDS = 2  # the outermost loops, the loops right inside them


def divide(module: Any, builder: Any) -> None:
    """Take the loops out of a module's functions; what they have in common is kept once."""
    for first in (True, *(False,) * (ROUNDS - 1)):
        passes = llvm.create_new_module_pass_manager()
        if first:
            passes.add_sroa_pass()
            passes.add_simplify_cfg_pass()
        passes.add_loop_simplify_pass()
        passes.add_loop_extract_pass()
        passes.add_merge_functions_pass()
        passes.run(module, builder)
        dispose(passes)
    for function in module.functions:
        if not function.is_declaration:
            function.add_function_attribute("noinline")


def dispose(passes: Any) -> None:
    """Free a pass manager: llvmlite's own class resolves to a method that frees nothing, 30 kB for each module."""
    NewPassManager._dispose(passes)
    passes.detach()
