"""Tuples for functions that return several objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from . import Array


class UniqueAllResult(NamedTuple):
    """The result of ``unique_all``."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """The result of ``unique_counts``."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """The result of ``unique_inverse``."""

    values: Array
    inverse_indices: Array


class EigResult(NamedTuple):
    """The result of ``linalg.eig``."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """The result of ``linalg.eigh``."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """The result of ``linalg.qr``."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The result of ``linalg.slogdet``."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """The result of ``linalg.svd``."""

    U: Array
    S: Array
    Vh: Array


class LstsqResult(NamedTuple):
    """The result of ``linalg.lstsq``."""

    x: Array
    residuals: Array
    rank: Array
    singular_values: Array


class HistogramResult(NamedTuple):
    """The result of ``histogram``."""

    counts: Array
    edges: Array


class TopKResult(NamedTuple):
    """The result of ``topk``."""

    values: Array
    indices: Array


class Devices(tuple):
    """The devices: a tuple, as version 2025.12 of the standard has it, that adds to the lists of older programs."""

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else tuple.__add__(self, other)


__all__ = [
    "Devices",
    "EigResult",
    "EighResult",
    "HistogramResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "TopKResult",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
]
