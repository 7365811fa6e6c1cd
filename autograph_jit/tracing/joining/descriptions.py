"""What a variable holds where paths of control flow meet: a description that both sides fit, their values, the stand-in built from it.

`describe(value)` is exact; `join(a, b)` is the least description that covers both; `decompose(description, value)` gives the
graph values of a value under a description, emitting casts in the current block; `compose(description, values)` is the
inverse, on the other side of the meeting point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import I64, is_supported
from autograph_jit.tracing.aliasing.escapes import expect_own_container
from autograph_jit.tracing.aliasing.identities import join_identities, note_boxed
from autograph_jit.tracing.aliasing.instances import expect_settled, is_user_instance, note_joined
from autograph_jit.tracing.aliasing.journal import creation_depth, move_out
from autograph_jit.tracing.aliasing.references import InstanceReference, parts_of_reference, reference_type, referred
from autograph_jit.tracing.aliasing.row_classes import as_no_rows
from autograph_jit.tracing.hosting.exceptions import StagedException, object_of
from autograph_jit.tracing.hosting.host_calls import host_array, host_scalar, object_constant
from autograph_jit.tracing.joining.function_references import as_function_row, no_function_rows
from autograph_jit.tracing.joining.list_references import as_reference, expect_rows, join_lists, list_behind, reference_to
from autograph_jit.tracing.joining.placeholders import placeholder
from autograph_jit.tracing.joining.texts import describe_text, join_texts, kind_of_text, made_text, parts_of_text
from autograph_jit.tracing.joining.told_rows import chosen_of, place_among, told_row
from autograph_jit.tracing.joining.tuples import as_item, join_frozen_sets, join_tuples
from autograph_jit.tracing.joining.unanswered import expect_answered
from autograph_jit.tracing.numbers.scalars import bits_of
from autograph_jit.tracing.objects.callers_objects import expect_unchanged
from autograph_jit.tracing.sequences import dynamic as shared
from autograph_jit.tracing.sequences.dynamic import mixed_type
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.templates import contains_staged, fields_of
from autograph_jit.tracing.texts.text import Character, Text
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, TaggedScalar, Undefined
from autograph_jit.tracing.values.alternatives import renumbered
from autograph_jit.tracing.values.checks import settle, settle_presence
from autograph_jit.tracing.values.choice_types import Choice, members_of
from autograph_jit.tracing.values.constants import same_constant
from autograph_jit.tracing.values.lift import dtype_of, is_number, is_weak, lift_array, lift_number
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, active, constant, current, emit
from autograph_jit.tracing.values.types import (
    NEVER,
    NONE,
    PYTHON_OBJECT,
    STORED,
    Array,
    Composite,
    Constant,
    NativeItems,
    OneOf,
    Opaque,
    Optional,
    Reference,
    Scalar,
    Structure,
    TextType,
    Tuple,
    ValueType,
    join_mixed,
)

MANTISSA_BITS = 53  # of a float64


def describe(x: Any) -> ValueType:
    """The exact description of a value."""
    if isinstance(x, StagedScalar):
        bits = bits_of(x) if x.weak and x.scalar_dtype.kind == "i" else 64
        return Scalar(x.kinds, x.size, bits, is_exact(x, bits))
    if isinstance(x, StagedArray):
        return Array(x.dtype, x.type.dims, x.writeable)
    if isinstance(x, np.ndarray) and is_supported(x.dtype):
        return describe(lift_array(x))
    if isinstance(x, StagedObject) and is_marked(x, "kind_where_paths_meet"):
        return x.kind_where_paths_meet() or Opaque(x.python_type)
    if isinstance(x, (StagedObject, StagedException)):
        return Opaque(object_of(x).python_type)
    if isinstance(x, Maybe):
        return Optional(describe(x.content), x.absent)
    if isinstance(x, Text):
        return describe_text(x, None if isinstance(x, Character) else Array(x.dtype, x.codes.type.dims))
    if isinstance(x, Chosen):
        return reference_type(x) or mixed_type(x) or Choice(x.alternatives)
    if isinstance(x, InstanceReference):
        return Reference((x.instance_class,))
    if isinstance(x, tuple) or hasattr(type(x), "__made_by__"):  # of parts that nothing changes
        made_by, parts = (type(x), x) if isinstance(x, tuple) else (x.__made_by__(), x.__parts__()[1])
        return Tuple(made_by, tuple(map(describe, parts)))
    return Constant(x)


def is_exact(x: StagedScalar, bits: int) -> bool:
    """Whether a float holds the number without rounding, where it is an integer."""
    if isinstance(x, TaggedScalar) and x.scalar_dtype.kind in "fc":
        return x.whole is None
    return x.scalar_dtype.kind not in "iu" or x.scalar_dtype.itemsize < 8 or bits <= MANTISSA_BITS


def describe_as_left(x: Any, written: set[int]) -> ValueType:
    """The exact description of a value that a path leaves; `written`: the identities of lists and dicts whose content it changed."""
    return pinned(describe(x), written)


def pinned(x: ValueType, written: set[int]) -> ValueType:
    """A description that does not change when what the path wrote is taken back."""
    if isinstance(x, Optional):
        return Optional(pinned(x.content, written), x.absent)
    if isinstance(x, Constant) and written.intersection(map(id, shared.static_in(x.value))):
        found = as_container(x)
        return x if found is None else replace(x, content=pinned(found, written))
    return x.of(pinned(item, written) for item in x.items) if isinstance(x, Composite) else x


def join(a: ValueType, b: ValueType) -> ValueType:
    """The least description that covers both, for use after the regions that they come from."""
    return expanded(cover(a, b))


def cover(a: ValueType, b: ValueType) -> ValueType:
    """The least description that covers both."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    expect_answered(a, b)
    for kind in (Undefined, type(None)):
        found = [as_optional(x, kind) for x in (a, b)]
        known = found[0] or found[1]
        if known is not None:
            content = cover(*(x if each is None else each.content for x, each in zip((a, b), found)))
            return Opaque() if kind is not Undefined and isinstance(content, Opaque) else Optional(content, known.absent)
    if (unchanging := join_tuples(a, b) or join_frozen_sets(a, b)) is not None:
        return unchanging
    covering = (as_scalar(a) or as_function_row(a, b)).covering(as_scalar(b) or as_function_row(b, a), cover)
    if covering is not None:
        return covering
    if isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype and len(a.dims) == len(b.dims):
        return Array(
            a.dtype, tuple(m if m == n else active().fresh_atom("d", "join") for m, n in zip(a.dims, b.dims)), a.writeable and b.writeable
        )
    covering = join_texts(a, b) or join_containers(a, b) or join_lists(a, b) or join_mixed(as_alternative(a), as_alternative(b), cover)
    covering = covering or join_choices(a, b)
    if covering is None:
        expect_rows(a, b)
    return covering or Opaque(common_type(a, b))


