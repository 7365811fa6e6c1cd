"""Programs of physics, statistics and signals as their users write them: solvers with rejected steps, filters, tables, events, paths."""

from __future__ import annotations

from collections import deque

import numpy as np

import autograph_jit as ag
from tests.gradients.harness import Programs

PROGRAMS = Programs()


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def uni(seed, *shape):
    return np.random.default_rng(seed).random(shape)


def spd(seed, n):
    a = rnd(seed, n, n)
    return a @ a.T / n + n * np.eye(n)


@PROGRAMS.add(lambda: (rnd(1, 5, 2), rnd(2, 5, 2) * 0.3), 0, 1)
def lennard_jones_verlet(x, v):
    def forces(x):
        d = x[:, None, :] - x[None, :, :]
        r2 = np.sum(d * d, axis=-1) + np.eye(len(x)) + 0.5
        inv6 = 1.0 / r2**3
        mag = (12 * inv6**2 - 6 * inv6) / r2
        np.fill_diagonal(mag, 0.0)
        return np.sum(mag[..., None] * d, axis=1)

    f = forces(x)
    for _ in range(3):
        v += 0.01 * f
        x += 0.02 * v
        f = forces(x)
        v += 0.01 * f
    return x, v, np.sum(v**2)


@PROGRAMS.add(lambda: (fl(0.3, -0.2, 0.5, 0.1, 0.2, 0.3), 0.001), 0)
def dormand_prince_with_rejections(y, tol):
    c = [
        [],
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    ]
    b = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]

    def f(t, y):
        return np.concatenate([y[3:], -y[:3] / (0.1 + np.sum(y[:3] ** 2)) ** 1.5 + 0.1 * np.sin(t)])

    t, h, rej = 0.0, 0.5, 0
    while t < 1.0:
        h = min(h, 1.0 - t)
        ks = []
        for i, row in enumerate(c):
            yi = y
            for a, k in zip(row, ks):
                yi = yi + h * a * k
            ks.append(f(t + h * sum(row), yi))
        new = y
        for w, k in zip(b, ks):
            new = new + h * w * k
        err = np.max(np.abs(new - (y + h * ks[0])))
        if err > 10 * tol and h > 0.01:
            h *= 0.5
            rej += 1
            continue
        y, t = new, t + h
    return y, rej


@PROGRAMS.add(lambda: (rnd(7, 8), fl(0.5, 0.2)), 0, 1)
def burgers_godunov(u, p):
    dt = p[0] * 0.1
    for _ in range(4):
        flux = np.empty(len(u) + 1)
        for i in range(len(u) + 1):
            l, r = u[(i - 1) % len(u)], u[i % len(u)]
            if l > r:
                s = 0.5 * (l + r)
                flux[i] = 0.5 * l * l if s > 0 else 0.5 * r * r
            elif l > 0:
                flux[i] = 0.5 * l * l
            elif r < 0:
                flux[i] = 0.5 * r * r
            else:
                flux[i] = 0.0
        u = u - dt * (flux[1:] - flux[:-1]) + p[1] * dt * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return u


@PROGRAMS.add(lambda: (rnd(26, 3, 3), rnd(27, 3, 2), it(0, 1, 1, 0, 1)), 0, 1)
def hmm_viterbi_soft_and_hard(A, B, obs):
    la = A - np.log(np.sum(np.exp(A), 1, keepdims=True))
    lb = B - np.log(np.sum(np.exp(B), 1, keepdims=True))
    delta = lb[:, obs[0]]
    back = np.zeros((len(obs), 3), dtype=int)
    for t in range(1, len(obs)):
        s = delta[:, None] + la
        back[t] = s.argmax(axis=0)
        delta = s.max(axis=0) + lb[:, obs[t]]
    path = [int(np.argmax(delta))]
    for t in range(len(obs) - 1, 0, -1):
        path.append(back[t, path[-1]])
    return delta.max(), len(path)


@PROGRAMS.add(lambda: (rnd(45, 5), rnd(46, 5)), 0, 1)
def spearman_soft_rank(x, y):
    def rank(v):
        d = (v[None] - v[:, None]) / 0.3
        return np.sum(1 / (1 + np.exp(-d)), axis=1)

    a, b = rank(x), rank(y)
    a -= a.mean()
    b -= b.mean()
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


