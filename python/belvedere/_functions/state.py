"""Settings of NumPy that have no effect here: floating-point errors raise no warnings."""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["errstate", "getbufsize", "geterr", "geterrcall", "setbufsize", "seterr", "seterrcall"]

_DEFAULT = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_CHOICES = ("ignore", "warn", "raise", "call", "print", "log")
_errors: contextvars.ContextVar[dict[str, str]] = contextvars.ContextVar("errors", default=_DEFAULT)
_handler: contextvars.ContextVar[Any] = contextvars.ContextVar("handler", default=None)
_buffer_size: contextvars.ContextVar[int] = contextvars.ContextVar("buffer_size", default=8192)


def geterr() -> dict[str, str]:
    """Returns the settings of ``seterr``; they have no effect.

    >>> bv.geterr()["divide"]
    'warn'
    """
    return dict(_errors.get())


def seterr(
    all: str | None = None,  # noqa: A002
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    """Keeps how floating-point errors are to be handled and returns the settings before.

    It has no effect: operations return infinities and NaNs without a warning.

    >>> before = bv.seterr(all="ignore")
    >>> bv.geterr()["divide"]
    'ignore'
    >>> _ = bv.seterr(**before)
    """
    before = geterr()
    given = {"divide": divide, "over": over, "under": under, "invalid": invalid}
    new = {name: value or all or before[name] for name, value in given.items()}
    for name, value in new.items():
        if value not in _CHOICES:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, _CHOICES))}, got {value!r}")
    _errors.set(new)
    return before


class errstate(contextlib.ContextDecorator):  # noqa: N801
    """Keeps the settings of ``seterr`` for a block or a function; they have no effect.

    >>> with bv.errstate(divide="ignore"):
    ...     bv.asarray(1.0) / 0
    array(inf)
    """

    def __init__(self, *, call: Any = None, **settings: str | None) -> None:
        self._call, self._settings = call, settings
        self._tokens: list[Any] = []

    def __enter__(self) -> None:
        self._tokens.append((_errors.set(_errors.get()), _handler.set(self._call or _handler.get())))
        seterr(**self._settings)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        errors, handler = self._tokens.pop()
        _errors.reset(errors)
        _handler.reset(handler)


def geterrcall() -> Any:
    """Returns the handler of ``seterrcall``, which is never called.

    >>> bv.geterrcall() is None
    True
    """
    return _handler.get()


def seterrcall(func: Any) -> Any:
    """Keeps a handler of floating-point errors, which is never called, and returns the one before.

    >>> bv.seterrcall(None) is None
    True
    """
    before = _handler.get()
    _handler.set(func)
    return before


def getbufsize() -> int:
    """Returns the setting of ``setbufsize``; it has no effect.

    >>> bv.getbufsize()
    8192
    """
    return _buffer_size.get()


def setbufsize(size: int) -> int:
    """Keeps the size of NumPy's buffers and returns the one before; operations here have no such buffers.

    >>> bv.setbufsize(8192)
    8192
    """
    before = _buffer_size.get()
    _buffer_size.set(size)
    return before
