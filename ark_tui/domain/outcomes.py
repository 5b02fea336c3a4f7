"""Outcomes: what happened after something was retrieved, and what that does to confidence (M8, M11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt
from typing import Annotated, Any, Literal

from ark_tui.domain.fields import As, Key, Named

Outcome = Literal["success", "failure"]
OUTCOMES: tuple[Outcome, ...] = ("success", "failure")

ESTIMATES = ("XS", "S", "M", "L", "XL")

FIRST_CONFIDENCE = 0.5  # of a pattern that nobody has tried yet
STEP = 0.1  # what the first outcome moves it by

EXPERT_CALL = "expert_call"
"""The type of the event that asking an expert leaves behind."""

REPORT = "outcome"
"""The type of the event that a reported outcome leaves behind."""


def moved(confidence: float, earlier: int, outcome: Outcome) -> float:
    """The confidence after one more outcome: `± 0.1 / √(n + 1)`, n = earlier outcomes, kept in 0…1."""
    step = STEP / sqrt(earlier + 1)
    return min(1.0, max(0.0, confidence + (step if outcome == "success" else -step)))


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as an agent or a person reports it. Only the type is always there."""

    event_type: Annotated[str, Key("eventType")]
    issue_number: Annotated[int | None, Key("issueNumber")] = None
    session_id: Annotated[str, Key("sessionId"), As.NULL] = ""
    duration_ms: Annotated[int | None, Key("durationMs")] = None
    verdict: Annotated[str, As.NULL] = ""
    component_area: Annotated[str, Key("componentArea"), As.NULL] = ""
    estimate: Annotated[str, As.NULL] = ""  # one of ESTIMATES
    drift_count: Annotated[int | None, Key("driftCount")] = None
    model: Annotated[str, As.NULL] = ""
    agent_type: Annotated[str, Key("agentType"), As.NULL] = ""
    iteration_count: Annotated[int | None, Key("iterationCount")] = None
    payload: Mapping[str, Any] | None = None
    query_id: Annotated[str, Key("queryId"), As.NULL] = ""  # of the search, context or expert call before
    agent_id: Annotated[str, Key("agentId"), As.NULL] = ""  # who reports it
    id: str = ""  # given by the store, like the moment
    at: Annotated[datetime | None, Key("timestamp")] = None


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are meant: all fields that are given must agree.

    `component_area` is the beginning of one, `since` the first moment.
    """

    issue_number: int | None = None
    event_type: str = ""
    component_area: str = ""
    estimate: str = ""
    verdict: str = ""
    session_id: str = ""
    query_id: str = ""
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Bin:
    """Outcomes of patterns whose confidence was in `least`…`most` then: its mean, and what came of them."""

    least: float
    most: float
    outcomes: int
    confidence: float
    success_rate: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How confidence and what happened agree, over all reported outcomes of patterns.

    `brier`: the mean of (confidence − outcome)², a success being 1 (Brier 1950); always 0.5 has 0.25, less is
    better. `error`: the expected calibration error, the mean over the bins, each by its outcomes, of
    |confidence − success rate| (Naeini et al. 2015). None without outcomes. `silent`: patterns that have lost
    all confidence, which no context has.
    """

    outcomes: int
    brier: float | None
    error: float | None
    bins: tuple[Bin, ...]
    silent: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What all events that match have in common. Averages are over those that say something; else None."""

    count: int
    drift: Annotated[float | None, Key("avgDriftCount")]
    iterations: Annotated[float | None, Key("avgIterationCount")]
    verdicts: Annotated[Mapping[str, int], Key("verdictDistribution")]
    types: Annotated[Mapping[str, int], Key("eventTypeDistribution")]
    areas: Annotated[
        tuple[tuple[str, int], ...], Key("topComponentAreas"), Named(("area", "count"))
    ]  # the ten commonest component areas


@dataclass(frozen=True, slots=True)
class Application:
    """A pattern that was used after it had been retrieved; its outcome may still be to come."""

    id: str
    retrieval_id: str
    pattern: str  # id of its document
    at: Annotated[datetime, Key("timestamp")]
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What an outcome did to a pattern."""

    pattern: Annotated[str, Key("id")]  # of its document
    title: str
    before: Annotated[float, Key("confidence_before")]
    after: Annotated[float, Key("confidence")]
    successes: int
    failures: int


@dataclass(frozen=True, slots=True)
class Reported:
    """An outcome, as it was kept, and the patterns whose confidence it has moved."""

    retrieval_id: str
    outcome: Outcome
    event: Event
    changes: Annotated[tuple[Change, ...], Key("patterns")] = field(default_factory=tuple)
