"""JSON exports of Telegram, Signal and Discord: one conversation for each chat or channel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ark_tui.memory.chats.source import Chat, Source, chat, each


def content(text: str, files: list[str], more: list[str] | None = None) -> str | list[dict[str, Any]]:
    """The content of a message: its text, or parts with its text, file names and the texts of its cards."""
    parts = [{"type": "text", "text": one} for one in (text, *(more or ())) if one.strip()]
    parts += [{"type": "file", "title": name} for name in files if name]
    return text if parts == [{"type": "text", "text": text}] or not parts else parts


# -- Telegram ------------------------------------------------------------------------------------------


def telegram(source: Source) -> Iterator[Chat]:
    """The chats of Telegram Desktop's `result.json`, for one chat or all chats."""
    for name in source.matching("*.json"):
        found = source.json(name)
        if not isinstance(found, dict):
            continue
        every = found.get("chats")
        chats = every.get("list") if isinstance(every, dict) else [found]
        listed = [one for one in chats if isinstance(one, dict)] if isinstance(chats, list) else []
        yield from each(((str(one.get("name") or name), one) for one in listed), _telegram_chat)


def _telegram_chat(one: dict[str, Any]) -> Iterator[Chat]:
    messages = one.get("messages")
    if isinstance(messages, list) and any(
        isinstance(message, dict) and {"date_unixtime", "type"} <= message.keys() for message in messages
    ):
        yield chat(f"telegram-{one.get('id')}", one.get("name"), messages, _telegram)


def _telegram(message: dict[str, Any]) -> Mapping[str, Any] | None:
    if message["type"] != "message":
        return None
    text = message.get("text") or ""
    parts = text if isinstance(text, list) else [text]
    words = "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in parts)
    files = [str(message[key]) for key in ("file_name", "photo") if message.get(key)]
    return {
        "id": str(message["id"]),
        "role": "user",
        "name": message.get("from") or message.get("from_id"),
        "timestamp": float(message["date_unixtime"]),
        "content": content(words, files),
    }


# -- Signal --------------------------------------------------------------------------------------------


def signal(source: Source) -> Iterator[Chat]:
    """The chats of Signal's own `main.jsonl`, or of signal-export's `data.json` files, one in each folder."""
    yield from each(((name, name) for name in source.matching("main.jsonl")), partial(_signal_frames, source))
    for name in source.matching("data.json"):
        lines = [one for one in source.lines(name) if one]
        if any({"date", "sender", "body"} <= one.keys() for one in lines):
            title = PurePosixPath(name).parent.name or source.path.stem
            yield chat(f"signal-{title}", title, lines, _signal_line)


def _signal_line(message: dict[str, Any]) -> Mapping[str, Any]:
    files = [str(one.get("name") or one.get("fileName") or "") for one in message.get("attachments") or ()]
    return {
        "id": f"{message['date']} {message['sender']}",
        "role": "user",
        "name": message["sender"],
        "timestamp": message["date"],
        "content": content(str(message["body"] or ""), files),
    }


def _signal_frames(source: Source, name: str) -> Iterator[Chat]:
    """The frames of a backup: recipients and chats by number, and the chat items that refer to them."""
    frames = defaultdict[str, list[dict[str, Any]]](list)
    for frame in source.lines(name):
        for kind, one in (frame or {}).items():
            if isinstance(one, dict):
                frames[kind].append(one)
    people = {str(one.get("id")): _signal_name(one) for one in frames["recipient"]}
    items = defaultdict[str, list[dict[str, Any]]](list)
    for item in frames["chatItem"]:
        items[str(item.get("chatId"))].append(item)
    for one in frames["chat"]:
        title = people.get(str(one.get("recipientId")), "")
        said = items[str(one.get("id"))]
        yield chat(f"signal-{title or one.get('id')}", title, said, lambda item: _signal_item(item, people))


def _signal_item(item: dict[str, Any], people: Mapping[str, str]) -> Mapping[str, Any] | None:
    said = item.get("standardMessage")
    if not isinstance(said, dict):
        return None
    files = [str((one.get("pointer") or {}).get("fileName") or "") for one in said.get("attachments") or ()]
    return {
        "id": f"{item['dateSent']} {item['authorId']}",
        "role": "user",
        "name": people.get(str(item["authorId"])),
        "timestamp": int(item["dateSent"]) / 1000,
        "content": content(str((said.get("text") or {}).get("body") or ""), files),
    }


def _signal_name(one: Mapping[str, Any]) -> str:
    """The name of a Signal contact or group."""
    if "self" in one:
        return "me"
    about = one.get("contact") or one.get("group") or {}
    title = (about.get("snapshot") or {}).get("title") or {}
    given = " ".join(filter(None, (about.get("profileGivenName"), about.get("profileFamilyName"))))
    return str(title.get("title") or given or about.get("e164") or "")


# -- Discord -------------------------------------------------------------------------------------------


def discord(source: Source) -> Iterator[Chat]:
    """Channels exported by DiscordChatExporter, or from the data package that Discord sends to a user."""
    yield from each(((name, name) for name in source.matching("*.json")), partial(_discord_file, source))


def _discord_file(source: Source, name: str) -> Iterator[Chat]:
    found = source.json(name)
    if isinstance(found, dict) and isinstance(found.get("channel"), dict) and "guild" in found:
        channel = found["channel"]
        title = f"{(found['guild'] or {}).get('name', '')} #{channel.get('name', '')}"
        yield chat(f"discord-{channel.get('id')}", title, found.get("messages") or (), _discord)
    elif isinstance(found, list) and any(isinstance(one, dict) and "Contents" in one for one in found):
        folder = PurePosixPath(name).parent.name
        beside = f"{PurePosixPath(name).parent}/channel.json"
        about = source.json(beside) if beside in source.names else None
        about = about if isinstance(about, dict) else {}
        own = sorted(
            (one for one in found if isinstance(one, dict)), key=lambda one: str(one.get("Timestamp"))
        )
        yield chat(f"discord-{about.get('id') or folder}", about.get("name") or folder, own, _own_discord)


def _discord(message: dict[str, Any]) -> Mapping[str, Any] | None:
    if message.get("type") not in ("Default", "Reply"):
        return None
    author = message["author"]
    cards = [
        "\n".join(filter(None, (card.get("title"), card.get("description"))))
        for card in message.get("embeds") or ()
    ]
    return {
        "id": str(message["id"]),
        "role": "assistant" if author.get("isBot") else "user",
        "name": author.get("nickname") or author.get("name"),
        "timestamp": message.get("timestamp"),
        "content": content(
            str(message.get("content") or ""),
            [str(one.get("fileName") or "") for one in message.get("attachments") or ()],
            cards,
        ),
    }


def _own_discord(message: dict[str, Any]) -> Mapping[str, Any]:
    moment = datetime.fromisoformat(str(message["Timestamp"]))
    return {
        "id": str(message["ID"]),
        "role": "user",
        "name": "me",
        "timestamp": (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(),
        "content": content(str(message["Contents"]), str(message.get("Attachments") or "").split()),
    }
