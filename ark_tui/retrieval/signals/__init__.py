"""The ranking signals: one per module of this package with a `SIGNAL`, sorted by its `order`.

To add one, write its module and register it with the settings: `python -m ark_tui.retrieval.signals`. Its
weight is 0 in every profile that does not name it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ark_tui.domain.hits import SignalInfo
from ark_tui.settings import ranking

if TYPE_CHECKING:
    from ark_tui.retrieval.state import Signal

    SIGNALS: tuple[Signal, ...]
    BY_NAME: dict[str, Signal]


class Listed(NamedTuple):
    """The fields of `Signal` needed for status displays and lists."""

    info: SignalInfo
    backend: str
    quiet: bool


def listed() -> tuple[Listed, ...]:
    """The signals of this package in order, from the settings; imports none of them."""
    return tuple(Listed(SignalInfo(*info), backend, quiet) for info, backend, quiet in ranking.KNOWN)


def found() -> tuple[Signal, ...]:
    """Import all signal modules and return their signals in order."""
    from importlib import import_module
    from pkgutil import iter_modules

    names = [module.name for module in iter_modules(__path__) if module.name != "__main__"]
    modules = [import_module(f"{__name__}.{name}") for name in names]
    signals: list[Signal] = [module.SIGNAL for module in modules if hasattr(module, "SIGNAL")]
    return tuple(sorted(signals, key=lambda signal: (signal.order, signal.info.name)))


LISTED = listed()


def __getattr__(name: str) -> object:
    """Load `SIGNALS` and `BY_NAME` lazily: a keyword search needs only three signals."""
    if name not in ("SIGNALS", "BY_NAME"):
        raise AttributeError(name)
    everyone = found()
    globals().update(SIGNALS=everyone, BY_NAME={signal.info.name: signal for signal in everyone})
    return globals()[name]
