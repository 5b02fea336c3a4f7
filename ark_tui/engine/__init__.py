"""The facade used by all interfaces."""

from ark_tui.engine.engine import Engine

__all__ = ["Engine"]
