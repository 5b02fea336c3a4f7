"""Text is stemmed in its language (I22); a line without end costs no more than its length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine.engine import Engine
from ark_tui.index.words import analysis, counts, languages, terms
from ark_tui.settings.config import load
from tests.support import SteadyClock

GERMAN = "Die alten Häuser am Hafen wurden im Winter nicht geheizt, und der Rauch zog über die Dächer."
FRENCH = "Les journaux du matin ne sont pas encore arrivés dans les kiosques de la ville, dit le vendeur."
ENGLISH = "The houses by the harbour were not heated in winter, and the smoke went over the roofs."
SWEDISH = "De gamla husen vid hamnen var inte uppvärmda under vintern, och röken drog över taken i staden."
COMMANDS = (
    "# lvs > Show volumes. More information: man lvs. - Show details: `lvs -a -o +devices -e -i` "
    "- Use units: `lvs --units g` - Print columns: `lvs -o name,size` - Sort volumes: `lvs -O size`"
)
RUSSIAN = "Старые дома у гавани зимой не отапливались, и дым тянулся над крышами города."


@pytest.mark.parametrize(
    ("text", "stated", "expected"),
    [
        (GERMAN, "", "de"),
        (FRENCH, "", "fr"),
        (SWEDISH, "", "sv"),
        (RUSSIAN, "", "ru"),
        (ENGLISH, "", ""),
        ("Milch kaufen", "", ""),  # too short to tell
        ("Milch kaufen", "de-AT", "de"),
        ("Milch kaufen", "German", "de"),
        (GERMAN, "en", ""),
        (GERMAN, "Klingon", "de"),
        ("Eintracht Braunschweig Champions 1904 Hertha Bochum Werder Bremen Schalke", "", ""),  # names
        ("0x3f 12 NaN inf 7.5e-3 cpu gpu tmp var lib usr bin", "", ""),
        ("検索エンジンは文書を索引に登録し、質問に答える。", "", ""),
        ("Kommandoen er et alias for den som er nevnt over, og den tas til neste versjon", "", "no"),
        ("Questa è la prima casa del porto, che non era riscaldata con le altre", "", "it"),
        # Languages without a stemmer are read as everything is, not by that of a neighbour.
        ("Les cases velles del port no es van escalfar a l'hivern i el fum passava per les teulades", "", ""),
        ("Staré domy u přístavu se v zimě nevytápěly a kouř se táhl nad střechami města", "", ""),
        ("คัดลอกไฟล์ ไปยัง ตำแหน่ง อื่น : cp -r {{path/to/file}} {{path/to/target}}", "", ""),
        ("फ़ाइल को दूसरे स्थान पर कॉपी करें : cp -a -i -e {{path/to/file}}", "", ""),
        ("ls -l -a -e : elenca -i -o {{file}}", "", ""),  # options are no words of Italian
    ],
)
def test_a_language_is_told_by_what_is_stated_else_by_the_text(text: str, stated: str, expected: str) -> None:
    assert languages.written_in(text, stated) == expected


@pytest.mark.parametrize(("text", "code"), [(ENGLISH, ""), (RUSSIAN, "ru"), (COMMANDS, "")])
def test_english_commands_and_scripts_are_told_without_a_model(
    text: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(languages, "_identifier", lambda: pytest.fail("it was loaded"))
    assert languages.written_in(text) == code


def test_a_query_loses_the_function_words_of_its_own_language() -> None:
    assert terms.read("die Häuser am Hafen", languages=("de",)).words == ("häuser", "hafen")
    assert terms.read("who will die in the war", languages=("de",)).words == ("die", "war")
    assert terms.read("the of and", languages=("de",)).words == ("the", "of", "and")
    assert terms.read("die Häuser am Hafen").words == ("die", "häuser", "hafen")


WORDS = (
    "komposthaufen gartenkompost kompostierung kompost haufen garten reis preis eis vergessen kurve "
    "vergessenskurve apfelbaum apfelbäume apfel baum häuserzeile zeile altbauhäuser altbau verlust lust"
)
VOCABULARY = WORDS.split()


@pytest.mark.parametrize(
    ("word", "made"),
    [
        ("kompost", ["komposthaufen", "gartenkompost"]),  # `ierung` is no word
        ("baum", ["apfelbaum", "apfelbäume"]),
        ("haus", ["häuserzeile", "altbauhäuser"]),
        ("kurve", ["vergessenskurve"]),
        ("lust", []),  # `ver` is too short for a part
        ("eis", []),
    ],
)
def test_compounds_are_made_of_words_that_the_corpus_has(word: str, made: list[str]) -> None:
    vocabulary = counts.Vocabulary(VOCABULARY, VOCABULARY.__contains__)
    assert list(vocabulary.made_of(word, "de")) == made


def test_a_compound_is_split_where_both_parts_are_words() -> None:
    vocabulary = counts.Vocabulary(VOCABULARY, VOCABULARY.__contains__)
    assert vocabulary.parts("vergessenskurve") == ("vergessen", "kurve")
    assert vocabulary.parts("kompostierung") is None


NOTES = {
    "haus.md": GERMAN,
    "garten.md": "Der Gartenkompost liegt hinter dem Haus, und im Herbst kommt das Laub auf den Haufen dazu.",
    "beet.md": "---\nlang: de\n---\nKompost, Garten\n",
    "journal.md": FRENCH,
    "house.md": ENGLISH,
    "road.md": "The high road goes over the pass, and it is open from May to October for all of the cars.",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages")
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="module")
def engine(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(load(tmp_path_factory.mktemp("home"), environ={}), SteadyClock()) as opened:
        opened.index([notes])
        yield opened


def found(engine: Engine, query: str) -> list[str]:
    return [hit.document.path for hit in engine.search(Request(query, mode="keyword")).hits]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Haus geheizt", "haus.md"), ('"altes Haus"', "haus.md"), ("Dach", "haus.md"),
        ("journal arrivé", "journal.md"), ("house heating", "house.md"), ("Kompost", "beet.md"),
    ],
)  # fmt: skip
def test_a_form_of_a_word_finds_the_others_in_the_language_of_the_text(
    engine: Engine, query: str, path: str
) -> None:
    assert found(engine, query)[0] == path


def test_compounds_come_after_the_word_itself_and_english_has_no_stems_of_others(engine: Engine) -> None:
    assert found(engine, "Kompost") == ["beet.md", "garten.md"]
    assert found(engine, '"higher"') == []  # `high`, were it German


def test_what_is_marked_is_what_was_found(engine: Engine) -> None:
    hits = engine.search(Request("Haus Dach Kompost", mode="keyword")).hits
    marked = {hit.document.path: {hit.snippet.text[a:b] for a, b in hit.snippet.highlights} for hit in hits}
    assert marked == {
        "haus.md": {"Häuser", "Dächer"},
        "garten.md": {"Gartenkompost", "Haus"},
        "beet.md": {"Kompost"},
    }
    document = next(hit.document for hit in hits if hit.document.path == "haus.md")
    shown = engine.show(document.id, query="Haus")
    assert [shown.text[a:b] for a, b in shown.highlights] == ["Häuser"]


def test_a_reason_names_the_form_that_the_text_has(engine: Engine) -> None:
    (hit,) = engine.search(Request("Dach", mode="keyword", explain=True)).hits
    (part,) = (part for part in hit.parts if part.name == "bm25")
    assert [(one.asked, one.found, one.where) for one in part.reasons] == [("dach", "Dächer", "text")]


def test_a_text_that_becomes_another_languages_is_taken_up_anew(engine: Engine, notes: Path) -> None:
    for text, hits in (("Flickorna kommer.\n", []), ("---\nlang: sv\n---\nFlickorna kommer.\n", ["beet.md"])):
        (notes / "beet.md").write_text(text, "utf-8")
        engine.index([notes])
        assert found(engine, "flicka") == hits


def test_identifiers_are_looked_for_in_pieces_no_longer_than_a_term(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    class Counted:
        def finditer(self, text: str) -> list[re.Match[str]]:
            looked.append(len(text))
            return list(real.finditer(text))

    real = analysis.IDENTIFIER
    monkeypatch.setattr(analysis, "IDENTIFIER", Counted())
    letters = "thequickbrownfoxjumpsoverthelazydog" * 100
    assert analysis.identifiers(letters) == []
    assert not looked
    minified = "var(aB.getJson,x)=>{return;" * 100 + "HttpClient"
    assert {"getjson", "httpclient"} <= set(analysis.identifiers(minified))
    assert max(looked) <= analysis.LONGEST


def test_a_name_in_a_short_word_is_found_with_its_parts() -> None:
    assert {*analysis.identifiers("see HttpClient, then C++")} == {"httpclient", "http", "client", "c++"}
    assert analysis.names("see HttpClient, then C++") == ["HttpClient", "C++"]
