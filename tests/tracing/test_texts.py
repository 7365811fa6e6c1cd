"""Texts as data: operations of str and bytes on texts that only the run knows give what Python gives, for NUL and surrogates too."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import chain, groupby, pairwise
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tracing.texts.letters import line_ends, spaces
from tests.tables import table

TEXTS = ("", "a", "abcabc", "Hello, World", "  x \t", "aé€😀\ud800\x00z", "ÀÉß", "-12", "ſıİ", "AbC dEf")
BYTES = (b"", b"a", b"abcabc", b"  x \t", bytes(range(0, 256, 5)), b"-12")


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, or the type and text of what it raises."""
    try:
        return f(*args)
    except Exception as error:
        return type(error), str(error)


def expect_python(f: Callable[..., Any], texts: Any, others: Any) -> None:
    """One compiled program gives for all these texts what Python gives."""
    compiled = ag.compile(f, fallback="error")
    for number, s in enumerate(texts):
        for t, i in ((others[0], 1), (others[1], 0), (texts[(7 * number + 3) % len(texts)], 2), (s, -1)):
            assert repr(outcome(compiled, s, t, i)) == repr(outcome(f, s, t, i)), (s, t, i)
    assert compiled.explain(texts[0], others[0], 1).count("\nprogram ") <= 3  # ints 0 and 1 may have programs of their own


def parts(s: Any, t: Any, i: int) -> Any:
    return s[i:], s[:i], s[::-1], s[i::2], s[-3:-1], s[:: i or 1], s * i, i * s, s + t, t + s + t, len(s), bool(s), not s, s and t, s or t


def order(s: Any, t: Any, i: int) -> Any:
    return s == t, s != t, s < t, s <= t, s > t, s >= t, s == s, s == 5, s == None, s is s, t in s, s[:1] in s, s in (t, s), s[:2] == t[:2]  # noqa: E711


def searches(s: Any, t: Any, i: int) -> Any:
    n = len(s), len(t)
    found = s.find(t), s.rfind(t), s.find(t, i), s.find(t, 1, i), s.count(t), s.count(t, 1), s.count(t, i, -1)
    return n, found, s.startswith(t), s.endswith(t), s.startswith(t, i), s.endswith(t, 0, i), s.startswith((t, t[:1]))


def copies(s: Any, t: Any, i: int) -> Any:
    n = len(s), len(t)
    stripped = s.strip(), s.lstrip(), s.rstrip(), s.strip(t)
    return n, stripped, s.lower(), s.upper(), s.replace(t, s), s.split(), s.title(), s.swapcase(), s.capitalize(), s.zfill(4 * i)


def apart(s: Any, t: Any, i: int) -> Any:
    n = len(s), len(t)
    filled = s.ljust(8 * i), s.rjust(7), s.center(9 + i), s.center(10, t[:1] or s[:0] + s[:1] or t[:0])
    return n, filled, s.partition(t or s), s.rpartition(t or s), s.removeprefix(t), s.removesuffix(t)


def laid_out(s: str, t: str, i: int) -> Any:
    n = i * 12345 - 7
    other = "%-6s|%05d|%%" % (s, n), "{1:>8}{0}{a!s:5}".format(s, n, a=t)  # noqa: UP032
    return f"{s:<9}|{s:>{8}}|{s:*^7.2}", f"{n:6d}|{n:+d}|{n:08d}|{n:#X}|{n:^+12,}", other


def decimal_places(s: str, t: str, i: int) -> Any:
    x, n = i * 1234.5678 - 0.125, len(s)
    return n, f"{x:<+9.1f}|{x:010.3f}|{x:,.1%}", f"{i * 0.5:.0f}", f"{x * 1e18:.1f}", "%5.2f" % x, format(i / 3, ".15f")


CIPHER = str.maketrans("abcé", "bcde", "l")


def letters(s: str, t: str, i: int) -> Any:
    cases = [c.upper() for c in s], [c.lower() for c in s], [c * i for c in s], [c + t for c in s], [f"{c}{i}" for c in s]
    tests = [(c.isdigit(), c.isalpha(), c.isalnum(), c.isspace(), c.isupper(), c.islower()) for c in s]
    return cases, tests, [ord(c) for c in s], [c in "aeiou" for c in s], [c in t for c in s], [c < "m" for c in s], [c == t for c in s]


def of_constants(s: Any, t: Any, i: int) -> Any:
    n = len(s)
    whole, dash = ("spring", "-") if isinstance(s, str) else (b"spring", b"-")
    padded = whole.ljust(n + 3) + (dash * n).center(9) + n * whole, dash * (i - 1), dash * (n > 2), whole * i
    return padded, whole.find(s), whole.count(s[:1], i), whole.replace(dash, s), whole.partition(s or t or dash), whole.strip(s)


