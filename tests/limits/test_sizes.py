"""Programs and inputs of unusual size: they compile, or raise an error with a type and a reason, in a time that a test can state."""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.errors import AutographJitError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Callable[..., Any]]:
    """A function `f` from the text of a module in a file of its own."""

    def load(text: str) -> Callable[..., Any]:
        path = tmp_path / f"program_{len(list(tmp_path.iterdir()))}.py"
        path.write_text("import numpy as np\n" + text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.f

    return load


def compiles_or_refuses(function: Callable[..., Any], *arguments: Any) -> str:
    """What becomes of it: the right result, or an error of the package with its reason; anything else fails the test."""
    try:
        result = ag.compile(function, fallback="error")(*arguments)
    except AutographJitError as error:
        assert str(error)
        return "refused"
    np.testing.assert_allclose(result, function(*arguments), rtol=1e-12)
    return "compiled"


def test_a_thousand_shapes_of_one_rank_take_two_programs() -> None:
    @ag.compile(fallback="error")
    def normalized(x: Any) -> Any:
        return (x - x.mean()) / (np.abs(x).max() + 1.0)

    for rows in range(2, 27):
        for columns in range(2, 42):
            assert normalized(np.ones((rows, columns))).shape == (rows, columns)
    assert len(normalized.specializations) <= 3
    vectors = ag.compile(lambda x: x * 2.0 + x.sum(), fallback="error")
    for size in range(2, 1002):
        assert vectors(np.zeros(size)).size == size
    assert len(vectors.specializations) <= 2


@pytest.mark.slow
def test_ten_thousand_operations_in_a_line(written: Any) -> None:
    lines = "\n".join(f"    x = x * 1.0000001 + {k % 7}.5" for k in range(5000))
    started = time.process_time()
    assert compiles_or_refuses(written(f"def f(x):\n{lines}\n    return x\n"), 1.5) == "compiled"
    assert time.process_time() - started < 120


@pytest.mark.slow
def test_ten_thousand_operations_on_arrays_in_a_line(written: Any) -> None:
    lines = "\n".join(f"    y = y * 0.5 + x[{k % 5}]" for k in range(2500))
    assert compiles_or_refuses(written(f"def f(x):\n    y = x\n{lines}\n    return y\n"), np.arange(9.0)) in ("compiled", "refused")


@pytest.mark.parametrize("depth", (100, 1000))
def test_deep_expressions(written: Any, depth: int) -> None:
    nested = written(f"def f(x):\n    return {'(' * 90}x{' + 1.0)' * 90}\n")
    assert compiles_or_refuses(nested, 2.0) == "compiled"
    long = written(f"def f(x):\n    return {' + '.join(['x'] * depth)}\n")
    assert compiles_or_refuses(long, 2.0) in ("compiled", "refused")
    over_array = written(f"def f(x):\n    return {' + '.join(['x'] * depth)}\n")
    assert compiles_or_refuses(over_array, np.arange(4.0)) in ("compiled", "refused")


def test_fifty_nested_branches(written: Any) -> None:
    """Python's own parser takes a hundred levels of indentation."""
    lines = "\n".join("    " * (k + 1) + f"if x[{k % 4}] < {k}.5:\n" + "    " * (k + 2) + f"total += {k}" for k in range(50))
    function = written(f"def f(x):\n    total = 0.0\n{lines}\n    return total\n")
    for start in (0.0, 7.0, 1e9):
        assert compiles_or_refuses(function, np.full(4, start)) == "compiled"


def test_fifty_branches_in_a_row(written: Any) -> None:
    lines = "\n".join(f"    if x > {k}.5:\n        y = y * 1.5 + {k}\n    else:\n        y = y - {k}" for k in range(50))
    assert compiles_or_refuses(written(f"def f(x, y):\n{lines}\n    return y\n"), 25.0, 1.0) == "compiled"


def test_a_hundred_choices_of_one_another() -> None:
    """Bounds were looked for along all of them: RecursionError."""

    def f(rows: list[dict[str, Any]]) -> Any:
        t, name, row = 0, "n0", rows[0]
        for _ in range(12):
            name = f"n{t % 9}"
            t += row == rows[0]
            for row in rows:
                t += row["id"]
            for row in rows:
                t += row["id"]
        return t, name, row

    rows = [{"id": k, "name": f"n{k % 5}", "w": k * 0.5} for k in range(70)]
    assert ag.compile(f, fallback="error")(rows) == f(rows)


def test_twelve_nested_loops(written: Any) -> None:
    lines = "\n".join("    " * (k + 1) + f"for i{k} in range(n):" for k in range(12))
    function = written(f"def f(x, n):\n    total = 0.0\n{lines}\n{'    ' * 13}total += x\n    return total\n")
    assert compiles_or_refuses(function, 1.5, 2) == "compiled"


def test_a_hundred_arguments_and_results(written: Any) -> None:
    names = ", ".join(f"a{k}" for k in range(100))
    function = written(f"def f({names}):\n    return {', '.join(f'a{k} * {k}' for k in range(100))}\n")
    arguments = [float(k) for k in range(100)]
    assert ag.compile(function, fallback="error")(*arguments) == function(*arguments)


def test_recursion_without_end_is_a_recursion_error_or_refused(written: Any) -> None:
    function = written("def g(x):\n    return g(x + 1.0)\n\n\ndef f(x):\n    return g(x)\n")
    with pytest.raises((RecursionError, ag.ConversionError)):
        ag.compile(function, fallback="error")(1.0)


def test_recursion_that_the_data_end(written: Any) -> None:
    function = written("def g(n):\n    return 1.0 if n < 1 else g(n - 1) + n\n\n\ndef f(n):\n    return g(n)\n")
    assert compiles_or_refuses(function, 300) == "compiled"


def test_a_list_grows_to_millions_of_items() -> None:
    @ag.compile(fallback="error")
    def collected(n: int) -> Any:
        found = []
        for i in range(n):
            found.append(i * 0.5)
        return len(found), found[-1], sum(found)

    assert collected(3_000_000) == (3_000_000, 1499999.5, 0.5 * 3_000_000 * 2_999_999 / 2)


def resident() -> int:
    """The bytes of this process's memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the size of the process is read from /proc")
def test_deleted_functions_leave_no_memory() -> None:
    """Sixty functions compiled, called and dropped: after the first twenty the process does not grow by 50 kB each."""

    def scaled(factor: float) -> Any:
        def wave(x: Any) -> Any:
            y = x
            for _ in ag.unroll(range(2)):
                y = np.sin(y) * factor + x
            return y

        return ag.compile(wave, fallback="error")

    sizes = []
    for number in range(60):
        scaled(number + 0.5)(np.ones(16))
        if number % 20 == 19:
            gc.collect()
            sizes.append(resident())
    assert (sizes[-1] - sizes[0]) / 40 < 50_000, sizes


def test_sizes_that_no_memory_holds_are_memory_errors() -> None:
    """Or what NumPy makes of them: it refuses sizes whose bytes are not countable with a ValueError."""
    for maker in (np.zeros, np.ones, np.empty):
        function = ag.compile(lambda n, make=maker: make(n), fallback="error")
        for size in (2**60, 2**62, 2**40 * 2**19):
            with pytest.raises((MemoryError, ValueError)):
                function(size)
        assert function(5).size == 5
    square = ag.compile(lambda n: np.zeros((n, n)), fallback="error")
    with pytest.raises((MemoryError, ValueError)):
        square(2**31)
    with pytest.raises((MemoryError, ValueError)):
        ag.compile(lambda x: np.repeat(x, 2**50), fallback="error")(np.ones(8))


LITTLE_MEMORY = """
import resource
import numpy as np
import autograph_jit as ag

@ag.compile(fallback="error")
def chain(x, n):
    y = np.sort(x + 1.0)
    total = 0.0
    for i in range(n):
        z = np.cumsum(y * i)
        total += z[-1]
    return np.concatenate([y, z, x * 2]), total

@ag.compile(fallback="error")
def listed(n):
    found = []
    for i in range(n):
        found.append(i)
    return len(found)

x = np.ones(1000)
kept = chain(x, 3)[1]
assert listed(10) == 10
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 400 * 2**20, resource.RLIM_INFINITY))
big = np.ones(20_000_000)
failed = 0
for _ in range(3):
    for call in (lambda: chain(big, 3), lambda: listed(10**9)):
        try:
            call()
        except MemoryError:
            failed += 1
