"""The indexes of a home in a table elsewhere: what is searched there is what is found at home."""

from __future__ import annotations

import itertools
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ark_tui.domain.documents import LinkDraft
from ark_tui.domain.errors import ModelUnavailable, StoreError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Feedback, Graph, Profile
from ark_tui.domain.protocols import NEVER
from ark_tui.domain.query import Filters, Request
from ark_tui.embedding.ollama import Ollama, OllamaEmbedder
from ark_tui.embedding.served import ServedModel
from ark_tui.index import standing
from ark_tui.index.table import follower, snapshot, turn
from ark_tui.index.table import place as places
from ark_tui.index.table.follower import TableFollower
from ark_tui.index.table.place import Overtaken, Place, Published
from ark_tui.index.table.snapshot import Snapshot, Source
from ark_tui.index.table.vectors import ServedColumn, TableIndex
from ark_tui.index.table.words import TableWords
from ark_tui.index.vectors.follower import VectorsFollower
from ark_tui.index.vectors.reader import Vectors
from ark_tui.retrieval import Corpus, run
from ark_tui.retrieval.signals import SIGNALS
from ark_tui.store.documents import Arrival
from tests.corpora import Bench, arrival
from tests.index.publishing import publisher
from tests.ollama_server import OllamaServer
from tests.table_server import TableServer

WORDS = (
    *("spectral", "gap", "chain", "mixing", "time", "graph", "bread", "flour", "rank", "fusion", "office"),
    *("river", "December", "2025", "1994", "harbour", "quince", "ledger", "walnut", "rrf_merge"),
)
DOCUMENTS = 60
PROFILE = Profile(
    "any",
    depth=32,  # an eighth of the corpus: of equals at its end, none is left out by chance
    weights={signal.info.name: 1.0 for signal in SIGNALS},
    feedback=Feedback(floor=0.1),
    graph=Graph(floor=0.1),
)
QUERIES = (
    "spectral gap of a graph", "bread and flour", "office in December 2025", '"rank fusion"', "rrf_merge",
    "walnut -bread", "gap tag:red", "gap tag:red/dark", "river path:3*", "ledger after:2025-06-01",
    "tag:blue chain OR collection:other", "harb", "type:note tier:doc -tag:red quince", "Öfen über Brot",
)  # fmt: skip


def written(n: int) -> str:
    def line(part: int) -> str:
        words = [WORDS[(n * 3 + part * 7 + j * (5 + n % 4)) % len(WORDS)] for j in range(5)]
        return f"{' '.join(words)} {n}-{part}."

    return "\n\n".join(line(part) for part in range(3))


def document(n: int, **facts: object) -> Arrival:
    return arrival(
        f"{n}.md", written(n), date=date(2025, 1 + n % 12, 1 + n % 28), date_source="front matter",
        tags=("red/dark" if n % 4 == 1 else "red",) if n % 2 else ("blue",),
        links=(LinkDraft("links_to", f"{(n * 7 + 1) % DOCUMENTS}.md"),), **facts,  # type: ignore[arg-type]
    )  # fmt: skip


def elsewhere(home: Bench, source: Source, **more: object) -> Corpus:
    return home.corpus(
        words=TableWords(source), vectors=lambda: TableIndex.open(source), firsts=source.firsts,
        profiles={"any": PROFILE}, **more,
    )  # fmt: skip


def source(uri: str) -> Source:
    """One that looks anew each time."""
    ticks = iter(range(0, 10**9, 10))
    return Source(Place(uri), lambda: float(next(ticks)))


def shown(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.document.path, hit.score) for hit in result.hits]


def ranked(corpus: Corpus, query: str, **more: object) -> SearchResult:
    return run(corpus, Request(query, profile="any", limit=20, below=True, unlogged=True, **more))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def server() -> Iterator[TableServer]:
    with TableServer.reached() as found:
        yield found


def made(folder: Path) -> Bench:
    home = Bench(folder, dedup="strict")
    german = (
        "Öfen stehen über dem Brotofen.\n\nDas Brot liegt in den Öfen, und alle Häuser haben einen davon."
    )
    home.put(
        *(document(n) for n in range(DOCUMENTS)),
        arrival("ofen.md", german), arrival("other.md", "A chain elsewhere.", folder="other"),
        arrival("again.md", written(3)),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standing, "LEAST", DOCUMENTS)
        home.sync()
    return home


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return made(tmp_path_factory.mktemp("table") / "home")


