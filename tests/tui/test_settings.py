"""The settings: what is set, from where and why; what is changed here, and re-reading config.toml."""

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
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.state import setting_names
from ark_tui.interfaces.tui.state.names import Choice
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

NOMIC = "ollama:nomic-embed-text"
SERVER = "http://127.0.0.1:1"  # where nobody listens


async def settings(b: Bench) -> PickScreen:
    """Open the settings, and wait for the models."""
    await b.opened()
    await b.pilot.press("alt+0")
    screen = await b.shown(PickScreen)
    await b.until(lambda: "ollama" in choices(screen), "the models")
    return screen


async def at(b: Bench, label: str) -> PickScreen:
    """Open the settings, with the cursor on one of them."""
    screen = await settings(b)
    screen.line.value = label
    await b.until(lambda: screen.choices.here and screen.choices.here.label == label, label)
    return screen


def choices(screen: PickScreen) -> dict[str, Choice]:
    return {one.label: one for one in screen._known or ()}


def remembered(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / "workbench.json").read_text())
    return found


def test_every_setting_is_in_one_group() -> None:
    counted = Counter(name for names in setting_names.GROUPS.values() for name in names)
    assert counted == Counter(list(OPTIONS))


async def test_what_cannot_be_used_comes_first_with_its_line(filled: Path) -> None:
    (filled / "config.toml").write_text(CONFIG)
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        first, second = list(choices(await settings(b)).values())[:2]
        assert (first.name, second.name) == ("line:3", "line:10")
        assert "blnk is not a setting" in first.preview


async def test_no_key_of_a_server_is_ever_shown(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-or-v1-0123456789abcdef"
    monkeypatch.setenv("OPENROUTER_API_KEY", secret)
    (filled / "keys").write_text(f'OPENAI_API_KEY = "{secret}"\n')
    (filled / "keys").chmod(0o600)
    (filled / "config.toml").write_text(f'editor = "env TOKEN={secret} vi"\n')
    async with bench(filled, (120, 60), OLLAMA_HOST=SERVER) as b:
        found = choices(await settings(b))
        assert found["OPENROUTER_API_KEY"].about == "••• · $OPENROUTER_API_KEY"
        assert found["OPENAI_API_KEY"].about.startswith("•••")
        assert secret not in repr(found)


async def test_a_profile_is_chosen_for_this_workbench_and_remembered(filled: Path) -> None:
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        await b.searched("spectral gap")
        found = choices(await at(b, "ark"))
        assert found["default"].state == "in use"
        await b.until(lambda: "fusion: rrf, k 15" in b.text())
        shown = b.search.stages.shown
        await b.pilot.press("enter")
        await b.until(lambda: b.search.stages.shown > shown and b.complete("spectral gap"), "the hits anew")
        assert b.search.result is not None
        assert b.search.result.profile == "ark"
    assert remembered(filled)["profile"] == "ark"
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        await b.searched("spectral gap")
        assert b.search.result is not None
        assert b.search.result.profile == "ark"
        assert choices(await at(b, "default"))["ark"].state == "in use, chosen here"
        await b.pilot.press("enter")
        await b.until(lambda: b.said("ranked by the profile default"))
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


async def test_enter_opens_the_file_at_the_setting_and_what_it_says_is_taken_up(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = 'theme = "nord"\nblink = 3\nagent_id = "bob"\n\n[keymap]\n"hits.copy" = "c"\n"no.thing" = "x"\n'
    async with bench(filled, (120, 60), OLLAMA_HOST=SERVER, EDITOR=editing(filled, monkeypatch, new)) as b:
        await at(b, "agent_id")
        before = b.app.context.opening.opened
        await b.pilot.press("enter")
        await b.until(lambda: b.app.context.settings.agent_id == "bob")
        template = (filled / "seen").read_text().splitlines()
        assert template[int((filled / "asked").read_text()[1:]) - 1] == '# agent_id = "default"'
        said = "\n".join(one.text for one in b.app.context.said)
        config = filled / "config.toml"
        assert f"{config}:2: blink must be true or false, not 3. It is left out." in said
        assert f"{config}:7: keymap.no.thing: there is no action no.thing" in said
        assert b.app.theme == "nord"
        assert b.app.context.opening.opened is not before
        assert choices(await settings(b))["agent_id"].about == "bob · config.toml"
        await b.pilot.press("escape")
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("y")
        assert b.app.clipboard == ""
        await b.pilot.press("c")
        assert "spectral" in b.app.clipboard


async def test_the_settings_as_they_look(filled: Path, frame: Frame) -> None:
    async with bench(filled, OLLAMA_HOST=SERVER) as b:
        screen = await settings(b)
        screen.choices.cursor = [*choices(screen)].index("ark")
        await b.until(lambda: "fusion: rrf" in b.text())
        frame(b.app, "settings-120x34")


async def test_another_model_is_switched_to_as_long_work_and_is_in_use_then(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OllamaServer("nomic-embed-text") as server:
        monkeypatch.setenv("OLLAMA_HOST", server.host)  # for the working process, too
        async with bench(filled, OLLAMA_HOST=server.host) as b:
            found = choices(await at(b, NOMIC))
            assert found["static"].state == "in use"
            assert found[NOMIC].preview == setting_names.BETTER
            await b.pilot.press("enter")
            done = "Vectors of ollama:nomic-embed-text: done"
            await b.until(lambda: b.said(done), done)
            await b.searched("spectral gap")
            assert b.search.result is not None
            assert b.search.result.profile == "model"
            found = choices(await settings(b))
            assert (found[NOMIC].state, found["static"].state) == ("in use", "kept")
