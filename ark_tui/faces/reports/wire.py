"""Domain objects as JSON: one schema for `--json`, HTTP and MCP.

The field names are a promise; new ones may join. Times are ISO 8601 in UTC, ids are texts, scores plain
floats. One function per kind of thing; each returns what `json.dumps` takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.evaluation import Comparison, Evaluation, Measures, QueryChange, SetResult
    from ark_tui.domain.hits import Hit, SearchResult, Snippet, Verdict
    from ark_tui.domain.models import Models
    from ark_tui.domain.searches import Rerun, Retrieval
    from ark_tui.domain.work import Check, IndexReport, Progress, Status
    from ark_tui.settings import Settings

Json: TypeAlias = dict[str, Any]


def search(result: SearchResult) -> Json:
    """A search: its hits, every part of every score, and what ran."""
    return {
        "query": result.query.raw,
        "retrieval_id": result.retrieval_id,
        "profile": result.profile,
        "took_ms": result.took_ms,
        "abstained": result.abstained,
        "below_floor": result.below_floor,
        "verdict": verdict(result.verdict) if result.verdict else None,
        "truncated": result.truncated,
        "found": result.found,
        "dropped": result.dropped,
        "lamps": [
            {"signal": lamp.signal, "state": lamp.state, "reason": lamp.reason} for lamp in result.lamps
        ],
        "expansion": {
            "terms": list(result.expansion.terms),
            "source": result.expansion.source,
            "without": list(result.expansion.without),
        },
        "suggestions": [{"word": s.word, "instead": list(s.instead)} for s in result.suggestions],
        "stages": [{"name": name, "ms": ms} for name, ms in result.stages],
        "hits": [hit(one) for one in result.hits],
    }


def verdict(of: Verdict) -> Json:
    """Whether there is anything on the query; below 0 not. The evidence adds up but for a constant."""
    return {
        "standing": of.standing,
        "why": of.why,
        "evidence": [
            {"name": one.name, "value": one.value, "contribution": one.contribution} for one in of.evidence
        ],
    }


def hit(found: Hit) -> Json:
    """A document in the results. `score` = Σ contribution × Π value."""
    return {
        "rank": found.rank,
        "score": found.score,
        "document": document(found.document),
        "chunk": {
            "id": found.chunk.id,
            "start_line": found.chunk.start_line,
            "end_line": found.chunk.end_line,
            "start_char": found.chunk.start_char,
            "end_char": found.chunk.end_char,
            "heading": found.chunk.heading,
        },
        **snippet(found.snippet),
        "more": found.more,
        "duplicates": [document(one) for one in found.duplicates],
        "signals": [
            {
                "name": part.name,
                "raw": part.raw,
                "normalised": part.normalised,
                "rank": part.rank,
                "weight": part.weight,
                "contribution": part.contribution,
            }
            for part in found.parts
        ],
        "multipliers": [{"name": factor.name, "value": factor.value} for factor in found.multipliers],
    }


def document(found: Document) -> Json:
    """What is known of a document, without its text."""
    return {
        "id": found.id,
        "short_id": found.short_id,
        "title": found.title,
        "path": found.path,
        "collection": found.collection,
        "tier": found.tier,
        "type": found.type,
        "status": found.status,
        "tags": list(found.tags),
        "date": found.date.isoformat() if found.date else None,
        "date_source": found.date_source,
        "item": found.item,
        "stale": found.stale,
        "superseded_by": found.superseded_by,
        "pinned": found.pinned,
        "trashed": found.trashed,
    }


def snippet(found: Snippet) -> Json:
    """The text of a snippet, its lines, and the character ranges of it that match."""
    return {
        "snippet": found.text,
        "snippet_lines": [found.start_line, found.end_line],
        "highlights": [list(span) for span in found.highlights],
    }


def index(report: IndexReport) -> Json:
    """What an indexing run did."""
    return {
        "collections": list(report.collections),
        "added": report.added,
        "changed": report.changed,
        "renamed": report.renamed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "skipped": report.skipped,
        "failed": report.failed,
        "duplicates": report.duplicates,
        "embedded": report.embedded,
        "took_s": report.took_s,
        "problems": [{"path": p.path, "reason": p.reason, "state": p.state} for p in report.problems],
        "notices": list(report.notices),
    }


def progress(at: Progress) -> Json:
    """One step of long work; `total` is null while it is not known."""
    return {"stage": at.stage, "done": at.done, "total": at.total, "note": at.note}


def searches(kept: Iterable[Retrieval]) -> Json:
    """Searches that were run, the newest first."""
    return {"searches": [retrieval(one) for one in kept]}


def retrieval(kept: Retrieval) -> Json:
    """A search that was run, and what it listed. Titles and paths are today's."""
    return {
        "retrieval_id": kept.id,
        "query": kept.query,
        "profile": kept.request.profile,
        "mode": kept.request.mode,
        "limit": kept.request.limit,
        "parameters": kept.profile,
        "model": kept.model,
        "change": kept.change,
        "at": kept.at.isoformat().replace("+00:00", "Z"),
        "answers": [
            {
                "rank": answer.rank,
                "score": answer.score,
                "document": answer.document,
                "chunk": answer.chunk,
                "title": answer.title,
                "path": answer.path,
            }
            for answer in kept.answers
        ],
    }


