"""Host calls: operations that run in Python on the real values, one at a time, in the middle of compiled code."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from autograph_jit.ir.types import BOOL, I64, OBJECT, ArrayType, ScalarType, Type
from autograph_jit.ops.derivatives.library import LibraryRule
from autograph_jit.ops.direct_calls import DirectCall
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.aliasing.escapes import (
    HOST_CONTAINERS,
    MAKING,
    becomes_object,
    expect_noted,
    holds_lists,
    leave_changed,
    note_given,
    note_object,
    object_made_of,
)
from autograph_jit.tracing.hosting.host_derivatives import derivative_of
from autograph_jit.tracing.hosting.local_calls import acts_locally, is_local, marked, may_differ, only_reads
from autograph_jit.tracing.hosting.purity import is_pure
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.structures.flat_templates import flat_arguments, is_flat, known_arguments
from autograph_jit.tracing.structures.rebuilding import LeafValues, Rebuild
from autograph_jit.tracing.structures.templates import Changed, Template
from autograph_jit.tracing.values.abstract import (
    INPLACE_OPERATORS,
    OfTheTrace,
    StagedArray,
    StagedObject,
    StagedScalar,
    is_staged,
    may_be_none,
)
from autograph_jit.tracing.values.checks import staged_not
from autograph_jit.tracing.values.float_errors import raises_float_errors
from autograph_jit.tracing.values.lift import INT64_LIMIT, lift_array, wrap
from autograph_jit.tracing.values.trace import active, emit

ROUTINES = (np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky)  # which a backend may have code for
MADE_ANEW = (list, dict, bytearray, *HOST_CONTAINERS)  # that Python made while the function was traced
UNABLE_TO_HOLD = (bool, int, float, complex, str, bytes)  # what Python is given
UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "abs": abs}


def lift_arrays(x: Any) -> Any:
    """Real arrays inside arguments become inputs, so that the run sees their current content; texts become objects."""
    if isinstance(x, np.ndarray) and x.dtype.kind in "biufc" and x.dtype.itemsize <= 16 and x.dtype.name != "float16":
        return lift_array(x)
    if hasattr(type(x), "__staged_object__"):
        return x.__staged_object__()
    if type(x) in (tuple, list):
        items = [lift_arrays(item) for item in x]
        return x if all(map(operator.is_, items, x)) else type(x)(items)
    return x


TEXTS = frozenset(("print", "str", "repr", "ascii", "format", "f-string"))  # labels of what writes a value as a text


def host(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    types: tuple[Type, ...],
    label: str,
    pure: bool = False,
    fails: bool = True,
    rule: LibraryRule | None = None,
    source: Any = None,
    beyond: bool = False,
    is_truth: bool = False,
    python_seconds: float | None = None,
    returns: type | None = None,
) -> list[Any]:
    """Call `function(*args, **kwargs)` in Python when the compiled function runs; its result (a tuple where there are several
    `types`) comes back as stand-ins of `types`. `rule` is the derivative of a function that writes nothing; `source` is NumPy's function,
    which may have an equivalent that has one; `fails`: it may raise; `beyond`: it may raise what Python would not (`errors.is_beyond`);
    `is_truth`: its result is the truth value of what the function gives; `python_seconds`: what it takes, where that has been estimated;
    `returns`: the class of the object that it gives, where that is known."""
    function, args = of_owner(function, args)
    template, function = CallTemplate(label), by_name(function)
    args, kwargs = tuple(lift_arrays(arg) for arg in args), {name: lift_arrays(arg) for name, arg in (kwargs or {}).items()}
    rebuild_args, rebuild_kwargs = template.of(args), template.of(kwargs)
    if OBJECT in types or not pure:
        keeps_items = not types or OBJECT in types and returns not in UNABLE_TO_HOLD
        note_all_given(template, (*args, *kwargs.values()), label, keeps_items)
    single = len(types) == 1
    parts = None if kwargs else known_arguments(rebuild_args)
    flat = flat_arguments(parts) if parts is not None and is_flat(parts) else None

    def call(*values: Any) -> tuple[Any, ...]:
        if flat is not None:
            result = function(*flat(values))
        else:
            leaves = LeafValues(values)
            result = function(*rebuild_args(leaves), **rebuild_kwargs(leaves))
        if is_truth:
            result = bool(result)
        return (result,) if single else tuple(result) if types else ()

    found = derivative_of(source, rule, args, kwargs, Template(template.leaves, convert=False).of((args, kwargs)), label)
    options: dict[str, Any] = {} if found is None else {"derivative": found}
    calls = active().calls
    given = {"fails": fails, "errors": calls.errors, "rare": calls.rare, "beyond": beyond, "python_seconds": python_seconds}
    usual = {"fails": True, "errors": None, "rare": False, "beyond": False, "python_seconds": None}
    options |= {name: value for name, value in given.items() if value is not usual[name]}
    arrays = [arg.value for arg in args if isinstance(arg, StagedArray)]
    if source in ROUTINES and not kwargs and not raises_float_errors() and arrays == template.leaves.values and len(arrays) == len(args):
        options["routine"] = source.__name__
    is_local_call = acts_locally(function) or is_local(function, args, kwargs, label)
    marked(call, is_local_call, only_reads(function), may_differ(function))
    is_direct = is_truth or types in ((), (OBJECT,)) or single and isinstance(types[0], ScalarType)
    if parts is not None and not beyond and is_direct:
        call.direct = DirectCall(function, parts)  # type: ignore[attr-defined]
    call.rebuilds_for = function if flat is None else None  # type: ignore[attr-defined]
    operation = emit("host_call", *template.leaves.values, fn=call, label=label, results=types, pure=pure or found is not None, **options)
    active().recorded.host_calls.append(label)
    return [wrap(value) for value in operation.results]


class CallTemplate(Template):
    """How to rebuild what Python is given by a call of this label. What it is given for good is made once, by a call of its own, if the
    trace may go on with that object."""

    def __init__(self, label: str) -> None:
        super().__init__(of_call=True, for_text=label in TEXTS)
        self.label = label

    def of_container(self, x: Any) -> Rebuild:
        if id(x) not in self.shared and self.label != MAKING and becomes_object(x, self.label):
            note_object(x, host_object(lambda value: value, x, label=MAKING, python_type=type(x), fails=False))
        found = object_made_of(x)
        return super().of_container(x) if found is None else self.of_leaf(found)


def note_all_given(template: Template, args: tuple[Any, ...], label: str, keeps_items: bool) -> None:
    """What Python is given, which may keep what stands in it."""
    outermost = set(map(id, args))
    for x, build in list(template.shared.values()):
        if keeps_items and isinstance(build, Changed):
            leave_changed(x, label)
        note_given(x, label, may_return=keeps_items and (id(x) not in outermost or holds_lists(x)))


def of_owner(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A function with its arguments; a method of a tuple that holds objects of the caller's as a function that is given the tuple."""
    owner, inputs = getattr(function, "__self__", None), active().inputs
    is_callers = inputs is not None and isinstance(owner, tuple) and holds_reached(inputs, owner)
    if not is_callers or not hasattr(type(owner), function.__name__):
        return function, args
    return getattr(type(owner), function.__name__), (owner, *args)


