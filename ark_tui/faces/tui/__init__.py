"""The workbench: ark-tui in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.settings import Settings


def run(settings: Settings) -> None:
    """Open the workbench over a home and stay until the person quits."""
    from ark_tui.faces.tui.app import ArkApp

    app = ArkApp(settings)
    try:
        app.run()
    finally:
        app.opening.close()
