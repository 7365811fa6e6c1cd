"""Every array program."""

from __future__ import annotations

from benchmarks.array_programs import fields, fluids, inference, networks, particles, planning, signals
from benchmarks.case import Benchmark

MODULES = (fluids, fields, inference, networks, particles, signals, planning)
BENCHMARKS: tuple[Benchmark, ...] = tuple(case for module in MODULES for case in module.BENCHMARKS)