def as_optional(x: ValueType, kind: type) -> Optional | None:
    """A value that may be absent, or is, where what stands for it then is of this class; None for any other."""
    if isinstance(x, Constant) and type(x.value) is kind:
        return Optional(NEVER, x.value)
    return x if isinstance(x, Optional) and type(x.absent) is kind else None


def join_containers(a: ValueType, b: ValueType) -> ValueType | None:
    """Two lists, dicts or instances made on different paths: a new one, element by element, where the structures agree."""
    first, second = as_container(a), as_container(b)
    if first is None or second is None or first.shape != second.shape:
        return None
    joining = active().aliasing.joining
    if first.shape[0] == "record" and first.shape in joining:
        return None  # instances of one class inside one another, in a chain or in a ring
    joining.append(first.shape)
    try:
        items = tuple(cover(x, y) for x, y in zip(first.items, second.items))
    finally:
        joining.pop()
    if first.shape[0] == "record":
        if any(holds_record(item, first.shape[1]) for item in items):
            return None
        for side in (a, b):
            if isinstance(side, Constant):
                note_joined(side.value)
    return first.of(items)


def as_container(x: ValueType) -> Composite | None:
    """A description by the parts of a value, where it is a container of a fixed structure."""
    if isinstance(x, Constant) and x.content is not None:
        return x.content
    found = shared.structure(x.value) if isinstance(x, Constant) else None
    if found is not None and isinstance(x, Constant):
        return Structure(found[0], tuple(map(describe, found[1])), found[2], x.value)
    return x if isinstance(x, Composite) else None