@PROGRAMS.add(lambda: (rnd(54, 7), 0.37), 0, 1)
def bspline_de_boor(c, x):
    k = 3
    t = np.concatenate([np.zeros(k), np.linspace(0, 1, len(c) - k + 1), np.ones(k)])
    i = np.searchsorted(t, x) - 1
    d = [c[j + i - k] for j in range(k + 1)]
    for r in range(1, k + 1):
        for j in range(k, r - 1, -1):
            al = (x - t[j + i - k]) / (t[j + 1 + i - r] - t[j + i - k])
            d[j] = (1 - al) * d[j - 1] + al * d[j]
    return d[k]


@PROGRAMS.add(lambda: (rnd(1, 3), 0.5), 0, 1)
def lbfgs_two_loop_with_deques(x, c):
    def g(x):
        return x**3 + c * np.roll(x, 1)

    S, Y = deque(maxlen=2), deque(maxlen=2)
    gx = g(x)
    for k in range(3):
        q = gx.copy()
        al = []
        for s, y in zip(reversed(S), reversed(Y)):
            a = s @ q / (y @ s)
            al.append(a)
            q = q - a * y
        for (s, y), a in zip(zip(S, Y), reversed(al)):
            b = y @ q / (y @ s)
            q = q + (a - b) * s
        xn = x - 0.3 * q
        gn = g(xn)
        S.append(xn - x)
        Y.append(gn - gx)
        x, gx = xn, gn
    return x


@PROGRAMS.add(lambda: (spd(2, 4), rnd(3, 4)), 0, 1)
def lanczos_tridiagonal(a, v):
    n = len(v)
    m = min(n, 3)
    T = np.zeros((m, m))
    q = v / np.linalg.norm(v)
    qold = np.zeros(n)
    beta = 0.0
    for j in range(m):
        w = a @ q - beta * qold
        alpha = w @ q
        T[j, j] = alpha
        w = w - alpha * q
        beta = np.linalg.norm(w)
        if j + 1 < m:
            T[j, j + 1] = T[j + 1, j] = beta
        qold, q = q, w / beta
    return T, np.linalg.eigvalsh(T)


@PROGRAMS.add(lambda: (uni(20, 4) + 0.5, uni(21, 4) + 0.5, rnd(22, 4, 4) ** 2), 0, 1, 2)
def sinkhorn_until_marginals(a, b, C):
    a = a / a.sum()
    b = b / b.sum()
    K = np.exp(-C / 0.5)
    u = np.ones(4)
    n = 0
    while n < 40:
        v = b / (K.T @ u)
        u = a / (K @ v)
        n += 1
        if np.abs(u * (K @ v) - a).sum() + np.abs(v * (K.T @ u) - b).sum() < 1e-10:
            break
    T = u[:, None] * K * v
    return np.sum(T * C), n


@PROGRAMS.add(lambda: (fl(0.0, 0.1, -2.0), fl(0.1, 0.2, 1.0), 0.8), 0, 1, 2)
def sphere_tracing_two_objects(o, d, r):
    d = d / np.linalg.norm(d)
    t, hit = 0.0, False
    for k in range(60):
        p = o + t * d
        s1 = np.linalg.norm(p) - r
        s2 = p[1] + 1.5
        s = min(s1, s2)
        if s < 1e-09:
            hit = True
            break
        t += s
        if t > 20:
            break
    if not hit:
        return 0.0 * t
    n = p / np.linalg.norm(p) if s1 < s2 else np.array([0.0, 1.0, 0.0])
    return max(n @ np.array([0.3, 0.8, -0.5]), 0.1) + t


@PROGRAMS.add(lambda: (rnd(45, 12), fl(0.5, 0.3, 0.2)), 0, 1)
def holt_winters_additive(y, a):
    level, trend = y[0], y[1] - y[0]
    season = list(y[:4] - np.mean(y[:4]))
    sse = 0.0
    for t in range(4, len(y)):
        f = level + trend + season[t % 4]
        sse += (y[t] - f) ** 2
        old = level
        level = a[0] * (y[t] - season[t % 4]) + (1 - a[0]) * (level + trend)
        trend = a[1] * (level - old) + (1 - a[1]) * trend
        season[t % 4] = a[2] * (y[t] - level) + (1 - a[2]) * season[t % 4]
    return sse, season


@PROGRAMS.add(lambda: (rnd(3, 6),), 0)
def overwritten_views(x):
    y = x * 2
    a, b = y[:3], y[3:]
    a *= b
    b[:] = a**2 + b
    a[1] = b[0] * a[1]
    r = y.reshape(2, 3)
    r[0] += r[1]
    c = r.T
    c[2] *= 0.5
    return y, r[:, ::2]


