"""Settings: `ag.config` for good and for a while, the environment, eager mode, devices, logs."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.settings import all_settings, current_device, settings


def running(x: Any) -> Any:
    return x + 1.0, ag.executing_eagerly()


def test_config_changes_for_good_and_for_a_while() -> None:
    before = all_settings()
    with ag.config(max_programs=5, logs=["kernels", "recompiles"]):
        assert settings.max_programs == 5 and settings.logs == ("kernels", "recompiles")
        with ag.config(max_programs=7):
            assert settings.max_programs == 7
        assert settings.max_programs == 5
    assert all_settings() == before
    ag.config(max_programs=9)
    assert settings.max_programs == 9
    ag.config(max_programs=before["max_programs"])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"egaer": True}, "no setting is named 'egaer': there are eager, backend, device, logs, max_programs"),
        ({"backend": "gpu"}, "setting backend='gpu': expected one of 'cpu', 'interpreter'"),
        ({"logs": "recompiles,everything"}, "setting logs='everything': expected one of"),
        ({"max_programs": 0}, "setting max_programs=0: expected a positive int"),
        ({"device": "tpu"}, "expected one of 'cpu', 'cuda'"),
    ],
)
def test_what_is_no_setting_is_refused_and_changes_nothing(changes: Any, text: str) -> None:
    before = all_settings()
    with pytest.raises(ag.SettingError) as caught:
        ag.config(eager=True, **changes)
    assert text in str(caught.value) and all_settings() == before


def test_eager_mode_runs_python_and_compiles_nothing() -> None:
    f = ag.compile(running, fallback="error")
    with ag.eager():
        assert f(1.0) == (2.0, True)
        with ag.eager():
            assert f(1.0) == (2.0, True)
        assert f(1.0) == (2.0, True)
    assert not f.specializations
    with ag.config(eager=True):
        assert f(1.0) == (2.0, True)
    assert f(1.0) == (2.0, False) and len(f.specializations) == 1


def test_transforms_have_no_form_in_python_and_are_compiled_in_eager_mode() -> None:
    cube, x = ag.compile(lambda x: np.sum(x**3)), np.array([1.0, 2.0])
    slope = ag.grad(cube)
    for asked in (ag.eager, lambda: ag.config(eager=True)):
        with asked():
            np.testing.assert_allclose(slope(x), [3.0, 12.0])
            np.testing.assert_allclose(ag.hessian(cube)(x), [[6.0, 0.0], [0.0, 12.0]])
            np.testing.assert_allclose(ag.vjp(cube, x)[1](2.0)[0], [6.0, 24.0])
            with ag.GradientTape() as tape:
                w = ag.Variable([[2.0, 0.0], [0.0, 4.0]])
                y = np.sum(np.linalg.inv(w))
            np.testing.assert_allclose(tape.gradient(y, w), [[-0.25, -0.125], [-0.125, -0.0625]])
            assert ag.compile(slope, fallback="error")(x)[1] == 12.0
    assert slope(x)[0] == 3.0


def test_eager_mode_ends_with_an_exception_and_holds_in_its_thread_only() -> None:
    seen: list[Any] = []
    f = ag.compile(running, fallback="error")
    with pytest.raises(KeyError), ag.eager():
        thread = threading.Thread(target=lambda: seen.append(f(1.0)))
        thread.start()
        thread.join()
        raise KeyError
    assert seen == [(2.0, False)] and f(1.0) == (2.0, False)


def test_executing_eagerly_is_true_in_python_and_false_in_compiled_code() -> None:
    seen: list[bool] = []

    @ag.do_not_convert
    def host(x: Any) -> float:
        seen.append(ag.executing_eagerly())
        return float(x)

    def branch(x: Any) -> Any:
        return x * 2.0 if ag.executing_eagerly() else host(x) * 3.0

    assert ag.executing_eagerly() and branch(1.0) == 2.0 and ag.convert(branch)(1.0) == 2.0
    assert ag.compile(branch, fallback="error")(1.0) == 3.0 and seen == [True]
    assert ag.grad(lambda x: x * (2.0 if ag.executing_eagerly() else 3.0))(1.0) == 3.0


def test_eager_function_runs_python_and_so_does_what_it_calls() -> None:
    inner = ag.compile(running, fallback="error")
    outer = ag.compile(lambda x: inner(x), eager=True)
    assert outer(1.0) == (2.0, True) and not inner.specializations
    assert "ag__" in ag.compile(running, eager=True).source() or outer.source()


def test_device_is_that_of_the_with_statement_or_the_setting() -> None:
    assert current_device() == "cpu"
    with ag.device("cuda"):
        assert current_device() == "cuda"
        with ag.device("cpu"):
            assert current_device() == "cpu"
    assert current_device() == "cpu"
    with pytest.raises(ag.SettingError), ag.device("tpu"):
        pytest.fail("unreachable")


def test_recompiles_and_kernels_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    f = ag.compile(lambda x: x * 2.0, fallback="error")
    with ag.config(logs="recompiles,kernels"), caplog.at_level(logging.INFO, "autograph_jit"):
        f(np.ones(20))
        f(np.ones((20, 2)))
    texts = [(record.name.rpartition(".")[2], record.getMessage()) for record in caplog.records]
    assert [name for name, _ in texts] == ["recompiles", "kernels"] * 2
    assert texts[0][1].endswith("program 1: first call")
    assert "program 2: program 1 expects x is an array float64 of rank 1: found f64[20, 2]" in texts[2][1]
    assert "kernel multiply" in texts[1][1]


SCRIPT = """
import autograph_jit as ag
f = ag.compile(lambda x: (x + 1, ag.executing_eagerly()))
print(f(1), len(f.specializations))
"""


@pytest.mark.parametrize(
    ("variables", "output", "errors"),
    [
        ({}, "(2, False) 1\n", ""),
        ({"AUTOGRAPH_JIT_EAGER": "1"}, "(2, True) 0\n", ""),
        (
            {"AUTOGRAPH_JIT_EAGER": "0", "AUTOGRAPH_JIT_LOGS": "recompiles"},
            "(2, False) 1\n",
            "autograph_jit.recompiles: <lambda>: program 1: first call\n",
        ),
        ({"AUTOGRAPH_JIT_LOGS": "nothing"}, "", "setting logs='nothing': expected one of 'recompiles', 'fallbacks', 'kernels'"),
    ],
)
def test_environment_sets_the_start(tmp_path: Any, variables: dict[str, str], output: str, errors: str) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    environment = {"PYTHONPATH": ".", "PATH": "", **variables}
    found = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert found.stdout == output and (errors in found.stderr if errors else found.stderr == "")