def whole(s: str, t: str, i: int) -> Any:
    n = len(s), len(t)
    tests = s.translate(CIPHER), s.isdecimal(), s.isprintable(), s.isascii()
    return n, tests, s.isdigit(), s.isalpha(), s.isalnum(), s.isspace(), s.isupper(), s.islower()


def built(s: str, t: str, i: int) -> Any:
    n = len(s), len(t)
    out = ""
    for c in s:
        out += c + t
    text = f"{s}{i}:{t!r}{i:03d}", str(i), str(-i * 1000), str(s), "%s=%d" % (s, i), "{}-{}".format(s, i)  # noqa: UP032
    return n, out, text, chr(i + 100), "".join([c for c in s]), "-".join([c for c in s]), t.join(c for c in s), s.join("xyz")


def gone_through(s: Any, t: Any, i: int) -> Any:
    made = list(s), tuple(s), sorted(s), sorted(s, reverse=True), list(reversed(s)), list(enumerate(s)), list(zip(s, t))
    return made, [s[j] for j in range(len(s))], [s[j : j + 2] for j in range(len(s))], sorted(s) == sorted(t), sum(1 for x in s if x == t)


def looked_up(s: str, t: str, i: int) -> Any:
    n = len(s), len(t)
    table = {"a": 1, "abcabc": 2}
    return n, table.get(s, 3), s in table, {s: i}, (s, t), [s, t], s in {"a"}, hash(s) == hash(t)


@ag.do_not_convert
def made_by_python(i: int) -> str:
    return chr(i + 97)


def of_bytes(s: bytes, t: bytes, i: int) -> Any:
    made = bytes(list(s)), bytes([x ^ 1 for x in s]), bytes(x for x in s), bytearray(s), s.hex(), s.decode("latin-1") + "x", s.join([t, t])
    codes = sum(s), int.from_bytes(s, "big"), [ord(bytes((x,))) for x in s], ord(made_by_python(i))
    return [x + 1 for x in s], codes, 97 in s, made, f"{s!r}", isinstance(s, bytes), [x for x in t if x in s]


def words_of(data: bytes, low: int, count: int) -> Any:
    sums = [0, 0, 0]
    for k in range(low, len(data), 4):
        word, short = data[k : k + 4], data[k : k + 3]
        sums[0] = (sums[0] * 31 ^ int.from_bytes(word, "big")) & 0xFFFFFFFF
        sums[1] += int.from_bytes(short + bytes(3 - len(short)), "little")
        sums[2] += int.from_bytes(data[k - low : k - low + 7], byteorder="little") & 0xFFF
    return sums, int.from_bytes(data[low : low + count], "big"), int.from_bytes(data[-3:-1])


def bytes_of_numbers(n: int, few: int) -> Any:
    made = [(n >> 8 * k & 255).to_bytes() for k in range(few)]
    return made, n.to_bytes(4, "big"), n.to_bytes(8, "little"), (n & 0xFFFFFF).to_bytes(3, byteorder="little"), bytes(few), n.to_bytes(9)


def test_numbers_are_read_from_bytes_and_made_to_bytes() -> None:
    words = [(data * 9, low, count) for data in BYTES for low in (0, 1, 3) for count in (0, 1, 7, 8, 20)]
    numbers = [(n, few) for n in (0, 1, 255, 65536, 2**32 - 1, 2**32, 2**60, -1, -300) for few in (0, 5)]
    # Python takes bytes of which only the run knows how many there are, and nine of a number.
    for f, calls, by_python in ((words_of, words, "from_bytes"), (bytes_of_numbers, [*numbers, (3, -1)], "to_bytes")):
        compiled = ag.compile(f, fallback="error")
        for arguments in calls:
            assert outcome(compiled, *arguments) == outcome(f, *arguments), arguments
        assert re.findall('label = "(?:int.)?([^"]*bytes)"', compiled.graph(*calls[-2])) == [by_python]


def written(s: str, t: str, i: int) -> Any:
    n = len(s), len(t)
    numbers = hex(i), oct(i * 99), bin(-i), str(i > 0), repr(i), repr(i == 1), f"{i > 1}{s!r:>9}", "%s|%4s|%-6s|%.1s" % (i > 0, i, i > 1, i)
    joined = ", ".join([s, "x", t]), s.join((t, t)), "".join([s[:1], t]), t.join([s]), "-".join(f"{k}{s}" for k in range(3))
    return n, numbers, joined, repr(s), s.isascii(), [x.isascii() for x in s]


def of_none(s: str, t: str, i: int) -> Any:
    made, last, place = [], None, None
    for k, x in enumerate(s):
        made += [f"{last}{x}", str(last), repr(last), f"{last!r:>5}{place}", str(place)]
        last, place = x, k
    return made


