"""`tuple(...)`, and the methods of tuples of which only the run knows how long they are."""

from __future__ import annotations

from typing import Any

from autograph_jit.library.python.iteration import collect
from autograph_jit.tracing.containers.tuples import TracedTuple, made_tuple
from autograph_jit.tracing.expressions import comparison
from autograph_jit.tracing.expressions.register import builtin, for_c, present, recursive_on_call
from autograph_jit.tracing.objects.opaque import NATIVE_METHODS
from autograph_jit.tracing.values.abstract import StagedObject, check
from autograph_jit.tracing.values.lift import truth


@builtin(tuple)
def staged_tuple(source: Any = ()) -> Any:
    source = present(source)
    return source if isinstance(source, TracedTuple) or type(source) is tuple else made_tuple(collect(source))


def is_sought_natively(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a method that looks for an item is compiled code's."""
    return isinstance(owner, TracedTuple) and len(args) == 1 and not kwargs and owner.items.is_searchable


def place_in(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`owner.index(item)`."""
    if not is_sought_natively(owner, args, kwargs):
        return NotImplemented
    found = owner.items.place_of(*args)
    check(truth(found >= 0), ValueError, "tuple.index(x): x not in tuple")
    return found


def times_in(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`owner.count(item)`."""
    return owner.items.count(*args) if is_sought_natively(owner, args, kwargs) else NotImplemented


builtin(comparison.relation_in_cases)(comparison.relation_in_cases)
for _comparison in (comparison.equal_trees, comparison.order_trees):
    builtin(_comparison)(for_c(recursive_on_call(_comparison)))
NATIVE_METHODS.update({(tuple, "index"): place_in, (tuple, "count"): times_in})