@PROGRAMS.add(lambda: (rnd(9, 4),), 0)
def list_stack_machine(x):
    st = []
    for i, v in enumerate(x):
        st.append(v)
        if len(st) >= 2 and i % 2 == 1:
            b = st.pop()
            a = st.pop()
            st.append(a * b + a)
    st.insert(0, x[0] ** 2)
    st[-1] *= 2
    st.extend([x[1], x[2] * x[3]])
    del st[1]
    st.reverse()
    return sum((v * (i + 1) for i, v in enumerate(st))), len(st)


@PROGRAMS.add(lambda: (fl(0.2, 0.4),), 0)
def mandelbrot_escape_smooth(c):
    z = 0j
    cc = complex(c[0], c[1])
    for n in range(30):
        z = z * z + cc
        if z.real**2 + z.imag**2 > 16:
            break
    return abs(z), n


@PROGRAMS.add(lambda: (rnd(21, 4) + 1j * rnd(22, 4), 0.3), 0, 1)
def quantum_gates(psi, th):
    psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
    U = np.array([[np.cos(th), -1j * np.sin(th)], [-1j * np.sin(th), np.cos(th)]])
    psi = np.kron(U, np.eye(2)) @ psi
    psi = psi.reshape(2, 2)
    psi[1, 1] *= -1
    H = np.array([[1, 1], [1, -1]]) / np.sqrt(2)
    psi = np.einsum("ab,cb->ca", H, psi)
    return np.abs(psi) ** 2, np.real(np.vdot(psi, psi * np.arange(4).reshape(2, 2)))


@PROGRAMS.add(lambda: (uni(5, 10),), 0)
def huffman_like_merging(p):
    items = [v for v in p]
    cost = 0.0
    while len(items) > 1:
        items.sort()
        a = items.pop(0)
        b = items.pop(0)
        cost = cost + (a + b) ** 2
        items.append(a + b)
    return cost


@PROGRAMS.add(lambda: (rnd(7, 9),), 0)
def fast_walsh_hadamard(x):
    y = np.concatenate([x, np.zeros(7)])
    h = 1
    while h < len(y):
        for i in range(0, len(y), 2 * h):
            for j in range(i, i + h):
                a, b = y[j], y[j + h]
                y[j], y[j + h] = a + b, a - b
        h *= 2
    return y * np.abs(y)


@PROGRAMS.add(lambda: (rnd(8, 8),), 0)
def recursive_fft_by_hand(x):
    def fft(a):
        n = len(a)
        if n == 1:
            return a
        e, o = fft(a[::2]), fft(a[1::2])
        t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * o
        return np.concatenate([e + t, e - t])

    return np.abs(fft(x + 0j)) ** 2


@PROGRAMS.add(lambda: (rnd(16, 6),), 0)
def raise_custom_and_reraise(x):
    class Stop(Exception):
        def __init__(self, v):
            self.v = v

    def step(s, v):
        if abs(s) > 1.5:
            raise Stop(s * 2)
        return s + v * s

    s = 1.0
    try:
        for v in x:
            s = step(s, v)
    except Stop as e:
        s = e.v + x[0]
    return s


@PROGRAMS.add(lambda: (fl(0.4, 0.2),), 0)
def pinn_residual(w):
    def u(t, w):
        return np.tanh(w[0] * t + w[1]) * t

    r = 0.0
    for t in (0.1, 0.5, 0.9):
        d = ag.grad(u)(t, w)
        dd = ag.grad(ag.grad(u))(t, w)
        r += (dd + d * u(t, w) - t) ** 2
    return r


@PROGRAMS.add(lambda: (fl(0.3, 0.6),), 0)
def bulirsch_stoer_table(p):
    def midpoint(n):
        h = 1.0 / n
        y0 = 1.0
        y1 = y0 + h * (p[0] * y0 - p[1] * y0 * y0)
        for k in range(1, n):
            y0, y1 = y1, y0 + 2 * h * (p[0] * y1 - p[1] * y1 * y1)
        return y1

    T = [[midpoint(2)]]
    for k in range(1, 4):
        row = [midpoint(2 * (k + 1))]
        for j in range(k):
            r = ((k + 1) / (k - j)) ** 2
            row.append(row[j] + (row[j] - T[k - 1][j]) / (r - 1))
        T.append(row)
        if abs(row[-1] - row[-2]) < 1e-09:
            break
    return (T[-1][-1],)  # as the whole result, the list of lists that it comes from has no derivative
