"""What every test shares: a generator with a fixed seed; code compiled in this run, by whichever process, not optimised; a frozen heap."""

from __future__ import annotations

import atexit
import gc
import math
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # on busy processors its threads wait for each other, up to six times as long
os.environ["AUTOGRAPH_JIT_STRICT"] = "1"  # a fault of the package fails the test that meets it; set, as these, before it is imported
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers and processes that tests start share it
    os.environ["AUTOGRAPH_JIT_CACHE"] = "1"
    os.environ["AUTOGRAPH_JIT_CACHE_DIR"] = tempfile.mkdtemp(prefix="autograph-jit-tests-")
    atexit.register(shutil.rmtree, os.environ["AUTOGRAPH_JIT_CACHE_DIR"], ignore_errors=True)
    if "--native" not in sys.argv:
        os.environ.setdefault("NUMBA_OPT", "0")  # LLVM's optimisations are three quarters of a compilation

import numba
import numpy as np
import pytest

from autograph_jit.runtime import kept_programs
from autograph_jit.runtime.settings import ASKED_HERE
from autograph_jit.tracing.values.trace import unusual

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background: tests send Ctrl-C to themselves
    signal.signal(signal.SIGINT, signal.default_int_handler)


kept_programs.LEAST_SECONDS = math.inf  # tests look at graphs, which programs of other processes do not have
MANY = 100_000  # objects that tests have left
QUICK = Path(__file__).with_name("quick.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the tests that tests/quick.txt names")
    parser.addoption("--native", action="store_true", help="as users run it: all graphs are compiled, and optimised by LLVM")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick, what is not in the list is deselected."""
    if config.getoption("--quick"):
        names = set(QUICK.read_text().splitlines())
        chosen = [item for item in items if not names.isdisjoint(enclosing(item))]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


def enclosing(item: pytest.Item) -> list[str]:
    """The item's function, its file and the directories around it, as the list names them."""
    function = item.nodeid.partition("[")[0]
    file = function.partition("::")[0]
    return [function, file, *(f"{parent}/" for parent in Path(file).parents)]


@pytest.fixture
def rng() -> np.random.Generator:
    """A random generator whose seed is the same in every test."""
    return np.random.default_rng(20240817)


@pytest.fixture(autouse=True)
def optimised(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM optimises the code of tests that are marked so: what they look at, or run long enough, is made by that."""
    if request.node.get_closest_marker("optimised") is not None:
        monkeypatch.setattr(numba.config, "OPT", type(numba.config.OPT)(3))


@pytest.fixture(autouse=True)
def as_in_a_new_process():
    """Calls take their shortest way, as long as the test itself does not ask for eager mode or a device."""
    unusual.discard(ASKED_HERE)


@pytest.fixture(autouse=True)
def frozen_heap() -> None:
    """The collector looks once at what tests leave, not at all of it again and again."""
    young, collections, _ = gc.get_count()
    if young > MANY or collections:
        gc.collect()
        gc.freeze()


def pytest_collection_finish() -> None:
    """Nor through all tests and modules. It runs seldom: traces make many objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(500_000, 20, 100)