def read(s: str, t: str, i: int) -> Any:
    made = []
    for part in (s, s[1:], s[:1], f"{s}f", f"-{i}{i}", "f" * (15 * i), "7" * (15 + i)):
        for base in (2, 10, 16, 36):
            try:
                made.append((int(part, base), int(part, base=base)))
            except ValueError as error:
                made.append(str(error))
    return made


def runs(s: str, t: str, i: int) -> Any:
    return "".join(f"{len(list(group))}{letter}" for letter, group in groupby(s)), list(pairwise(s)), [x for x in chain(s, t) if x != "b"]


WRITTEN = [written, of_none, read, runs]
OF_STRS = [of_constants, parts, order, searches, copies, apart, laid_out, decimal_places, letters, whole, built, gone_through, looked_up]


@table("f", [*WRITTEN, *OF_STRS], ids=lambda f: f.__name__)
def test_texts_give_what_python_gives(f: Callable[..., Any]) -> None:
    expect_python(f, TEXTS, ("b", ""))


@table("f", [of_constants, parts, order, searches, copies, apart, gone_through, of_bytes], ids=lambda f: f.__name__)
def test_bytes_give_what_python_gives(f: Callable[..., Any]) -> None:
    expect_python(f, BYTES, (b"b", b""))


ERRORS: dict[str, Callable[..., Any]] = {
    "index": lambda s, t, i: s[len(t) + i],
    "text times a float": lambda s, t, i: (len(s), "-" * (i + 0.5)),
    "index in a constant": lambda s, t, i: "banana".index(s),
    "known index": lambda s, t, i: (len(s), s[2]),
    "float index": lambda s, t, i: (len(s), s[1.5]),
    "text index": lambda s, t, i: (len(s), s["a"]),
    "zero step": lambda s, t, i: s[:: i - i],
    "substring": lambda s, t, i: s.index(t),
    "last substring": lambda s, t, i: s.rindex(t, i),
    "sum with a number": lambda s, t, i: (len(s), s + 5),
    "order of another type": lambda s, t, i: (len(s), s < 5),
    "difference": lambda s, t, i: (len(s), s - t),
    "attribute": lambda s, t, i: (len(s), s.foo),
    "search for a number": lambda s, t, i: (len(s), s.find(5)),
    "number in a text": lambda s, t, i: (len(s), 5 in s),
    "int": lambda s, t, i: int(s),
    "float": lambda s, t, i: float(s),
    "separator": lambda s, t, i: s.partition(t[:0]),
    "fill": lambda s, t, i: s.ljust(9, s + t),
    "width": lambda s, t, i: s.center(t),
    "format": lambda s, t, i: f"{len(s):.3d}",
    "ord": lambda s, t, i: ord(s),
    "chr": lambda s, t, i: (len(s), chr(i + 1114110), chr(i - 1)),
    "max": lambda s, t, i: max(s),
    "key": lambda s, t, i: (len(s), {"a": 1}[s[:1]]),
}


@table("name", ERRORS)
def test_errors_of_texts_are_pythons(name: str) -> None:
    expect_python(ERRORS[name], TEXTS, ("b", ""))


def test_one_program_is_for_all_texts() -> None:
    def count(s: str, c: str) -> int:
        n = 0
        for x in s:
            if x == c:
                n += 1
        return n

    compiled = ag.compile(count, fallback="error")
    for text in ("banana", "", "x" * 5000, "ä\x00"):
        assert compiled(text, "a") == text.count("a")
    report = compiled.explain("banana", "a")
    assert report.count("\nprogram ") == 1
    assert "host calls    none" in report
    framed = ag.compile(lambda s: ("-" * len(s) + "ab".center(3 * len(s)), "spring".find(s)), fallback="error")
    assert framed("rin") == ("---    ab   ", 2)
    assert "host calls    none" in framed.explain("rin")


def test_text_that_is_changed_before_it_is_looked_into_is_data() -> None:
    compiled = ag.compile(lambda s: len(s.lower().strip().split()), fallback="error")
    assert [compiled(text) for text in ("A b C", " D", "", "e f g h")] == [3, 1, 0, 4]
    assert compiled.explain("x").count("\nprogram ") == 1


def host_calls(compiled: Any, *args: Any) -> list[str]:
    """The labels of the calls of Python that a program makes, but for letters that are rare."""
    calls = [line for line in compiled.graph(*args).split("\n") if "host_call" in line and "rare = True" not in line]
    return [line.split('label = "')[1].split('"')[0] for line in calls]


def test_texts_are_written_and_read_without_python() -> None:
    for f in (written, of_none, lambda s, t, i: [int(x, 16) for x in s], lambda s, t, i: (len(s), s.encode().decode())):
        compiled = ag.compile(f, fallback="error")
        assert compiled("12", "b", 1) == f("12", "b", 1)
        assert host_calls(compiled, "12", "b", 1) == []


