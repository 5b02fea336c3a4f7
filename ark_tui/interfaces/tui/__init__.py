"""The workbench: ark-tui in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.interfaces.client.opening import AnyHome
    from ark_tui.settings import Settings


def run(settings: Settings, make: Callable[[], AnyHome] | None = None, url: str = "") -> None:
    """Run the workbench on a home until the user quits.

    `make` opens the home (default: the home of the settings). `url`: the server of the home.
    """
    from ark_tui.domain.display import visible
    from ark_tui.interfaces.tui.app import ArkApp
    from ark_tui.interfaces.tui.state.client import Opening

    opening = Opening(settings, make, url)
    if url:
        opening.kept.mkdir(0o700, parents=True, exist_ok=True)
    app = ArkApp(settings, opening=opening)
    try:
        app.run()
    finally:
        opening.close()
        for notice in opening.notices():  # the latest edit
            sys.stderr.write(f"{visible(notice)}\n")
