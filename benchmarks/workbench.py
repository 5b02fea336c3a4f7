"""A workbench in the process that measures it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from ark_tui.interfaces.tui.app import ArkApp
    from ark_tui.settings import Settings


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[tuple[ArkApp, Pilot[None]]]:
    """A workbench that knows what is in its home, begun as the command begins it."""
    from ark_tui.interfaces.tui.app import ArkApp

    app = ArkApp(settings)
    try:
        async with app.run_test(size=(120, 34)) as pilot:
            while app.workbench.status is None:
                await pilot.pause(0.05)
            yield app, pilot
    finally:
        app.context.opening.close()


async def painted(app: ArkApp) -> None:
    """Wait until what has changed is on the screen."""
    done = asyncio.Event()
    app.workbench.call_after_refresh(done.set)
    await done.wait()
