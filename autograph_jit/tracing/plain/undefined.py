"""`Undefined`: the value of a local variable that has none."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import ConversionError

OUT_OF_REACH = "a variable of another region"


class Undefined:
    """Stands for the missing value of the variable `name`; one object per name. Using it is Python's UnboundLocalError."""

    __slots__ = ("name",)
    _known: dict[str, Undefined] = {}
    name: str

    def __new__(cls, name: str) -> Undefined:
        """The object for `name`."""
        found = cls._known.get(name)
        if found is None:
            found = super().__new__(cls)
            found.name = name
            cls._known[name] = found
        return found

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


def expect_reachable(x: Any) -> None:
    """Refuse to use what a branch or loop left that is not to be seen from here: it is no variable without a value."""
    if isinstance(x, Undefined) and x.name == OUT_OF_REACH:
        raise ConversionError(
            "a value is used outside of the branch or loop that made it",
            None,
            "it was kept there in a variable or container that compiled code does not carry",
            "please report it; return the value from the branch or loop, or keep it in a variable of the function",
        )


def _refuse(self: Undefined, *args: Any) -> Any:
    expect_reachable(self)
    raise UnboundLocalError(f"cannot access local variable '{self.name}' where it is not associated with a value")


for _operation in (
    "add radd iadd sub rsub isub mul rmul imul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul neg pos abs and or xor "
    "lt le gt ge bool int float index len iter getitem setitem call contains"
).split():
    setattr(Undefined, f"__{_operation}__", _refuse)
