from collections.abc import Sequence
from typing import Literal, SupportsIndex

from . import Array
from ._types import ArrayLike, Axes, Device, DTypeLike

def fft(
    x: ArrayLike,
    /,
    *,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def fftfreq(
    n: SupportsIndex, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None
) -> Array: ...
def fftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Axes = None,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def fftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array: ...
def hfft(
    x: ArrayLike,
    /,
    *,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def ifft(
    x: ArrayLike,
    /,
    *,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def ifftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Axes = None,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def ifftshift(x: ArrayLike, /, *, axes: Axes = None) -> Array: ...
def ihfft(
    x: ArrayLike,
    /,
    *,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def irfft(
    x: ArrayLike,
    /,
    *,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def irfftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Axes = None,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def rfft(
    x: ArrayLike,
    /,
    *,
    n: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
def rfftfreq(
    n: SupportsIndex, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None
) -> Array: ...
def rfftn(
    x: ArrayLike,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Axes = None,
    norm: Literal["backward", "ortho", "forward"] = "backward",
) -> Array: ...
