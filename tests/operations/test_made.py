"""An operation, written once, is a command with help, a route with a schema, a page."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Annotated

import click
import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.cli import manual
from ark_tui.interfaces.cli.diagnostics import Diagnostics
from ark_tui.interfaces.cli.group import Commands
from ark_tui.interfaces.cli.session import Session
from ark_tui.interfaces.http.app import bare
from ark_tui.operations import catalog
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Operation, Param, operation

SENTENCE = "How often it is said, 1 to 9 times."


@operation("echo twice", Effect.READS, example="ark-tui echo twice hello --times 3", listed="echoes")
def twice(
    _: Call,
    text: Annotated[str, Param("What is said.", example="hello", argument=True, words=True)],
    times: Annotated[int, Param(SENTENCE, example=3, least=1, most=9)] = 2,
) -> tuple[str, ...]:
    """Say something again.

    Nothing is kept of it.
    """
    return (text,) * times


DECLARED: Operation = vars(twice)["__operation__"]
EXTENDED = catalog.shipped((DECLARED,))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    with Engine(settings.load(home)) as engine:
        engine.ingest_text("Otters sleep in rivers.", title="Otters")
    return home


def invoked(home: Path, *words: str) -> None:
    cli = Commands(name="ark-tui", catalog=EXTENDED)
    with cli.make_context("ark-tui", list(words), obj=Session(Diagnostics(), home=home)) as ctx:
        cli.invoke(ctx)


def test_it_is_a_command_with_help(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for words in (("echo", "twice"), ("echo-twice",)):
        with pytest.raises(click.exceptions.Exit) as ended:
            invoked(home, *words, "hello", "you", "--times", "3", "--json")
        sys.stdout.flush()
        assert ended.value.exit_code == 0
        assert json.loads(capfdbinary.readouterr().out) == {"echoes": ["hello you"] * 3}
    with pytest.raises(click.exceptions.Exit):
        invoked(home, "echo", "twice", "--help")
    told = capfdbinary.readouterr().out.decode()
    assert "Say something again." in told
    assert SENTENCE in " ".join(told.split())
    assert "Example: ark-tui echo twice hello --times 3" in told
    with pytest.raises(click.BadParameter, match="10 is not in the range"):
        invoked(home, "echo", "twice", "hello", "--times", "10")


def test_it_is_a_route_with_a_schema(home: Path) -> None:
    with Engine(settings.load(home)) as engine:
        document = bare(state_for(engine), EXTENDED).openapi()
    route = document["paths"]["/echo/twice"]["get"]
    times = next(one for one in route["parameters"] if one["name"] == "times")
    assert times["description"] == SENTENCE
    assert (times["schema"]["minimum"], times["schema"]["maximum"]) == (1, 9)
    assert times["schema"]["examples"] == [3]
    answer = route["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    told = document["components"]["schemas"][answer]["properties"]["echoes"]
    assert told["items"] == {"type": "string"}


def test_it_is_a_page_of_the_manual() -> None:
    cli = Commands(name="ark-tui", catalog=EXTENDED)
    pages = manual.commands(cli)
    assert "## ark-tui echo twice" in pages
    assert SENTENCE in " ".join(pages.split())


def test_the_manifest_is_as_the_modules_are() -> None:
    path = Path(inspect.getfile(catalog)).with_name(catalog.MANIFEST)
    assert json.loads(path.read_text("utf-8")) == catalog.manifest(), "python -m ark_tui.operations.catalog"


def test_every_operation_says_what_it_does_and_every_parameter_what_it_is() -> None:
    for one in catalog.shipped().all():
        assert one.summary.endswith("."), one.name
        assert one.example.startswith("ark-tui "), one.name
        assert one.result is not inspect.Signature.empty, one.name
        for parameter in one.parameters:
            assert parameter.said.about.endswith("."), f"{one.name} {parameter.name}"
            shown = parameter.said.example is not None or parameter.type is bool or parameter.choices
            assert shown, f"{one.name}: {parameter.name} has no example"