def holds_record(x: ValueType, kind: type) -> bool:
    """Whether an instance of this class stands inside: a chain that grows from trip to trip has no structure to join."""
    if isinstance(x, Constant):
        return isinstance(x.value, kind)
    return isinstance(x, Composite) and x.shape[1] is kind or any(holds_record(item, kind) for item in x.inner)


def expanded(x: ValueType) -> ValueType:
    """The description of a value that leaves the region in which it was made: its parts are values of that region."""
    if isinstance(x, Optional):
        return Optional(expanded(x.content), x.absent)
    if isinstance(x, Composite):
        return x.of(map(expanded, x.items))
    if not isinstance(x, Constant) or not is_inner(x):
        return x
    parts = as_container(x)
    if parts is None:
        return as_reference(x) or Opaque(shared.boxed_type(x.value))
    if parts.shape[0] == "record":
        note_joined(x.value)
    return parts.of(map(expanded, parts.items))


def is_inner(x: ValueType) -> bool:
    """Whether a value is made of values of the region that it leaves, or of a joined one."""
    trace = current()
    if not isinstance(x, Constant) or trace is None:
        return not isinstance(x, Constant)
    is_plain = isinstance(x.value, (list, dict, slice)) and not isinstance(x.value, shared.Dynamic)
    return creation_depth(trace, x.value) > len(trace.regions) or (is_plain and contains_staged(x.value))


def is_choosable(x: ValueType) -> bool:
    """Whether a constant is a function, or an instance of a user's class that holds nothing of a region that it leaves, and is no row."""
    if not isinstance(x, Constant):
        return False
    if not is_user_instance(x.value):
        return callable(x.value)
    return not is_inner(x) or callable(x.value) and not contains_staged(fields_of(x.value)) and reference_type(x.value) is None


def join_choices(a: ValueType, b: ValueType) -> ValueType | None:
    """Two functions, or two objects from before the paths parted: a choice."""
    alternatives: list[Any] = []
    for side in (a, b):
        options = options_of(side)
        if options is None:
            return None
        alternatives += [option for option in options if not any(same_constant(option, seen) for seen in alternatives)]
    for option in no_function_rows(alternatives):
        move_out(active(), option)
    return Choice(tuple(alternatives))


def options_of(x: ValueType) -> tuple[Any, ...] | None:
    """What a value may be, if it is a choice, or one can be made of it: of a member of an enumeration all members; None of any other."""
    if isinstance(x, Choice):
        return None if any(is_user_instance(each) and not is_choosable(Constant(each)) for each in x.alternatives) else x.alternatives
    members = members_of(x.value) if isinstance(x, Constant) else None
    return members or ((x.value,) if isinstance(x, Constant) and is_choosable(x) else None)


def common_type(a: ValueType, b: ValueType) -> type | None:
    """The Python type of an opaque value, where both sides agree."""
    types = {x.python_type if isinstance(x, Opaque) else type_in_python(x.value) if isinstance(x, Constant) else None for x in (a, b)}
    return types.pop() if len(types) == 1 else None


def type_in_python(x: Any) -> type:
    """The type that a value has under Python: a list of converted code is a list."""
    return getattr(type(x), "__rebuilt_type__", type(x)) if isinstance(x, shared.Dynamic) else type(x)


def as_scalar(x: ValueType) -> Scalar | None:
    """A number's description, of a constant too."""
    if isinstance(x, Scalar):
        return x
    if isinstance(x, Constant) and is_number(x.value) and not isinstance(x.value, Enum):
        value = x.value
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return None
        if not is_supported(dtype_of(value)):
            return None
        weak_int = is_weak(value) and isinstance(value, int) and not isinstance(value, bool)
        exact = dtype_of(value).kind not in "iu" or int(value).bit_length() <= MANTISSA_BITS
        return Scalar(((dtype_of(value), is_weak(value)),), value if weak_int else None, int(value).bit_length() if weak_int else 64, exact)
    return None


