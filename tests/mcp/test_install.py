"""`ark-tui mcp --install`: the rest of an assistant's configuration stays as it is, and removal undoes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import UsageError
from ark_tui.interfaces.mcp.install import ASSISTANTS, installed, removed

COMMAND = ["/opt/bin/ark-tui", "mcp"]
ENTRY = {"command": COMMAND[0], "args": COMMAND[1:]}


def file_of(name: str, user: Path) -> Path:
    return ASSISTANTS[name].file(user, {})


def put(name: str, user: Path, text: str) -> Path:
    path = file_of(name, user)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def there_and_back(name: str, user: Path) -> str:
    """What an installation writes; its removal leaves the file as it was."""
    path = file_of(name, user)
    before = path.read_bytes() if path.exists() else None
    installed(name, COMMAND, user, {}).apply()
    text = path.read_bytes().decode()
    assert installed(name, COMMAND, user, {}).after == text, "once more changes nothing"
    removed(name, user, {}).apply()
    assert (path.read_bytes() if path.exists() else None) == before
    return text


@pytest.mark.parametrize("name", ASSISTANTS)
def test_a_file_is_made_and_removed(name: str, tmp_path: Path) -> None:
    text = there_and_back(name, tmp_path)
    if section := ASSISTANTS[name].section:
        assert json.loads(text) == {section: {"ark-tui": ENTRY}}
    else:
        assert tomllib.loads(text) == {"mcp_servers": {"ark-tui": ENTRY}}
    removed(name, tmp_path, {}).apply()
    assert not file_of(name, tmp_path).exists()


REMARKS = """// my servers
{
    /* "servers": {} */
    "inputs": [ {"id": "a,b}"} ],
    "servers": {
        // the first
        "other": { "command": "x", "args": ["{"], },
    },
}
"""


def test_remarks_and_layout_stay(tmp_path: Path) -> None:
    put("vscode", tmp_path, REMARKS)
    text = there_and_back("vscode", tmp_path)
    lines = REMARKS.splitlines()
    assert [line for line in text.splitlines() if line in lines] == lines
    assert text.count('"ark-tui"') == 1


def objects(inner: Any) -> Any:
    return st.dictionaries(st.text(max_size=5), inner, max_size=3)


VALUES = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | objects(inner))


@given(
    rest=objects(VALUES),
    servers=st.none() | objects(objects(VALUES)),
    indent=st.sampled_from([None, 0, 2, "\t"]),
)
def test_whatever_is_in_a_file_comes_back_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory, rest: Any, servers: Any, indent: Any
) -> None:
    user = tmp_path_factory.mktemp("user")
    rest.pop("mcpServers", None)
    document = rest if servers is None else {**rest, "mcpServers": servers}
    put("cursor", user, json.dumps(document, indent=indent))
    text = there_and_back("cursor", user)
    assert json.loads(text) == {**rest, "mcpServers": {"ark-tui": ENTRY, **(servers or {})}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        'model = "x"',
        'model = "x"\n',
        'model = "x"\n\n',
        '[mcp_servers.other]\ncommand = "y"\n',
        "# x\n[a]\nb = [\n  1,\n]\n",
    ],
)
def test_toml_comes_back_to_the_byte(text: str, tmp_path: Path) -> None:
    put("codex", tmp_path, text)
    found = tomllib.loads(there_and_back("codex", tmp_path))
    servers = tomllib.loads(text).get("mcp_servers", {})
    assert found == {**tomllib.loads(text), "mcp_servers": {**servers, "ark-tui": ENTRY}}


def test_what_others_write_behind_the_entry_stays(tmp_path: Path) -> None:
    path = put("codex", tmp_path, 'model = "x"\n')
    installed("codex", COMMAND, tmp_path, {}).apply()
    path.write_text(path.read_text() + '\n[profiles.fast]\nmodel = "y"\n')
    removed("codex", tmp_path, {}).apply()
    assert path.read_text() == 'model = "x"\n[profiles.fast]\nmodel = "y"\n'


def test_a_newer_command_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    installed("cursor", ["/old/ark-tui", "mcp"], tmp_path, {}).apply()
    installed("cursor", COMMAND, tmp_path, {}).apply()
    assert json.loads(file_of("cursor", tmp_path).read_text()) == {"mcpServers": {"ark-tui": ENTRY}}


@pytest.mark.parametrize("text", ["[1]", '{"mcpServers": []}', '{"mcpServers": {', "nonsense"])
def test_a_damaged_file_is_left_alone(text: str, tmp_path: Path) -> None:
    path = put("cursor", tmp_path, text)
    with pytest.raises(UsageError, match="cannot be read"):
        installed("cursor", COMMAND, tmp_path, {})
    assert path.read_text() == text


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
    assert path.read_text() == '{"key": "a secret of another program"}'
