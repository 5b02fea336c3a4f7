"""`lang:` and `symbol:` are fields that texts tell by themselves (S13)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine.engine import Engine
from ark_tui.settings.config import load
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
