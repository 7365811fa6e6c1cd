"""Subscripts of staged arrays: keys have basic and advanced parts; reads give views, elements or copies, stores write in place."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.tracing.arrays.array_like import INDEX_DTYPE, as_array, fresh_copy, has_staged_form, is_fresh, is_sequence, size_operand
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.arrays.views import FULL, NEW_AXIS, basic_view, broadcast_dims, index_parts, shape_text
from autograph_jit.tracing.hosting.host_calls import host_effect
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of
from autograph_jit.tracing.values.lift import INT64_LIMIT, array, cast, element, index_value, lift_array, lift_number, scalar
from autograph_jit.tracing.values.memory_order import inverse, source_in_order, turned
from autograph_jit.tracing.values.shape_checks import check_broadcast
from autograph_jit.tracing.values.trace import active, emit

INVALID = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
READ_ONLY = "assignment destination is read-only"
Entry = tuple[Any, ...]


def parse_key(x: StagedArray, key: Any) -> list[Entry]:
    """The entries of a subscript, one per axis consumed, the ellipsis expanded: ("int", i), ("slice", a, b, c), ("full",), ("newaxis",),
    ("array", integers), ("mask", booleans)."""
    entries = [parse_part(part) for part in (key if isinstance(key, tuple) else (key,))]
    used = sum(entry[1].ndim if entry[0] == "mask" else entry[0] not in ("newaxis", "ellipsis") for entry in entries)
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    places = [k for k, entry in enumerate(entries) if entry[0] == "ellipsis"]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    place = places[0] if places else len(entries)
    if places and used == x.ndim and is_between_advanced(entries, place):
        raise NotNative  # it stands for no axis, and yet it parts the indices: their axis comes first
    return entries[:place] + [FULL] * (x.ndim - used) + entries[place + 1 :]


def is_between_advanced(entries: list[Entry], place: int) -> bool:
    """Whether an ellipsis parts two indices of a key that has arrays among them."""
    sides = (entries[:place], entries[place + 1 :])
    return is_advanced(entries) and all(any(entry[0] in ("int", "array", "mask") for entry in side) for side in sides)


def parse_part(part: Any) -> Entry:
    """One part of a key."""
    part = content_of(part)
    if part is None:
        return NEW_AXIS
    if part is Ellipsis:
        return ("ellipsis",)
    if isinstance(part, slice):
        bounds = tuple(slice_bound(bound) for bound in (part.start, part.stop, part.step))
        return FULL if bounds == (None, None, None) else ("slice", *bounds)
    if isinstance(part, (bool, np.bool_)) or (isinstance(part, StagedScalar) and part.scalar_dtype.kind == "b"):
        raise NotNative
    if isinstance(part, (int, np.integer)):
        return ("int", part)
    if isinstance(part, StagedScalar):
        if part.scalar_dtype.kind not in "iu":
            raise IndexError(INVALID)
        return ("int", part)
    if isinstance(part, StagedObject):
        raise NotNative
    return parse_array(part)


def parse_array(part: Any) -> Entry:
    """A part of a key that is an array or a sequence."""
    if is_sequence(part) and len(part) == 0:
        part = np.zeros(0, np.intp)
    if isinstance(part, deque):
        raise NotNative
    if not (isinstance(part, (np.ndarray, StagedArray)) or is_sequence(part) or has_staged_form(part)):
        raise IndexError(INVALID)
    indices = lift_array(part) if isinstance(part, np.ndarray) and part.dtype.kind in "iub" else part
    if isinstance(part, np.ndarray) and part.dtype.kind not in "iub":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    indices = as_array(indices)
    if indices.dtype.kind == "b":
        if indices.ndim == 0:
            raise NotNative
        return ("mask", indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if indices.ndim == 0:
        return ("int", element(indices), "copy")
    return ("array", array(cast(indices.value, INDEX_DTYPE)))


def slice_bound(bound: Any) -> Any:
    """A part of a slice: None, a Python int or a staged integer."""
    bound = content_of(bound)
    if isinstance(bound, np.ndarray) and bound.ndim == 0:
        bound = lift_array(bound)
    if isinstance(bound, StagedArray) and bound.ndim == 0:
        bound = element(bound)
    if bound is None:
        return None
    if isinstance(bound, StagedScalar):
        if bound.scalar_dtype.kind not in "iub":
            raise TypeError("slice indices must be integers or None or have an __index__ method")
        return bound if bound.scalar_dtype == INDEX_DTYPE else scalar(cast(bound.value, INDEX_DTYPE))
    if isinstance(bound, StagedObject):
        raise NotNative
    if not hasattr(bound, "__index__") or isinstance(bound, StagedArray):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return min(max(bound.__index__(), -INT64_LIMIT), INT64_LIMIT - 1)  # no axis is longer


def is_advanced(entries: list[Entry]) -> bool:
    """Whether a subscript needs a gather."""
    return any(entry[0] in ("array", "mask") for entry in entries)


def is_element(x: StagedArray, key: Any, entries: list[Entry]) -> bool:
    """Whether a key of ints alone names one element."""
    if any(entry[0] != "int" for entry in entries):
        return False
    parts = key if isinstance(key, tuple) else (key,)
    return not any(part is Ellipsis for part in parts)


def emit_element(x: StagedArray, name: str, operands: list[Value], entries: list[Entry]) -> Operation:
    """A load or a store of one element; indices known while tracing are checked at once."""
    indices, proved = [], True
    for axis, ((_, index, *_), size) in enumerate(zip(entries, x.type.dims)):
        known = index.size if isinstance(index, StagedScalar) and isinstance(index.size, int) else index
        if isinstance(known, int) and isinstance(size, int):
            is_inside = -size <= known < size
            if not is_inside and proved:
                raise IndexError(f"index {known} is out of bounds for axis {axis} with size {size}")
            known, proved = known % size if is_inside else known, proved and is_inside
        else:
            proved = False  # an error of this axis comes before those of later ones
        indices.append(index_value(known))
    if proved and indices:
        return emit(name, x.value, *operands, *indices, proved=True)
    return emit(name, x.value, *operands, *indices)


def numbers_in(x: Any) -> Any:
    """An array of ints where NumPy takes a number, or numbers for the axes: its number, or a tuple of them; anything else as it is."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(numbers_in, x)) if any(isinstance(item, (StagedArray, np.ndarray)) for item in x) else x
    if not isinstance(x, (StagedArray, np.ndarray)) or x.dtype.kind not in "biu":
        return x
    x = lift_array(x)
    sizes = x.type.dims
    if not sizes:
        return getitem(x, ())
    if not isinstance(sizes[0], int):
        raise NotNative
    return tuple(numbers_in(getitem(x, k)) for k in range(sizes[0]))


