"""Loops whose trips do not wait for each other: LLVM need not compare addresses before it makes vectors of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter


class AccessGroup(ir.MDValue):
    """The metadata node that accesses of such loops share: distinct, as LLVM wants it, which llvmlite's own nodes cannot be."""

    def descr(self, buf: Any) -> None:
        buf += ("distinct !{}", "\n")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@contextmanager
def independent_trips(e: Emitter) -> Iterator[None]:
    """While loops are emitted of which no trip reads or writes what another one writes."""
    around = e.access_group
    if around is None:
        e.access_group = AccessGroup(e.module, (), str(len(e.module.metadata)))
    yield
    e.access_group = around


@contextmanager
def other_trips(e: Emitter) -> Iterator[None]:
    """While loops are emitted of which that is not known, among others of which it is."""
    around, e.access_group = e.access_group, None
    yield
    e.access_group = around
