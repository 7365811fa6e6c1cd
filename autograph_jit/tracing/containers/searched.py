"""Items that are looked for in a list: by compiled code where one of them cannot be a nan, which Python finds as one object."""

from __future__ import annotations

import operator
from typing import Any

from autograph_jit.ir.types import I64
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.repeated import Repeatable
from autograph_jit.tracing.hosting.host_calls import host_bool, host_scalar
from autograph_jit.tracing.sequences.dynamic import common_kind, is_comparable
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts import splitting
from autograph_jit.tracing.texts.references import remembered
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import truth
from autograph_jit.tracing.values.types import PYTHON_OBJECT, Optional, ValueType

NOT_IN_LIST = "list.remove(x): x not in list"


class Searched(Repeatable):
    """A list, as one looks for items in it."""

    @property
    def is_searchable(self) -> bool:
        """Whether compiled code compares the items with one that is looked for."""
        return self.is_native and is_found_natively(self.kind.content if isinstance(self.kind, Optional) else self.kind)

    def change(self) -> bool:
        """The list is about to change; whether it is one of the run."""
        raise NotImplementedError

    def changed_by(self, method: Any, *args: Any, label: str, natively: Any = None, **kwargs: Any) -> None:
        """A method of Python's lists that changes this one."""
        raise NotImplementedError

    def place_of(self, item: Any) -> Any:
        """Where an item stands first; -1 where it does not."""
        text = remembered(item)
        return language.call(splitting.position_of, (self, item if text is None else text, 0, self.length()), None)

    @acts_for_program
    def index(self, item: Any, /, *where: Any) -> Any:
        note_read(self)
        if self.dynamic is None and not contains_staged((item, list.copy(self))):
            return list.index(self, item, *where)
        if self.is_searchable and not where and not self.kind.classes:
            found = self.place_of(item)
            return language.if_exp(found >= 0, lambda: found, lambda: self.counted_by_python(list.index, item))
        return self.counted_by_python(list.index, item, *where)

    def counted_by_python(self, method: Any, *args: Any) -> Any:
        """The int that a method of Python's lists gives."""
        items = self if self.dynamic is None else self.listed()
        label = f"list.{method.__name__}"
        return host_scalar(lambda items, *rest: method(list(items), *rest), items, *args, dtype=I64.dtype, weak=True, label=label)

    def count(self, item: Any, /) -> Any:
        note_read(self)
        if self.is_searchable:
            return language.call(splitting.times_of, (self, item), None)
        return self.counted_by_python(list.count, item)

    def contains(self, item: Any) -> Any:
        """`item in self` of a run-time list."""
        note_read(self)
        if self.is_searchable:
            return self.place_of(item) >= 0
        return host_bool(operator.contains, self.listed(), item, label="in list")

    @acts_for_program
    def remove(self, item: Any, /) -> None:
        if self.dynamic is None and contains_staged((item, list.copy(self))):
            self.restructure(common_kind(list.copy(self)) or PYTHON_OBJECT)
        if not self.is_searchable:
            self.changed_by(list.remove, item, label="list.remove")
            return
        self.change()
        place = self.place_of(item)
        check(truth(place >= 0), ValueError, NOT_IN_LIST)
        self.native.pop(place)


def is_found_natively(kind: ValueType) -> bool:
    """Whether `==` of items of a type compares numbers and texts, or rows of instances that have no `__eq__` of their own."""
    if not kind.classes or not kind.is_flat:
        return is_comparable(kind)
    return not any("__eq__" in vars(base) for each in kind.classes for base in each.__mro__[:-1])
