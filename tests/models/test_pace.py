"""A corpus and a model server that takes its time: what is asked of it, what is said, what is kept."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
import time

import pytest

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.embedding import served
from ark_tui.interfaces.cli import diagnostics
from tests.models.conftest import NOMIC, Place, lamp

STAGE = "ollama nomic-embed-text"


def notes(count: int, what: str = "note") -> dict[str, str]:
    return {f"{what}{i}": f"# The {what} {i}\n\nThe number {i} of many.\n" for i in range(count)}


def test_progress_comes_by_texts_from_the_first_one_on(place: Place) -> None:
    place.write(**notes(12))
    place.server.models["nomic-embed-text"].pace = 0.005
    seen: list[Progress] = []
    with place.engine(embedding=NOMIC) as engine:
        engine.index([place.notes], progress=seen.append)
    done = [at.done for at in seen if at.stage == STAGE]
    assert {at.total for at in seen if at.stage == STAGE} == {15}
    assert done[:3] == [0, 1, 3]
    assert done[-1] == 15
    assert done == sorted(done)


def test_the_pace_is_kept_beside_the_vectors_and_listed(place: Place) -> None:
    place.server.models["nomic-embed-text"].pace = 0.02
    place.write(**notes(6))
    place.index()
    file = next((place.home / "vectors").glob(f"ollama*/{served.PACE}"))
    assert served.pace(file.parent) >= 0.02
    with place.engine() as engine:
        rates = {model.name: model.pace for model in engine.models.listed().models}
    assert 0 < rates[NOMIC] <= 50
    file.write_bytes(b"garbage")
    assert served.pace(file.parent) == 0.0


def test_searches_have_their_cosine_while_texts_are_embedded(place: Place) -> None:
    place.server.takes = lambda *_: 0.03
    place.index()
    place.write(**notes(60))
    with place.engine() as engine:
        building = threading.Thread(target=engine.index, args=([place.notes],))
        asked = len(place.server.embedded)
        building.start()
        while len(place.server.embedded) < asked + 3:
            time.sleep(0.01)
        lamps = [lamp(engine.search(Request(f"mixing {i}", profile="meaning"))) for i in range(4)]
        building.join()
    assert {one.state for one in lamps} == {"on"}
    assert max(place.server.sizes) <= 32


def test_ctrl_c_ends_the_request_under_way_and_what_was_embedded_is_kept(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(**notes(20))
    place.engine()
    place.server.takes = lambda _, text: 300.0 if "number 7 " in text else 0.001
    command = [sys.executable, "-m", "ark_tui", "index", str(place.notes), "--home", str(place.home)]
    monkeypatch.setenv("OLLAMA_HOST", place.server.host)
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        while not any(
            "number 7 " in text for body in place.server.asked("/api/embed") for text in body["input"]
        ):
            time.sleep(0.01)
        embedded = len(place.server.embedded)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130  # and not after the minutes that the text takes
    assert embedded > 1
    place.server.takes = lambda *_: 0.0
    place.index()
    texts = [text for text in place.server.embedded if "# " in text]  # not what the model was measured by
    assert len(texts) == len(set(texts)) == 23


def test_without_a_terminal_there_is_a_line_every_ten_seconds() -> None:
    clock = itertools.count(0, 4)
    said: list[str] = []
    lines = diagnostics._Lines(said.append, lambda: float(next(clock)))
    for done in range(0, 40, 4):
        lines.show(Progress(STAGE, done, 4000))
    assert said == [
        f"{STAGE}: 8 of 4,000 · 1/s · 67 min left",
        f"{STAGE}: 20 of 4,000 · 1/s · 66 min left",
        f"{STAGE}: 32 of 4,000 · 1/s · 66 min left",
    ]


def test_a_stop_ends_the_wait_for_a_server_that_is_only_being_asked_what_it_has(place: Place) -> None:
    place.server.hang("/api/embed")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with place.engine() as engine, pytest.raises(Cancelled):
        engine.models.use(NOMIC, stop)
    place.server.let_go()
