"""Describes the installation: versions, processor, threads, CUDA."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys

import llvmlite.binding as llvm

from autograph_jit.backends.cpu.threading.threads import threads
from autograph_jit.backends.cuda.provider import has_nvvm, provider
from autograph_jit.backends.disk_cache import disk_cache, reason
from autograph_jit.errors import DeviceError
from autograph_jit.runtime.settings import all_settings

PACKAGES = ("autograph-jit", "numpy", "numba", "llvmlite", "scipy", "gast", "astunparse")
CUDA_PACKAGES = ("numba-cuda", "nvidia-nvvm", "nvidia-cuda-nvcc-cu12", "cuda-bindings")
VECTOR_FEATURES = ("sse4.2", "avx", "avx2", "fma", "avx512f", "neon", "sve")


def describe_installation() -> str:
    """One labelled line for each fact."""
    facts = [("python", f"{platform.python_version()} ({sys.executable})"), *((name, version(name)) for name in PACKAGES)]
    facts += [("platform", platform.platform()), ("processor", describe_processor()), ("threads", describe_threads())]
    facts += [("cache", describe_cache())]
    facts += [("cuda", describe_cuda()), ("settings", ", ".join(f"{name}={value!r}" for name, value in all_settings().items()))]
    return "\n".join(f"{label:14}{text}" for label, text in facts)


def version(package: str) -> str:
    """The installed version."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def describe_processor() -> str:
    """Name, number of processors and vector instructions."""
    features = llvm.get_host_cpu_features()
    known = [name for name in VECTOR_FEATURES if features.get(name)]
    return f"{llvm.get_host_cpu_name()}, {os.cpu_count()} processors, {' '.join(known) or 'no vector instructions known'}"


def describe_threads() -> str:
    """How many threads share large array operations."""
    return "1" if threads.count == 1 else f"{threads.count}, started by the first large array operation"


def describe_cache() -> str:
    """Where compiled code is kept between processes, and how much of it there is."""
    try:
        return str(disk_cache.usage())
    except OSError as error:
        return f"cannot be used: {reason(error, disk_cache.directory)}"


def describe_cuda() -> str:
    """Which provider runs kernels, or what is missing; whether kernels can be compiled without a device."""
    installed = [f"{name} {version(name)}" for name in CUDA_PACKAGES if version(name) != "not installed"]
    try:
        found = f"available: {provider().name}"
    except DeviceError as error:
        _, *reasons = str(error).splitlines()  # the first line says what cannot be used
        found = f"not available: {' '.join(reasons[:1])}"
    compiler = "kernels can be compiled" if has_nvvm() else "no NVVM to compile kernels with"
    return f"{found}; {compiler}; packages: {', '.join(installed) or 'none'}"
