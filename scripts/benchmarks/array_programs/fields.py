"""Fields, waves and potentials on grids: FDTD, Poisson solvers, spectral methods, reaction and diffusion, Ising, quantum states."""

from __future__ import annotations

import numpy as np

from benchmarks.array_programs.program import program


def maxwell(permittivity, source, courant, steps):
    """Transverse magnetic waves on Yee's grid with a lossy rim; the field at a probe is recorded."""
    n, m = permittivity.shape
    ez, hx, hy = np.zeros((n, m)), np.zeros((n, m - 1)), np.zeros((n - 1, m))
    loss = np.zeros((n, m))
    for k in range(8):
        strength = 0.3 * ((8 - k) / 8.0) ** 2
        loss[k, :] = np.maximum(loss[k, :], strength)
        loss[-1 - k, :] = np.maximum(loss[-1 - k, :], strength)
        loss[:, k] = np.maximum(loss[:, k], strength)
        loss[:, -1 - k] = np.maximum(loss[:, -1 - k], strength)
    keep = (1.0 - loss) / (1.0 + loss)
    gain = courant / (permittivity * (1.0 + loss))
    probe = np.zeros(steps)
    for t in range(steps):
        hx -= courant * (ez[:, 1:] - ez[:, :-1])
        hy += courant * (ez[1:, :] - ez[:-1, :])
        curl = hy[1:, 1:-1] - hy[:-1, 1:-1] - hx[1:-1, 1:] + hx[1:-1, :-1]
        ez[1:-1, 1:-1] = keep[1:-1, 1:-1] * ez[1:-1, 1:-1] + gain[1:-1, 1:-1] * curl
        if t < source.size:
            ez[n // 3, m // 2] += source[t]
        probe[t] = ez[2 * n // 3, m // 2]
    return ez, probe, 0.5 * np.sum(permittivity * ez**2)


def multigrid(f, cycles):
    """Poisson's equation with zero boundaries by V-cycles: sweeps, restriction, a coarse correction, interpolation."""

    def sweep(u, f, h, times):
        for _ in range(times):
            u[1:-1] = u[1:-1] + 0.6667 * 0.5 * (u[:-2] + u[2:] + h * h * f[1:-1] - 2.0 * u[1:-1])
        return u

    def residual(u, f, h):
        r = np.zeros_like(u)
        r[1:-1] = f[1:-1] + (u[:-2] - 2.0 * u[1:-1] + u[2:]) / (h * h)
        return r

    h = 1.0 / (f.size - 1)
    u = np.zeros_like(f)
    norms = [np.abs(residual(u, f, h)).max()]
    for _ in range(cycles):
        u = sweep(u, f, h, 3)
        r = residual(u, f, h)
        coarse = np.zeros((r.size + 1) // 2)
        coarse[1:-1] = 0.25 * r[1:-2:2] + 0.5 * r[2:-1:2] + 0.25 * r[3::2]
        e = sweep(np.zeros_like(coarse), coarse, 2.0 * h, 60)
        fine = np.zeros_like(u)
        fine[::2] = e
        fine[1::2] = 0.5 * (e[:-1] + e[1:])
        u = sweep(u + fine, f, h, 3)
        norms.append(np.abs(residual(u, f, h)).max())
        if norms[-1] < 1e-8 * norms[0]:
            break
    return u, np.array(norms)


def conjugate_gradients(charge, tolerance, limit):
    """Poisson's equation in two dimensions by conjugate gradients without a matrix, preconditioned by the diagonal."""

    def apply(u):
        out = 4.0 * u
        out[1:, :] -= u[:-1, :]
        out[:-1, :] -= u[1:, :]
        out[:, 1:] -= u[:, :-1]
        out[:, :-1] -= u[:, 1:]
        return out

    u = np.zeros_like(charge)
    r = charge - apply(u)
    z = r / 4.0
    p = z.copy()
    rz = np.sum(r * z)
    start = np.sqrt(np.sum(r * r))
    count = 0
    while np.sqrt(np.sum(r * r)) > tolerance * start and count < limit:
        ap = apply(p)
        alpha = rz / np.sum(p * ap)
        u += alpha * p
        r -= alpha * ap
        z = r / 4.0
        new = np.sum(r * z)
        p = z + new / rz * p
        rz = new
        count += 1
    field_x = 0.5 * (u[2:, 1:-1] - u[:-2, 1:-1])
    field_y = 0.5 * (u[1:-1, 2:] - u[1:-1, :-2])
    return u, count, np.sqrt(field_x**2 + field_y**2).max()


def korteweg_de_vries(u, length, dt, steps):
    """Solitons by Fourier transforms with an integrating factor and the classical Runge-Kutta method."""
    n = u.size
    k = 2.0 * np.pi / length * np.concatenate([np.arange(0, n // 2), np.zeros(1), np.arange(-n // 2 + 1, 0)])
    turn = np.exp(0.5j * dt * k**3)
    full = turn**2
    kept = np.abs(k) < 2.0 / 3.0 * np.abs(k).max()
    g = -0.5j * dt * k * kept

    def product(v):
        w = np.real(np.fft.ifft(v))
        return g * np.fft.fft(w * w)

    v = np.fft.fft(u)
    peaks = []
    for step in range(steps):
        a = product(v)
        b = product(turn * (v + 0.5 * a))
        c = product(turn * v + 0.5 * b)
        d = product(full * v + turn * c)
        v = full * v + (full * a + 2.0 * turn * (b + c) + d) / 6.0
        if step % 5 == 0:
            peaks.append(np.real(np.fft.ifft(v)).max())
    u = np.real(np.fft.ifft(v))
    return u, np.array(peaks), np.sum(u * u)


def gray_scott(u, v, feed, kill, steps):
    """Spots by reaction and diffusion; stops when the pattern no longer moves."""

    def laplacian(a):
        out = -a
        out += 0.2 * (np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1))
        diagonal = np.roll(np.roll(a, 1, 0), 1, 1) + np.roll(np.roll(a, 1, 0), -1, 1)
        diagonal += np.roll(np.roll(a, -1, 0), 1, 1) + np.roll(np.roll(a, -1, 0), -1, 1)
        return out + 0.05 * diagonal

    moved, done = 0.0, 0
    for step in range(steps):
        reaction = u * v * v
        du = 1.0 * laplacian(u) - reaction + feed * (1.0 - u)
        dv = 0.5 * laplacian(v) + reaction - (feed + kill) * v
        u = u + du
        v = v + dv
        np.clip(v, 0.0, 1.0, out=v)
        moved = np.abs(dv).max()
        done = step + 1
        if moved < 1e-6:
            break
    spots = (v > 0.2).sum()
    return u, v, spots, moved, done


def ising(spins, draws, temperature, field):
    """Metropolis sweeps over the two colours of a chessboard; magnetisation and energy of every sweep."""
    rows, columns = np.indices(spins.shape)
    colour = (rows + columns) % 2
    spins = spins.copy()
    sweeps = draws.shape[0]
    magnetisation, energy = np.zeros(sweeps), np.zeros(sweeps)
    for sweep in range(sweeps):
        for parity in (0, 1):
            around = np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
            cost = 2.0 * spins * (around + field)
            accept = (cost <= 0.0) | (draws[sweep, parity] < np.exp(-cost / temperature))
            spins = np.where(accept & (colour == parity), -spins, spins)
        bonds = spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1))
        energy[sweep] = -bonds.mean() - field * spins.mean()
        magnetisation[sweep] = spins.mean()
    half = sweeps // 2
    heat = energy[half:].var() / temperature**2 * spins.size
    susceptibility = magnetisation[half:].var() / temperature * spins.size
    reach = np.zeros(spins.shape[0] // 2)
    for r in range(reach.size):
        reach[r] = (spins * np.roll(spins, r, 1)).mean() - spins.mean() ** 2
    return spins, magnetisation, energy, heat, susceptibility, reach


def self_energy(hopping, levels, coupling, energies, eta, tolerance):
    """The Green function of a chain of cells between two leads, whose self-energies come from Lopez Sancho's decimation."""
    n = levels.shape[0]
    unit = np.eye(n)
    transmission = np.zeros(energies.size)
    rounds = 0
    for k in range(energies.size):
        z = (energies[k] + 1j * eta) * unit
        surface, bulk = levels.astype(np.complex128), levels.astype(np.complex128)
        alpha, beta = hopping.astype(np.complex128), hopping.conj().T.astype(np.complex128)
        while np.abs(alpha).max() > tolerance and rounds < 1000:
            g = np.linalg.inv(z - bulk)
            ag, bg = alpha @ g, beta @ g
            surface = surface + ag @ beta
            bulk = bulk + ag @ beta + bg @ alpha
            alpha, beta = ag @ alpha, bg @ beta
            rounds += 1
        lead = np.linalg.inv(z - surface)
        right = coupling @ lead @ coupling.conj().T
        left = coupling.conj().T @ lead @ coupling
        gamma_left = 1j * (left - left.conj().T)
        gamma_right = 1j * (right - right.conj().T)
        green = np.linalg.inv(z - levels - left - right)
        transmission[k] = np.real(np.trace(gamma_left @ green @ gamma_right @ green.conj().T))
    return transmission, rounds


def split_step(psi, potential, dx, dt, steps, mass):
    """A packet that meets a barrier: half a step of the potential, a step of the kinetic energy in Fourier space, half a step."""
    n = psi.size
    k = 2.0 * np.pi * np.fft.fftfreq(n, dx)
    kinetic = np.exp(-0.5j * k * k * dt / mass)
    half = np.exp(-0.5j * potential * dt)
    x = (np.arange(n) - n / 2) * dx
    passed, spread = np.zeros(steps), np.zeros(steps)
    for step in range(steps):
        psi = half * psi
        psi = np.fft.ifft(kinetic * np.fft.fft(psi))
        psi = half * psi
        density = np.abs(psi) ** 2
        norm = density.sum() * dx
        if abs(norm - 1.0) > 1e-6:
            psi = psi / np.sqrt(norm)
            density = density / norm
        mean = np.sum(x * density) * dx
        spread[step] = np.sqrt(np.sum((x - mean) ** 2 * density) * dx)
        passed[step] = density[n // 2 :].sum() * dx
    return psi, passed, spread


def glass(n: int) -> tuple:
    y, x = np.mgrid[0:n, 0:n]
    pulse = np.exp(-(((np.arange(20) - 10.0) / 4.0) ** 2))
    return np.where((x - n / 2) ** 2 + (y - n / 2) ** 2 < (n / 5) ** 2, 2.5, 1.0), pulse, 0.5, 30


def soliton(n: int) -> tuple:
    x = np.linspace(-10.0, 10.0, n, endpoint=False)
    return 3.0 * 4.0 / np.cosh(1.0 * (x + 3.0)) ** 2, 20.0, 2e-4, 20


def seeded(n: int) -> tuple:
    u, v = np.ones((n, n)), np.zeros((n, n))
    u[n // 3 : n // 2, n // 3 : n // 2], v[n // 3 : n // 2, n // 3 : n // 2] = 0.5, 0.25
    return u, v, 0.035, 0.06, 30


def magnet(n: int) -> tuple:
    rng = np.random.default_rng(31)
    return rng.choice(np.array([-1, 1]), (n, n)), rng.random((12, 2, n, n)), 2.3, 0.01


def molecule(n: int) -> tuple:
    rng = np.random.default_rng(32)
    h = rng.normal(size=(n, n)) * 0.2
    return -np.eye(n), h + h.T, -0.8 * np.eye(n), np.linspace(-1.5, 1.5, 5), 1e-4, 1e-8


def packet(n: int) -> tuple:
    x = (np.arange(n) - n / 2) * 0.1
    psi = np.exp(-0.5 * ((x + 6.0) / 1.0) ** 2 + 3.0j * x)
    return psi / np.sqrt(np.sum(np.abs(psi) ** 2) * 0.1), np.where(np.abs(x) < 0.5, 4.0, 0.0), 0.1, 0.02, 30, 1.0


def charges(n: int) -> np.ndarray:
    return np.random.default_rng(33).normal(size=(n, n))


BENCHMARKS = (
    program(maxwell, glass, 40, 20),
    program(multigrid, lambda n: (np.sin(3.0 * np.linspace(0.0, np.pi, 2 * n + 1)), 6), 64, 8),
    program(conjugate_gradients, lambda n: (charges(n), 1e-8, 300), 24, 6),
    program(korteweg_de_vries, soliton, 128, 16),
    program(gray_scott, seeded, 32, 9),
    program(ising, magnet, 24, 6),
    program(self_energy, molecule, 6, 3),
    program(split_step, packet, 256, 64),
)
