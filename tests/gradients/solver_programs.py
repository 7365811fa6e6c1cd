"""Programs to differentiate: integrators, roots and fixed points, line searches, optimisers, quadrature."""

from __future__ import annotations

import math

import numpy as np

from tests.gradients.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


DORMAND = (
    (0.2,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
)


@program(lambda: (fl(1.0, 0.3), fl(1.1, 0.4, 0.7)), 0, 1)
def adaptive_bogacki_shampine(y, p):
    def f(t, y):
        return np.array([p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[1] * y[0] * y[1] + 0.1 * np.sin(t)])

    t, h, end = 0.0, 0.3, 2.0
    k1 = f(t, y)
    while t < end:
        h = min(h, end - t)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + 3 * h / 4, y + 3 * h / 4 * k2)
        new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = f(t + h, new)
        error = np.linalg.norm(h * (-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8))
        if error <= 1e-3:
            t, y, k1 = t + h, new, k4
        h *= min(2.0, max(0.3, 0.9 * (1e-3 / (error + 1e-12)) ** (1 / 3)))
        if end - t < 1e-12:
            break
    return y, t


@program(lambda: (fl(0.4, 0.2, -0.1), 0.3), 0, 1)
def runge_kutta_with_a_table(y, rate):
    h = 0.15
    for _ in range(3):
        stages = [rate * np.sin(y) + y[::-1] ** 2]
        for row in DORMAND:
            point = y.copy()
            for weight, stage in zip(row, stages):
                point += h * weight * stage
            stages.append(rate * np.sin(point) + point[::-1] ** 2)
        y = y + h * (0.1 * stages[0] + 0.3 * stages[1] + 0.4 * stages[2] + 0.2 * stages[3])
    return y


@program(lambda: (fl(1.0, 0.0), 2.3, 0.1), 0, 1, 2)
def leapfrog_of_a_pendulum(state, k, damping):
    q, p = state
    dt = 0.05
    for _ in range(20):
        p = p - 0.5 * dt * (k * math.sin(q) + damping * p)
        q = q + dt * p
        p = p - 0.5 * dt * (k * math.sin(q) + damping * p)
    return q, p, 0.5 * p * p - k * math.cos(q)


@program(lambda: (fl(0.5, 0.2, 0.9), fl(0.3, 1.2)), 0, 1)
def implicit_euler_with_newton(y, p):
    n = len(y)
    for _ in range(3):
        z = y.copy()
        for _ in range(10):
            residual = z - y - 0.1 * (p[0] * np.roll(z, 1) - p[1] * z**3)
            jacobian = np.eye(n) * (1 + 0.3 * p[1] * z**2) - 0.1 * p[0] * np.roll(np.eye(n), 1, axis=0)
            step = np.linalg.solve(jacobian, residual)
            z -= step
            if np.abs(step).max() < 1e-11:
                break
        y = z
    return y


@program(lambda: (0.8, 1.7), 0, 1)
def event_located_by_bisection(speed, gravity):
    def height(t):
        return 1.0 + speed * t - 0.5 * gravity * t * t

    low, high = 0.0, 10.0
    while high - low > 0.5:
        middle = 0.5 * (low + high)
        if height(middle) > 0:
            low = middle
        else:
            high = middle
    t = 0.5 * (low + high)
    for _ in range(6):
        t = t - height(t) / (speed - gravity * t)
    return t, speed * t


@program(lambda: (fl(2.0, 0.7, 5.0),))
def cube_roots_by_halley(a):
    out = np.empty_like(a)
    for i, v in enumerate(a):
        x = v
        while True:
            step = x * (x**3 - v) / (2 * x**3 + v) * 1.5
            x = x - step * (2 / 1.5) * 0.75
            if abs(step) < 1e-11:
                break
        out[i] = x
    return out


@program(lambda: (rnd(1, 3, 3) * 0.3, rnd(2, 3)), 0, 1)
def deep_equilibrium(w, b):
    z, old = np.zeros(3), np.ones(3)
    trips = 0
    while np.max(np.abs(z - old)) > 1e-13 and trips < 200:
        old = z
        z = np.tanh(w @ z + b)
        trips += 1
    return z


