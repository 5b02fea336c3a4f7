"""The facade: all that a face may ask for."""

from ark_tui.engine.engine import Engine

__all__ = ["Engine"]
