"""Long work that was begun: what it is about, how far it is, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from ark_tui.domain.analysis import Analysis
from ark_tui.domain.fields import Key
from ark_tui.domain.models import Models
from ark_tui.domain.tuning import Fitted
from ark_tui.domain.work import IndexReport, Progress

JobState = Literal["running", "paused", "cut off", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Embedded:
    """What an embedding run did: how many changes of the store the vectors have taken up."""

    changes: int


JobResult: TypeAlias = IndexReport | Models | Analysis | Embedded | Fitted
"""What came of a job: of indexing, of switching a model, of analysing, of embedding what waited."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job has failed, and what to do next."""

    error: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """Long work, of this process or, as far as it is known, of another one at the same home.

    `paused` and `cut off` go on where they stopped: the one when somebody says so, the other by itself where
    a server or a workbench is open. `what`: the folder or the model that it is about. `started` and
    `progress` of another process's work are not known.
    """

    id: Annotated[str, Key("job_id")]
    kind: str
    state: JobState
    started: datetime | None = None
    what: str = ""
    progress: Progress | None = None
    result: JobResult | None = None
    error: Failure | None = None