@pytest.fixture(scope="module", params=["share", "s3"])
def published(
    request: pytest.FixtureRequest,
    bench: Bench,
    server: TableServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Corpus:
    folder = tmp_path_factory.mktemp("share")
    uri = str(folder) if request.param == "share" else f"{server.bucket('corpus')}/prefix"
    assert publisher(bench, Place(uri)).sync() > DOCUMENTS
    return elsewhere(bench, source(uri))


@pytest.fixture
def small(tmp_path: Path) -> Bench:
    home = Bench(tmp_path / "home")
    home.put(*(document(n) for n in range(6)))
    home.sync()
    return home


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
@pytest.mark.parametrize("query", QUERIES)
def test_a_search_of_the_table_ranks_as_one_at_home(
    bench: Bench, published: Corpus, query: str, mode: str
) -> None:
    here = bench.corpus(profiles={"any": PROFILE})
    expected, found = ranked(here, query, mode=mode), ranked(published, query, mode=mode)
    assert [path for path, _ in shown(found)][:10] == [path for path, _ in shown(expected)][:10]
    assert dict(shown(found)) == pytest.approx(dict(shown(expected)), abs=1e-3)
    assert [(lamp.signal, lamp.state) for lamp in found.lamps] == [
        (lamp.signal, lamp.state) for lamp in expected.lamps
    ]
    assert [hit.snippet for hit in found.hits] == [hit.snippet for hit in expected.hits]


def test_words_are_completed_suggested_and_counted_as_at_home(bench: Bench, published: Corpus) -> None:
    here, there = bench.words, published.words
    here.refresh(), there.refresh()
    for asked in ("complete", "suggest"):
        assert getattr(there, asked)("spectra") == getattr(here, asked)("spectra")
    assert there.values("tag") == here.values("tag")
    assert there.languages == here.languages
    assert [there.knows(word) for word in ("harbour", "zeppelin")] == [True, False]


def test_catching_up_a_second_time_publishes_nothing(small: Bench, tmp_path: Path) -> None:
    place = Place(str(tmp_path / "share"))
    assert publisher(small, place).sync() == 18
    before = place.published()
    assert publisher(small, place).sync() == 0
    assert place.published() == before
    assert publisher(small, place).state().behind == 0


def agrees(home: Bench, place: Place) -> None:
    """The table holds what both indexes hold, and scores it the same."""
    home.words_follower.rebuild()  # tantivy counts what is gone until it merges
    there = elsewhere(home, Source(place))
    here = home.corpus(profiles={"any": PROFILE})
    for query in ("gap", "river chain", "thoroughly new", "tag:fresh"):
        assert dict(shown(ranked(there, query))) == pytest.approx(dict(shown(ranked(here, query))), abs=1e-3)


def test_what_is_added_changed_and_removed_is_so_in_the_table_too(small: Bench, tmp_path: Path) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    small.put(arrival("new.md", "Thoroughly new words.\n\nA gap."), document(2, title="River"))
    small.remove("4.md")
    small.sync()
    assert publisher(small, place).sync() > 0
    agrees(small, place)
    words = TableWords(Source(place))
    words.refresh()
    assert words.size() == small.words.size()


def test_a_reader_sees_whole_versions_while_another_is_written(small: Bench, tmp_path: Path) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    reader = elsewhere(small, Source(place, lambda: 0.0))  # never looks again
    before = shown(ranked(reader, "gap"))
    small.remove("0.md", "1.md", "2.md")
    small.put(arrival("new.md", "A gap."))
    small.sync()
    publisher(small, place).sync()
    assert shown(ranked(reader, "gap chain"))
    assert shown(ranked(reader, "gap")) == before
    assert "new.md" in dict(shown(ranked(elsewhere(small, Source(place)), "gap")))


class Killed(BaseException):
    """The process has ended here."""


@contextmanager
def killed_at(step: int, patch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Within this, the process ends after so many accesses to the place; which have been, is noted."""
    done: list[int] = []
    whole = places.Place.explained

    @contextmanager
    def cut(self: Place) -> Iterator[None]:
        with whole(self):
            yield
        done.append(len(done))
        if len(done) == step:
            raise Killed

    patch.setattr(places.Place, "explained", cut)
    try:
        yield done
    finally:
        patch.setattr(places.Place, "explained", whole)


class NoModel:
    """A home that has no served model in force."""

    served: tuple[ServedModel, Vectors] | None = None
    told: tuple[str, ...] = ()  # to a process that publishes

    def sync(self, *, away: bool = False) -> None:
        """Take up what has changed; `away`: the server is, and new texts wait for their vectors."""

    def agrees(self, place: Place, *, whole: bool = True) -> None:
        """The table has the vectors that the home has; `whole`: of every chunk, and none waits."""


class Model(NoModel):
    """A served model of a home, and its vectors there."""

    def __init__(self, home: Bench, server: OllamaServer) -> None:
        (has,) = server.models.values()
        self._server = server
        self.model = ServedModel.of("ollama", has.name, has.dims, digest=has.digest)
        folder = home.home.vectors / self.model.fingerprint
        embedder = OllamaEmbedder(self.model, Ollama(server.host))
        self.follower = VectorsFollower(home.store, folder, embedder)
        self.vectors = Vectors(folder)
        self.served = self.model, self.vectors
        self.told = (self.model.dumped(),)

    def sync(self, *, away: bool = False) -> None:
        if not away:
            self.follower.sync()
            return
        self._server.stop()
        with pytest.raises(ModelUnavailable):
            self.follower.sync()
        self._server.start()

    def agrees(self, place: Place, *, whole: bool = True) -> None:
        snapshot, view = Source(place).refresh(), self.vectors.refresh()
        assert snapshot is not None
        assert view is not None
        assert snapshot.served() == self.model
        table, numbers = ServedColumn(snapshot, self.model), view.chunks.chunk
        there, found = table.vectors(numbers)
        assert len(there) == table.size - table.waiting
        if whole:
            assert (table.waiting, table.size) == (0, len(numbers))
        np.testing.assert_array_equal(found, view.own.vectors(view.chunks.row[there].astype(np.int64)))


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer("nomic-embed-text") as found:
        yield found


@pytest.mark.parametrize("with_model", [False, True])
@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_a_publication_that_was_killed_at_any_step_is_repeated(
    stride: int, with_model: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ollama: OllamaServer
) -> None:
    small, step, ended = Bench(tmp_path / "home"), 0, False
    model = Model(small, ollama) if with_model else NoModel()
    small.put(*(document(n) for n in range(3)))
    small.sync()
    place = Place(str(tmp_path / "share"))
    model.sync()
    small.put(arrival("waits.md", "A river waits for its vector."))
    small.sync()
    model.sync(away=True)
    publisher(small, place, model.served).sync()
    before = place.published()
    small.put(arrival("new.md", "Thoroughly new.\n\nA gap."))
    small.remove("1.md")
    small.sync()
    model.sync()
    shutil.copytree(tmp_path / "share", tmp_path / "kept")
    shutil.copytree(small.home.cache, tmp_path / "cache")
    while not ended:
        step += stride
        for there, kept in ((tmp_path / "share", tmp_path / "kept"), (small.home.cache, tmp_path / "cache")):
            shutil.rmtree(there)
            shutil.copytree(kept, there)
        with killed_at(step, monkeypatch):
            try:
                publisher(small, Place(place.uri), model.served).sync()
                ended = True
            except Killed:
                pass
        seen = Place(place.uri).published()
        assert seen is not None
        assert before is not None
        assert seen.serial in (before.serial, before.serial + 1)
        publisher(small, Place(place.uri), model.served).sync()
        if stride == 1 or ended:
            agrees(small, Place(place.uri))
            model.agrees(Place(place.uri))
    assert step > 2 * 9


def process(home: Bench, uri: str, *model: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.index.publishing", str(home.home.path), uri, *model]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def met_at(server: TableServer, at: int, then: Callable[[], object]) -> Iterator[None]:
    """Within this, that is done when so many requests have come."""
    counting, before = itertools.count(1), server.met
    server.met = lambda: next(counting) == at and then()
    try:
        yield
    finally:
        server.met = before


@pytest.mark.parametrize("with_model", [False, True])
@pytest.mark.parametrize("kills", [1, pytest.param(40, marks=pytest.mark.soak)])
def test_a_process_that_is_killed_at_any_request_leaves_a_whole_version(
    kills: int, with_model: bool, small: Bench, server: TableServer, ollama: OllamaServer
) -> None:
    uri = server.bucket(f"killed{kills}{'-served' * with_model}")
    place, died, requests = Place(uri), 0, 0
    model = Model(small, ollama) if with_model else NoModel()

    def changed(again: int) -> Published | None:
        """A text more; of every second one the vector of the model comes with the next."""
        small.put(arrival(f"{again}-new.md", f"Word{again} is thoroughly new.\n\nA gap."))
        small.sync()
        model.sync(away=again % 2 == 1)
        return place.published()

    for again in (-2, -1):  # counted is a publication beside one that is in force
        changed(again)
        before = server.asked
        publisher(small, place, model.served).sync()
        requests = server.asked - before
    for kill in range(kills):
        whole, at = changed(kill), 1 + (2 * kill + 1) * requests // (2 * kills)
        assert whole is not None
        with process(small, uri, *model.told) as writing, met_at(server, at, writing.kill):
            writing.communicate()
        died += writing.returncode == -signal.SIGKILL
        seen = Place(uri).published()
        assert seen is not None
        assert seen.serial in (whole.serial, whole.serial + 1)
        assert shown(ranked(elsewhere(small, source(uri)), "gap"))
        model.agrees(Place(uri), whole=False)
    assert died > kills // 2
    model.sync()
    publisher(small, place, model.served).sync()
    agrees(small, place)
    model.agrees(place)


def test_of_two_processes_of_a_home_that_publish_at_once_one_waits_for_the_other(
    small: Bench, server: TableServer
) -> None:
    uri = server.bucket("two")
    publisher(small, Place(uri)).sync()
    small.put(*(arrival(f"{n}-new.md", f"Word{n} is thoroughly new.\n\nA gap.") for n in range(3)))
    small.sync()
    with process(small, uri) as one, process(small, uri) as other:
        told = [process.communicate() for process in (one, other)]
    assert [one.returncode, other.returncode] == [0, 0], told
    assert min(int(out) for out, _ in told) == 0
    agrees(small, Place(uri))


def test_another_home_is_refused(small: Bench, tmp_path: Path) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    other = Bench(tmp_path / "other")
    other.put(arrival("own.md", "Mine."))
    other.sync()
    with pytest.raises(StoreError, match="another home's") as refused:
        publisher(other, place).sync()
    assert "index" in refused.value.hint


def test_of_two_writers_one_is_refused(small: Bench, tmp_path: Path) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    found = place.published()
    assert found is not None
    place.publish(found, found)
    with pytest.raises(Overtaken, match="meanwhile"):
        Place(place.uri).publish(found, found)


def copied(home: Bench, folder: Path) -> Bench:
    """A copy of a home, which has something new."""
    shutil.copytree(home.home.path, folder)
    copy = Bench(folder)
    copy.put(arrival("copied.md", "Thoroughly new.\n\nA gap."))
    copy.sync()
    return copy


def test_copies_of_a_home_publish_in_turns(
    small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    monkeypatch.setattr(turn, "RENEW_EVERY", 0.05)
    monkeypatch.setattr(turn, "LOOK_EVERY", 0.3)
    copy, before = copied(small, tmp_path / "copy"), place.published()
    with turn.taken(place.uri, turn.holder(small.home.path), NEVER):
        with pytest.raises(StoreError, match=r"Another copy of this home.* is publishing") as refused:
            publisher(copy, place).sync()
        assert "when it is done" in refused.value.hint
        assert place.published() == before
    assert publisher(copy, place).sync()
    agrees(copy, place)


def test_a_turn_whose_holder_has_died_is_taken_over(
    small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(str(tmp_path / "share"))
    assert place.swap(turn.TURN, {"key": turn.TURN, "told": "elsewhere 0123"}, 0)
    monkeypatch.setattr(turn, "SILENT", 0.2)
    monkeypatch.setattr(turn, "LOOK_EVERY", 0.1)
    said: list[str] = []
    monkeypatch.setattr(small.store.lock, "on_wait", said.append)
    assert publisher(small, place).sync()
    assert [line.partition(" may be")[0] for line in said] == ["Another copy of this home, on elsewhere,"]
    agrees(small, place)
    row = place.row(turn.TURN)
    assert row is not None
    assert row["told"] == turn.NOBODY


def test_who_has_lost_the_turn_publishes_nothing(
    small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    before, apply = place.published(), TableFollower.apply

    def overtaken(self: TableFollower, *given: Any) -> None:
        apply(self, *given)
        row = place.row(turn.TURN)
        assert row is not None
        assert place.swap(turn.TURN, {"key": turn.TURN, "told": "elsewhere 0123"}, row["serial"])

    small.put(arrival("new.md", "Thoroughly new."))
    small.sync()
    with monkeypatch.context() as patch:
        patch.setattr(TableFollower, "apply", overtaken)
        with pytest.raises(Overtaken, match="has begun to publish"):
            publisher(small, place).sync()
    assert place.published() == before
    row = place.row(turn.TURN)
    assert row is not None
    assert place.swap(turn.TURN, {"key": turn.TURN, "told": turn.NOBODY}, row["serial"])
    publisher(small, place).sync()
    agrees(small, place)


def test_vectors_that_are_pooled_anew_are_published_beside_those_in_force(
    small: Bench, tmp_path: Path
) -> None:
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    first = place.published()
    small.put(*(document(n) for n in range(6, 30)))
    small.sync()
    publisher(small, place).sync()
    second = place.published()
    assert first is not None
    assert second is not None
    assert second.chunks != first.chunks
    assert first.chunks in place.names()
    agrees(small, place)


def test_above_a_size_an_index_of_vectors_answers(
    small: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (snapshot, follower):
        monkeypatch.setattr(module, "EXACT", 200)
    small.put(*(document(n) for n in range(6, 150)))
    small.sync()
    place = Place(str(tmp_path / "share"))
    publisher(small, place).sync()
    found = place.published()
    assert found is not None
    indexed = {index.columns[0] for index in place.table(found.chunks).list_indices()}
    assert {"own", "rarity"} <= indexed
    there, here = elsewhere(small, Source(place)), small.corpus(profiles={"any": PROFILE})
    shared = [
        len({path for path, _ in shown(ranked(there, query, mode="semantic"))[:10]}
            & {path for path, _ in shown(ranked(here, query, mode="semantic"))[:10]})
        for query in WORDS
    ]  # fmt: skip
    assert sum(shared) >= 0.97 * 10 * len(WORDS)


ROWS, TOPICS = 6000, 40


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Any]:
    """A version of many rows, and their vectors: about some topics, one in five nearly another's."""
    random = np.random.default_rng(21)
    vectors = random.standard_normal((TOPICS, 256))[random.integers(0, TOPICS, ROWS)]
    vectors += 1.5 * random.standard_normal((ROWS, 256))
    vectors[::5] = vectors[1::5] + 0.05 * random.standard_normal((ROWS // 5, 256))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    place = Place(str(tmp_path_factory.mktemp("many")))
    table = pa.table({
        "chunk": pa.array(range(ROWS), pa.int64()),
        "within": [["rare"] if n % 50 == 7 else [] for n in range(ROWS)],
        "superseded": [n % 3 == 0 for n in range(ROWS)],
        "own": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 256),
    })  # fmt: skip
    chunks = place.database().create_table("chunks-1", table)
    config = replace(follower.indexes(vectors=True)["own"], num_partitions=30)  # as a larger table has
    chunks.create_index("own", config=config)
    terms = place.database().create_table("terms-1", pa.table({"key": ["body gap"], "count": [1]}))
    versions = {"chunks-1": int(chunks.version), "terms-1": int(terms.version)}
    return Snapshot(
        place, Published(chunks="chunks-1", terms="terms-1", versions=versions, size=ROWS), {}
    ), vectors


@pytest.mark.parametrize("count", [10, 100])
@pytest.mark.parametrize(
    ("where", "lets"),
    [
        ("", lambda n: n >= 0),
        ("NOT superseded", lambda n: n % 3 > 0),
        ("array_has(within, 'rare')", lambda n: n % 50 == 7),
    ],
)
def test_an_index_of_vectors_names_the_ten_that_comparing_all_of_them_names(
    where: str, lets: Any, count: int, many: tuple[Snapshot, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "EXACT", 1000)
    version, vectors = many
    allowed = lets(np.arange(ROWS))
    random, shares = np.random.default_rng(5), []
    for start in random.integers(0, ROWS, 40):
        query = vectors[start] + 0.08 * random.standard_normal(256).astype(np.float32)
        query /= np.linalg.norm(query)
        products = np.where(allowed, vectors @ query, -2)
        tenth = np.sort(products)[-10]
        found = version.nearest("own", query, count, where)
        assert allowed[found].all()
        shares.append(min((products[found] >= tenth - 1e-6).sum(), 10) / 10)
    assert np.mean(shares) >= 0.97


def test_what_was_read_before_is_still_found_when_there_is_no_room_for_more(
    many: tuple[Snapshot, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "KEPT", 10)
    version, _ = many
    version.rows(range(20), ("within",))
    assert [*version.rows(range(10, 30), ("within",))] == [*range(10, 30)]


def test_a_place_that_does_not_answer_is_said_with_what_to_do(
    small: Bench, server: TableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "REMOTE", {**places.REMOTE, "client_max_retries": "0"})
    uri = server.bucket("trouble")
    publisher(small, Place(uri)).sync()
    assert shown(ranked(elsewhere(small, Source(Place(uri))), "gap"))
    with server.checking_keys():
        assert_off(small, uri, "does not let this process in")
    with monkeypatch.context() as away:
        away.setenv("AWS_ENDPOINT", "http://127.0.0.1:9")
        assert_off(small, uri, "cannot be reached")
        with pytest.raises(StoreError, match="cannot be reached"):
            publisher(small, Place(uri)).sync()
    server.remove("trouble")
    assert_off(small, uri, "no such bucket")


def assert_off(home: Bench, uri: str, why: str) -> None:
    """Words and vectors are off, for this reason, which names no key."""
    result = ranked(elsewhere(home, Source(Place(uri))), "gap")
    off = {lamp.signal: lamp.reason for lamp in result.lamps if lamp.state == "off"}
    assert not result.hits
    assert why in off["bm25"]
    assert why in off["static"]
    assert "testing" not in " ".join(off.values())


def test_a_network_that_fails_now_and_then_loses_nothing(
    small: Bench, server: TableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(server.bucket("flaky"))
    monkeypatch.setattr(server, "busy", 7)
    publisher(small, place).sync()
    agrees(small, place)


def test_a_place_that_cannot_be_reached_is_not_tried_at_each_question(
    small: Bench, server: TableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "REMOTE", {**places.REMOTE, "client_max_retries": "0"})
    place = Place(server.bucket("away"))
    publisher(small, place).sync()
    with monkeypatch.context() as patch:
        patch.setattr(server, "busy", 1)
        for after in (1, 0, 0):
            before = server.asked
            with pytest.raises(StoreError, match="cannot be reached"):
                place.published()
            assert (server.asked > before) == bool(after)
    monkeypatch.setattr(places, "AWAY_FOR", 0.0)
    assert place.published()


def test_a_place_that_never_answers_is_waited_for_as_long_as_is_said(
    server: TableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()
    place = Place(server.bucket("silent"))
    with monkeypatch.context() as patch:
        patch.setattr(places, "CONNECTING", 0.2)
        patch.setattr(server, "met", lambda: over.wait(60))
        with pytest.raises(StoreError, match="cannot be reached"):
            place.published()
        assert not over.is_set(), "the client goes on waiting, and nobody for it"
        over.set()


def test_a_slow_network_loses_nothing_and_a_place_that_hangs_is_said(
    small: Bench, server: TableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(server.bucket("slow"))
    publisher(small, place).sync()
    small.put(arrival("new.md", "Thoroughly new.\n\nA gap."))
    small.sync()
    with monkeypatch.context() as patch:
        patch.setattr(server, "slow", 0.02)
        publisher(small, place).sync()
    agrees(small, place)
    over = threading.Event()
    impatient = {"timeout": "100ms", "client_max_retries": "0", "client_retry_timeout": "1"}
    with monkeypatch.context() as patch:
        patch.setattr(places, "REMOTE", {**places.REMOTE, **impatient})
        patch.setattr(server, "met", lambda: over.wait(30))
        assert_off(small, place.uri, "cannot be reached")
        small.remove("new.md")
        small.sync()
        with pytest.raises(StoreError, match="cannot be reached"):
            publisher(small, Place(place.uri)).sync()
        over.set()
    publisher(small, Place(place.uri)).sync()
    agrees(small, Place(place.uri))


def test_a_field_of_the_filters_that_no_row_has_matches_nothing(published: Corpus) -> None:
    wanted = replace(Filters(), collections=("nowhere",))
    published.words.refresh()
    assert published.words.listed(wanted, 5).count == 0
