"""Where NumPy calls on stand-ins arrive: native implementations by the table, all else as host calls; and calls in converted code."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.types import is_supported
from autograph_jit.library.numpy import (  # noqa: F401  (their functions register themselves)
    aliases,
    comparisons,
    creation,
    einsum,
    histograms,
    holes,
    index_tricks,
    intervals,
    iteration,
    joins,
    linalg,
    methods,
    movement,
    order_statistics,
    padding,
    random,
    reductions,
    sampling,
    selection,
    signals,
    sorting,
    statistics,
    ufuncs,
    writing,
    written_in_python,
)
from autograph_jit.library.numpy import strides as windows  # noqa: F401
from autograph_jit.library.numpy.host import call_host
from autograph_jit.library.numpy.refusals import NO_NATIVE_FORM, natively
from autograph_jit.library.numpy.static import STATIC, answer, dtype_argument
from autograph_jit.ops.derivatives.shared import Dispatched
from autograph_jit.tracing.arrays import indexing
from autograph_jit.tracing.arrays.array_like import as_array, has_staged_form, wrap_result
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.register import FUNCTIONS, METHODS, NotNative
from autograph_jit.tracing.arrays.ufuncs import lift_operand
from autograph_jit.tracing.expressions import tagged
from autograph_jit.tracing.hosting import host_calls as hosting
from autograph_jit.tracing.hosting.purity import is_mutable, is_private
from autograph_jit.tracing.objects.callers_objects import depends_on_run, is_open
from autograph_jit.tracing.objects.opaque import host_method
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, TaggedScalar, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.float_errors import raises_float_errors
from autograph_jit.tracing.values.lift import array, cast, is_number, scalar
from autograph_jit.tracing.values.trace import emit, user_span

FRESH = {
    np.array,
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.fromiter,
    np.zeros,
    np.ones,
    np.empty,
    np.full,
    np.arange,
    np.linspace,
    np.logspace,
    np.eye,
    np.identity,
    np.tri,
    np.zeros_like,
    np.ones_like,
    np.full_like,
    np.empty_like,
    np.copy,
    np.meshgrid,
    np.indices,
}
EFFECTS = {
    np.load,
    np.loadtxt,
    np.genfromtxt,
    np.fromfile,
    np.fromregex,
    np.save,
    np.savez,
    np.savez_compressed,
    np.savetxt,
    np.get_printoptions,
    np.geterr,
    np.geterrcall,
    np.getbufsize,
    np.printoptions,
    np.set_printoptions,
    np.setbufsize,
    np.seterrcall,
}
OPERATORS = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
}
WRITING_METHODS = {"tofile", "dump"}
LARGEST_ITERATION = 4096


def unwrapped(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments that may be absent, replaced by their content."""
    return tuple(map(content_of, args))


@tagged.by_alternatives
def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`ufunc.method(*inputs, **kwargs)`."""
    inputs = unwrapped(inputs)
    kwargs = {name: content_of(value) for name, value in kwargs.items()}
    if raises_float_errors() and method == "__call__" and not kwargs and all(map(is_number, inputs)) and ufunc in OPERATORS:
        return hosted(OPERATORS[ufunc], inputs, kwargs, f"np.{ufunc.__name__}")  # its errors are named otherwise than the ufunc's
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    label = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    implementation = ufuncs.METHODS.get(method)
    result = NO_NATIVE_FORM
    if implementation is not None:
        result = natively(lambda *args, **named: implementation(ufunc, *args, **named), function, inputs, kwargs, label)
    return hosted(function, inputs, kwargs, label) if result is NO_NATIVE_FORM else result


def hosted(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], label: str, example: Callable[..., Any] | None = None
) -> Any:
    """A host call; what is written to an `out` array is that array."""
    out = kwargs.get("out")
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(target, StagedArray):
        return call_host(function, args, kwargs, label, example)
    call_host(lambda *a, **k: function(*a, **k) is not None and None, args, kwargs, label)
    return target


def label_of(function: Any) -> str:
    """What a host call is named in listings."""
    module = getattr(function, "__module__", None) or ""
    place = module.replace("numpy", "np", 1).replace("._core.", ".") if module.startswith("numpy") else module or "np"
    return f"{place}.{getattr(function, '__name__', function)}"


@tagged.by_alternatives
def call_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's namespace with staged values among its arguments, or one that makes fresh arrays."""
    args = unwrapped(args)
    kwargs = {name: content_of(value) for name, value in kwargs.items()}
    result = NO_NATIVE_FORM if is_open((args, kwargs)) else native_form(function, args, kwargs)
    return hosted(function, args, kwargs, label_of(function)) if result is NO_NATIVE_FORM else result


