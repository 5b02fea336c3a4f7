"""`ark-tui --export`: which report, in which form, to which place."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Ark
from tests.reports.conftest import QUERY

pytestmark = pytest.mark.usefixtures("fixed")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("name", "begins"), [("r.md", "# Overview\n"), ("r.html", "<!DOCTYPE html>"), ("r.json", "{")]
)
def test_the_form_follows_the_suffix(ark: Ark, sample: Path, place: Path, name: str, begins: str) -> None:
    done = ark("--home", sample, "--export", place / name)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"Written: {place / name}\n"
    assert (place / name).read_text("utf-8").startswith(begins)


def test_without_a_name_it_is_the_overview_with_a_plot(ark: Ark, sample: Path) -> None:
    done = ark("--home", sample, "export", "-")
    assert done == ark("--home", sample, "--export", "-")
    assert ark("--home", sample, "export", "-", "--json").json
    assert done.code == 0
    assert done.out.startswith("# Overview\n")
    assert "█" in done.out


def test_stdout_and_a_file_get_the_same_bytes(ark: Ark, sample: Path, place: Path) -> None:
    for form in ("md", "html", "json"):
        done = ark("--home", sample, "--export", "-", "--format", form)
        ark("--home", sample, "--export", place / f"r.{form}")
        assert (place / f"r.{form}").read_bytes() == done.out.encode()


def test_reports_come_in_the_order_in_which_they_are_asked_for(ark: Ark, sample: Path) -> None:
    names = [argument for name in ("search", "overview", "search") for argument in ("--report", name)]
    done = ark("--home", sample, "--export", "-", "--format", "json", *names)
    assert list(done.json["sections"]) == ["search", "overview"]


def test_a_query_alone_is_answered_beside_the_overview(ark: Ark, sample: Path) -> None:
    done = ark("--home", sample, "--export", "-", "--format", "json", "--query", QUERY)
    assert list(done.json["sections"]) == ["overview", "search"]
    hits = done.json["sections"]["search"]["tables"]["hits"]["rows"]
    assert hits[0]["title"] == "Talk on mixing times"
    parts = [row for row in done.json["sections"]["search"]["tables"]["parts"]["rows"] if row["hit"] == 1]
    assert sum(row["contribution"] for row in parts if row["contribution"]) == pytest.approx(
        hits[0]["score"], abs=1e-4
    )


def test_a_report_keeps_no_search_in_the_log(ark: Ark, sample: Path) -> None:
    ark("--home", sample, "--export", "-", "--query", QUERY)
    assert ark("--home", sample, "searches", "--json").json == {"searches": []}


def test_there_are_no_times_taken_and_no_ids_of_searches_in_it(ark: Ark, sample: Path) -> None:
    said = ark("--home", sample, "--export", "-", "--format", "json", "--query", QUERY).out
    assert "took" not in said
    assert "retrieval" not in said.replace('"retrieval', "")
    assert str(sample) not in said


def test_an_empty_home_has_a_report_too(ark: Ark, empty: Path, tmp_path: Path) -> None:
    shutil.copytree(empty, tmp_path / "new")
    done = ark("--home", tmp_path / "new", "--export", "-", "--query", "anything")
    assert done.code == 0
    assert "Nothing is indexed yet." in done.out


def test_a_home_that_is_not_there_has_no_report_and_is_not_made(ark: Ark, place: Path, home: Path) -> None:
    done = ark("--export", place / "r.md")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"error: There is no home of ark-tui at {home}.")
    assert not home.exists()
    assert list(place.iterdir()) == []


# -- where it goes -------------------------------------------------------------------------------------


def test_a_link_stays_and_what_it_leads_to_is_written(ark: Ark, sample: Path, place: Path) -> None:
    (place / "real.md").write_text("old")
    (place / "link.md").symlink_to(place / "real.md")
    ark("--home", sample, "--export", place / "link.md")
    assert (place / "link.md").is_symlink()
    assert (place / "real.md").read_text("utf-8").startswith("# Overview")


def test_a_pipe_is_written_to_and_not_replaced(ark: Ark, sample: Path) -> None:
    assert ark("--home", sample, "--export", "/dev/null", "--format", "md").code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_parquet_is_a_folder_that_can_be_written_again(ark: Ark, sample: Path, place: Path) -> None:
    for _ in range(2):
        assert ark("--home", sample, "--export", place / "r.parquet").code == 0
    assert {path.suffix for path in (place / "r.parquet").iterdir()} == {".parquet"}
    assert [path.name for path in place.iterdir()] == ["r.parquet"]


def test_parquet_replaces_no_other_file_of_its_folder(ark: Ark, sample: Path, place: Path) -> None:
    folder = place / "mine.parquet"
    folder.mkdir()
    (folder / "part-0.parquet").write_bytes(b"PAR1 somebody else's")
    assert ark("--home", sample, "--export", folder).code == 0
    assert (folder / "overview-sizes.parquet").exists()
    assert (folder / "part-0.parquet").read_bytes() == b"PAR1 somebody else's"


def test_a_failure_leaves_the_older_report(
    ark: Ark, sample: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "r.md").write_text("old")

    def full(_: Path, __: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    done = ark("--home", sample, "--export", place / "r.md")
    assert done.code == 1
    assert "No space left on device" in done.err
    assert (place / "r.md").read_text() == "old"
    assert [path.name for path in place.iterdir()] == ["r.md"]


# -- what cannot be done -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--export", "r.docx"], 2, "does not say in which form"),
        (["--export", "r.md", "--report", "nonsense"], 2, "nonsense"),
        (["--export", "nowhere/r.md"], 1, "There is no folder nowhere"),
        (["--export", ".", "--format", "html"], 1, "is a folder"),
        (["--export", "-", "--format", "parquet"], 2, "Parquet cannot be written to -"),
        (["--export", "r.md", "status"], 2, "A report cannot be combined with `status`."),
        (["--report", "overview"], 2, "The report needs a file."),
        (["--query", "x"], 2, "The report needs a file."),
        (["--export", "r.md", "--profile", "nonsense", "--query", "x"], 2, "nonsense"),
        (["--export", "r.md", "--query", "tag:"], 2, "has no value"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    ark: Ark,
    sample: Path,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    says: str,
) -> None:
    monkeypatch.chdir(place)
    done = ark("--home", sample, *arguments)
    assert done.code == code, done.err
    assert says in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    assert list(place.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_cannot_be_written_is_said_before_the_work(ark: Ark, sample: Path, place: Path) -> None:
    place.chmod(0o500)
    done = ark("--home", sample, "--export", place / "r.md")
    assert done.code == 1
    assert "Nothing can be written in" in done.err


# -- beside others -------------------------------------------------------------------------------------


def test_json_on_stdout_is_safe_for_a_terminal(ark: Ark, hostile: Path) -> None:
    said = ark("--home", hostile, "--export", "-", "--format", "json", "--query", "spectral").out
    assert json.loads(said)
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
