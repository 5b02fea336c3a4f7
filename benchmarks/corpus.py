"""The corpora that the benchmarks share: recombined from the sample notes, seeded, built once and kept.

They lie in the folder `ARK_BENCH_DIR`, else below the system's temporary folder. What is asked for again
is taken from there, so change `VERSION` with anything that changes what is made.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

from ark_tui.domain.documents import ChunkDraft, Draft, content_hash
from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store import Store, documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord

VERSION = "1"
PAGES = 7_000
CHUNKS = 100_000
CHUNKS_PER_DOCUMENT = 10
SAMPLE = Path(__file__).parent.parent / "assets" / "sample"

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[])")
SYLLABLES = re.findall(".{2}", "bakidomiluvenotirafegosaperqazaolhimanesotu")
TAGS = (
    "ranking",
    "graphs",
    "memory",
    "search",
    "notes",
    "project",
    "reading",
    "draft",
    "idea",
    "meeting",
    "log",
)
FOLDERS = ("journal", "projects", "reading", "reference", "people", "code", "archive")


def folder() -> Path:
    """Where corpora and homes are kept between runs."""
    path = Path(os.environ.get("ARK_BENCH_DIR") or Path(tempfile.gettempdir()) / f"ark-bench-{os.getuid()}")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills the first time it is asked for."""
    path = folder() / f"{name}-{VERSION}"
    if not path.exists():
        unfinished = path.with_name(path.name + ".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        sys.stderr.write(f"making {path.name} (once)\n")
        make(unfinished)
        unfinished.rename(path)
    return path


def pages(count: int = PAGES) -> Path:
    """A folder of Markdown pages: front matter, headings, prose, lists, tables, code, links."""

    def make(root: Path) -> None:
        author = Author(seed=7)
        for number in range(count):
            path = root / FOLDERS[number % len(FOLDERS)] / f"{number // 100:02}" / author.name(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(author.page(number), "utf-8")

    return kept(f"pages-{count}", make)


def home(chunks: int = CHUNKS) -> Path:
    """A home of synthetic documents of ten chunks each, put through the store, with both indexes."""

    def make(path: Path) -> None:
        with Engine(load(path, environ={})) as engine:
            store = Store(engine.settings.home, engine.settings.clock)
            for batch in _batched(arrivals(chunks // CHUNKS_PER_DOCUMENT), 200):
                with store.write() as lease:
                    files.open_collection(lease, "synthetic")
                    documents.put(lease, batch)
            store.close()
            engine.sync()

    return followed(kept(f"home-{chunks}", make))


def followed(path: Path) -> Path:
    """A kept home whose indexes are those of today's program."""
    with Engine(load(path, environ={})) as engine:
        engine.sync(wait=600)
    return path


def arrivals(count: int, seed: int = 11) -> Iterator[Arrival]:
    """Documents ready for the store, without a file behind them."""
    author = Author(seed)
    for number in range(count):
        paragraphs = [author.paragraph(5, 9) for _ in range(CHUNKS_PER_DOCUMENT)]
        body = "\n\n".join(paragraphs)
        chunks, start = [], 0
        for i, text in enumerate(paragraphs):
            chunks.append(ChunkDraft(start, start + len(text), 2 * i + 1, 2 * i + 1, len(text) // 4))
            start += len(text) + 2
        draft = Draft(
            f"{FOLDERS[number % len(FOLDERS)]}/{number:06}.md", author.title(), body, tuple(chunks),
            tags=tuple(author.random.sample(TAGS, 2)),
        )  # fmt: skip
        digest = content_hash(body.encode())
        yield Arrival(FileRecord("synthetic", draft.path, 0, 0, 0, 0, digest, "indexed"), (draft,))


def queries(count: int, seed: int = 5) -> list[str]:
    """Questions of three to seven words that occur in these corpora."""
    author = Author(seed)
    return [author.query() for _ in range(count)]


class Author:
    """Writes pages out of the sample's sentences, lists, tables and code, with invented names strewn in.

    Invented names follow Zipf's law: a few are everywhere, most are rare, as in anybody's notes.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        text = "\n\n".join(
            path.read_text("utf-8").split("---\n", 2)[-1] for path in sorted(SAMPLE.rglob("*.md"))
        )
        self.code: list[str] = re.findall(r"^```\w+\n.*?^```$", text, re.DOTALL | re.MULTILINE)
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        blocks = [block.strip() for block in prose.split("\n\n") if block.strip()]
        self.headings = [
            block.lstrip("# ") for block in blocks if block.startswith("#") and "\n" not in block
        ]
        self.items = [line for block in blocks for line in block.split("\n") if line.startswith("- ")]
        self.tables = [block for block in blocks if block.startswith("|")]
        self.sentences = [
            sentence
            for block in blocks
            if block[0] not in "#|->" and "\n" not in block
            for sentence in SENTENCE.split(block)
        ]
        names = Random(1)
        self.names = ["".join(names.choices(SYLLABLES, k=names.randint(2, 4))) for _ in range(20_000)]

    def invented(self) -> str:
        return self.names[min(int(5 * self.random.paretovariate(0.6)) - 5, len(self.names) - 1)]

    def sentence(self) -> str:
        words = self.random.choice(self.sentences).split(" ")
        for _ in range(1 + len(words) // 12):
            words[self.random.randrange(len(words))] = self.invented()
        return " ".join(words)

    def paragraph(self, least: int = 2, most: int = 6) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(least, most)))

    def title(self) -> str:
        return f"{self.random.choice(self.headings)} {self.invented().title()}"

    def query(self) -> str:
        words: list[str] = re.findall(r"[A-Za-z]{3,}", self.random.choice(self.sentences))
        start = self.random.randrange(max(len(words) - 6, 1))
        return " ".join(words[start : start + self.random.randint(3, 7)]) or self.invented()

    def name(self, number: int) -> str:
        return f"{number:05}-{self.invented()}.md"

    def block(self) -> str:
        kind = self.random.random()
        if kind < 0.65:
            return self.paragraph()
        if kind < 0.8:
            return "\n".join(self.random.choices(self.items, k=self.random.randint(3, 7)))
        if kind < 0.85:
            return self.random.choice(self.tables)
        if kind < 0.95:
            return self.random.choice(self.code)
        return f"See [[{self.random.randrange(PAGES):05}]] and [{self.invented()}](../{self.invented()}.md)."

    def page(self, number: int) -> str:
        day = (
            f"20{self.random.randint(18, 26)}-{self.random.randint(1, 12):02}-{self.random.randint(1, 28):02}"
        )
        title = self.title()
        tags = ", ".join(self.random.sample(TAGS, self.random.randint(1, 3)))
        parts = [
            f"---\ntitle: {title} {number}\ndate: {day}\ntags: [{tags}]\n---",
            f"# {title}",
            self.paragraph(),
        ]
        for _ in range(min(int(self.random.lognormvariate(1.2, 0.8)) + 1, 40)):
            parts.append(f"{'#' * self.random.randint(2, 3)} {self.title()}")
            parts += [self.block() for _ in range(self.random.randint(1, 4))]
        return "\n\n".join(parts) + "\n"


def _batched(found: Iterator[Arrival], size: int) -> Iterator[list[Arrival]]:
    while batch := list(islice(found, size)):
        yield batch
