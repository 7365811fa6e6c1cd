"""`Layer`: a piece of a model, whose weights are made at its first call and are found through its attributes."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn import initializers, regularizers

TRAINING = ag.Scope(None)  # what the layers under way were told


class Layer:
    """A function with weights. A subclass makes them in `build`, or in `__init__`, and computes in `call`.

    name       what `summary` shows; the class's name in lower case where it is not given
    trainable  False: the weights of this layer and of those inside are none of the `trainable_variables`
    dtype      of the weights; floating-point inputs are cast to it. float32 where it is not given, but for layers that never have weights
               of their own (Sequential, Flatten, Dropout, Activation): they take what comes

    >>> class Scale(Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight(input_shape[-1:], "ones", name="factor")
    ...
    ...     def call(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> scale(np.array([1.0, 2.0]))
    Tensor([1., 2.], dtype=float32)
    >>> scale.trainable_variables
    [Variable([1., 1.], dtype=float32)]
    """

    training_place = sys.maxsize  # how many arguments behind the first it takes to give `call` its `training`
    default_dtype: str | None = "float32"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        names = list(inspect.signature(cls.call).parameters)
        cls.training_place = names.index("training") - 1 if "training" in names else sys.maxsize

    def __init__(self, *, name: str | None = None, trainable: bool = True, dtype: Any = None) -> None:
        dtype = self.default_dtype if dtype is None else dtype
        self.name = name or snake_case(type(self).__name__)
        self.trainable, self.dtype = trainable, None if dtype is None else np.dtype(dtype)
        self.built = type(self).build is Layer.build
        self.regularizers: dict[str, Callable[[Any], Any]] = {}
        self.leaf_names: list[str] | None = None

    def build(self, input_shape: Any) -> None:
        """Make the weights: called once, before the first `call`, with the shape of its first argument."""

    def call(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """What the layer computes. A parameter `training` tells whether it is in training: as the call says, or the layer around."""
        raise NotImplementedError(f"{type(self).__name__} defines no `call`")

    def __call__(self, x: Any, *args: Any, training: bool | None = None, **kwargs: Any) -> Any:
        if self.dtype is not None:
            x, args = cast_floats((x, args), self.dtype)
        self.build_once(shape_of(x))
        if len(args) >= self.training_place:
            training = args[self.training_place - 1]
        else:
            training = TRAINING.get() if training is None else training
            if training is not None and self.training_place < sys.maxsize:
                kwargs = {**kwargs, "training": training}
        return TRAINING.call(training, self.call, x, *args, **kwargs)

    def build_once(self, input_shape: Any) -> None:
        """`build`, unless it was called before."""
        if not self.built:
            self.build(input_shape)
            self.built = True

    def add_weight(
        self,
        shape: Any,
        initializer: Any = "glorot_uniform",
        *,
        name: str | None = None,
        trainable: bool = True,
        regularizer: Any = None,
    ) -> ag.Variable:
        """A new weight, to be kept in an attribute. `initializer` and `regularizer` are names or functions.

        regularizer  its value of the weight is one of the `losses`; the weight is then kept in the attribute `name`
        """
        value = initializers.get(initializer)(tuple(shape), self.dtype or "float32")
        if regularizer is not None:
            if name is None:
                raise ag.SettingError("a weight with a regularizer has no name: give name=, that of the attribute that keeps it")
            self.regularizers[name] = regularizers.get(regularizer)
        return ag.Variable(value, trainable=trainable, name=name)

    @property
    def variables(self) -> list[ag.Variable]:
        """The Variables in the attributes of this layer and of those inside: in order of attributes, depth first, each once."""
        return collect(self, [], [], False)

    @property
    def trainable_variables(self) -> list[ag.Variable]:
        """Those that training changes."""
        return collect(self, [], [], True)

    @property
    def non_trainable_variables(self) -> list[ag.Variable]:
        """Those that training does not change by gradients."""
        trainable = self.trainable_variables
        return [variable for variable in self.variables if not is_among(variable, trainable)]

    @property
    def layers(self) -> list[Layer]:
        """The layers in the attributes of this one."""
        found: list[Layer] = []
        for value in vars(self).values():
            collect_direct(value, found)
        return found

    @property
    def losses(self) -> list[Any]:
        """What the regularizers of this layer and of those inside add to the loss, one term for each weight that has one."""
        layers: list[Layer] = []
        collect(self, [], layers, False)
        return [regularizer(getattr(layer, name)) for layer in layers for name, regularizer in layer.regularizers.items()]

    def __tree_fields__(self) -> list[str]:
        """As an argument of `ag.grad` a layer stands for its trainable weights: the names of the attributes that lead to some."""
        if self.leaf_names is not None:
            return self.leaf_names
        return [name for name, value in vars(self).items() if self.trainable and leads_to_weights(value, [self])]

    def __tree_made__(self, names: list[str]) -> None:
        """This is a copy with something else in the places of the weights, such as their gradients, in the attributes of these names."""
        self.leaf_names = names


def collect(x: Any, variables: list[Any], layers: list[Any], only_trainable: bool, are_leaves: bool = False) -> list[Any]:
    """Append the Variables and Layers that a value leads to, each once; the Variables are returned. `are_leaves`: arrays of floats stand in
    the places of Variables."""
    if isinstance(x, ag.Variable):
        if (x.trainable or not only_trainable) and not is_among(x, variables):
            variables.append(x)
    elif isinstance(x, Layer):
        if (x.trainable or not only_trainable) and not is_among(x, layers):
            layers.append(x)
            for name, value in vars(x).items():
                collect(value, variables, layers, only_trainable, x.leaf_names is not None and name in x.leaf_names)
    elif isinstance(x, list | tuple):
        for item in x:
            collect(item, variables, layers, only_trainable, are_leaves)
    elif isinstance(x, dict):
        for item in x.values():
            collect(item, variables, layers, only_trainable, are_leaves)
    elif are_leaves and hasattr(x, "dtype") and not is_among(x, variables) and not has_twin(x, variables):
        variables.append(x)
    return variables


def collect_direct(x: Any, found: list[Any]) -> None:
    """Append the Layers that a value is or holds, without those inside them."""
    if isinstance(x, Layer):
        if not is_among(x, found):
            found.append(x)
    elif isinstance(x, list | tuple):
        for item in x:
            collect_direct(item, found)
    elif isinstance(x, dict):
        for item in x.values():
            collect_direct(item, found)


def leads_to_weights(x: Any, layers: list[Any]) -> bool:
    """Whether a value is or holds a trainable Variable, or what stands for one; `layers` are under way."""
    if isinstance(x, Layer):
        if not x.trainable or is_among(x, layers):
            return False
        return bool(x.leaf_names) or any(leads_to_weights(value, [*layers, x]) for value in vars(x).values())
    if isinstance(x, list | tuple):
        return any(leads_to_weights(item, layers) for item in x)
    if isinstance(x, dict):
        return any(leads_to_weights(item, layers) for item in x.values())
    return isinstance(x, ag.Variable) and x.trainable


def is_among(x: Any, items: list[Any]) -> bool:
    """Whether a list has this very object."""
    for item in items:
        if item is x:
            return True
    return False


def has_twin(x: Any, items: list[Any]) -> bool:
    """Whether a list has another name of this memory: outside compiled code a gradient has one for each place of a weight."""
    return ag.executing_eagerly() and any(np.may_share_memory(getattr(x, "array", x), getattr(item, "array", item)) for item in items)


def cast_floats(x: Any, dtype: np.dtype) -> Any:
    """Floating-point arrays in another dtype, in lists, tuples and dicts too; anything else as it is."""
    if isinstance(x, list | tuple):
        items = [cast_floats(item, dtype) for item in x]
        return items if isinstance(x, list) else tuple(items)
    if isinstance(x, dict):
        return {key: cast_floats(item, dtype) for key, item in x.items()}
    if hasattr(x, "dtype") and x.dtype.kind == "f" and x.dtype != dtype:
        return x.astype(dtype)
    return x


def shape_of(x: Any) -> Any:
    """The shape of an array; of a structure the structure of shapes."""
    if isinstance(x, list | tuple):
        return [shape_of(item) for item in x]
    if isinstance(x, dict):
        return {key: shape_of(item) for key, item in x.items()}
    return np.shape(x)


def snake_case(name: str) -> str:
    """`LayerNormalization` is `layer_normalization`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
