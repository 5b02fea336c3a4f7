"""The workbench: ark-tui in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.settings import Settings


TURN = 0.001
"""Seconds after which a thread that searches lets the one that paints go on; Python takes five times that."""


def run(settings: Settings) -> None:
    """Open the workbench over a home and stay until the person quits."""
    from ark_tui.faces.tui.app import ArkApp

    sys.setswitchinterval(TURN)
    app = ArkApp(settings)
    try:
        app.run()
    finally:
        app.opening.close()
