"""What is said below the interfaces names no command, flag or key: the steps of a hint are data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import ark_tui
from ark_tui.interfaces.cli.group import Commands
from ark_tui.operations.catalog import shipped

ROOT = Path(ark_tui.__file__).parent
BELOW = sorted(path for path in ROOT.rglob("*.py") if "interfaces" not in path.parts)
CLI = Commands(name="ark-tui", catalog=shipped())
WORDS = "|".join(sorted({name.split()[0] for name in CLI.list_commands(click.Context(CLI))}, key=len))
COMMAND = re.compile(rf"\bark-tui ({WORDS})\b|`ark-tui\b")
FLAG = re.compile(r"(?<![\w-])--[a-z]")
KEY = re.compile(r"(?i)\b(ctrl|alt|shift)\s?\+|\bF\d{1,2}\b|\bpress(ing)? ")


def texts(tree: ast.Module, *, shown: bool) -> Iterator[tuple[int, str]]:
    """The strings of a module: all but docstrings, which are for its readers, and examples of a command.

    The docstrings of operations are `shown`.
    """
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kept = shown and isinstance(node, ast.FunctionDef) and node.decorator_list
            left_out |= {
                id(one.value) for one in ([] if kept else node.body[:1]) if isinstance(one, ast.Expr)
            }
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out |= set() if shown else {id(node.value)}  # what is said of a constant
        if isinstance(node, ast.keyword) and node.arg in ("example", "option"):
            left_out.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def faults(source: str, *, shown: bool = False) -> list[str]:
    return [
        f"{line}: {text[:80]!r}"
        for line, text in texts(ast.parse(source), shown=shown)
        if COMMAND.search(text) or FLAG.search(text) or KEY.search(text)
    ]


def test_no_text_below_the_interfaces_names_a_command_a_flag_or_a_key() -> None:
    found = {
        str(path.relative_to(ROOT)): faults(path.read_text("utf-8"), shown=path.parent.name == "operations")
        for path in BELOW
    }
    assert {name: listed for name, listed in found.items() if listed} == {}


@pytest.mark.parametrize(
    "text",
    ["Run `ark-tui doctor`.", "Try ark-tui index ~/notes", "Say --yes.", "Press enter", "Ctrl+C stops"],
)
def test_one_that_did_would_be_found(text: str) -> None:
    assert faults(f"def f(): raise E({text!r})")
    assert faults(f"def f(): raise E(f'{{x}} {text}')")
    assert not faults(f"def f():\n    {text!r}")
    assert faults(f"@operation('x')\ndef f():\n    {text!r}", shown=True)


def hints() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every hint of the package: where it is, what it runs, and the options that it gives."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="Hint"), attr="run"),
                    args=[ast.Constant(value=name), *_],
                ) if isinstance(name, str):
                    options = tuple(one.arg for one in node.keywords if one.arg not in (None, "say"))
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", name, options


def test_every_step_of_a_hint_is_a_command_that_takes_what_it_is_given() -> None:
    listed = [*hints()]
    assert len(listed) > 50
    for place, name, options in listed:
        command: click.Command | None = CLI
        for word in name.split():
            assert isinstance(command, click.Group), (place, name)
            command = command.get_command(click.Context(command), word)
        assert command is not None, (place, name)
        taken = {flag for one in command.params for flag in one.opts} | {"--help"}
        given = {f"--{one.rstrip('_').replace('_', '-')}" for one in options}
        assert given <= taken, (place, name)
