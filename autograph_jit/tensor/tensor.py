"""`Tensor`: an ndarray that computes by the eager rules of the operations, so that an interpreter can follow what is done with it."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import Dispatched
from autograph_jit.ops.dispatch import Boxed, bind, expect_convertible, unboxed
from autograph_jit.tensor.boxes import call_numpy
from autograph_jit.tensor.constants import expect_constant
from autograph_jit.tensor.functions import FUNCTIONS, UNSUPPORTED, apply_ufunc

FUNCTION_METHODS = {
    name: getattr(np, name)
    for name in ("sum", "prod", "min", "max", "any", "all", "mean", "argmin", "argmax", "cumsum", "cumprod", "std", "var", "copy", "astype")
}

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
        if out and not any(isinstance(target, Boxed) for target in out):
            for box in inputs:
                if isinstance(box, Boxed):
                    expect_convertible(box)
        if method == "__call__" and not kwargs:
            result = apply_ufunc(ufunc, inputs)
            if result is not UNSUPPORTED:
                return result if not out else write_output(ufunc, inputs, result, out[0])
        named = {**kwargs, "out": out} if out else kwargs
        result = call_numpy(Tensor, getattr(ufunc, method), inputs, named)
        return out[0] if len(out) == 1 else result

    def __array_function__(self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(function, Dispatched):
            return bind(function.operation, *args, **kwargs)
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
        function = FUNCTION_METHODS.get(name)
        if function is not None:
            return lambda *args, **kwargs: function(self, *args, **kwargs)
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
        items = basic_items(key, self.array.ndim)
        if items is None:
            return call_numpy(Tensor, operator.getitem, (self, key), {})
        if len(items) == self.array.ndim and all(item[0] == "int" for item, _ in items):
            return bind("load", self, *(number for _, numbers in items for number in numbers))
        return select(self, items)

    def __setitem__(self, key: Any, value: Any) -> None:
        items = basic_items(key, self.array.ndim)
        if items is None or not self.array.flags.writeable or np.asarray(unboxed(value)).dtype.kind not in "biufc":
            call_numpy(Tensor, operator.setitem, (self, key, value), {})
            return
        value = value if isinstance(value, Tensor) else np.asarray(value)
        if value.dtype != self.dtype:
            value = bind("cast", value, dtype=self.dtype)
        bind("assign", select(self, items), value)

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
        return f"Tensor({np.array2string(self.array, separator=', ', prefix='Tensor(')}, dtype={self.array.dtype})"

    def __str__(self) -> str:
        return str(self.array)

    def __format__(self, spec: str) -> str:
        return format(self.array[()], spec)


def updating(name: str) -> Callable[[Tensor, Any], Any]:
    """An in-place operator; of a number, which nothing can change, it is the operator itself, and other names keep the old number."""
    in_place, plain = getattr(np.lib.mixins.NDArrayOperatorsMixin, f"__i{name}__"), getattr(operator, f"__{name}__")
    return lambda x, other: plain(x, other) if is_fixed(x) else in_place(x, other)


def is_fixed(x: Tensor) -> bool:
    """Whether a Tensor stands for a NumPy scalar."""
    return x.array.ndim == 0 and not x.array.flags.writeable


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "and", "or", "xor"):
    setattr(Tensor, f"__i{_name}__", updating(_name))


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


Items = list[tuple[tuple[Any, ...], tuple[np.int64, ...]]]


def basic_items(key: Any, rank: int) -> Items | None:
    """The items of `basic_index` with their integers, for every axis; None for a key that needs more than a view."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if not all(is_basic(part) for part in keys):
        return None
    used = sum(1 for part in keys if part is not None and part is not Ellipsis)
    if used > rank or sum(part is Ellipsis for part in keys) > 1:
        return None
    position = next((index for index, part in enumerate(keys) if part is Ellipsis), len(keys))
    keys[position : position + 1] = [slice(None)] * (rank - used)
    return [basic_item(part) for part in keys]


def is_basic(part: Any) -> bool:
    """An integer, a slice, None or an ellipsis."""
    part = unboxed(part)
    if part is None or part is Ellipsis or isinstance(part, slice):
        return True
    is_integer = isinstance(part, int | np.integer) or (isinstance(part, np.ndarray) and part.ndim == 0 and part.dtype.kind in "iu")
    return is_integer and not isinstance(part, bool)


def basic_item(part: Any) -> tuple[tuple[Any, ...], tuple[np.int64, ...]]:
    """One item of `basic_index` and its integers."""
    if part is None:
        return ("newaxis",), ()
    if isinstance(part, slice):
        parts = (part.start, part.stop, part.step)
        if parts == (None, None, None):
            return ("full",), ()
        return ("slice", *(x is not None for x in parts)), tuple(np.int64(x.__index__()) for x in parts if x is not None)
    return ("int",), (np.int64(part.__index__()),)


def select(x: Tensor, items: Items) -> Any:
    """The view that basic items select."""
    key = tuple(item for item, _ in items)
    numbers = [number for _, numbers in items for number in numbers]
    return bind("basic_index", x, *numbers, items=key)


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
