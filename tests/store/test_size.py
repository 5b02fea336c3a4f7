"""What the store takes of the disk, and what a small change has DuckDB write anew."""

from __future__ import annotations

from pathlib import Path

from ark_tui.store import Store
from tests.corpora import Bench, arrival

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
    assert bench.store.database.size() < text
    bench.put(*(arrival(f"short {n}.md", f"note {n}") for n in range(300)))
    bench.store.checkpoint()
    assert kept(bench.store) == {"0": {"ZSTD"}}
