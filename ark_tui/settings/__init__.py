"""Settings: the home folder, configuration values, and ranking profiles as data."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ark_tui.settings.caller import FixedClock, SystemClock
    from ark_tui.settings.config import Settings, load
    from ark_tui.settings.home import Home
    from ark_tui.settings.kinds import Root

__all__ = ["FixedClock", "Home", "Root", "Settings", "SystemClock", "load"]

PLACES = {
    "FixedClock": "caller", "SystemClock": "caller", "Settings": "config", "load": "config",
    "Home": "home", "Root": "kinds",
}  # fmt: skip
"""The module of each name, for lazy imports: a client of the home process needs no settings."""


def __getattr__(name: str) -> Any:
    """Import a public name or a submodule on first access (PEP 562)."""
    if name in PLACES:
        return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"There is no {name} in settings.") from error
