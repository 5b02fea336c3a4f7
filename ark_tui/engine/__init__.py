"""The facade: all that an interface may ask for."""

from ark_tui.engine.engine import Engine

__all__ = ["Engine"]