def getitem(x: StagedArray, key: Any) -> Any:
    """`x[key]`."""
    entries = parse_key(x, key)
    if is_element(x, key, entries):
        return scalar(emit_element(x, "load", [], entries).result)
    if is_advanced(entries):
        return gather(x, entries)
    view = basic_view(x, entries)
    return fresh_copy(view) if any(len(entry) == 3 for entry in entries) else view


def sole_mask(entries: list[Entry]) -> StagedArray | None:
    """The mask of `x[mask]`, with nothing but full slices after it."""
    if entries and entries[0][0] == "mask" and all(entry == FULL for entry in entries[1:]):
        return entries[0][1]
    return None


def gather(x: StagedArray, entries: list[Entry]) -> StagedArray:
    """A copy of the elements that an advanced subscript selects."""
    mask = sole_mask(entries)
    if mask is not None:
        expect_mask_fits(mask, x, 0)
        dims = (active().fresh_atom("d", "mask"), *x.type.dims[mask.ndim :])
        return array(emit("mask_select", x.value, mask.value, dims=dims).result)
    base, items, index, dims = advanced_parts(x, entries)
    return array(emit("gather", base.value, *index, items=items, dims=dims).result)


def advanced_parts(x: StagedArray, entries: list[Entry]) -> tuple[StagedArray, tuple[Entry, ...], list[Value], tuple[Size, ...]]:
    """What gather and scatter take: the base after its basic part, items, indices, and the dims of the selection."""
    entries = expand_masks(x, entries)
    basic = [FULL if entry[0] in ("int", "array") else entry for entry in entries]
    base = x if all(entry == FULL for entry in basic) else basic_view(x, basic)
    items = tuple(("array",) if entry[0] in ("int", "array") else FULL for entry in entries)
    index = [entry[1].value if entry[0] == "array" else index_value(entry[1]) for entry in entries if entry[0] in ("int", "array")]
    shapes = [entry[1].type.dims for entry in entries if entry[0] == "array"]
    try:
        joined = broadcast_dims(shapes)
    except ValueError:
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {' '.join(map(shape_text, shapes))} "
        ) from None
    places = [k for k, item in enumerate(items) if item != FULL]
    first = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    kept = [size for size, item in zip(base.type.dims, items) if item == FULL]
    return base, items, index, (*kept[:first], *joined, *kept[first:])


