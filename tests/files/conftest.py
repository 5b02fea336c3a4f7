from __future__ import annotations

from collections.abc import Iterator

import pytest

from ark_tui.ingest import apart


@pytest.fixture(scope="package", autouse=True)
def process() -> Iterator[None]:
    """What reads files apart ends with these tests."""
    yield
    apart._PROCESS.end()
