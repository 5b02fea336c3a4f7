"""The settings pane: what is set, from where and why; what is changed here, and re-reading config.toml."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.panes.settings import SettingsPane
from ark_tui.interfaces.tui.state import setting_rows
from ark_tui.settings.config import OPTIONS
from tests.ollama_server import OllamaServer
from tests.tui.bench import Bench, bench

Frame = Callable[[App[None], str], None]

CONFIG = """\
profile = "mine"
agent_id = "ann"
blnk = true

[profiles.mine]
about = "Words first."
weights.bm25 = 0.5

[keymap]
"hits.copy" = "e"
"""

SERVER = "http://127.0.0.1:1"  # where nobody listens


def pane_of(b: Bench) -> SettingsPane:
    return b.workbench.query_one(SettingsPane)


async def at_section(b: Bench, name: str) -> SettingsPane:
    """Go to the settings, to a section, and to its rows."""
    await b.opened()
    await b.workbench.show_pane("settings")
    pane = pane_of(b)
    await b.until(lambda: pane._models is not None, "the models")
    names = [section.name for section in pane.sections.rows]
    pane.sections.cursor = names.index(name)
    await b.pilot.pause()
    pane.values.focus()
    await b.pilot.pause()
    return pane


async def at_row(b: Bench, section: str, name: str) -> SettingsPane:
    pane = await at_section(b, section)
    pane.values.cursor = [row.name for row in pane.values.rows].index(name)
    await b.pilot.pause()
    return pane


def values(pane: SettingsPane) -> dict[str, tuple[str, str]]:
    return {row.name: (row.value, row.origin) for row in pane.values.rows}


def remembered(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / "workbench.json").read_text())
    return found


def test_every_setting_is_in_one_section() -> None:
    counted = Counter(name for section in setting_rows.SECTIONS for name in section.options)
    assert counted == Counter(list(OPTIONS))


async def test_what_cannot_be_used_comes_first_with_its_line(filled: Path) -> None:
    (filled / "config.toml").write_text(CONFIG)
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        pane = await at_section(b, "Wrong")
        assert [row.name for row in pane.values.rows] == ["line 3", "line 10"]
        assert "blnk is not a setting" in pane.values.rows[0].value
        assert pane._line(pane.values.rows[1]) == 10


async def test_no_key_of_a_server_is_ever_shown(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-or-v1-0123456789abcdef"
    monkeypatch.setenv("OPENROUTER_API_KEY", secret)
    (filled / "keys").write_text(f'OPENAI_API_KEY = "{secret}"\n')
    (filled / "keys").chmod(0o600)
    (filled / "config.toml").write_text(f'editor = "env TOKEN={secret} vi"\n')
    async with bench(filled, (120, 60), OLLAMA_HOST=SERVER) as b:
        pane = await at_section(b, "Models")
        assert values(pane)["OPENROUTER_API_KEY"] == ("•••", "$OPENROUTER_API_KEY")
        assert values(pane)["OPENAI_API_KEY"][0] == "•••"
        for section in setting_rows.sections(pane._known):
            for row in section.rows(pane._known):
                assert secret not in repr(row)


async def test_a_profile_is_chosen_for_this_workbench_and_remembered(filled: Path) -> None:
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        await b.searched("spectral gap")
        pane = await at_row(b, "Ranking", "ark")
        assert values(pane)["default"][0].startswith("in use")
        assert "fusion: rrf, k 15" in b.text()
        shown = b.search.stages.shown
        await b.pilot.press("enter")
        await b.until(lambda: b.search.stages.shown > shown and b.complete("spectral gap"), "the hits anew")
        assert b.search.result is not None
        assert b.search.result.profile == "ark"
        assert values(pane)["ark"][0].startswith("in use, chosen here")
    assert remembered(filled)["profile"] == "ark"
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        await b.searched("spectral gap")
        assert b.search.result is not None
        assert b.search.result.profile == "ark"
        pane = await at_row(b, "Ranking", "profile")
        await b.pilot.press("enter")
        assert values(pane)["default"][0].startswith("in use")
    assert remembered(filled)["profile"] == ""


@contextmanager
def nothing() -> Iterator[None]:
    yield


def editing(home: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """An editor that notes what it was asked for and writes a text, in a terminal that lets it."""
    monkeypatch.setattr(ArkApp, "suspend", lambda _: nothing())
    script = home / "editor.py"
    script.write_text(
        f"import sys, shutil; shutil.copy(sys.argv[2], {str(home / 'seen')!r}); "
        f"open({str(home / 'asked')!r}, 'w').write(sys.argv[1]); open(sys.argv[2], 'w').write({text!r})"
    )
    return f"{sys.executable} {script}"


async def test_e_opens_the_file_at_the_setting_and_what_it_says_is_taken_up(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = 'theme = "nord"\nblink = 3\nagent_id = "bob"\n\n[keymap]\n"hits.copy" = "c"\n"no.thing" = "x"\n'
    async with bench(filled, (120, 60), OLLAMA_HOST=SERVER, EDITOR=editing(filled, monkeypatch, new)) as b:
        pane = await at_row(b, "Memory", "agent_id")
        before = b.app.context.opening.opened
        await b.pilot.press("e")
        await b.until(lambda: b.app.context.settings.agent_id == "bob")
        template = (filled / "seen").read_text().splitlines()
        assert template[int((filled / "asked").read_text()[1:]) - 1] == '# agent_id = "default"'
        said = "\n".join(one.text for one in b.app.context.said)
        config = filled / "config.toml"
        assert f"{config}:2: blink must be true or false, not 3. It is left out." in said
        assert f"{config}:7: keymap.no.thing: there is no action no.thing" in said
        assert b.app.theme == "nord"
        assert b.app.context.opening.opened is not before
        assert values(pane)["agent_id"] == ("bob", "config.toml")
        await b.pilot.press("1")
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("y")
        assert b.app.clipboard == ""
        await b.pilot.press("c")
        assert "spectral" in b.app.clipboard


async def test_the_settings_as_they_look(filled: Path, frame: Frame) -> None:
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        await at_row(b, "Ranking", "ark")
        frame(b.app, "settings-120x34")


async def test_another_model_is_switched_to_as_long_work_and_is_in_use_then(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OllamaServer("nomic-embed-text") as server:
        monkeypatch.setenv("OLLAMA_HOST", server.host)  # for the working process, too
        async with bench(filled, OLLAMA_HOST=server.host) as b:
            pane = await at_row(b, "Models", "ollama:nomic-embed-text")
            assert values(pane)["better"][0] == "ollama:nomic-embed-text"
            assert values(pane)["static"][0].startswith("in use")
            await b.pilot.press("enter")
            await b.until(
                lambda: values(pane)["ollama:nomic-embed-text"][0].startswith("in use"), "the model in use"
            )
            assert values(pane)["static"][0].startswith("kept")
            done = "Vectors of ollama:nomic-embed-text: done"
            await b.until(lambda: b.said(done), done)
            await b.pilot.press("1")
            await b.searched("spectral gap")
            assert b.search.result is not None
            assert b.search.result.profile == "model"
