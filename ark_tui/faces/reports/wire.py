"""Domain objects as JSON: one schema for `--json`, HTTP and MCP.

The field names are a promise; new ones may join. Times are ISO 8601 in UTC, ids are texts, scores plain
floats. One function per kind of thing; each returns what `json.dumps` takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.models import Models
    from ark_tui.domain.work import Check, IndexReport, Progress, Status
    from ark_tui.settings import Settings

Json: TypeAlias = dict[str, Any]


def document(found: Document) -> Json:
    """What is known of a document, without its text."""
    told: Json = encoded(found)
    return told


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


def error(failure: ArkError) -> Json:
    """What went wrong, and what to do next."""
    return {"error": failure.what, "hint": failure.hint}
