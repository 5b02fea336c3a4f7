"""Looks at a home from outside: does it hold what lies in a folder, once, and do the indexes agree?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash, embedded_text
from ark_tui.domain.query import Filters
from ark_tui.embedding import static
from ark_tui.engine import Engine
from ark_tui.engine.copies import dangling
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import analysis, terms
from ark_tui.settings import load
from ark_tui.store import Store, changes, files
from benchmarks.corpus import Author

if TYPE_CHECKING:
    from tantivy import Query

    from ark_tui.engine.services import Services
    from ark_tui.index.vectors.snapshot import Snapshot

ROOT = Path(__file__).parents[2]
CHUNKS = "SELECT c.number FROM ark.chunks c JOIN ark.documents d ON d.number = c.document WHERE d.layer <> 1"


def write_pages(folder: Path, count: int, seed: int) -> list[Path]:
    """Pages of prose, all different, spread over a few folders."""
    author = Author(seed)
    paths = []
    for number in range(count):
        path = folder / f"f{number % 7}" / f"{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {author.title()} {number}\n\n{author.paragraph()}\n", "utf-8")
        paths.append(path)
    return paths


def disturb(folder: Path, random: Random, share: float = 0.03) -> None:
    """Edit some files, remove a few, rename a few, as a person does between two runs."""
    author = Author(random.randrange(1 << 30))
    paths = sorted(folder.rglob("*.md"))
    for path in random.sample(paths, max(3, int(len(paths) * share))):
        kind = random.random()
        if kind < 0.7:
            path.write_text(path.read_text("utf-8") + f"\n{author.paragraph()}\n", "utf-8")
        elif kind < 0.85:
            path.unlink()
        else:
            path.rename(path.with_name(f"{path.stem}-{random.randrange(1 << 30)}.md"))


def command(home: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "ark_tui", "--home", str(home), *words]


def run(home: Path, *words: str, direct: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(home, *words), capture_output=True, text=True, check=False, env=surroundings(direct=direct)
    )


def surroundings(*, direct: bool = True) -> dict[str, str]:
    """The environment without settings of ours. `direct`: commands open the home by themselves."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARK_", "RALPH_"))}
    return kept | ({"ARK_DIRECT": "1"} if direct else {})


def stored(home: Path) -> dict[str, str]:
    """Path → content hash of every document of a folder that the store holds; the store must be whole."""
    settings = load(home, environ={})
    store = Store(settings.home, settings.clock)
    with store.read() as lease:
        rows = lease.rows(
            "SELECT path, hash FROM ark.documents WHERE gone IS NULL AND layer = 0 AND folder <> 'default' "
            "ORDER BY path"
        )
        wrong = dangling(lease)
        records = {
            path
            for name in files.roots(lease)
            for path, r in files.known(lease, name).items()
            if r.state == "indexed"
        }
    store.close()
    assert wrong == []
    assert len(rows) == len({row[0] for row in rows}), "a document is there twice"
    assert {row[0] for row in rows} == records, "documents and scan state disagree"
    return dict(rows)


def on_disk(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): content_hash(path.read_bytes()) for path in folder.rglob("*.md")
    }


def assert_whole(home: Path, *folders: Path) -> int:
    """Everything in the folders is in the store, once, and both indexes hold exactly the store's chunks.

    Nothing is repaired on the way. Returns the number of chunks.
    """
    assert stored(home) == {path: key for folder in folders for path, key in on_disk(folder).items()}
    with Engine(load(home, environ={})) as engine:
        wrong = [check for check in engine.doctor() if check.ok is False]
        assert not wrong, wrong
        parts = engine
        with parts.store.read() as lease:
            chunks = {int(row[0]) for row in lease.rows(CHUNKS)}
        view = parts.vectors.refresh()
        assert view is not None
        assert set(view.chunk.tolist()) == chunks
        assert view.waiting == 0
        parts.words.refresh()
        facts = parts.words._searcher(parts.words._facts)
        found = facts.search(_shown(), len(chunks) + 10).hits
        held = facts.fast_field_values("chunk", [address for _, address in found])
        assert sorted(int(str(number)) for number in held) == sorted(chunks)
        _assert_same_texts(parts, view, chunks)
    return len(chunks)


def _assert_same_texts(parts: Services, view: Snapshot, chunks: set[int]) -> None:
    """A chunk number is not enough: what the indexes hold under it is today's text."""
    import numpy as np

    with parts.store.read() as lease:
        now = changes.live(lease, dict.fromkeys(chunks, 0))
    matrix = view.matrix
    rows = {number: at for at, number in enumerate(view.chunk.tolist())}
    for number, chunk in now.items():
        made = static.pool(static.tokens([embedded_text(chunk.context, chunk.text)]))[0]
        near = np.allclose(matrix[rows[number]], made, atol=1e-3)  # the table has float16
        assert near, (number, chunk.path, "vectors")
    for number in Random(1).sample(sorted(now), min(len(now), 500)):
        wanted = terms.read(now[number].text[:500])
        assert parts.words.score(Bm25(wanted), [number])[0] > 0, (number, now[number].path, "words")
        assert number in parts.words.search(Bm25(wanted), len(now), Filters()).chunks, (number, "words")


def _shown() -> Query:
    """All that is not hidden: of a few deleted chunks the texts stay, so that no score changes."""
    from tantivy import Occur, Query

    gone = Query.term_query(analysis.schema(), "hidden", analysis.GONE)
    return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, gone)])
