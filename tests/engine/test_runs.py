"""What was begun and cut off is remembered in the home, and who changes anything there moves its pulse."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.memory import Scope
from ark_tui.domain.work import Run
from ark_tui.engine import Engine
from ark_tui.engine.indexing import LITTLE
from ark_tui.settings import load
from tests.engine.conftest import Place

HANG = """
import sys, time
from pathlib import Path
from ark_tui.engine import Engine
from ark_tui.settings import load

def progress(at):
    if at.stage == "read" and at.done == 420:
        print("reading", flush=True)
        time.sleep(600)

Engine(load(Path(sys.argv[1]), environ={})).index([Path(sys.argv[2])], progress=progress)
"""


def test_a_run_that_was_killed_is_remembered_with_its_folder_and_goes_on_where_it_stopped(
    place: Place,
) -> None:
    for n in range(450):
        place.write(f"n{n:03}.md", f"note number {n}")
    home = place.engine.settings.home.path
    place.engine.close()
    with subprocess.Popen(
        [sys.executable, "-c", HANG, str(home), str(place.root)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"
        os.kill(process.pid, signal.SIGKILL)
    (run,) = place.engine.runs.unfinished()
    assert run == Run("index", str(place.root))
    kept = place.engine.status().documents
    assert 200 <= kept < 450
    report = place.engine.index([Path(run.what)])
    assert report.added == 450 - kept
    assert place.engine.runs.unfinished() == ()


def test_while_folders_are_read_a_single_text_does_not_wait_for_what_is_left_to_that_run(
    place: Place,
) -> None:
    facts = place.engine.memory.facts
    with place.engine.store.write() as lease:
        for n in range(LITTLE + 1):
            facts.added(lease, {"text": f"Otter {n} sleeps.", "source": ""}, Scope(), (), "doc", ("", ""))
    with place.engine.runs.under_way(Run("index", str(place.root))):
        assert place.engine.runs.unfinished() == (), "somebody is at it"
        facts.add("Otters hold paws.")
        assert behind(place) == {"words": LITTLE + 2, "vectors": LITTLE + 2, "messages": 0}
    facts.add("Otters sleep in rafts.")
    place.engine.sync()
    assert not any(behind(place).values())


def behind(place: Place) -> dict[str, int]:
    return {one.name: one.behind for one in place.engine.status().followers}


def test_a_run_that_was_stopped_stays_until_it_is_dropped(place: Place) -> None:
    place.write("a.md", "one")
    stop = Event()
    with pytest.raises(Cancelled):
        place.index(stop=stop, progress=lambda _: stop.set(), tags=["x"])
    (run,) = place.engine.runs.unfinished()
    assert run.tags == ("x",)
    place.engine.runs.pause(run)
    (paused,) = place.engine.runs.unfinished()
    assert paused.paused
    assert paused.what == run.what
    place.engine.runs.drop(run)
    assert place.engine.runs.unfinished() == ()


def test_pausing_while_somebody_is_at_it_is_remembered_when_he_is_gone(place: Place) -> None:
    run = Run("index", str(place.root))
    with pytest.raises(Cancelled), place.engine.runs.under_way(run):
        place.engine.runs.pause(run)
        raise Cancelled
    assert place.engine.runs.unfinished() == (Run("index", str(place.root), paused=True),)


def test_what_can_never_be_done_is_not_remembered(place: Place) -> None:
    with pytest.raises(UsageError), place.engine.runs.under_way(Run("model", "no such")):
        raise UsageError("There is no such model.")
    assert place.engine.runs.unfinished() == ()


def test_the_pulse_moves_with_every_change_of_the_memory_and_rests_otherwise(place: Place) -> None:
    engine, scope = place.engine, place.engine.scope()
    seen = [engine.store.pulse()]

    def moved() -> bool:
        seen.append(engine.store.pulse())
        return seen[-1] > seen[-2]

    with Engine(load(engine.settings.home.path, environ={})) as other:
        other.memory.scratch.set(scope, "key", "value")
        assert moved()
        task = other.memory.tasks.add(scope, "call Ann", due="", tags=())
        assert moved()
        other.memory.tasks.done(scope, task.id)
        assert moved()
        other.ingest_text("a thought", title="Thought")
        assert moved()
        other.memory.scratch.list(scope)
        engine.status()
        assert not moved(), "looking changes nothing"
    assert moved() is False
