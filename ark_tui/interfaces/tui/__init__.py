"""The workbench: ark-tui in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.settings import Settings


def run(settings: Settings, *, tour: bool = False) -> None:
    """Open the workbench over a home and stay until the person quits; `tour`: with a tour of it."""
    from ark_tui.domain.display import visible
    from ark_tui.interfaces.tui.app import ArkApp

    app = ArkApp(settings, tour=tour)
    try:
        app.run()
    finally:
        for notice in app.context.opening.notices():  # of what was done last
            sys.stderr.write(f"{visible(notice)}\n")
        app.context.opening.close()
