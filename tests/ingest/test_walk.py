"""Which files of a folder are taken, in which order, by which patterns, and why not the others (I3)."""

from __future__ import annotations

import os
import re
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.work import Problem
from ark_tui.engine import Engine
from ark_tui.ingest.ignore import _BELOW, Ignore, Pattern, translated
from ark_tui.ingest.walk import Entry, walk
from ark_tui.settings import load
from ark_tui.settings.tree import Tree
from tests.ingest.texts import write

NOBODY = 65534


def walked(root: Path, configured: tuple[str, ...] = ()) -> list[Entry | Problem]:
    with Tree(root) as tree:
        return list(walk(tree, Ignore.of(root, configured)))


def paths(root: Path, configured: tuple[str, ...] = ()) -> list[str]:
    return [found.path for found in walked(root, configured) if isinstance(found, Entry)]


def problems(root: Path) -> dict[str, str]:
    return {found.path: found.reason for found in walked(root) if isinstance(found, Problem)}


@pytest.fixture
def foreign() -> Iterator[Path]:
    """A folder that a user who is not root can reach."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may read everything: be nobody for a while."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_files_come_in_a_steady_order_with_what_a_scan_needs(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": "b", "a/z.md": "z", "a/b/c.txt": "c", "Z.md": "", "a.md": "a"})

    found = walked(tmp_path)

    assert [e.path for e in found] == ["Z.md", "a.md", "b.md", "a/z.md", "a/b/c.txt"]
    for entry in found:
        assert isinstance(entry, Entry)
        stat = (tmp_path / entry.path).stat()
        assert entry[1:] == (stat.st_size, stat.st_mtime_ns, stat.st_ino)


def test_built_in_rules_leave_out_what_nobody_wrote(tmp_path: Path) -> None:
    write(
        tmp_path,
        dict.fromkeys(
            [
                ".git/config", "x/node_modules/a.md", "dist/a.md", ".claude/a.md", "run.log", ".env", "a.md",
                "dist.md",
            ],
            "text",
        ),
    )  # fmt: skip

    assert paths(tmp_path) == ["a.md", "dist.md"]


def test_folders_that_begin_with_a_dot_or_underscore_cannot_be_asked_for(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"_drafts/a.md": "", ".obsidian/b.md": "", "x/_y/c.md": "", "_d.md": "", ".arkignore": "!_drafts/\n"},
    )

    assert paths(tmp_path) == ["_d.md"]


def test_later_layers_take_back_what_earlier_ones_leave_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "dist/a.md": "", "one.log": "", "two.log": "", "three.txt": "",
            ".arkignore": "!dist/\n!one.log\n*.txt\n", ".ralphignore": "!three.txt\none.log\n",
        },
    )  # fmt: skip

    assert paths(tmp_path) == ["three.txt", "dist/a.md"]
    assert paths(tmp_path, ("*.md", "!two.log")) == ["three.txt", "two.log"]


def test_a_list_of_what_is_wanted_can_be_written(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "b.txt": "", "x/y/c.md": "", "x/d.txt": "", ".arkignore": "*\n!*/\n!*.md\n"})

    assert paths(tmp_path) == ["a.md", "x/y/c.md"]


def test_a_line_that_is_no_pattern_and_an_ignore_file_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "b.txt": "", ".arkignore": "*.txt\n!\n"})
    (tmp_path / ".ralphignore").mkdir()

    assert paths(tmp_path) == ["a.md"]
    assert problems(tmp_path) == {
        ".arkignore": "line 2 is not an ignore pattern: !",
        ".ralphignore": "cannot be read: Is a directory",
    }


def test_links_are_not_followed_and_loops_end(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, {"real/a.md": "a"})
    write(tmp_path, {"outside/secret.md": "s"})
    (root / "same.md").symlink_to(root / "real/a.md")
    (root / "again").symlink_to(root / "real")
    (root / "real/loop").symlink_to(root)
    (root / "self").symlink_to(root / "self")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "out.md").symlink_to("../outside/secret.md")

    assert paths(root) == ["real/a.md"]
    assert problems(root) == {
        "out": "a link that leads out of the folder",
        "out.md": "a link that leads out of the folder",
        "self": "a link to nothing",
    }


def test_a_root_may_itself_be_a_link(tmp_path: Path) -> None:
    write(tmp_path, {"real/a.md": "a"})
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert paths(tmp_path / "link") == ["a.md"]


def test_a_folder_that_may_not_be_entered_is_a_problem_and_the_rest_goes_on(foreign: Path) -> None:
    write(foreign, {"a.md": "a", "closed/b.md": "b", "z.md": "z"})
    (foreign / "closed").chmod(0)

    with without_privileges():
        found = walked(foreign)

    assert [e.path for e in found if isinstance(e, Entry)] == ["a.md", "z.md"]
    assert [e for e in found if isinstance(e, Problem)] == [Problem("closed", "permission denied", "failed")]


def test_pipes_and_sockets_are_named_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{short}/socket")

        assert problems(tmp_path) == {"pipe": "not a file but a pipe, socket or device"}
        assert problems(Path(short)) == {"socket": "not a file but a pipe, socket or device"}


def test_names_may_be_odd_but_must_be_storable(tmp_path: Path) -> None:
    odd = ["a\nb.md", "🙂.md", "-x.md", "é.md", "tab\t.md", "*.md"]
    write(tmp_path, dict.fromkeys(odd, "x"))
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).touch()

    assert set(paths(tmp_path)) == set(odd)
    assert problems(tmp_path) == {"caf\ufffd.md": "its name is not valid UTF-8"}


def test_ignore_rules_hold_for_names_with_line_breaks(tmp_path: Path) -> None:
    write(tmp_path, {"a\nb/x.md": "", "keep.md": "", "x.md\n": "", ".arkignore": "x.md\n"})

    assert paths(tmp_path) == ["keep.md", "x.md\n"]


def test_three_thousand_files_in_one_folder_are_listed(tmp_path: Path) -> None:
    for n in range(3_000):
        (tmp_path / f"n{n:04}.md").touch()

    assert paths(tmp_path) == [f"n{n:04}.md" for n in range(3_000)]


def test_a_root_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path / "gone") == {".": "no such file or directory"}


def test_a_walk_can_be_stopped(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "b/c.md": ""})
    stop = threading.Event()
    with Tree(tmp_path) as tree:
        found = walk(tree, Ignore.of(tmp_path), stop)

        assert isinstance(next(found), Entry)
        stop.set()
        with pytest.raises(Cancelled):
            list(found)


def test_a_home_below_a_folder_is_never_a_source_whatever_it_is_called(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for name in ("mine", "deep/other"):
        (notes / name / "words").mkdir(parents=True)
        (notes / name / "home.lock").touch()
        (notes / name / "ark.duckdb").touch()
        (notes / name / "keys.md").write_text("# Keys")
    (notes / "locks").mkdir()
    (notes / "locks" / "canal.md").write_text("# Locks of a canal")
    with Engine(load(notes / "mine")) as engine:
        (notes / "mine" / "ark.duckdb").unlink(missing_ok=True)
        report = engine.index([notes])
        assert report.added == 1
        for home in ("mine", "deep/other", "deep/other/words"):
            with pytest.raises(UsageError, match="home of ark-tui"):
                engine.index([notes / home])


PATTERNS = st.lists(
    st.sampled_from(["a", "b", "*", "?", "/", "**/", "/**/", "[ab]", "*a", "(", "."]), max_size=9
)
PATHS = st.lists(st.sampled_from(["a", "b", "/", "(", "."]), min_size=1, max_size=12)


@settings(max_examples=400)
@given(pattern=PATTERNS.map("".join), path=PATHS.map("".join))
def test_a_pattern_matches_what_its_translation_matches(pattern: str, path: str) -> None:
    try:
        regex, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern.rstrip("/"))
        rule = translated(Pattern(pattern))
    except GitIgnorePatternError:
        return
    if rule is None or regex is None:
        return
    plain = str(regex).replace(_BELOW, r"\Z")
    assert bool(rule.regex.search(path)) == bool(re.search(plain, path, re.DOTALL)), rule.regex


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 30 + "b", "*?" * 40 + "b", "*[ab]" * 30 + "c", "**/a/" * 40 + "b", "a/**/" * 40 + "c",
        "**/*/" * 40 + "c",
    ],
)  # fmt: skip
def test_a_pattern_of_many_wildcards_is_decided_at_once(pattern: str) -> None:
    rules = Ignore([Pattern(pattern)])
    assert not rules.file("a" * 200 + "/" + "a/" * 60 + "x")


def test_a_pattern_that_is_none_is_named_and_the_others_hold(tmp_path: Path) -> None:
    (tmp_path / ".arkignore").write_text("[z-a]\n*.tmp\n")
    rules = Ignore.of(tmp_path)
    assert rules.file("a.tmp")
    (problem,) = rules.problems
    assert (problem.path, problem.reason) == (".arkignore", "line 1 is not an ignore pattern: [z-a]")
