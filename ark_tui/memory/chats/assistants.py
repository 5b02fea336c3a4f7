"""Exports of assistants: the archives of ChatGPT and Claude, and plain transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ark_tui.memory.chats.source import Chat, Source, chat, each

SPOKEN = ("text", "code", "execution_output", "tether_quote", "tether_browsing_display", "multimodal_text")


def chatgpt(source: Source) -> Iterator[Chat]:
    """Conversations of `conversations.json`, or of its numbered parts; only the branch shown last."""
    return each(_listed(source, "mapping", dict), _chatgpt_talk)


def _chatgpt_talk(one: dict[str, Any]) -> Iterator[Chat]:
    nodes = {name: node for name, node in one["mapping"].items() if isinstance(node, dict)}
    path: list[Any] = []
    at = one.get("current_node")
    while (node := nodes.get(at)) and len(path) < len(nodes):
        path.append(node.get("message"))
        at = node.get("parent")
    shown = [message for message in reversed(path) if message]
    unshown = sum(bool(node.get("message")) for node in nodes.values()) - len(shown)
    found = chat(f"chatgpt-{one.get('conversation_id') or one.get('id')}", one.get("title"), shown, _chatgpt)
    yield Chat(found.id, found.title, found.messages, found.left_out + unshown)


def _chatgpt(message: dict[str, Any]) -> Mapping[str, Any] | None:
    author, content, about = message["author"], message["content"], message.get("metadata") or {}
    kind = content.get("content_type")
    if about.get("is_visually_hidden_from_conversation") or kind not in SPOKEN:
        return None
    parts = content["parts"] if "parts" in content else [content.get("text") or content.get("result") or ""]
    return {
        "id": message["id"],
        "role": author["role"],
        "name": author.get("name"),
        "timestamp": message.get("create_time"),
        "content": parts[0] if len(parts) == 1 and isinstance(parts[0], str) else [
            # the type of a part that is not text: `image_asset_pointer` is `image`
            part if isinstance(part, str)
            else {**part, "type": str(part.get("content_type") or "part").split("_", 1)[0]}
            for part in parts
        ],
        "metadata": {"model": about["model_slug"]} if about.get("model_slug") else None,
    }  # fmt: skip


def claude(source: Source) -> Iterator[Chat]:
    """Conversations of Claude's `conversations.json`; only the branch shown last."""
    return each(_listed(source, "chat_messages", list), _claude_talk)


def _claude_talk(one: dict[str, Any]) -> Iterator[Chat]:
    every = [message for message in one["chat_messages"] if isinstance(message, dict)]
    shown = _branch(every, one.get("current_leaf_message_uuid"))
    found = chat(f"claude-{one.get('uuid')}", one.get("name"), shown, _claude)
    yield replace(found, left_out=found.left_out + len(one["chat_messages"]) - len(shown))


def _branch(messages: list[dict[str, Any]], leaf: Any) -> list[dict[str, Any]]:
    """The messages up to `leaf`, else up to the latest one; all messages if none has a parent."""
    if not any(message.get("parent_message_uuid") for message in messages):
        return messages
    nodes = {str(message.get("uuid")): message for message in messages}
    last = max(messages, key=lambda message: str(message.get("created_at") or ""))
    at, path = str(leaf if leaf in nodes else last.get("uuid")), list[dict[str, Any]]()
    while (node := nodes.pop(at, None)) is not None:
        path.append(node)
        at = str(node.get("parent_message_uuid"))
    return path[::-1]


def _claude(message: dict[str, Any]) -> Mapping[str, Any]:
    blocks = [block for block in message.get("content") or [] if isinstance(block, dict)]
    said: list[dict[str, Any]] = blocks or [{"type": "text", "text": message.get("text") or ""}]
    for attached in (*(message.get("attachments") or ()), *(message.get("files") or ())):
        said.append({"type": "file", "file_name": attached.get("file_name")})
        if attached.get("extracted_content"):
            said.append({"type": "text", "text": attached["extracted_content"]})
    plain = len(said) == 1 and said[0].get("type") == "text"
    return {
        "id": message["uuid"],
        "role": message["sender"],
        "timestamp": message.get("created_at"),
        "content": said[0]["text"] if plain else said,
    }


def transcripts(source: Source) -> Iterator[Chat]:
    """Message lists as in chat APIs: JSON files with one list or several, or JSON lines."""
    for name in source.matching("*.json", "*.jsonl"):
        listed: Any = [*source.lines(name)] if name.lower().endswith("l") else source.json(name)
        talks = listed if isinstance(listed, list) and any(_messages(one) for one in listed) else [listed]
        stem = PurePosixPath(name).stem
        yield from each(
            (
                (f"Conversation {place} of {name}", (stem if len(talks) == 1 else f"{stem}-{place}", one))
                for place, one in enumerate(talks, 1)
            ),
            _transcript,
        )


def _transcript(named: tuple[str, Any]) -> Iterator[Chat]:
    name, one = named
    messages = _messages(one) or one
    if isinstance(messages, list) and any(_speaks(message) for message in messages):
        own = str(one.get("id") or "") if isinstance(one, dict) else ""
        title = one.get("title") if isinstance(one, dict) else ""
        yield chat(own or name, title, enumerate(messages, 1), _numbered)


def _numbered(entry: tuple[int, Any]) -> Mapping[str, Any] | None:
    number, message = entry
    return {**message, "id": message.get("id") or str(number)} if _speaks(message) else None


def _messages(one: Any) -> Any:
    return one.get("messages") if isinstance(one, dict) else None


def _speaks(message: Any) -> bool:
    return (
        isinstance(message, dict) and "role" in message and ("content" in message or "tool_calls" in message)
    )


def _listed(source: Source, mark: str, kind: type) -> Iterator[tuple[str, dict[str, Any]]]:
    """The named conversations in those files of the export that contain the `mark` of the program.

    Other entries of such a file are included, so that the reader reports them as unreadable.
    """
    for name in source.matching("conversations*.json") or source.matching("*.json"):
        found = source.json(name)
        talks = found if isinstance(found, list) else [found]
        if any(isinstance(one, dict) and isinstance(one.get(mark), kind) for one in talks):
            for place, one in enumerate(talks, 1):
                yield f"Conversation {place} of {name}", one
