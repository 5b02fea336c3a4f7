"""A damaged index is noticed before it is read, whatever was damaged, and rebuilt from the store."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from ark_tui.domain.errors import IndexDamaged, StoreError
from ark_tui.embedding import static
from ark_tui.index import seal
from ark_tui.index.vectors.snapshot import Vectors
from ark_tui.index.words.reader import Words
from tests.corpora import Bench, filled
from tests.index.test_followers import TEXTS, assert_agreement

Damage = Callable[[Path], object]


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Damage] = {
    "a flipped bit": flip,
    "emptied": lambda path: path.write_bytes(b""),
    "halved": lambda path: os.truncate(path, path.stat().st_size // 2),
    "deleted": lambda path: path.unlink(),
    "made a folder": folder,
}
KINDS = (
    *("words/texts/*.idx", "words/texts/*.term", "words/texts/*.pos", "words/texts/*.fast"),
    *("words/texts/*.fieldnorm", "words/facts/*.store", "words/texts/meta.json", "words/seal.json"),
    *("vectors/*/data/*.lance", "vectors/*/_versions/*.manifest", "vectors/*/seals.json"),
)


@pytest.mark.parametrize(("kind", "damage"), list(zip(KINDS, cycle(DAMAGES), strict=False)))
def test_a_reader_refuses_a_damaged_file_and_the_follower_rebuilds(
    tmp_path: Path, kind: str, damage: str
) -> None:
    filled(tmp_path, TEXTS)
    DAMAGES[damage](max(tmp_path.glob(kind)))
    home = Bench(tmp_path)
    with pytest.raises(IndexDamaged, match="is damaged"):
        home.words.refresh()
        home.vectors.refresh()
    home.sync()
    assert len(home.store.repairs) == 1
    assert_agreement(home)


@pytest.mark.parametrize("index", ["words", "vectors"])
def test_a_reader_that_may_mend_answers_from_a_rebuilt_index(tmp_path: Path, index: str) -> None:
    home = filled(tmp_path, TEXTS)
    kind = "words/texts/*.idx" if index == "words" else "vectors/*/data/*.lance"
    flip(next(tmp_path.glob(kind)))
    words = Words(home.home.words, home.words_follower.sync)
    vectors = Vectors(home.vectors_follower.folder, static.DIMS, home.edges, home.vectors_follower.sync)
    assert words.refresh()
    assert vectors.refresh() is not None
    assert words.size() == 5
    assert home.store.repairs == [f"The {index} index was damaged; it is rebuilt from the store."]


def test_searches_go_on_while_a_writer_has_not_sealed_its_files_yet(tmp_path: Path) -> None:
    home, rarities = filled(tmp_path, TEXTS), list[float]()
    words = Words(home.home.words, lambda: rarities.append(words.idf("gap")))  # by another thread meanwhile
    assert words.refresh()
    with (home.home.words / "texts" / ".managed.json").open("a") as file:
        file.write("\n")
    os.utime(home.home.words / seal.MARK)
    assert words.refresh()
    assert rarities == [words.idf("gap")]


@pytest.mark.parametrize("damage", ["not UTF-8", "a digit", "made a folder"])
def test_a_damaged_mark_means_to_start_over(tmp_path: Path, damage: str) -> None:
    home = filled(tmp_path, TEXTS)
    for follower in home.followers:
        mark = follower.folder / "mark.json"
        if damage == "made a folder":
            DAMAGES[damage](mark)
        else:
            now = mark.read_bytes()
            mark.write_bytes(
                b"\xff\xff" if damage == "not UTF-8" else now.replace(b'"number": 5', b'"number": 4')
            )
        assert not follower.mark().version
    home.sync()
    assert len(home.store.repairs) == 2
    assert_agreement(home)


def test_bytes_that_rot_without_a_sign_are_found_by_reading_all(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    for kind in ("words/texts/*.pos", "vectors/*/data/*.lance"):
        path = next(tmp_path.glob(kind))
        stat = path.stat()
        flip(path)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    for follower in home.followers:
        assert follower.sound()
        assert not follower.intact(wait=1)
        follower.rebuild()
        assert follower.intact(wait=1)
    assert_agreement(home)


def test_a_panic_of_native_code_is_an_error_like_any_other() -> None:
    panic = type("PanicException", (BaseException,), {})
    for error in (panic("index out of bounds"), ValueError("x"), OSError("y"), RuntimeError("z")):
        with pytest.raises(IndexDamaged, match="The word index is damaged"), seal.guarded("word"):
            raise error
    with pytest.raises(StoreError, match="full"), seal.guarded("word"):
        raise ValueError("An IO error: 'No space left on device (os error 28)'")
    with pytest.raises(KeyboardInterrupt), seal.guarded("word"):
        raise KeyboardInterrupt
