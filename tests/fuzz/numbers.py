"""Random expressions that give a number or a truth value, as text."""

from __future__ import annotations

from tests.fuzz.writer import INT, NUMBERS, Writer

INT_LITERALS = ("0", "1", "2", "3", "4", "5", "7", "-1", "-2", "-3", "10", "100")
ODD_INTS = ("2**31 - 1", "-2**31", "2**40", "255", "256", "-129", "2**62", "1000003")
FLOAT_LITERALS = ("0.0", "1.0", "0.5", "2.0", "-1.5", "3.25", "-0.25", "10.0", "0.125", "-0.0")
ODD_FLOATS = ("1e300", "-1e-300", "float('inf')", "float('nan')", "-np.inf", "np.nan", "1e16", "np.pi")
SCALAR_TYPES = ("np.float32", "np.float64", "np.int64", "np.int32", "np.uint8", "np.int8", "np.complex128", "np.uint64", "np.bool_")


def integer(w: Writer, depth: int = 2) -> str:
    """An int, or a NumPy integer."""
    if depth <= 0 or w.chance(0.3):
        return integer_leaf(w)
    return w.weighted(INTEGERS)(w, depth - 1)


def integer_leaf(w: Writer) -> str:
    name = w.of("int")
    if name and w.chance(0.6):
        return name
    array = w.of("array")
    if array and w.chance(0.2):
        rank = w.kind(array).rank
        return w.pick(f"len({array})", f"{array}.shape[{w.pick(0, -1)}]", f"{array}.size", f"{array}.ndim") if rank else f"{array}.size"
    sequence = w.of("list", "tuple", "dict")
    if sequence and w.chance(0.15):
        return f"len({sequence})"
    return w.pick(*ODD_INTS) if w.odd and w.chance(0.2) else w.pick(*INT_LITERALS)


def integer_sum(w: Writer, depth: int) -> str:
    return f"({integer(w, depth)} {w.pick('+', '-', '+', '-', '*')} {integer_leaf(w)})"


def integer_division(w: Writer, depth: int) -> str:
    divisor = w.pick("2", "3", "5", "-2", "7") if not w.chance(w.bold) else integer_leaf(w)
    return f"({integer(w, depth)} {w.pick('//', '%')} {divisor})"


def integer_bits(w: Writer, depth: int) -> str:
    return w.pick(
        f"({integer(w, depth)} {w.pick('&', '|', '^')} {integer_leaf(w)})",
        f"({integer(w, depth)} >> {w.pick(0, 1, 3)})",
        f"({integer_leaf(w)} << {w.pick(0, 1, 2)})",
        f"(~{integer(w, depth)})",
    )


def integer_call(w: Writer, depth: int) -> str:
    a, b = integer(w, depth), integer_leaf(w)
    return w.pick(
        f"abs({a})",
        f"min({a}, {b})",
        f"max({a}, {b}, 1)",
        f"int({boolean(w, depth)})",
        f"divmod({a}, 3)[{w.pick(0, 1)}]",
        f"(-{a})",
        f"int(round({small_real(w)}))",
        f"int({small_real(w)})",
        f"pow({w.pick(2, 3, -2)}, {w.pick(0, 1, 2, 3)})",
        f"sum([{a}, {b}])",
        f"math.floor({small_real(w)})",
        f"(+{a})",
    )


def small_real(w: Writer) -> str:
    """A float that stays in the range of ints."""
    name = w.of("float")
    return f"({name} % 8.0)" if name and not w.chance(w.bold) else w.pick(*FLOAT_LITERALS)


def chosen(expression, w: Writer, depth: int) -> str:
    return f"({expression(w, depth)} if {boolean(w, depth)} else {expression(w, depth - 1)})"


def integer_of_list(w: Writer, depth: int) -> str:
    name = w.variable(lambda kind: kind.name in ("list", "tuple") and kind.dtype == "int")
    if name is None:
        return integer_leaf(w)
    return w.pick(
        f"sum({name})",
        f"{name}[{w.pick(0, -1, 1)}]",
        f"max({name})",
        f"{name}.count({integer_leaf(w)})",
        f"min({name}, default=4)" if w.kind(name).name == "list" else f"min({name})",
    )


def integer_of_array(w: Writer, depth: int) -> str:
    name = w.of("array")
    if name is None:
        return integer_leaf(w)
    return w.pick(
        f"int({name}.argmax())" if w.chance(w.bold + 0.3) else f"{name}.size",
        f"np.argmin({name})",
        f"int(np.count_nonzero({name}))",
        f"np.sum({name} == {name})",
    )


