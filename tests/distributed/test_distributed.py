"""Gradients and training over two processes of Dask and of MPI are those of one process, the same bits each time; workers may be lost."""

from __future__ import annotations

import asyncio
import linecache
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import dask
import distributed as dask_distributed
import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import distributed, nn
from autograph_jit.distributed.portable import unpacked
from samples import data_parallel, parameter_study

ROOT = Path(__file__).resolve().parents[2]
scale = 2.0


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two processes, forked from one that has imported what they need."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        dask_distributed.utils.get_mp_context()  # names modules to import, the first time
        multiprocessing.get_context("forkserver").set_forkserver_preload(["distributed", "autograph_jit.distributed"])
        with (
            dask_distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            dask_distributed.Client(cluster) as made,
        ):
            yield made


@ag.compile(fallback="error")
def mean_error(params, x, y):
    return np.mean((scale * np.tanh(x @ params["w"]) + params["b"] - y) ** 2)


CELLS = {
    "<cell 1>": "def power(x, n):\n    return x * power(x, n - 1) if n else 1.0\n",
    "<cell 2>": """
import autograph_jit as ag
class Lift:
    height = 0.5
    @ag.compile(fallback="error")
    def lifted(self, x):
        return x + self.height
@ag.compile(fallback="error")
def power(x, n):
    return x * power(x, n - 1) if n else 1.0
def made(lift):
    @ag.compile(fallback="error")
    def error(params, x, y):
        return ((power(x @ params["w"], 2) + lift.lifted(params["b"]) - y) ** 2).mean()
    return error
error = made(Lift())
""",
}


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A program whose source this process only knows."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    for name, text in CELLS.items():
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        exec(compile(text, name, "exec"), module.__dict__)
    return module


def example(rows: int = 101) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return {"w": rng.standard_normal(3), "b": np.float64(0.5)}, rng.standard_normal((rows, 3)), rng.standard_normal(rows)


def bits(tree: Any) -> bytes:
    return pickle.dumps([np.asarray(x) for x in (tree[0], tree[1]["w"], tree[1]["b"])])


def die_once(path: str) -> float:
    """Kills the process that first calls it."""
    if not os.path.exists(path):
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 3.0


