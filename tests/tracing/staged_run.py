"""Traces a function of `(np, *arrays)` by hand, interprets the graph, and compares with NumPy: results, writes, errors, size labels."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import Dim, Size, atom
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.library import namespace
from autograph_jit.ops import evaluate
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.inputs.inputs import Inputs
from autograph_jit.tracing.structures.rebuilding import LeafValues
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import dtype_of, is_weak
from autograph_jit.tracing.values.trace import Trace, tracing

assert namespace


class Numpy:
    """NumPy's namespace with every call going the way that calls of converted code go."""

    def __init__(self, module: Any = np) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        if isinstance(found, ModuleType):
            return Numpy(found)
        if isinstance(found, np.ufunc):
            return UfuncCalls(found)
        if isinstance(found, type):
            return TypeCalls(found) if issubclass(found, np.generic) and found.__subclasses__() == [] else found
        return Calls(found) if callable(found) else found


class Calls:
    """A function of NumPy's, called as converted code calls it."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = language.call_numpy(self.function, args, kwargs)
        return self.function(*args, **kwargs) if result is NotImplemented else result


class TypeCalls(Calls):
    """A scalar type: called, or given as a dtype."""

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.function)


class UfuncCalls(Calls):
    """A ufunc with its methods."""

    def __getattr__(self, name: str) -> Any:
        return Calls(getattr(self.function, name))


class Labels:
    """The numbers behind size labels, as arrays of a run show them: a label has one number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def note(self, value: Any, type: Any) -> None:
        if isinstance(type, ArrayType):
            for size, found in zip(type.dims, value.shape, strict=True):
                self.note_size(size, found)

    def note_size(self, size: Size, found: int) -> None:
        if not isinstance(size, Dim):
            assert size == found, f"static size {size}, found {found}"
            return
        unknown = [(name, factor) for name, factor in size.terms if name not in self.numbers]
        known = size.const + sum(factor * self.numbers[name] for name, factor in size.terms if name in self.numbers)
        if not unknown:
            assert known == found, f"label {size} stands for {known}, found {found} with {self.numbers}"
        elif len(unknown) == 1:
            ((name, factor),) = unknown
            assert (found - known) % factor == 0, f"label {size} cannot be {found}"
            self.numbers[name] = (found - known) // factor
            assert self.numbers[name] >= {"s": 2, "d": 0}.get(name[0], -(10**9)), f"label {name} stands for {self.numbers[name]}"


def parameter_type(x: Any, index: int, symbolic: bool) -> Any:
    if not isinstance(x, np.ndarray):
        return ScalarType(dtype_of(x))
    return ArrayType(x.dtype, tuple(atom(f"s:p{index}.{axis}") if symbolic and size > 1 else size for axis, size in enumerate(x.shape)))


def stand_in(trace: Trace, x: Any, index: int, symbolic: bool) -> Any:
    value = trace.graph.block.add_argument(parameter_type(x, index, symbolic), f"p{index}")
    if isinstance(x, np.ndarray):
        return StagedArray(value, x.flags.writeable)
    label = atom(f"v:p{index}") if is_weak(x) and isinstance(x, int) and not isinstance(x, bool) else None
    return StagedScalar(value, is_weak(x), label, 62)


def run_staged(function: Any, *args: Any, symbolic: bool = True) -> Any:
    """What the traced function gives; every array of the run is checked against its size labels."""
    trace = Trace("test")
    trace.inputs = Inputs(trace)
    template, error = Template(), None
    with tracing(trace):
        parameters = [stand_in(trace, x, index, symbolic) for index, x in enumerate(args)]
        try:
            rebuild = template.of(function(Numpy(), *parameters))
            trace.block.yields = list(template.leaves.values)
        except GraphError:
            raise
        except Unreachable:  # both sides of a branch raise: the run does
            trace.block.terminated = True
        except Exception as exception:  # noqa: BLE001 - what ran before it runs first
            error = exception
    labels, conform = Labels(), evaluate.conform

    def checked(value: Any, type: Any) -> Any:
        value = conform(value, type)
        labels.note(value, type)
        return value

    extra = [getter(()) for _, getter in trace.inputs.parameters]
    evaluate.conform = checked
    try:
        values = evaluate.evaluate(trace.graph, [*args, *extra])
    finally:
        evaluate.conform = conform
    if error is not None:
        raise error
    return rebuild(LeafValues(values))


