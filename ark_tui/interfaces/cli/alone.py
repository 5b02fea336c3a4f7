"""`ark-tui` and nothing else on a terminal: the workbench, without what reads a command line.

That takes 12 ms to load, a twentieth of the time to the first frame.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces import tui
from ark_tui.interfaces.cli import knock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ark_tui.interfaces.cli.door import Run
    from ark_tui.settings import Settings


def opened(environ: Mapping[str, str], run: Run) -> bool:
    """Open the workbench until it ends; not where the command line has to say or look something up."""
    if knock.COMPLETION in environ or environ.get("ARK_CONNECT", "").strip() or not knock.on_terminal():
        return False
    from ark_tui.settings import load

    try:
        settings = load()
    except ArkError:
        return False
    if settings.warnings:
        return False
    shown(settings, run)
    return True


def shown(settings: Settings, run: Run) -> None:
    """The workbench over a home of this machine; once that is open its door, whose commands `run` runs."""
    with ExitStack() as stack:

        def begun() -> None:
            from ark_tui.interfaces.cli import door

            stack.enter_context(door.opened(settings.home, "the workbench", run))

        tui.run(settings, begun=begun)
