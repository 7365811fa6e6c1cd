"""The methods of texts, by name: searches and letters as converted loops; what is not here is Python's, on the object."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import I64
from autograph_jit.ops.texts import CODE_POINT
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.hosting.host_calls import host_bool, host_object, host_scalar
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts import letters, searching, splitting
from autograph_jit.tracing.texts.text import (
    CLASSES,
    Bytes,
    Character,
    Text,
    as_text,
    concatenated,
    is_int,
    known_text,
    literal,
    type_of_kind,
)
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dimension, lift_number, scalar, truth
from autograph_jit.tracing.values.trace import active, emit
from autograph_jit.tracing.values.types import LETTER, STORED, stored_texts

END = 2**62
MAX_ALTERNATIVES = 32  # letters of a constant that one is compared with
SEARCHES = {"find": searching.find, "rfind": searching.rfind, "count": searching.count}
ENDS = {"startswith": searching.starts_with, "endswith": searching.ends_with}
TESTS = ("isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isdecimal", "isnumeric", "isprintable", "isascii")
CASED = {"isupper": "islower", "islower": "isupper"}
CHANGES = ("lower", "upper", "swapcase")
ASCII = np.ones(128, np.uint8)
GIVE_INTS = (*SEARCHES, "index", "rindex")
GIVE_LISTS = ("split", "rsplit", "splitlines")
GIVE_TEXT = frozenset(
    "capitalize casefold center expandtabs format join ljust lower lstrip removeprefix removesuffix replace rjust rstrip strip swapcase "
    "title translate upper zfill decode hex encode".split()
)


def by_python(x: Text, name: str, *args: Any, **kwargs: Any) -> Any:
    """A method of Python's on the object."""
    kind = x.kind_of_text
    if name in TESTS:
        return host_bool(getattr(kind, name), x, label=f"{kind.__name__}.{name}", pure=True, fails=False)
    if name in ENDS:
        return host_bool(getattr(kind, name), x, *args, label=f"{kind.__name__}.{name}", pure=True)
    if name in GIVE_INTS:
        return host_scalar(getattr(kind, name), x, *args, dtype=I64.dtype, weak=True, label=f"{kind.__name__}.{name}", pure=True)
    gives: type | None = kind if name in GIVE_TEXT else list if name in GIVE_LISTS else None
    if name in ("decode", "hex", "encode"):
        gives = bytes if name == "encode" else str
    is_pure = not args and not kwargs and gives in (str, bytes)
    made = host_object(getattr(kind, name), x, *args, label=f"{kind.__name__}.{name}", python_type=gives, pure=is_pure, **kwargs)
    return (
        TracedList.of_object(made, STORED[kind])
        if gives is list
        else as_text(made, gives)
        if gives in (str, bytes)
        else made
    )


def method_by_python(name: str) -> Callable[..., Any]:
    """A method that is Python's, whose result is a text or a list of them."""

    def method(x: Text, /, *args: Any, **kwargs: Any) -> Any:
        return by_python(x, name, *args, **kwargs)

    return method


def part_of(x: Text, part: Any) -> Text | None:
    """What is searched for, as a text of the same kind; of bytes an int is one of them."""
    return as_text(part, x.kind_of_text)


