"""From what was said to what is known: candidates with their places, each once, whatever happens."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.outcomes import Event
from ark_tui.domain.query import Request
from ark_tui.domain.review import Candidate
from ark_tui.engine import Engine
from ark_tui.memory.consolidation import TRIES
from ark_tui.settings import load
from tests.erasing.traces import traces
from tests.memory.talks import BEGAN, Reader, Truth, made
from tests.ollama_server import Fault, Model, OllamaServer
from tests.ollama_server import Request as Asked
from tests.support import SteadyClock

HERE = Scope("default", "default")
WRITER = Model("writer", embeds=False)
FACT = "Just so you know, Ann feeds the otters at 15:15 from now on."


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(WRITER) as server:
        yield server


@pytest.fixture
def engine(empty: Path, tmp_path: Path, server: OllamaServer, clock: SteadyClock) -> Iterator[Engine]:
    with opened(empty, tmp_path, server, clock) as engine:
        yield engine


@contextmanager
def opened(empty: Path, folder: Path, server: OllamaServer, clock: SteadyClock) -> Iterator[Engine]:
    """A new home whose model that writes is at the server."""
    shutil.copytree(empty, folder / "home")
    given = {"chat_model": "writer", "ollama_host": server.host}
    with Engine(load(folder / "home", given, environ={}), clock) as engine:
        yield engine


def told(engine: Engine, truth: Truth) -> None:
    for begin in range(0, len(truth.talks), 50):
        engine.memory.conversations.take(
            HERE, [(id_, "", said) for id_, said in truth.talks[begin : begin + 50]]
        )


def one_fact(
    engine: Engine, server: OllamaServer, text: str = FACT, claim: str = "Ann feeds the otters at 15:15."
) -> None:
    server.says = Reader(Truth(facts={text: claim}))
    engine.memory.conversations.extend(HERE, [Saying("user", text, timestamp=BEGAN)])


def claims(found: tuple[Candidate, ...], kind: str) -> list[str]:
    return [one.claim for one in found if one.kind == kind]


@pytest.fixture
def clock() -> SteadyClock:
    return SteadyClock()


@pytest.mark.parametrize(("seed", "count"), [(25, 12), pytest.param(1, 200, marks=pytest.mark.soak)])
def test_of_many_conversations_everything_is_found_once_with_its_places(
    engine: Engine, server: OllamaServer, seed: int, count: int
) -> None:
    truth = made(seed=seed, count=count)
    told(engine, truth)
    server.says = Reader(truth)
    done = engine.memory.consolidate(tokens=10**9, minutes=60)
    assert (done.stretches, done.waiting, done.problem) == (count, 0, "")
    found = engine.memory.review.list()
    assert Counter(claims(found, "episode")) == Counter(
        f"{one['title']}. {one['summary']}" for one in truth.cycles.values()
    )
    assert set(claims(found, "fact")) == set(truth.facts.values())
    assert set(claims(found, "directive")) == {f"{kind} {text}" for kind, text in truth.rules.values()}
    assert all(count == 1 for count in Counter((one.kind, one.claim) for one in found).values())
    texts = {one.id: one.content for one in engine.memory.conversations.messages(HERE, limit=10_000).messages}
    for one in found:
        assert one.spans
        assert all(texts[span.message][span.start_char : span.end_char] == span.text for span in one.spans)
    by_claim = {claim: text for text, claim in truth.facts.items()}
    assert all(
        by_claim[one.claim] in {span.text for span in one.spans} for one in found if one.kind == "fact"
    )
    marked = [one for one in found if not one.supported]
    assert len(marked) <= 0.05 * len(found)
    replacing = [one for one in found if one.relation in ("supersedes", "contradicts")]
    assert replacing
    assert all(one.target_text for one in replacing)
    again = engine.memory.consolidate(tokens=10**9, minutes=60)
    assert (again.stretches, again.proposed, len(engine.memory.review.list())) == (0, 0, len(found))


@pytest.mark.parametrize(("seed", "count"), [(2, 12), pytest.param(31, 200, marks=pytest.mark.soak)])
def test_of_a_model_that_lies_nearly_everything_is_marked(
    engine: Engine, server: OllamaServer, seed: int, count: int
) -> None:
    truth = made(seed=seed, count=count)
    told(engine, truth)
    server.says = Reader(truth, lies=True)
    engine.memory.consolidate(tokens=10**9, minutes=60)
    found = engine.memory.review.list()
    assert len(found) > len(truth.talks)
    assert sum(not one.supported for one in found) >= 0.85 * len(found)


def test_nothing_of_a_candidate_is_in_a_search_before_it_is_let_in(
    engine: Engine, server: OllamaServer
) -> None:
    one_fact(engine, server)
    engine.memory.consolidate()
    assert not engine.search(Request("otters")).hits
    assert engine.memory.facts.list() == ()
    (candidate,) = engine.memory.review.list()
    accepted = engine.memory.review.accept(candidate.id)
    assert (accepted.state, accepted.value) == ("accepted", {})
    (fact,) = engine.memory.facts.list()
    assert (fact.text, fact.source, fact.document.tier) == (
        "Ann feeds the otters at 15:15.",
        "default/1",
        "doc",
    )
    assert [hit.document.id for hit in engine.search(Request("otters")).hits] == [fact.document.id]


def test_a_conversation_is_taken_up_once_it_is_over(
    engine: Engine, server: OllamaServer, clock: SteadyClock
) -> None:
    server.says = Reader(Truth())
    engine.memory.conversations.extend(HERE, [Saying("user", "first")])
    assert engine.memory.consolidate().stretches == 0
    clock.pass_by(minutes=10)
    assert engine.memory.consolidate().messages == 1
    engine.memory.conversations.extend(HERE, [Saying("user", "second", "q7")])
    assert engine.memory.consolidate().stretches == 0
    engine.memory.outcomes.record(Event("validation", verdict="pass", query_id="q7"))
    assert engine.memory.consolidate().messages == 1
    engine.memory.conversations.extend(HERE, [Saying("user", "third")])
    engine.memory.conversations.close(HERE, "default")
    assert engine.memory.consolidate().messages == 1
    asked = [str(one["messages"][-1]["content"]) for one in server.asked("/api/chat")]
    assert [word for text in asked for word in ("first", "second", "third") if word in text] == [
        "first", "second", "third",
    ]  # fmt: skip


def test_pauses_part_a_conversation_and_a_small_context_does(engine: Engine, server: OllamaServer) -> None:
    server.says = Reader(Truth())
    server.models["writer"] = Model("writer", embeds=False, context=4096, weights="small")
    said = [Saying("user", "word " * 200, timestamp=BEGAN + timedelta(minutes=n)) for n in range(30)]
    engine.memory.conversations.extend(HERE, [*said[:5], *said[20:25]])
    assert engine.memory.consolidate().stretches == 2
    engine.memory.conversations.create(HERE, "long")
    engine.memory.conversations.extend(HERE, said, conversation="long")
    done = engine.memory.consolidate(tokens=10**9)
    assert done.messages == 30
    assert done.stretches > 3
    for body in server.asked("/api/chat"):
        assert sum(len(one["content"]) for one in body["messages"]) // 3 < body["options"]["num_ctx"]


def test_without_a_model_the_run_is_deferred_and_nothing_is_lost(
    engine: Engine, server: OllamaServer
) -> None:
    one_fact(engine, server)
    server.stop()
    done = engine.memory.consolidate()
    assert (done.deferred, done.stretches, done.waiting) == (True, 0, 1)
    assert done.problem
    server.start()
    assert engine.memory.consolidate().proposed == 1


@pytest.mark.parametrize("junk", ["", '{"episodes": 3}', '{"episodes": [], "facts": ['])
def test_junk_is_said_and_passed_over_at_last(engine: Engine, server: OllamaServer, junk: str) -> None:
    one_fact(engine, server)
    server.says = lambda _: junk
    runs = [engine.memory.consolidate() for _ in range(TRIES)]
    assert all("writer" in one.problem for one in runs)
    assert [one.passed_over for one in runs] == [0] * (TRIES - 1) + [1]
    assert engine.memory.consolidate().waiting == 0


@pytest.mark.parametrize("kind", ["busy", "odd"])
def test_a_failing_server_leaves_everything_for_the_next_run(
    engine: Engine, server: OllamaServer, kind: str
) -> None:
    one_fact(engine, server)
    server.fault = Fault(kind, ("/api/chat",))  # type: ignore[arg-type]
    assert engine.memory.consolidate().problem
    server.let_go()
    assert engine.memory.consolidate().proposed == 1


def test_odd_entries_of_an_answer_are_left_out(engine: Engine, server: OllamaServer) -> None:
    one_fact(engine, server)
    odd = [
        3,
        None,
        {},
        {"text": 7},
        {"text": " ", "quotes": []},
        {"text": "Ann feeds nobody.", "quotes": [{"message": 99}, 4]},
    ]
    server.says = lambda _: json.dumps(
        {"episodes": [{"title": "t"}, "x"], "facts": odd, "directives": [{"kind": "PERHAPS", "text": "x"}]}
    )
    engine.memory.consolidate()
    (one,) = engine.memory.review.list()
    assert (one.claim, one.supported, one.spans) == ("Ann feeds nobody.", False, ())


def test_the_budget_ends_a_run_and_the_next_goes_on(engine: Engine, server: OllamaServer) -> None:
    truth = made(count=6)
    told(engine, truth)
    server.says = Reader(truth)
    first = engine.memory.consolidate(tokens=1)
    assert (first.stretches, first.waiting) == (1, 5)
    assert engine.memory.consolidate(tokens=10**9).stretches == 5


def test_what_was_found_before_is_one_more_support(engine: Engine, server: OllamaServer) -> None:
    for place in range(3):
        one_fact(engine, server)
        engine.memory.conversations.extend(
            HERE, [Saying("user", "hello", timestamp=BEGAN + timedelta(hours=place + 1))]
        )
        engine.memory.consolidate()
        if place == 1:
            engine.memory.review.accept(engine.memory.review.list()[0].id)
    (one,) = engine.memory.review.list(states=("accepted",))
    assert (one.support, len(engine.memory.review.list()), len(engine.memory.facts.list())) == (3, 0, 1)


def test_what_a_model_has_answered_is_forgotten_with_what_it_was_asked_about(
    engine: Engine, server: OllamaServer
) -> None:
    word = "q7x3zk9vw1mfj5hbt2gdncyp"
    one_fact(engine, server, f"The word is {word}.", f"It is {word}.")
    engine.memory.consolidate()
    fact = engine.memory.review.accept(engine.memory.review.list()[0].id).made
    engine.memory.forgetting.forget([fact], sources=True, yes=True)
    assert traces(engine.settings.home.path, word) == set()


def test_secrets_are_masked_before_a_model_reads_them(engine: Engine, server: OllamaServer) -> None:
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    one_fact(engine, server, f"The key is {secret}.", "x")
    engine.memory.consolidate()
    assert secret not in json.dumps(server.asked("/api/chat"))


@dataclass
class Killer:
    """Kills a process when it asks a model for the nth time, or for the next, after it was answered."""

    process: subprocess.Popen[bytes]
    nth: int
    answered: bool

    def __call__(self, asked: Asked) -> None:
        self.nth -= asked.path == "/api/chat"
        if self.nth < 0 or (self.nth == 0 and not self.answered):
            self.process.send_signal(signal.SIGKILL)


def killed_at(
    home: Path, server: OllamaServer, truth: Truth, points: list[tuple[int, bool]]
) -> Counter[tuple[str, str]]:
    """What is proposed in the end where a run is killed while it asks for the nth time, or just after."""
    server.says = Reader(truth)
    environment = {
        **os.environ,
        "ARK_HOME": str(home),
        "OLLAMA_HOST": server.host,
        "ARK_CHAT_MODEL": "writer",
    }
    command = [sys.executable, "-m", "ark_tui", "consolidate", "--tokens", "1000000000", "--minutes", "60"]
    for nth, answered in points:
        process = subprocess.Popen(command, env=environment, stdout=-3, stderr=-3)

        server.before = Killer(process, nth, answered)
        process.wait()
        server.before = None
    subprocess.run(command, env=environment, check=True, capture_output=True)
    with Engine(load(home, environ={})) as engine:
        return Counter((one.kind, one.claim) for one in engine.memory.review.list())


@pytest.mark.parametrize(("kills", "count"), [(2, 6), pytest.param(50, 200, marks=pytest.mark.soak)])
def test_killed_while_it_asks_nothing_is_lost_and_nothing_doubled(
    empty: Path, tmp_path: Path, server: OllamaServer, kills: int, count: int
) -> None:
    truth = made(seed=3, count=count)
    homes = [tmp_path / name for name in ("quiet", "killed")]
    for home in homes:
        shutil.copytree(empty, home)
        with Engine(load(home, environ={})) as engine:
            told(engine, truth)
    chance = random.Random(4)
    points = [(chance.randint(1, 4), chance.random() < 0.5) for _ in range(kills)]
    quiet = killed_at(homes[0], server, truth, [])
    assert killed_at(homes[1], server, truth, points) == quiet
    assert set(quiet.values()) == {1}


def test_candidates_go_with_the_messages_they_rest_on(engine: Engine, server: OllamaServer) -> None:
    one_fact(engine, server)
    engine.memory.consolidate()
    engine.memory.conversations.delete(HERE, "default")
    assert engine.memory.review.list(states=("pending", "later", "rejected")) == ()
