"""What is said below the interfaces names no command, flag or key: the steps of a hint are data."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

import ark_tui
from ark_tui.domain.errors import Hint, Step
from ark_tui.interfaces.cli.group import Commands
from ark_tui.interfaces.http import failures
from ark_tui.interfaces.mcp.tool import called
from ark_tui.interfaces.mcp.tools import memory
from ark_tui.operations import catalog
from ark_tui.operations.catalog import shipped

ROOT = Path(ark_tui.__file__).parent
BELOW = sorted(path for path in ROOT.rglob("*.py") if "interfaces" not in path.parts)
CLI = Commands(name="ark-tui")
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


def hints(name: str) -> Iterator[tuple[str, Step]]:
    """Every step that `Hint.run` or `Hint.give` makes, and where; what is only known then is a 7 here."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="Hint"), attr=attr)) if attr == name:
                    values = [str(_value(one)) for one in node.args]
                    options = {one.arg: _value(one.value) for one in node.keywords if one.arg}
                    options.pop("say", None)
                    wanted = "" if name == "give" else values.pop(0)
                    given = tuple((one.rstrip("_"), value) for one, value in options.items())
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", Step(wanted, (*values,), given)


def _value(node: ast.expr) -> str | bool:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str | bool) else "7"


def command(name: str) -> click.Command:
    """A command by its name."""
    found: click.Command | None = CLI
    for word in name.split():
        assert isinstance(found, click.Group), name
        found = found.get_command(click.Context(found), word)
    assert found is not None, name
    return found


def test_every_step_of_a_hint_is_typed_as_the_command_takes_it() -> None:
    steps = [*hints("run")]
    assert len(steps) > 50
    for place, step in steps:
        if step.name == "7" or step.options == (("help", True),):
            continue
        program, *words = shlex.split(step.typed, comments=True)
        assert program == "ark-tui"
        found = command(step.name)
        rest = words[len(step.name.split()) :]
        assert found.make_context(step.name, rest, resilient_parsing=not step.arguments).command is found, (
            place
        )


def test_programs_are_told_the_parameters_that_these_options_are() -> None:
    hint = Hint.run("tasks add", "call Ann", tag="today")
    assert hint == 'ark-tui tasks add "call Ann" --tag today'
    assert failures.worded(hint) == "POST /tasks with text=call Ann, tags=today"
    assert "tasks" in {tool.name for tool in memory.FAMILY.tools}
    assert catalog.worded(hint, called) == "tasks(action=add, text=call Ann, tags=today)"


def test_every_example_is_typed_as_a_command_takes_it() -> None:
    for name in shipped().names:
        program, *words = shlex.split(shipped().get(name).example, comments=True)
        assert program == "ark-tui"
        found: click.Command = CLI
        with click.Context(CLI) as context:
            while (
                words and isinstance(found, click.Group) and (next_ := found.get_command(context, words[0]))
            ):
                found, words = next_, words[1:]
            assert found.make_context(name, words).command is found