def search(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A search that gives a number."""

    def method(x: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
        found = part_of(x, part)
        if found is None or is_hosted_bound(start) or is_hosted_bound(stop):
            return by_python(x, name, part, *bounds(start, stop))
        return language.call(function, (x.codes, found.codes, *bounds(start, stop)), None)

    return method


def is_hosted_bound(x: Any) -> bool:
    """Whether a bound of a search is an object of Python's, as the `end()` of a match is: what it is only Python knows."""
    return isinstance(x, StagedObject)


def bounds(start: Any, stop: Any) -> tuple[Any, Any]:
    """The bounds of a search as ints."""
    return (0 if start is None else start), (END if stop is None else stop)


def index(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A search that fails where there is nothing."""

    def method(x: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
        if part_of(x, part) is None or is_hosted_bound(start) or is_hosted_bound(stop):
            return by_python(x, name, part, *bounds(start, stop))
        found = search(name, function)(x, part, start, stop)
        text = "substring not found" if x.kind_of_text is str else "subsection not found"
        check(truth(found >= 0), ValueError, text)
        return found

    return method


def end(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Whether a text begins or ends with another one, or one of several."""

    def method(x: Text, part: Any, start: Any = None, stop: Any = None) -> Any:
        if type(part) is tuple and part and all(as_text(each, x.kind_of_text) is not None for each in part):
            first, rest = part[0], part[1:]
            found = method(x, first, start, stop)
            return found if not rest else language.if_exp(found, lambda: True, lambda: method(x, rest, start, stop))
        found = part_of(x, part)
        if found is None or is_hosted_bound(start) or is_hosted_bound(stop):
            return by_python(x, name, part, *bounds(start, stop))
        return language.call(function, (x.codes, found.codes, *bounds(start, stop)), None)

    return method


def test_of(name: str) -> Callable[..., Any]:
    """A question about all letters: by a table, of those that stand there."""

    def method(x: Text) -> Any:
        if isinstance(x, Character):
            return letters.has_property(name, x.code)
        kind = x.kind_of_text
        table = literal(letters.table_of_property(name, kind))
        if name in CASED:
            found = language.call(searching.are_cased, (x.codes, table, literal(letters.table_of_property(CASED[name], kind))), None)
        else:
            found = language.call(searching.all_have, (x.codes, table, name in ("isprintable", "isascii")), None)
        return letters.usually(found >= 0, lambda: found == 1, lambda: by_python(x, name))

    return method


def change_of(name: str) -> Callable[..., Any]:
    """Another case: by a table, of letters that stand there and stay one letter."""

    def method(x: Text) -> Any:
        if isinstance(x, Character):
            changed = letters.changed(name, x.code)
            return letters.usually(changed >= 0, lambda: Character(changed), lambda: by_python(x, name))
        codes, is_whole = language.call(searching.mapped, (x.codes, literal(letters.table_of_change(name, x.kind_of_text))), None)
        return letters.usually(is_whole, lambda: CLASSES[x.kind_of_text](codes), lambda: by_python(x, name))

    return method


def recoded(name: str) -> Callable[..., Any]:
    """`x.encode()` of a str or `x.decode()` of bytes, where all letters are ASCII."""
    made, given = (Bytes, str) if name == "encode" else (Text, bytes)

    def method(x: Text, /, *args: Any, **kwargs: Any) -> Any:
        if kwargs or args not in ((), ("utf-8",), ("utf8",), ("ascii",), ("latin-1",)) or x.kind_of_text is not given:
            return by_python(x, name, *args, **kwargs)
        is_ascii = language.call(searching.all_have, (x.codes, literal(ASCII), True), None) == 1
        return letters.usually(is_ascii, lambda: made(array(cast(x.codes.value, made.dtype))), lambda: by_python(x, name, *args))

    return method


def title(x: Text) -> Any:
    """`x.title()`."""
    return tabled(x, "title", splitting.titled, *letters.table_of_titles())


def capitalize(x: Text) -> Any:
    """`x.capitalize()`: the first letter as at the beginning of a word, all others small."""
    first, inside, _ = letters.table_of_titles()
    return tabled(x, "capitalize", splitting.titled, first, inside, np.ones(len(first), np.bool_))


def tabled(x: Text, name: str, function: Callable[..., Any], *tables: np.ndarray, given: tuple[Any, ...] = ()) -> Any:
    """What a function makes of the letters by tables; Python's method where these do not have all of them."""
    if isinstance(x, Bytes):
        return by_python(x, name, *given)
    codes, is_whole = language.call(function, (x.codes, *map(literal, tables)), None)
    return letters.usually(is_whole, lambda: Text(codes), lambda: by_python(x, name, *given))


def padded(name: str, align: str) -> Callable[..., Any]:
    """A method that fills a text up to a width."""

    def method(x: Text, width: Any, *fillchar: Any) -> Any:
        fill = as_text(*fillchar or (" ",))
        if isinstance(x, Bytes) or not is_int(width) or not isinstance(fill, Character):
            return by_python(x, name, width, *fillchar)
        more = language.call(max, (width - x.length(), 0), None)
        before = 0 if align == "<" else more if align == ">" else more // 2 + (more & width & 1)
        return Text(language.call(splitting.between, (x.codes, fill.code, before, more), None))

    return method


def zfill(x: Text, width: Any) -> Any:
    """`x.zfill(width)`."""
    if isinstance(x, Bytes) or not is_int(width):
        return by_python(x, "zfill", width)
    return Text(language.call(splitting.zero_filled, (x.codes, width), None))


def parted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`x.partition(sep)`, or the same from the right."""

    def method(x: Text, sep: Any) -> Any:
        separator = as_text(sep, x.kind_of_text)
        if separator is None:
            return host_object(getattr(x.kind_of_text, name), x, sep, label=f"{x.kind_of_text.__name__}.{name}")
        return language.call(function, (x, separator), None)

    return method


def without(name: str, is_there: str) -> Callable[..., Any]:
    """`x.removeprefix(part)`, or the same of the end."""

    def method(x: Text, part: Any) -> Any:
        found = part_of(x, part)
        if found is None:
            return by_python(x, name, part)
        size, whole = found.length(), x.length()
        rest = (lambda: x[size:]) if is_there == "startswith" else lambda: x[: whole - size]
        return language.if_exp(x.methods[is_there](x, part), rest, lambda: x)

    return method


def join_strings(separator: Any, items: Any) -> Any:
    """`separator.join(items)` over strings that the run makes."""
    if isinstance(items, StagedScalar):
        raise TypeError(text_with_stand_ins(separator.join, items))
    parts = items if isinstance(items, TracedList) else language.call(list, (items,), None)
    for join_natively in (join_letters, join_texts, join_known):
        if (text := join_natively(separator, parts)) is not None:
            return text
    if isinstance(separator, Text):
        kind: Any = separator.kind_of_text
        return as_text(host_object(kind.join, separator, parts, label="str.join", python_type=kind), kind)
    if parts.dynamic is None and not contains_staged(parts):
        return separator.join(parts)
    part = parts if parts.dynamic is None else parts.listed()
    return as_text(host_object(separator.join, part, label="str.join", python_type=type(separator)), type(separator))


def join(separator: Text, items: Any) -> Any:
    """`separator.join(items)`."""
    return join_strings(separator, items)


def join_letters(separator: Any, items: Any) -> Text | None:
    """The letters of a native list one behind the other, with a separator of known letters between them; None for other lists."""
    if getattr(items, "kind", None) != LETTER or not items.is_native:
        return None
    codes = array(emit("list_to_array", items.native.parts[0], dims=(active().fresh_atom("d", "list"),)).result)
    between = as_text(separator)
    if between is None:
        return None
    if isinstance(separator, str) and not separator:
        return Text(codes)
    return Text(language.call(searching.spread, (codes, between.codes), None))


def join_known(separator: Any, items: Any) -> Text | None:
    """A few texts of which each is known to be one, behind each other with a separator between them; None for others."""
    kind = separator.kind_of_text if isinstance(separator, Text) else type(separator)
    if items.is_native or items.dynamic is not None or not 0 < len(items) <= MAX_ALTERNATIVES or not contains_staged((separator, items)):
        return None
    between, *found = (as_text(x, kind) for x in (separator, *items))
    if between is None or any(text is None for text in found):
        return None
    note_read(items)
    return concatenated([text for item in found for text in (between, item)][1:], CLASSES[kind])


def replace(x: Text, old: Any, new: Any, count: Any = -1) -> Any:
    """`x.replace(old, new, count)`."""
    parts = [as_text(part, x.kind_of_text) for part in (old, new)]
    made_of = CLASSES[x.kind_of_text]
    if not is_int(count) or any(part is None for part in parts):
        return by_python(x, "replace", old, new, count)
    first, second = (part.codes for part in parts if part is not None)

    def natively() -> Text:
        return made_of(language.call(splitting.replaced, (x.codes, first, second, count), None))

    if first.type.dims[0] == 0 or not isinstance(first.type.dims[0], int):
        is_some = language.compare(">", dimension(first, 0), 0)
        return letters.usually(is_some, natively, lambda: by_python(x, "replace", old, new, count))
    return natively()


def split_method(name: str, at_separator: Callable[..., Any]) -> Callable[..., Any]:
    """`x.split(sep, maxsplit)`, or the same from the right."""

    def method(x: Text, sep: Any = None, maxsplit: Any = -1) -> Any:
        separator = None if sep is None else as_text(sep, x.kind_of_text)
        is_native = is_int(maxsplit) and (sep is None or separator is not None)
        is_all = isinstance(maxsplit, int) and maxsplit < 0
        if not is_native or sep is None and name == "rsplit" and not is_all:
            return by_python(x, name, sep, maxsplit)
        if separator is not None:
            return language.call(at_separator, (x, separator, maxsplit), None)
        return language.call(splitting.split_at_spaces, (x, *tables_of_spaces(x), maxsplit), None)

    return method


def split_lines(x: Text, keepends: Any = False) -> Any:
    """`x.splitlines(keepends)`."""
    if not isinstance(keepends, (bool, int)):
        return by_python(x, "splitlines", keepends)
    return language.call(splitting.split_lines, (x, literal(letters.line_ends(x.codes.dtype)), keepends), None)


def join_texts(separator: Any, items: Any) -> Text | None:
    """The texts of a native list one behind the other, with a separator between them; None for other lists."""
    kind = getattr(type(separator), "kind_of_text", type(separator))
    if kind not in CLASSES or getattr(items, "kind", None) not in stored_texts(kind) or not items.is_native:
        return None
    note_read(items)
    dims, between = (active().fresh_atom("d", "joined"),), known_text(separator) if type(separator) is kind else separator
    made = emit("text_join", items.native.parts[0], cast(between.codes.value, CODE_POINT), dims=dims).result
    return CLASSES[kind](array(cast(made, CLASSES[kind].dtype)))


def tables_of_spaces(x: Text) -> tuple[Any, Any]:
    """A table that marks the first codes that are white space, and all of them."""
    return literal(letters.table_of_property("isspace", x.kind_of_text)), literal(letters.spaces(x.codes.dtype))


def strip(name: str, left: bool, right: bool) -> Callable[..., Any]:
    """A text without the letters at its ends that are white space, or among those given."""

    def method(x: Text, chars: Any = None) -> Any:
        given = None if chars is None else as_text(chars, x.kind_of_text)
        if chars is not None and given is None:
            return by_python(x, name, chars)
        codes = x.codes
        if given is None:
            low, high = language.call(splitting.stripped_of_spaces, (codes, *tables_of_spaces(x), left, right), None)
        else:
            low, high = language.call(searching.stripped, (codes, given.codes, left, right), None)
        return type_of_kind(x).of(language.getitem(codes, slice(low, high)))

    return method


def contains_text(container: Any, item: Any) -> Any:
    """`item in container` of a text, or of a constant one that the item is looked up in."""
    kind = container.kind_of_text if isinstance(container, Text) else type(container)
    if isinstance(item, Character) and isinstance(container, str) and len(container) <= MAX_ALTERNATIVES:
        found: Any = False
        for code in sorted(set(map(ord, container))):
            found = code_is(item, code) if found is False else either(found, code_is(item, code))
        return found
    if kind is bytes and is_int(item):
        text = as_text(container, bytes)
        assert text is not None
        check(truth(item >= 0), ValueError, "byte must be in range(0, 256)")
        check(truth(item < 256), ValueError, "byte must be in range(0, 256)")
        return language.call(searching.contains_code, (text.codes, item), None)
    text, part = as_text(container, kind), as_text(item, kind)
    if text is None or part is None:
        return host_bool(operator.contains, container, item, label="in")
    if isinstance(part, Character):
        return language.call(searching.contains_code, (text.codes, part.code), None)
    return language.call(searching.find, (text.codes, part.codes, 0, END), None) >= 0


def code_is(x: Character, code: int) -> Any:
    """Whether a letter has a code."""
    found: Any = x.code
    return found == code


def either(a: Any, b: Any) -> Any:
    """`a or b` of two truth values, both computed."""
    return scalar(emit("logical_or", lift_number(a), lift_number(b)).result, True)


Text.methods = {
    **{name: method_by_python(name) for name in (*GIVE_TEXT, *GIVE_LISTS)},
    **{name: search(name, function) for name, function in SEARCHES.items()},
    "index": index("index", searching.find),
    "rindex": index("rindex", searching.rfind),
    **{name: end(name, function) for name, function in ENDS.items()},
    **{name: test_of(name) for name in TESTS},
    **{name: change_of(name) for name in CHANGES},
    **{name: recoded(name) for name in ("encode", "decode")},
    "title": title,
    "capitalize": capitalize,
    "ljust": padded("ljust", "<"),
    "rjust": padded("rjust", ">"),
    "center": padded("center", "^"),
    "zfill": zfill,
    "partition": parted("partition", splitting.partition),
    "rpartition": parted("rpartition", splitting.partition_from_right),
    "removeprefix": without("removeprefix", "startswith"),
    "removesuffix": without("removesuffix", "endswith"),
    "split": split_method("split", splitting.split_at),
    "rsplit": split_method("rsplit", splitting.split_from_right),
    "splitlines": split_lines,
    "join": join,
    "replace": replace,
    "strip": strip("strip", True, True),
    "lstrip": strip("lstrip", True, False),
    "rstrip": strip("rstrip", False, True),
}
