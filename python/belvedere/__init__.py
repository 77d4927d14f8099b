"""Arrays whose views are exact, explained and shared."""

from . import exceptions
from ._native import *  # noqa: F403
