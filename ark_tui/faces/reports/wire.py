"""Domain objects as JSON: one schema for `--json`, HTTP and MCP.

The field names are a promise; new ones may join. Times are ISO 8601 in UTC, ids are texts, scores plain
floats. One function per kind of thing; each returns what `json.dumps` takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.domain.errors import ArkError

Json: TypeAlias = dict[str, Any]


def document(found: Document) -> Json:
    """What is known of a document, without its text."""
    told: Json = encoded(found)
    return told


def error(failure: ArkError) -> Json:
    """What went wrong, and what to do next."""
    return {"error": failure.what, "hint": failure.hint}
