"""Python's builtin functions on stand-ins: numbers and conversions, iteration, reductions over iterables, types, text."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import F64, I64
from autograph_jit.staging import scalars, ufuncs
from autograph_jit.staging.access import getattr_, setattr_
from autograph_jit.staging.branches import if_exp, if_stmt, not_, staged_bool
from autograph_jit.staging.calls import BUILTINS, call
from autograph_jit.staging.checks import content_of
from autograph_jit.staging.comparison import compare
from autograph_jit.staging.containers import Dynamic
from autograph_jit.staging.dicts import TracedDict
from autograph_jit.staging.exceptions import StagedException
from autograph_jit.staging.hosting import host_bool, host_effect, host_object, host_scalar
from autograph_jit.staging.iteration import Enumerated, Indexed, Mapped, Reversed, StagedRange, Zipped, indexed, is_staged_iterable, make_range
from autograph_jit.staging.lift import is_weak, lift_array, lift_number, scalar
from autograph_jit.staging.lists import TracedList
from autograph_jit.staging.loops import for_stmt
from autograph_jit.staging.templates import contains_staged
from autograph_jit.staging.trace import emit
from autograph_jit.staging.values import Maybe, Protocol, Staged, StagedArray, StagedObject, StagedScalar, TaggedScalar

MISSING = object()


def builtin(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the staged form of a builtin."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        BUILTINS[function] = rule
        return rule

    return register


def settled(x: Any) -> Any:
    """A value that must be present; a one-element array as its element, where a number is wanted."""
    return content_of(x) if isinstance(x, Maybe) else x


def number_of(x: Any) -> Any:
    """A number for int(), float(), complex(): the element of a one-element array."""
    x = settled(x)
    if isinstance(x, np.ndarray):
        x = lift_array(x)
    if isinstance(x, StagedArray):
        return call(x.item, (), None)
    return x


@builtin(int)
def staged_int(x: Any = 0, *args: Any) -> Any:
    x = number_of(x)
    if isinstance(x, TaggedScalar):
        x = x.plain()
    if isinstance(x, StagedScalar):
        return scalars.to_int(x)
    if isinstance(x, StagedObject):
        return host_scalar(int, x, *args, dtype=I64.dtype, weak=True, label="int")
    return int(x, *args)


@builtin(float)
def staged_float(x: Any = 0.0) -> Any:
    x = number_of(x)
    if isinstance(x, StagedScalar):
        return scalars.to_float(x)
    if isinstance(x, StagedObject):
        return host_scalar(float, x, dtype=F64.dtype, weak=True, label="float")
    return float(x)


@builtin(complex)
def staged_complex(real: Any = 0, imag: Any = MISSING) -> Any:
    real = number_of(real)
    if imag is MISSING:
        return scalars.to_complex(real) if isinstance(real, StagedScalar) else complex(real)
    imag = number_of(imag)
    if not (isinstance(real, Staged) or isinstance(imag, Staged)):
        return complex(real, imag)
    return scalar(emit("complex", lift_number(real, F64.dtype), lift_number(imag, F64.dtype)).result, True)


@builtin(bool)
def staged_bool_type(x: Any = False) -> Any:
    return staged_bool(x)


@builtin(abs)
def staged_abs(x: Any) -> Any:
    x = settled(x)
    return abs(lift_array(x) if isinstance(x, np.ndarray) else x)


@builtin(round)
def staged_round(x: Any, digits: Any = None) -> Any:
    x = settled(x)
    if not isinstance(x, (StagedScalar, StagedArray)):
        return host_object(round, x, digits, label="round") if contains_staged((x, digits)) else round(x, digits)
    if digits is None:
        if x.scalar_dtype.kind in "iub":
            return scalars.to_int(x)
        return scalars.to_int(scalar(emit("rint", x.value).result))
    if isinstance(x, StagedScalar) and x.weak and x.scalar_dtype.kind == "f":
        return host_scalar(round, x, digits, dtype=F64.dtype, weak=True, label="round", pure=True)
    return Protocol.function(np.round, (x, digits), {})


@builtin(divmod)
def staged_divmod(x: Any, y: Any) -> Any:
    return divmod(settled(x), settled(y))


@builtin(pow)
def staged_pow(x: Any, y: Any, modulus: Any = None) -> Any:
    if modulus is None:
        return settled(x) ** settled(y)
    if not contains_staged((x, y, modulus)):
        return pow(x, y, modulus)
    return host_scalar(pow, x, y, modulus, dtype=I64.dtype, weak=True, label="pow", pure=True)


@builtin(len)
def staged_len(x: Any) -> Any:
    x = settled(x)
    if isinstance(x, StagedArray):
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        return Protocol.array_attribute(x, "shape")[0]
    if isinstance(x, np.ndarray):
        return staged_len(lift_array(x))
    if isinstance(x, StagedScalar):
        raise TypeError(f"object of type '{x.python_type.__name__}' has no len()")
    if isinstance(x, StagedObject):
        return scalar(host_scalar(len, x, dtype=I64.dtype, weak=True, label="len", pure=x.python_type in (str, bytes, tuple)).value, True, bits=48)
    if isinstance(x, (TracedList, TracedDict, Indexed)):
        return x.length()
    method = getattr(type(x), "__len__", None)
    return call(method, (x,), None) if method is not None and hasattr(method, "__code__") and not isinstance(x, Dynamic) else len(x)


@builtin(range)
def staged_range(*args: Any) -> Any:
    return make_range(*(settled(arg) for arg in args))


@builtin(enumerate)
def staged_enumerate(x: Any, start: Any = 0) -> Any:
    x = settled(x)
    if isinstance(x, StagedObject):
        x = iterate_object(x)
    source = indexed(x) if is_staged_iterable(x) or isinstance(x, np.ndarray) else None
    return Enumerated(source, start) if source is not None else enumerate(x, start)


@builtin(zip)
def staged_zip(*sources: Any, strict: bool = False) -> Any:
    items = [iterate_object(x) if isinstance(x, StagedObject) else settled(x) for x in sources]
    if not any(is_staged_iterable(x) or isinstance(x, np.ndarray) for x in items) or strict:
        return zip(*items, strict=strict)
    found = [indexed(x) for x in items]
    if any(source is None for source in found):
        return zip(*(source if source is not None else item for source, item in zip(found, items)))
    return Zipped(tuple(found))  # type: ignore[arg-type]


@builtin(reversed)
def staged_reversed(x: Any) -> Any:
    x = settled(x)
    if isinstance(x, TracedList) and x.dynamic is None:
        return reversed(list.copy(x))
    source = indexed(x) if is_staged_iterable(x) or isinstance(x, np.ndarray) else None
    return Reversed(source) if source is not None else reversed(x)


@builtin(map)
def staged_map(function: Any, *sources: Any) -> Any:
    found = [indexed(x) for x in sources]
    if any(is_staged_iterable(x) for x in sources) and all(source is not None for source in found):
        return Mapped(function, tuple(found))  # type: ignore[arg-type]
    return (call(function, items, None) for items in zip(*sources))


@builtin(filter)
def staged_filter(function: Any, source: Any) -> Any:
    result = TracedList.made([])

    def body(item: Any) -> None:
        keep = staged_bool(item) if function is None else call(function, (item,), None)
        if_stmt(keep, lambda: result.append(item), lambda: None, lambda: (), lambda state: None, ())

    for_stmt(source, None, body, lambda: (), lambda state: None, ())
    return result


def reduce_items(source: Any, step: Callable[[Any, Any], Any], initial: Any) -> Any:
    """Fold an iterable, staged or not."""
    total = [initial]

    def set_state(state: tuple[Any, ...]) -> None:
        (total[0],) = state

    def body(item: Any) -> None:
        total[0] = step(total[0], item)

    for_stmt(source, None, body, lambda: (total[0],), set_state, ("total",))
    return total[0]


@builtin(sum)
def staged_sum(source: Any, start: Any = 0) -> Any:
    return reduce_items(source, lambda total, item: total + item, start)


@builtin(any)
def staged_any(source: Any) -> Any:
    return reduce_until(source, True)


@builtin(all)
def staged_all(source: Any) -> Any:
    return reduce_until(source, False)


def reduce_until(source: Any, stop: bool) -> Any:
    """Whether some item has the truth `stop`: iteration ends there."""
    found: list[Any] = [not stop]

    def set_state(state: tuple[Any, ...]) -> None:
        (found[0],) = state

    def body(item: Any) -> None:
        found[0] = staged_bool(item)

    def go_on() -> Any:
        return not_(found[0]) if stop else found[0]

    for_stmt(source, go_on, body, lambda: (found[0],), set_state, ("found",))
    return found[0]


@builtin(functools.reduce)
def staged_reduce(function: Any, source: Any, *initial: Any) -> Any:
    step = lambda total, item: call(function, (total, item), None)  # noqa: E731
    if initial:
        return reduce_items(source, step, initial[0])
    items = iter(source)
    first = next(items, MISSING)
    if first is MISSING:
        raise TypeError("reduce() of empty iterable with no initial value")
    return reduce_items(list(items), step, first)


@builtin(itertools.accumulate)
def staged_accumulate(source: Any, function: Any = operator.add, *, initial: Any = None) -> Any:
    totals: list[Any] = [] if initial is None else [initial]
    for item in source:
        totals.append(item if not totals else call(function, (totals[-1], item), None))
    return totals


def best(symbol: str, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    """min and max: the first of equals stays."""
    if len(args) == 1:
        items = args[0]
        if isinstance(items, (StagedArray, np.ndarray)) or is_staged_iterable(items):
            return best_of_indexed(symbol, indexed(items), key, default)
        items = list(items)
    else:
        items = list(args)
    if not items:
        if default is MISSING:
            raise ValueError(f"{'max' if symbol == '>' else 'min'}() iterable argument is empty")
        return default
    result = items[0]
    for item in items[1:]:
        result = better(symbol, result, item, key)
    return result


def better(symbol: str, old: Any, new: Any, key: Any) -> Any:
    """The better of two."""
    rank = (lambda x: call(key, (x,), None)) if key is not None else (lambda x: x)
    wins = compare(symbol, rank(new), rank(old))
    simple = all(isinstance(x, (StagedScalar, int, float, np.number)) and not isinstance(x, TaggedScalar) for x in (old, new))
    if isinstance(wins, StagedScalar) and simple and is_weak(old) == is_weak(new) and ufuncs.dtype_of(old) == ufuncs.dtype_of(new):
        dtype = ufuncs.dtype_of(old)
        bits = max(scalars.bits_of(x) if is_weak(x) and dtype.kind == "i" else 64 for x in (old, new))
        return scalar(emit("where", wins.value, lift_number(new, dtype), lift_number(old, dtype)).result, is_weak(old), bits=bits)
    return if_exp(wins, lambda: new, lambda: old)


def best_of_indexed(symbol: str, source: Any, key: Any, default: Any) -> Any:
    """min and max over a staged iterable."""
    length = source.length()

    def fold() -> Any:
        rest = StagedRange(1, length, 1, length - 1) if not isinstance(length, int) else range(1, length)
        return reduce_items(rest, lambda total, index: better(symbol, total, source.item(index), key), source.item(0))

    def empty() -> Any:
        if default is MISSING:
            raise ValueError(f"{'max' if symbol == '>' else 'min'}() iterable argument is empty")
        return default

    return if_exp(compare(">", length, 0), fold, empty)


@builtin(min)
def staged_min(*args: Any, key: Any = None, default: Any = MISSING) -> Any:
    return best("<", args, key, default)


@builtin(max)
def staged_max(*args: Any, key: Any = None, default: Any = MISSING) -> Any:
    return best(">", args, key, default)


def collect(source: Any) -> TracedList:
    """The items of any iterable, in a list of converted code."""
    source = settled(source)
    if isinstance(source, StagedObject):
        source = iterate_object(source)
    result = TracedList.made([])
    if isinstance(source, (list, tuple, dict, str)) and not (isinstance(source, Dynamic) and source.dynamic is not None):
        result.extend(list(source))
    else:
        for_stmt(source, None, result.append, lambda: (), lambda state: None, ())
    return result


@builtin(list)
def staged_list(source: Any = ()) -> Any:
    return collect(source)


@builtin(tuple)
def staged_tuple(source: Any = ()) -> Any:
    items = collect(source)
    return tuple(list.copy(items)) if items.dynamic is None else host_object(tuple, items.listed(), label="tuple", python_type=tuple)


@builtin(dict)
def staged_dict(*args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], StagedObject):
        return host_object(dict, *args, label="dict", python_type=dict, **kwargs)
    return TracedDict.made(dict(*args, **kwargs))


@builtin(sorted)
def staged_sorted(source: Any, *, key: Any = None, reverse: Any = False) -> Any:
    items = collect(source)
    if not contains_staged(items):
        rank = (lambda x: call(key, (x,), None)) if key is not None else None
        if rank is None or not any(contains_staged(rank(item)) for item in items):
            return TracedList.made(sorted(list.copy(items), key=rank, reverse=reverse))
    made = TracedList()
    made.key, made.depth = items.key, items.depth
    made.dynamic = host_object(lambda values, **named: sorted(values, **named), items if items.dynamic is None else items.listed(), label="sorted", python_type=list, key=key, reverse=reverse)
    return made


@builtin(iter)
def staged_iter(source: Any, *sentinel: Any) -> Any:
    return iter(source, *sentinel)


@builtin(next)
def staged_next(iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, TracedList):
        return first_item(iterator, *default)
    return next(iterator, *default)


def first_item(items: TracedList, *default: Any) -> Any:
    """`next` of a generator expression whose items were collected."""
    if items.dynamic is None:
        if len(items):
            return list.__getitem__(items, 0)
        if default:
            return default[0]
        raise StopIteration

    def nothing() -> Any:
        if default:
            return default[0]
        raise StopIteration

    return if_exp(compare(">", items.length(), 0), lambda: items[0], nothing)


@builtin(isinstance)
def staged_isinstance(x: Any, kinds: Any) -> Any:
    kind = type_of(x)
    if kind is not None:
        return issubclass(kind, kinds)
    return host_bool(isinstance, x, kinds, label="isinstance", pure=True)


def type_of(x: Any) -> type | None:
    """The type that a value has when it leaves, or None where only the run knows."""
    if isinstance(x, StagedScalar):
        return None if isinstance(x, TaggedScalar) else x.python_type
    if isinstance(x, StagedArray):
        return np.ndarray
    if isinstance(x, StagedObject):
        return x.python_type if x.python_type is not Exception else None
    if isinstance(x, StagedException):
        return type_of(x.__dict__["object"])
    if isinstance(x, Maybe):
        return None
    return getattr(type(x), "__rebuilt_type__", type(x))


@builtin(type)
def staged_type(*args: Any, **kwargs: Any) -> Any:
    if len(args) != 1:
        return type(*args, **kwargs)
    kind = type_of(args[0])
    return kind if kind is not None else host_object(type, args[0], label="type", python_type=type)


@builtin(print)
def staged_print(*args: Any, **kwargs: Any) -> None:
    host_effect(print, *args, label="print", **kwargs)


def text_function(function: Any, name: str) -> None:
    def rule(x: Any = "", *args: Any) -> Any:
        if isinstance(x, StagedException):
            x = x.__dict__["object"]
        if contains_staged((x, args)):
            return host_object(function, x, *args, label=name, python_type=str, pure=isinstance(x, StagedScalar))
        return function(x, *args)

    BUILTINS[function] = rule


for _function, _name in ((str, "str"), (repr, "repr"), (format, "format"), (chr, "chr"), (bin, "bin"), (hex, "hex")):
    text_function(_function, _name)


@builtin(getattr)
def staged_getattr(obj: Any, name: str, *default: Any) -> Any:
    if default:
        try:
            return getattr_(obj, name)
        except AttributeError:
            return default[0]
    return getattr_(obj, name)


@builtin(setattr)
def staged_setattr(obj: Any, name: str, value: Any) -> None:
    setattr_(obj, name, value)


BUILTINS[super] = super


@builtin(callable)
def staged_callable(x: Any) -> Any:
    return callable(x) and not isinstance(x, (StagedArray, StagedScalar))


def iterate_object(x: StagedObject) -> Any:
    """A run-time object as something to iterate: a run-time list of its items."""
    made = TracedList()
    made.dynamic = x if x.python_type is list else host_object(list, x, label="list", python_type=list)
    return made


def bool_of(x: Any) -> Any:
    """The truth of a comparison as a Python bool."""
    return staged_bool(x)


def unbox_index(x: StagedObject) -> StagedScalar:
    """An opaque object used as an index."""
    return host_scalar(lambda value: value.__index__(), x, dtype=I64.dtype, weak=True, label="index", pure=True)


def join_strings(separator: str, items: Any) -> Any:
    """`separator.join(items)` over strings that the run makes."""
    parts = collect(items)
    return host_object(separator.join, parts if parts.dynamic is None else parts.listed(), label="str.join", python_type=str)


Protocol.bool_of, Protocol.unbox_index, Protocol.join_strings, Protocol.iterate_object = bool_of, unbox_index, join_strings, iterate_object
Protocol.setattr_ = setattr_
