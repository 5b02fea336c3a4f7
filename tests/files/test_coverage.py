"""Every file is accounted for: the coverage and why-not say the same of each (I16)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine, health, whynot
from ark_tui.settings import load

FILES = {
    "heron.md": ("indexed", ""),
    "latin.txt": ("indexed", "not valid UTF-8: read as cp1252"),
    "notes/secret.md": ("ignored", "the rule secret.md (notes/.gitignore, line 2) leaves out it"),
    "drafts/": ("ignored", "the rule drafts/ (.arkignore, line 1) leaves out the folder drafts"),
    "build/": ("ignored", "the rule build (.gitignore, line 1) leaves out the folder build"),
    "a.log": ("ignored", "the rule *.log (the rules that are built in) leaves out it"),
    "b.tmp": ("ignored", "the rule *.tmp (the configured ignore list, line 1) leaves out it"),
    ".hidden/": (
        "ignored",
        "the folder .hidden is hidden: folders that begin with . or _ are not read",
    ),
    ".git/": ("ignored", "the folder .git is hidden: folders that begin with . or _ are not read"),
    ".arkignore": ("ignored", "the rule .arkignore (the rules that are built in) leaves out it"),
    "empty.md": ("skipped", "empty"),
    "picture.png": ("skipped", "binary"),
    "large.md": ("skipped", "too large: 2.0 MB, the limit is 1 MB"),
    "broken.docx": ("skipped", "damaged: BadZipFile, File is not a zip file"),
    "old.doc": ("skipped", "a format of Office 97, which is not read: save it as .docx or .pptx"),
    "nowhere.md": ("skipped", "a link to nothing"),
}
UNSAID = {".gitignore", "notes/.gitignore"}  # plain text files, which are indexed


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("coverage")
    folder = place / "notes"
    for name in ("notes", "drafts", "build", ".hidden"):
        (folder / name).mkdir(parents=True)
        (folder / name / "a.md").write_text("Text.")
    subprocess.run(["git", "init", "-q", folder], check=True)
    for name, text in {
        "heron.md": "The heron waits.",
        "notes/secret.md": "No.",
        ".gitignore": "build\n",
        "notes/.gitignore": "\nsecret.md\n",
        ".arkignore": "drafts/\n",
        "a.log": "a",
        "b.tmp": "b",
        "empty.md": " ",
        "large.md": "a " * (1 << 20),
        "broken.docx": "PK",
        "old.doc": "a",
    }.items():
        (folder / name).write_text(text)
    (folder / "latin.txt").write_bytes("Größe über alles".encode("cp1252"))
    (folder / "picture.png").write_bytes(bytes(99))
    (folder / "nowhere.md").symlink_to(folder / "gone.md")
    settings = place / "home"
    settings.mkdir(mode=0o700)
    (settings / "config.toml").write_text('ignore = ["*.tmp"]\nmax_bytes = 1048576\n')
    with Engine(load(settings, environ={})) as engine:
        engine.index([folder])
        yield engine


def test_each_file_has_its_row(engine: Engine) -> None:
    found = health.coverage(engine)
    assert {row.path: (row.state, row.reason) for row in found.rows} == {
        path: row for path, row in FILES.items() if row != ("indexed", "")
    }
    assert found.total == len(found.rows)
    listed = health.coverage(engine, states=("indexed",)).rows
    assert {row.path for row in listed} == {"heron.md", "latin.txt", "notes/a.md", *UNSAID}
    assert found.counts["indexed"] == len(listed)
    assert found.counts["ignored"] == sum(state == "ignored" for state, _ in FILES.values())


@pytest.mark.parametrize("path", [path for path, (state, _) in FILES.items() if state != "indexed"])
def test_why_not_says_the_same(engine: Engine, path: str) -> None:
    asked = f"{path}a.md" if path.endswith("/") and path != ".git/" else path.replace(".git/", ".git/config")
    said = whynot.why_not(engine, Request("heron"), asked)
    state, reason = FILES[path]
    assert said.cause == ("waiting" if state == "waiting" else "not indexed")
    assert reason in said.sentence or state not in {"ignored", "skipped", "failed"}


def test_rows_come_by_the_page_of_one_collection_and_programs_see_no_ignored_ones(engine: Engine) -> None:
    page = health.coverage(engine, states=("ignored",), offset=2, limit=3)
    assert [row.path for row in page.rows] == [
        row.path for row in health.coverage(engine, states=("ignored",)).rows[2:5]
    ]
    assert page.total == page.counts["ignored"]
    assert health.coverage(engine, collection="other").total == 0
    assert health.coverage(engine, ignored=False).counts["ignored"] == 0
