"""Fourier transforms of the last two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _native as bv
from .operands import as_inexact, write_to

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
    axes = tuple(axes)
    return write_to(out, function(as_inexact(a), s=s, axes=axes, norm="backward" if norm is None else norm))