def expand_masks(x: StagedArray, entries: list[Entry]) -> list[Entry]:
    """Masks replaced by the positions of their true elements."""
    result: list[Entry] = []
    axis = 0
    for entry in entries:
        if entry[0] == "mask":
            expect_mask_fits(entry[1], x, axis)
            result += [("array", positions) for positions in nonzero(entry[1])]
            axis += entry[1].ndim
        else:
            result.append(entry)
            axis += entry[0] != "newaxis"
    return result


def nonzero(x: StagedArray) -> tuple[StagedArray, ...]:
    """The positions of the elements that are not zero, one array per axis."""
    dims = (active().fresh_atom("d", "nonzero"),)
    return tuple(array(value) for value in emit("nonzero", x.value, dims=dims).results)


def expect_mask_fits(mask: StagedArray, x: StagedArray, axis: int) -> None:
    """A mask must have the sizes of the axes that it stands for."""
    for k, size in enumerate(mask.type.dims):
        wanted = x.type.dims[axis + k]
        if size == wanted:
            continue
        if size == 0:
            raise NotNative  # NumPy does not ask for the length of such a mask
        text = "boolean index did not match indexed array along axis {}; size of axis is {} but size of corresponding boolean axis is {}"
        if isinstance(size, int) and isinstance(wanted, int):
            raise IndexError(text.format(axis + k, wanted, size))
        found, expected = size_operand(mask, k), size_operand(x, axis + k)
        check(emit("equal", found, expected).result, IndexError, text.format(axis + k, "{0}", "{1}"), expected, found)