def by_name(function: Any) -> Any:
    """A function found as a name of a library's module: looked up when it is called, since a test may put another one in its place."""
    trace = active()
    known = trace.definitions.library_names.get(id(function))
    if known is None or known[0] is not function or is_pure(function):
        return function
    _, module, name = known
    return lambda *args, **kwargs: getattr(module, name)(*args, **kwargs)


def host_object(
    function: Callable[..., Any],
    *args: Any,
    label: str,
    python_type: type | None = None,
    pure: bool = False,
    fails: bool = True,
    **kwargs: Any,
) -> StagedObject:
    """A host call whose result stays a Python object."""
    (result,) = host(function, args, kwargs, types=(OBJECT,), label=label, pure=pure, fails=fails, returns=python_type)
    result.python_type = python_type
    return result


def host_effect(function: Callable[..., Any], *args: Any, label: str, **kwargs: Any) -> None:
    """A host call for its effect."""
    host(function, args, kwargs, types=(), label=label)


def host_bool(function: Callable[..., Any], *args: Any, label: str, pure: bool = False, fails: bool = True) -> StagedScalar:
    """A host call that gives a truth value: a staged Python bool."""
    (result,) = host(function, args, types=(BOOL,), label=label, pure=pure, fails=fails, is_truth=True)
    result.weak = True
    return result


