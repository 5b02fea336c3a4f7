"""In a folder of 200 files in 37 formats each is found by its words and by its place (I8, I21)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.files.folder import FORMATS, VARIANTS, Planted, planted

FOLDER = list(planted())


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("people")
    for file in FOLDER:
        path = place / "files" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    with Engine(load(place / "home", environ={})) as engine:
        report = engine.index([place / "files"])
        assert (report.added, report.problems) == (len(FOLDER), ())
        yield engine


def test_there_are_two_hundred_in_thirty_formats() -> None:
    assert (len(FOLDER) >= 200, len(FORMATS) >= 30) == (True, True)
    assert len({file.sentence for file in FOLDER}) == len(FOLDER)


@pytest.mark.parametrize("kind", FORMATS)
def test_each_sentence_is_found_by_its_words_at_its_place(engine: Engine, kind: str) -> None:
    files = [file for file in FOLDER if file.path.startswith(f"{kind}/")]
    assert len(files) == len(VARIANTS)
    assert [_found(engine, file) for file in files] == [_wanted(file) for file in files]


def _wanted(file: Planted) -> tuple[str, ...]:
    return file.path, file.place, file.title, "exact"


def _found(engine: Engine, file: Planted) -> tuple[str, ...]:
    """Where its words are found: path, heading, title; and whether all offsets are those of the sentence."""
    (hit,) = engine.search(Request(f'"{file.sentence}"')).hits
    text, chunk = engine.show(hit.document.id).text, hit.chunk
    lines = "\n".join(text.split("\n")[chunk.start_line - 1 : chunk.end_line])
    exact = file.sentence in text[chunk.start_char : chunk.end_char] and file.sentence in lines
    title = hit.document.title if file.title else ""
    return (
        hit.document.path,
        chunk.heading,
        title,
        "exact" if exact else text[chunk.start_char : chunk.end_char],
    )
