from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ark_tui.interfaces.cli.output import dumped
from ark_tui.operations.catalog import shipped
from tests.cli.conftest import COMMAND, Ark, on_a_terminal, running


def test_an_unknown_command_suggests_a_known_one(ark: Ark) -> None:
    told = ark("serch", "x")
    assert told.code == 2
    assert told.err.startswith("error: There is no command serch.\n       Did you mean search or ")
    assert "See `ark-tui --help`." in told.err


MISSING = (
    ("show", "nowhere.md"), ("search", "x", "--profile", "nope"), ("search", "x", "in:nope"),
    ("tag", "study", "nowhere.md"), ("tasks", "done", "999"), ("scratch", "get", "nope"),
    ("saved", "delete", "nope"), ("jobs", "show", "nope"), ("token", "revoke", "nope"),
    ("collections", "rename", "nope", "other"), ("conversations", "close", "nope"),
    ("models", "--drop", "ollama:nope"), ("models", "add", "nope"), ("community", "9999"),
    ("index", "/nowhere"), ("restore", "/nowhere/backup.zip"), ("eval", "/nowhere"),
)  # fmt: skip


def test_what_is_named_and_not_there_has_one_exit_code(ark: Ark, indexed: Path, tmp_path: Path) -> None:
    home = shutil.copytree(indexed, tmp_path / "copy")
    told = {words: ark(*words, "--home", home) for words in MISSING}
    assert {words: one.err for words, one in told.items() if one.code != 1} == {}
    assert {words: one.err for words, one in told.items() if one.err.count("\n") < 2} == {}, "each has a hint"


def test_every_command_says_which_argument_it_misses(ark: Ark, indexed: Path) -> None:
    lacking = [
        one.name
        for one in shipped().all()
        if any(part.required and part.said.argument and not part.said.words for part in one.parameters)
    ]
    assert len(lacking) > 30
    for name in lacking:
        told = ark(*name.split(), "--home", indexed)
        assert (told.code, told.out) == (2, ""), name
        assert "unexpected" not in told.err, name
        assert (told.err[:7], told.err.count("\n")) == ("error: ", 2), name


@pytest.mark.parametrize("command", [("status",), ("search", "x"), ("doctor",), ("ingest", "x")])
def test_a_home_that_is_a_file_is_exit_code_three(ark: Ark, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("notes")
    told = ark(*command, "--home", tmp_path / "file")
    assert told.code == 3
    assert "is not a folder" in told.err + told.out
    assert "Traceback" not in told.err


def test_a_store_that_is_no_store_is_exit_code_three_and_stays(ark: Ark, home: Path) -> None:
    home.mkdir()
    (home / "ark.duckdb").write_bytes(b"these are not the notes you look for" * 400)
    told = ark("status")
    assert told.code == 3
    assert "Traceback" not in told.err
    assert (home / "ark.duckdb").read_bytes().startswith(b"these are not")


def test_home_may_stand_before_the_command_or_after_it(ark: Ark, indexed: Path) -> None:
    before = ark("--home", indexed, "where", "home").out
    assert before == ark("where", "home", "--home", indexed).out == f"{indexed}\n"


def test_without_a_terminal_the_program_alone_prints_help_and_exits_with_two() -> None:
    told = subprocess.run(COMMAND, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert told.returncode == 2
    assert told.stdout.startswith("Usage: ark-tui")


def test_a_reader_that_leaves_early_is_no_error(indexed: Path) -> None:
    with running("search", "spectral", "--explain", "--home", indexed) as search:
        assert search.stdout is not None
        search.stdout.close()
        assert search.stderr is not None
        told = search.stderr.read().decode()
        assert search.wait() == 0
    assert "rror" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full to write to")
def test_a_full_disk_behind_stdout_is_one_sentence(indexed: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(
            [*COMMAND, "search", "spectral", "--home", str(indexed)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert told.returncode == 1
    assert "error: No space left on device." in told.stderr
    assert "Traceback" not in told.stderr
    assert "Exception ignored" not in told.stderr


def test_a_terminal_and_a_pipe_get_the_same_bytes_apart_from_colour(indexed: Path) -> None:
    arguments = ["search", "spectral gap", "--home", str(indexed)]
    piped = subprocess.run([*COMMAND, *arguments], capture_output=True, check=True).stdout
    shown = on_a_terminal(arguments, {"TERM": "xterm-256color"})
    assert b"\x1b[" not in piped
    assert b"\x1b[1mSpectral gaps" in shown
    assert re.search(rb"\x1b\]8;;file://[^\x1b/]+/[^\x1b]+gap\.md\x1b\\\x1b\[1mSpectral gaps", shown)
    assert re.sub(rb"\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\", b"", shown) == piped
    assert on_a_terminal(arguments, {"TERM": "xterm-256color", "NO_COLOR": "1"}) == piped


def test_json_escapes_what_a_terminal_acts_on_and_leaves_the_rest_readable() -> None:
    text = "検索 é \x1b[2J \x9b \u202e \u2028 \U000e0041 \ud800 \x7f"
    written = dumped({"text": text})
    assert "検索 é" in written
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202e\u2028\U000e0041]", written)
    assert json.loads(written.encode("utf-8", "backslashreplace"))["text"] == text


@pytest.mark.parametrize(
    "words", [("search", "gap"), ("search", "gap", "--mode", "keyword"), ("context", "gap")]
)
def test_nothing_is_answered_from_the_indexes_of_a_store_that_is_missing(
    ark: Ark, tmp_path: Path, words: tuple[str, ...]
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "gap.md").write_text("# Gap\n\nA spectral gap.")
    ark("index", str(notes))
    home = Path(os.environ["ARK_HOME"])
    (home / "ark.duckdb").unlink()
    done = ark(*words)
    assert done.code == 3
    assert done.out == ""
    assert "ark.duckdb is missing" in done.err
    assert "move the home away and index your folders again" in done.err
