"""What a command imports is what it uses: modules are counted, and the heavy ones named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load

PROGRAM = """
import sys
from ark_tui.interfaces.cli.app import run
code = run(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""
SERVERS = {"fastapi", "starlette", "uvicorn", "mcp", "pydantic", "asyncio", "textual", "rich.console"}
READERS = {"dateparser", "yaml", "selectolax", "tree_sitter", "pyromark", "watchfiles", "pathspec"}
OTHERS = {"lancedb", "pyarrow", "polars", "networkx", "httpx", "ollama", "onnxruntime"}
ELSEWHERE = {"ark_tui.index.table", "boto3", "ray"}
HEAVY = SERVERS | READERS | OTHERS | ELSEWHERE
STORES = {"duckdb", "tantivy", "numpy", "tokenizers", "safetensors", "scipy"}

COMMANDS: tuple[tuple[str, int, set[str]], ...] = (
    ("--help", 36, HEAVY | STORES),
    ("search gap --mode keyword", 141, HEAVY | STORES - {"tantivy"}),
    ("search gap", 180, HEAVY | STORES - {"tantivy", "numpy"}),
    ("status", 165, HEAVY | {"tokenizers", "safetensors", "scipy"}),
    ("tasks list", 86, HEAVY | STORES - {"duckdb"}),
)
"""A command, how many of our modules it may import, and what it may not: a bound that is met with much to
spare is to be lowered."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("started")
    (folder / "notes").mkdir()
    (folder / "notes" / "gap.md").write_text("# Spectral gap\n\nIt bounds the mixing time.\n")
    with Engine(load(folder / "home", environ={})) as engine:
        engine.index([folder / "notes"])
        engine.search(Request("gap", unlogged=True))  # publishes what is pinned
    return folder / "home"


@pytest.mark.parametrize(("command", "most", "never"), COMMANDS, ids=[one[0] for one in COMMANDS])
def test_a_command_imports_what_it_uses(
    home: Path, command: str, most: int, never: set[str], tmp_path: Path
) -> None:
    own = shutil.copytree(home, tmp_path / "own")  # where no search waits for the next one to keep it
    line = [sys.executable, "-c", PROGRAM, *command.split()]
    more = [] if command == "--help" else ["--home", str(own)]
    done = subprocess.run([*line, *more], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.splitlines()[-1].split())
    ours = sorted(name for name in loaded if name.startswith("ark_tui"))
    assert sorted(never & loaded) == []
    assert len(ours) <= most, ours
