"""Where the peers are: each in an environment of its own under `.peers`, made by `scripts/bench --install-peers`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".peers"
TORCH_FOR_CPUS = "https://download.pytorch.org/whl/cpu"  # the package index's own torch brings gigabytes for GPUs

# What pip installs, step by step. numba is here as well: it comes with the project.
RECIPES: dict[str, tuple[tuple[str, ...], ...]] = {
    "jax": (("jax",),),
    "torch": (("--no-deps", "--index-url", TORCH_FOR_CPUS, "torch"), ("torch", "numpy")),
    "tensorflow": (("tensorflow-cpu",),),
    "numexpr": (("numexpr",),),
}
PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")


def interpreter(peer: str) -> Path:
    return FOLDER / peer / "bin" / "python"


def is_installed(peer: str) -> bool:
    return interpreter(peer).exists()


def candidates() -> Iterator[str]:
    """This Python, then others on PATH: a peer runs in a process of its own, so its version may differ."""
    yield sys.executable
    for name in PYTHONS:
        found = shutil.which(name)
        if found and subprocess.run([found, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0:
            yield found


def install_with(python: str, peer: str) -> str:
    """Make the environment; what went wrong, or an empty string."""
    shutil.rmtree(FOLDER / peer, ignore_errors=True)
    pip = [str(interpreter(peer)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", "--retries=1"]
    for command in ([python, "-m", "venv", str(FOLDER / peer)], *([*pip, *step] for step in RECIPES[peer])):
        # An index that is configured beside the one for CPUs would offer its torch for GPUs as well.
        variables = os.environ | ({"PIP_CONFIG_FILE": os.devnull} if TORCH_FOR_CPUS in command else {})
        done = subprocess.run(command, capture_output=True, text=True, env=variables)
        if done.returncode:
            shutil.rmtree(FOLDER / peer, ignore_errors=True)
            return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return ""


def install(peer: str) -> str:
    """Install one peer under the first Python that has wheels for it; a line that says what happened."""
    if is_installed(peer):
        return f"{peer}: installed already"
    faults = []
    for python in candidates():
        fault = install_with(python, peer)
        if not fault:
            return f"{peer}: installed with {python}"
        faults.append(f"{python}: {fault}")
    return f"{peer}: left out; " + "; ".join(faults)


def install_all() -> None:
    """Install every peer that is missing, and say which could not be."""
    FOLDER.mkdir(exist_ok=True)
    for peer in RECIPES:
        print(install(peer), file=sys.stderr, flush=True)
