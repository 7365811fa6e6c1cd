"""Programs of numbers that are classes: vectors, complex numbers, fractions, polynomials, matrices."""

from __future__ import annotations

import math
from functools import total_ordering

from benchmarks.everyday_python.program import Program


class Vector:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def __abs__(self):
        return math.sqrt(self.dot(self))


def orbit_of_vectors(steps, dt):
    place, speed = Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.1)
    furthest = 0.0
    for _ in range(steps):
        pull = -1.0 / abs(place) ** 3 * place
        speed = speed + pull * dt
        place = place + speed * dt
        furthest = max(furthest, abs(place))
    return place.x, place.y, place.z, furthest


class Complex:
    def __init__(self, re, im=0.0):
        self.re = re
        self.im = im

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    @property
    def size(self):
        return self.re * self.re + self.im * self.im


def mandelbrot_text(width, height, most):
    rows = []
    for j in range(height):
        row = ""
        for i in range(width):
            c = Complex(3.0 * i / width - 2.0, 2.0 * j / height - 1.0)
            z = Complex(0.0)
            count = 0
            while z.size <= 4.0 and count < most:
                z = z * z + c
                count += 1
            row += "#" if count == most else "." if count > 4 else " "
        rows.append(row)
    return "\n".join(rows)


@total_ordering
class Fraction:
    def __init__(self, top, bottom=1):
        if bottom == 0:
            raise ZeroDivisionError("a fraction by zero")
        divisor = math.gcd(top, bottom)
        sign = -1 if bottom < 0 else 1
        self.top = sign * top // divisor
        self.bottom = sign * bottom // divisor

    def __add__(self, other):
        return Fraction(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __sub__(self, other):
        return Fraction(self.top * other.bottom - other.top * self.bottom, self.bottom * other.bottom)

    def __truediv__(self, other):
        return Fraction(self.top * other.bottom, self.bottom * other.top)

    def __eq__(self, other):
        return self.top == other.top and self.bottom == other.bottom

    def __lt__(self, other):
        return self.top * other.bottom < other.top * self.bottom

    def __hash__(self):
        return hash((self.top, self.bottom))

    def __repr__(self):
        return f"{self.top}/{self.bottom}"


def egyptian_fractions(limit):
    """Every proper fraction as a sum of fractions 1/n, by Fibonacci's greedy method."""
    found = {}
    for bottom in range(2, limit):
        for top in range(2, bottom):
            rest = Fraction(top, bottom)
            parts = []
            while rest > Fraction(0):
                part = Fraction(1, -(-rest.bottom // rest.top))
                parts.append(part.bottom)
                rest = rest - part
            found[repr(Fraction(top, bottom))] = parts
    return max(found.values(), key=len), len(found)


class Polynomial:
    def __init__(self, *coefficients):
        self.coefficients = list(coefficients)

    def __call__(self, x):
        value = 0
        for coefficient in reversed(self.coefficients):
            value = value * x + coefficient
        return value

    def __add__(self, other):
        longer, shorter = sorted((self.coefficients, other.coefficients), key=len, reverse=True)
        return Polynomial(*(a + (shorter[k] if k < len(shorter) else 0) for k, a in enumerate(longer)))

    def __mul__(self, other):
        product = [0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                product[i + j] += a * b
        return Polynomial(*product)

    def derivative(self):
        return Polynomial(*[k * a for k, a in enumerate(self.coefficients)][1:])

    def __str__(self):
        return " + ".join(f"{a}x^{k}" for k, a in enumerate(self.coefficients) if a)


def polynomial_powers(n, x):
    one, base = Polynomial(1), Polynomial(1, 2, -1)
    power, total = one, Polynomial(0)
    for _ in range(n):
        power = power * base
        total = total + power
    return str(total.derivative())[:200], total(x), len(total.coefficients)


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @classmethod
    def identity(cls, n):
        return cls([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, place):
        i, j = place
        return self.rows[i][j]

    def __setitem__(self, place, value):
        i, j = place
        self.rows[i][j] = value

    def __matmul__(self, other):
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"{self.shape} times {other.shape}")
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in columns] for row in self.rows])

    def transpose(self):
        return Matrix(zip(*self.rows))

    def determinant(self):
        work = Matrix(self.rows)
        n, result = self.shape[0], 1.0
        for k in range(n):
            pivot = max(range(k, n), key=lambda i: abs(work[i, k]))
            if work[pivot, k] == 0.0:
                return 0.0
            if pivot != k:
                work.rows[k], work.rows[pivot] = work.rows[pivot], work.rows[k]
                result = -result
            result *= work[k, k]
            for i in range(k + 1, n):
                factor = work[i, k] / work[k, k]
                for j in range(k, n):
                    work[i, j] -= factor * work[k, j]
        return result


def matrix_powers(rows, power):
    base, result = Matrix(rows), Matrix.identity(len(rows))
    while power:
        if power % 2:
            result = result @ base
        base = base @ base
        power //= 2
    return result.rows, (result @ result.transpose()).determinant()


PROGRAMS = (
    Program(orbit_of_vectors, lambda n: (n, 0.001), 3000, 10),
    Program(mandelbrot_text, lambda n: (2 * n, n, 30), 22, 4),
    Program(egyptian_fractions, lambda n: (n,), 22, 6),
    Program(polynomial_powers, lambda n: (n, 3), 40, 4),
    Program(matrix_powers, lambda n: ([[((i * 3 + j * 5) % 7) / 30 for j in range(n)] for i in range(n)], 9), 10, 3),
)
