"""Flows on grids: advection with limiters, lattice Boltzmann, shallow water, Burgers, gas dynamics, a driven cavity, water in soil."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def advect(u, speed, length, end):
    """A profile carried round a ring, second order, with a limiter; the steps follow from the Courant number."""

    def minmod(a, b):
        return np.where(a * b > 0.0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)

    dx = length / u.size
    mass = u.sum() * dx
    t, steps = 0.0, 0
    largest = [np.abs(u).max()]
    while t < end:
        dt = min(0.8 * dx / abs(speed), end - t)
        slope = minmod(u - np.roll(u, 1), np.roll(u, -1) - u)
        shift = 0.5 * (1.0 - abs(speed) * dt / dx)
        if speed > 0.0:
            face = u + shift * slope
            flux = speed * face
            u = u - dt / dx * (flux - np.roll(flux, 1))
        else:
            face = u - shift * slope
            flux = speed * face
            u = u - dt / dx * (np.roll(flux, -1) - flux)
        t += dt
        steps += 1
        if steps % 10 == 0:
            largest.append(np.abs(u).max())
    drift = abs(u.sum() * dx - mass)
    return u, steps, np.array(largest), drift < 1e-10


def lattice_boltzmann(blocked, viscosity, inflow, steps):
    """Nine velocities, single relaxation, walls by bounce-back, a steady inflow at the left."""
    ex = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    ey = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    omega = 1.0 / (3.0 * viscosity + 0.5)
    ny, nx = blocked.shape
    f = np.ones((9, ny, nx)) * weights[:, None, None] * (1.0 + 0.3 * inflow * ex[:, None, None])
    drag = np.zeros(steps)
    for step in range(steps):
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], ex[k], axis=1), ey[k], axis=0)
        bounced = f[opposite][:, blocked]
        density = f.sum(axis=0)
        ux = (f * ex[:, None, None]).sum(axis=0) / density
        uy = (f * ey[:, None, None]).sum(axis=0) / density
        ux[:, 0] = inflow
        uy[:, 0] = 0.0
        square = 1.5 * (ux**2 + uy**2)
        for k in range(9):
            along = 3.0 * (ex[k] * ux + ey[k] * uy)
            equilibrium = density * weights[k] * (1.0 + along + 0.5 * along**2 - square)
            f[k] += omega * (equilibrium - f[k])
        f[:, blocked] = bounced
        drag[step] = (bounced * ex[:, None]).sum()
    return ux, uy, drag


def shallow_water(h, u, v, dx, gravity, end):
    """Lax-Friedrichs for height and momenta on a periodic basin, steps by the fastest wave."""

    def spread(q):
        return 0.25 * (np.roll(q, 1, 0) + np.roll(q, -1, 0) + np.roll(q, 1, 1) + np.roll(q, -1, 1))

    def across(q, axis):
        return (np.roll(q, -1, axis) - np.roll(q, 1, axis)) / (2.0 * dx)

    hu, hv = h * u, h * v
    t = 0.0
    history = []
    while t < end:
        u, v = hu / h, hv / h
        fastest = (np.sqrt(u**2 + v**2) + np.sqrt(gravity * h)).max()
        dt = min(0.4 * dx / fastest, end - t)
        pressure = 0.5 * gravity * h**2
        new_h = spread(h) - dt * (across(hu, 0) + across(hv, 1))
        new_hu = spread(hu) - dt * (across(hu * u + pressure, 0) + across(hu * v, 1))
        new_hv = spread(hv) - dt * (across(hu * v, 0) + across(hv * v + pressure, 1))
        if new_h.min() <= 0.0:
            raise ValueError("the basin has run dry")
        h, hu, hv = new_h, new_hu, new_hv
        t += dt
        history.append(h.max())
    return h, hu, hv, np.array(history)


def burgers(u, viscosity, dx, dt, steps):
    """Runge-Kutta of third order in time; shocks are found where the slope is steep."""

    def rate(u):
        right, left = np.roll(u, -1), np.roll(u, 1)
        convection = np.where(u > 0.0, u * (u - left), u * (right - u)) / dx
        return viscosity * (right - 2.0 * u + left) / dx**2 - convection

    energies = np.empty(steps)
    shocks = 0
    for k in range(steps):
        first = u + dt * rate(u)
        second = 0.75 * u + 0.25 * (first + dt * rate(first))
        u = u / 3.0 + 2.0 / 3.0 * (second + dt * rate(second))
        energies[k] = 0.5 * dx * np.sum(u * u)
        slope = (np.roll(u, -1) - u) / dx
        if slope.min() < -5.0:
            shocks += 1
        if k > 0 and energies[k] > energies[k - 1] * 1.01:
            break
    steepest = int(np.argmin(slope))
    width = np.count_nonzero(slope < 0.5 * slope.min())
    total_variation = np.abs(u - np.roll(u, 1)).sum()
    return u, energies, shocks, steepest, width, total_variation


def gas_tube(density, velocity, pressure, gamma, dx, end):
    """Euler's equations by the flux of Harten, Lax and van Leer, walls that let everything out."""
    energy = pressure / (gamma - 1.0) + 0.5 * density * velocity**2
    state = np.stack([density, density * velocity, energy])
    t, count = 0.0, 0
    while t < end and count < 500:
        rho, u = state[0], state[1] / state[0]
        p = (gamma - 1.0) * (state[2] - 0.5 * rho * u**2)
        sound = np.sqrt(gamma * p / rho)
        dt = 0.5 * dx / np.max(np.abs(u) + sound)
        if t + dt > end:
            dt = end - t
        flux = np.stack([rho * u, rho * u**2 + p, u * (state[2] + p)])
        slow = np.minimum((u - sound)[:-1], (u - sound)[1:])
        fast = np.maximum((u + sound)[:-1], (u + sound)[1:])
        left, right = flux[:, :-1], flux[:, 1:]
        between = (fast * left - slow * right + slow * fast * (state[:, 1:] - state[:, :-1])) / (fast - slow)
        face = np.where(slow >= 0.0, left, np.where(fast <= 0.0, right, between))
        state[:, 1:-1] -= dt / dx * (face[:, 1:] - face[:, :-1])
        state[:, 0], state[:, -1] = state[:, 1], state[:, -2]
        t += dt
        count += 1
    return state, count


