"""One script of all operations, carried out as functions, commands, routes and tools: the same everywhere."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.operations.operation import Operation
from ark_tui.store import Store
from tests.operations.interfaces import CATALOG, Command, Connected, Direct, Route, Told
from tests.operations.script import ELSEWHERE, STEPS, Step
from tests.support import SteadyClock

NOTES = {
    "gap.md": "---\ntags: [theory]\n---\n# Spectral gaps\n\nThe spectral gap bounds the mixing time.\n",
    "tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees. See [[gap]].\n",
    "rye.md": "# Rye bread\n\nA sourdough of rye rests for a night.\n",
}
INTERFACES = (Direct, Command, Route)
CHANCE = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+Z"  # moments
    r"|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{8,64}\b"  # ids that are drawn
    r"|\b\d{8}T\d{6}\b"  # names of backups
    r"|#[0-9a-f]{6}\b"  # their beginnings
)
TIMES = ("took_ms", "took_s", "ms", "bytes", "job_id", "started")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home over a few notes, and the folder of the notes."""
    folder = tmp_path_factory.mktemp("everywhere")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    with Engine(settings.load(folder / "home")) as engine:
        engine.index([folder / "notes"])
    return folder


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """So that a busy machine answers as a quiet one does."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ARK_QUERY_BUDGET", "ARK_EXPAND_BUDGET", "ARK_LEASE_TIMEOUT"):
            patch.setenv(name, "60")
        patch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
        yield


@pytest.fixture(scope="module")
def told(base: Path) -> Mapping[str, list[Told | None]]:
    """What each interface answered to each step, in a home of its own."""
    return {kind.__name__: asked(base, kind) for kind in INTERFACES}


@cache
def asked(base: Path, kind: type) -> list[Told | None]:
    home = base.with_name(f"{base.name}-{kind.__name__:_<13}")
    shutil.copytree(base, home)
    interface, store = kind(home / "home"), Store(settings.Home(home / "home"), SteadyClock())
    try:
        with store.read():  # it stays open, as in a home process: no command opens it and folds it in anew
            pass
        return list(carried_out(interface, home))
    finally:
        interface.close()
        store.close()


def carried_out(interface: Any, folder: Path) -> Iterator[Told | None]:
    known: dict[str, Any] = {}
    for step in STEPS:
        operation = CATALOG.get(step.name)
        given = step.asked(known, folder)
        one = interface if offers(interface, operation) else Direct(folder / "home")
        if isinstance(interface, Connected) and one is not interface:
            refusal = interface.ask(operation, given)
            assert refusal.refused, step.name
            assert "Files and folders of this machine" in refusal.json["error"], step.name
        answer = one.ask(operation, given)
        if one is not interface:
            one.close()
        assert answer.refused == step.refused, (interface.name, step.name, answer.json)
        if step.keep:
            known[step.keep] = answer.json
        yield answer if one is interface else None


def offers(interface: Any, operation: Operation) -> bool:
    return not (operation.personal and isinstance(interface, Route))


def alike(answer: Told, step: Step, folder: str) -> Any:
    """An answer without what differs from one home, or one run, to the next."""
    found = json.loads(json.dumps(answer.json, ensure_ascii=False).replace(folder, "FOLDER"))
    found = _without(found, {*TIMES, *step.apart})
    for said in ("hint", "notice"):  # each interface has its own words for what to do next
        if isinstance(found, dict) and said in found:
            found[said] = bool(found[said])
    return found


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(one, names) for key, one in value.items() if key not in names}
    if isinstance(value, str):
        return CHANCE.sub("#", value)
    return [_without(one, names) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("number", range(len(STEPS)), ids=lambda number: f"{number} {STEPS[number].name}")
def test_every_interface_gives_the_same_answer_or_the_same_refusal(
    told: Mapping[str, list[Told | None]], base: Path, number: int
) -> None:
    step = STEPS[number]
    answers = {
        name: alike(answer, step, f"{name:_<13}")
        for name, listed in told.items()
        if (answer := listed[number]) is not None
    }
    first, *others = answers
    for other in others:
        assert answers[other] == answers[first], (other, first)
    del base


@pytest.mark.soak
@pytest.mark.parametrize("kinds", [(Command, Connected)])
def test_a_home_elsewhere_answers_as_one_here(base: Path, kinds: tuple[type, type]) -> None:
    here, there = ((f"{kind.__name__:_<13}", asked(base, kind)) for kind in kinds)
    for step, one, other in zip(STEPS, here[1], there[1], strict=True):
        assert (one is None) == (other is None), step.name
        if one and other:
            assert alike(other, step, there[0]) == alike(one, step, here[0]), step.name


def test_the_script_has_every_operation() -> None:
    assert {step.name for step in STEPS} | ELSEWHERE.keys() == set(CATALOG.names)


def limited() -> Iterator[tuple[Operation, str, Any]]:
    """Operations with a value that one of their parameters does not take."""
    for operation in CATALOG.all():
        for one in operation.parameters:
            if one.choices:
                yield operation, one.name, "banana"
            elif one.type in (int, float) and one.said.most is not None:
                yield operation, one.name, one.said.most + 1


@pytest.fixture(scope="module")
def opened(base: Path) -> Iterator[list[Any]]:
    """Each interface to one home."""
    found = [kind(base / "home") for kind in (Command, Connected, Route)]
    yield found
    for one in found:
        one.close()


@pytest.mark.parametrize(
    ("operation", "name", "value"), [*limited()][::12], ids=lambda one: getattr(one, "name", str(one))
)
def test_what_a_parameter_does_not_take_is_refused_everywhere(
    opened: list[Any], operation: Operation, name: str, value: Any
) -> None:
    several = next(one.several for one in operation.parameters if one.name == name)
    given = {one.name: one.said.example for one in operation.parameters if one.required}
    given[name] = (value,) if several else value
    for interface in opened:
        if offers(interface, operation):
            answer = interface.ask(operation, given)
            assert answer.refused, (interface.name, answer.json)
            assert {"error", "hint"} <= answer.json.keys()
