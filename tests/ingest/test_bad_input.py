"""Whatever lies in a folder: a document, or one row with the reason. Never a crash, never silence (I8)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.readers import NEEDED
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import CHANGED, Entry
from ark_tui.settings.tree import Tree
from tests.ingest.conftest import ReadText
from tests.ingest.test_walk import foreign, without_privileges
from tests.ingest.texts import words

__all__ = ["foreign"]

BOMB = "---\na: &a [lol,lol,lol,lol]\n" + "".join(
    f"{after}: &{after} [{','.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


def reason(data: bytes, path: str = "note.md") -> str:
    found = Reading(measure=words).read(Entry(path, len(data), 0, 1), data)
    assert isinstance(found, Problem), found
    assert found.path == path
    return found.reason


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    with Tree(tmp_path) as tree:
        yield tree


def saved(tree: Tree, data: bytes) -> Entry:
    Path(tree.path, "a.md").write_bytes(data)
    return Entry.of(tree, "a.md")


def test_a_file_is_loaded_as_it_is(tree: Tree) -> None:
    assert load(tree, saved(tree, b"text\r\n")) == b"text\r\n"


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_file_without_a_character_is_empty(data: bytes) -> None:
    assert reason(data) == "empty"


@pytest.mark.parametrize(
    "data",
    [
        b"text\0text",
        b"\x89PNG\r\n\x1a\n\0\0",
        bytes(range(128, 256)) * 20,
        b"\x01\x02\x03" * 50,
        b"\xff\xfe\0\0a\0\0\0",
    ],
)
def test_what_is_no_text_is_binary_whatever_its_name(data: bytes) -> None:
    for path in ("a.md", "a.txt", "a.py", "a.json", "a.html", "a"):
        assert reason(data, path) == "binary", path


def test_a_large_binary_file_is_known_by_its_head(tree: Tree) -> None:
    assert load(tree, saved(tree, b"GIF89a\0\1\0\1\x80\xff" + b"x" * 1_000_000)) == Problem("a.md", "binary")


def test_a_file_beyond_the_limit_is_skipped_with_its_size(tree: Tree) -> None:
    entry = saved(tree, b"")
    os.truncate(Path(tree.path, "a.md"), 100 << 20)

    assert load(tree, Entry.of(tree, "a.md")) == Problem("a.md", "too large: 100.0 MB, the limit is 32 MB")
    assert load(tree, entry._replace(size=11), max_bytes=10) == Problem(
        "a.md", "too large: 0.0 MB, the limit is 0 MB"
    )


def test_utf_8_with_a_mark_and_utf_16_are_read(read: ReadText) -> None:
    assert read(b"\xef\xbb\xbf# Title").title == "Title"
    assert read("\ufeff# Größe\n日本".encode("utf-16-le")).body == "# Größe\n日本"
    assert read("\ufeff# Größe".encode("utf-16-be")).title == "Größe"


ENCODED = {  # each with some 20 to 30 characters, which is enough
    "cp1252": "He said “no” – that’s naïve, déjà vu",
    "cp1250": "Zażółć gęślą jaźń, proszę bardzo",
    "iso8859_2": "Příliš žluťoučký kůň úpěl",
    "cp1251": "Привет, как дела сегодня вечером",
    "koi8_r": "Белая кошка спит на диване",
    "cp1253": "Αυτή είναι μια ελληνική πρόταση",
    "cp1255": "החתול הלבן ישן על הספה",
    "cp1256": "القطة البيضاء نائمة على الأريكة",
    "shift_jis": "狸は森に住んでいる。秋になると木の実を",
    "euc_jp": "狸は森に住んでいる。秋になると木の実を",
    "gbk": "这是一个中文句子，用来测试编码检测。",
    "big5": "白貓在舊房子裡的沙發上睡覺，窗外下著大雨",
    "euc-kr": "이것은 한국어 문장입니다. 인코딩을 시험합니다.",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_text_in_another_encoding_is_read_right_and_said(encoding: str, read: ReadText) -> None:
    draft = read(ENCODED[encoding].encode(encoding))
    assert draft.body == ENCODED[encoding]
    assert draft.notices[0].startswith("not valid UTF-8: read as ")


@pytest.mark.parametrize("text", ["Plain words of a log", "Größe und 大小", "日本語 のテキスト\n"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read(text: str, encoding: str, read: ReadText) -> None:
    assert read(text.encode(encoding)).body == text


def test_japanese_by_escape_sequences_is_read(read: ReadText) -> None:
    assert read("狸は森に住んでいる。".encode("iso2022_jp")).body == "狸は森に住んでいる。"


def test_a_stray_nul_is_dropped_and_said(read: ReadText) -> None:
    draft = read(b"A line of a log.\0\nAnother line.")

    assert draft.body == "A line of a log.\nAnother line."
    assert draft.notices == ("1 NUL characters dropped",)


def test_a_few_stray_bytes_are_replaced_and_said(read: ReadText) -> None:
    draft = read("Straße, größer und".encode() + b" noch \xff viel mehr Text")

    assert draft.body == "Straße, größer und noch \ufffd viel mehr Text"
    assert draft.notices == ("not valid UTF-8: 1 × \ufffd marks bytes that could not be read",)


@pytest.mark.parametrize("name", ["a.pdf", "b.DOCX", "c.ods", "d.xlsx", "e.rtf"])
def test_office_formats_name_what_they_need(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ark_tui.ingest.readers.find_spec", lambda _: None)
    assert reason(b"PK\3\4 anything", name) == NEEDED
    assert reason(b"%PDF-1.7 text", "no-suffix") == NEEDED


def test_a_file_that_has_gone_or_changed_since_the_scan_waits_for_the_next_run(tree: Tree) -> None:
    entry = saved(tree, b"text")
    file = Path(tree.path, "a.md")
    for change in (
        lambda: file.write_bytes(b"longer text"),
        lambda: os.utime(file, ns=(1, 1)),
        file.unlink,
        lambda: os.mkfifo(file),
    ):
        change()
        assert load(tree, entry) == Problem("a.md", CHANGED, "failed")


def test_a_file_that_may_not_be_read_failed(foreign: Path) -> None:
    with Tree(foreign) as tree:
        entry = saved(tree, b"text")
        (foreign / "a.md").chmod(0)

        with without_privileges():
            assert load(tree, entry) == Problem("a.md", "permission denied", "failed")


def test_one_bad_entry_of_front_matter_costs_no_other(read: ReadText) -> None:
    draft = read("---\ntitle: Graphs: a start\ntags: [a, b\nstatus: draft\n---\n# Graphs\n\nText.\n")

    assert (draft.title, draft.status, draft.tags) == ("Graphs: a start", "draft", ("a", "b"))
    assert draft.notices == ()


def test_an_entry_that_cannot_be_read_is_named_by_its_line_and_stays_text(read: ReadText) -> None:
    draft = read("---\nstatus: open\nrelated:\n  - &x [a\n  b\n---\nText.")

    assert draft.status == "open"
    assert draft.notices == ("front matter: not valid YAML, not read: line 3",)
    assert draft.chunks[0].start_line == 1


@pytest.mark.parametrize(
    "text",
    [f"{BOMB}---\nText.", f"---\na: {'[' * 30_000}\n---\nText.", f"---\na: {'{a: ' * 10_000}\n---\nText."],
)
def test_a_yaml_bomb_is_harmless(read: ReadText, text: str) -> None:
    draft = read(text)

    assert draft.notices[0].startswith("front matter: not valid YAML, not read: line 2")
    assert draft.fields == ()
    assert draft.body.endswith("Text.")


def test_front_matter_cannot_make_objects(read: ReadText) -> None:
    draft = read(
        "---\ntitle: !!python/object/apply:os.getcwd []\ntags: !!python/name:os.system x\n---\nText."
    )

    assert (draft.title, draft.tags) == ("note", ("x",))


@pytest.mark.parametrize(
    "start", ["---\n", "---\nno mapping\n---\n", "---\n- a\n---\n", "----\na: b\n----\n"]
)
def test_what_only_looks_like_front_matter_is_text(read: ReadText, start: str) -> None:
    draft = read(f"{start}Text.")

    assert draft.notices == ()
    assert draft.chunks[0].start_char == 0


def test_an_endless_head_is_no_front_matter(read: ReadText) -> None:
    assert read("---\n" + "key: value\n" * 100_000 + "---\n").chunks[0].start_char == 0


def test_many_links_in_one_long_line_take_no_square_of_time(read: ReadText) -> None:
    assert len(read("".join(f"[[n{n}]] " for n in range(50_000))).links) == 50_000


def test_dates_that_do_not_exist_are_said_and_another_is_taken(read: ReadText) -> None:
    draft = read("---\ndate: 2026-02-30\n---\nText.", "2026-03-01 plan.md")

    assert draft.notices == (
        "front matter: '2026-02-30' is not understood as a date; write it as 2026-03-14",
    )
    assert (str(draft.date), draft.date_source) == ("2026-03-01", "file name")


def test_a_time_that_no_calendar_has_gives_no_date(read: ReadText) -> None:
    assert read("Text.", mtime_ns=10**21).date_source == "none"


def drafts(data: bytes, path: str = "note.md") -> tuple[Draft, ...]:
    found = Reading(measure=words).read(Entry(path, len(data), 0, 1), data)
    assert isinstance(found, tuple), found
    return found


@pytest.mark.parametrize("digits", [30, 5_000])
def test_a_place_that_no_store_counts_to_is_none(digits: int) -> None:
    (draft,) = drafts(f"---\nplace: {'9' * digits}\n---\ntext\n".encode())
    assert draft.place is None


def test_a_link_to_a_name_with_a_nul_can_be_stored() -> None:
    (draft,) = drafts(b"[a](x%00y#z%00)\n")
    assert [(link.target, link.anchor) for link in draft.links] == [("x\ufffdy", "z\ufffd")]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.md", b"# " + b"x" * 50_000 + b"\n" + b"## y\nz\n" * 500),
        ("a.html", b"<h1>" + b"x" * 50_000 + b"</h1>" + b"<h2>y</h2><p>z" * 500),
        ("a.c", b"int " + b"x" * 50_000 + b"() { return 0; }\n"),
    ],
)
def test_a_long_heading_is_repeated_in_short_and_all_its_text_is_in_chunks(path: str, data: bytes) -> None:
    (draft,) = drafts(data, path)
    assert max(len(chunk.heading) for chunk in draft.chunks) < 500
    assert sum(draft.body[c.start_char : c.end_char].count("x") for c in draft.chunks) >= 50_000


@pytest.mark.parametrize(
    "nest", ["<li><dd>", "<dd></dt><li>", "</b><div>", "<svg><link>", "<div></b>", "<div>"]
)
def test_a_page_that_nests_without_end_is_refused_however_it_does_so(nest: str) -> None:
    assert "nested" in reason(f"<p>text{nest * 6_000}".encode(), "a.html")


def test_long_lists_without_end_tags_are_read() -> None:
    lists = "<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>" * 3_000
    nested = "<dl>" + "<dt>a</dt><dd><ul><li>b</li><li>c</li></ul></dd>" * 6_000 + "</dl>"
    for page in (lists, nested):
        assert drafts(page.encode(), "a.html")


def test_records_nested_without_end_are_kept_as_text() -> None:
    (draft,) = drafts(b'{"text": "a", "derives_from": ' + b"[" * 500 + b"]" * 500 + b"}", "a.json")
    assert draft.notices == ("not valid JSON, kept as text: nested too deeply",)
