"""First calls of long programs and of recursive ones: `python -m benchmarks.long_programs NAME [FOLDER]` measures one, in this process.

The texts of `helper`, `straight`, `loops` and `arrays` are written here, for a number of call sites or of lines; the others stand below.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag
from benchmarks import cell_lists, recursions

MOST_SECONDS = 60  # of processor time: a program that takes longer is stopped
HELPER = """
def helper(x, a):
    total = 0.0
    low = a
    for i in range(len(x)):
        v = x[i] * a
        if v > 1.0:
            total += v - 1.0
            low = min(low, v)
        elif v < -1.0:
            total -= v
        else:
            total += v * v
    steps = 0
    while total > 10.0:
        total *= 0.5
        steps += 1
    return total + low * steps
"""
LOOP = """    for i in range(len(x) - 1):
        v = x[i] * {k}.5 + a
        if v > 2.0:
            a = a * 0.99 + 0.001 * v
        for j in range(i, min(i + 3, len(x))):
            y[j] += 0.01 * v
            if y[j] > {k}.0:
                y[j] -= 1.0"""


def with_calls(count: int) -> str:
    """A helper called from so many places."""
    lines = [f"    s += helper(x, a + {k}.5)" for k in range(count)]
    return "\n".join([HELPER, "def main(x, a):", "    s = 0.0", *lines, "    return s"])


def straight(count: int) -> str:
    """So many lines of arithmetic on numbers."""
    lines = [f"    v{k} = v{k - 1} * {1 + k % 7 / 10} + v{k // 2} - a * {k}.25" for k in range(1, count)]
    return "\n".join(["def main(x, a):", "    v0 = x[0] + a", *lines, f"    return v{count - 1}"])


def loops(count: int) -> str:
    """So many lines, eight to a loop with another one inside."""
    return "\n".join(["def main(x, a):", "    y = x.copy()", *(LOOP.format(k=k) for k in range(count // 8)), "    return y.sum() + a"])


def arrays(count: int) -> str:
    """So many lines of operations on whole arrays."""
    kinds = ("y = np.sqrt(y * y + {k}.5) - a", "z = y[::-1] * z + {k}", "y = y - z.mean() * 0.5", "z = np.where(y > {k}.0, z, y * 0.5)")
    lines = [f"    {kinds[k % 4].format(k=k)}" for k in range(count)]
    return "\n".join(["import numpy as np", "def main(x, a):", "    y = x * 1.0", "    z = x + a", *lines, "    return y.sum() + z.sum()"])


TEXTS: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "helper": (with_calls, (1, 5, 20, 60)),
    "helper, gradient": (with_calls, (1, 5, 20, 60)),
    "straight": (straight, (200, 800, 3200)),
    "loops": (loops, (200, 800, 3200)),
    "arrays": (arrays, (200, 800, 3200)),
}
WHOLE: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "cell lists": (cell_lists.simulate, cell_lists.arguments),
    "fib": (recursions.fib, lambda: (20,)),
    "tree": (recursions.tree_sum, lambda: (np.arange(127.0), 0)),
    "permutations": (recursions.permutations, lambda: ([1, 2, 3, 4, 5],)),
    "queens": (recursions.queens, lambda: (6,)),
    "memoised": (recursions.paths, lambda: (8, 8)),
}
NAMES = [*(f"{kind} {count}" for kind, (_, counts) in TEXTS.items() for count in counts), *WHOLE]


def program(name: str, folder: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function and its arguments; what is written here is put into a file, since functions need a source."""
    if name in WHOLE:
        function, arguments = WHOLE[name]
        return function, arguments()
    kind, _, count = name.rpartition(" ")
    path = os.path.join(folder, f"{kind.partition(',')[0]}_{count}.py")
    with open(path, "w") as file:
        file.write(TEXTS[kind][0](int(count)))
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main, (np.linspace(-2.0, 3.0, 50), 0.3)


def main(name: str, folder: str) -> None:
    """Print the processor's seconds of the first call, and whether it ran in Python."""
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    function, arguments = program(name, folder)
    warm = ag.compile(lambda x: x * 2.0 + 1.0)
    warm(1.0), ag.grad(lambda x: (x * x).sum())(np.ones(3))
    compiled = ag.grad(function) if name.startswith("helper, gradient") else ag.compile(function)
    started = time.process_time()
    compiled(*arguments)
    seconds = time.process_time() - started
    json.dump({"seconds": seconds, "in_python": "fell back" in str(getattr(compiled, "compiled", compiled).explain())}, sys.stdout)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(sys.argv[1], made)