def driven_cavity(n, reynolds, dt, steps, sweeps):
    """A lid over a box of fluid: momentum, then pressure by Jacobi sweeps, then the projection."""
    h = 1.0 / (n - 1)
    u, v, p = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    u[-1, :] = 1.0
    divergence = 0.0
    for _ in range(steps):
        lap_u = (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4.0 * u[1:-1, 1:-1]) / h**2
        lap_v = (v[1:-1, 2:] + v[1:-1, :-2] + v[2:, 1:-1] + v[:-2, 1:-1] - 4.0 * v[1:-1, 1:-1]) / h**2
        inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        move_u = inner_u * (u[1:-1, 2:] - u[1:-1, :-2]) + inner_v * (u[2:, 1:-1] - u[:-2, 1:-1])
        move_v = inner_u * (v[1:-1, 2:] - v[1:-1, :-2]) + inner_v * (v[2:, 1:-1] - v[:-2, 1:-1])
        u[1:-1, 1:-1] += dt * (lap_u / reynolds - move_u / (2.0 * h))
        v[1:-1, 1:-1] += dt * (lap_v / reynolds - move_v / (2.0 * h))
        source = (u[1:-1, 2:] - u[1:-1, :-2] + v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * h * dt)
        for _ in range(sweeps):
            p[1:-1, 1:-1] = 0.25 * (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1] - h**2 * source)
            p[:, 0], p[:, -1], p[0, :] = p[:, 1], p[:, -2], p[1, :]
            p[-1, :] = 0.0
        u[1:-1, 1:-1] -= dt * (p[1:-1, 2:] - p[1:-1, :-2]) / (2.0 * h)
        v[1:-1, 1:-1] -= dt * (p[2:, 1:-1] - p[:-2, 1:-1]) / (2.0 * h)
        divergence = np.abs(source).max() * dt
    return u, v, p, divergence


def water_in_soil(head, depth, conductivity, rain, dt, steps):
    """Richards' equation with the coefficients of the step before; the tridiagonal system is solved by Thomas' algorithm."""
    n = head.size
    dz = depth / (n - 1)
    lower, diagonal, upper, right = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    drained = 0.0
    for _ in range(steps):
        wet = np.exp(np.minimum(head, 0.0) * 0.8)
        k = conductivity * wet**2
        between = 0.5 * (k[1:] + k[:-1])
        capacity = np.maximum(0.3 * wet, 1e-3)
        share = dt / (capacity[1:-1] * dz**2)
        lower[1:-1] = -share * between[:-1]
        upper[1:-1] = -share * between[1:]
        diagonal[1:-1] = 1.0 + share * (between[:-1] + between[1:])
        right[1:-1] = head[1:-1] + share * dz * (between[1:] - between[:-1])
        diagonal[0], upper[0], right[0] = 1.0, -1.0, dz * (1.0 - rain / between[0])
        diagonal[-1], lower[-1], right[-1] = 1.0, 0.0, head[-1]
        for i in range(1, n):
            factor = lower[i] / diagonal[i - 1]
            diagonal[i] -= factor * upper[i - 1]
            right[i] -= factor * right[i - 1]
        head = head.copy()
        head[-1] = right[-1] / diagonal[-1]
        for i in range(n - 2, -1, -1):
            head[i] = (right[i] - upper[i] * head[i + 1]) / diagonal[i]
        drained += dt * between[-1]
    return head, drained


def channel(n: int) -> tuple:
    y, x = np.mgrid[0:n, 0 : 3 * n]
    return (x - 0.7 * n) ** 2 + (y - 0.5 * n) ** 2 < (n / 6) ** 2, 0.05, 0.1, 4


def basin(n: int) -> tuple:
    y, x = np.mgrid[0:n, 0:n] / n
    return 1.0 + 0.2 * np.exp(-60.0 * ((x - 0.4) ** 2 + (y - 0.5) ** 2)), np.zeros((n, n)), np.zeros((n, n)), 1.0 / n, 9.81, 0.05


def shock(n: int) -> tuple:
    left = np.arange(n) < n // 2
    return np.where(left, 1.0, 0.125), np.zeros(n), np.where(left, 1.0, 0.1), 1.4, 1.0 / n, 0.1


def wave(n: int) -> np.ndarray:
    return np.sin(2.0 * np.pi * np.arange(n) / n)


BENCHMARKS = (
    program(advect, lambda n: (np.exp(-40.0 * (np.linspace(0, 1, n) - 0.5) ** 2), 1.0, 1.0, 0.4), 200, 30),
    program(lattice_boltzmann, channel, 20, 10),
    program(shallow_water, basin, 32, 10),
    program(burgers, lambda n: (wave(n), 0.01, 1.0 / n, 0.2 / n, 60), 200, 30),
    program(gas_tube, shock, 200, 20),
    program(driven_cavity, lambda n: (n, 100.0, 0.001, 5, 10), 33, 9),
    program(water_in_soil, lambda n: (np.linspace(-2.0, -0.5, n), 1.0, 1e-3, 2e-4, 0.5, 10), 60, 12),
)
