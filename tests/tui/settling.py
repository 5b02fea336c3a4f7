"""When a pilot goes on after a key: not after a time, but when nothing of the app is under way."""

from __future__ import annotations

from asyncio import FIRST_COMPLETED, AbstractEventLoop, get_running_loop, sleep, wait
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any

from textual._context import active_app

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

LOOK_EVERY = 0.02  # seconds between two looks at workers
IDLE = 0.001  # seconds of computing between two looks at which workers are taken to wait for something


async def settled(least: float = 0, most: float = 1) -> None:
    """Wait until no message is unread, all is painted and no worker computes, for `most` seconds at most.

    It stands in for Textual's `wait_for_idle`, which sleeps at least twice 20 ms for each key, and takes a
    process that others keep from computing for one that has nothing to do.
    """
    del least
    app = active_app.get()
    loop = get_running_loop()
    end = monotonic() + most
    while monotonic() < end:
        await _read(loop)
        if app._resize_event is not None:
            app._check_resize()
        elif _unpainted(app.screen):
            app.screen._on_timer_update()
        elif await _resting(app):
            return


async def _read(loop: AbstractEventLoop) -> None:
    """Let every task go on that can."""
    tasks: Any = loop
    ready = True
    while ready:
        await sleep(0)
        ready = bool(tasks._ready)


def _unpainted(screen: Screen[Any]) -> bool:
    """Whether the next frame is due, or somebody waits for it."""
    if screen.app._batch_count or not screen.is_current:
        return False
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )


async def _resting(app: App[Any]) -> bool:
    """Whether the workers have ended, or wait; until one of them ends, or it is time for another look."""
    tasks = [worker._task for worker in app.workers if worker.is_running and worker._task]
    if not tasks:
        return True
    before = process_time()
    ended, _ = await wait(tasks, timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
    return not ended and process_time() - before < IDLE
