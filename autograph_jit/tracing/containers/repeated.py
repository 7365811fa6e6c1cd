"""A list times a number: of numbers, a native list of a length that only the run knows."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.escapes import note_write
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.native_lists import MOST_ITEMS, NativeList, is_whole, repeat
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.sequences.dynamic import Dynamic, common_kind, kind_of, position, register
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, TaggedScalar, is_staged
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.checks import as_number
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.lift import INT64_LIMIT, scalar
from autograph_jit.tracing.values.trace import Restart, active, constant, emit
from autograph_jit.tracing.values.types import KNOWN, NEVER, PYTHON_OBJECT, Scalar, ValueType, join_items


def is_numpys(x: Any) -> bool:
    """Whether a value is an array or a number of NumPy's, whose operators take a list for an array."""
    return isinstance(x, (StagedArray, np.ndarray, np.generic)) or isinstance(x, StagedScalar) and not x.weak


def repeated(items: Iterable[Any], times: Any) -> list[Any]:
    """`items * times` in Python."""
    return list(items) * times


def is_narrower(x: Any, kind: ValueType) -> bool:
    """Whether a list of compiled code holds numbers of which a list of other numbers may have copies."""
    return x.is_native and x.kind != kind and isinstance(x.kind, Scalar) and isinstance(kind, Scalar)


def put_one_by_one(source: NativeList, places: slice, target: NativeList) -> None:
    """Put copies of the items at some places behind those of a list of another kind."""
    piece = NativeList(source.kind)
    source.copy_to(piece, places)
    repeat(emit("list_len", piece.parts[0]).result, lambda index: target.push(piece.get(scalar(index, True))))


