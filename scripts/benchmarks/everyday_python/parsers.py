"""Programs that read text: calculators, tokenisers, JSON, CSV, Lisp, settings, numerals, patterns, templates."""

from __future__ import annotations

import random
import re

from benchmarks.everyday_python.program import Program


class Calculator:
    """Recursive descent over an expression with + - * / ** and brackets."""

    def __init__(self, text):
        self.text = text.replace(" ", "")
        self.place = 0

    def peek(self):
        return self.text[self.place] if self.place < len(self.text) else ""

    def expression(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            operator = self.peek()
            self.place += 1
            other = self.term()
            value = value + other if operator == "+" else value - other
        return value

    def term(self):
        value = self.factor()
        while self.peek() and self.peek() in "*/":
            operator = self.peek()
            self.place += 1
            other = self.factor()
            value = value * other if operator == "*" else value / other
        return value

    def factor(self):
        if self.peek() == "-":
            self.place += 1
            return -self.factor()
        if self.peek() == "(":
            self.place += 1
            value = self.expression()
            self.place += 1
            return value
        start = self.place
        while self.peek().isdigit() or self.peek() == ".":
            self.place += 1
        return float(self.text[start : self.place])


def calculate_all(lines):
    results = []
    for line in lines:
        try:
            results.append(round(Calculator(line).expression(), 6))
        except ZeroDivisionError:
            results.append(None)
    return results


def expressions(n):
    random_numbers = random.Random(1)

    def expression(depth):
        if depth == 0:
            return str(random_numbers.randint(0, 20))
        operator = random_numbers.choice("+-*/")
        return f"({expression(depth - 1)} {operator} {expression(depth - 1)})"

    return ([expression(3) for _ in range(n)],)


TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<op>==|<=|>=|[-+*/=<>(){};,]))")


def tokenise_source(source):
    tokens = []
    place = 0
    line = 1
    while place < len(source):
        match = TOKEN.match(source, place)
        if match is None:
            break
        line += source.count("\n", place, match.end())
        tokens.append((match.lastgroup, match.group(match.lastgroup), line))
        place = match.end()
    names = sorted({text for kind, text, _ in tokens if kind == "name"})
    return len(tokens), names, tokens[-1]


def source_text(n):
    return ("\n".join(f"total_{k % 7} = rate * (price{k} + {k}.5) / count; if (x <= {k}) {{ y = f(x, {k}); }}" for k in range(n)),)


def scan_words(text):
    """A tokeniser by hand: letter by letter."""
    counts = {"word": 0, "number": 0, "space": 0, "other": 0}
    words = []
    current = ""
    for letter in text:
        if letter.isalpha():
            current += letter
            continue
        if current:
            counts["word"] += 1
            words.append(current.lower())
            current = ""
        if letter.isdigit():
            counts["number"] += 1
        elif letter == " ":
            counts["space"] += 1
        else:
            counts["other"] += 1
    if current:
        words.append(current)
    return counts, words


def parse_json(text):
    """Objects, arrays, strings without escapes, numbers, true, false, null."""

    def skip(i):
        while i < len(text) and text[i] in " \n\t":
            i += 1
        return i

    def value(i):
        i = skip(i)
        if text[i] == "{":
            return members(i + 1)
        if text[i] == "[":
            return items(i + 1)
        if text[i] == '"':
            end = text.index('"', i + 1)
            return text[i + 1 : end], end + 1
        for word, meaning in (("true", True), ("false", False), ("null", None)):
            if text.startswith(word, i):
                return meaning, i + len(word)
        start = i
        while i < len(text) and text[i] in "+-0123456789.eE":
            i += 1
        number = text[start:i]
        return (float(number) if "." in number or "e" in number else int(number)), i

    def items(i):
        found = []
        i = skip(i)
        if text[i] == "]":
            return found, i + 1
        while True:
            item, i = value(i)
            found.append(item)
            i = skip(i)
            if text[i] == "]":
                return found, i + 1
            i += 1

    def members(i):
        found = {}
        i = skip(i)
        if text[i] == "}":
            return found, i + 1
        while True:
            key, i = value(i)
            i = skip(i)
            found[key], i = value(i + 1)
            i = skip(i)
            if text[i] == "}":
                return found, i + 1
            i = skip(i + 1)

    return value(0)[0]


def json_text(n):
    rows = []
    for k in range(n):
        sold = "true" if k % 2 else "null"
        rows.append(f'{{"id": {k}, "name": "item {k}", "price": {k * 0.25}, "tags": ["a", "b{k % 3}"], "sold": {sold}}}')
    return ("[" + ",\n ".join(rows) + "]",)


def parse_csv(text):
    """Rows of a table with quoted cells, and the sum of each column of numbers."""
    rows = []
    row, cell, quoted = [], [], False
    for letter in text:
        if quoted:
            if letter == '"':
                quoted = False
            else:
                cell.append(letter)
        elif letter == '"':
            quoted = True
        elif letter == ",":
            row.append("".join(cell))
            cell = []
        elif letter == "\n":
            row.append("".join(cell))
            rows.append(row)
            row, cell = [], []
        else:
            cell.append(letter)
    titles, *body = rows
    sums = {}
    for title, column in zip(titles, zip(*body)):
        try:
            sums[title] = sum(float(entry) for entry in column)
        except ValueError:
            sums[title] = None
    return len(rows), sums


