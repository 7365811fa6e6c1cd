"""`Tensor`: an ndarray that computes by the eager rules of the operations, so that an interpreter can follow what is done with it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import Dispatched
from autograph_jit.ops.dispatch import Boxed, bind, expect_convertible, unboxed
from autograph_jit.ops.registry import OPS
from autograph_jit.tensor.boxes import call_numpy
from autograph_jit.tensor.constants import expect_constant
from autograph_jit.tensor.functions import FUNCTIONS, with_counts
from autograph_jit.tensor.subscripts import FULL, INTEGER, basic_selection
from autograph_jit.tensor.ufuncs import UNSUPPORTED, Table, apply_ufunc, of_one, of_two

METHODS = ("sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "cumsum", "cumprod", "std", "var", "astype")
UNARY: dict[str, np.ufunc] = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
COMPARISONS: dict[str, np.ufunc] = {
    "lt": np.less, "le": np.less_equal, "eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
BINARY: dict[str, np.ufunc] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "matmul": np.matmul, "truediv": np.divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "lshift": np.left_shift, "rshift": np.right_shift, "and": np.bitwise_and, "xor": np.bitwise_xor,
    "or": np.bitwise_or,
}  # fmt: skip
PARTS: dict[str, Callable[..., Any]] = {"real": np.real, "imag": np.imag, "mT": np.matrix_transpose}


class Tensor(np.lib.mixins.NDArrayOperatorsMixin, Boxed):
    """An ndarray in a box, in its place in every NumPy expression; views and writes mean what they mean for the ndarray.

    >>> x = Tensor([1.0, 2.0])
    >>> x * 2 + np.ones(2)
    Tensor([3., 5.], dtype=float64)
    >>> x[0] = 5
    >>> x.numpy()
    array([5., 2.])
    """

    __slots__ = ("__weakref__",)
    __array_priority__ = 100.0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] = (), **kwargs: Any) -> Any:
        if not out and not kwargs and method == "__call__":
            call = CALLS[ufunc]
            return call_ufunc(ufunc, inputs) if call is None else call(*inputs)
        if out and not any(isinstance(target, Boxed) for target in out):
            for box in inputs:
                if isinstance(box, Boxed):
                    expect_convertible(box)
        if method == "__call__" and not kwargs:
            result = apply_ufunc(ufunc, inputs)
            if result is not UNSUPPORTED:
                return write_output(ufunc, inputs, result, out[0])
        named = {**kwargs, "out": out} if out else kwargs
        result = call_numpy(Tensor, getattr(ufunc, method), inputs, named)
        return out[0] if len(out) == 1 else result

    def __array_function__(self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(function, Dispatched):
            return bind(function.operation, *args, **kwargs)
        if any(type(x) is np.ndarray for x in (*args, *kwargs.values())):
            args, kwargs = with_counts(function, args, kwargs)
        rule = FUNCTIONS.get(function)
        if rule is not None:
            result = rule(*args, **kwargs)
            if result is not UNSUPPORTED:
                return result
        return call_numpy(Tensor, function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        expect_convertible(self)
        return np.array(self.array, dtype=dtype, copy=copy)

    def numpy(self) -> np.ndarray:
        """The ndarray itself, not a copy."""
        return self.array

    def copy(self, order: str = "C") -> Tensor:
        """A Tensor of its own memory."""
        found = FUNCTIONS[np.copy](self, order)
        return call_numpy(Tensor, np.copy, (self, order), {}) if found is UNSUPPORTED else found

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> np.dtype:
        return self.array.dtype

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def flat(self) -> Any:
        """The elements in a row: a view, or a copy that may not be written."""
        row = self.ravel()
        if not np.may_share_memory(row.array, self.array):
            row.array.flags.writeable = False
        return row

    @property
    def T(self) -> Tensor:
        """The transpose, a view."""
        return self.transpose()

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """A view in another shape where the strides allow it, else a copy."""
        return np.reshape(self, shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape, **options)

    def transpose(self, *axes: Any) -> Any:
        """A view with the axes in another order."""
        order: Any = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)) else axes or None
        return np.transpose(self, order)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        try:
            found = getattr(self.array, name)
        except AttributeError:
            raise AttributeError(f"'Tensor' object has no attribute '{name}'") from None
        if callable(found):
            return lambda *args, **kwargs: call_numpy(Tensor, getattr(type(self.array), name), (self, *args), kwargs)
        part = PARTS.get(name)
        if part is not None:
            return self if found is self.array else call_numpy(Tensor, part, (self,), {})
        if isinstance(found, np.ndarray | np.flatiter):
            expect_convertible(self)
        return Tensor(found) if isinstance(found, np.ndarray) else found

    def __getitem__(self, key: Any) -> Any:
        selection = basic_selection(key, self.array.ndim)
        if selection is None:
            return call_numpy(Tensor, operator.getitem, (self, key), {})
        items, integers = selection
        if len(integers) == self.array.ndim and items == (INTEGER,) * self.array.ndim:
            return bind("load", self, *integers)
        return bind("basic_index", self, *integers, items=items)

    def __setitem__(self, key: Any, value: Any) -> None:
        selection = basic_selection(key, self.array.ndim)
        given = unboxed(value) if isinstance(value, Boxed) else np.asarray(value)
        if selection is None or not self.array.flags.writeable or given.dtype.kind not in "biufc":
            call_numpy(Tensor, operator.setitem, (self, key, value), {})
            return
        items, integers = selection
        value = value if isinstance(value, Boxed) else given
        if given.dtype != self.array.dtype:
            value = bind("cast", value, dtype=self.array.dtype)
        is_whole = items == (FULL,) * self.array.ndim
        bind("assign", self if is_whole else bind("basic_index", self, *integers, items=items), value)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        if self.array.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[index] for index in range(len(self.array)))

    def __contains__(self, item: Any) -> bool:
        return unboxed(item) in self.array

    def __bool__(self) -> bool:
        return bool(self.array)

    def __int__(self) -> int:
        return int(self.array)

    def __float__(self) -> float:
        expect_constant(self, sys._getframe(1))
        return float(self.array)

    def __complex__(self) -> complex:
        expect_constant(self, sys._getframe(1))
        return complex(self.array)

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(float(self.array)) if ndigits is None else np.round(self, ndigits)

    def __index__(self) -> int:
        return self.array.__index__()

    def __repr__(self) -> str:
        x = self.array
        is_shown = x.size <= np.get_printoptions()["threshold"] if x.size else x.shape == (0,)
        shape = "" if is_shown else f", shape={x.shape}"  # as NumPy does: where the values do not show it
        return f"Tensor({np.array2string(x, separator=', ', prefix='Tensor(')}{shape}, dtype={x.dtype})"

    def __str__(self) -> str:
        return str(self.array)

    def __format__(self, spec: str) -> str:
        return format(self.array[()], spec)


def is_fixed(x: Tensor) -> bool:
    """Whether a Tensor stands for a NumPy scalar."""
    return x.array.ndim == 0 and not x.array.flags.writeable


def call_ufunc(ufunc: np.ufunc, operands: tuple[Any, ...]) -> Any:
    """The ufunc on operands of any kind, one of them a Tensor."""
    result = apply_ufunc(ufunc, operands)
    return result if result is not UNSUPPORTED else call_numpy(Tensor, ufunc, operands, {})


def find_call(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """What calls a ufunc on operands of which at least one is a Tensor; None where no operation stands for it."""
    if ufunc.nout != 1 or ufunc.nin > 2 or ufunc.__name__ not in OPS:
        return None
    if ufunc.nin == 1:
        return of_one(ufunc, lambda x: call_ufunc(ufunc, (x,)))
    of_tensor = of_two(ufunc, lambda x, y: call_ufunc(ufunc, (x, y)))
    of_other = of_two(ufunc, lambda y, x: call_ufunc(ufunc, (x, y)), reflected=True)
    return lambda x, y: of_tensor(x, y) if isinstance(x, Tensor) else of_other(y, x)


CALLS = Table(find_call)


def numpy_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that is a function of NumPy."""
    rule = FUNCTIONS.get(function, lambda *args, **kwargs: UNSUPPORTED)

    def method(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        result = rule(x, *args, **kwargs)
        return result if result is not UNSUPPORTED else call_numpy(Tensor, function, (x, *args), kwargs)

    return method


def updating(name: str, ufunc: np.ufunc) -> Callable[[Tensor, Any], Any]:
    """An in-place operator; of a number, which nothing can change, it is the operator itself, and other names keep the old number."""
    plain = getattr(Tensor, f"__{name}__")

    def update(x: Tensor, other: Any) -> Any:
        return plain(x, other) if is_fixed(x) else ufunc(x, other, out=(x,))

    return update


def define_operators() -> None:
    """The operators and methods of Tensor; what they do not know is left to NumPy's mixin, which asks the ufunc."""
    mixin = np.lib.mixins.NDArrayOperatorsMixin
    for name, ufunc in UNARY.items():
        setattr(Tensor, f"__{name}__", of_one(ufunc, getattr(mixin, f"__{name}__")))
    for name, ufunc in {**COMPARISONS, **BINARY}.items():
        setattr(Tensor, f"__{name}__", of_two(ufunc, getattr(mixin, f"__{name}__")))
    for name, ufunc in BINARY.items():
        setattr(Tensor, f"__r{name}__", of_two(ufunc, getattr(mixin, f"__r{name}__"), reflected=True))
        setattr(Tensor, f"__i{name}__", updating(name, ufunc))
    for name in METHODS:
        setattr(Tensor, name, numpy_method(getattr(np, name)))


def write_output(ufunc: np.ufunc, inputs: tuple[Any, ...], result: Any, out: Any) -> Any:
    """Write a ufunc's result to `out`, as an in-place operator does; where NumPy refuses, its own error."""
    target = unboxed(out)
    fits = np.broadcast_shapes(np.shape(unboxed(result)), target.shape) == target.shape
    if not fits or not np.can_cast(unboxed(result).dtype, target.dtype, "same_kind"):
        call_numpy(Tensor, ufunc, inputs, {"out": out})
        return out
    if unboxed(result).dtype != target.dtype:
        result = bind("cast", result, dtype=target.dtype)
    bind("assign", out, result)
    return out


def asarray(x: Any, dtype: Any = None, *, copy: bool | None = None) -> Tensor:
    """A Tensor of anything that NumPy makes an array of; a Tensor, or the ndarray given, is not copied where that is not asked for.

    >>> asarray([1, 2, 3], dtype=float)
    Tensor([1., 2., 3.], dtype=float64)
    """
    if isinstance(x, Tensor) and not copy and (dtype is None or x.dtype == np.dtype(dtype)):
        return x
    if isinstance(x, list | tuple) and holds_boxes(x):
        stacked = stack_boxes([asarray(item) for item in x])
        return stacked if dtype is None else stacked.astype(dtype)
    return Tensor(np.array(unboxed(x), dtype=dtype, copy=copy))


def stack_boxes(x: Any) -> Any:
    """The array of nested lists and tuples that hold boxes, in a box of the kind of theirs."""
    if isinstance(x, Boxed):
        return x
    parts = [stack_boxes(item) if isinstance(item, Boxed) or holds_boxes(item) else item for item in x]
    box = next(type(part) for part in parts if isinstance(part, Boxed))
    boxes: Any = [part if isinstance(part, Boxed) else box(part) for part in parts]
    return np.stack(boxes)


def holds_boxes(x: Any) -> bool:
    """Whether a structure of lists and tuples holds a Tensor."""
    return any(holds_boxes(item) for item in x) if isinstance(x, list | tuple) else isinstance(x, Boxed)


define_operators()