def hosted_calls(function: Any, *args: Any, symbolic: bool = True) -> list[str]:
    """The labels of the host calls that tracing records."""
    trace = Trace("test")
    trace.inputs = Inputs(trace)
    with tracing(trace):
        function(Numpy(), *[stand_in(trace, x, index, symbolic) for index, x in enumerate(args)])
    return trace.recorded.host_calls


def copies(args: tuple[Any, ...]) -> list[Any]:
    """Copies that keep layout and strides."""
    found = []
    for x in args:
        if isinstance(x, np.ndarray):
            y = np.copy(x) if x.flags.c_contiguous else strided_copy(x)
            y.flags.writeable = x.flags.writeable
            found.append(y)
        else:
            found.append(x)
    return found


def strided_copy(x: np.ndarray) -> np.ndarray:
    """A copy with negative, transposed or stepped strides where x has them."""
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    base = np.empty([x.shape[axis] * 2 for axis in order], x.dtype)
    view = base[tuple(slice(None, None, 2 if x.strides[axis] > 0 else -2) for axis in order)][
        tuple(slice(0, x.shape[axis]) for axis in order)
    ]
    y = view.transpose(np.argsort(order))
    y[...] = x
    return y


def leaves(x: Any) -> list[Any]:
    if isinstance(x, (list, tuple)):
        return [leaf for item in x for leaf in leaves(item)]
    return [x]


def shape_tree(x: Any) -> Any:
    return [type(x).__name__, *map(shape_tree, x)] if isinstance(x, (list, tuple)) else None


def assert_same(got: Any, want: Any) -> None:
    """Equal structure, types, dtypes, shapes and values."""
    assert shape_tree(got) == shape_tree(want), f"{got!r} instead of {want!r}"
    for a, b in zip(leaves(got), leaves(want), strict=True):
        if isinstance(b, (np.ndarray, np.generic)):
            assert type(a) is type(b) or (isinstance(b, np.ndarray) and type(a) is np.ndarray), (
                f"{type(a)} instead of {type(b)}: {a!r}, {b!r}"
            )
            assert a.dtype == b.dtype, f"{a.dtype} instead of {b.dtype}"
            assert a.shape == b.shape, f"{a.shape} instead of {b.shape}"
            tolerance = 1e-5 if b.dtype in (np.float32, np.complex64) else 1e-12
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
        else:
            assert type(a) is type(b), f"{a!r} ({type(a)}) instead of {b!r} ({type(b)})"
            assert a == b or a != a and b != b or isinstance(b, float) and abs(a - b) <= 1e-12 * abs(b), f"{a!r} instead of {b!r}"


def check_like_numpy(function: Any, *args: Any) -> None:
    """Run staged with symbolic and with static sizes, and plainly: same result, same writes or same exception."""
    for symbolic in (True, False):
        plain, staged = copies(args), copies(args)
        with np.errstate(all="ignore"):
            try:
                want, error = function(np, *plain), None
            except Exception as exception:  # noqa: BLE001 - compared below
                want, error = None, exception
            if error is None:
                assert_same(run_staged(function, *staged, symbolic=symbolic), want)
                assert_same(staged, plain)
            else:
                assert_same_error(function, staged, error, symbolic)


def check_each_like_numpy(functions: list[Any], *args: Any) -> None:
    """`check_like_numpy` of every function; those that raise nothing share their traces."""
    quiet = []
    for function in functions:
        try:
            with np.errstate(all="ignore"):
                function(np, *copies(args))
        except Exception:  # noqa: BLE001 - compared where it is checked
            check_like_numpy(function, *args)
        else:
            quiet.append(function)
    check_like_numpy(lambda np, *xs: [function(np, *xs) for function in quiet], *args)


def assert_same_error(function: Any, args: list[Any], error: Exception, symbolic: bool) -> None:
    try:
        result = run_staged(function, *args, symbolic=symbolic)
    except Exception as found:  # noqa: BLE001 - compared with NumPy's
        assert isinstance(found, type(error)) or isinstance(error, type(found)), f"{found!r} instead of {error!r}"
        return
    raise AssertionError(f"no exception, but {result!r}; NumPy raises {error!r}")
