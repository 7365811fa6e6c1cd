"""`Model` and `Sequential`: layers that are a whole, and its table of layers and weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph_jit.nn.layer import Layer


class Model(Layer):
    """A layer that is trained as a whole. A subclass makes its layers in `__init__` and calls them in `call`."""

    def count_params(self) -> int:
        """The number of elements of all weights."""
        return sum(variable.size for variable in self.variables)

    def summary(self, print_fn: Callable[[str], Any] = print) -> None:
        """Print a table of the layers: their weights as they are, so after the first call."""
        rows = [("layer", "class", "shapes of weights", "parameters")]
        for layer in self.layers:
            weights = layer.variables
            shapes = ", ".join(str(weight.shape) for weight in weights) if layer.built else "not made yet"
            rows.append((layer.name, type(layer).__name__, shapes, f"{sum(weight.size for weight in weights):,}"))
        widths = [max(map(len, column)) for column in zip(*rows)]
        print_fn(f"{type(self).__name__} {self.name!r}")
        for *texts, number in rows:
            print_fn("  ".join([*(text.ljust(width) for text, width in zip(texts, widths)), number.rjust(widths[-1])]))
        trainable = sum(variable.size for variable in self.trainable_variables)
        print_fn(f"parameters: {self.count_params():,}, of which training changes {trainable:,}")


class Sequential(Model):
    """Layers, or functions of an array, one after the other.

    >>> Sequential([lambda x: x + 1, lambda x: x * 2])(3)
    8
    """

    default_dtype = None

    def __init__(self, layers: Iterable[Callable[..., Any]] = (), **options: Any) -> None:
        super().__init__(**options)
        self.stages = list(layers)

    def add(self, layer: Callable[..., Any]) -> None:
        """Put a layer behind the others."""
        self.stages.append(layer)

    def call(self, x: Any) -> Any:
        for stage in self.stages:
            x = stage(x)
        return x
