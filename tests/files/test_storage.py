"""Roots in object storage: listed, read, read again, and kept where the storage does not answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier

import pytest
from obstore import exceptions

from ark_tui import settings
from ark_tui.domain.addresses import Address, is_address, placed
from ark_tui.domain.errors import ArkError, NotFound, StoreError, UsageError
from ark_tui.domain.jobs import entry_of
from ark_tui.domain.protocols import NEVER
from ark_tui.domain.query import Request
from ark_tui.domain.work import IndexReport, Problem, Run
from ark_tui.engine import Engine, indexing
from ark_tui.ingest.objects import Objects
from ark_tui.ingest.reading import load
from ark_tui.ingest.walk import CHANGED
from tests.cluster import there
from tests.operations.test_jobs import until
from tests.table_server import TableServer

NOTES = {
    "gap.md": "---\ntags: [theory]\n---\n# Gaps\n\nThe spectral gap bounds the mixing time. See [[tea]].\n",
    "old/tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees. ☕\n",
    "a name & more #1/ü 100%.md": "# Odd\n\nNames may have anything in them.\n",
    "code.py": 'def gap(chain: str) -> str:\n    return chain\n\n\nclass Ring:\n    """A ring."""\n',
    "rows.jsonl": '{"id": "a", "text": "First."}\n{"id": "b", "text": "Second."}\n',
    "package-lock.json": "{}",
}
ROOT = "s3://bucket/my docs"


class Bucket:
    """The objects below `ROOT`."""

    def __init__(self, server: TableServer) -> None:
        self.server, self.client = server, server.client()
        server.bucket("bucket")

    def put(self, notes: Mapping[str, str | bytes]) -> None:
        for name, text in notes.items():
            body = text.encode() if isinstance(text, str) else text
            self.client.put_object(Bucket="bucket", Key=f"my docs/{name}", Body=body)

    def delete(self, *names: str) -> None:
        for name in names:
            self.client.delete_object(Bucket="bucket", Key=f"my docs/{name}")

    def read(self) -> list[str]:
        """Which objects were asked for since this was last asked; lists of rules are none."""
        lead = "GET /bucket/my docs/"
        heard = [one.removeprefix(lead) for one in self.server.heard if one.startswith(lead)]
        self.server.heard.clear()
        return [one for one in heard if not one.endswith("ignore")]


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with TableServer.reached() as server:
        found = Bucket(server)
        found.put(NOTES)
        found.server.heard.clear()
        yield found
        with suppress(found.client.exceptions.NoSuchBucket):
            server.remove("bucket")  # moto keeps them for the process


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(settings.load(tmp_path / "home", environ={})) as opened:
        yield opened


def index(engine: Engine, root: str = ROOT) -> IndexReport:
    return engine.index([Path(root)])


def paths(engine: Engine) -> list[str]:
    return sorted({path for (path,) in _rows(engine, "SELECT path FROM ark.documents WHERE gone IS NULL")})


def _rows(engine: Engine, sql: str) -> list[tuple[str, ...]]:
    with engine._parts.store.read() as lease:
        return [tuple(map(str, row)) for row in lease.rows(sql)]


READ = ["a name & more #1/ü 100%.md", "code.py", "gap.md", "old/tea.md", "rows.jsonl"]


def test_objects_become_the_documents_that_files_would(
    engine: Engine, bucket: Bucket, tmp_path: Path
) -> None:
    for name, text in NOTES.items():
        file = tmp_path / "my docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    with Engine(settings.load(tmp_path / "other", environ={})) as other:
        other.index([tmp_path / "my docs"])
        expected = _rows(other, TEXTS)

    report = index(engine)

    assert (report.added, report.skipped, report.failed) == (5, 1, 0)
    assert _rows(engine, TEXTS) == expected
    assert sorted(bucket.read()) == sorted(NOTES)
    assert engine.library.roots() == {"my docs": ROOT}


TEXTS = (
    "SELECT d.path, d.item, d.title, d.body, c.start_char, c.end_char, c.text_hash FROM ark.documents d "
    "JOIN ark.chunks c ON c.document = d.number WHERE d.gone IS NULL ORDER BY ALL"
)


def test_what_has_not_changed_is_not_read_again_also_if_it_was_put_there_again(
    engine: Engine, bucket: Bucket
) -> None:
    index(engine)
    bucket.read()
    bucket.put({"gap.md": NOTES["gap.md"]})
    bucket.server.heard.clear()

    report = index(engine)

    assert (report.unchanged, report.skipped, report.added, report.changed) == (5, 1, 0, 0)
    heard = list(bucket.server.heard)
    assert bucket.read() == []
    assert len(heard) == 4  # whether it answers, its two lists of rules, its objects


def test_what_changes_comes_moves_and_goes_is_followed(engine: Engine, bucket: Bucket) -> None:
    index(engine)
    before = engine.document("tea.md").id
    bucket.read()
    bucket.put({"gap.md": "# Gaps\n\nAnother text.\n", "new.md": "# New\n\nIt has come.\n"})
    bucket.put({"moved/tea.md": NOTES["old/tea.md"]})
    bucket.delete("old/tea.md", "code.py")

    report = index(engine)

    assert (report.added, report.changed, report.renamed, report.removed) == (1, 1, 1, 1)
    assert sorted(bucket.read()) == ["gap.md", "moved/tea.md", "new.md"]
    assert engine.document("moved/tea.md").id == before
    assert "Another text." in engine.show("gap.md").text


def test_small_objects_are_asked_for_together_and_each_once(engine: Engine, bucket: Bucket) -> None:
    together = Barrier(4)

    def met() -> None:
        if bucket.server.heard[-1].startswith("GET /bucket/my docs/many/"):
            together.wait(20)  # who comes alone is let go with an error

    bucket.put({f"many/{n}.md": f"# Note {n}\n\nText {n}.\n" for n in range(8)})
    bucket.put({"large.md": "# Large\n\n" + "word " * 300_000})
    bucket.server.heard.clear()
    bucket.server.met = met

    assert index(engine).added == 5 + 8 + 1
    asked = bucket.read()
    assert len(asked) == len(set(asked)) == 15
    assert not together.broken


def test_a_document_says_where_it_lies_and_is_opened_from_there(engine: Engine, bucket: Bucket) -> None:
    bucket.put({"old/leaf.png": b"\x89PNG\r\n\x1a\n" + bytes(100)})
    index(engine)
    bucket.put({"gap.md": "# Gaps\n\nSaved since.\n"})

    (hit,) = engine.search(Request("spectral gap mixing", limit=1)).hits
    assert hit.file == f"{ROOT}/gap.md"
    assert not hit.document.stale  # nobody asks the storage for each hit
    assert engine.show("gap.md").file == f"{ROOT}/gap.md"
    assert engine.reading.about("gap.md").file == f"{ROOT}/gap.md"
    assert engine.reading.present("gap.md").text.endswith("Saved since.\n")
    assert engine.reading.picture("tea.md", "leaf.png", wiki=False)[0] == "leaf.png"
    with pytest.raises(NotFound):
        engine.reading.picture("tea.md", "none.png", wiki=True)
    with pytest.raises(UsageError, match="lies in storage"):
        engine.ingest_file(Path(f"{ROOT}/gap.md"))


def test_rules_sizes_and_kinds_hold_as_for_files(engine: Engine, bucket: Bucket) -> None:
    bucket.put({
        ".arkignore": "draft/\n!*.log\n", ".ralphignore": "*.tmp\n", ".gitignore": "code.py\n",
        "draft/a.md": "# Draft", "deep/draft/b.md": "# Draft", "note.tmp": "x", ".hidden/c.md": "# Hidden",
        "day.log": "2026-01-02 something was logged here\n", "node_modules/d.md": "# Module",
        "blob.bin": bytes(range(256)) * 100, "large.md": "x" * (33 << 20), "old/": "", "empty/": "",
    })  # fmt: skip
    report = index(engine)

    assert paths(engine) == sorted([*READ, ".gitignore", "day.log"])
    asked = bucket.read()
    assert not [one for one in asked if "draft" in one or "large" in one or "hidden" in one or "tmp" in one]
    reasons = {one.path: one.reason for one in report.problems}
    assert reasons["blob.bin"] == "binary"
    assert reasons["large.md"].startswith("too large: 33.0 MB")
    left = {row.path: row.reason for row in engine.coverage(ignored=True, states=("ignored",)).rows}
    assert {"draft/", "deep/draft/", "note.tmp", ".hidden/", "node_modules/"} <= left.keys()
    assert "(.arkignore, line 1)" in left["draft/"]


def test_an_odd_name_is_a_row_and_keeps_what_lies_beside_it(engine: Engine, bucket: Bucket) -> None:
    index(engine)
    bucket.put({"old//twice.md": "# Twice", "new/b.md": "# Beside\n\nIt is read.\n"})

    report = index(engine)

    (problem,) = report.problems
    assert (problem.path, problem.state) == ("old", "failed")
    assert "an empty part" in problem.reason
    assert (report.added, report.unchanged, report.removed) == (1, 4, 0)
    assert "old/tea.md" in paths(engine)
    bucket.server.forbidden = lambda asked: "delimiter" in asked and "new/" in asked
    cut = index(engine)
    assert [one.path for one in cut.problems if one.state == "failed"] == ["."]
    assert cut.removed == 0
    bucket.server.forbidden = lambda _: False
    bucket.delete("old//twice.md")
    assert index(engine).problems == ()


def test_an_object_that_is_written_while_it_is_read_is_left_to_the_next_run(
    engine: Engine, bucket: Bucket
) -> None:
    listed = iter((True,))

    def met() -> None:
        if bucket.server.heard[-1].startswith("GET /bucket/my docs/gap.md") and next(listed, False):
            bucket.put({"gap.md": "# Gaps\n\nIt was written in this moment.\n"})

    bucket.server.met = met
    report = index(engine)

    assert [(one.path, one.reason) for one in report.problems if one.state == "failed"] == [
        ("gap.md", CHANGED)
    ]
    assert index(engine).added + index(engine).unchanged >= 5
    assert "in this moment" in engine.show("gap.md").text


def test_an_object_that_goes_while_the_others_are_read_is_left_to_the_next_run(
    engine: Engine, bucket: Bucket
) -> None:
    objects = Objects(ROOT)
    (page,) = objects.everything()
    entry = next(one for one in page if one.path == "gap.md")
    bucket.delete("gap.md")

    assert load(objects, entry) == Problem("gap.md", CHANGED, "failed")
    assert index(engine).failed == 0
    assert "gap.md" not in paths(engine)


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (exceptions.PermissionDeniedError("key AKIA"), "does not let this process in"),
        (exceptions.UnauthenticatedError("key AKIA"), "does not let this process in"),
        (FileNotFoundError("container AKIA"), "There is no bucket for"),
        (exceptions.GenericError("AKIA: operation timed out"), "cannot be reached"),
        (exceptions.GenericError("AKIA: odd"), "cannot be read"),
        (ValueError("AKIA"), "cannot be read"),
    ],
)
def test_whatever_a_client_reports_of_a_listing_is_a_sentence_without_its_words(
    report: Exception, sentence: str
) -> None:
    objects = Objects("az://container/docs")
    with pytest.raises(StoreError, match=sentence) as told, objects._listing():
        raise report
    assert "AKIA" not in told.value.told
    assert told.value.hint


def test_an_object_that_may_not_be_read_keeps_what_was_read_of_it(engine: Engine, bucket: Bucket) -> None:
    index(engine)
    bucket.put({"gap.md": "# Gaps\n\nA secret by now.\n"})
    bucket.server.forbidden = lambda asked: "gap.md" in asked

    report = index(engine)

    assert [one.path for one in report.problems] == ["gap.md"]
    assert "does not let this process read it" in report.problems[0].reason
    assert "spectral gap" in engine.show("gap.md").text
    bucket.server.forbidden = lambda _: False
    assert index(engine).changed == 1


# -- nothing is lost -------------------------------------------------------------------------------


def test_a_listing_that_is_cut_short_retires_nothing(
    engine: Engine, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(engine)
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "2")
    bucket.server.forbidden = lambda asked: "continuation-token" in asked
    bucket.delete("code.py")

    report = index(engine)

    assert any("continuation-token" in one for one in bucket.server.heard)
    assert [(one.path, one.state) for one in report.problems] == [(".", "failed")]
    assert "does not let this process in" in report.problems[0].reason
    assert report.removed == 0
    assert paths(engine) == READ
    bucket.server.forbidden = lambda _: False
    assert index(engine).removed == 1


def test_a_wrong_key_a_missing_bucket_and_silence_are_sentences_and_keep_everything(
    engine: Engine, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(engine)
    with bucket.server.checking_keys():
        with pytest.raises(StoreError, match=r"my docs does not let this process in\.") as refused:
            index(engine)
        assert "AWS_ACCESS_KEY_ID" in refused.value.hint
        (check,) = [one for one in engine.doctor(repair=False) if one.name == "root my docs"]
        assert not check.ok
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT", "http://127.0.0.1:1")
        with pytest.raises(StoreError, match=r"my docs cannot be reached\.") as away:
            index(engine)
        assert "what was read of it stays" in away.value.hint
        assert engine.status().documents == 6  # asks nobody
        assert engine.search(Request("spectral gap")).hits
    with pytest.raises(StoreError, match=r"There is no bucket for s3://none/docs\."):
        index(engine, "s3://none/docs")
    with pytest.raises(NotFound, match=r"There is nothing at s3://bucket/none\."):
        index(engine, "s3://bucket/none")
    bucket.server.remove("bucket")
    with pytest.raises(StoreError, match="There is no bucket for"):
        index(engine)
    rows = engine.coverage(ignored=True).rows
    assert ("my docs", ".", "failed") in [(row.collection, row.path, row.state) for row in rows]
    assert paths(engine) == READ
    assert engine.library.roots() == {"my docs": ROOT}


def test_a_place_that_goes_away_while_it_is_read_ends_the_run_and_the_next_goes_on(
    engine: Engine, bucket: Bucket
) -> None:
    def busy() -> None:
        bucket.server.busy = int(bucket.server.heard[-1].startswith("GET /bucket/my docs/gap.md"))

    bucket.server.met = busy
    with pytest.raises(StoreError, match="cannot be reached"):
        index(engine)
    bucket.server.met, bucket.server.busy = (lambda: None), 0
    assert index(engine).failed == 0
    assert paths(engine) == READ


def test_an_emptied_place_keeps_its_documents_until_it_is_let_go(engine: Engine, bucket: Bucket) -> None:
    index(engine)
    bucket.delete(*NOTES)

    report = index(engine)

    assert report.removed == 0
    assert report.notices == (
        f"Nothing is at {ROOT} any more; its 6 documents stay searchable until it is followed no more.",
    )
    assert paths(engine) == READ
    assert engine.library.let_go("my docs") == 6
    assert paths(engine) == []


def test_other_roots_are_indexed_though_one_does_not_answer(
    engine: Engine, bucket: Bucket, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nHere.\n", "utf-8")
    with bucket.server.checking_keys():
        report = engine.index([Path(ROOT), tmp_path / "notes"])

    assert report.added == 1
    assert report.notices == (f"{ROOT} does not let this process in.",)


def test_without_the_client_one_sentence_says_what_to_install(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(ArkError, match="needs obstore") as refused:
        index(engine)
    assert "ark-tui[storage]" in refused.value.hint


# -- as a root -------------------------------------------------------------------------------------


def test_it_may_be_a_root_of_the_settings_and_is_upheld_by_all(bucket: Bucket, tmp_path: Path) -> None:
    environ = {"ARK_DIRS": f"{ROOT}, {tmp_path}"}
    loaded = settings.load(tmp_path / "home", environ=environ)
    assert [str(root.path) for root in loaded.roots] == [ROOT, str(tmp_path)]
    with Engine(loaded) as engine:
        engine.index([placed(ROOT)])
        assert engine.upkeep().moved == ()
        assert engine.curation.queue().items is not None
        lost = engine.why_not(Request("gap"), f"{ROOT}/package-lock.json")
        assert lost.cause == "not indexed"
    assert bucket.server.asked


@pytest.mark.parametrize("text", ["s3://bucket/docs", "s3:/bucket/docs", "s3://bucket/docs/"])
def test_an_address_is_the_same_however_a_path_has_swallowed_its_slashes(text: str) -> None:
    found = placed(Path(text))
    assert found == Address("s3://bucket/docs") == placed(text)
    assert hash(found) == hash(placed(text))
    assert (str(found), f"{found / 'a.md'}") == ("s3://bucket/docs", "s3://bucket/docs/a.md")
    assert found.name == "docs"


@pytest.mark.parametrize("text", ["/s3:/bucket", "s3", "s3:/", "notes/s3://x", "http://host/x", "~/s3:"])
def test_a_folder_is_no_address(text: str) -> None:
    assert not is_address(text)
    assert type(placed(text)) is type(Path())


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: the extra `cluster`")
def test_two_workers_read_the_objects_themselves_and_make_the_same_table(
    bucket: Bucket, tmp_path: Path
) -> None:
    here = there.run(tmp_path / "here", Path(ROOT))
    assert sorted(bucket.read()) == sorted(NOTES)
    with_workers = there.run(tmp_path / "with-workers", Path(ROOT), "--on", "local:2")

    assert here.returncode == with_workers.returncode == 0, with_workers.stderr
    assert there.held(tmp_path / "with-workers") == there.held(tmp_path / "here")
    assert sorted(bucket.read()) == sorted(NOTES)
    again = there.run(tmp_path / "with-workers", Path(ROOT), "--on", "local:2")
    assert again.returncode == 0
    assert bucket.read() == []


def test_nobody_follows_storage_until_somebody_asks_for_a_look(
    engine: Engine, bucket: Bucket, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nHere.\n", "utf-8")
    engine.index([Path(ROOT), tmp_path / "notes"])
    bucket.put({"new.md": "# New\n\nIt has come.\n"})
    (tmp_path / "notes" / "b.md").write_text("# B\n\nHere, too.\n", "utf-8")
    bucket.server.heard.clear()
    engine.background.start()

    until(lambda: "b.md" in paths(engine))
    assert bucket.server.heard == []
    engine.background.look()
    until(lambda: "new.md" in paths(engine))


def test_what_was_cut_off_goes_on_at_the_same_address(engine: Engine, bucket: Bucket) -> None:
    entry = entry_of(Run("index", ROOT, "my docs", ("kept",)))
    assert entry.subject == ROOT

    report = indexing.go_on(engine._parts, json.loads(json.dumps(entry.order())), NEVER, lambda _: None)

    assert report.added == 5
    assert engine.document("gap.md").tags == ("kept", "theory")
    assert bucket.read()
