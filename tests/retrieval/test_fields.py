"""Every key of front matter is a filter; a word with a colon that nobody has as a key is text (I20, S13)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.library import FieldCount, Listing
from ark_tui.domain.query import MODES, Dated, Mode, Request
from ark_tui.engine import Engine, whynot
from ark_tui.retrieval import query
from ark_tui.settings import load
from tests.mcp.conftest import indexed
from tests.retrieval.test_query import NOW

NOTES = {
    "a.md": "---\nauthor: Ann Lee\nrating: 4\nstatus: open\ndue: 2026-03-14\ntag: own\n---\nA gap.\n",
    "b.md": "---\nauthor: [Bob, '[[Ann|her]]']\nrating: 2.5\nstatus: reopened\n---\nAnother gap.\n",
    "c.md": "---\nDue Date: 2026-04-01\nsource:\n  page: 7\n---\nA third gap, at 12:30, of std::vector.\n",
    "d.jsonl": '{"_id": "1", "text": "A gap in a record.", "metadata": {"venue": "TOIS", "year": 2024}}\n',
    "e.md": "A gap, without front matter. See https://example.org/gap and std::vector.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(load(indexed(tmp_path_factory.mktemp("fields"), NOTES), environ={}))


def found(engine: Engine, line: str, mode: Mode = "hybrid") -> str:
    result = engine.search(Request(line, mode=mode, below=True))
    return "".join(sorted(hit.document.path[0] for hit in result.hits))


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("gap author:ann", "ab"), ('gap author:"ann lee"', "a"), ("gap AUTHOR:ANN", "ab"),
        ("gap author:ann author:bob", "ab"), ("gap (author:bob OR venue:tois)", "bd"),
        ("gap -author:bob", "acde"), ("gap NOT author:bob", "acde"), ("gap author:ann AND status:open", "a"),
        ("gap status:open", "a"), ("gap rating:>3", "a"), ("gap rating:>=2.5", "ab"), ("gap rating:<4", "b"),
        ("gap rating:>2 rating:<3", "b"), ("gap has:rating", "ab"), ("gap -has:rating", "cde"),
        ("gap due:2026-03", "a"), ("gap due:<2026-03", ""), ("gap due:<2026-04", "a"),
        ("gap due-date:>2026-03", "c"), ("gap due_date:2026", "c"), ("gap source.page:7", "c"),
        ("gap year:2024", "d"), ("gap meta.tag:own", "a"), ("author:ann", "ab"),
    ],
)  # fmt: skip
def test_a_key_is_a_filter_in_every_mode(engine: Engine, line: str, paths: str) -> None:
    assert [found(engine, line, mode) for mode in MODES] == [paths] * len(MODES)


@pytest.mark.parametrize(
    "line", ["gap std::vector", "gap 12:30", "gap nobody:ann", "gap https://example.org"]
)
def test_what_nobody_has_as_a_key_is_text(engine: Engine, line: str) -> None:
    result = engine.search(Request(line, below=True))
    assert result.query.text == line
    assert len(result.hits) == len(NOTES)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("gap auhtor:ann", {"auhtor:ann": ("author:ann",)}),
        ("gap status:opne", {"status:opne": ("status:open",)}),
        ("gap has:ratign", {"has:ratign": ("has:rating",)}),
        ("gap author:zoe", {"author:zoe": ()}),
        ("gap author:ann rating:>3 nobody:ann", {"nobody:ann": ()}),  # it is text, and in no text
        ("gap author:ann std::vector 12:30", {}),
    ],
)
def test_a_near_miss_is_said(engine: Engine, line: str, said: dict[str, tuple[str, ...]]) -> None:
    result = engine.search(Request(line, below=True))
    assert {one.word: one.instead for one in result.suggestions if ":" in one.word} == said


def test_why_not_names_the_field(engine: Engine) -> None:
    why = whynot.why_not(engine, Request("gap rating:>=4"), "b.md")
    assert "rating:>=4" in why.sentence
    assert [one.query for one in why.remedies if one.query] == ["gap"]


def test_keys_and_values_are_listed_with_their_documents(engine: Engine) -> None:
    assert FieldCount("author", 2) in engine.library.fields()
    assert engine.library.fields("Author") == (
        FieldCount("Ann Lee", 1), FieldCount("Bob", 1), FieldCount("[[Ann|her]]", 1),
    )  # fmt: skip


def test_a_field_goes_with_its_file(engine: Engine) -> None:
    file = engine.settings.home.path.parent / "notes" / "f.md"
    file.write_text("---\nmood: calm\n---\nA gap.\n")
    engine.index([file.parent])
    assert found(engine, "gap mood:calm") == "f"
    file.write_text("---\nmood: wild\n---\nA gap.\n")
    engine.index([file.parent])
    assert found(engine, "gap mood:wild") == "f"
    file.unlink()
    engine.index([file.parent])
    assert "mood" not in {one.name for one in engine.library.fields()}


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        ("date:2026-03", date(2026, 3, 1), date(2026, 3, 31)),
        ("date:>2026-03", date(2026, 4, 1), None),
        ("date:<=2026-03", None, date(2026, 3, 31)),
        ("since:2026-03", date(2026, 3, 1), None),
        ("date:2025", date(2025, 1, 1), date(2025, 12, 31)),
        ("date:yesterday", date(2026, 11, 20), date(2026, 11, 20)),
    ],
)
def test_days_as_people_type_them(line: str, first: date | None, last: date | None) -> None:
    assert query.parse(line, NOW).filters.dated == Dated(first, last)


def test_not_before_a_word_excludes_but_in_capitals_or_at_the_end() -> None:
    assert query.parse("graphs NOT trees", NOW).excluded == ("trees",)
    assert query.parse("graphs AND NOT trees", NOW).excluded == ("trees",)
    assert query.parse("graphs NOT", NOW).text == "graphs NOT"
    assert query.parse("TO BE OR NOT TO BE", NOW).text == "TO BE OR NOT TO BE"


def test_a_field_without_a_value_points_at_its_place() -> None:
    with pytest.raises(QuerySyntaxError, match="rating: has no value") as caught:
        query.parse("gap rating:>", NOW, fields=lambda key: key == "rating")
    assert (caught.value.column, caught.value.line) == (4, "gap rating:>")


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("garden")
    (place / "notes").mkdir()
    for name, tag in {"a": "garden/compost", "b": "garden", "c": "gardener.x"}.items():
        (place / "notes" / f"{name}.md").write_text(f"A gap. #{tag}\n")
    with Engine(load(place / "home", environ={})) as engine:
        engine.index([place / "notes"])
        yield engine


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("gap tag:garden", "ab"),
        ("gap tag:garden/compost", "a"),
        ("gap tag:gard", ""),
        ("gap -tag:garden", "c"),
        ("gap tag:*", ""),  # only a path has placeholders
        ("gap tag:gardenn?", ""),
    ],
)
def test_a_tag_has_those_below_it_in_every_mode(line: str, paths: str, garden: Engine) -> None:
    assert [found(garden, line, mode) for mode in MODES] == [paths] * len(MODES)
    listing = Listing(tags=("garden",))
    assert [one.path for one in garden.library.documents(listing).rows] == ["a.md", "b.md"]
