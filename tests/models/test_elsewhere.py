"""A home with a served model publishes its vectors in a table elsewhere, and readers rank by them as it does.

The reader asks its own Ollama for the vector of a query; what it cannot have it says.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.hits import Hit, SearchResult
from ark_tui.domain.query import Filters, Request
from ark_tui.embedding.openai import HOSTS
from ark_tui.embedding.served import ServedModel
from ark_tui.engine import Engine
from ark_tui.index.table import follower, rows, snapshot
from ark_tui.index.table.place import Place as TablePlace
from ark_tui.index.table.place import Published
from ark_tui.memory import likeness
from ark_tui.settings import load
from tests.models.conftest import MINILM, NOMIC, Place, lamp
from tests.ollama_server import Fault, Model, OllamaServer
from tests.support import SteadyClock
from tests.table_server import TableServer

WORDS = (
    *("spectral", "gap", "chain", "mixing", "time", "graph", "walk", "reversible", "bread", "flour", "water"),
    *("sourdough", "salt", "rank", "fusion", "office", "river", "harbour", "quince", "ledger", "walnut"),
    *("krylov", "basis", "lanczos", "pendulum", "clock", "damp", "module"),
)
QUESTIONS = [
    " ".join(random.Random(n).sample(WORDS, 2 + n % 4)) for n in range(20)
] + ["gap tag:red", "river -bread", '"spectral gap" path:3*', "how does a chain mix"]  # fmt: skip
ALONE = ("weight.static=0", "weight.idf=0", "weight.rocchio=0", "weight.maxsim=0", "weight.neighbour=0")
GONE = 1e-2  # where tantivy still counts what was changed
ODD = Model("all-minilm", dims=100, context=200)  # as many as Lance's index does not take


def text(n: int) -> str:
    words = random.Random(n)
    said = "\n\n".join(" ".join(words.choices(WORDS, k=9)) + f" {n}." for _ in range(3))
    return f"---\ntags: [{'red' if n % 2 else 'blue'}]\n---\n# Note {n}\n\n{said}\n"


def publishing(place: Place, uri: str = "") -> Place:
    place.settings["index"] = uri or str(place.folder / "table")
    return place


def reader(place: Place, **settings: object) -> Engine:
    """Somebody else's home, without texts."""
    given = {"index": place.settings["index"], "ollama_host": place.server.host, "query_budget": 10.0}
    engine = Engine(load(place.folder / "reader", given | settings, environ={}), SteadyClock())
    place.engines.append(engine)
    return engine


def asked(engine: Engine, query: str, **more: object) -> SearchResult:
    return engine.search(Request(query, unlogged=True, **more))  # type: ignore[arg-type]


def shown(result: SearchResult) -> list[str]:
    return [hit.document.path for hit in result.hits]


def parts(hit: Hit) -> dict[str, float]:
    return {"score": hit.score, **{part.name: part.contribution for part in hit.parts}}


def agree(here: Engine, there: Engine, queries: Sequence[str] = QUESTIONS, near: float = 1e-3) -> None:
    """The same first ten, by the same signals, with scores that are `near` each other."""
    for query in queries:
        expected, found = asked(here, query), asked(there, query)
        assert found.profile == expected.profile
        assert shown(found) == shown(expected), query
        for one, other in zip(found.hits, expected.hits, strict=True):
            assert parts(one) == pytest.approx(parts(other), abs=near)
        said = [(one.signal, one.state, one.reason) for one in expected.lamps]
        assert [(one.signal, one.state, one.reason) for one in found.lamps] == said


def published(place: Place) -> Published:
    found = TablePlace(str(place.settings["index"])).published()
    assert found is not None
    return found


def model_of(place: Place) -> str:
    """The model whose vectors are published."""
    model = ServedModel.loaded(published(place).model)
    return model.name if model else ""


@pytest.fixture(scope="module")
def storage() -> Iterator[TableServer]:
    with TableServer.reached() as found:
        yield found