def setitem(x: StagedArray, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    value = content_of(value)
    if not x.writeable:
        raise ValueError(READ_ONLY)
    if isinstance(value, StagedObject):
        host_effect(operator.setitem, x, key, value, label="item assignment")
        return
    entries = parse_key(x, key)
    if is_element(x, key, entries):
        stored = element_value(value, x.dtype, lambda: emit_element(x, "load", [], entries))
        emit_element(x, "store", [stored], entries)
    elif is_advanced(entries):
        scatter(x, entries, value)
    elif not is_own_view(x, entries, value):
        assign(basic_view(x, entries), value)


def is_own_view(x: StagedArray, entries: list[Entry], value: Any) -> bool:
    """Whether the value is this very view of x, as after `x[key] += y`: then nothing is left to do."""
    if not isinstance(value, StagedArray):
        return False
    if value.value is x.value:
        return all(entry == FULL for entry in entries)
    owner = value.value.owner
    if not isinstance(owner, Operation) or owner.name != "basic_index" or owner.operands[0] is not x.value:
        return False
    items, operands, _ = index_parts(entries, x)
    return items == owner.attributes["items"] and all(
        same_index(one, other) for one, other in zip(operands, owner.operands[1:], strict=True)
    )


def same_index(x: Value, y: Value) -> bool:
    """Whether two index operands are the same number."""
    if x is y:
        return True
    owners = x.owner, y.owner
    if not all(isinstance(owner, Operation) for owner in owners):
        return False
    names = {owner.name for owner in owners}  # type: ignore[union-attr]
    if names == {"constant"}:
        return owners[0].attributes["value"] == owners[1].attributes["value"]  # type: ignore[union-attr]
    return names == {"cast"} and owners[0].operands[0] is owners[1].operands[0]  # type: ignore[union-attr]


def assigned_value(value: Any, dtype: np.dtype) -> Value:
    """A value for a store of several elements: cast without a check for arrays, converted like an element for numbers."""
    value = content_of(value)
    if isinstance(value, (np.ndarray, StagedArray)):
        value = as_array(value)
        return cast(element(value).value if value.ndim == 0 else value.value, dtype)
    if is_sequence(value) or has_staged_form(value):
        return as_array(value, dtype).value
    if isinstance(value, StagedObject):
        raise NotNative
    return element_value(value, dtype)


def assign(view: StagedArray, value: Any) -> None:
    """`view[...] = value`."""
    if not view.writeable:
        raise ValueError(READ_ONLY)
    source = assigned_value(value, view.dtype)
    expect_fits(view, source)
    found = source_in_order(source)
    if found is not None and source.type.rank == view.ndim:  # type: ignore[union-attr]
        check_broadcast(source, view.value, "input array")  # whose axes are still as the program has them
        emit("assign", turned(view.value, inverse(found[1])), found[0])
    else:
        emit("assign", view.value, source)


def expect_fits(view: StagedArray, source: Value) -> None:
    """Refuse at once what provably does not broadcast to the target."""
    found: tuple[Any, ...] = getattr(source.type, "dims", ())
    while len(found) > view.ndim and isinstance(found[0], int) and found[0] == 1:  # NumPy drops leading axes of size 1 first
        found = found[1:]
    extra = max(len(found) - view.ndim, 0)
    pairs = zip(reversed(found[extra:]), reversed(view.type.dims))
    misfit = any(isinstance(size, int) and size != 1 for size in found[:extra])
    if misfit or any(isinstance(size, int) and isinstance(wanted, int) and size not in (1, wanted) for size, wanted in pairs):
        raise ValueError(f"could not broadcast input array from shape {shape_text(found)} into shape {shape_text(view.type.dims)}")


def scatter(x: StagedArray, entries: list[Entry], value: Any, mode: str = "set") -> None:
    """Store through an advanced subscript; of duplicates the last wins for `set`, all count otherwise."""
    strong = isinstance(value, np.generic) or (isinstance(value, StagedScalar) and not value.weak)
    source = lift_number(value, x.dtype) if strong else assigned_value(value, x.dtype)
    mask = sole_mask(entries)
    rank = len(getattr(source.type, "dims", ()))
    if mask is not None and mode == "set" and rank > 1 and mask.ndim == x.ndim:
        raise TypeError(f"NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has {rank} dimensions")
    if mask is not None and mode == "set" and (rank == 0 or (rank == 1 and mask.ndim == x.ndim)):
        expect_mask_fits(mask, x, 0)
        emit("mask_assign", x.value, mask.value, source)
        return
    base, items, index, dims = advanced_parts(x, entries)
    if rank:
        expect_selection(source, dims)
        if not is_fresh(source):
            source = emit("copy", source).result
    emit("scatter", base.value, source, *index, items=items, mode=mode)


def expect_selection(source: Value, dims: tuple[Size, ...]) -> None:
    """Refuse at once a value that provably does not broadcast to the selected elements."""
    found = source.type.dims  # type: ignore[union-attr]
    for size, wanted in zip(reversed(found), reversed(dims)):
        if isinstance(size, int) and isinstance(wanted, int) and size not in (1, wanted):
            raise ValueError(
                f"shape mismatch: value array of shape {shape_text(found)} could not be broadcast to indexing result "
                f"of shape {shape_text(dims)}"
            )
