"""Takes the README's pictures from the running workbench, over the sample notes: `make pictures`."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

# Textual reads the environment when it is imported.
os.environ.update(TEXTUAL_ANIMATIONS="none", TERM="xterm-256color", COLORTERM="truecolor")

from cast import Cast

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.interfaces.tui.state import session
from ark_tui.settings import Settings, load

if TYPE_CHECKING:
    from textual.pilot import Pilot


class Picture(NamedTuple):
    """How large the screen is, in which colours, the keys after the search, and what is then to be seen."""

    size: tuple[int, int]
    theme: str = "textual-dark"
    keys: tuple[str, ...] = ()
    shows: str = ""


ASSETS = Path(__file__).parent
QUERY = "spectral gap mixing"
PICTURES: dict[str, Picture] = {
    "why-80x24": Picture((80, 24), keys=("down", "j", "w")),
    "light-120x34": Picture((120, 34), "textual-light", keys=("down", "j", "enter")),
    "library-120x34": Picture((120, 34), keys=("alt+2", "right", "j", "j", "j")),
    "queue-120x34": Picture((120, 34), keys=("down", "Q"), shows="0 decided"),
    "map-120x34": Picture((120, 34), keys=("alt+5", *"jjjjj"), shows="Neighbors are similar"),
}
STORY: tuple[tuple[float, tuple[str, ...], str], ...] = (
    (1.2, (), ""),
    *((0.3, tuple(part), "") for part in ("sp", "ect", "ral", "_ga", "p_m")),
    (2.2, tuple("ixing"), "Score details"),
    (0.8, ("down",), ""),
    (1.0, ("j",), ""),
    (2.4, ("enter",), ""),
    (2.6, ("w",), "rank weight"),
    (0.6, ("w",), ""),
    (0.8, ("escape",), ""),
    (1.0, ("5",), ""),
    (3.2, ("j",) * 5, "Neighbors are similar"),
)
"""What the moving picture shows: seconds, the keys before, and a text to wait for."""

PATIENCE = 2000  # looks at the screen, a hundredth of a second apart


async def take(settings: Settings, name: str) -> None:
    """Open the workbench, search, press keys, and write what is on the screen."""
    size, theme, keys, shows = PICTURES[name]
    (settings.home.path / session.FILES[session.Session][0]).unlink(missing_ok=True)  # each begins anew
    app = ArkApp(settings)
    try:
        async with app.run_test(size=size) as pilot:
            app.theme = theme
            await pilot.press(*("space" if key == " " else key for key in QUERY))
            await _settled(pilot, app)
            await pilot.press(*keys)
            await (_seen(pilot, app, shows) if shows else _settled(pilot, app))
            picture = app.export_screenshot(title="ark-tui")
    finally:
        app.context.opening.close()
    steady = re.sub(r"terminal-\d+", "terminal", picture)
    (ASSETS / f"{name}.svg").write_text(steady, "utf-8")


async def _settled(pilot: Pilot[None], app: ArkApp) -> None:
    """Wait for the whole result, and for the text of the hit under the cursor."""
    for _ in range(PATIENCE):
        await pilot.pause(0.01)
        workbench = app.screen_stack[0]
        assert isinstance(workbench, Workbench)
        result, hits = workbench.search_pane.result, workbench.search_pane.hits
        hit, passage = hits.results.hit, hits.reader.passage
        complete = result is not None and not result.partial and result.query.raw == QUERY
        if complete and hit and passage and passage.document.id == hit.document.id:
            await pilot.pause(0.2)
            return
    raise SystemExit("The workbench did not come to rest.")


async def _seen(pilot: Pilot[None], app: ArkApp, text: str) -> None:
    """Wait until a text is on the screen, and for whatever comes beside it."""
    for _ in range(PATIENCE):
        await pilot.pause(0.01)
        if text in app.export_screenshot(simplify=True).replace("&#160;", " "):
            await pilot.pause(1.0)
            return
    raise SystemExit(f"There is no {text!r} on the screen.")


async def film(settings: Settings) -> None:
    """Search, read, see why, look at the map: as it is on the screen, in one picture that moves."""
    app = ArkApp(settings)
    try:
        async with app.run_test(size=(120, 34)) as pilot:
            cast = Cast(app.ansi_theme)
            await pilot.pause(1.0)
            for seconds, keys, shows in STORY:
                await pilot.press(*("space" if key == "_" else key for key in keys))
                await pilot.pause(1.0)
                if shows:
                    await _seen(pilot, app, shows)
                cast.add(app.screen._compositor.render_strips(), seconds)
            still = STORY.index(next(one for one in STORY if "rank weight" in one))
            picture = cast.svg(
                "Search, read, see why a hit is there, and look at the map of the corpus", still
            )
    finally:
        app.context.opening.close()
    (ASSETS / "tour.svg").write_text(picture, "utf-8")


def main() -> None:
    """Index the sample notes into a home that is thrown away, and take every picture."""
    with tempfile.TemporaryDirectory() as home:
        settings = load(Path(home), environ={"ARK_NOW": "2026-11-21T00:00:00Z"})
        with Engine(settings) as engine:
            engine.index([ASSETS / "sample"])
        asyncio.run(film(settings))
        for name in sys.argv[1:] or PICTURES:
            asyncio.run(take(settings, name))


if __name__ == "__main__":
    main()
