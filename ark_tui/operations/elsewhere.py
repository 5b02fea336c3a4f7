"""What only whoever works with the home from another machine asks: how far it is, and what goes on there.

Called as what `operations.workbench` has.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.jobs import JobEntry, JobState, Wish
from ark_tui.domain.memory import Scope
from ark_tui.domain.work import Progress
from ark_tui.operations.call import Call
from ark_tui.operations.workbench import Marks, marks


@dataclass(frozen=True, slots=True)
class Going:
    """A job that is not over, for a workbench elsewhere; times are in seconds until now.

    `told`: kind, folder and model say what is done; else it is what `kind` is called.
    """

    id: str
    kind: str
    folder: str
    collection: str
    model: str
    state: JobState | Literal["waiting"]
    own: bool
    told: bool
    wish: Wish
    started: datetime | None
    progress: Progress | None
    age: float
    seconds: float
    before: int


@dataclass(frozen=True, slots=True)
class News:
    """How far a home is, who holds its store, and what is going on there."""

    marks: Marks
    held_up: str = ""
    jobs: tuple[Going, ...] = ()


def news(call: Call) -> News:
    """What a workbench elsewhere looks at all the time."""
    now = time.monotonic()
    going = tuple(
        Going(
            one.id, one.kind, str(one.folder or ""), one.collection, one.model, one.state, one.own,
            one.work is None, one.wish, one.started, one.progress, now - one.begun, one.seconds, one.before,
        )
        for one in call.engine.jobs.live
    )  # fmt: skip
    return News(marks(call), call.engine.held_up(), going)


def order(call: Call, kind: str, folder: str, collection: str, model: str) -> str:
    """Do a job for a workbench elsewhere; as `take`. Raises `UsageError` for a folder not followed."""
    if folder and folder not in call.engine.library.roots().values():
        raise UsageError(
            f"{folder} is not followed where the home is, and folders of this machine are not there.",
            Hint.run("index", "FOLDER", say="On that machine, {} begins to."),
        )
    return call.engine.jobs.take(JobEntry(kind, Path(folder) if folder else None, collection, model))


def scope(call: Call) -> Scope:
    """Whose memory is meant."""
    return call.scope
