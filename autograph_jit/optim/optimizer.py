"""`Optimizer`: what all rules share: slots, the step over all variables as one program, clipping, decay, accumulation, schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

import autograph_jit as ag
from autograph_jit.optim.clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from autograph_jit.optim.trees import leaves, with_leaves

Rate = float | Callable[[Any], Any]


class Limits(TypedDict, total=False):
    """What every optimizer takes by keyword; see `Optimizer`."""

    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None
    gradient_accumulation_steps: int | None


class Options(Limits, total=False):
    """With the decay that `AdamW` takes by position."""

    weight_decay: float | None


class Optimizer:
    """Changes Variables along their gradients; a subclass says by which rule, in `initial_slots`, `new_slots` and `new_value`.

    learning_rate: a number, or a function of the number of updates made (a schedule); a number is kept in a Variable, and may be set.
    weight_decay: each step first takes `weight_decay * learning_rate` times the parameter off it (Loshchilov and Hutter 2017).
    clipnorm, clipvalue, global_clipnorm: at most one of them; each gradient is cut to this norm, to +-this value, or all to one norm.
    gradient_accumulation_steps: gradients are averaged over so many calls, the last of which makes the update.

    Gradients that are None leave their variables as they are. `iterations` counts the updates. In compiled code all variables are changed
    in one program, and so they are by a call outside of it.

    `init` and `update` are the same rule as pure functions, over trees of arrays: lists, tuples, dicts, dataclasses.
    """

    untracked: ClassVar[tuple[str, ...]] = ("trained",)  # the model's, not a part of the optimizer's own state

    def __init__(self, learning_rate: Rate, **options: Unpack[Options]) -> None:
        if unknown := options.keys() - Options.__optional_keys__:
            raise TypeError(f"{type(self).__name__} takes no argument {', '.join(sorted(unknown))}")
        self.weight_decay = options.get("weight_decay")
        self.clipnorm, self.clipvalue = options.get("clipnorm"), options.get("clipvalue")
        self.global_clipnorm = options.get("global_clipnorm")
        if sum(limit is not None for limit in (self.clipnorm, self.clipvalue, self.global_clipnorm)) > 1:
            raise ag.SettingError(f"{type(self).__name__}: only one of clipnorm, clipvalue, global_clipnorm may be given")
        self.gradient_accumulation_steps = options.get("gradient_accumulation_steps")
        self.iterations = ag.Variable(np.int64(0), trainable=False, name="iterations")
        self.rate = learning_rate if callable(learning_rate) else ag.Variable(np.float64(learning_rate), False, "learning_rate")
        self.slots: list[list[ag.Variable]] = []
        self.sums: list[ag.Variable] = []
        self.trained: list[ag.Variable] = []
        self.compiled: Callable[..., None] = Optimizer.take_step

    @property
    def learning_rate(self) -> Any:
        """The Variable with the rate, or the schedule. Setting a number assigns to the Variable."""
        return self.rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) or callable(self.rate):
            self.rate = value if callable(value) else ag.Variable(np.float64(value), False, "learning_rate")
        else:
            self.rate.assign(value)

    @property
    def variables(self) -> list[ag.Variable]:
        """The optimizer's own state."""
        rate = [] if callable(self.rate) else [self.rate]
        return [self.iterations, *rate, *(slot for slots in self.slots for slot in slots), *self.sums]

    def build(self, variables: Iterable[ag.Variable]) -> None:
        """Make the slots of these variables. The first `apply_gradients` does it."""
        self.trained = list(variables)
        for variable in self.trained:
            if not np.issubdtype(variable.dtype, np.floating):
                raise ag.SettingError(f"{type(self).__name__} trains variables of floats; {variable.name or 'one'} is {variable.dtype}")
        starts = [self.initial_slots(variable.numpy()) for variable in self.trained]
        self.slots = [[ag.Variable(start, trainable=False) for start in slots] for slots in starts]
        # Made here also where a rule has no slots: a call that makes Variables runs in Python, and the next one is compiled.
        self.summed = ag.Variable(np.int64(0), trainable=False, name="summed")
        if self.gradient_accumulation_steps:
            self.sums = [ag.Variable(np.zeros_like(variable.numpy()), trainable=False) for variable in self.trained]
        self.compiled = compiled_step(self)

    def __getstate__(self) -> dict[str, Any]:
        """Pickled and copied without the compiled step, which `__setstate__` finds again."""
        return {name: value for name, value in vars(self).items() if name != "compiled"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.compiled = compiled_step(self) if self.trained else Optimizer.take_step

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, ag.Variable]]) -> None:
        """Take one step: pairs of a gradient and its variable, as `zip(gradients, variables)` gives them."""
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not pairs:
            raise ag.SettingError(f"{type(self).__name__}.apply_gradients: no gradients; does the loss depend on the variables?")
        if not self.trained:
            self.build([variable for _, variable in pairs])
        self.compiled(self, [gradient for gradient, _ in pairs], [variable for _, variable in pairs])

    def minimize(self, loss: Callable[[], Any], variables: Sequence[ag.Variable]) -> Any:
        """Take one step down the loss, a function without arguments of these variables; gives its value before the step.

        >>> from autograph_jit.optim import SGD
        >>> x, optimizer = ag.Variable(3.0), SGD(0.25)
        >>> optimizer.minimize(lambda: x * x, [x]), x
        (Tensor(9., dtype=float64), Variable(1.5, dtype=float64))
        """
        with ag.GradientTape() as tape:
            value = loss()
        self.apply_gradients(zip(tape.gradient(value, variables), variables))
        return value

    def init(self, params: Any) -> dict[str, Any]:
        """The state before the first step of a tree of arrays."""
        return {"iterations": np.int64(0), "slots": [self.initial_slots(np.asarray(leaf)) for leaf in leaves(params)]}

    def update(self, grads: Any, state: dict[str, Any], params: Any) -> tuple[Any, dict[str, Any]]:
        """The parameters and the state after a step; what is given is left as it is. `gradient_accumulation_steps` has no part in it.

        >>> from autograph_jit.optim import SGD
        >>> rule = SGD(0.25)
        >>> rule.update({"w": 6.0}, rule.init({"w": 3.0}), {"w": 3.0})[0]
        {'w': np.float64(1.5)}
        """
        old, gradients, step = leaves(params), leaves(grads), state["iterations"]
        rate = self.rate_at(step)
        new, new_slots = [], []
        for gradient, leaf, slots in zip(self.clipped(gradients), old, state["slots"], strict=True):
            parameter = np.asarray(leaf)
            gradient = np.asarray(gradient).astype(parameter.dtype)
            made = self.new_slots(gradient, slots, rate)
            new.append(self.moved(gradient, parameter, made, rate, step))
            new_slots.append(made)
        return with_leaves(params, new), {"iterations": step + 1, "slots": new_slots}

    def initial_slots(self, parameter: Any) -> list[Any]:
        """The arrays that the rule keeps for a parameter."""
        raise NotImplementedError(f"{type(self).__name__} defines no `initial_slots`")

    def new_slots(self, gradient: Any, slots: list[Any], rate: Any) -> list[Any]:
        """The slots after a gradient; `rate` is the learning rate, a float64."""
        raise NotImplementedError(f"{type(self).__name__} defines no `new_slots`")

    def new_value(self, gradient: Any, parameter: Any, slots: list[Any], rate: Any, step: Any) -> Any:
        """The parameter after a step, by the new slots; `step` is the number of updates before this one."""
        raise NotImplementedError(f"{type(self).__name__} defines no `new_value`")

    def take_step(self, gradients: list[Any], variables: list[ag.Variable]) -> None:
        """Take one step, or add the gradients to those that wait for it."""
        positions = [self.position(variable) for variable in variables]
        if self.gradient_accumulation_steps is None:
            self.write(gradients, positions)
            return
        for gradient, position in zip(gradients, positions):
            self.sums[position].assign_add(gradient)
        self.summed.assign_add(1)
        if self.summed == self.gradient_accumulation_steps:
            self.write([self.sums[position].numpy() / self.gradient_accumulation_steps for position in positions], positions)
            for position in positions:
                self.sums[position].assign(np.zeros_like(self.sums[position].numpy()))
            self.summed.assign(0)

    def position(self, variable: ag.Variable) -> int:
        """The place of a variable among those that the optimizer was built for."""
        for position, known in enumerate(self.trained):
            if known is variable:
                return position
        raise ag.SettingError(
            f"{type(self).__name__} was built for other variables: call build(variables) with all that are trained before the first step"
        )

    def write(self, gradients: list[Any], positions: list[int]) -> None:
        """Change the variables and slots at these places."""
        step = self.iterations.numpy()
        rate = self.rate_at(step)
        for gradient, position in zip(self.clipped(gradients), positions):
            variable, slots = self.trained[position], self.slots[position]
            gradient = np.asarray(gradient).astype(variable.dtype)
            for slot, value in zip(slots, self.new_slots(gradient, [slot.numpy() for slot in slots], rate)):
                slot.assign(value)
            variable.assign(self.moved(gradient, variable.numpy(), [slot.numpy() for slot in slots], rate, step))
        self.iterations.assign_add(1)

    def rate_at(self, step: Any) -> Any:
        """The learning rate of a step, a float64."""
        return np.float64(self.rate(step)) if callable(self.rate) else self.rate.numpy()

    def clipped(self, gradients: list[Any]) -> list[Any]:
        """The gradients within the limits asked for."""
        if self.clipnorm is not None:
            return clip_by_norm(gradients, self.clipnorm)
        if self.clipvalue is not None:
            return clip_by_value(gradients, -self.clipvalue, self.clipvalue)
        if self.global_clipnorm is not None:
            return clip_by_global_norm(gradients, self.global_clipnorm)[0]
        return gradients

    def moved(self, gradient: Any, parameter: Any, slots: list[Any], rate: Any, step: Any) -> Any:
        """The parameter after a step, its weights decayed before."""
        if self.weight_decay is not None:
            parameter = parameter - parameter * (self.weight_decay * rate).astype(parameter.dtype)
        return self.new_value(gradient, parameter, slots, rate, step)


STEPS: dict[Any, Callable[..., None]] = {}


def compiled_step(optimizer: Optimizer) -> Callable[..., None]:
    """`take_step`, compiled for optimizers with these settings and kinds of variables: a function keeps a limited number of programs."""
    rate = optimizer.rate if callable(optimizer.rate) else None
    settings = {**vars(optimizer), **getattr(rate, "__dict__", {})}
    numbers = tuple((name, value) for name, value in settings.items() if isinstance(value, int | float | None))
    key = type(optimizer), type(rate), numbers, tuple((variable.dtype, len(variable.shape)) for variable in optimizer.trained)
    return STEPS.setdefault(key, ag.compile(Optimizer.take_step, fallback="error"))
