"""NumPy functions without a native form: called in Python by the compiled function; small examples show the types of their results."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.errors import ResultDiffers
from autograph_jit.ir.dims import Size
from autograph_jit.ir.types import is_supported
from autograph_jit.library.numpy.host_dims import RESULT_DIMS
from autograph_jit.ops.apart import interruptible
from autograph_jit.ops.derivatives.library import FLAT_FUNCTIONS, LibraryRule, find_rule
from autograph_jit.ops.derivatives.matrices import shaped_like
from autograph_jit.ops.dispatch import Boxed, unboxed
from autograph_jit.records import dataclass
from autograph_jit.tensor.tensor import holds_boxes, stack_boxes
from autograph_jit.tracing.arrays.array_like import is_run_time_list
from autograph_jit.tracing.expressions.list_arguments import JOINS
from autograph_jit.tracing.functions.callbacks import host_calling_back
from autograph_jit.tracing.hosting.host_calls import expect_fitting, host, lift_arrays
from autograph_jit.tracing.hosting.local_calls import marked
from autograph_jit.tracing.hosting.purity import is_private, is_pure
from autograph_jit.tracing.objects.callers_objects import is_open
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar
from autograph_jit.tracing.values.float_errors import raises_float_errors, under_modes
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import PYTHON_INT, Array, Constant, Scalar, Tuple, ValueType, number

# Sizes of examples, and whether their numbers have both signs and exceed 1: the type of some results depends on that.
EXAMPLES = ((4, False), (3, True), (3, False), (2, True), (2, False), (5, False), (8, False), (1, False), (6, False), (0, False))
DATA_DEPENDENT = {np.linalg.eig, np.linalg.eigvals, np.real_if_close, np.roots, np.trim_zeros}
DATA_DEPENDENT_MODULES = {np.emath.sqrt.__module__, "numpy.ma.core"}  # complex where that is needed; masks where there are any
COMPLEX_OF_COMPLEX = {np.linalg.eig, np.linalg.eigvals, np.roots}
WEAK_TYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64), complex: np.dtype(np.complex128)}
RANDOM = (np.random.Generator, np.random.RandomState)
WRITTEN = ("out", "output")  # the parameters by which a function is given an array to write to


@dataclass(frozen=True, slots=True)
class Same(ValueType):
    """A part of a result that is the object at another place of it, too."""

    place: int


class Unknown(Exception):
    """The structure of the result could not be found."""


def call_host(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    label: str,
    example: Callable[..., Any] | None = None,
    pure: bool = False,
) -> Any:
    """Call `function` on the real values when the compiled function runs. The result has the structure and the dtypes that `example`
    (the function itself unless given) shows on small arrays; where nothing can be learned, it is an opaque object. `pure`: it only
    computes."""
    args, kwargs = tuple(lift_arrays(arg) for arg in args), {name: lift_arrays(value) for name, value in kwargs.items()}
    try:
        plan = infer_plan(example or function, args, kwargs)
    except Unknown:
        return host_calling_back(under_modes(recordable(function, args, kwargs)), *args, label=label, **kwargs)
    plan = with_dims(plan, iter(known_dims(function, args, kwargs) or ()))
    types = plan.parts
    if not types:
        run = under_modes(function)
        host(lambda *a, **k: run(*a, **k) and (), args, kwargs, types=(), label=label)
        return build(plan, iter(()))

    run = recordable(function, args, kwargs)
    run = under_modes(interruptible(run) if is_long_routine(function, args, kwargs) else run)
    call = giving_array(run, plan, label) if isinstance(plan, Array) else giving_leaves(run, plan, label)
    rule = rule_of(function, args, kwargs)
    pure = pure or function in FLAT_FUNCTIONS and not raises_float_errors()
    beyond = PYTHON_INT in (plan, *plan.inner)
    marked(call, False, reads_alone(function, args, kwargs), may_differ=True)
    results = host(call, args, kwargs, types=types, label=label, rule=rule, source=function, pure=pure, beyond=beyond)
    return build(plan, iter(results))


def giving_leaves(run: Callable[..., Any], plan: ValueType, label: str) -> Callable[..., Any]:
    """A function that gives the leaves of what `run` gives, which has the planned structure."""
    is_single = len(plan.parts) == 1

    def call(*values: Any, **named: Any) -> Any:
        found: list[Any] = []
        planned_leaves(plan, run(*values, **named), found, label)
        return found[0] if is_single else tuple(found)

    return call


def giving_array(run: Callable[..., Any], plan: Array, label: str) -> Callable[..., Any]:
    """The same of one array, as short calls do."""
    dtype, rank = plan.dtype, len(plan.dims)

    def call(*values: Any, **named: Any) -> Any:
        result = run(*values, **named)
        if type(result) is not np.ndarray or result.ndim != rank or result.dtype != dtype:
            planned_leaves(plan, result, [], label)
        return result

    return call


def reads_alone(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function that gives a result changes nothing: one of NumPy's or SciPy's without an output, or leave to overwrite."""
    is_method = not isinstance(getattr(function, "__self__", None), ModuleType | None)
    if not is_long_routine(function, args, kwargs) or not is_pure(function) or is_method:
        return False
    try:
        options = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return False
    return not any(name in WRITTEN or name.startswith("overwrite_") or name == "copy" for name in options)


