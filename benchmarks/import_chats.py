"""An export of 100,000 messages comes in, and is searched: against reading, bare inserts and bare tantivy.

`MESSAGES=10000` takes fewer.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import tantivy

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.memory.importing import import_chats
from ark_tui.settings import load
from benchmarks.history import sayings
from benchmarks.measure import Figure, middle, milliseconds, rounded, tell

MESSAGES = int(os.environ.get("MESSAGES", "100000"))
TALK = 100  # messages of a conversation
AT_ONCE = 10_000  # messages of a transaction
QUESTION = "why does the ranking fail"
TURNS = 2
SECONDS, FIRST_S = 30.0, 1.0
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        export = exported(Path(scratch) / "conversations.json")
        turns = [(ours(Path(scratch) / f"a{n}", export), bare(Path(scratch) / f"b{n}", export))
                 for n in range(TURNS)]  # fmt: skip
    took, first = (middle([mine[part] for mine, _ in turns]) for part in range(2))
    read, stored, indexed, searched = (middle([theirs[part] for _, theirs in turns]) for part in range(4))
    floor = read + stored + indexed
    tell(
        Figure(
            "import_chats", round(took / floor, 3), "≤ 3",
            rounded(import_s=took / 1000, first_ms=first, read_s=read / 1000, inserts_s=stored / 1000,
                    tantivy_s=indexed / 1000, tantivy_ms=searched, messages=MESSAGES),
        ),
        f"{MESSAGES:,} messages of an export come in, indexed, in {took / 1000:.0f} s (≤ {SECONDS:.0f} s), "
        f"{took / floor:.1f} × reading it, one bare table and bare tantivy ({read / 1000:.1f}, "
        f"{stored / 1000:.1f} and {indexed / 1000:.1f} s); the first search after it {first / 1000:.2f} s "
        f"(≤ {FIRST_S:.0f} s), bare tantivy {searched / 1000:.2f} s",
    )  # fmt: skip


def exported(path: Path) -> Path:
    """An export as Claude writes it."""
    said = sayings(MESSAGES)
    talks = [_talk(number, [one.content for one in islice(said, TALK)]) for number in range(MESSAGES // TALK)]
    path.write_text(json.dumps(talks), "utf-8")
    return path


def _talk(number: int, texts: list[str]) -> dict[str, Any]:
    moments = [(BEGAN + timedelta(hours=number, seconds=place)).isoformat() for place in range(len(texts))]
    return {
        "uuid": f"talk-{number}",
        "name": texts[0][:40],
        "created_at": moments[0],
        "chat_messages": [
            {"uuid": f"{number}-{place}", "sender": "assistant" if place % 2 else "human", "text": text,
             "created_at": moments[place], "content": [], "attachments": [], "files": []}
            for place, text in enumerate(texts)
        ],
    }  # fmt: skip


def ours(home: Path, export: Path) -> tuple[float, float]:
    """Milliseconds of an import into a new home, as the command does it, and of the first search after it."""
    with Engine(load(home, environ={})) as engine:
        took = milliseconds(lambda: import_chats(engine.memory.conversations, export, Scope()))
    with Engine(load(home, environ={})) as engine:
        assert not engine.memory.conversations.search(Scope(), QUESTION).waiting, "all are in the index"
    with Engine(load(home, environ={})) as engine:
        first = milliseconds(lambda: engine.memory.conversations.search(Scope(), QUESTION))
    return took, first


def bare(folder: Path, export: Path) -> tuple[float, float, float, float]:
    """Milliseconds of reading the export, of a table of it, of an index of it, and of a search in that."""
    folder.mkdir()
    found: list[tuple[str, str, str, str]] = []
    read = milliseconds(lambda: found.extend(_messages(export)))
    stored = milliseconds(lambda: _inserted(folder, found))
    indexed = milliseconds(lambda: _indexed(folder, found))
    return read, stored, indexed, milliseconds(lambda: _searched(folder))


def _messages(export: Path) -> Iterator[tuple[str, str, str, str]]:
    for talk in json.loads(export.read_bytes()):
        for one in talk["chat_messages"]:
            yield talk["uuid"], one["uuid"], one["sender"], one["text"]


def _inserted(folder: Path, found: list[tuple[str, str, str, str]]) -> None:
    with duckdb.connect(str(folder / "bare.duckdb")) as held:
        held.execute("CREATE TABLE messages (talk VARCHAR, id VARCHAR, role VARCHAR, content VARCHAR)")
        for begin in range(0, len(found), AT_ONCE):
            columns = [list(column) for column in zip(*found[begin : begin + AT_ONCE], strict=True)]
            held.execute("INSERT INTO messages SELECT unnest(?), unnest(?), unnest(?), unnest(?)", columns)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    return builder.add_text_field("body", stored=True, tokenizer_name="en_stem").build()


def _indexed(folder: Path, found: list[tuple[str, str, str, str]]) -> None:
    (folder / "words").mkdir()
    index = tantivy.Index(_schema(), path=str(folder / "words"))
    writer = index.writer(128_000_000, 1)
    for *_, text in found:
        writer.add_document(tantivy.Document(body=text))
    writer.commit()
    writer.wait_merging_threads()


def _searched(folder: Path) -> list[Any]:
    index = tantivy.Index.open(str(folder / "words"))
    searcher = index.searcher()
    hits = searcher.search(index.parse_query(QUESTION, ["body"]), 100).hits
    return [searcher.doc(address)["body"] for _, address in hits]


if __name__ == "__main__":
    main()
