"""What looks the same to a reader is the same, however its characters are composed (I20)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import partial

import pytest

from ark_tui.curation import edits
from ark_tui.domain.documents import embedded_text, text_hash
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load

composed, decomposed = (partial(unicodedata.normalize, form) for form in ("NFC", "NFD"))
FOREST, KOREAN, VIETNAMESE = "forêt", "한국어", "Tiếng Việt"
FORMS = pytest.mark.parametrize("form", [composed, decomposed], ids=["composed", "decomposed"])

NOTES = {
    f"{FOREST}.md": f"---\ntags: [{FOREST}]\nlieu: {FOREST}\naliases: [{VIETNAMESE}]\n---\n"
    f"# {FOREST}\n\nLa {FOREST} dort.",
    "b.md": f"Voir [[{FOREST}]] et [[{VIETNAMESE}]]. {KOREAN} 문서.",
    "c.md": "Nothing of it.",
    "d.md": "我們用漢語寫筆記。",
    "e.md": "我们用汉语写笔记。",
}


@pytest.fixture(scope="module", params=[composed, decomposed], ids=["kept composed", "kept decomposed"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("unicode") / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / request.param(name)).write_text(request.param(text), "utf-8")
    with Engine(load(folder.parent / "home", environ={})) as engine:
        engine.index([folder])
        yield engine


def found(engine: Engine, query: str) -> set[str]:
    return {composed(hit.document.path) for hit in engine.search(Request(query, mode="keyword")).hits}


@FORMS
@pytest.mark.parametrize(
    ("query", "path"),
    [
        (FOREST, f"{FOREST}.md"),
        (f'"La {FOREST} dort"', f"{FOREST}.md"),
        (f"dort tag:{FOREST}", f"{FOREST}.md"),
        (f"dort lieu:{FOREST}", f"{FOREST}.md"),
        (f"dort path:{FOREST}.md", f"{FOREST}.md"),
        (KOREAN, "b.md"),
    ],
)
def test_text_tags_fields_and_paths_are_found_in_either_form(
    engine: Engine, form: partial[str], query: str, path: str
) -> None:
    assert path in found(engine, form(query))


@FORMS
def test_a_document_is_meant_by_its_path_and_its_links_by_title_and_alias(
    engine: Engine, form: partial[str]
) -> None:
    document = engine.document(form(f"{FOREST}.md"))

    assert document.title == FOREST or composed(document.title) == FOREST
    came = [link.document for link in engine.reading.links(document.id) if link.direction == "in"]
    assert {one.path for one in came if one} == {"b.md"}
    assert len(came) == 2


@FORMS
def test_a_tag_is_renamed_and_taken_off_in_either_form(engine: Engine, form: partial[str]) -> None:
    engine.curation.edit(edits.retag, ["c.md"], [form("été")], [])
    engine.curation.edit(edits.rename_tag, form("été"), form("hiver été"))
    assert found(engine, form('nothing tag:"hiver été"')) == {"c.md"}

    engine.curation.edit(edits.retag, ["c.md"], [], [form("hiver été")])
    assert found(engine, form('nothing tag:"hiver été"')) == set()


def test_both_forms_are_one_text_for_a_model() -> None:
    assert embedded_text(decomposed(FOREST), decomposed(KOREAN)) == f"{FOREST}\n{KOREAN}"
    assert text_hash(decomposed(FOREST), decomposed(KOREAN)) == text_hash(FOREST, KOREAN)


@pytest.mark.parametrize("query", ["漢語", "汉语", "筆記", "笔记"])
def test_simplified_and_traditional_chinese_meet(engine: Engine, query: str) -> None:
    result = engine.search(Request(query, mode="keyword"))

    assert {hit.document.path for hit in result.hits} == {"d.md", "e.md"}
    shown = {hit.snippet.text[a:b] for hit in result.hits for a, b in hit.snippet.highlights}
    assert shown == {"漢語", "汉语"} if "语" in query or "語" in query else {"筆記", "笔记"}