@program(lambda: (rnd(3, 3, 3) * 0.2, rnd(4, 3)), 0, 1)
def anderson_acceleration(w, b):
    x = np.zeros(3)
    xs, gs = [x], [np.tanh(w @ x + b)]
    x = gs[0]
    for _ in range(5):
        g = np.tanh(w @ x + b)
        f, f_old = g - x, gs[-1] - xs[-1]
        d = f - f_old
        theta = (f @ d) / (d @ d + 1e-3)
        xs.append(x)
        gs.append(g)
        x = g - theta * (g - gs[-2])
    return x


@program(lambda: (fl(-1.0, 1.2),))
def backtracking_line_search(x):
    def rosenbrock(x):
        return (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2

    for _ in range(3):
        g = np.array([-2 * (1 - x[0]) - 20 * x[0] * (x[1] - x[0] ** 2), 10 * (x[1] - x[0] ** 2)])
        t, f = 1.0, rosenbrock(x)
        while rosenbrock(x - t * g) > f - 0.5 * t * np.dot(g, g):
            t *= 0.7
            if t < 1e-6:
                return x
        x = x - t * g
    return x


@program(lambda: (fl(0.4, 1.3, -0.2), 0.02), 0, 1)
def adam_by_hand(x, rate):
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t in range(1, 9):
        g = np.sin(x) + 0.2 * x[::-1]
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        x = x - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-3)
    return x


@program(lambda: (fl(0.4, 1.3, -0.2), fl(0.1, 0.9)), 0, 1)
def nesterov_in_place(x, hyper):
    v = np.zeros(3)
    for _ in range(6):
        g = np.cos(x + hyper[1] * v) * 0.5 + 0.1
        v *= hyper[1]
        v -= hyper[0] * g
        x += v
    return x, v


@program(lambda: (fl(0.9, -0.4), rnd(5, 2, 2)), 0, 1)
def bfgs_steps(x, a):
    s = a @ a.T + 2 * np.eye(2)

    def gradient(x):
        return s @ x + 0.3 * np.cos(x)

    h = np.eye(2) * 0.3
    g = gradient(x)
    for _ in range(4):
        step = -h @ g
        x = x + step
        new = gradient(x)
        y = new - g
        rho = 1 / (y @ step)
        left = np.eye(2) - rho * np.outer(step, y)
        h = left @ h @ left.T + rho * np.outer(step, step)
        g = new
        if g @ g < 1e-12:
            break
    return x, h


@program(lambda: (rnd(6, 4), rnd(7, 4, 3)), 0, 1)
def gauss_newton(y, x):
    p = np.zeros(3)
    for _ in range(3):
        e = np.exp(0.3 * x @ p)
        jacobian = 0.3 * e[:, None] * x
        normal = jacobian.T @ jacobian + 0.5 * np.eye(3)
        p = p - np.linalg.solve(normal, jacobian.T @ (e - y))
    return p


@program(lambda: (fl(0.7, 0.2), 1.9), 0, 1)
def golden_section(p, high):
    ratio = (math.sqrt(5) - 1) / 2
    low = 0.0
    for _ in range(6):
        c, d = high - ratio * (high - low), low + ratio * (high - low)
        if (c - p[0]) ** 2 + p[1] * c < (d - p[0]) ** 2 + p[1] * d:
            high = d
        else:
            low = c
    x = 0.5 * (low + high)
    return (x - p[0]) ** 2 + p[1] * x


@program(lambda: (fl(0.3, 2.2), 3), twice=True)
def romberg(p, levels):
    def f(t):
        return math.exp(-p[0] * t) * math.cos(p[1] * t)

    table = np.zeros((levels + 1, levels + 1))
    h = 1.5
    table[0, 0] = 0.5 * h * (f(0.0) + f(h))
    for i in range(1, levels + 1):
        h *= 0.5
        total = 0.0
        for k in range(1, 2**i, 2):
            total += f(k * h)
        table[i, 0] = 0.5 * table[i - 1, 0] + h * total
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4**j - 1)
    return table[levels, levels]


