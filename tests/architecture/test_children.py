"""No code of the current folder ever runs: children are started in one place, isolated."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import ark_tui
from ark_tui.domain import children
from tests.files import makers

PACKAGE = Path(ark_tui.__file__).parent
ONLY = PACKAGE / "domain" / "children.py"
COMMAND = Path(sysconfig.get_path("scripts")) / "ark-tui"
MODULES = {"subprocess", "multiprocessing", "pty", "_posixsubprocess"}
CALLS = (
    "exec", "spawn", "posix_spawn", "fork", "system", "popen", "ProcessPoolExecutor", "create_subprocess",
)  # fmt: skip
HOSTILE = "import os, pathlib; pathlib.Path({mark!r}).write_text(__file__)\n"


def starts_processes(code: str) -> list[str]:
    """What in a module starts a process by itself."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.split(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] in MODULES:
                found.append(node.module)
            if node.module in {"os", "asyncio", "concurrent.futures"}:
                found += [one.name for one in node.names if one.name.startswith(CALLS)]
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in {"os", "asyncio", "futures"}
            and node.attr.startswith(CALLS)
        ):
            found.append(node.attr)
    return found


def test_one_module_alone_starts_processes() -> None:
    others = {
        str(file.relative_to(PACKAGE)): found
        for file in PACKAGE.rglob("*.py")
        if file != ONLY and (found := starts_processes(file.read_text("utf-8")))
    }
    assert others == {}
    assert starts_processes(ONLY.read_text("utf-8"))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose files of Python leave a mark where any of them is imported."""
    folder = tmp_path / "hostile"
    for name in (
        "ark_tui/__init__.py",
        "json.py",
        "subprocess.py",
        "zipfile.py",
        "evil.py",
        "sitecustomize.py",
    ):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HOSTILE.format(mark=str(tmp_path / "ran")))
    (folder / "a.epub").write_bytes(makers.epub())
    (folder / "evil-1.dist-info").mkdir()
    (folder / "evil-1.dist-info" / "entry_points.txt").write_text(
        "".join(
            f"[ark_tui.{kind}]\nevil = evil:run\n" for kind in ("formats", "signals", "operations", "panes")
        )
    )
    return folder


def ark(hostile: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"ARK_HOME": str(hostile.parent / "home")} | more
    return subprocess.run(
        [str(COMMAND), *words], cwd=hostile, env=environ, input="", capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def ran(hostile: Path) -> str:
    mark = hostile.parent / "ran"
    return mark.read_text() if mark.exists() else ""


def test_no_code_of_a_folder_runs_by_any_command_in_a_server_or_in_what_keeps_the_home_open(
    hostile: Path,
) -> None:
    done = ark(hostile, "index", ".")
    assert done.returncode == 0, done.stderr
    assert "a.epub" in ark(hostile, "search", "heron", "--json").stdout
    assert ark(hostile, "mcp").returncode == 0
    assert ark(hostile, "status", ARK_DIRECT="0").returncode == 0
    assert "Stopped" in ark(hostile, "stop").stderr
    environ = os.environ | {"ARK_HOME": str(hostile.parent / "home")}
    line = [str(COMMAND), "serve", "--port", "0"]
    with subprocess.Popen(line, cwd=hostile, env=environ, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        while "http" not in (said := server.stderr.readline()):
            assert said, "it has ended"
        server.send_signal(signal.SIGTERM)
    assert ran(hostile) == ""


def test_a_child_imports_nothing_from_there_even_where_the_variables_ask_for_it(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", str(Path(sys.prefix))]))
    assert children.start_python("ark_tui", "--version", stdout=children.DEVNULL).wait() == 0
    assert children.start_python("json.tool", "--help", stdout=children.DEVNULL).wait() == 0
    assert ran(hostile) == ""
    assert children.environment()["PYTHONPATH"] == sys.prefix
