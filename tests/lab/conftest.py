"""The sample notes under an engine, and questions made of their sentences."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.conftest import SAMPLE
from tests.support import SteadyClock


@contextmanager
def copied(source: Path, home: Path) -> Iterator[Engine]:
    """An engine over a copy of a home."""
    shutil.copytree(source, home)
    with Engine(load(home, environ={}), SteadyClock()) as engine:
        yield engine


@pytest.fixture
def engine(sampled: Path, home: Path) -> Iterator[Engine]:
    with copied(sampled, home) as engine:
        yield engine


def questions(count: int, length: int = 2, seed: int = 3) -> list[str]:
    """Some words of sentences of the sample notes, in a row."""
    text = "\n".join(path.read_text("utf-8") for path in sorted(SAMPLE.rglob("*.md")))
    sentences = [re.findall(r"[A-Za-z]{3,}", one) for one in re.split(r"[.!?]\s", text)]
    long = [words for words in sentences if len(words) > 8]
    chance = Random(seed)
    picked = chance.sample(long, count)
    starts = (chance.randrange(len(words) - length) for words in picked)
    return [" ".join(words[start : start + length]) for words, start in zip(picked, starts, strict=True)]