@program(lambda: (fl(1.2, 0.4, 0.8),))
def secant_inside_a_loop_over_parameters(p):
    total = 0.0
    for v in p:
        a, b = 0.0, 1.0
        fa, fb = math.cos(a) - v * a, math.cos(b) - v * b
        n = 0
        while abs(fb) > 1e-12 and n < 60:
            a, b = b, b - fb * (b - a) / (fb - fa)
            fa, fb = fb, math.cos(b) - v * b
            n += 1
        total += b * b
    return total


@program(lambda: (rnd(8, 4, 4), rnd(9, 4)), 0, 1)
def jacobi_iterations(a, b):
    s = 0.1 * a + 2 * np.eye(4)
    x = np.zeros(4)
    for _ in range(8):
        new = np.empty(4)
        for i in range(4):
            total = b[i]
            for j in range(4):
                if i != j:
                    total -= s[i, j] * x[j]
            new[i] = total / s[i, i]
        x = new
    return x


@program(lambda: (rnd(10, 4, 4), rnd(11, 4), 1.1), 0, 1, 2)
def over_relaxation_until_it_converges(a, b, omega):
    s = a @ a.T + 4 * np.eye(4)
    x = np.zeros(4)
    change, trips = 1.0, 0
    while change > 1e-10 and trips < 100:
        change = 0.0
        for i in range(4):
            old = x[i]
            x[i] = (1 - omega) * old + omega * (b[i] - s[i, :i] @ x[:i] - s[i, i + 1 :] @ x[i + 1 :]) / s[i, i]
            change = max(change, abs(x[i] - old))
        trips += 1
    return x


@program(lambda: (rnd(12, 4, 4), rnd(13, 4)), 0, 1)
def gmres_like_projection(a, b):
    s = a + 4 * np.eye(4)
    basis = [b / np.linalg.norm(b)]
    for _ in range(2):
        w = s @ basis[-1]
        for q in basis:
            w = w - (q @ w) * q
        basis.append(w / np.linalg.norm(w))
    q = np.stack(basis, axis=1)
    return q @ np.linalg.solve(q.T @ s @ q, q.T @ b)


@program(lambda: (fl(0.2, 0.9, 1.4), 0.25), 0, 1)
def proximal_gradient_with_soft_threshold(x, penalty):
    for _ in range(5):
        z = x - 0.3 * (x - np.array([1.0, 0.1, 2.0]))
        x = np.sign(z) * np.maximum(np.abs(z) - 0.3 * penalty, 0)
    return x


@program(lambda: (0.3, 4.0, 12), 0, 1)
def logistic_map(x, r, n):
    path = []
    for _ in range(n):
        x = 0.8 * r * x * (1 - x)
        path.append(x)
    return sum(path) / len(path), path[-1]


@program(lambda: (fl(0.1, 0.4), 0.9), 0, 1)
def continued_fraction(x, a):
    total = a
    k = 8
    while k > 0:
        total = k + x[k % 2] / total
        k -= 1
    return total


@program(lambda: (fl(0.5, 1.5),), twice=True)
def arithmetic_geometric_mean(x):
    a, b = x[0], x[1]
    while abs(a - b) > 1e-14:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return np.pi / (2 * a)


@program(lambda: (0.7, 0.4), 0, 1)
def series_until_it_is_small(x, nu):
    term, total, k = 1.0, 1.0, 0
    while abs(term) > 1e-16:
        k += 1
        term *= -0.25 * x * x / (k * (k + nu))
        total += term
    return total * (0.5 * x) ** nu


@program(lambda: (fl(1.0, 0.5), 0.4), 0, 1)
def stochastic_path_with_fixed_noise(y, sigma):
    noise = np.random.default_rng(3).standard_normal((12, 2))
    worst = y[0]
    for dw in noise:
        y = y + 0.1 * (0.5 - y) + sigma * np.sqrt(0.1) * np.sqrt(np.abs(y) + 0.1) * dw
        worst = min(worst, y.min())
    return y, worst


@program(lambda: (fl(0.2, 0.1), fl(1.5, 0.7)), 0, 1)
def delay_equation_with_a_history(start, p):
    history = [start[0], start[1]]
    for k in range(10):
        delayed = history[k - 3] if k >= 3 else start[0]
        history.append(history[-1] + 0.1 * (p[0] * delayed / (1 + delayed**4) - p[1] * history[-1]))
    return np.array(history)
