"""Slack's workspace export: a folder per channel with a file per day."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from ark_tui.memory.chats.messengers import content
from ark_tui.memory.chats.source import Chat, Source, chat, each

LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")
SAID = ("", "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment")
DAY = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].json"
MARKED = re.compile(r"<(?P<to>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")


def read(source: Source) -> Iterator[Chat]:
    """One conversation per channel; replies in a thread refer to its first message in `metadata`."""
    if not source.matching(*LISTS):
        return
    people = {str(one["id"]): _name(one) for one in _rows(source, "users.json") if "id" in one}
    channels = {str(one.get("name") or one.get("id")): one for one in _rows(source, *LISTS)}
    folders = groupby(source.matching(DAY), lambda name: PurePosixPath(name).parent.name)
    found = ((folder, (folder, channels.get(folder, {}), [*names])) for folder, names in folders)
    yield from each(found, partial(_channel, source, people))


def _channel(
    source: Source, people: Mapping[str, str], channel: tuple[str, Mapping[str, Any], list[str]]
) -> Iterator[Chat]:
    folder, about, names = channel
    members = about.get("members")
    known = [people.get(str(one), str(one)) for one in members] if isinstance(members, list) else []
    title = f"#{folder}" if "name" in about else " and ".join(known) or folder
    messages = [one for name in names for one in _objects(source, name)]
    messages.sort(key=lambda one: (len(str(one.get("ts") or "").split(".")[0]), str(one.get("ts") or "")))
    yield chat(f"slack-{about.get('id') or folder}", title, messages, lambda one: _message(one, people))
    for name in names:
        if not isinstance(source.json(name), list):
            yield Chat("", name, (), problem=f"{name} is not a list of messages")


def _message(one: dict[str, Any], people: Mapping[str, str]) -> Mapping[str, Any] | None:
    if str(one.get("subtype") or "") not in SAID:
        return None
    files = [str(file.get("title") or file.get("name") or "") for file in one.get("files") or ()]
    text, *cards = (
        html.unescape(MARKED.sub(lambda found: _plain(found, people), words))
        for words in (str(one.get("text") or ""), *map(_card, one.get("attachments") or ()))
    )
    profile = one.get("user_profile") or {}
    thread = one.get("thread_ts") if one.get("thread_ts") != one["ts"] else None
    who = (
        people.get(str(one.get("user"))) or profile.get("real_name") or one.get("username") or one.get("user")
    )
    return {
        "id": one["ts"],
        "role": "assistant" if one.get("subtype") == "bot_message" or one.get("bot_id") else "user",
        "name": who,
        "timestamp": float(one["ts"]),
        "content": content(text, files, cards),
        "metadata": {"thread": thread} if thread else None,
    }


def _card(attached: Mapping[str, Any]) -> str:
    """The text of an attachment (a quoted message or an app's card), one line per part."""
    fields = (f"{field.get('title')}: {field.get('value')}" for field in attached.get("fields") or ())
    parts = [*(attached.get(key) for key in ("pretext", "author_name", "title", "text")), *fields]
    return "\n".join(str(part) for part in parts if part) or str(attached.get("fallback") or "")


def _plain(found: re.Match[str], people: Mapping[str, str]) -> str:
    """The text of Slack markup: a mention, a channel, or a link."""
    to, label = found["to"], found["label"]
    if to.startswith("@"):
        return f"@{people.get(to[1:]) or label or to[1:]}"
    if to.startswith(("#", "!")):
        return f"{to[0] if to[0] == '#' else '@'}{label or to[1:]}"
    return f"{label} ({to})" if label and label != to else to


def _name(one: Mapping[str, Any]) -> str:
    profile = one.get("profile")
    profile = profile if isinstance(profile, dict) else {}
    return str(
        profile.get("display_name") or one.get("real_name") or profile.get("real_name") or one.get("name")
    )


def _rows(source: Source, *names: str) -> Iterator[dict[str, Any]]:
    for name in source.matching(*names):
        yield from _objects(source, name)


def _objects(source: Source, name: str) -> Iterator[dict[str, Any]]:
    """The objects in a JSON list; none if the file has another structure."""
    found = source.json(name)
    if isinstance(found, list):
        yield from (one for one in found if isinstance(one, dict))