def native_form(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the native implementation makes of a call, or NO_NATIVE_FORM where none takes these arguments."""
    implementation = FUNCTIONS.get(function)
    if implementation is None:
        return NO_NATIVE_FORM
    return natively(implementation, function, args, kwargs, label_of(function))


def call_method(x: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """A method of an array or number that has no native form, called in Python."""
    if name in WRITING_METHODS:
        return hosting.host_object(lambda real, *values: getattr(real, name)(*values, **kwargs), x, *args, label=f"ndarray.{name}")

    def call(real: Any, *values: Any, **named: Any) -> Any:
        return getattr(real, name)(*values, **named)

    if isinstance(x, StagedArray):
        return call_host(call, (x, *args), kwargs, f"ndarray.{name}")
    return call_host(call, (x, *args), kwargs, f"{x.python_type.__name__}.{name}", pure=True)


def native_method(name: str, implementation: Callable[..., Any]) -> Callable[..., Any]:
    """A method that falls back on NumPy's own."""

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        own = operator.methodcaller
        args = unwrapped(args)
        result = natively(implementation, lambda real, *a, **k: own(name, *a, **k)(real), (x, *args), kwargs, f"ndarray.{name}")
        return call_method(x, name, *args, **kwargs) if result is NO_NATIVE_FORM else result

    return call


def getitem(x: StagedArray, key: Any) -> Any:
    """`x[key]`."""
    result = natively(indexing.getitem, operator.getitem, (x, key), {}, "ndarray.__getitem__")
    return call_host(operator.getitem, (x, key), {}, "ndarray.__getitem__") if result is NO_NATIVE_FORM else result


def setitem(x: StagedArray, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    if natively(indexing.setitem, operator.setitem, (x, key, value), {}, "ndarray.__setitem__") is NO_NATIVE_FORM:
        call_host(operator.setitem, (x, key, value), {}, "ndarray.__setitem__")


def iterate(x: StagedArray) -> Any:
    """`iter(x)` where Python itself asks."""
    if x.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    length = len(x)
    if length > LARGEST_ITERATION:
        raise ConversionError(
            f"an array of {length} elements is iterated by Python code",
            user_span(),
            "each element would be recorded on its own",
            "loop over it in converted code",
        )
    return (getitem(x, k) for k in range(length))


def is_numpy(function: Any) -> bool:
    """Whether a callable belongs to NumPy: a function, a ufunc, one of its methods, a scalar type, or a method of a random generator."""
    if isinstance(function, np.ufunc) or (isinstance(function, type) and issubclass(function, np.generic)):
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (np.ufunc, np.random.Generator, np.random.RandomState)):
        return True
    module = getattr(function, "__module__", None) or getattr(owner, "__module__", None) or ""
    return (
        isinstance(module, str)
        and (module == "numpy" or module.startswith("numpy."))
        and callable(function)
        and not isinstance(function, type)
    )


def is_random_maker(function: Any) -> bool:
    """Whether a call makes a random generator or a seed: types and functions of numpy.random, not methods of a generator."""
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and module.startswith("numpy.random") and getattr(function, "__self__", None) is None


@acts_for_program
def call_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of NumPy from converted code, with staged arguments or without; NotImplemented where Python shall make the call itself."""
    if function in iteration.ITERATORS and is_dynamic(args, kwargs):
        return iteration.ITERATORS[function](*unwrapped(args))
    if is_random_maker(function):
        return random.make(function, args, kwargs)
    if not is_numpy(function):
        return NotImplemented
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (np.random.Generator, np.random.RandomState)):
        return random.draw(function, owner, unwrapped(args), kwargs)
    if isinstance(owner, (np.random.BitGenerator, np.random.SeedSequence)):
        return host_method(function, owner, args, kwargs)
    if isinstance(owner, np.ufunc):
        return call_ufunc(owner, function.__name__, args, kwargs) if is_dynamic(args, kwargs) else computed(function, args, kwargs)
    if id(owner) in index_tricks.SUBSCRIPTS and function.__name__ == "__getitem__":
        return call_subscript(function, owner, args)
    if function in index_tricks.GETTERS and args and id(args[0]) in index_tricks.SUBSCRIPTS:
        return call_subscript(args[0].__getitem__, args[0], args[1:])
    if isinstance(function, type):
        return convert_scalar(function, args, kwargs)
    if isinstance(function, np.ufunc):
        return call_ufunc(function, "__call__", args, kwargs) if is_dynamic(args, kwargs) else computed(function, args, kwargs)
    if function in EFFECTS or is_private(function) and not is_dynamic(args, kwargs):
        return hosting.host_object(function, *args, label=label_of(function), **kwargs)
    if function in STATIC:
        return answer(function, args, kwargs)
    if function in FRESH or is_dynamic(args, kwargs):
        return call_function(function, args, kwargs)
    return computed(function, args, kwargs)


def is_dynamic(args: Any, kwargs: Any) -> bool:
    """Whether a staged value or a real array, which is data, stands among the arguments."""
    return depends_on_run((args, kwargs)) or contains_array((args, kwargs))


def contains_array(x: Any) -> bool:
    """Whether a real array, or a container that becomes one when the function runs, is among nested arguments."""
    if has_staged_form(x):
        return True
    if isinstance(x, (list, tuple)):
        return any(contains_array(item) for item in x)
    if isinstance(x, dict):
        return any(contains_array(item) for item in x.values())
    return isinstance(x, np.ndarray)


@acts_for_program
def computed(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call on constants alone: made while tracing, unless each call of the program has to make its own object."""
    result = function(*args, **kwargs)
    return hosting.host_object(function, *args, label=label_of(function), **kwargs) if is_mutable(result) else lifted_result(result)


def lifted_result(x: Any) -> Any:
    """What a call on constants alone gave: arrays become fresh ones at every call, numbers stay."""
    if isinstance(x, np.ndarray) and is_supported(x.dtype):
        return array(emit("array_constant", value=np.array(x, order="C")).result)
    if isinstance(x, (tuple, list)) and any(isinstance(item, np.ndarray) for item in x):
        made = {id(item): lifted_result(item) for item in x}  # one array may stand there twice
        parts = [made[id(item)] for item in x]
        return type(x)._make(parts) if hasattr(x, "_make") else type(x)(parts)  # type: ignore[attr-defined]
    return x


@acts_for_program
def call_subscript(function: Any, owner: Any, args: tuple[Any, ...]) -> Any:
    """`np.r_[...]` and its like."""
    name, native = index_tricks.SUBSCRIPTS[id(owner)]
    if not is_dynamic(args, {}) and name in ("r_", "c_"):
        return lifted_result(function(*args))
    try:
        return native(*args if name in ("s_", "index_exp") else unwrapped(args))
    except NotNative:
        return hosted(function, args, {}, f"np.{name}")


@acts_for_program
def convert_scalar(kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.float64(x)` and its like."""
    if issubclass(kind, np.datetime64):
        return hosting.host_object(kind, *args, label="np.datetime64", python_type=kind, **kwargs)
    if not is_dynamic(args, kwargs) or len(args) != 1 or kwargs:
        return kind(*args, **kwargs) if not is_dynamic(args, kwargs) else NotImplemented
    x = content_of(args[0])
    if isinstance(x, StagedObject) or is_open(x):
        return call_host(kind, (x,), {}, f"np.{kind.__name__}", lambda value: kind(1))
    dtype = np.dtype(kind)
    if not is_supported(dtype):
        raise ConversionError(
            f"np.{kind.__name__} cannot be staged",
            user_span(),
            "compiled code knows bool, int8 to int64, uint8 to uint64, float32, float64, complex64 and complex128",
            "convert to one of these",
        )
    if isinstance(x, TaggedScalar) and not x.weak and any(weak for _, weak in x.kinds):
        return distribute(x, lambda number: convert_scalar(kind, (number,), {}))
    if is_number(x):
        weak_int = isinstance(x, StagedScalar) and x.weak
        return scalar(element_value(x, dtype) if weak_int else cast(x.value, dtype))
    try:
        return wrap_result(cast(as_array(x).value, dtype))
    except NotNative:  # texts, which NumPy reads
        return call_host(kind, (x,), {}, f"np.{kind.__name__}", lambda value: kind(1))


def call_operation(function: Dispatched, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An operation that has no name in NumPy, called by a rule for derivatives: its operands get one dtype."""
    operands = [as_array(x) if isinstance(x, (StagedArray, np.ndarray)) else x for x in unwrapped(args)]
    dtype = np.result_type(*(dtype_argument(x) for x in operands))
    values = [lift_operand(x, dtype) for x in operands]
    return wrap_result(emit(function.operation, *values, **attributes).result)


def numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `__array_function__` comes to."""
    if isinstance(function, Dispatched):
        return call_operation(function, args, kwargs)
    if function in STATIC:
        return answer(function, args, kwargs)
    if isinstance(function, np.ufunc):
        return call_ufunc(function, "__call__", args, kwargs)
    return call_function(function, args, kwargs)


def install() -> None:
    """Fill the entry points of the stand-ins."""
    METHODS["host method"] = call_method
    for name, implementation in list(METHODS.items()):
        if name != "host method":
            METHODS[name] = tagged.method_by_alternatives(native_method(name, implementation))


install()