def walrus(w: Writer, depth: int) -> str:
    if w.functions:
        return integer_leaf(w)
    text = integer(w, depth)
    name = w.fresh("w")
    w.scope.maybe[name] = INT
    return f"({name} := {text})"


def real(w: Writer, depth: int = 2) -> str:
    """A float, a NumPy float, or what Python takes for one."""
    if depth <= 0 or w.chance(0.25):
        return real_leaf(w)
    return w.weighted(REALS)(w, depth - 1)


def real_leaf(w: Writer) -> str:
    name = w.of("float")
    if name and w.chance(0.6):
        return name
    other = w.of("int", "scalar", "bool")
    if other and w.chance(0.2):
        return other
    if w.chance(0.2):
        return element(w)
    return w.pick(*ODD_FLOATS) if w.odd and w.chance(0.3) else w.pick(*FLOAT_LITERALS)


def element(w: Writer) -> str:
    """An element of an array."""
    name = w.variable(lambda kind: kind.name == "array" and kind.rank > 0 and not kind.dtype.startswith("complex"))
    if name is None:
        return w.pick(*FLOAT_LITERALS)
    return f"{name}[{', '.join(position(w, name, axis) for axis in range(w.kind(name).rank))}]"


def position(w: Writer, name: str, axis: int) -> str:
    """An index of one axis, rarely out of bounds."""
    if w.chance(w.bold):
        return w.pick(integer(w, 1), "9", "-9")
    index = w.of("int")
    if index and w.chance(0.6):
        return f"{index} % {name}.shape[{axis}]" if index not in w.frozen or w.chance(0.2) else index
    return w.pick("0", "-1", "1", "0", "-1")


def real_arithmetic(w: Writer, depth: int) -> str:
    return f"({real(w, depth)} {w.pick('+', '-', '*', '+', '-')} {real(w, depth)})"


def real_division(w: Writer, depth: int) -> str:
    divisor = w.pick("2.0", "4", "0.5", "-8.0", "(1.0 + abs(" + real_leaf(w) + "))") if not w.chance(w.bold) else real_leaf(w)
    return f"({real(w, depth)} {w.pick('/', '/', '//', '%')} {divisor})"


def real_call(w: Writer, depth: int) -> str:
    x, y = real(w, depth), real_leaf(w)
    return w.pick(
        f"abs({x})",
        f"min({x}, {y})",
        f"max({x}, {y})",
        f"float({x})",
        f"math.sqrt(abs({x}))",
        f"np.sqrt(np.abs({x}))",
        f"np.sin({x})",
        f"math.cos({x} % 7.0)",
        f"np.floor({x})",
        f"np.maximum({x}, {y})",
        f"(-{x})",
        f"np.sign({x})",
        f"({y} ** 2)",
        f"np.float64({x})",
        f"math.tanh({x})",
        f"np.hypot({x}, {y})",
        f"math.copysign(1.5, {x})",
        f"np.where({boolean(w, 1)}, {x}, {y})[()]",
        f"round({x}, 2)",
        f"np.fmin({x}, {y})",
        f"math.exp(-abs({y}))",
        f"np.square({x})",
        f"np.abs({x})",
    )


def real_of_array(w: Writer, depth: int) -> str:
    name = w.variable(lambda kind: kind.name == "array" and kind.dtype not in ("bool", "complex128", "complex64"))
    if name is None:
        return real_leaf(w)
    return w.pick(
        f"{name}.sum()",
        f"{name}.mean()",
        f"np.sum({name})",
        f"{name}.max(initial=0)",
        f"np.prod({name}[:2])",
        f"float({name}.sum())",
        f"np.mean({name})",
        f"np.min({name}, initial=5)",
        f"{name}.max()" if w.chance(0.5) else f"{name}.sum()",
        f"np.dot({name}.ravel(), {name}.ravel())",
        f"np.median({name})",
        f"{name}.ptp()" if w.chance(w.bold) else f"np.std({name})",
        f"sum({name}.ravel())",
        f"{name}.ravel().tolist()[0]",
    )


def real_of_container(w: Writer, depth: int) -> str:
    name = w.variable(lambda kind: kind.name in ("list", "dict", "object", "tuple") and kind.dtype == "float")
    if name is None:
        return real_leaf(w)
    kind = w.kind(name)
    if kind.name == "object":
        return f"{name}.{w.pick('level', 'level', 'scale')}"
    if kind.name == "dict":
        return w.pick(
            f"{name}['a']", f"{name}.get('b', 2.5)", f"sum({name}.values())", f"{name}['zz']" if w.chance(w.bold) else f"{name}['a']"
        )
    return w.pick(f"{name}[{w.pick(0, -1)}]", f"sum({name})", f"max({name})")