def as_alternative(x: ValueType) -> ValueType:
    """The description of a number, text, list or tuple beside one of another of these; that of another value."""
    number, text = as_scalar(x), kind_of_text(x)
    if number is not None or text is not None:
        return STORED[text or str] if number is None else Scalar(number.kinds)
    if isinstance(x, Constant) and isinstance(x.value, shared.Dynamic):
        return shared.kind_of(x.value)
    return as_item(x) if isinstance(x, Tuple) else x.content if isinstance(x, NativeItems) else x


def decompose(x: ValueType, value: Any) -> list[Value]:
    """The graph values of `value` under `x`, in the current block."""
    known = settle_presence(value)  # one of several things may be absent: it is not looked for
    return FORMS[type(x)][0](x, known if isinstance(x, OneOf) else settle(known))


def decompose_object(x: Opaque, value: Any) -> list[Value]:
    """An object of Python's; anything else in a box."""
    found = object_of(value)
    return [found.value if isinstance(found, StagedObject) else boxed_for_good(found).value]


def decompose_structure(x: Tuple | Structure, value: Any) -> list[Value]:
    """A tuple, list, dict or instance, part by part."""
    found = shared.structure(value)
    if isinstance(x, Structure):
        join_identities(value, x.like)
    return decompose_each(x, list(value) if isinstance(value, tuple) else found[1] if found else [])


def decompose_each(x: Composite, parts: list[Any]) -> list[Value]:
    return [v for item, part in zip(x.items, parts) for v in decompose(item, part)]


def decompose_choice(x: Choice, value: Any) -> list[Value]:
    """The number of the one that is chosen."""
    places = [x.place_of(option) for option in (value.alternatives if isinstance(value, Chosen) else (value,))]
    return [renumbered(value.selector, places) if isinstance(value, Chosen) else constant(np.int64(places[0]))]


def decompose_mixed(x: OneOf, value: Any) -> list[Value]:
    """Which of its types a value has, and its values under each; of others, placeholders."""
    options = value.alternatives if isinstance(value, Chosen) else (value,)
    places = [place_among(x, option) for option in options]
    if places == [None]:  # a dict of constant keys that is a row of another table
        raise Restart(*map(as_no_rows, x.classes if (kind := reference_type(value)) is None else kind.classes))
    taken = [place or 0 for place in places]
    selector = renumbered(value.selector, taken) if isinstance(value, Chosen) else constant(np.int64(taken[0]))
    known = dict(zip(places, options))
    parts = [v for k, item in enumerate(x.items) for v in (decompose(item, known[k]) if k in known else placeholder(item))]
    return [*parts[:-1], told_row(x, selector, set(places), parts[-1])] if x.is_told else [selector, *parts]


def boxed(value: Any) -> StagedObject:
    """Any value as an opaque Python object."""
    from_structure = shared.box(value)
    return from_structure if from_structure is not None else object_constant(value)


def boxed_for_good(value: Any) -> StagedObject:
    """A value that goes on as a Python object: a list or dict that is none yet must not be used under its old name."""
    expect_settled(value)
    if type(value) in shared.KINDS_OF_MADE and (made := active().outside.made.get(id(value))) is not None and made[1] is not None:
        raise Restart(("dynamic", made[1], PYTHON_OBJECT))  # which is another object in each call
    expect_unchanged(value)
    for container in shared.static_in(value):
        expect_own_container(container)
        note_boxed(container)
    return boxed(value)


def decompose_scalar(x: Scalar, value: Any) -> list[Value]:
    """A number, with its tag where its type depends on the path."""
    if isinstance(value, StagedObject):
        value = host_scalar(lambda v: v, value, dtype=x.dtype, weak=False, label="unbox", pure=True, fails=False)
    values = [lift_number(value, x.dtype)]
    if len(x.kinds) > 1:
        if isinstance(value, TaggedScalar):
            values.append(renumbered(value.tag, list(map(x.kinds.index, value.kinds))))
        else:
            values.append(constant(np.int64(x.kinds.index((dtype_of(value), is_weak(value))))))
    return [*values, whole_of(value)] if x.has_whole else values