def is_long_routine(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function only reads what it is given, and calls nothing of the user's: Ctrl-C may leave it to itself."""
    library = (getattr(function, "__module__", None) or "").partition(".")[0]
    given = (*args, *kwargs.values())
    return library in ("numpy", "scipy") and "out" not in kwargs and not any(callable(x) or isinstance(x, StagedObject) for x in given)


def known_dims(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[Size, ...] | None] | None:
    """The size labels of the results, as far as they follow from those of the arguments."""
    place = shaped_like(function)
    if place is not None and place < len(args) and isinstance(args[place], StagedArray):
        return [args[place].type.dims]
    if function not in RESULT_DIMS or not args or not isinstance(args[0], StagedArray):
        return None
    return RESULT_DIMS[function](*args, **kwargs)


def rule_of(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> LibraryRule | None:
    """The derivative of a NumPy function with these options."""
    found = find_rule(function)
    return found if found is not None and found.covers(args, kwargs) else None


def recordable(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """A function that may be given lists of numbers and arrays whose derivative is followed: such a list is one array to it."""
    if function in (np.array, np.asarray):
        return recordable_array(function)
    if function in JOINS or not any(isinstance(x, StagedObject) or is_run_time_list(x) for x in (*args, *kwargs.values())):
        return function

    def on_arrays(*values: Any, **named: Any) -> Any:
        return function(*map(stacked, values), **{name: stacked(value) for name, value in named.items()})

    return on_arrays


def stacked(x: Any) -> Any:
    """A list or tuple of boxes as one array, anything else as it is."""
    return stack_boxes(x) if not isinstance(x, Boxed) and holds_boxes(x) else x


def recordable_array(function: Callable[..., Any]) -> Callable[..., Any]:
    """`np.array` or `np.asarray` of what may hold numbers whose derivative is followed: the array is followed too."""

    def array(x: Any, dtype: Any = None, **options: Any) -> Any:
        if not options and holds_boxes(x):
            stacked = stack_boxes(x)
            return stacked if dtype is None else stacked.astype(dtype)
        return function(x, dtype, **options)

    return array


def infer_plan(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> ValueType:
    """The type of the result."""
    if depends_on_data(function) and not (function in COMPLEX_OF_COMPLEX and is_complex_array(args)):
        raise Unknown
    if holds_unknown((args, kwargs)):
        raise Unknown
    found: list[ValueType] = []
    for size, spread in EXAMPLES:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                result = function(
                    *(example_of(arg, size, spread) for arg in args),
                    **{name: example_of(value, size, spread) for name, value in kwargs.items()},
                )
        except Exception:  # noqa: BLE001 - an example that does not fit tells nothing; the next one may
            continue
        found.append(plan_of(result))
        if len(found) == 2:
            break
    if not found or any(plan != found[0] for plan in found):
        raise Unknown
    return found[0]


def depends_on_data(function: Callable[..., Any]) -> bool:
    """Whether the type of a result may depend on the data: so it is known of some functions; nothing is documented of private ones."""
    module = getattr(function, "__module__", None)
    return function in DATA_DEPENDENT or module in DATA_DEPENDENT_MODULES or is_private(function)


def is_complex_array(args: tuple[Any, ...]) -> bool:
    """Whether the first argument is an array of complex numbers."""
    return bool(args) and isinstance(args[0], StagedArray) and args[0].dtype.kind == "c"


def is_user_function(x: Any) -> bool:
    """Whether x is a function of the user's, which no example may run."""
    return isinstance(x, (FunctionType, MethodType)) and not (x.__module__ or "").startswith("numpy")


def holds_unknown(x: Any) -> bool:
    """Whether a value that may be absent, a function of the user's or an object that only the run knows stands among the arguments."""
    if isinstance(x, RANDOM) or isinstance(x, StagedObject) and x.python_type in RANDOM:
        return False
    if is_run_time_list(x):
        return x.kind.dtype_alone is None and not isinstance(x.kind, Array)
    if isinstance(x, dict) and getattr(x, "dynamic", None) is not None:
        return True
    if isinstance(x, (list, tuple)):
        return any(holds_unknown(item) for item in x)
    return (
        any(holds_unknown(item) for item in x.values())
        if isinstance(x, dict)
        else isinstance(x, (Maybe, StagedObject)) or is_user_function(x) or is_open(x)
    )


def example_list(kind: ValueType, size: int, spread: bool) -> list[Any]:
    """A list of two elements of a run-time list's kind."""
    if isinstance(kind, Array):
        return [example_array((size,) * len(kind.dims), kind.dtype, spread) for _ in range(2)]
    assert isinstance(kind, Scalar)
    numbers = [dtype.type(1).item() if weak else dtype.type(1) for dtype, weak in kind.kinds]
    return [numbers[0], numbers[-1]]


def example_of(x: Any, size: int, spread: bool) -> Any:
    """A small example of an argument: unknown sizes are `size`."""
    if is_run_time_list(x):
        return example_list(x.kind, size, spread)
    if isinstance(x, StagedArray):
        return example_array(tuple(example_size(dim, size) for dim in x.type.dims), x.dtype, spread)
    if isinstance(x, StagedScalar):
        if isinstance(x.size, int):
            return x.python_type(x.size)
        number = {"i": -1, "f": -0.5, "c": -0.5j}.get(x.scalar_dtype.kind, 2) if spread else 2
        return x.python_type(number if spread or x.size is None else example_size(x.size, size))
    if isinstance(x, list):
        return [example_of(item, size, spread) for item in x]
    if type(x) is tuple:
        return tuple(example_of(item, size, spread) for item in x)
    if isinstance(x, dict):
        return {key: example_of(value, size, spread) for key, value in x.items()}
    if isinstance(x, RANDOM):
        return copy.deepcopy(x)
    return x


def example_size(dim: Size, size: int) -> int:
    """A number for a size label: every atom counts `size`."""
    if isinstance(dim, int):
        return dim
    return max(dim.const + sum(coefficient * size for _, coefficient in dim.terms), 0)


def example_array(shape: tuple[int, ...], dtype: np.dtype, spread: bool) -> np.ndarray:
    """Rising numbers, with a dominant diagonal so that matrices are regular and positive definite; `spread`: of both signs, beyond 1."""
    if spread:
        rising: Any = np.arange(int(np.prod(shape))).reshape(shape) % 4 - (dtype.kind in "ifc")
        return (rising * {"f": 1.5, "c": 1.5 + 1j}.get(dtype.kind, 2)).astype(dtype)
    values: Any = np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape) / max(int(np.prod(shape)), 1)
    if len(shape) >= 2 and shape[-1] == shape[-2]:
        values = (values + np.swapaxes(values, -1, -2)) / 2 + 2 * shape[-1] * np.eye(shape[-1])
    if dtype.kind in "iu":
        values = np.arange(values.size).reshape(shape) % 2 if len(shape) != 2 else values
    return values.astype(dtype)


def plan_of(result: Any) -> ValueType:
    """The type of one result."""
    if isinstance(result, np.ndarray) and type(result) is np.ndarray and is_supported(result.dtype):
        return Array(result.dtype, (None,) * result.ndim)
    if isinstance(result, np.generic) and is_supported(result.dtype):
        return number(result.dtype, False)
    if type(result) in WEAK_TYPES:
        return number(WEAK_TYPES[type(result)], True)
    if isinstance(result, (tuple, list)) and (type(result) in (tuple, list) or hasattr(result, "_make")):
        places = {id(item): place for place, item in reversed(list(enumerate(result))) if isinstance(item, np.ndarray)}
        parts = [Same(places[id(item)]) if places.get(id(item), place) < place else plan_of(item) for place, item in enumerate(result)]
        return Tuple(type(result), tuple(parts))
    if result is None:
        return Constant(None)
    raise Unknown


def with_dims(plan: ValueType, known: Iterator[tuple[Size, ...] | None]) -> ValueType:
    """A type with sizes: those that are known of its arrays, or new ones."""
    if isinstance(plan, Array):
        dims = next(known, None)
        if dims is None or len(dims) != len(plan.dims):
            dims = tuple(active().fresh_atom("d", "host") for _ in plan.dims)
        return replace(plan, dims=dims)
    return plan.of([with_dims(part, known) for part in plan.inner])


def planned_leaves(plan: ValueType, result: Any, found: list[Any], label: str) -> None:
    """The leaves of a real result, which must have the planned structure."""
    known = unboxed(result)
    if isinstance(plan, Tuple):
        if not isinstance(result, (tuple, list)) or len(result) != len(plan.items):
            raise differs(label, f"{len(plan.items)} parts", result)
        for part, item in zip(plan.items, result):
            if not isinstance(part, Same):
                planned_leaves(part, item, found, label)
            elif item is not result[part.place]:
                raise differs(label, f"part {part.place} once more", item)
    elif isinstance(plan, Array):
        if not isinstance(known, np.ndarray) or known.ndim != len(plan.dims) or known.dtype != plan.dtype:
            raise differs(label, f"an array of {plan.dtype} and rank {len(plan.dims)}", result)
        found.append(result)
    elif isinstance(plan, Scalar):
        if plan == PYTHON_INT and type(known) is int:
            expect_fitting(known)
        if np.asarray(known).dtype != plan.dtype or np.ndim(known):
            raise differs(label, f"a number of {plan.dtype}", result)
        found.append(result)
    elif result is not None:
        raise differs(label, "None", result)


def differs(label: str, expected: str, result: Any) -> ResultDiffers:
    """The result does not have the type that examples showed."""
    found = f"an array of {result.dtype} and rank {result.ndim}" if isinstance(result, np.ndarray) else type(result).__name__
    return ResultDiffers(
        f"{label} gave {found} where examples gave {expected}",
        None,
        "the type of its result depends on the data",
        "convert the result with astype inside a function of your own "
        "marked do_not_convert, or keep this call out of the compiled function",
    )


def build(plan: ValueType, results: Iterator[Any]) -> Any:
    """The stand-ins in the planned structure."""
    if isinstance(plan, Tuple):
        parts: list[Any] = []
        for part in plan.items:
            parts.append(parts[part.place] if isinstance(part, Same) else build(part, results))
        return getattr(plan.kind, "_make", plan.kind)(parts)
    if isinstance(plan, Constant):
        return plan.value
    result = next(results)
    if plan.number is not None:
        result.weak = plan.number[1]
    return result
