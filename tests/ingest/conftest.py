from __future__ import annotations

from collections.abc import Callable

import pytest

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.chunk.pack import Measure, measured
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from tests.ingest.texts import words

ReadText = Callable[..., Draft]


@pytest.fixture(scope="session")
def tokens() -> Measure:
    return measured


@pytest.fixture
def reading() -> Reading:
    return Reading(measure=words)


@pytest.fixture
def read(reading: Reading) -> ReadText:
    """Reads one file that holds one document."""

    def read(text: str | bytes, path: str = "note.md", mtime_ns: int = 0) -> Draft:
        data = text.encode() if isinstance(text, str) else text
        drafts = reading.read(Entry(path, len(data), mtime_ns, 1), data)
        assert not isinstance(drafts, Problem), drafts
        (draft,) = drafts
        return draft

    return read
