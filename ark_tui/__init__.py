"""ark-tui: a knowledge workbench for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from ark_tui.engine import Engine

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> object:
    """`ark_tui.Engine`, imported when it is first asked for: the package itself imports nothing."""
    if name == "Engine":
        from ark_tui.engine import Engine

        return Engine
    raise AttributeError(name)
