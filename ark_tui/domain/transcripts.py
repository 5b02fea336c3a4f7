"""Messages in OpenAI's chat format and Anthropic's content blocks.

The stored text names parts that are not text (`[image]`). The original message is kept as well, without
binary data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import ROLES, Role, Saying

OtherRole = Literal["human", "ai", "model", "function"]
OTHER_NAMES: dict[str, Role] = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}
TEXTS = ("text", "input_text", "output_text")
TITLES = ("title", "filename", "file_name", "name", "file_id", "url")  # names of a part that is not text
LONGEST = 2_000  # characters; longer values without spaces are treated as binary data
MILLISECONDS = 10_000_000_000  # larger numbers are milliseconds, not seconds
OURS = frozenset({"id", "name", "tool_call_id", "timestamp", "query_id"})  # stored in separate columns
BESIDE_TEXT = OURS | {"content"}


def saying(raw: Mapping[str, Any], query_id: str = "") -> Saying:
    """Parse a message from its JSON. Raises `UsageError` for an unknown role or an invalid timestamp."""
    stated, content = str(raw.get("role") or ""), raw.get("content")
    blocks = content if isinstance(content, list) else ()
    role = OTHER_NAMES.get(stated, stated)
    if role not in ROLES:
        raise UsageError(f"There is no role {stated[:40]!r}.", f"The roles are {', '.join(ROLES)}.")
    if blocks and all(_kind(block) == "tool_result" for block in blocks):
        role = "tool"  # Anthropic sends these with the role `user`
    apart = BESIDE_TEXT if isinstance(content, str) else OURS
    given = {name: _light(value) for name, value in raw.items() if value is not None and name not in apart}
    if role == stated:
        given.pop("role", None)
    if apart is OURS and "content" in raw:
        given["content"] = _light(content)
    calls = raw.get("tool_calls")
    pieces = [*_pieces(content), *(_pieces(calls) if isinstance(calls, list) else ())]
    result = next((str(block["tool_use_id"]) for block in blocks if _kind(block) == "tool_result"
                   and block.get("tool_use_id")), "")  # fmt: skip
    return Saying(
        role,
        "\n".join([piece for piece in pieces if piece.strip()]),
        str(raw.get("query_id") or query_id),
        str(raw.get("name") or ""),
        str(raw.get("tool_call_id") or result),
        str(raw.get("id") or ""),
        moment(raw.get("timestamp")),
        given or None,
    )


def moment(value: object) -> datetime | None:
    """Parse a time in ISO 8601 or (milli)seconds since 1970; UTC by default. Raises `UsageError`."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, int | float) or str(value).replace(".", "", 1).isdigit():
            seconds = float(str(value))
            return datetime.fromtimestamp(seconds / (1000 if seconds > MILLISECONDS else 1), UTC)
        found = datetime.fromisoformat(str(value))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"{str(value)[:40]!r} is not a time.", "Write it as 2026-03-01T12:00:00Z.") from None


def _pieces(content: object) -> Iterator[str]:
    """The text of a content, piece by piece, with a label for parts that are not text."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, str):
            yield block
        elif isinstance(block, Mapping):
            yield from _piece(block)


def _piece(block: Mapping[str, Any]) -> Iterator[str]:
    kind, called = _kind(block), block.get("function") or block
    if kind in TEXTS:
        yield str(block.get("text") or "")
    elif kind == "refusal":
        yield str(block.get("refusal") or "")
    elif kind == "tool_result":
        yield from _pieces(block.get("content"))
    elif isinstance(called, Mapping) and called.get("name") and ("arguments" in called or "input" in called):
        given = called.get("arguments", called.get("input"))
        said = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        yield f"[{called['name']}] {said}"
    else:
        title = next((str(block[name]) for name in TITLES if isinstance(block.get(name), str)), "")
        named = f": {title}" if 0 < len(title) <= LONGEST // 10 else ""
        yield f"[{kind or 'part'}{named}]"


def _kind(block: object) -> str:
    return str(block.get("type") or "") if isinstance(block, Mapping) else ""


def _light(value: Any) -> Any:
    """Copy JSON, replacing binary data (images, audio, files) with its length."""
    if isinstance(value, Mapping):
        textual = _kind(value) in (*TEXTS, "refusal", "thinking", "tool_result")
        return {
            str(name): one if textual and isinstance(one, str) else _light(one) for name, one in value.items()
        }
    if isinstance(value, list):
        return [_light(one) for one in value]
    if isinstance(value, str) and len(value) > LONGEST and " " not in value[:LONGEST]:
        return f"[{len(value):,} characters]"
    return value