def csv_text(n):
    return ("name,city,amount\n" + "".join(f'"Doe, J{k}",Town{k % 9},{k * 1.25}\n' for k in range(n)),)


def evaluate_lisp(program):
    """Read and run a small Lisp: define, lambda, if, arithmetic."""

    def read(tokens):
        token = tokens.pop(0)
        if token == "(":
            items = []
            while tokens[0] != ")":
                items.append(read(tokens))
            tokens.pop(0)
            return items
        try:
            return int(token)
        except ValueError:
            return token

    names = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "<": lambda a, b: a < b,
        "=": lambda a, b: a == b,
    }

    def run(tree, scope):
        if isinstance(tree, str):
            return scope[tree]
        if isinstance(tree, int):
            return tree
        if tree[0] == "if":
            return run(tree[2] if run(tree[1], scope) else tree[3], scope)
        if tree[0] == "define":
            names[tree[1]] = run(tree[2], scope)
            return None
        if tree[0] == "lambda":
            return lambda *values: run(tree[2], {**names, **scope, **dict(zip(tree[1], values))})
        function, *values = [run(part, scope) for part in tree]
        return function(*values)

    result = None
    for line in program.splitlines():
        result = run(read(line.replace("(", " ( ").replace(")", " ) ").split()), names)
    return result


def lisp_text(n):
    fibonacci = "(define fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))"
    return (f"{fibonacci}\n(define square (lambda (x) (* x x)))\n(square (fib {n}))",)


def read_settings(text):
    """An INI file with sections, comments, and values that refer to others."""
    settings = {}
    section = None
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            section = settings.setdefault(line[1:-1], {})
            continue
        key, _, value = line.partition("=")
        value = value.strip()
        while "${" in value:
            start = value.index("${")
            end = value.index("}", start)
            value = value[:start] + str(section[value[start + 2 : end]]) + value[end + 1 :]
        section[key.strip()] = int(value) if value.lstrip("-").isdigit() else value
    return settings


def settings_text(n):
    return ("".join(f"[part{k}]\nroot = /srv/{k}  # where\nlogs = ${{root}}/logs\nport = {8000 + k}\n\n" for k in range(n)),)


NUMERALS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]  # fmt: skip


def to_roman(number):
    text = ""
    for value, letters in NUMERALS:
        while number >= value:
            text += letters
            number -= value
    return text


def from_roman(text):
    values = {letters: value for value, letters in NUMERALS if len(letters) == 1}
    total = 0
    for letter, following in zip(text, text[1:] + " "):
        value = values[letter]
        total += -value if values.get(following, 0) > value else value
    return total


def roman_numerals(numbers):
    texts = [to_roman(number) for number in numbers]
    return max(texts, key=len), [from_roman(text) for text in texts] == numbers


def matches_here(pattern, text):
    """Patterns with . ^ $ * as Rob Pike's matcher of 1998 knows them."""
    if not pattern:
        return True
    if len(pattern) > 1 and pattern[1] == "*":
        return matches_star(pattern[0], pattern[2:], text)
    if pattern == "$":
        return not text
    if text and pattern[0] in (".", text[0]):
        return matches_here(pattern[1:], text[1:])
    return False


def matches_star(letter, pattern, text):
    while True:
        if matches_here(pattern, text):
            return True
        if not text or letter not in (".", text[0]):
            return False
        text = text[1:]


def search_lines(pattern, lines):
    found = []
    for number, line in enumerate(lines, 1):
        if pattern.startswith("^"):
            hit = matches_here(pattern[1:], line)
        else:
            hit = any(matches_here(pattern, line[k:]) for k in range(len(line) + 1))
        if hit:
            found.append(number)
    return found


def fill_template(template, records):
    """Replace {{name}} and {{name|upper}} in a text for every record."""
    pages = []
    for record in records:
        page = []
        for k, part in enumerate(template.split("{{")):
            if k == 0:
                page.append(part)
                continue
            name, _, rest = part.partition("}}")
            name, _, change = name.partition("|")
            value = str(record.get(name.strip(), "?"))
            page.append((value.upper() if change == "upper" else value) + rest)
        pages.append("".join(page))
    return pages


def records_for_template(n):
    template = "Dear {{name|upper}},\nyour order {{number}} of {{day}} ({{what}}) is on its way.\n"
    return template, [{"name": f"client {k}", "number": k, "day": f"{k % 28 + 1}.11."} for k in range(n)]


PROGRAMS = (
    Program(calculate_all, expressions, 100, 3),
    Program(tokenise_source, source_text, 200, 3),
    Program(scan_words, lambda n: ("It was the 7th day, and nobody had come. " * n,), 60, 1),
    Program(parse_json, json_text, 120, 2),
    Program(parse_csv, csv_text, 300, 3),
    Program(evaluate_lisp, lisp_text, 9, 3),
    Program(read_settings, settings_text, 200, 3),
    Program(roman_numerals, lambda n: (list(range(1, n)),), 1500, 20),
    Program(search_lines, lambda n: ("a.*b$", [f"{'xay' * (k % 5)}zz{k}b" for k in range(n)]), 120, 5),
    Program(fill_template, records_for_template, 300, 3),
)
