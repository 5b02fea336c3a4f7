"""`ark-tui` and nothing else on a terminal: the workbench, without what reads a command line.

That takes 12 ms to load, a twentieth of the time to the first frame.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ark_tui.settings import Settings


def opened(environ: Mapping[str, str]) -> int | None:
    """The exit code of the workbench; None: something is to be said or looked up, by the command line."""
    if "_ARK_TUI_COMPLETE" in environ or environ.get("ARK_CONNECT", "").strip():
        return None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    from ark_tui.settings import load

    try:
        settings = load()
    except ArkError:
        return None
    if settings.warnings:
        return None
    try:
        shown(settings)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - as the command line says it
        from ark_tui.interfaces.cli.app import failed

        return failed(error)
    return 0


def shown(settings: Settings, *, tour: bool = False) -> None:
    """The workbench over a home of this machine, and its door once the home is open."""
    from ark_tui.interfaces import tui

    with ExitStack() as stack:

        def begun() -> None:
            from ark_tui.interfaces.cli import app, door

            stack.enter_context(door.opened(settings.home, "the workbench", app.run))

        tui.run(settings, tour=tour, begun=begun)
