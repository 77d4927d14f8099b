"""Fourier transforms of the last two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .common import write_to
from .operands import as_inexact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from .._native import Array
    from .._types import ArrayLike

    Norm = Literal["backward", "ortho", "forward"] | None

__all__ = ["fft2", "ifft2", "irfft2", "rfft2"]


def fft2(
    a: ArrayLike | Sequence[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Computes the two-dimensional Fourier transform.

    >>> bv.fft.fft2(bv.asarray([[1.0, 2.0], [3.0, 4.0]]))
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]])
    """
    return _transform(bv.fft.fftn, a, s, axes, norm, out)


def ifft2(
    a: ArrayLike | Sequence[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Computes the inverse of the two-dimensional Fourier transform.

    >>> bv.fft.ifft2(bv.asarray([[10.0, -2.0], [-4.0, 0.0]]))
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]])
    """
    return _transform(bv.fft.ifftn, a, s, axes, norm, out)


def rfft2(
    a: ArrayLike | Sequence[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Computes the two-dimensional Fourier transform of real numbers, without the redundant half of the last axis.

    >>> bv.fft.rfft2(bv.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).shape
    (2, 2)
    """
    return _transform(bv.fft.rfftn, a, s, axes, norm, out)


def irfft2(
    a: ArrayLike | Sequence[Any],
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm = None,
    out: Array | None = None,
) -> Array:
    """Computes the inverse of ``rfft2``; ``s`` is the shape of the result, needed if the last length is odd.

    >>> bv.fft.irfft2(bv.asarray([[10.0, -2.0], [-4.0, 0.0]]))
    array([[1., 2.],
           [3., 4.]])
    """
    return _transform(bv.fft.irfftn, a, s, axes, norm, out)


def _transform(function: Any, a: Any, s: Any, axes: Any, norm: Norm, out: Array | None) -> Array:
    a, axes, norm = as_inexact(a), tuple(axes), "backward" if norm is None else norm
    if len({k % max(a.ndim, 1) for k in axes}) == len(axes):
        return write_to(out, function(a, s=s, axes=axes, norm=norm))
    # A repeated axis is transformed once for each time, from the last to the first; real numbers come from the last.
    lengths = [a.shape[k] for k in axes] if s is None else list(s)
    one, last = _PARTS[function]
    steps = [(one, *it) for it in zip(axes[:-1], lengths[:-1])]
    if function is bv.fft.irfftn:
        steps.append((last, axes[-1], None if s is None else lengths[-1]))
    else:
        steps = [(last, axes[-1], lengths[-1]), *reversed(steps)]
    for transform, k, n in steps:
        a = transform(a, n=n, axis=k, norm=norm)
    return write_to(out, a)


#: The transforms of all axes but the last and of the last one.
_PARTS = {
    bv.fft.fftn: (bv.fft.fft, bv.fft.fft),
    bv.fft.ifftn: (bv.fft.ifft, bv.fft.ifft),
    bv.fft.rfftn: (bv.fft.fft, bv.fft.rfft),
    bv.fft.irfftn: (bv.fft.ifft, bv.fft.irfft),
}