def host_scalar(
    function: Callable[..., Any], *args: Any, dtype: np.dtype, weak: bool, label: str, pure: bool = False, fails: bool = True
) -> StagedScalar:
    """A host call that gives a number of a known dtype."""
    (result,) = host(function, args, types=(ScalarType(dtype),), label=label, pure=pure, fails=fails)
    result.weak = weak
    return result


def host_int(function: Callable[..., Any], *args: Any, label: str, pure: bool = False, rule: LibraryRule | None = None) -> StagedScalar:
    """A host call that gives an int of any size: compiled code cannot go on with one that leaves 64 bits."""

    def call(*values: Any) -> int:
        found = function(*values)
        expect_fitting(found)
        return found

    (result,) = host(call, args, types=(I64,), label=label, pure=pure, rule=rule, beyond=True)
    result.weak = True
    return result


def expect_fitting(x: int) -> None:
    """The error of an int that leaves 64 bits, with which the call is run again with exact ints."""
    if not -INT64_LIMIT <= x < INT64_LIMIT:
        raise OverflowError(scalars.INT_TOO_LARGE)


def host_array(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    dtype: np.dtype,
    dims: tuple[Any, ...],
    label: str,
    pure: bool = True,
) -> StagedArray:
    """A host call that gives an array of a known dtype and rank; `dims` are its size labels."""

    def call(*values: Any, **named: Any) -> Any:
        found = function(*values, **named)
        return found if isinstance(found, Boxed) and found.array.dtype == dtype else np.asarray(found, dtype=dtype)

    (result,) = host(call, args, kwargs, types=(ArrayType(dtype, dims),), label=label, pure=pure)
    return result


def host_operator(symbol: str, x: Any, y: Any, inplace: bool = False) -> Any:
    """An operator with an opaque object on one side."""
    function = INPLACE_OPERATORS[symbol] if inplace else scalars.PYTHON_OPERATORS[symbol]
    return host_object(function, x, y, label=f"operator {symbol}")


def host_unary(symbol: str, x: StagedObject) -> StagedObject:
    """A unary operator on an opaque object."""
    return host_object(UNARY[symbol], x, label=f"operator {symbol}")


def is_none(x: Any, negate: bool = False) -> Any:
    """`x is None`, or `is not`."""
    if may_be_none(x):
        return x.present if negate else staged_not(x.present)
    if isinstance(x, StagedObject):
        function = operator.is_not if negate else operator.is_
        return host_bool(function, x, None, label="is None", pure=True, fails=False)
    return negate


def holds_reached(inputs: Any, x: Any) -> bool:
    """Whether a tuple, method, slice, exception or partial holds an object of the caller's or of the run: another in each call."""
    parts: Any = x if isinstance(x, (tuple, frozenset)) else ()
    if isinstance(x, MethodType):
        parts = (x.__self__,)
    elif isinstance(x, slice):
        parts = (x.start, x.stop, x.step)
    elif isinstance(x, BaseException) and id(x) in active().created:
        parts = BaseException.args.__get__(x)  # type: ignore[attr-defined]
    elif isinstance(x, partial):
        parts = (x.func, *x.args, *x.keywords.values())
        if any(map(is_staged, parts)):
            return True
    return any(inputs.is_reached(part) and not isinstance(part, (type, FunctionType)) or holds_reached(inputs, part) for part in parts)


def object_constant(x: Any) -> StagedObject:
    """A Python object known while tracing, as an opaque one; one of the caller's is that of each call, and a container that Python made
    while the function was traced is made anew each time."""
    if isinstance(x, OfTheTrace):
        raise x.refusal()
    inputs = active().inputs
    if hasattr(type(x), "__template__") or inputs is not None and holds_reached(inputs, x):
        return host_object(lambda value: value, x, label="box", python_type=type(x), pure=True, fails=False)
    found = None if inputs is None else inputs.object_of_call(x)
    if found is not None:
        return found
    expect_noted(x)
    if type(x) in MADE_ANEW and (inputs is None or not inputs.is_reached(x)):
        return host_object(lambda value: value, x, label="box", python_type=type(x), fails=False)
    return host_object(lambda: x, label=f"constant {type(x).__name__}", python_type=type(x), pure=True, fails=False)