def whole_of(value: Any) -> Value:
    """The i64 value, or the bits of the u64 value, of a number that is an integer; anything for others."""
    if not isinstance(value, TaggedScalar):
        return lift_number(value, I64.dtype) if dtype_of(value).kind in "iub" else constant(np.int64(0))
    if value.whole is not None:
        return value.whole
    result = constant(np.int64(0))
    for index, (dtype, _) in enumerate(value.kinds):
        if dtype.kind in "iub":
            hit = emit("equal", value.tag, constant(np.int64(index))).result
            whole = lift_number(StagedScalar(lift_number(value, dtype), True), I64.dtype)
            result = emit("where", hit, whole, result).result
    return result


def as_array(x: Array, value: Any) -> StagedArray:
    """An array value; an opaque object is converted in Python."""
    if isinstance(value, StagedObject):
        return host_array(lambda v: v, (value,), None, x.dtype, x.dims, "unbox")
    return lift_array(value)


def decompose_optional(x: Optional, value: Any) -> list[Value]:
    """The presence bit and the content, or a placeholder that is never read."""
    if isinstance(value, Maybe) and type(value.absent) is type(x.absent):
        return [value.present.value, *decompose(x.content, value.content)]
    absent = value is None and x.absent is None or isinstance(value, Undefined) and isinstance(x.absent, Undefined)
    if absent:
        return [constant(np.False_), *placeholder(x.content)]
    return [constant(np.True_), *decompose(x.content, value)]


def compose(x: ValueType, values: Iterator[Value]) -> Any:
    """The stand-in of a described value, from its graph values."""
    return FORMS[type(x)][1](x, values)


def compose_each(x: Composite, values: Iterator[Value]) -> list[Any]:
    return [compose(item, values) for item in x.items]


def compose_scalar(x: Scalar, values: Iterator[Value]) -> StagedScalar:
    """A scalar stand-in, tagged where its type depends on the path."""
    value = next(values)
    if len(x.kinds) < 2:
        dtype, weak = x.number or (x.dtype, True)
        size = x.size if weak and dtype.kind == "i" else None
        return StagedScalar(value, weak, size, x.bits)
    return TaggedScalar(value, next(values), x.kinds, next(values) if x.has_whole else None)


def compose_optional(x: Optional, values: Iterator[Value]) -> Any:
    """A value that may be absent; what is never there is None."""
    found = Maybe(StagedScalar(next(values), True), compose(x.content, values), x.absent)
    return None if x == NONE else found


FORMS: dict[type, tuple[Callable[[Any, Any], list[Value]], Callable[[Any, Iterator[Value]], Any]]] = {
    Constant: (lambda x, value: [], lambda x, values: x.value),
    Scalar: (decompose_scalar, compose_scalar),
    Array: (lambda x, value: [as_array(x, value).value], lambda x, values: StagedArray(next(values), x.writeable)),
    Opaque: (decompose_object, lambda x, values: StagedObject(next(values), x.python_type)),
    Optional: (decompose_optional, compose_optional),
    **dict.fromkeys((Tuple, Structure), (decompose_structure, lambda x, values: x.make(compose_each(x, values)))),
    TextType: (
        lambda x, value: decompose_each(x, parts_of_text(x, value)),
        lambda x, values: made_text(x, compose_each(x, values)),
    ),
    NativeItems: (reference_to, lambda x, values: list_behind(x, [next(values) for _ in x.parts])),
    Reference: (parts_of_reference, referred),
    OneOf: (decompose_mixed, lambda x, values: chosen_of(x, None if x.is_told else next(values), compose_each(x, values))),
    Choice: (decompose_choice, lambda x, values: Chosen(next(values), x.alternatives)),
}
"""How a value of each type is taken apart, into values of the graph, and made of them."""


def labels(x: ValueType) -> set[str]:
    """The atoms in the sizes of a description."""
    if isinstance(x, Array):
        return {name for size in x.dims if isinstance(size, Dim) for name, _ in size.terms}
    return {label for part in x.inner for label in labels(part)}
