"""What must not be loaded, and that the workbench reaches the engine by its client alone."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ark_tui
from ark_tui.engine import Engine
from ark_tui.operations.operation import operation_of
from ark_tui.settings import load

DATABASES = {"duckdb", "lancedb", "tantivy", "pyarrow"}
NUMBERS = {"numpy", "polars", "plotext", "scipy", "networkx", "tokenizers", "safetensors", "wordllama"}
FRAMEWORKS = {"textual", "click", "rich", "fastapi", "mcp", "pydantic"}
READERS = {"yaml", "selectolax", "pyromark", "pathspec", "tree_sitter", "watchfiles"}

REPORT = (
    "import json, sys; sys.stderr.write(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
)


def loaded(statement: str) -> set[str]:
    """The packages that a fresh interpreter has loaded after a statement."""
    script = f"import atexit\natexit.register(lambda: exec({REPORT!r}))\n{statement}\n"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return set(json.loads(told.stderr.splitlines()[-1]))


def after(*arguments: str) -> set[str]:
    """The packages that a command line has loaded at its end."""
    return loaded(f"from ark_tui.interfaces.cli.app import run; run({list(arguments)!r})")


def test_the_package_itself_imports_nothing() -> None:
    assert not loaded("import ark_tui") & (DATABASES | NUMBERS | FRAMEWORKS | READERS)


def test_the_engine_imports_nothing_heavy_before_it_is_asked() -> None:
    found = loaded("from ark_tui import Engine; Engine().where()")
    assert not found & (DATABASES | NUMBERS | FRAMEWORKS | READERS)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["search", "--help"], ["--version"], ["serch"], ["completion", "zsh"]]
)
def test_help_and_complaints_load_neither_textual_nor_a_database(arguments: list[str]) -> None:
    found = after(*arguments)
    assert "click" in found
    assert not found & (DATABASES | NUMBERS | READERS | {"textual", "rich"})


def test_the_workbench_opens_without_the_commands_of_the_command_line() -> None:
    script = "import sys; import ark_tui.interfaces.cli.app; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"ark_tui.operations", "ark_tui.interfaces.cli.group"} & set(told.stdout.split())


@pytest.mark.parametrize("arguments", [["config"], ["where"]])
def test_what_needs_no_store_opens_none(arguments: list[str]) -> None:
    assert not after(*arguments) & (DATABASES | NUMBERS | READERS | {"textual"})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one note."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "notes").mkdir()
    (folder / "notes" / "bread.md").write_text("# Bread\n\nFlour and water.\n")
    with Engine(load(folder / "home", environ={})) as engine:
        engine.index([folder / "notes"])
    return folder / "home"


def test_the_workbench_loads_no_analysis_before_it_is_asked_for() -> None:
    found = loaded(
        "import ark_tui.interfaces.tui.app, ark_tui.interfaces.tui.screens.workbench\n"
        "from ark_tui import Engine; engine = Engine(); engine.analysis, engine.graph"
    )
    assert "textual" in found
    assert not found & {"scipy", "networkx"}


def test_lancedb_loads_no_client_of_a_server_before_one_is_wanted() -> None:
    """Making those takes longer than all the rest of it; `lancedb` means to have them."""
    script = (
        "import sys; from ark_tui.index.vectors.table import CLIENTS, driver; driver().connect\n"
        "print([one for one in sys.modules if one.startswith(f'{CLIENTS[0]}.models.list_tables')])\n"
        "from lance_namespace import ListTablesResponse; print(ListTablesResponse(tables=['a']).tables)\n"
        "from lance_namespace_urllib3_client import TableApi; print(callable(TableApi.list_tables))"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["[]", "['a']", "True"]


def test_plots_and_frames_load_only_in_reports_that_need_them(small: Path) -> None:
    text = after("--export", "-", "--home", str(small))
    assert not text & {"polars", "textual"}
    frames = after("--export", str(small / "report.parquet"), "--home", str(small))
    assert "polars" in frames
    assert not frames & {"plotext", "textual"}


WORKBENCH = Path(ark_tui.__file__).parent / "interfaces" / "tui"

MAY = {"state/client.py"}
"""What asks operations of the home, with what stands there for an engine."""

REACHES = {"engine", "wait"}
"""Attributes of a `Call` and of the opening that are the engine."""


def attributes(file: Path) -> list[ast.Attribute]:
    tree = ast.parse(file.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]


def reached(file: Path) -> list[str]:
    """Where a file takes the engine from a `Call` or from the opening."""
    found = [node for node in attributes(file) if node.attr in REACHES]
    return [
        f"{file.name}:{node.lineno}"
        for node in found
        if node.attr == "engine" or ast.unparse(node.value).endswith("opening")
    ]


def test_no_part_of_the_workbench_takes_the_engine() -> None:
    files = [file for file in WORKBENCH.rglob("*.py") if str(file.relative_to(WORKBENCH)) not in MAY]
    assert len(files) > 60
    assert [place for file in files for place in reached(file)] == []
    assert reached(WORKBENCH / "state" / "client.py"), "what is looked for is found where it may be"


def asked_for(file: Path) -> set[tuple[str, str]]:
    """What a file asks of the home: modules of `operations`, and their functions."""
    found = (re.fullmatch(r"operations\.(\w+)\.(\w+)", ast.unparse(node)) for node in attributes(file))
    return {(one[1], one[2]) for one in found if one}


def test_whatever_the_workbench_asks_for_can_be_asked_of_a_home_process() -> None:
    asked = {one for file in WORKBENCH.rglob("*.py") for one in asked_for(file)}
    assert len(asked) > 50
    functions = {
        f"{module}.{name}": found
        for module, name in asked
        if inspect.isfunction(found := getattr(import_module(f"ark_tui.operations.{module}"), name))
    }
    local = {name for name, found in functions.items() if not operation_of(found)}
    assert {name for name in local if not name.startswith("workbench.")} == set()
