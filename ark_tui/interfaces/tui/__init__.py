"""The workbench: ark-tui in the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.interfaces.remote.home import Home
    from ark_tui.settings import Settings


def run(
    settings: Settings,
    *,
    elsewhere: Home | None = None,
    begun: Callable[[], object] | None = None,
) -> None:
    """Open the workbench over a home and stay until the person quits.

    `elsewhere`: the home of another machine, in place of that of the settings. `begun` is told, in a thread,
    when the home is open.
    """
    from ark_tui.domain.display import visible
    from ark_tui.interfaces.tui.app import ArkApp

    opening = None
    if elsewhere is not None:
        from ark_tui.interfaces.tui.state.served import Served

        opening = Served(settings, elsewhere)
        opening.kept.mkdir(0o700, parents=True, exist_ok=True)
    app = ArkApp(settings, opening=opening)
    app.context.begun = begun
    try:
        app.run()
    finally:
        for notice in app.context.opening.notices():  # of what was done last
            sys.stderr.write(f"{visible(notice)}\n")
        app.context.opening.close()
