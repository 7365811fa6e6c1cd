"""Very long programs in parts: LLVM's time grows faster than a function, so its loops become functions, equal ones one.

Before: one function of 45,000 lines, 27 s to compile          After: 37 functions, the longest of 20,000 instructions, 6 s

Shorter programs stay whole: a loop of its own is called, and what surrounds it is not known in it.

What is left of a program of many loops is the way from one to the next: sizes, checks, memory. It runs once a call, so it is compiled as it
is written.
"""

from __future__ import annotations

import re
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

VERY_LONG = 5_000  # lines of a module, from which on that takes half the time
ROUNDS = 2  # the outermost loops, the loops right inside them
GLUE = 200  # lines of a module for each of its functions, up to which the entry is what calls the others


def divide(module: Any, builder: Any, lines: int, entry: str) -> None:
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
    functions = [function for function in module.functions if not function.is_declaration]
    for function in functions:
        function.add_function_attribute("noinline")
        if function.name == entry and lines <= GLUE * len(functions) and not has_loop(function):
            function.add_function_attribute("optnone")


def has_loop(function: Any) -> bool:
    """Whether a block of a function can be reached from itself."""
    text = llvm.get_function_cfg(function, show_inst=False)
    following: dict[str, list[str]] = {}
    for source, target in re.findall(r"(Node\w+)(?::\w+)? -> (Node\w+)", text):
        following.setdefault(source, []).append(target)
    waits = dict.fromkeys((target for targets in following.values() for target in targets), 0)
    for targets in following.values():
        for target in targets:
            waits[target] += 1
    ready = [node for node in following if node not in waits]
    while ready:
        for target in following.pop(ready.pop(), ()):
            waits[target] -= 1
            if not waits[target]:
                ready.append(target)
    return bool(following)


def dispose(passes: Any) -> None:
    """Free a pass manager: llvmlite's own class resolves to a method that frees nothing, 30 kB for each module."""
    NewPassManager._dispose(passes)
    passes.detach()
