"""The answers to what is asked besides tools: resources, prompts filled in, words completed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from ark_tui.domain.errors import ArkError, NotFound, UsageError
from ark_tui.domain.layers import RETIRED
from ark_tui.interfaces.mcp.offers import DOCUMENT, PROMPTS, TEMPLATE
from ark_tui.interfaces.mcp.tool import called
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations import directives, find, library, memories
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import worded
from ark_tui.operations.operation import operation_of

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document
    from ark_tui.engine import Engine
    from ark_tui.operations.encoding import Json

PAGE = 100  # resources of a list
MOST = 100  # values of a completion, as the protocol has it
MARKDOWN = "text/markdown"
PLAIN = "text/plain"

RECORD = """The task is over: {task}

Keep what it taught, in few words:
- a problem and what solved it: remember (kind pattern, text, solution)
- a fact: remember (kind fact, text, source)
- a rule that the user gave: remember (kind MUST, NEVER, PREFER or AVOID, text)
- where something known was wrong: correct (action replace, id, text, reason){outcome}
Keep no secrets and no guesses."""
OUTCOME = """
- whether the context helped: outcome (action report, retrieval_id "{id}", outcome success or failure)"""


def answer(engine: Engine, method: str, params: Mapping[str, Any]) -> Json:
    """The result of one of these methods. Raises `ArkError`."""
    return hidden(worded(METHODS[method](engine, params), called))  # type: ignore[no-any-return]


def _listed(engine: Engine, params: Mapping[str, Any]) -> Json:
    """A page of documents, of those that whoever asks sees, and that hold."""
    offset = _cursor(params.get("cursor"))
    page = _asked(library.documents, Call(engine), limit=PAGE, offset=offset)
    current = [one for one in page.items if not one.superseded_by and one.status != RETIRED]
    told: Json = {"resources": [_resource(one) for one in current]}
    return told if page.more is None else {**told, "nextCursor": str(page.more)}


def _resource(document: Document) -> Json:
    return {
        "uri": uri(document.id), "name": document.path, "title": document.title or document.path,
        "description": f"{document.type or 'document'} in {document.collection}, {document.tier}",
        "mimeType": MARKDOWN if document.path.endswith((".md", ".markdown")) else PLAIN,
    }  # fmt: skip


def uri(ref: str) -> str:
    """Where a document is read as a resource."""
    return f"{DOCUMENT}{quote(ref, safe='')}"


def _read(engine: Engine, params: Mapping[str, Any]) -> Json:
    asked = params.get("uri")
    if not isinstance(asked, str) or not asked.startswith(DOCUMENT) or asked == DOCUMENT:
        raise NotFound("There is no such resource.", f"Documents are at {TEMPLATE}.")
    passage = _asked(find.show, Call(engine), ref=unquote(asked.removeprefix(DOCUMENT)))
    kind = _resource(passage.document)["mimeType"]
    return {"contents": [{"uri": asked, "mimeType": kind, "text": passage.text}]}


def _filled(engine: Engine, params: Mapping[str, Any]) -> Json:
    """A prompt with its arguments filled in."""
    prompt = next((one for one in PROMPTS if one["name"] == params.get("name")), None)
    if prompt is None:
        raise NotFound("There is no such prompt.", f"Prompts: {', '.join(one['name'] for one in PROMPTS)}.")
    found = params.get("arguments") or {}
    given = {one["name"]: str(found.get(one["name"]) or "").strip() for one in prompt["arguments"]}
    if not given["task"]:
        raise UsageError("task is missing.", "Say in words what the task is.")
    text = RECALL[prompt["name"]](engine, given)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt["description"], "messages": [message]}


def _recall(engine: Engine, given: Mapping[str, str]) -> str:
    scopes = (given["scope"],) if given["scope"] else ()
    found = _asked(memories.context, Call(engine), query=given["task"], scopes=scopes)
    return f"The task: {given['task']}\n\n{found.text}"


def _record(_: Engine, given: Mapping[str, str]) -> str:
    id_ = given["retrieval_id"]
    return RECORD.format(task=given["task"], outcome=OUTCOME.format(id=id_) if id_ else "")


RECALL: Mapping[str, Callable[[Engine, Mapping[str, str]], str]] = {"recall": _recall, "record": _record}


def _completed(engine: Engine, params: Mapping[str, Any]) -> Json:
    """What a word may become: paths of documents that hold it, or scopes of rules that begin with it."""
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise UsageError("A completion has a ref and an argument.", "Name the prompt or the resource.")
    value, call = str(argument.get("value") or ""), Call(engine)
    values: list[str] = []
    if ref.get("uri") == TEMPLATE:
        page = _asked(library.documents, call, words=value, limit=MOST + 1)
        values = [one.path for one in page.items]
    elif argument.get("name") == "scope":
        rules = _asked(directives.list_, call).items
        values = sorted({one.scope for one in rules if one.scope and one.scope.startswith(value)})
    told = {"values": values[:MOST], "total": len(values), "hasMore": len(values) > MOST}
    return {"completion": told}


METHODS: Mapping[str, Callable[[Engine, Mapping[str, Any]], Json]] = {
    "resources/list": _listed, "resources/read": _read, "prompts/get": _filled,
    "completion/complete": _completed,
}  # fmt: skip


def _asked(function: Callable[..., Any], call: Call, **given: Any) -> Any:
    """What an operation answers, where whoever asks may ask for it."""
    operation = operation_of(function)
    assert operation
    return operation(call, **given)


def _cursor(given: object) -> int:
    try:
        return max(0, int(str(given or 0)))
    except ValueError as error:
        raise UsageError("This cursor is none of ours.", "Begin without one.") from error


def refusal(error: ArkError) -> str:
    """An error as a sentence, with what to do next."""
    return f"{error.what} {worded({'hint': error.hint}, called)['hint'] or ''}".strip()
