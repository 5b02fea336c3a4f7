"""A thing is found by a few letters of its name."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from ark_tui.interfaces.tui.state.client import Client
from ark_tui.interfaces.tui.state.names import Choice, Folders, best, closeness

NAMES = ("code/fiedler-numpy.md", "search/hnsw.md", "search/hnsw-tuning-server.md", "journal/2025-02-11.md")


def fitting(typed: str, names: tuple[str, ...] = NAMES, most: int = 10) -> list[str]:
    return best(names, lambda name: closeness(typed, name), most)


def test_letters_of_words_in_their_order_are_enough() -> None:
    assert fitting("fdl np")[0] == "code/fiedler-numpy.md"
    assert fitting("HNSW SRV")[0] == "search/hnsw-tuning-server.md"
    assert fitting("xq") == []


def test_a_typing_error_is_forgiven() -> None:
    assert fitting("fielder")[0] == "code/fiedler-numpy.md"


def test_letters_side_by_side_come_before_scattered_ones_and_shorter_names_before_longer() -> None:
    assert fitting("hnsw") == ["search/hnsw.md", "search/hnsw-tuning-server.md"]
    assert closeness("tuning", NAMES[2]) > closeness("tng", NAMES[2]) > 0


def test_the_preview_of_a_folder_counts_the_files_below_it(tmp_path: Path) -> None:
    for name in ("a/b/c/one.md", "a/two.md", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    folders = Folders()
    found = folders.preview(cast("Client", None), Choice("", name=str(tmp_path)))
    assert found.startswith("2 files in it and below: one.md · two.md")


def test_of_equals_the_first_come_first() -> None:
    assert fitting("a", ("ab", "ab", "ac"), 2) == ["ab", "ab"]
