"""What Python's operations mean for abstract values: the interface through which modules call it that lie below those that define it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Protocol, cast

import numpy as np

Args = tuple[Any, ...]
Named = dict[str, Any]
SetState = Callable[[tuple[Any, ...]], None]


class Language(Protocol):
    """The operations of Python and NumPy. `meaning.py` implements them."""

    def call(self, fn: Any, args: Args, kwargs: Named | None) -> Any:
        """`fn(*args, **kwargs)`."""

    def call_function(self, trace: Any, fn: Any, args: Args, kwargs: Named) -> Any:
        """The same of a function that is known and has no meaning of its own: converted where it is the user's."""

    def call_numpy(self, function: Any, args: Args, kwargs: Named) -> Any:
        """The same of a function of NumPy's; NotImplemented where Python shall make the call."""

    def numpy(self, function: Any, args: Args, kwargs: Named) -> Any:
        """The same where an argument is an abstract value (`__array_function__`)."""

    def ufunc(self, ufunc: np.ufunc, method: str, inputs: Args, kwargs: Named) -> Any:
        """A method of a ufunc (`__array_ufunc__`)."""

    def binary(self, symbol: str, x: Any, y: Any) -> Any:
        """`x symbol y` where one of them is an abstract value, which Python's operator would ask."""

    def unary(self, symbol: str, x: Any) -> Any:
        """`-x`, `+x`, `~x`, `abs(x)`, `not x`."""

    def inplace(self, symbol: str, x: Any, y: Any) -> Any:
        """`x symbol= y`."""

    def compare(self, symbol: str, x: Any, y: Any) -> Any:
        """`x symbol y` for comparisons, `in` and `is` among them."""

    def if_exp(self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """`then() if test else otherwise()`."""

    def attribute(self, x: Any, name: str) -> Any:
        """`x.name` of an array, number or object of the run."""

    def set_attribute(self, x: Any, name: str, value: Any) -> None:
        """`x.name = value` of an array."""

    def getitem(self, x: Any, key: Any) -> Any:
        """`x[key]`."""

    def setitem(self, x: Any, key: Any, value: Any) -> None:
        """`x[key] = value` of an array or object of the run."""

    def iterate(self, x: Any) -> Any:
        """What goes through the items of an array, number or object of the run."""

    def collected(self, x: Any) -> Any:
        """The items of an iterator in a list; anything else as it is."""

    def for_each(self, iterable: Any, body: Callable[[Any], Any]) -> None:
        """`for item in iterable: body(item)`, where the body assigns no variable."""

    def for_iterator(
        self, iterator: Any, extra_test: Any, body: Any, get_state: Callable[[], Args], set_state: SetState, names: tuple[str, ...]
    ) -> None:
        """The loop over an iterator whose `__next__` is Python code, while `extra_test()`."""

    def integer_of(self, x: Any) -> Any:
        """The integer that an object of the run, or a number whose type the path decides, is as an index."""

    def demand(self, x: Any, what: str) -> Any:
        """Python needs the value itself: a restart with it as a constant, or an error that names the line."""


language = cast(Language, SimpleNamespace())


def install(meaning: Language) -> None:
    """Give the operations their meaning: once, when the package is imported."""
    vars(language).update((name, getattr(meaning, name)) for name, member in vars(Language).items() if name[0] != "_" and callable(member))