assert chain(x, 3)[1] == kept and listed(10) == 10
print("memory errors:", failed)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="address space is limited by setrlimit of Linux")
def test_a_failing_allocation_is_a_memory_error_and_the_process_goes_on(tmp_path: Path) -> None:
    program = tmp_path / "little_memory.py"
    program.write_text(LITTLE_MEMORY)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "memory errors: 6\n"


BEYOND = 2**63


@pytest.mark.parametrize(
    "made",
    [
        lambda: np.zeros(BEYOND),
        lambda: np.ones((2, -BEYOND - 1)),
        lambda: np.full(BEYOND, 1),
        lambda: np.eye(BEYOND),
        lambda: np.ones(3).reshape(BEYOND),
        lambda: np.broadcast_to(1.0, BEYOND),
        lambda: np.ones(3)[BEYOND],
        lambda: np.ones(4).take(BEYOND),
    ],
)
def test_sizes_and_indices_beyond_64_bits_raise_what_numpy_raises(made):
    with pytest.raises((ValueError, IndexError, OverflowError)) as expected:
        made()
    with pytest.raises(expected.type) as found:
        ag.compile(made, fallback="error")()
    assert str(found.value) == str(expected.value)


def test_a_size_that_leaves_64_bits_in_the_call():
    zeros = ag.compile(lambda n: np.zeros(n + 1), fallback="error")
    assert zeros(2).shape == (3,)
    with pytest.raises(ValueError, match="Maximum allowed dimension exceeded"):
        zeros(BEYOND - 1)


def test_bounds_of_slices_beyond_64_bits():
    def cut(x):
        return x[:BEYOND], x[-BEYOND - 5 :], x[::BEYOND], x[BEYOND:]

    x = np.arange(3.0)
    np.testing.assert_equal(ag.compile(cut, fallback="error")(x), cut(x))


def test_negative_sizes_of_unit_matrices():
    for made in (lambda n: np.eye(n), lambda n: np.identity(n), lambda n: np.eye(2, n)):
        with pytest.raises(ValueError, match="negative dimensions are not allowed"):
            ag.compile(made, fallback="error")(-3)