def test_spaces_and_line_ends_are_those_of_single_letters() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    assert spaces(np.dtype(np.uint32)).tolist() == [ord(x) for x in every if x.isspace()]
    assert line_ends().tolist() == [ord(x) for x in every if len(f"a{x}a".splitlines()) == 2]


def test_search_between_objects_is_one_call_of_python() -> None:
    def f(s: str, pattern: Any) -> Any:
        found = pattern.search(s)
        ends = s.startswith("a", found.start()), s.endswith(("b", "c"), 0, found.end())
        return s.count("b", 1, found.end()) + s.find("c", found.start()) + len(s), s.index("b", found.end()), ends

    compiled, pattern = ag.compile(f, fallback="error"), re.compile("(?=a)a.")  # which has no program
    for text in ("xabbc", "abc", "a", "", "ab\u20acb"):
        assert outcome(compiled, text, pattern) == outcome(f, text, pattern)
    labels = host_calls(compiled, "xabbc", pattern)
    assert [label for label in labels if label.startswith(("str.", "operator"))] == [
        "str.startswith", "str.endswith", "str.endswith", "str.count", "str.find", "str.index",
    ]  # fmt: skip


def test_text_that_an_iterator_goes_through_is_data() -> None:
    compiled = ag.compile(lambda s: [(letter, len(list(group))) for letter, group in groupby(s)], fallback="error")
    assert [compiled(text) for text in ("aab", "", "x")] == [[("a", 2), ("b", 1)], [], [("x", 1)]]
    assert compiled.explain("x").count("\nprogram ") == 1


def test_option_that_is_only_compared_stays_a_constant() -> None:
    def scaled(x: float, mode: str = "double") -> float:
        return 2 * x if mode == "double" else x

    compiled = ag.compile(scaled, fallback="error")
    assert (compiled(3.0), compiled(3.0, "single"), compiled(3.0, mode="double")) == (6.0, 3.0, 6.0)
    assert "mode == 'single'" in compiled.explain(3.0, "single")


def test_text_in_an_attribute_is_data() -> None:
    class Reader:
        def __init__(self, text: str) -> None:
            self.text, self.position = text, 0

        def peek(self) -> str:
            return self.text[self.position] if self.position < len(self.text) else ""

        def number(self) -> int:
            value = 0
            while self.peek().isdigit():
                value = 10 * value + int(self.peek())
                self.position += 1
            return value

    def total(reader: Reader) -> int:
        found = reader.number()
        while reader.peek() == "+":
            reader.position += 1
            found += reader.number()
        return found

    compiled = ag.compile(total, fallback="error")
    for text in ("1+23+456", "7", "", "12+x"):
        assert compiled(Reader(text)) == total(Reader(text))


def test_text_that_grows_keeps_those_that_it_grew_from() -> None:
    def f(s: str) -> Any:
        out, kept = "", ""
        for c in s:
            before = out
            out += c
            other = before + "!"
            if c == "k":
                kept = before
        return out, other, kept, before

    compiled = ag.compile(f, fallback="error")
    for text in ("abkcd", "a", "kk" * 100):
        assert compiled(text) == f(text)


def test_part_of_an_array_is_copied_backwards() -> None:
    """LLVM ended the process for a loop of few trips at most that goes backwards."""

    def f(s: str) -> str:
        return s[:30][::-1]

    compiled = ag.compile(f, fallback="error")
    for text in ("", "abc", "xyz" * 20):
        assert compiled(text) == f(text)


@pytest.mark.parametrize("number", [0, 7, -7, 10, 99, -100, 2**40, -(2**40), 2**62 - 1])
def test_digits_of_a_number_are_pythons(number: int) -> None:
    def f(n: int) -> tuple[str, str, int]:
        return str(n), f"<{n}>", int(str(n))

    assert ag.compile(f, fallback="error")(number) == f(number)


FLOATS = """1.5 -0 +.5 5. 00012.500 1e5 1E-5 -2.5e+3 1e22 1e23 9007199254740992 9007199254740993
123456789012345678 0.1234567890123456 1e-400 nan inf 1_0.5 1e 1e+ e5 . - 1.2.3 1,5 --1 1e5.5 1e400 \u0663 .e5""".split()


@pytest.mark.native
def test_floats_are_those_that_python_reads() -> None:
    read = ag.compile(lambda texts: [float(text) for text in texts], fallback="error")
    for text in (*FLOATS, "", " 1.5 ", repr(2 / 3), f"{2 / 3:.15g}"):
        results = []
        for reads in (read, lambda texts: [float(text) for text in texts]):
            try:
                results.append(repr(reads(["2.25", text] * 5)))
            except ValueError as error:
                results.append(str(error))
        assert results[0] == results[1], text
    assert "host calls    float" in read.explain(["1.5"] * 10) and "1 program" in read.explain(["1.5"] * 10)
