"""The CUDA backend in the simulator, its kernels as PTX, and on a real device; each in a process of its own where numba needs one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autograph_jit.backends.cuda.kernel_text import Kernel
from autograph_jit.backends.cuda.launch import compile_to_ptx
from autograph_jit.backends.cuda.provider import has_nvvm

ROOT = Path(__file__).resolve().parents[2]
CASES = ("cuda_cases", "cuda_programs")


def run_cases(name: str, simulate: bool, kernels: Path) -> subprocess.CompletedProcess[str]:
    """Run a file of cases in a new process, which writes the kernels that it launched."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "NUMBA_ENABLE_CUDASIM"))}
    environment |= {"AUTOGRAPH_JIT_KERNELS": str(kernels)} | ({"NUMBA_ENABLE_CUDASIM": "1"} if simulate else {})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"tests/backends/{name}.py"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, subprocess.CompletedProcess[str]]:
    """The outcome of each file of cases in the simulator; their kernels are in the first argument `kernels`."""
    folder = tmp_path_factory.mktemp("cuda")
    results = {name: run_cases(name, True, folder / f"{name}.jsonl") for name in CASES}
    for name, result in results.items():
        result.args = folder / f"{name}.jsonl"
    return results


@pytest.mark.parametrize("name", CASES)
def test_cases_pass_in_the_simulator(simulated: dict[str, subprocess.CompletedProcess[str]], name: str) -> None:
    assert simulated[name].returncode == 0, simulated[name].stdout[-6000:]


def read_kernels(path: Path) -> list[Kernel]:
    """The distinct kernels that a process wrote."""
    entries = [json.loads(line) for line in sorted(set(path.read_text().splitlines()))]
    return [Kernel(source, tuple((name, np.dtype(dtype), vector) for name, dtype, vector in parameters)) for source, parameters in entries]


@pytest.mark.skipif(not has_nvvm(), reason="NVVM is not installed: pip install nvidia-nvvm")
def test_kernels_of_the_cases_compile_to_ptx_without_a_device(simulated: dict[str, subprocess.CompletedProcess[str]]) -> None:
    """All of them in CI; where one waits, every eighth."""
    kernels = read_kernels(Path(simulated["cuda_cases"].args))
    assert len(kernels) > 100
    for kernel in kernels if os.environ.get("CI") else kernels[::8]:
        assert ".visible .entry" in compile_to_ptx(kernel), kernel.source


def test_without_a_device_the_error_says_what_is_missing_and_what_to_do(tmp_path: Path) -> None:
    program = "import numpy as np, autograph_jit as ag\n\ndef f(x):\n    return x + 1\n\nag.compile(f, device='cuda')(np.ones(3))\n"
    (tmp_path / "program.py").write_text(program)
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_ENABLE_CUDASIM"}
    environment |= {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT)}
    result = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100)
    assert result.returncode == 1
    for part in ("DeviceError", "No CUDA driver answers", "NVIDIA GPU", "NUMBA_ENABLE_CUDASIM=1", 'device="cpu"'):
        assert part in result.stderr


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_cases_pass_on_the_device(tmp_path: Path, name: str) -> None:
    result = run_cases(name, False, tmp_path / "kernels.jsonl")
    assert result.returncode == 0, result.stdout[-6000:]
