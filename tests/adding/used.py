"""Uses what the diffs have added, in a process that imports the changed copy: prints what came of each.

`python -m tests.adding.used FOLDER`: a line of JSON, by name of the diff, or why it failed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.index.vectors.exact import Exact
from ark_tui.interfaces.cli import manual
from ark_tui.interfaces.cli.group import Commands
from ark_tui.interfaces.tui.app import ArkApp
from tests.operations.interfaces import CATALOG, Command, Direct, Route, Tool

FACES = (Command, Route, Tool)
TEXTS = {
    "Otters": "Otters sleep in rivers, on their backs, and they hold hands so that none drifts away.",
    "Swim": "Otters swim.",
    "Tea": "Green tea is steeped at eighty degrees.",
}


def capability(home: Path) -> Any:
    """What each interface answers; its page of the manual."""
    pages = "".join(manual.pages(Commands(name="ark-tui", catalog=CATALOG)))
    told = [asked(kind, home, "labels list", least=2)["labels"] for kind in FACES]
    return told, "Only tags of at least so many documents." in " ".join(pages.split())


def memory(home: Path) -> Any:
    """A decision is added by one interface and found, edited and retired by the others."""
    text = "The harbour crane is painted green."
    added = asked(Command, home, "decisions add", text=text, source="review of 3 May")
    again = asked(Route, home, "decisions add", text=text, source="review of 3 May")
    with Engine(settings.load(home)) as engine:
        found = [hit.document.id for hit in engine.search(Request("harbour crane type:decision")).hits]
        context = engine.memory.context("which colour has the harbour crane").text
    ref = added["id"]
    edited = asked(Route, home, "decisions edit", id=ref, text="The harbour crane is painted red.")
    asked(Tool, home, "decisions retire", id=ref, reason="it was taken down")
    left = [asked(kind, home, "decisions list")["decisions"] for kind in FACES]
    return {
        "same": again["id"] == ref,
        "found": found == [ref],
        "in context": "painted green" in context,
        "edited": (edited["id"] == ref, edited["text"]),
        "left": left,
        "layer": added["document"]["layer"] if "document" in added else added.get("layer"),
    }


def pane(home: Path) -> Any:
    """What the screen shows after its key."""

    async def shown() -> list[str]:
        app = ArkApp(settings.load(home))
        async with app.run_test(size=(120, 34)) as pilot:
            await pilot.press("alt+8")
            lines: list[str] = []
            for _ in range(400):
                await pilot.pause(0.05)
                lines = [
                    "".join(part.text for part in line) for line in app.screen._compositor.render_strips()
                ]
                if any("documents to be labelled" in line for line in lines):
                    break
            return [line.strip() for line in lines if "8 Labels" in line or "labelled" in line]

    return asyncio.run(shown())


def signal(home: Path) -> Any:
    """How a search ranks with it and without, and what it contributes."""
    plain = asked(Command, home, "search", query="otters", adjust=("weight.brevity=0",))
    with_it = asked(Command, home, "search", query="otters", adjust=("weight.brevity=9",))
    parts = {one["name"]: one["contribution"] for one in with_it["hits"][0]["signals"]}
    return (
        [one["document"]["title"] for one in plain["hits"]],
        [one["document"]["title"] for one in with_it["hits"]],
        parts["brevity"],
    )


def setting(home: Path) -> Any:
    """It is set, told, checked, and has its line in a new config.toml."""
    set_ = asked(Command, home, "config set", name="shelves", value="6")
    refused = Command(home).ask(CATALOG.get("config set"), {"name": "shelves", "value": "60"})
    read = settings.load(home)
    over = settings.load(home, environ={"ARK_SHELVES": "7"})
    return {
        "set": (set_["name"], set_["value"], set_["origin"]),
        "refused": refused.json["error"],
        "read": vars(read)["shelves"],
        "variable": (vars(over)["shelves"], over.origin("shelves")),
        "described": "How many shelves a library has." in "".join(manual.settings()),
    }


def format(home: Path) -> Any:  # noqa: A001 - as the diff is called
    """The title of a file of the new format."""
    folder = home.parent / "rst"
    folder.mkdir()
    (folder / "badger.rst").write_text("Badgers\n=======\n\nThey dig setts.\n", "utf-8")
    added = asked(Command, home, "index", roots=(str(folder),))["added"]
    with Engine(settings.load(home)) as engine:
        return added, [hit.document.title for hit in engine.search(Request("setts", limit=1)).hits]


def vectors(home: Path) -> Any:
    """Which engine answers, how often it was asked, and whether it ranks as the exact one does."""
    with Engine(settings.load(home)) as engine:
        index = engine._parts.vectors.open()
        assert index is not None
        kind, calls = type(index), []
        search = kind.search

        def counted(self: Exact, *given: Any) -> Any:
            calls.append(given[1])
            return search(self, *given)

        setattr(kind, "search", counted)  # noqa: B010 - for mypy
        hits = engine.search(Request("where do otters sleep", "semantic")).hits
        setattr(kind, "search", search)  # noqa: B010 - likewise
        exact = Exact(engine._parts.vectors.refresh())  # type: ignore[arg-type]
        row = exact.vectors([1])[1][0]
        nowhere = Request("").filters
        same = index.search(row, 3, nowhere).chunks.tolist() == exact.search(row, 3, nowhere).chunks.tolist()
    return kind.__name__, len(calls) > 0, [hit.document.title for hit in hits][:1], same


def asked(kind: Callable[[Path], Any], home: Path, what: str, /, **given: Any) -> Any:
    """What an interface answers, which must not be a refusal."""
    with closing(kind(home)) as interface:
        told = interface.ask(CATALOG.get(what), given)
    assert not told.refused, told.json
    return told.json


USES: Mapping[str, Callable[[Path], Any]] = {
    one.__name__: one for one in (capability, memory, signal, setting, format, vectors, pane)
}


def main() -> None:
    home = Path(sys.argv[1]) / "home"
    with closing(Direct(home)) as direct:
        for title, text in TEXTS.items():
            direct.engine.ingest_text(text, title=title, tags=["otter"] if "tter" in text else ["tea"])
    told: dict[str, Any] = {}
    for name, use in USES.items():
        try:
            told[name] = use(home)
        except Exception:  # noqa: BLE001 - told to the test
            told[name] = traceback.format_exc()
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
