"""The commands as a tree: 24 names and more in the help, the rest below them, and other names for them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from ark_tui.interfaces.cli.app import cli
from ark_tui.interfaces.cli.group import Commands
from ark_tui.operations.catalog import shipped
from ark_tui.settings import load
from tests.cli.conftest import Ark

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS.parent / ".ci"))
manual = import_module("manual")
ROOT = click.Context(cli)

NAMES = (
    "index search show add saved explain doc undo redo tasks scratch history context memory review outcome "
    "graph analyze status doctor config serve mcp stop"
)
MORE = "backup restore models token jobs eval export completion"

OTHER_NAMES = {
    "ingest": "ingest", "ingest-file": "ingest-file", "ingest-url": "ingest-url", "similar": "doc similar",
    "scratch-set": "scratch set", "scratch-get": "scratch get", "scratch-list": "scratch list",
    "scratch-delete": "scratch delete", "tasks-add": "tasks add", "tasks-list": "tasks list",
    "tasks-done": "tasks done", "tasks-reopen": "tasks reopen", "tasks-edit": "tasks edit",
    "tasks-delete": "tasks delete", "history-add": "history add", "history-list": "history list",
    "history-search": "history search", "conversations-create": "history conversations create",
    "recall": "memory recall", "expert": "memory expert", "think": "memory think",
    "remember": "memory remember", "memory-stats": "memory stats", "consolidate": "memory consolidate",
    "facts-add": "memory fact add", "patterns-list": "memory pattern",
    "directives-add": "memory directive add", "promote": "memory promote", "forget": "memory forget",
    "traverse": "graph traverse",
    "paths": "graph path", "common": "graph common", "subgraph": "graph around", "central": "graph central",
    "tag": "doc tag", "untrash": "doc restore", "queue show": "doc queue show", "purge": "doc purge",
    "collections list": "doc collections", "edits": "undo list", "judge": "eval judge",
    "export-curation": "doc export", "import-curation": "doc import", "import": "history import",
    "where": "config where", "coverage": "status coverage", "publish": "export table",
}  # fmt: skip


def at(words: str) -> click.Command | None:
    """The command that these words name."""
    found: click.Command | None = cli
    for word in words.split():
        found = found.get_command(ROOT, word) if isinstance(found, click.Group) else None
    return found.own if isinstance(found, Commands) and found.own else found


def below(group: click.Group, words: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(ROOT):
        command = group.get_command(ROOT, name)
        assert command is not None, name
        yield f"{words} {name}".strip(), command
        if isinstance(command, click.Group):
            yield from below(command, f"{words} {name}".strip())


EVERY = dict(below(cli))


def test_the_help_is_one_screen_of_24_names_and_more() -> None:
    told = cli.get_help(click.Context(cli, terminal_width=80, max_content_width=80))
    assert cli.list_commands(ROOT) == [*NAMES.split(), *MORE.split()]
    listed = [name for line in told.splitlines() if ":  " in line for name in line.split(":  ")[1].split()]
    assert f" {NAMES} {MORE} --home" in " ".join(listed)
    assert (len(told.splitlines()) < 24, max(map(len, told.splitlines())) <= 80) == (True, True)
    for example in re.findall(r"^    ark-tui (\S+)", told, re.MULTILINE):
        assert at(example), example


def test_every_name_that_a_described_system_or_an_operation_has_leads_to_its_command() -> None:
    def operation(words: str) -> object:
        return getattr(at(words), "operation", None)

    assert {name for name, words in OTHER_NAMES.items() if operation(name) is not operation(words)} == set()
    for one in shipped().all():
        assert operation(one.name) is one or one.name == "models list", one.name
        assert one.command == "add" or operation(one.command) is one, one.command


def test_every_command_has_help_an_example_and_json_and_says_an_error_as_json(ark: Ark, home: Path) -> None:
    for words, command in (*EVERY.items(), ("help", at("help"))):
        assert command, words
        assert command.help, words
        assert (command.epilog or "").startswith("Example: "), words
        options = [param for param in command.params if isinstance(param, click.Option)]
        assert {"--json", "--home"} <= {name for one in options for name in one.opts}, words
        assert [one.name for one in options if not one.help] == [], words
        told = ark(*words.split(), "--json", "--no-such-option")
        assert (told.code, told.out) == (2, ""), words
        assert json.loads(told.err).keys() == {"error", "hint"}, words
    assert not home.exists()


@pytest.mark.parametrize("words", [("all",), ("doc", "tag")])
def test_help_tells_of_everything_or_of_one_command(ark: Ark, words: tuple[str, ...]) -> None:
    told = ark("help", *words)
    assert told.code == 0
    wanted = (
        [*EVERY, "ingest-url", "--connect URL", "--direct"]
        if words == ("all",)
        else ["Usage: ark-tui doc tag"]
    )
    lists = {name for name, command in EVERY.items() if isinstance(command, click.Group)}
    assert [name for name in wanted if name not in told.out and name not in lists] == []
    assert ark("help", "nothing").code == 2
    assert ark("help", *words, "--json").json


def test_the_man_page_has_every_command_and_no_line_that_troff_would_take_for_a_request() -> None:
    page = manual.man()
    assert page.startswith(".TH ARK\\-TUI 1")
    for words in EVERY:
        assert words.replace("-", "\\-") in page, words
    known = {".TH", ".SH", ".SS", ".TP", ".B", ".PP", ".nf", ".fi"}
    assert {line.split()[0] for line in page.splitlines() if line[:1] in (".", "'")} <= known


def test_the_configuration_page_lists_every_setting_and_its_examples_can_be_used(home: Path) -> None:
    page = (DOCS / "configuration.md").read_text("utf-8")
    assert page == manual.configuration(page), "make manual"
    folders, profile, keys = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    home.mkdir()
    (home / "config.toml").write_text(folders + profile + keys)
    settings = load(home, environ={})
    assert settings.warnings == ()
    assert settings.profiles["mine"].weights["bm25"] == 0.4


def test_every_link_of_a_page_leads_to_a_file_and_a_heading() -> None:
    def headings(page: Path) -> set[str]:
        lines = re.findall(r"^#+ (.*)", page.read_text("utf-8"), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}

    lost = []
    for page in (DOCS.parent / "README.md", *DOCS.glob("*.md")):
        for link in re.findall(r"\]\(([^)\s:]+)\)", re.sub(r"`[^`]*`", "", page.read_text("utf-8"))):
            name, _, heading = link.partition("#")
            to = page.parent / name if name else page
            if not to.exists() or (heading and heading not in headings(to)):
                lost.append(f"{page.name}: {link}")
    assert lost == []
