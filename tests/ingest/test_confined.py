"""Nothing below a root is reached by a link, whatever is swapped while it is walked and read (I3)."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ark_tui.domain.work import Problem
from ark_tui.ingest.ignore import Ignore
from ark_tui.ingest.reading import load
from ark_tui.ingest.walk import CHANGED, Entry, walk
from ark_tui.settings.tree import Tree
from tests.ingest.test_walk import paths, problems, walked
from tests.ingest.texts import write

SECRET = b"what lies outside of the root"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a folder in it, and beside it one of the same files that nobody named."""
    write(tmp_path / "root", {"folder/inner/a.md": "inside", "z.md": "z"})
    write(tmp_path / "outside", dict.fromkeys(["a.md", "secret.md", "inner/a.md"], SECRET.decode()))
    return tmp_path / "root"


def swap(root: Path, folder: str) -> None:
    """Put a link to the outside in the place of a folder."""
    (root / folder).rename(root.parent / "kept")
    (root / folder).symlink_to(root.parent / "outside")


@contextmanager
def swapping(root: Path) -> Iterator[None]:
    """Another process swaps the folder, and a file in it, for links and back, as fast as it can."""
    process = multiprocessing.get_context("fork").Process(target=_swap_for_ever, args=(root,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _swap_for_ever(root: Path) -> None:
    folder, outside, kept = root / "folder", root.parent / "outside", root.parent / "kept"
    while True:
        folder.rename(kept)
        folder.symlink_to(outside)
        for _ in range(20):
            folder.stat()  # stay as long as a walk takes to come here
        folder.unlink()
        kept.rename(folder)


def leaks(root: Path, rounds: int) -> tuple[int, int, int]:
    """Walks in which an outside file was listed, and in which one was read, and those that met a swap."""
    listed = read = met = 0
    for _ in range(rounds):
        with Tree(root) as tree:
            found = list(walk(tree, Ignore.of(root)))
            entries = [one for one in found if isinstance(one, Entry)]
            listed += any("secret" in one.path for one in entries)
            read += any(load(tree, one) == SECRET for one in entries)
            met += "folder/inner/a.md" not in {one.path for one in entries}
    return listed, read, met


@pytest.mark.parametrize("rounds", [100, pytest.param(1_200, marks=pytest.mark.soak)])
def test_a_folder_that_is_swapped_for_a_link_while_it_is_walked_never_leads_out(
    root: Path, rounds: int
) -> None:
    write(root, {f"n{number}.md": "n" for number in range(300)})  # which take their time to be looked at
    with swapping(root):
        listed, read, met = leaks(root, rounds)

    assert (listed, read) == (0, 0)
    assert met  # the swaps were seen: the trial was one


@pytest.mark.parametrize("name", ["folder", "folder/inner"])
def test_a_folder_swapped_between_listing_and_reading_is_not_read_through(root: Path, name: str) -> None:
    with Tree(root) as tree:
        entry = Entry.of(tree, "folder/inner/a.md")
    swap(root, name)

    with Tree(root) as tree:
        assert load(tree, entry) == Problem("folder/inner/a.md", CHANGED, "failed")


def test_a_file_swapped_for_a_link_between_listing_and_reading_is_not_read(root: Path) -> None:
    file = root / "z.md"
    with Tree(root) as tree:
        entry = Entry.of(tree, "z.md")
        file.unlink()
        file.symlink_to(root.parent / "outside/a.md")
        assert load(tree, entry) == Problem("z.md", CHANGED, "failed")


def test_a_folder_swapped_after_its_own_folder_was_listed_is_named_and_not_entered(root: Path) -> None:
    with Tree(root) as tree:
        found = walk(tree, Ignore.of(root))
        first = next(found)
        swap(root, "folder")
        rest = list(found)

    assert isinstance(first, Entry)
    assert first.path == "z.md"
    assert rest == [Problem("folder", CHANGED, "failed")]


@pytest.mark.parametrize("path", ["../outside/a.md", "folder/../../outside/a.md", "folder/../z.md"])
def test_a_path_that_goes_up_is_refused(root: Path, path: str) -> None:
    with Tree(root) as tree, pytest.raises(OSError, match="leads out of the folder"):
        tree.open(path)


def test_an_absolute_path_is_none_of_a_tree(root: Path) -> None:
    with Tree(root) as tree, pytest.raises(FileNotFoundError):
        tree.open(str(root / "z.md"))


def test_ignore_rules_are_read_through_a_link_only_within_the_root(root: Path) -> None:
    write(root, {"rules": "z.md\n"})
    write(root.parent, {"outside/rules": "!\n" + SECRET.decode()})
    (root / ".arkignore").symlink_to("rules")
    (root / ".ralphignore").symlink_to(root.parent / "outside/rules")

    assert paths(root) == ["rules", "folder/inner/a.md"]
    assert problems(root) == {".ralphignore": "cannot be read: it leads out of the folder"}


def test_two_hundred_folders_within_each_other_are_walked_with_a_handful_of_descriptors(root: Path) -> None:
    import resource

    path = "/".join(["deep" * 10] * 200) + "/a.md"  # longer than any that the system would take as a whole
    with Tree(root) as tree, tree.create(path) as file:
        file.write(b"far down")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_highest() + 12, before[1]))
    try:
        found = [one for one in walked(root) if isinstance(one, Entry)]
        with Tree(root) as tree:
            data = load(tree, next(one for one in found if one.path == path))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    assert data == b"far down"
    assert "folder/inner/a.md" in {one.path for one in found}


def _highest() -> int:
    """The highest descriptor in use, for the limit is on their numbers."""
    handle = os.open(os.devnull, os.O_RDONLY)
    os.close(handle)
    with suppress(OSError):
        return max(int(name.name) for name in Path("/dev/fd").iterdir())
    return handle


def test_a_link_that_goes_while_it_is_looked_at_ends_no_walk(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "link.md").symlink_to("z.md")
    real = os.path.realpath

    def broken(path: object, **how: object) -> str:
        if str(path).endswith("link.md"):
            raise OSError(22, "Invalid argument", str(path))
        return str(real(str(path), **how))  # type: ignore[call-overload]

    monkeypatch.setattr(os.path, "realpath", broken)

    assert paths(root) == ["z.md", "folder/inner/a.md"]
    assert problems(root) == {"link.md": "invalid argument"}
