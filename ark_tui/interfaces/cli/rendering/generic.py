"""Prints any result from its JSON: entries with an id and a text, tables of facts, sections of lists.

An entry is one line with its id and text; its other facts follow in one paragraph. Lists within a result are
sections with a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ark_tui.domain.documents import Document
from ark_tui.domain.titles import set_apart
from ark_tui.interfaces.cli.output import WIDTH, Ink, cells, flow
from ark_tui.interfaces.cli.rendering import Renderer, View
from ark_tui.operations.operation import Effect, Operation, Page, answer

KEYS = (
    "short_id", "id", "number", "name", "key", "label", "moment", "job_id", "conversation_id", "retrieval_id",
)  # fmt: skip
"""Keys that identify an entry, in order of preference."""

TEXTS = (
    "done", "what", "title", "text", "content", "claim", "value", "query", "problem", "eventType", "reason",
    "path", "label",
)  # fmt: skip
"""Keys of an entry's text, in order of preference."""

UNSAID = frozenset(
    ("spans", "notices", "matches", "short_id", "highlights", "date_source", "act", "asks", "edge")
)
"""Keys that are not printed: they are for programs."""

DETAILS = frozenset(("parameters", "answers", "change", "result", "progress"))
"""Keys that are printed for a single result, and not for each of a list."""

USUAL = {
    "agent": "default", "session": "default", "agentId": "default", "sessionId": "default",
    "status": "active", "type": "untyped",
}  # fmt: skip
"""Values that are not printed because they are the default."""

RAW = {
    "scratch get": "value", "scratch restore": "value", "token add": "token", "backup": "backup",
    "restore": "kept", "conversations create": "conversation_id",
    "conversations close": "conversation_id",
    "export-curation": "content",
}  # fmt: skip
"""Operations of which only one field is printed, unformatted, for scripts."""

EMPTY = {
    "tasks list": "No tasks: ark-tui tasks add SOMETHING",
    "scratch list": "No scratch notes in {scope}: ark-tui scratch set KEY VALUE",
    "history list": "No messages: ark-tui history add user SOMETHING",
    "conversations list": "No conversations in {scope}: ark-tui history add user SOMETHING",
    "facts list": "No facts: ark-tui memory fact add 'The build takes four minutes'",
    "patterns list": "No patterns: ark-tui memory pattern add 'the problem' --solution 'the solution'",
    "directives list": "No directives: ark-tui memory directive add MUST run the tests",
    "judgments": 'No judgments: ark-tui eval judge "some words" @1 +',
    "saved list": "No saved searches: ark-tui saved add NAME some words",
    "saved diff": "No saved searches: ark-tui saved add NAME some words",
    "searches": "No searches yet: ark-tui search some words",
    "review list": "Nothing to review: ark-tui memory consolidate",
    "jobs list": "No jobs.",
    "edits": "No edits yet.",
    "outcome query": "No event matches.",
    "token list": "No tokens: ark-tui token add NAME",
    "paths": "No path between them has so few links; give a larger --depth.",
    "common": "No document is linked with both.",
    "traverse": "No link leads on from it.",
    "communities": "No document links to another.",
    "queue list": "No document needs a decision.",
}
"""Messages for empty lists; others get a general one."""

WITHIN = {
    "paths": "paths", "common": "common", "traverse": "results", "communities": "communities",
    "queue list": "items",
}  # fmt: skip
"""The lists within results that get such a message."""

LINES = 6  # lines of an entry's text
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def of(operation: Operation) -> Renderer:
    """The renderer of an operation."""
    name = operation.function.__module__.rpartition(".")[2]
    module = f"{__package__}.{name}"
    found: Mapping[str, Renderer] = import_module(module).RENDERERS if find_spec(module) else {}
    renderer = found.get(operation.name) or Renderer()
    if renderer.show:
        return renderer
    return replace(renderer, show=lambda view, results: show(view, operation, results))


def show(view: View, operation: Operation, results: Sequence[Any]) -> None:
    """Print results one after the other, with their notices."""
    for result in results:
        told = answer(operation, result)
        documents = [*_documents(told)]
        titles = set_apart(
            Document(one["id"], one.get("collection", ""), one["path"], one["title"]) for one in documents
        )
        for one in documents:
            one["title"] = titles[one["id"]]
        raw = RAW.get(operation.name)
        if raw and isinstance(told, dict) and raw in told:
            if told[raw]:
                view.out.block(str(told[raw]))
        elif operation.listed in told and isinstance(told[operation.listed], list):
            _list(view, operation, result, told[operation.listed])
        else:
            _record(view, told)
            if operation.name in WITHIN and not told[WITHIN[operation.name]]:
                view.say.notice(EMPTY[operation.name])
        _say(view, operation, result)


def _documents(told: Any) -> Iterator[dict[str, Any]]:
    """All documents within a result."""
    if _is_document(told):
        yield told
    for inside in told.values() if isinstance(told, dict) else told if isinstance(told, list) else ():
        yield from _documents(inside)