@pytest.fixture(scope="module", params=["share", "s3"])
def many(
    request: pytest.FixtureRequest, storage: TableServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with OllamaServer("nomic-embed-text", ODD) as server:
        place = Place(tmp_path_factory.mktemp("elsewhere"), server)
        place.write(**{str(n): text(n) for n in range(40)})
        publishing(place, f"{storage.bucket('served')}/prefix" if request.param == "s3" else "").index()
        yield place
        server.let_go()
        for engine in place.engines:
            engine.close()


def test_a_table_ranks_by_the_served_model_as_its_home_does(many: Place) -> None:
    here, there = many.engine(), reader(many)
    assert lamp(asked(there, "mixing time of a chain")).state == "on"
    assert there.profile_in_use() == here.profile_in_use() == "model"
    agree(here, there)
    assert there.status().embedding == here.status().embedding


def test_alone_the_vectors_of_the_model_name_the_same_first_ten(many: Place) -> None:
    here, there = many.engine(), reader(many)
    for query in QUESTIONS[:12]:
        expected, found = (asked(one, query, mode="semantic", adjust=ALONE) for one in (here, there))
        assert shown(found) == shown(expected)


def test_documents_alike_are_those_of_the_home_though_the_model_is_away(many: Place) -> None:
    here, there = many.engine(), reader(many, ollama_host="http://127.0.0.1:9")
    expected, found = here.similar("3.md", 5), there.similar("3.md", 5)
    assert shown(found) == shown(expected)
    assert [part.name for part in found.hits[0].parts] == ["cosine"]
    scores = [hit.score for hit in expected.hits]
    assert [hit.score for hit in found.hits] == pytest.approx(scores, abs=1e-4)


def test_a_text_is_compared_with_the_tables_by_the_served_model(many: Place) -> None:
    here, there = (
        likeness.compared(one._parts.corpus, "a chain mixes") for one in (many.engine(), reader(many))
    )
    assert (there.lamp.state, there.lamp.reason) == (here.lamp.state, here.lamp.reason) == ("on", NOMIC)
    expected, found = (one.closest(10, Filters(tags=("red",))) for one in (here, there))
    assert [*found] == [*expected]
    assert found == pytest.approx(expected, abs=1e-6)
    assert there.values([*expected], lambda _: {})[0] == pytest.approx(expected, abs=1e-6)


def test_why_a_hit_stands_where_it_does_is_said_as_at_home(many: Place) -> None:
    expected, found = (
        asked(one, "how does a chain mix", explain=True) for one in (many.engine(), reader(many))
    )
    sentences = [[hit.why and hit.why.sentence for hit in one.hits] for one in (expected, found)]
    assert sentences[0] == sentences[1]
    assert any(sentences[0])


def test_a_reader_whose_server_is_away_says_so_as_the_home_does(many: Place) -> None:
    away = "http://127.0.0.1:9"
    here, there = many.engine(ollama_host=away), reader(many, ollama_host=away)
    states = {one.signal: one.state for one in asked(there, "ledgers of the harbour").lamps}
    assert (states["cosine"], states["static"]) == ("off", "on")
    agree(here, there, ["ledgers of the harbour"])


def test_another_model_at_the_readers_ollama_is_never_compared_with(many: Place) -> None:
    with OllamaServer(Model("nomic-embed-text", version="2")) as other:
        told = lamp(asked(reader(many, ollama_host=other.host), "quinces in the office"))
        assert (told.state, "another version" in told.reason) == ("off", True)
        assert not other.embedded
    with OllamaServer("bge-m3") as other:
        told = lamp(asked(reader(many, ollama_host=other.host), "quinces in the office"))
        assert (told.state, "has no model nomic-embed-text" in told.reason) == ("off", True)
        assert not other.embedded
    with OllamaServer(Model("renamed", weights="nomic-embed-text")) as same:
        assert lamp(asked(reader(many, ollama_host=same.host), "quinces in the office")).state == "on"


def test_a_reader_who_wants_no_server_asks_none(many: Place) -> None:
    there, before = reader(many, embedding="static"), len(many.server.requests)
    result = asked(there, "quinces and walnuts")
    assert ("cosine" in {one.signal for one in result.lamps}, result.profile) == (False, "default")
    assert len(many.server.requests) == before


def test_a_server_that_only_the_table_names_is_sent_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{place.server.host}/v1"
    publishing(place).index(embedding=f"{url}#nomic-embed-text")
    assert model_of(place) == f"{url}#nomic-embed-text"
    before = len(place.server.requests)
    told = lamp(asked(reader(place), "mixing time"))
    assert (told.state, told.reason) == ("off", f"{url}#nomic-embed-text is not asked from here")
    assert len(place.server.requests) == before
    for named in (f"{url}#nomic-embed-text", url):
        assert lamp(asked(reader(place, embedding=named), "mixing time of chains")).state == "on"
    monkeypatch.setitem(HOSTS, "openai", url)
    elsewhere = reader(place, embedding="openai:nomic-embed-text")
    assert lamp(asked(elsewhere, "mixing time")).state == "off"


def test_texts_that_wait_for_their_vectors_are_published_without_and_then_with_them(place: Place) -> None:
    publishing(place).index()
    place.server.stop()
    place.write(new="# New\n\nThe spectral gap of a thoroughly new chain.\n", bread="# Bread\n\nRye.\n")
    place.index()
    place.server.start()
    with place.engine() as here, reader(place) as there:
        agree(here, there, ["thoroughly new spectral gap", "rye"], GONE)
        result = asked(there, "thoroughly new spectral gap")
        assert (lamp(result).state, lamp(result).reason) == ("on", "2 chunks without a vector yet")
        assert "new.md" in shown(result)
    before = published(place)
    with place.engine() as here:
        here.embed()
        assert published(place).serial == before.serial + 1
        here.sync()
        assert published(place).serial == before.serial + 1
    with place.engine() as here, reader(place) as there:
        agree(here, there, ["thoroughly new spectral gap", "rye"], GONE)
        assert lamp(asked(there, "thoroughly new spectral gap")).reason == ""


def test_the_vectors_are_those_of_the_model_in_force(place: Place) -> None:
    place.server.models["all-minilm"] = ODD
    publishing(place).index()
    first = published(place)
    with place.engine() as here:
        here.models.use(MINILM)
        assert [one.behind for one in here.status().followers if one.name == "table"] == [3]
        here.sync()
    assert (model_of(place), published(place).chunks != first.chunks) == (MINILM, True)
    with place.engine() as here, reader(place) as there:
        agree(here, there, ["mixing time of a chain", "sourdough"])
        assert lamp(asked(there, "mixing time of a chain")).state == "on"
    with place.engine() as here:
        here.models.use("static")
        here.sync()
    assert model_of(place) == ""
    chunks = TablePlace(str(place.settings["index"])).table(published(place).chunks)
    assert rows.SERVED not in chunks.schema.names
    with place.engine() as here, reader(place) as there:
        assert there.profile_in_use() == "default"
        agree(here, there, ["mixing time of a chain"])


def test_a_model_is_published_by_the_run_that_has_completed_its_vectors(place: Place) -> None:
    publishing(place).index(embedding="static")
    assert model_of(place) == ""
    place.index(embedding=NOMIC)
    assert model_of(place) == NOMIC


def test_a_model_whose_vectors_are_not_complete_is_not_published(place: Place) -> None:
    publishing(place).index(embedding="static")
    asked_for = len(place.server.asked("/api/embed")) + 1  # its dimensions, and no text

    def enough(_: object) -> None:
        if len(place.server.asked("/api/embed")) > asked_for:
            place.server.fault = Fault("dropped")

    place.server.before = enough
    place.index(embedding=NOMIC)
    place.server.before = None
    assert place.states()[NOMIC] == "being built"
    assert model_of(place) == ""


def test_a_reader_stays_with_one_version_while_the_model_is_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    publishing(place).index()
    with reader(place) as there, place.engine() as here:
        monkeypatch.setattr(snapshot, "LOOK_EVERY", float("inf"))
        before = asked(there, "mixing time of a chain")
        here.models.use(MINILM)
        here.sync()
        again = asked(there, "mixing time of a chain")
        assert [hit.score for hit in again.hits] == [hit.score for hit in before.hits]
        assert lamp(again).state == "on"
        monkeypatch.setattr(snapshot, "LOOK_EVERY", 0.0)
        agree(here, there, ["mixing time of a chain"])


def bytes_of(place: Place, text: str) -> bytes:
    """The vector of a document's only text, as it is kept."""
    model = place.server.models["nomic-embed-text"]
    (sent,) = {sent for sent in place.server.embedded if text in sent}
    return bytes(model.vectors([sent], None)[0].astype(np.float16).tobytes())


def holding(place: Place, data: bytes) -> list[Path]:
    table = Path(str(place.settings["index"]))
    return [file for file in table.rglob("*") if file.is_file() and data in file.read_bytes()]


def test_a_purge_leaves_no_vector_of_what_is_deleted(place: Place) -> None:
    publishing(place).index()
    secret = bytes_of(place, "Lanczos")
    kept = bytes_of(place, "reversible")
    assert holding(place, secret)
    (place.notes / "krylov.md").unlink()
    place.index()
    with place.engine() as here:
        here.curation.purge()
    assert not holding(place, secret)
    assert holding(place, kept)
    with place.engine() as here, reader(place) as there:
        agree(here, there, ["mixing time of a chain"])


def test_above_a_size_an_index_of_the_models_vectors_answers(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (snapshot, follower):
        monkeypatch.setattr(module, "EXACT", 200)
    place.server.models["all-minilm"] = ODD
    place.write(**{str(n): text(n) for n in range(320)})
    publishing(place).index(embedding=MINILM)
    chunks = TablePlace(str(place.settings["index"])).table(published(place).chunks)
    assert rows.SERVED in {index.columns[0] for index in chunks.list_indices()}
    shared = []
    with place.engine() as here, reader(place) as there:
        for query in QUESTIONS[:20]:
            expected, found = asked(here, query, mode="semantic"), asked(there, query, mode="semantic")
            assert lamp(found).state == "on"
            shared.append(len({*shown(found)} & {*shown(expected)}) / 10)
    assert np.mean(shared) >= 0.97


def test_what_is_said_of_a_version_is_what_earlier_programs_read(place: Place) -> None:
    publishing(place).index()
    fields = {"mark", "serial", "chunks", "terms", "versions", "pools", "parts", "size", "waiting", "lengths"}
    assert json.loads(published(place).written()).keys() == {*fields, "languages"}


def test_vectors_of_a_model_that_nobody_knows_are_not_compared(place: Place) -> None:
    publishing(place).index()
    at = TablePlace(str(place.settings["index"]))
    old = published(place)
    for model in ("{}", json.dumps(json.loads(old.model) | {"of_a_later_version": 1}),
                  json.dumps(json.loads(old.model) | {"dims": 1024})):  # fmt: skip
        current = at.published()
        at.publish(replace(old, pools=(*old.pools[:2], model)), current)
        with reader(place) as there:
            told = lamp(asked(there, "mixing time of a chain"))
            assert (told.state, "does not know" in told.reason) == ("off", True)
