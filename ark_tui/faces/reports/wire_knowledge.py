"""What is known and learned as JSON: facts, patterns, directives, contexts, outcomes, recall, experts.

The shapes that agents of other services know are theirs to the letter: outcome events and their totals are
in camel case, bundles and statistics are not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ark_tui.faces.reports import wire
from ark_tui.faces.reports.wire import Json

if TYPE_CHECKING:
    from datetime import datetime

    from ark_tui.domain.documents import Document
    from ark_tui.domain.knowledge import Context, ContextItem, Directive, Fact, Pattern
    from ark_tui.domain.outcomes import Aggregate, Application, Event, Reported
    from ark_tui.domain.recall import MemoryStats, Remembered


def facts(found: Iterable[Fact]) -> Json:
    """Facts, the oldest first."""
    return {"facts": [fact(one) for one in found]}


def fact(one: Fact) -> Json:
    """Something that is so."""
    return {**_item(one.document), "text": one.text, "source": one.source or None, "agent": one.by.agent}


def patterns(found: Iterable[Pattern]) -> Json:
    """Patterns, the surest first."""
    return {"patterns": [pattern(one) for one in found]}


def pattern(one: Pattern) -> Json:
    """A problem and what solves it; `success_rate` is null while nobody has tried it."""
    return {
        **_item(one.document),
        "problem": one.problem,
        "solution": one.solution,
        "confidence": one.confidence,
        "successes": one.successes,
        "failures": one.failures,
        "success_rate": one.success_rate,
        "agent": one.by.agent,
    }


def directives(found: Iterable[Directive]) -> Json:
    """Rules, in the order in which they count."""
    return {"directives": [directive(one) for one in found]}


def directive(one: Directive) -> Json:
    """A rule; `scope` is null where it holds everywhere."""
    return {
        **_item(one.document),
        "kind": one.kind,
        "text": one.text,
        "scope": one.scope or None,
        "priority": one.priority,
        "agent": one.by.agent,
    }


def context(found: Context) -> Json:
    """A context: its text, and every item in it with every factor of its score."""
    return {
        "query": found.query,
        "retrieval_id": found.retrieval_id,
        "text": found.text,
        "tokens": found.tokens,
        "budget": found.budget,
        "items": [_context_item(one) for one in found.items],
        "citations": [
            {"label": one.label, "id": one.document.id, "kind": one.kind, "title": one.document.title,
             "path": one.document.path}
            for one in found.items
        ],
        "left_out": found.left_out,
        "masked": found.masked,
        "lamps": [{"signal": found.lamp.signal, "state": found.lamp.state, "reason": found.lamp.reason}],
        "notices": list(found.notices),
    }  # fmt: skip


def event(one: Event) -> Json:
    """An outcome event; what was not given is null."""
    return {
        **recorded(one),
        "sessionId": one.session_id or None,
        "durationMs": one.duration_ms,
        "verdict": one.verdict or None,
        "componentArea": one.component_area or None,
        "estimate": one.estimate or None,
        "driftCount": one.drift_count,
        "model": one.model or None,
        "agentType": one.agent_type or None,
        "iterationCount": one.iteration_count,
        "payload": None if one.payload is None else dict(one.payload),
        "queryId": one.query_id or None,
        "agentId": one.agent_id or None,
    }


def recorded(one: Event) -> Json:
    """An event that was just kept."""
    return {
        "id": one.id,
        "eventType": one.event_type,
        "issueNumber": one.issue_number,
        "timestamp": _moment(one.at),
    }


def events(found: Iterable[Event]) -> Json:
    """Events, the latest first."""
    return {"events": [event(one) for one in found]}


def aggregate(found: Aggregate) -> Json:
    """What all events that match have in common."""
    return {
        "count": found.count,
        "avgDriftCount": found.drift,
        "avgIterationCount": found.iterations,
        "verdictDistribution": dict(found.verdicts),
        "eventTypeDistribution": dict(found.types),
        "topComponentAreas": [{"area": area, "count": count} for area, count in found.areas],
    }


def application(one: Application) -> Json:
    """A pattern that is being used."""
    return {
        "id": one.id,
        "retrieval_id": one.retrieval_id,
        "pattern": one.pattern,
        "timestamp": _moment(one.at),
        "outcome": one.outcome,
    }


def reported(found: Reported) -> Json:
    """An outcome, and the patterns whose confidence it has moved."""
    return {
        "retrieval_id": found.retrieval_id,
        "outcome": found.outcome,
        "event": recorded(found.event),
        "patterns": [
            {"id": one.pattern, "title": one.title, "confidence_before": one.before, "confidence": one.after,
             "successes": one.successes, "failures": one.failures}
            for one in found.changes
        ],
    }  # fmt: skip


def remembered(found: Remembered) -> Json:
    """A text that was kept."""
    return {
        "id": found.document.id,
        "path": found.document.path,
        "tier": found.document.tier,
        "indexed": found.indexed,
        "problem": found.problem or None,
    }


def memory_stats(found: MemoryStats) -> Json:
    """How much there is, by tier, and what is new."""
    return {
        "total_documents": found.total_documents,
        "by_tier": dict(found.by_tier),
        "new_since": found.new_since,
        "chunks_per_doc_p50": found.chunks_per_doc_p50,
        "chunks_per_doc_p90": found.chunks_per_doc_p90,
        "last_reflection_at": _moment(found.last_reflection_at),
        "since": _moment(found.since),
    }


def _item(found: Document) -> Json:
    return {
        "id": found.id,
        "short_id": found.short_id,
        "path": found.path,
        "tier": found.tier,
        "layer": found.layer,
        "tags": list(found.tags),
        "status": found.status or "active",
        "date": found.date.isoformat() if found.date else None,
    }


def _context_item(one: ContextItem) -> Json:
    more: Json = {}
    if one.pattern:
        more = {
            "successes": one.pattern.successes,
            "failures": one.pattern.failures,
            "success_rate": one.pattern.success_rate,
        }
    if one.directive:
        more = {
            "rule": one.directive.kind,
            "scope": one.directive.scope or None,
            "priority": one.directive.priority,
        }
    if one.lines:
        more = {"start_line": one.lines[0], "end_line": one.lines[1]}
    return {
        "kind": one.kind,
        "label": one.label,
        "document": wire.document(one.document),
        "text": one.text,
        "score": one.score,
        "similarity": one.similarity,
        "recency": one.recency,
        "confidence": one.confidence,
        **more,
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None
