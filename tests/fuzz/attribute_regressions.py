"""Programs whose attributes are set, deleted and computed in uncommon ways: faults found by hand, a comment says what went wrong."""

from __future__ import annotations

from types import SimpleNamespace

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
NUMBERS = tuple((lambda n=n: (n,)) for n in (1, 2, 5))


class Doubled:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name) * 2

    def __set__(self, obj, value):
        setattr(obj, self.name, value)

    def __delete__(self, obj):
        delattr(obj, self.name)


class Checked(Doubled):
    def __get__(self, obj, owner=None):
        value = getattr(obj, self.name)
        return value if value > 2 else -value

    def __set__(self, obj, value):
        if value < 0:
            raise ValueError(f"{self.name} is {value}")
        obj.__dict__[self.name] = value


class Positive:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return self if obj is None else obj.__dict__[self.name]

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name} must be positive, not {value}")
        obj.__dict__[self.name] = value


class Box:
    width, height = Positive(), Positive()

    def __init__(self, width, height):
        self.width, self.height = width, height


class Lazy:
    def __init__(self, function):
        self.function = function

    def __get__(self, obj, owner=None):
        value = self.function(obj)
        if value > 3:
            value = value * 10
        obj.__dict__["lazy"] = value
        return value


class Owner:
    a, b = Doubled(), Checked()

    def __init__(self, a, b=1):
        self.a, self.b = a, b

    @Lazy
    def lazy(self):
        return self.a + 1

    @property
    def p(self):
        return self._p

    @p.setter
    def p(self, value):
        self._p = value

    @p.deleter
    def p(self):
        if self._p > 2:
            self.q = 5
        del self._p

    @property
    def fixed(self):
        return 3


@program(*NUMBERS)
def descriptors_in_branches_and_loops(n):  # what they set was set on every path
    o = Owner(1)
    if n > 1:
        o.a = 10
    for i in range(n):
        o.a = o.a + i
        o.b += i
    first = o.lazy
    o.a = 7
    return o.a, o._a, o.b, first, o.lazy, type(Owner.a).__name__


@program(*NUMBERS)
def entries_under_the_names_of_descriptors(n):  # refused
    box, found = Box(n, 2), []
    for width in (1, n - 2, 4):
        try:
            box.width = width
        except ValueError as error:
            found.append(str(error))
        box.height += box.width
    return box.width * box.height, box, found


@program(*NUMBERS)
def descriptors_that_raise(n):  # refused, for their conditions were not converted
    try:
        o = Owner(n, n - 2)
    except ValueError as error:
        return str(error)
    return o.b, o.a


@program(*NUMBERS)
def properties_and_descriptors_deleted(n):  # nothing was deleted
    o, found = Owner(n), []
    o.p = n
    if n > 1:
        del o.p, o.a
    for name in ("p", "fixed", "nothing"):
        try:
            delattr(o, name)
        except AttributeError as error:
            found.append(str(error))
    return hasattr(o, "_p"), hasattr(o, "q"), hasattr(o, "_a"), found


@program(*NUMBERS)
def attributes_deleted_on_one_path(n):  # they were deleted on every path
    o, p = SimpleNamespace(a=n, b=[1]), Owner(n)
    if n > 1:
        del o.b
    for i in range(n):
        if hasattr(p, "x"):
            delattr(p, "x")
        else:
            setattr(p, "x", i)
    return o, hasattr(o, "b"), getattr(p, "x", None)


@program(*NUMBERS)
def attributes_changed_as_a_dict(n):  # what update gave was lost, what a branch deleted was deleted on every path
    o, p = Owner(n), SimpleNamespace(a=1)
    o.__dict__.update(b=n, c=[1])
    vars(p).setdefault("z", n)
    if n > 1:
        del o.__dict__["b"], o.c
        vars(p).pop("a")
    try:
        return o.c, p, vars(o).get("b")
    except AttributeError as error:
        return str(error), p, "b" in vars(o)
