"""Outcomes: results reported after a retrieval, and their effect on confidence (M8, M11)."""

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

FIRST_CONFIDENCE = 0.5  # of a pattern without outcomes
STEP = 0.1  # change by the first outcome

EXPERT_CALL = "expert_call"
"""The type of the event stored for an expert call."""

REPORT = "outcome"
"""The type of the event stored for a reported outcome."""


def moved(confidence: float, earlier: int, outcome: Outcome) -> float:
    """The confidence after one more outcome: `± 0.1 / √(n + 1)`, n = earlier outcomes, clipped to 0…1."""
    step = STEP / sqrt(earlier + 1)
    return min(1.0, max(0.0, confidence + (step if outcome == "success" else -step)))


@dataclass(frozen=True, slots=True)
class Event:
    """An event reported by an agent or a user. Only the type is required."""

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
    query_id: Annotated[str, Key("queryId"), As.NULL] = ""  # of the preceding search, context or expert call
    agent_id: Annotated[str, Key("agentId"), As.NULL] = ""  # who reports it
    id: str = ""  # assigned by the store, like `at`
    at: Annotated[datetime | None, Key("timestamp")] = None


@dataclass(frozen=True, slots=True)
class EventFilter:
    """A filter on events; all given fields must match.

    `component_area` matches as a prefix; `since` is the earliest time.
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
class Aggregate:
    """Statistics of the matching events. Averages ignore events without a value; None if all lack one."""

    count: int
    drift: Annotated[float | None, Key("avgDriftCount")]
    iterations: Annotated[float | None, Key("avgIterationCount")]
    verdicts: Annotated[Mapping[str, int], Key("verdictDistribution")]
    types: Annotated[Mapping[str, int], Key("eventTypeDistribution")]
    areas: Annotated[
        tuple[tuple[str, int], ...], Key("topComponentAreas"), Named(("area", "count"))
    ]  # the ten most frequent component areas


@dataclass(frozen=True, slots=True)
class Application:
    """The use of a retrieved pattern; `outcome` is None until reported."""

    id: str
    retrieval_id: str
    pattern: str  # id of its document
    at: Annotated[datetime, Key("timestamp")]
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of an outcome on a pattern."""

    pattern: Annotated[str, Key("id")]  # of its document
    title: str
    before: Annotated[float, Key("confidence_before")]
    after: Annotated[float, Key("confidence")]
    successes: int
    failures: int


@dataclass(frozen=True, slots=True)
class Reported:
    """A stored outcome, with the changes in the confidence of patterns."""

    retrieval_id: str
    outcome: Outcome
    event: Event
    changes: Annotated[tuple[Change, ...], Key("patterns")] = field(default_factory=tuple)
