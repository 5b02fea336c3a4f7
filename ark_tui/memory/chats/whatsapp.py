"""WhatsApp's chat export: a text file with dates in the format of the phone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from ark_tui.domain.documents import content_hash
from ark_tui.memory.chats.source import Chat, Source, chat, each

BEGINNING = re.compile(
    r"^[\u200e\u200f]?\[?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})(?:,| klo| um| à| às| alle)? "
    r"(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)(?: ?(?P<half>[AaPp])\.? ?[Mm]\.?)?"
    r"(?:\]| -| –) (?P<rest>.*)$"
)
SPEAKER = re.compile(r"^(?P<who>[^:]{1,60}): (?P<text>.*)$", re.DOTALL)
TITLE = re.compile(r"^(?:WhatsApp Chat (?:with|-) )?(?P<name>.+?)(?: \(\d+\))?$")
NOTICE = "\u200e"  # marks notices, which have the name of a person or, on iOS, of the group
ENOUGH = 0.5  # the share of the first lines that must begin a message
LOOKED_AT = 50  # number of first lines that are checked


def read(source: Source) -> Iterator[Chat]:
    """The chats of text files. Times are read in the time zone of this machine."""
    return each(((name, name) for name in source.matching("*.txt")), partial(_read, source))


def _read(source: Source, name: str) -> Iterator[Chat]:
    lines = re.sub("[\u202f\u00a0]", " ", source.text(name)).splitlines()
    begun = sum(BEGINNING.match(line) is not None for line in lines[:LOOKED_AT])
    if (begun and begun >= ENOUGH * min(len(lines), LOOKED_AT)) or begun > LOOKED_AT // 5:
        yield _chat(source, name, lines)


def _chat(source: Source, name: str, lines: list[str]) -> Chat:
    entries: list[tuple[re.Match[str], list[str]]] = []
    for line in lines:
        if match := BEGINNING.match(line):
            entries.append((match, [match["rest"]]))
        elif entries:
            entries[-1][1].append(line)
    order, seen = _order([match["date"] for match, _ in entries]), Counter[str]()
    spoken_by = (SPEAKER.match(match["rest"]) for match, _ in entries)
    people = {one["who"] for one in spoken_by if one and not one["text"].startswith(NOTICE)}

    def message(entry: tuple[re.Match[str], list[str]]) -> Mapping[str, Any] | None:
        match, said = entry
        spoken = SPEAKER.match("\n".join(said).strip())
        if spoken is None or (spoken["who"] not in people and spoken["text"].startswith(NOTICE)):
            return None  # a notice, for example that a person has joined
        digest = content_hash(" ".join((match["date"], match["time"], *spoken.groups())).encode())[:16]
        seen[digest] += 1
        return {
            "id": f"{digest}-{seen[digest]}",
            "role": "user",
            "name": spoken["who"].strip("\u200e\u200f\u202a\u202c "),
            "content": spoken["text"].strip("\u200e"),
            "timestamp": _moment(match, order).isoformat(),
        }

    stem = PurePosixPath(name).stem
    if stem == "_chat":
        stem = source.path.stem
    found = TITLE.match(stem)
    title = found["name"] if found else stem
    return chat(f"whatsapp-{title}", title, entries, message)


def _order(dates: list[str]) -> str:
    """The order of day, month and year: all numbers must be valid, and dates should rarely go backwards."""
    split = [tuple(map(int, re.split("[./-]", date))) for date in dates]
    if any(one[0] > 31 for one in split):
        return "ymd"
    valid = [order for order in ("dmy", "mdy") if all(one[order.index("m")] <= 12 for one in split)]
    possible = valid or ["dmy"]

    def backwards(order: str) -> int:
        return sum(after < before for before, after in pairwise(_day(one, order) for one in split))

    return min(possible, key=backwards)


def _day(date: tuple[int, ...], order: str) -> tuple[int, int, int]:
    year, month, day = (date[order.index(part)] for part in "ymd")
    return (year + 2000 if year < 100 else year), month, day


def _moment(match: re.Match[str], order: str) -> datetime:
    hour, minute, *second = map(int, re.split("[:.]", match["time"]))
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    date = _day(tuple(map(int, re.split("[./-]", match["date"]))), order)
    return datetime(*date, hour, minute, second[0] if second else 0).astimezone()
