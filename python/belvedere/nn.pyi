from typing import SupportsIndex

from . import Array
from ._types import ArrayLike, Axes, DTypeLike, Shape

def avg_pool1d(
    x: ArrayLike,
    size: Shape,
    /,
    *,
    stride: Shape | None = None,
    padding: Shape = 0,
    ceil: bool = False,
    count_padding: bool = True,
) -> Array: ...
def avg_pool2d(
    x: ArrayLike,
    size: Shape,
    /,
    *,
    stride: Shape | None = None,
    padding: Shape = 0,
    ceil: bool = False,
    count_padding: bool = True,
) -> Array: ...
def batch_norm(
    x: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    epsilon: float = 1e-05,
) -> Array: ...
def conv1d(
    x: ArrayLike,
    weight: ArrayLike,
    /,
    bias: ArrayLike | None = None,
    *,
    stride: Shape = 1,
    padding: Shape = 0,
    dilation: Shape = 1,
    groups: SupportsIndex = 1,
) -> Array: ...
def conv2d(
    x: ArrayLike,
    weight: ArrayLike,
    /,
    bias: ArrayLike | None = None,
    *,
    stride: Shape = 1,
    padding: Shape = 0,
    dilation: Shape = 1,
    groups: SupportsIndex = 1,
) -> Array: ...
def embedding(table: ArrayLike, indices: ArrayLike, /) -> Array: ...
def layer_norm(
    x: ArrayLike,
    /,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    axis: Axes = -1,
    epsilon: float = 1e-05,
) -> Array: ...
def max_pool1d(
    x: ArrayLike, size: Shape, /, *, stride: Shape | None = None, padding: Shape = 0, ceil: bool = False
) -> Array: ...
def max_pool2d(
    x: ArrayLike, size: Shape, /, *, stride: Shape | None = None, padding: Shape = 0, ceil: bool = False
) -> Array: ...
def one_hot(indices: ArrayLike, n: SupportsIndex, /, *, dtype: DTypeLike | None = None) -> Array: ...
def rms_norm(x: ArrayLike, /, weight: ArrayLike | None = None, *, axis: Axes = -1, epsilon: float = 1e-05) -> Array: ...
