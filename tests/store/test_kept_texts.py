"""What the store keeps of texts: compressed, with the fields they state (S13), and whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.layers import MEMORY
from ark_tui.domain.query import Request
from ark_tui.engine.engine import Engine
from ark_tui.settings.config import load
from ark_tui.store import Store
from tests.corpora import Bench, arrival
from tests.support import SteadyClock

FILES = {
    "store.py": "class Store:\n    def commit(self):\n        return self.keep('the apples')\n\n\n"
    "def apples():\n    return 1\n",
    "keep.rs": "fn commit() -> u32 {\n    apples()\n}\n",
    "note.md": "The apples of the cellar are kept in the dark, and they are turned every week.\n",
    "snippet.md": "How the apples are counted by it:\n\n```python\nprint(apples)\n```\n",
    "keller.md": "Die Apples sind im Keller, und sie werden dort in jeder Woche von uns gewendet.\n",
    "stated.md": "---\nlang: fr\n---\nApples\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("fields")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with Engine(load(tmp_path_factory.mktemp("home"), environ={}), SteadyClock()) as opened:
        opened.index([folder])
        yield opened


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("lang:python", {"store.py"}),
        ("lang:rust", {"keep.rs"}),
        ("lang:de", {"keller.md"}),
        ("lang:fr", {"stated.md"}),
        ("lang:en", {"note.md", "snippet.md"}),
        ("symbol:commit", {"store.py", "keep.rs"}),
        ("symbol:store", {"store.py"}),
        ("symbol:Store.commit", {"store.py"}),
        ("symbol:comm", set()),
        ("apples -lang:python", {"keep.rs", "note.md", "keller.md", "snippet.md", "stated.md"}),
        ("apples symbol:commit lang:rust", {"keep.rs"}),
    ],
)
def test_what_texts_tell_of_themselves_is_a_filter(engine: Engine, query: str, paths: set[str]) -> None:
    hits = engine.search(Request(query, mode="keyword", limit=20)).hits
    assert {hit.document.path for hit in hits} == paths


SENTENCE = "the gap of a chain bounds how soon it has forgotten where it began"


def body(number: int) -> str:
    """A text of some 2,000 characters of few different words, unlike any other."""
    words = SENTENCE.split()
    return " ".join(words[(number * 7 + place * place) % len(words)] for place in range(450))


def kept(store: Store) -> dict[str, set[str]]:
    """How the texts of documents are compressed, by row group."""
    with store.read() as lease:
        rows = lease.rows(
            "SELECT row_group_id, compression FROM pragma_storage_info('ark.documents') "
            "WHERE column_name = 'body' AND segment_type = 'VARCHAR'"
        )
    return {str(group): {how for other, how in rows if other == group} for group, _ in rows}


def test_texts_of_any_length_are_compressed_by_zstandard(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.put(*(arrival(f"{n}.md", body(n)) for n in range(300)))
    bench.store.checkpoint()
    text = sum(len(body(n)) for n in range(300))
    assert kept(bench.store) == {"0": {"ZSTD"}}
    assert bench.store.path.stat().st_size < text
    bench.put(*(arrival(f"short {n}.md", f"note {n}") for n in range(300)))
    bench.store.checkpoint()
    assert kept(bench.store) == {"0": {"ZSTD"}}


ANN, BEN = ("ann", ""), ("ben", "loom")


def remember(bench: Bench, path: str, whose: tuple[str, str]) -> None:
    bench.put(arrival(path, f"the {path} is known", MEMORY, owner=whose[0], project=whose[1]))


def test_whose_memories_there_are_follows_the_changes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.store.whose() == frozenset()
    bench.put(arrival("note.md", "a note of everybody", owner="nobody"))
    for number, (whose, known) in enumerate(((ANN, {ANN}), (BEN, {ANN, BEN}), (ANN, {ANN, BEN}))):
        remember(bench, f"fact-{number}", whose)
        assert bench.store.whose() == known
