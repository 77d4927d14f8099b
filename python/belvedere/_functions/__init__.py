"""NumPy's functions that are composed of others, one module for each topic.

The native module has the functions that need a kernel or change a layout; these need neither. Each module lists its
functions in ``__all__``.
"""

from . import (
    arrays,
    constants,
    derivatives,
    diagonals,
    element_iteration,
    elements,
    gradients,
    grids,
    histograms,
    indexing,
    inspection,
    iteration,
    joining,
    npy_files,
    number_text,
    padding,
    polynomial_class,
    polynomials,
    printing,
    products,
    quantiles,
    sets,
    shapes,
    signal,
    state,
    statistics,
    text_files,
    types,
    vectorization,
    windows,
)
from .arrays import *  # noqa: F403
from .constants import *  # noqa: F403
from .derivatives import *  # noqa: F403
from .diagonals import *  # noqa: F403
from .element_iteration import *  # noqa: F403
from .elements import *  # noqa: F403
from .gradients import *  # noqa: F403
from .grids import *  # noqa: F403
from .histograms import *  # noqa: F403
from .indexing import *  # noqa: F403
from .inspection import *  # noqa: F403
from .iteration import *  # noqa: F403
from .joining import *  # noqa: F403
from .npy_files import *  # noqa: F403
from .number_text import *  # noqa: F403
from .padding import *  # noqa: F403
from .polynomial_class import *  # noqa: F403
from .polynomials import *  # noqa: F403
from .printing import *  # noqa: F403
from .products import *  # noqa: F403
from .quantiles import *  # noqa: F403
from .sets import *  # noqa: F403
from .shapes import *  # noqa: F403
from .signal import *  # noqa: F403
from .state import *  # noqa: F403
from .statistics import *  # noqa: F403
from .text_files import *  # noqa: F403
from .types import *  # noqa: F403
from .vectorization import *  # noqa: F403
from .windows import *  # noqa: F403

_modules = (
    arrays,
    constants,
    derivatives,
    diagonals,
    element_iteration,
    elements,
    gradients,
    grids,
    histograms,
    indexing,
    inspection,
    iteration,
    joining,
    npy_files,
    number_text,
    padding,
    polynomial_class,
    polynomials,
    printing,
    products,
    quantiles,
    sets,
    shapes,
    signal,
    state,
    statistics,
    text_files,
    types,
    vectorization,
    windows,
)
__all__ = sorted({name for module in _modules for name in module.__all__})