class DiesOnArrival:
    """A number whose first unpickling kills the process."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return die_once, (str(self.path),)


def times_unpacked() -> int:
    return unpacked.cache_info().misses


def test_gradients_of_two_processes_are_those_of_one_and_repeat_bit_for_bit_also_when_a_worker_dies(
    client: Any, notebook: Any, tmp_path: Path
) -> None:
    params, x, y = example()
    factor = 3.0
    local = ag.compile(lambda p, x, y: np.sum(factor * (x @ p["w"] - p["b"] * y) ** 2))
    functions: list[tuple[Callable[..., Any], str]] = [(mean_error, "mean"), (notebook.error, "mean"), (local, "sum")]
    for function, reduction in functions:
        divided = distributed.value_and_grad(function, client, reduction=reduction)
        before = client.run(times_unpacked)
        found = [divided(params, x, y) for _ in range(3)]
        assert all(count - before[worker] <= 1 for worker, count in client.run(times_unpacked).items())
        assert len({bits(result) for result in found}) == 1
        value, gradient = ag.value_and_grad(function)(params, x, y)
        np.testing.assert_allclose(found[0][0], value, rtol=1e-13)
        np.testing.assert_allclose([*found[0][1]["w"], found[0][1]["b"]], [*gradient["w"], gradient["b"]], rtol=1e-12)
    factor = DiesOnArrival(tmp_path / "died")
    assert bits(distributed.value_and_grad(local, client, reduction="sum")(params, x, y)) == bits(found[0])
    assert (tmp_path / "died").exists()


def normalized_model() -> nn.Model:
    nn.set_seed(3)
    return nn.Sequential([nn.Dense(4, "tanh", kernel_regularizer="l2"), nn.BatchNormalization(), nn.Dropout(0.5), nn.Dense(1)])


def test_training_by_two_processes_is_that_of_one_and_repeats_bit_for_bit(client: Any) -> None:
    _, x, y = example(21)
    trained = []
    for make in (nn.training.make_step, partial(distributed.train_step, client=client)):
        nn.set_seed(0)
        model = nn.Sequential([nn.Dense(6, "tanh", kernel_regularizer="l2", dtype="float64"), nn.Dense(1, dtype="float64")])
        step = make(model, nn.losses.mean_squared_error, ag.optim.SGD(0.05, momentum=0.9))
        losses = [step(x, y[:, None]) for _ in range(8)]
        trained.append([np.array(losses), *(variable.numpy() for variable in model.variables)])
    for mine, theirs in zip(*trained):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)

    x, y, trained = x[:20], y[:20], []
    for _ in range(2):
        model = normalized_model()
        step = distributed.train_step(model, nn.losses.mean_squared_error, ag.optim.SGD(0.1), client)
        step(x, y[:, None])
        kernel, bias = (variable.numpy().copy() for variable in model.variables[:2])
        step(x, y[:, None])
        trained.append(pickle.dumps([variable.numpy() for variable in model.variables]))
    assert trained[0] == trained[1]
    mean, variance = (variable.numpy() for variable in model.non_trainable_variables)
    first = nn.Sequential(normalized_model().layers[:2])
    first(x[:1])
    moving = [np.zeros(4), np.ones(4)]
    for weights in ([v.numpy() for v in first.variables[:2]], [kernel, bias]):
        halves = [np.tanh(part @ weights[0] + weights[1]) for part in (x[:10], x[10:])]
        means = np.mean([h.mean(axis=0) for h in halves], axis=0), np.mean([h.var(axis=0) for h in halves], axis=0)
        moving = [0.99 * old + 0.01 * new for old, new in zip(moving, means)]
    np.testing.assert_allclose([mean, variance], moving, rtol=1e-5, atol=1e-7)


def test_results_of_an_asynchronous_client_are_awaited() -> None:
    x, y, params = np.arange(12.0).reshape(6, 2), np.ones(6), {"w": np.array([0.1, -0.2]), "b": 0.5}

    async def run() -> Any:
        options: Any = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None, "asynchronous": True}
        async with dask_distributed.Client(**options) as client:
            with pytest.raises(ag.SettingError, match="give parts="):
                distributed.value_and_grad(mean_error, client)
            found = await distributed.value_and_grad(mean_error, client, parts=2)(params, x, y)
            nn.set_seed(0)
            model = nn.Sequential([nn.Dense(1)])
            step = distributed.train_step(model, nn.losses.mean_squared_error, ag.optim.SGD(0.01), client, parts=2)
            return found, [float(await step(x, y[:, None])) for _ in range(3)]

    (value, gradient), losses = asyncio.run(run())
    wanted, wanted_gradient = ag.value_and_grad(mean_error)(params, x, y)
    np.testing.assert_allclose([value, gradient["b"], *gradient["w"]], [wanted, wanted_gradient["b"], *wanted_gradient["w"]])
    assert losses[2] < losses[1] < losses[0]


@pytest.mark.parametrize("sample", [parameter_study, data_parallel])
def test_sample_runs_on_a_cluster_whose_address_it_is_given(sample: Any, client: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [sample.__name__, client.scheduler.address])
    sample.main()
    assert ("at r = 4 the exponent is 0.6931" if sample is parameter_study else "100.0 % told apart") in capsys.readouterr().out


def test_lyapunov_exponents_are_those_of_theory(client: Any) -> None:
    rates = np.array([2.0 + 1e-9, 2.5, 3.2, 4.0])
    found = parameter_study.study(client, rates, 50_000, tasks=2)
    np.testing.assert_allclose(found[1:], [np.log(0.5), np.log(abs(4 + 2 * 3.2 - 3.2**2)) / 2, np.log(2.0)], atol=2e-3)


def test_processes_of_mpi_agree() -> None:
    launcher = shutil.which("mpiexec", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
    if launcher is None:
        pytest.skip("no mpiexec: the extra `test` brings one on Linux only")
    command = [launcher, "-n", "2", sys.executable, "-W", "error", str(ROOT / "tests" / "distributed" / "mpi_program.py")]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False)
    ranks = sorted("".join(done.stdout.split()))  # lines of two processes may be written into each other
    assert done.returncode == 0 and ranks == ["0", "1"], done.stdout + done.stderr


def test_source_travels_with_what_cannot_be_imported(notebook: Any) -> None:
    portable = distributed.portable(notebook.error)
    assert repr(portable) == "Portable(name='error')" and portable.__name__ == "error"
    packed = pickle.dumps(portable)
    linecache.clearcache()
    params, x, y = example()
    expected = np.mean(((x @ params["w"]) ** 2 + params["b"] + 0.5 - y) ** 2)
    error = pickle.loads(packed)
    np.testing.assert_allclose(error(params, x, y), expected, rtol=1e-13)
    with pytest.raises(ValueError) as caught:
        error({**params, "w": np.zeros(2)}, x, y)
    frame = caught.traceback[-1]
    assert os.path.basename(str(frame.path)) == "<cell 2>" and "power(x @ params" in str(frame.statement)


class Alone:
    """What is used of a communicator of mpi4py, for one process."""

    def Get_rank(self) -> int:
        return 0

    def Get_size(self) -> int:
        return 1

    def allgather(self, x: Any) -> list[Any]:
        return [x]


def test_parts_are_added_in_their_order() -> None:
    """In float32, where another order gives other bits."""
    x = np.random.default_rng(1).standard_normal(50).astype(np.float32)
    value, slope = distributed.value_and_grad(lambda w, x: (w * x).sum(), Alone(), reduction="sum", parts=50)(np.float32(1.0), x)
    total = np.float32(0.0)
    for item in x:
        total += item
    assert value == slope == total and value.dtype == slope.dtype == np.float32
    assert total != sum(reversed(x), np.float32(0.0))


def test_what_cannot_be_done_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    params, x, y = example(5)
    divided = distributed.value_and_grad(mean_error, Alone(), parts=6)
    no_workers = types.SimpleNamespace(submit=None, gather=None, nthreads=dict, asynchronous=False)
    for call, kind, text in [
        (lambda: divided(params, x, y), ag.ShapeError, "5 rows for 6 parts"),
        (lambda: divided(params, x, y[:4]), ag.ShapeError, r"\[4, 5\] rows"),
        (lambda: divided(params, 1.0), ag.ShapeError, "it has no array"),
        (lambda: divided(normalized_model(), x, y), ag.SettingError, "models have train_step"),
        (lambda: distributed.value_and_grad(3.0, Alone()), ag.SettingError, "takes a function, compiled or not, not float"),
        (lambda: distributed.value_and_grad(mean_error, None), ag.SettingError, r"autograph-jit\[distributed\].*not NoneType"),
        (lambda: distributed.value_and_grad(mean_error, no_workers), ag.SettingError, "no workers yet"),
        (lambda: distributed.value_and_grad(mean_error, Alone(), parts=0), ag.SettingError, "parts=0"),
        (lambda: distributed.value_and_grad(mean_error, Alone(), reduction="max"), ag.SettingError, "'mean', 'sum'"),
        (lambda: distributed.portable(3.0), ag.SettingError, "takes a function"),
    ]:
        with pytest.raises(kind, match=text):
            call()
    monkeypatch.setitem(distributed.portable.__globals__, "SourcePickler", None)
    with pytest.raises(ag.MissingExtraError, match=r"autograph-jit\[distributed\]"):
        distributed.portable(mean_error)