def _list(view: View, operation: Operation, result: Any, items: Sequence[Any]) -> None:
    for item in items:
        _entry(view, _without_details(item), "")
    if not items:
        empty = EMPTY.get(operation.name, "Nothing found.")
        view.say.notice(empty.format(scope=view.call.scope.name))
    if isinstance(result, Page) and result.more is not None and items:
        view.say.notice(f"{result.total:,} in all; continue with --offset {result.more}")
    if isinstance(result, Page) and result.notice:
        view.say.notice(result.notice)


def _without_details(item: Any) -> Any:
    """An item of a list without its details; the progress of running work stays."""
    if not isinstance(item, dict):
        return item
    running = item.get("state") == "running"
    return {
        name: value for name, value in item.items() if name not in DETAILS or (name == "progress" and running)
    }


def _say(view: View, operation: Operation, result: Any) -> None:
    """Write notices on a result to stderr."""
    destroys = operation.effect is Effect.DESTROYS or bool(view.options.get("drop"))
    asks = destroys and any(one.name == "yes" for one in operation.parameters)
    if asks and (view.options.get("dry_run") or not view.options.get("yes")):
        view.say.notice("Nothing was changed. To do it, add --yes")
    if remains := getattr(result, "remains", ()):
        view.say.notice(f"These may still contain deleted texts: {', '.join(remains)}")


def _record(view: View, told: Any, indent: str = "") -> None:
    """Print a result that is not a list: as an entry or as facts, then its lists."""
    if not isinstance(told, dict):
        view.out.line(indent, _shown(told))
        return
    lists = {
        key: value
        for key, value in told.items()
        if isinstance(value, list) and any(isinstance(one, dict | list) for one in value)
    }
    records = {
        key: value for key, value in told.items() if isinstance(value, dict) and not _is_document(value)
    }
    facts = {key: value for key, value in told.items() if key not in {*lists, *records}}
    if (text := _first(told, TEXTS)) is not None:
        _entry(view, told, indent)
        if text == "done":
            lists.pop("documents", None)
    else:
        rows = [(indent + _named(key), _shown(value)) for key, value in facts.items() if _says(key, value)]
        view.pairs(rows)
        for key, value in records.items():
            view.out.line(indent, Ink(_named(key), "strong"))
            _record(view, value, f"{indent}  ")
    for key, items in lists.items():
        view.out.line(indent, Ink(_named(key), "strong"))
        for item in items:
            _entry(view, item, f"{indent}  ")


def _entry(view: View, item: Any, indent: str) -> None:
    """Print an entry: id and text, then its other facts."""
    if not isinstance(item, dict):
        view.out.line(indent, " → ".join(map(_shown, item)) if isinstance(item, list) else _shown(item))
        return
    document: dict[str, Any] = next((value for value in item.values() if _is_document(value)), {})
    owner = item if _first(item, TEXTS) is not None or not document else {**document, **item}
    key, text = _first(owner, KEYS), _first(owner, (*TEXTS, "kind"))
    if key is text is None:
        facts = " · ".join(f"{_named(name)} {_shown(value)}" for name, value in item.items() if value)
        for row in flow(facts, (), WIDTH - len(indent), LINES):
            view.out.line(indent, *row)
        return
    lead = f"{indent}{_shown(owner[key])}  " if key else indent
    room = max(WIDTH - cells(lead), WIDTH // 3)
    rows = flow(_shown(owner[text]), (), room, LINES) if text and text != key else []
    view.out.line(Ink(lead, "strong"), *(rows[0] if rows else []))
    blank = " " * min(cells(lead), WIDTH // 3)
    for row in rows[1:]:
        view.out.line(blank, *row)
    below = f"{indent}    "
    if text == "done":
        return
    said = owner[text] if text else None
    told = {key, text, "id" if key == "short_id" else ""}
    rest = {
        name: value
        for name, value in item.items()
        if name not in told and value not in (0, said, None if owner is item else document)
    }
    path = {"path": document["path"]} if document.get("path") and owner is not item else {}
    facts = " · ".join(_facts({**path, **rest}))
    for row in flow(facts, (), WIDTH - len(below), LINES):
        view.out.line(below, *(Ink(ink.text, "faint") for ink in row))


def _facts(item: Mapping[str, Any]) -> Iterator[str]:
    """The non-empty facts of an entry, such as `path notes/gap.md`, `tags a, b`."""
    for key, value in item.items():
        if _says(key, value):
            yield _named(key) if value is True else f"{_named(key)} {_shown(value)}"


def _says(key: str, value: Any) -> bool:
    return key not in UNSAID and value not in (None, "", [], {}, USUAL.get(key)) and value is not False


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, dict):
        return _in_words(value)
    return f"{value:,}" if isinstance(value, int) else _TIME.sub(r"\1 \2", str(value))


def _in_words(value: Mapping[str, Any]) -> str:
    if _is_document(value):
        return f"{value.get('short_id') or value['id']} {value['title']}"
    if {"key", "label"} <= value.keys():
        return f"{value['key']} {value['label']}"
    return ", ".join(_facts(value))


def _named(key: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").lower()


def _first(item: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """The first of these keys that has a text or a number."""
    for key in keys:
        value = item.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return key
    return None


def _is_document(value: Any) -> bool:
    return isinstance(value, dict) and {"id", "title", "path"} <= value.keys()
