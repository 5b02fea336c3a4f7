"""`.gitignore` is honoured as git itself honours it (I19): `git check-ignore` is the judge."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from ark_tui.curation import edits
from ark_tui.engine import Engine
from ark_tui.ingest.ignore import Ignore
from ark_tui.ingest.walk import Entry, walk
from ark_tui.settings import load
from ark_tui.settings.tree import Tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FILES = [
    "a", "a.o", "b/a", "b/a.o", "b/c/a", "b/c/a.o", "b/c/d/e.txt", "build/x", "b/build/x", "target/y.md",
    "n o/te.md", "#x", "!y", "a[1].md", "deep/er/est/file.md", "keep/a.o", "Größe.md", "a b ",
    "foo/bar/baz.md", "x.LOG",
]  # fmt: skip
TABLE = [
    "a", "*.o", "/a", "a/", "b/", "/b/c", "b/c/", "**/a", "b/**", "b/**/a", "**/build", "build/", "!a",
    "*.o\n!keep/a.o", "b/*\n!b/c", "/*\n!/b", "*\n!*/\n!*.md", "n o/", "n\\ o", "\\#x", "\\!y",
    "a\\[1\\].md", "a[1].md", "[ab]", "?", "[!a]", "[a-c].o", "deep/**/file.md", "deep/*/file.md",
    "deep/**", "*/er", "er/est", "**/est/**", "foo/bar", "/foo/*", "foo/*\n!foo/bar/", "Gr*", "a b\\ ",
    "a b ", "*.log", "# comment\na", "\n\n", "a*o", "*a*", "b/c/a.o", "./a", "b//c", "x.[Ll]OG", "**",
    "***", "a/**", "/**/a", "*.md\n!te.md\nn o/te.md", "!*.o\n*.o",
]  # fmt: skip


def git(folder: Path, *arguments: str, stdin: str = "") -> str:
    clean = {**os.environ, "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    clean.pop("XDG_CONFIG_HOME", None)
    asked = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        input=stdin, capture_output=True, text=True, env=clean, check=False,
    )  # fmt: skip
    assert asked.returncode in (0, 1), asked.stderr
    return asked.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = tmp_path / "repository"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")
    git(folder, "init", "-q")
    return folder


def left_out(folder: Path, root: Path | None = None) -> set[str]:
    """What a walk does not come to, from the repository's top on."""
    root = root or folder
    with Tree(root) as tree:
        found = walk(tree, Ignore([], git=Ignore.of(root)._git))
        seen = {str((root / one.path).relative_to(folder)) for one in found if isinstance(one, Entry)}
    return {name for name in FILES if (folder / name).is_relative_to(root)} - seen


def as_git_says(folder: Path, root: Path | None = None) -> set[str]:
    names = [name for name in FILES if root is None or (folder / name).is_relative_to(root)]
    said = git(folder, "check-ignore", "--no-index", "-z", "--stdin", stdin="\0".join(names))
    return set(said.split("\0")) - {""}


def test_a_file_of_rules_leaves_out_what_git_leaves_out(repository: Path) -> None:
    for rules in TABLE:
        (repository / ".gitignore").write_text(f"{rules}\n")
        assert left_out(repository) == as_git_says(repository), rules


def test_five_hundred_random_ones_do(repository: Path) -> None:
    random = Random(2026)
    names = ["a", "b", "c", "*", "**", "?", "*.o", "build", "d", "[ab]", "e.txt", "deep", "*.md", "*e*", "a*"]

    def rule() -> str:
        path = "/".join(random.choices(names, k=random.randint(1, 4)))
        return random.choice(["", "", "!"]) + random.choice(["", "/"]) + path + random.choice(["", "", "/"])

    for _ in range(100):
        for folder in ("", "b/", "b/c/", "deep/", "foo/"):
            lines = [rule() for _ in range(random.randint(0, 3))]
            (repository / folder / ".gitignore").write_text("\n".join(lines))
        assert left_out(repository) == as_git_says(repository), [
            (one.parent.name, one.read_text()) for one in repository.rglob(".gitignore")
        ]


def test_files_above_a_root_and_excludes_of_repository_and_person_count(repository: Path) -> None:
    (repository / ".gitignore").write_text("/b/c/a\n")
    (repository / "b" / ".gitignore").write_text("!a.o\n")
    (repository / ".git" / "info" / "exclude").write_text("*.o\n")
    (repository.parent / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    (repository.parent / "mine").write_text("e.txt\n")
    assert left_out(repository) == as_git_says(repository) == {"a.o", "keep/a.o", "b/c/a", "b/c/d/e.txt"}
    assert left_out(repository, repository / "b") == as_git_says(repository, repository / "b")


def test_outside_of_a_repository_nobody_asks_for_git(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    (tmp_path / "inner" / ".gitignore").write_text("*.o\n")
    rules = Ignore.of(tmp_path)
    assert not rules.file("a.md")
    assert rules.file("inner/a.o")


def test_why_names_the_rule_and_its_file_and_own_rules_come_after_those_of_git(repository: Path) -> None:
    (repository / "b" / ".gitignore").write_text("# built\nc/\n*.o\n")
    (repository / ".arkignore").write_text("!b/a.o\n")
    rules = Ignore.of(repository)
    assert rules.why("b/c/a") == "the rule c/ (b/.gitignore, line 2) leaves out the folder b/c"
    assert rules.why("b/a.o") == ""


@pytest.mark.parametrize("heeded", [True, False])
def test_a_setting_says_whether_git_is_heeded(tmp_path: Path, heeded: bool) -> None:
    root = tmp_path / "code"
    (root / ".git").mkdir(parents=True)
    (root / "a.md").write_text("A.")
    with Engine(load(tmp_path / "home", {"gitignore": heeded}, environ={})) as engine:
        assert engine.index([root]).added == 1
        engine.curation.edit(edits.tag, ["a.md"], ("mine",))
        (root / ".gitignore").write_text("a.md\n")
        assert engine.index([root]).removed == heeded
        (root / ".gitignore").unlink()
        engine.index([root])
        assert engine.document("a.md").tags == ("mine",), "what was said of it holds again"
