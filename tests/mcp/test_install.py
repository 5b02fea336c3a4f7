"""`ark-tui mcp --install`: the other settings of an assistant stay as they are, and removal undoes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.interfaces.mcp.install import ASSISTANTS, change

COMMAND = ["/opt/bin/ark-tui", "mcp"]
ENTRY = {"command": COMMAND[0], "args": COMMAND[1:]}


def file_of(name: str, user: Path) -> Path:
    return ASSISTANTS[name].file(user, {})


def put(name: str, user: Path, text: str) -> Path:
    path = ASSISTANTS[name].file(user, {})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def settings(name: str, user: Path) -> Any:
    text = ASSISTANTS[name].file(user, {}).read_text("utf-8")
    return tomllib.loads(text) if name == "codex" else json.loads(text)


@pytest.mark.parametrize("name", ASSISTANTS)
def test_the_entry_is_added_changed_and_removed(name: str, tmp_path: Path) -> None:
    section = ASSISTANTS[name].section
    assert change(name, [], tmp_path, {}).lines == (), "there is nothing to remove"
    change(name, ["/old/ark-tui", "mcp"], tmp_path, {}).apply()
    newer = change(name, COMMAND, tmp_path, {})
    assert '-     "command": "/old/ark-tui",' in newer.lines
    assert '+     "command": "/opt/bin/ark-tui",' in newer.lines
    newer.apply()
    assert settings(name, tmp_path) == {section: {"ark-tui": ENTRY}}
    assert change(name, COMMAND, tmp_path, {}).lines == (), "once more changes nothing"
    change(name, [], tmp_path, {}).apply()
    assert settings(name, tmp_path) == {}


TOML = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"  # theirs\n\n[profiles.fast]\na = 1\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", '{"ü": [1, null], "mcpServers": {"other": {"command": "x"}}}'),
        ("vscode", '{"inputs": [{"id": "a,b}"}]}'),
        (
            "codex",
            '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"  # theirs\n\n[profiles.fast]\na = 1\n',
        ),
    ],
)
def test_all_other_settings_stay(name: str, text: str, tmp_path: Path) -> None:
    path = put(name, tmp_path, text)
    before, section = settings(name, tmp_path), ASSISTANTS[name].section
    change(name, COMMAND, tmp_path, {}).apply()
    assert settings(name, tmp_path) == {**before, section: {**before.get(section, {}), "ark-tui": ENTRY}}
    change(name, [], tmp_path, {}).apply()
    assert settings(name, tmp_path) == before
    assert name != "codex" or path.read_text("utf-8").strip() == text.strip(), "remarks, too"


@pytest.mark.parametrize("text", ["[1]", '{"mcpServers": []}', '{"mcpServers": {', "// a remark\n{}"])
def test_a_file_that_is_not_plain_json_is_left_alone(text: str, tmp_path: Path) -> None:
    path = put("cursor", tmp_path, text)
    with pytest.raises(UsageError, match="cannot be read"):
        change("cursor", COMMAND, tmp_path, {})
    assert path.read_text("utf-8") == text


def run(user: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ark_tui", "mcp", *arguments]
    environ = {**os.environ, "HOME": str(user), "XDG_CONFIG_HOME": ""}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ, input="")


def test_the_command_shows_what_it_writes_and_asks_first(tmp_path: Path) -> None:
    path = put("claude-code", tmp_path, '{"key": "a secret of another program"}')
    shown = run(tmp_path, "--install", "claude-code")
    assert str(path) in shown.stdout
    assert '"ark-tui"' in shown.stdout
    assert path.read_text() == '{"key": "a secret of another program"}', "nobody has agreed"
    assert "secret" not in shown.stdout, "what other programs have there is not shown"
    assert "--yes" in shown.stderr
    assert run(tmp_path, "--install", "claude-code", "--yes").returncode == 0
    entry = json.loads(path.read_text())["mcpServers"]["ark-tui"]
    assert entry["args"][-2:] == ["--home", os.environ["ARK_HOME"]]
    started = subprocess.run([entry["command"], *entry["args"], "--check"], capture_output=True, check=False)
    assert started.returncode == 0, started.stderr
    assert run(tmp_path, "--uninstall", "claude-code", "--yes").returncode == 0
    assert json.loads(path.read_text()) == {"key": "a secret of another program"}
