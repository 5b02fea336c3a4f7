"""Settings: the home folder, what the user has chosen, and ranking profiles as data."""

from ark_tui.settings.clock import FixedClock, SystemClock
from ark_tui.settings.config import Settings, load
from ark_tui.settings.home import Home
from ark_tui.settings.roots import Root

__all__ = ["FixedClock", "Home", "Root", "Settings", "SystemClock", "load"]