def real_function(w: Writer, depth: int) -> str:
    name = w.of("function")
    return f"{name}({', '.join(real(w, depth) for _ in range(w.kind(name).size))})" if name else real_leaf(w)


def boolean(w: Writer, depth: int = 1) -> str:
    """A truth value."""
    name = w.of("bool")
    if name and w.chance(0.15):
        return name
    return w.weighted(BOOLEANS)(w, depth - 1)


def comparison(w: Writer, depth: int) -> str:
    side = w.pick(integer, integer, real)
    return f"{side(w, depth)} {w.pick('<', '>', '<=', '>=', '==', '!=', '<', '>')} {side(w, depth)}"


def chain(w: Writer, depth: int) -> str:
    return f"({integer(w, depth)} {w.pick('<', '<=')} {w.pick(integer, real)(w, depth)} {w.pick('<', '<=', '!=')} {integer(w, depth)})"


def connective(w: Writer, depth: int) -> str:
    return (
        w.pick(
            f"({boolean(w, depth)} and {boolean(w, depth)})", f"({boolean(w, depth)} or {boolean(w, depth)})", f"(not {boolean(w, depth)})"
        )
        if depth > -2
        else comparison(w, 0)
    )


def membership(w: Writer, depth: int) -> str:
    return f"{integer(w, depth)} {w.pick('in', 'not in')} ({', '.join(w.random.sample(INT_LITERALS, 3))})"


def array_truth(w: Writer, depth: int) -> str:
    name = w.of("array")
    if name is None or w.kind(name).dtype.startswith("complex"):
        return comparison(w, depth)
    return w.pick(f"np.any({name} > {integer_leaf(w)})", f"({name} >= 0).all()", f"bool(({name} == {name}).any())", f"{name}.any()")


def scalar(w: Writer, depth: int = 2) -> str:
    """A NumPy scalar of any type."""
    leaf = w.of("scalar")
    if depth <= 0 and leaf:
        return leaf
    array = w.variable(lambda kind: kind.name == "array" and kind.rank > 0)
    if array and w.chance(0.3):
        return f"{array}[{', '.join(position(w, array, axis) for axis in range(w.kind(array).rank))}]"
    if depth > 0 and leaf and w.chance(0.6):
        other = w.pick(scalar, integer, real)(w, depth - 1) if w.chance(0.6) else leaf
        return (
            f"({leaf} {w.pick('+', '-', '*', '+', '*')} {other})" if w.chance(0.8) else f"np.{w.pick('abs', 'negative', 'square')}({leaf})"
        )
    kind = w.pick(*SCALAR_TYPES)
    value = w.pick("0", "1", "3", "100", "7") if kind in ("np.uint8", "np.int8", "np.uint64") else real_leaf(w)
    return f"{kind}({value})"


def complexity(w: Writer, depth: int = 1) -> str:
    """A complex number."""
    name = w.of("complex")
    leaf = name if name and w.chance(0.7) else w.pick("1j", "(2.0 - 1j)", "complex(0.5, 1.0)", f"complex({real_leaf(w)}, 1.0)")
    if depth <= 0:
        return leaf
    return w.pick(
        f"({leaf} {w.pick('+', '-', '*')} {complexity(w, depth - 1)})",
        f"({leaf} * {real_leaf(w)})",
        f"({leaf}).conjugate()",
        f"({leaf} / (2.0 + 1j))",
        f"np.conj({leaf})",
        f"complex(abs({leaf}), {leaf}.imag)",
        f"({leaf}) ** 2",
    )


INTEGERS = (
    (8, integer_sum),
    (3, integer_division),
    (2, integer_bits),
    (4, integer_call),
    (2, lambda w, d: chosen(integer, w, d)),
    (2, integer_of_list),
    (1, integer_of_array),
    (1, walrus),
)
REALS = (
    (8, real_arithmetic),
    (3, real_division),
    (5, real_call),
    (4, real_of_array),
    (2, real_of_container),
    (2, real_function),
    (2, lambda w, d: chosen(real, w, d)),
    (2, lambda w, d: element(w)),
    (1, lambda w, d: scalar(w, d)),
)
BOOLEANS = ((10, comparison), (2, chain), (3, connective), (1, membership), (2, array_truth))
NUMBER_WRITERS = dict(zip(NUMBERS, (integer, real, boolean)))
