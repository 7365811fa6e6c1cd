"""Sample calls of linear algebra and Fourier transforms, as in `samples`."""

from __future__ import annotations

import numpy as np

V, M, S, T, B = (4,), (3, 4), (3, 3), (2, 3, 3), ()


def regular(a):
    return a + 2 * np.eye(a.shape[-1])


def hermitian(a):
    return a @ np.conj(np.swapaxes(a, -1, -2)) + np.diag(np.arange(1.0, a.shape[-1] + 1))


def separated(a):
    """A complex matrix whose eigenvalues lie near 1, 2, 3."""
    return 0.2 * a + np.diag(np.arange(1.0, a.shape[-1] + 1).astype(a.dtype)) + 0j


def spread(a):
    """A matrix whose singular values differ and are not small."""
    return a * np.array([1.0, -2.0, 3.0]) + 0.5 * np.eye(a.shape[-2], 3)


def svd_product(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return (u * np.exp(-s)[..., None, :]) @ vh


def full_svd(a):
    u, s, vh = np.linalg.svd(a)
    rest = u[:, 3:]
    return rest @ np.conj(rest.T) + (u[:, :3] * s**2) @ np.conj(u[:, :3].T)


def complete_qr(a):
    q, r = np.linalg.qr(a, mode="complete")
    rest = q[:, 3:]
    return rest @ np.conj(rest.T) + (q @ r)[:, :1]


LINALG = {
    "matvec": (lambda a, x: np.matvec(a, x), (2, 3, 4), V),
    "solve": (lambda a, b: np.linalg.solve(regular(a), b), S, (3,)),
    "solve matrix": (lambda a, b: np.linalg.solve(regular(a), b), S, (3, 2)),
    "solve stack": (lambda a, b: np.linalg.solve(regular(a), b), T, T),
    "solve stack vector": (lambda a, b: np.linalg.solve(regular(a), b[..., None])[..., 0], T, (2, 3)),
    "inv": (lambda a: np.linalg.inv(regular(a)), S),
    "inv stack": (lambda a: np.linalg.inv(regular(a)), T),
    "tensorinv": (lambda a: np.linalg.tensorinv(regular(a.reshape(4, 4)).reshape(2, 2, 2, 2)), (2, 2, 2, 2)),
    "tensorsolve": (lambda a, b: np.linalg.tensorsolve(regular(a.reshape(4, 4)).reshape(2, 2, 2, 2), b), (2, 2, 2, 2), (2, 2)),
    "det": (lambda a: np.linalg.det(regular(a)), S),
    "det stack": (lambda a: np.linalg.det(regular(a)), T),
    "slogdet": (lambda a: np.linalg.slogdet(regular(a))[1], S),
    "slogdet stack": (lambda a: np.linalg.slogdet(regular(a)).logabsdet, T),
    "slogdet sign": (lambda a: np.linalg.slogdet(regular(a))[0], S),
    "lstsq": (lambda a, b: np.linalg.lstsq(spread(a), b, rcond=None)[0], (4, 3), V),
    "lstsq wide": (lambda a, b: np.linalg.lstsq(spread(a), b)[0], (2, 3), (2,)),
    "lstsq matrix": (lambda a, b: np.linalg.lstsq(spread(a), b)[0], (4, 3), (4, 2)),
    "lstsq residuals": (lambda a, b: np.linalg.lstsq(spread(a), b)[1], (4, 3), V),
    "pinv": (lambda a: np.linalg.pinv(spread(a)), (4, 3)),
    "pinv wide": (lambda a: np.linalg.pinv(spread(a)), (2, 3)),
    "pinv stack": (lambda a: np.linalg.pinv(spread(a)), (2, 4, 3)),
    "pinv hermitian": (lambda a: np.linalg.pinv(hermitian(a), hermitian=True), S),
    "matrix_power": (lambda a: np.linalg.matrix_power(a, 3), S),
    "negative matrix_power": (lambda a: np.linalg.matrix_power(regular(a), -2), S),
    "matrix_power of stack": (lambda a: np.linalg.matrix_power(a, 3), T),
    "matrix_power 0": (lambda a: np.linalg.matrix_power(a, 0) * a, S),
    "matrix_power 1": (lambda a: np.linalg.matrix_power(a, 1) * a, S),
    "cholesky": (lambda a: np.linalg.cholesky(hermitian(a)), S),
    "cholesky stack": (lambda a: np.linalg.cholesky(hermitian(a)), T),
    "upper cholesky": (lambda a: np.linalg.cholesky(hermitian(a), upper=True), S),
    "eig": (lambda a: np.linalg.eig(separated(a))[0], S),
    "eig vectors": (lambda a: np.abs(np.linalg.eig(separated(a))[1]) ** 2, S),
    "eigvals": (lambda a: np.linalg.eigvals(separated(a)) ** 2, S),
    "eigh": (lambda a: np.linalg.eigh(hermitian(a))[0], S),
    "eigh vectors": (lambda a: np.abs(np.linalg.eigh(hermitian(a))[1]) ** 2, S),
    "eigh stack": (lambda a: np.abs(np.linalg.eigh(hermitian(a)).eigenvectors) ** 2, T),
    "eigh upper": (lambda a: np.linalg.eigh(hermitian(a), "U").eigenvalues, S),
    "eigvalsh": (lambda a: np.linalg.eigvalsh(hermitian(a)), S),
    "eigvalsh stack": (lambda a: np.linalg.eigvalsh(hermitian(a)), T),
    "svd values": (lambda a: np.linalg.svd(spread(a), compute_uv=False), (4, 3)),
    "svd vectors": (lambda a: svd_product(spread(a)), (4, 3)),
    "svd wide": (lambda a: svd_product(spread(a)), (2, 3)),
    "svd stack": (lambda a: svd_product(spread(a)), T),
    "full svd": (lambda a: full_svd(spread(a)), (4, 3)),
    "svd hermitian": (lambda a: np.linalg.svd(hermitian(a), hermitian=True)[1], S),
    "svdvals": (lambda a: np.linalg.svdvals(spread(a)), T),
    "qr": (lambda a: np.linalg.qr(spread(a))[1] ** 2, (4, 3)),
    "qr q": (lambda a: np.linalg.qr(spread(a)).Q ** 2, (4, 3)),
    "qr r": (lambda a: np.linalg.qr(spread(a), mode="r") ** 2, (4, 3)),
    "qr stack": (lambda a: np.linalg.qr(spread(a))[0] ** 2, (2, 4, 3)),
    "qr wide": (lambda a: np.abs(np.linalg.qr(spread(a))[1]) ** 2, (2, 3)),
    "qr complete": (lambda a: complete_qr(spread(a)), (4, 3)),
    "qr complete of square": (lambda a: np.linalg.qr(spread(a), "complete")[0] ** 2, S),
    "qr complete r": (lambda a: np.linalg.qr(spread(a), "complete")[1] ** 2, (4, 3)),
    "norm": (lambda a: np.linalg.norm(a), M),
    "norm of vector": (lambda a: np.linalg.norm(a), V),
    "norm of cube": (lambda a: np.linalg.norm(a), (2, 3, 4)),
    "norm axis": (lambda a: np.linalg.norm(a, axis=1), M),
    "norm axes": (lambda a: np.linalg.norm(a, axis=(0, 2)), (2, 3, 4)),
    "norm keepdims": (lambda a: a / np.linalg.norm(a, axis=1, keepdims=True), M),
    "norm keepdims of all": (lambda a: a / np.linalg.norm(a, keepdims=True), M),
    "norm 1": (lambda a: np.linalg.norm(a, 1), V),
    "norm 3": (lambda a: np.linalg.norm(a, 3), V),
    "norm -1": (lambda a: np.linalg.norm(a, -1), V),
    "norm -2": (lambda a: np.linalg.norm(a, -2), V),
    "norm 0.5": (lambda a: np.linalg.norm(a, 0.5, axis=0), M),
    "norm inf": (lambda a: np.linalg.norm(a, np.inf), V),
    "norm -inf": (lambda a: np.linalg.norm(a, -np.inf, axis=-1), M),
    "norm 0": (lambda a: np.linalg.norm(a, 0) * a, V),
    "norm of order 2 of vector": (lambda a: np.linalg.norm(a, 2), V),
    "matrix norm 1": (lambda a: np.linalg.norm(a, 1), M),
    "matrix norm -1": (lambda a: np.linalg.norm(a, -1), M),
    "matrix norm inf": (lambda a: np.linalg.norm(a, np.inf), M),
    "matrix norm -inf": (lambda a: np.linalg.norm(a, -np.inf, (0, 1), True), M),
    "matrix norm 2": (lambda a: np.linalg.norm(spread(a), 2), (4, 3)),
    "matrix norm -2": (lambda a: np.linalg.norm(spread(a), -2), (4, 3)),
    "nuclear norm": (lambda a: np.linalg.norm(spread(a), "nuc"), (4, 3)),
    "Frobenius norm": (lambda a: np.linalg.norm(a, "fro"), M),
    "nuclear norm of axes": (lambda a: np.linalg.norm(a, "nuc", axis=(0, 2)), (2, 3, 2)),
    "spectral norm of axes": (lambda a: np.linalg.norm(a, 2, axis=(2, 0)), (2, 3, 2)),
    "smallest singular value of axes": (lambda a: np.linalg.norm(a, -2, axis=(0, 1), keepdims=True), (2, 2, 3)),
    "norm 1 of axes": (lambda a: np.linalg.norm(a, 1, axis=(2, 0)), (2, 3, 2)),
    "norm inf of axes": (lambda a: np.linalg.norm(a, np.inf, axis=(-1, 0)), (2, 3, 2)),
    "vector_norm": (lambda a: np.linalg.vector_norm(a, ord=3, axis=0), M),
    "matrix_norm": (lambda a: np.linalg.matrix_norm(a), T),
    "matrix_norm 1": (lambda a: np.linalg.matrix_norm(a, ord=1), T),
    "cond": (lambda a: np.linalg.cond(spread(a)), S),
    "cond 1": (lambda a: np.linalg.cond(regular(a), 1), S),
    "vecdot": (lambda x, y: np.vecdot(x, y), M, V),
    "linalg.cross": (lambda x, y: np.linalg.cross(x, y), (2, 3), (3,)),
    "linalg.outer": (lambda x, y: np.linalg.outer(x, y), V, (3,)),
    "linalg.trace": (lambda x: np.linalg.trace(x @ x), T),
    "linalg.diagonal": (lambda x: np.linalg.diagonal(x) ** 2, T),
    "linalg.tensordot": (lambda x, y: np.linalg.tensordot(x, y, axes=1), M, (4, 2)),
}

FFT = {
    "fft": (lambda a: np.fft.fft(a), V),
    "fft padded": (lambda a: np.fft.fft(a, 6), V),
    "fft cut": (lambda a: np.fft.fft(a, n=3, axis=1), M),
    "fft ortho": (lambda a: np.fft.fft(a, axis=0, norm="ortho"), M),
    "fft forward": (lambda a: np.fft.fft(a, norm="forward"), M),
    "ifft": (lambda a: np.fft.ifft(a), V),
    "ifft padded": (lambda a: np.fft.ifft(a, 5, 0, "ortho"), M),
    "fft2": (lambda a: np.fft.fft2(a), M),
    "fft2 of a stack": (lambda a: np.fft.fft2(a), (2, 3, 2)),
    "ifft2": (lambda a: np.fft.ifft2(a, norm="forward"), M),
    "fftn": (lambda a: np.fft.fftn(a), (2, 3, 2)),
    "fftn axes": (lambda a: np.fft.fftn(a, axes=(0, 2)), (2, 3, 2)),
    "ifftn": (lambda a: np.fft.ifftn(a, norm="ortho"), (2, 3, 2)),
    "fft2 sizes": (lambda a: np.fft.fft2(a, s=(4, 3)), M),
    "fftn sizes": (lambda a: np.fft.fftn(a, s=(3, 3), axes=(0, 1)), (2, 4)),
    "ifftn sizes": (lambda a: np.fft.ifftn(a, s=(2, 5), axes=(-2, -1)), M),
    "fftn sizes of all": (lambda a: np.fft.fftn(a, s=(4, 2), axes=(0, 1)), M),
    "irfft": (lambda a: np.fft.irfft(a), V),
    "irfft odd": (lambda a: np.fft.irfft(a, 7), V),
    "irfft cut": (lambda a: np.fft.irfft(a, 4), V),
    "irfft axis": (lambda a: np.fft.irfft(a, axis=0, norm="ortho"), M),
    "irfft2": (lambda a: np.fft.irfft2(a), M),
    "irfftn": (lambda a: np.fft.irfftn(a, norm="ortho"), M),
    "hfft": (lambda a: np.fft.hfft(a), V),
    "hfft odd": (lambda a: np.fft.hfft(a, 5), V),
    "irfft2 sizes": (lambda a: np.fft.irfft2(a, s=(3, 5)), M),
    "fftshift": (lambda a: np.fft.fftshift(a) ** 2, (5,)),
    "ifftshift": (lambda a: np.fft.ifftshift(a, axes=1) ** 2, M),
    "fftfreq": (lambda a: a * np.fft.fftfreq(4), V),
    "spectrum": (lambda a: np.abs(np.fft.fft(a)) ** 3, V),
}

REAL_FFT = {
    "rfft": (lambda a: np.fft.rfft(a), V),
    "rfft odd": (lambda a: np.fft.rfft(a), (5,)),
    "rfft padded": (lambda a: np.fft.rfft(a, 7, 0), M),
    "rfft ortho": (lambda a: np.fft.rfft(a, axis=1, norm="ortho"), M),
    "rfft2": (lambda a: np.fft.rfft2(a), M),
    "rfftn": (lambda a: np.fft.rfftn(a), (2, 3, 4)),
    "rfftn axes": (lambda a: np.fft.rfftn(a, axes=(0,), norm="forward"), M),
    "ihfft": (lambda a: np.fft.ihfft(a), V),
    "rfft2 sizes": (lambda a: np.fft.rfft2(a, s=(4, 3)), M),
    "rfft cut": (lambda a: np.fft.rfft(a, 3) ** 2, V),
}

# Numbers that are drawn, as functions of the parameters: the stream is the same at every call.
DRAWS = {
    "lognormal": (lambda a, b: np.random.default_rng(3).lognormal(a, b), B, B),
    "rayleigh": (lambda a: np.random.default_rng(3).rayleigh(a), B),
    "laplace": (lambda a, b: np.random.default_rng(3).laplace(a, b) ** 2, B, B),
    "gumbel": (lambda a, b: np.random.default_rng(3).gumbel(a, b) ** 2, B, B),
    "logistic": (lambda a, b: np.random.default_rng(3).logistic(a, b) ** 2, B, B),
    "weibull": (lambda a: np.random.default_rng(3).weibull(a), B),
    "power": (lambda a: np.random.default_rng(3).power(a), B),
    "pareto": (lambda a: np.random.default_rng(3).pareto(a), B),
}
