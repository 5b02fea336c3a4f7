"""ark-tui: a knowledge workbench for the terminal."""

from __future__ import annotations

from ark_tui.version import VERSION

__version__ = VERSION

TYPE_CHECKING = False  # as `typing` has it, which is not imported for it
if TYPE_CHECKING:
    from ark_tui.engine import Engine

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> object:
    """`ark_tui.Engine`, imported when it is first asked for: the package itself imports nothing."""
    if name == "Engine":
        from ark_tui.engine import Engine

        return Engine
    raise AttributeError(name)