def rerun(found: Rerun) -> Json:
    """A search run again: `kind` is stayed, moved, came or went; a rank is null where it was not listed."""
    return {
        "before": retrieval(found.before),
        "same": found.same,
        "differing": list(found.differing),
        "moves": [
            {
                "document": move.document,
                "title": move.title,
                "path": move.path,
                "before": move.before,
                "after": move.after,
                "kind": move.kind,
            }
            for move in found.moves
        ],
        "after": search(found.after),
    }


def passage(shown: Passage) -> Json:
    """A stretch of a document."""
    return {
        "document": document(shown.document),
        "text": shown.text,
        "start_line": shown.start_line,
        "end_line": shown.end_line,
        "total_lines": shown.total_lines,
        "file": shown.file or None,
        "highlights": [list(span) for span in shown.highlights],
    }


def status(state: Status) -> Json:
    """The state of a home; `files` are those that are not plainly indexed, each with the reason.

    A collection was `read` to its end at that moment; one whose folder is not there now is `missing`.
    """
    return {
        "documents": state.documents,
        "chunks": state.chunks,
        "collections": [
            {
                "name": c.name,
                "root": c.root,
                "documents": c.documents,
                "chunks": c.chunks,
                "read": c.read.isoformat().replace("+00:00", "Z") if c.read else None,
                "missing": c.missing,
            }
            for c in state.collections
        ],
        "coverage": dict(state.coverage),
        "files": [
            {"collection": row.collection, "path": row.path, "state": row.state, "reason": row.reason}
            for row in state.rows
        ],
        "followers": [
            {"name": f.name, "behind": f.behind, "recall_at_10": f.recall_at_10, "problem": f.problem}
            for f in state.followers
        ],
        "embedding": {
            "provider": state.embedding.provider,
            "model": state.embedding.model,
            "dims": state.embedding.dims,
            "fingerprint": state.embedding.fingerprint,
            "problem": state.embedding.problem,
        },
        "store": {"path": state.store_path, "schema": state.schema, "bytes": state.bytes},
        "change": state.change,
    }


def models(found: Models) -> Json:
    """The embedding models; `dims` is 0 for one that nobody has asked yet."""
    return {
        "models": [
            {
                "name": model.name,
                "state": model.state,
                "dims": model.dims,
                "fingerprint": model.fingerprint,
                "waiting": model.waiting,
                "bytes": model.bytes,
                "problem": model.problem,
            }
            for model in found.models
        ],
        "ollama": {"address": found.server, "problem": found.server_problem},
        "setting": found.setting,
        "better": found.better,
    }


def doctor(checks: Iterable[Check]) -> Json:
    """What is right (`ok` true), wrong (false), or merely said (null)."""
    return {
        "checks": [{"name": c.name, "ok": c.ok, "detail": c.detail, "repaired": c.repaired} for c in checks]
    }


def settings(chosen: Settings) -> Json:
    """Every setting, and where it came from."""
    roots = [{"path": str(root.path), "name": root.name} for root in chosen.roots]
    plain = {name: {"value": value, "origin": chosen.origin(name)} for name, value in chosen.values.items()}
    return {
        "home": str(chosen.home.path),
        "config": str(chosen.home.config),
        "settings": {"roots": {"value": roots, "origin": chosen.origin("roots")}, **plain},
        "profiles": sorted(chosen.profiles),
        "warnings": list(chosen.warnings),
    }


def where(places: Mapping[str, str]) -> Json:
    """Absolute paths by name."""
    return dict(places)


def evaluation(done: Evaluation) -> Json:
    """A profile measured on judged sets; every metric is a mean over queries."""
    return {
        "profile": done.profile,
        "sets": [{"name": one.name, **measured(one)} for one in done.sets],
        "macro": measured(done.macro),
        "runs": list(done.runs),
        "notices": list(done.notices),
    }


def measured(one: SetResult) -> Json:
    """A set, or the macro mean; `ablation` and `comparison` are there when they were asked for."""
    found: Json = {
        "documents": one.documents,
        **measures(one.measures),
        "categories": {name: measures(of) for name, of in one.categories.items()},
        "baselines": {name: measures(of) for name, of in one.baselines.items()},
    }
    if one.ablation:
        found["ablation"] = [{"signal": off.signal, **measures(off.change)} for off in one.ablation]
    if one.comparison:
        found["comparison"] = comparison(one.comparison)
    return found


def measures(of: Measures) -> Json:
    """The four metrics, or their differences, and the 95 % interval of each: `[low, high]`."""
    return {
        "queries": of.queries,
        **{name: estimate.mean for name, estimate in of.of.items()},
        "interval": {name: [estimate.low, estimate.high] for name, estimate in of.of.items()},
    }


def comparison(of: Comparison) -> Json:
    """Two rankings; differences are b − a, and a query is won where b is better by nDCG@10."""

    def queries(changes: Iterable[QueryChange]) -> list[Json]:
        return [{"set": c.set, "id": c.id, "query": c.text, "a": c.a, "b": c.b} for c in changes]

    return {
        "a": of.a,
        "b": of.b,
        "difference": measures(of.change),
        "won": queries(of.won),
        "lost": queries(of.lost),
        "tied": of.tied,
    }


def error(failure: ArkError) -> Json:
    """What went wrong, and what to do next."""
    return {"error": failure.what, "hint": failure.hint}