class Repeatable(Dynamic, list):
    """A list that may be native: `kind` is that of its elements."""

    kind: ValueType
    native: NativeList
    is_product = False  # of a list and a number that only the run knows
    is_argument = False  # whose items the call brings
    is_filled = False  # with the items of one of the caller's, whose object it does not know

    @classmethod
    def made(cls, items: Iterable[Any]) -> Any:
        """A list that converted code makes here."""
        raise NotImplementedError

    def listed(self) -> Any:
        """The run-time list as an argument of a host call."""
        raise NotImplementedError

    def note_write(self, added: Iterable[Any] = ()) -> None:
        """The items are about to change, to hold these too."""
        note_write(self, NEVER if self.merged is None else join_items(map(kind_of, added)))
        if self.is_native:
            self.native.expect_own_rows()

    @property
    def item_kind(self) -> ValueType | None:
        """The type of the items; None where there are none yet."""
        return self.kind if self.dynamic is not None else common_kind(list.copy(self))

    @property
    def is_native(self) -> bool:
        return self.dynamic is not None and self.kind.is_native

    def renamed(self, kind: ValueType, reference: list[Value]) -> Any:
        """Another name for what may be this list: that of a reference."""
        made = type(self)()
        made.key, made.depth, made.kind = self.key, len(active().regions), kind
        made.native = NativeList(kind, reference)
        if self.is_native:
            made.native.rows = self.native.rows
        made.dynamic = made.native.parts[0]
        return made

    @staticmethod
    def run_time_kind(members: list[Any]) -> ValueType:
        """What lists become of which one may be another."""
        kind = join_items({kind for member in members if (kind := member.item_kind) is not None})
        return kind if kind.is_native else PYTHON_OBJECT

    def as_native(self) -> NativeList | None:
        """The elements as a native list; None where they are nothing that such a list holds."""
        kind = self.item_kind
        return self.as_native_of(kind) if kind is not None and kind.is_native else None

    def as_native_of(self, kind: ValueType) -> NativeList:
        """The elements as a native list of a kind that fits them."""
        if self.is_native and self.kind != kind:
            self.foresee(kind)
        if self.is_native and self.kind != kind:
            self.restructure(kind)
        if self.is_native:
            return self.native
        made = NativeList(kind)
        for item in list.copy(self):
            made.push(item)
        return made

    def natively(self, kind: ValueType, is_copy: bool) -> Any:
        """The items now, as a list of compiled code of a kind that fits them."""
        note_read(self)
        made, items = type(self)(), self.as_native_of(kind)
        made.key, made.depth, made.kind = self.key, len(active().regions), kind
        made.native = items.copied() if self.is_native and is_copy else items
        made.dynamic = made.native.parts[0]
        return made

    def another(self) -> Any:
        """A list that is made of this one."""
        return type(self)()

    def joined(self, function: Any, other: Any) -> Any:
        """A new Python list at run time from this one and something else."""
        made = self.another()
        made.key, made.depth = self.key, len(active().regions)
        made.dynamic = host_object(
            function, self if self.dynamic is None else self.listed(), other, label="list operator", python_type=list
        )
        return made

    def slice_copy(self, key: slice) -> Any:
        """A slice of a run-time list: a run-time list."""
        made = self.joined_natively("list slice", [(self, position(key))])
        if made is not None:
            return made
        made = self.another()
        made.key, made.depth, made.kind = self.key, len(active().regions), self.kind if not self.is_native else PYTHON_OBJECT
        made.dynamic = host_object(lambda items, where: list(items)[where], self.listed(), key, label="list slice", python_type=list)
        return made

    def joined_natively(self, operator: str, pieces: list[tuple[Any, slice]]) -> Any:
        """A new native list of pieces of lists; None where the new list has to be Python's."""
        kinds, made = {part.item_kind for part, _ in pieces}, self.another()
        kind = join_items({kind for kind in (*kinds, register(made, operator)) if kind is not None} or {PYTHON_OBJECT})
        if not kind.is_native:
            return None
        made.kind = kind
        if len(pieces) == 1 and is_whole(pieces[0][1]) and not is_narrower(pieces[0][0], kind):
            made.native = pieces[0][0].as_native_of(kind).copied()
        else:
            made.native = NativeList(kind)
            for part, places in pieces:
                if is_narrower(part, kind):
                    put_one_by_one(part.native, places, made.native)
                else:
                    part.as_native_of(kind).copy_to(made.native, places)
        for part, _ in pieces:
            note_read(part)
        made.dynamic = made.native.parts[0]
        return made

    @acts_for_program
    def __mul__(self, times: Any) -> Any:
        if isinstance(times, TaggedScalar):
            return distribute(times, lambda plain: self * plain)
        note_read(self)
        times = as_number(times)
        if self.is_native and type(times) is int and abs(times) < INT64_LIMIT:
            times = StagedScalar(constant(np.int64(times)), True)
        if self.dynamic is None and not is_staged(times):
            if isinstance(times, int) and len(self) * times >= MOST_ITEMS:
                raise MemoryError
            product = list.copy(self) * times
            return self.made(product) if type(product) is list else product
        if isinstance(times, StagedArray):
            return NotImplemented
        if isinstance(times, StagedScalar) and (times.scalar_dtype.kind in "fc" or not times.weak and times.scalar_dtype.kind == "b"):
            raise TypeError(text_with_stand_ins(operator.mul, self, times))
        made = self.repeated_at_run_time(times) if isinstance(times, StagedScalar) else None
        if made is not None:
            return made
        if self.dynamic is None and isinstance(times, StagedScalar):
            with contextlib.suppress(ConversionError):  # where the number stems from no input
                return self * times.__index__()
        return self.joined(repeated, times)

    __rmul__ = __mul__

    def repeated_at_run_time(self, times: StagedScalar) -> Any:
        """The list as often as only the run knows; None where its items are not numbers of one kind or the trace has to know them."""
        made = self.another()
        decided = register(made, "list *")
        kind = self.item_kind
        if decided == KNOWN or isinstance(times.size, int) or kind is None or not kind.is_native:
            return None
        kind = join_items({kind, decided or kind})
        if not kind.is_native:
            return self.joined(repeated, times)
        made.kind, made.is_product = kind, True
        made.native = self.repeated_natively(kind, times)
        made.dynamic = made.native.parts[0]
        return made

    def repeated_natively(self, kind: ValueType, times: StagedScalar) -> NativeList:
        if self.dynamic is None and list.__len__(self) == 1:
            return NativeList.filled(kind, list.__getitem__(self, 0), times)
        return self.as_native_of(kind).repeated(times)

    def __imul__(self, times: Any) -> Any:
        if is_numpys(times) and not isinstance(times, StagedScalar):
            return NotImplemented
        self[:] = self * times
        return self

    def ask_for_items(self) -> None:
        """The trace needs the items: those of an argument as inputs, those of a list times a number with a constant for the number."""
        if self.is_product or self.is_argument:
            raise Restart(("dynamic", self.key, KNOWN))
