"""The review queue: what a model proposed is let in, changed, merged, refused, put off, and taken back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.principal import Viewer
from ark_tui.domain.query import Request
from ark_tui.domain.review import Candidate
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.erasing.traces import traces
from tests.memory.talks import BEGAN, Reader, Truth, made
from tests.ollama_server import Model, OllamaServer
from tests.support import SteadyClock

HERE, ANN, BEN = (Scope(agent, "default") for agent in ("default", "ann", "ben"))
OLD, NEW = "Ann feeds the otters at 14:15.", "Ann feeds the otters at 15:15."


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(Model("writer", embeds=False)) as server:
        yield server


@pytest.fixture
def engine(empty: Path, tmp_path: Path, server: OllamaServer) -> Iterator[Engine]:
    shutil.copytree(empty, tmp_path / "home")
    given = {"chat_model": "writer", "ollama_host": server.host}
    with Engine(load(tmp_path / "home", given, environ={}), SteadyClock()) as engine:
        yield engine


def proposed(engine: Engine, server: OllamaServer, *claims: str, by: Scope = HERE) -> list[Candidate]:
    """Candidates for facts, each said in a conversation of its own."""
    server.says = Reader(Truth(facts={f"So, {claim}": claim for claim in claims}))
    for claim in claims:
        talk = engine.memory.conversations.create(by).id
        engine.memory.conversations.extend(
            by, [Saying("user", f"So, {claim}", timestamp=BEGAN)], conversation=talk
        )
    engine.memory.consolidate()
    found = {one.claim: one for one in engine.memory.review.list(by)}
    return [found[claim] for claim in claims if claim in found]


def facts(engine: Engine) -> list[str]:
    return [one.text for one in engine.memory.facts.list()]


def test_what_is_accepted_replaces_what_it_contradicts_and_undo_brings_that_back(
    engine: Engine, server: OllamaServer
) -> None:
    engine.memory.facts.add(OLD)
    (one,) = proposed(engine, server, NEW)
    assert (one.relation, one.target_text) == ("supersedes", OLD)
    engine.memory.review.accept(one.id[:8])
    assert facts(engine) == [NEW]
    assert [hit.document.title for hit in engine.search(Request("otters")).hits] == [NEW]
    back = engine.memory.review.undo()
    assert (back.state, back.claim) == ("pending", NEW)
    assert facts(engine) == [OLD]
    engine.memory.review.accept(one.id)
    assert facts(engine) == [NEW]


def test_of_two_candidates_that_exclude_each_other_one_is_let_in(
    engine: Engine, server: OllamaServer
) -> None:
    first, second = proposed(engine, server, OLD, NEW)
    assert (first.relation, second.relation, second.target_text) == ("new", "supersedes", OLD)
    engine.memory.review.accept(second.id)
    assert engine.memory.review.list() == ()
    assert [one.claim for one in engine.memory.review.list(states=("rejected",))] == [OLD]
    engine.memory.review.undo()
    assert {one.claim for one in engine.memory.review.list()} == {OLD, NEW}
    assert facts(engine) == []


def test_what_is_refused_does_not_come_back_also_not_in_other_words(
    engine: Engine, server: OllamaServer
) -> None:
    (one,) = proposed(engine, server, NEW)
    engine.memory.review.reject(one.id)
    assert proposed(engine, server, NEW, "Ann feeds otters at 15:15.") == []
    assert engine.memory.review.list() == ()
    assert engine.memory.review.undo().state == "pending"


def test_a_candidate_is_let_in_with_other_words(engine: Engine, server: OllamaServer) -> None:
    (one,) = proposed(engine, server, NEW)
    with pytest.raises(UsageError, match="has no solution"):
        engine.memory.review.accept(one.id, {"solution": "x"})
    assert engine.memory.review.accept(one.id, {"text": "Ann feeds them at 16:00."}).state == "edited"
    assert facts(engine) == ["Ann feeds them at 16:00."]
    back = engine.memory.review.undo()
    assert (back.claim, back.state, facts(engine)) == (NEW, "pending", [])


def test_what_was_proposed_before_it_was_changed_is_forgotten_with_its_item(
    engine: Engine, server: OllamaServer
) -> None:
    word = "q7x3zk9vw1mfj5hbt2gdncyp"
    (one,) = proposed(engine, server, f"Ann says {word} to the otters.")
    made = engine.memory.review.accept(one.id, {"text": "Ann greets the otters."}).made
    engine.memory.forgetting.forget([made], sources=True, yes=True)
    assert traces(engine.settings.home.path, word) == set()


def test_a_candidate_is_merged_with_what_is_known_and_put_off(engine: Engine, server: OllamaServer) -> None:
    known = engine.memory.facts.add("Otters get their food in the afternoon.")
    one, other = proposed(engine, server, NEW, "Ben feeds the owls at 16:15.")
    engine.memory.review.later(one.id)
    assert [candidate.claim for candidate in engine.memory.review.list()] == [other.claim, NEW]
    merged = engine.memory.review.merge(one.id, known.document.short_id)
    assert (merged.state, merged.made) == ("merged", known.document.id)
    assert len(facts(engine)) == 1
    assert engine.memory.review.undo().state == "pending"
    assert len(facts(engine)) == 1


def test_what_is_said_is_compared_with_what_its_owner_sees_and_becomes_its_owners(
    engine: Engine, server: OllamaServer
) -> None:
    """Another's words are in no question to the model, in no candidate, and in nothing that is replaced."""
    for name in ("ann", "ben"):
        engine.memory.tokens.add(name, "write", [name], [])
    hidden = "Ann feeds the otters at 14:15 beside the zarzuela."
    engine.memory.facts.add(hidden, by=BEN)
    shared = engine.memory.facts.add(OLD, by=HERE)
    own, others = proposed(engine, server, NEW, by=ANN), proposed(engine, server, NEW, by=BEN)
    asked = [str(one["messages"][-1]["content"]) for one in server.asked("/api/chat")]
    assert [text for text in asked if "Claim 1" in text and OLD in text]
    assert ["zarzuela" in text for text in asked if "Claim 1" in text] == [False, True]
    assert [(one.owner, one.target_text) for one in own] == [("ann", OLD)]
    assert [(one.owner, one.relation) for one in others] == [("ben", "supersedes")]
    for viewer, seen in ((Viewer(("ann",)), own), (Viewer(("ben",), alone=True), others),
                         (Viewer(("cleo",)), []), (None, own + others)):  # fmt: skip
        with engine.seen_by(viewer):
            assert list(engine.memory.review.list()) == seen
            assert sum(one.proposed for one in engine.memory.review.accuracy()) == len(seen)
    engine.memory.review.accept(own[0].id)
    kept = {one.text: one.owner for one in engine.memory.facts.list()}
    assert kept == {hidden: "ben", NEW: "ann"}
    assert engine.memory.facts.list(retired=True)[1].document.id == shared.document.id


def test_what_one_refuses_another_may_be_proposed(engine: Engine, server: OllamaServer) -> None:
    for name in ("ann", "ben"):
        engine.memory.tokens.add(name, "write", [name], [])
    (one,) = proposed(engine, server, NEW, by=ANN)
    engine.memory.review.reject(one.id)
    assert [other.owner for other in proposed(engine, server, NEW, by=BEN)] == ["ben"]
    assert proposed(engine, server, NEW, by=ANN) == []


def test_every_kind_becomes_an_item_of_its_own(engine: Engine, server: OllamaServer) -> None:
    truth = made(count=5)
    server.says = Reader(truth)
    engine.memory.conversations.take(HERE, [(id_, "", said) for id_, said in truth.talks])
    engine.memory.consolidate(tokens=10**9)
    waiting = engine.memory.review.list()
    for one in waiting:
        engine.memory.review.accept(one.id)
    episodes = engine.memory.items.list(HERE, layers=[2])
    assert len(episodes) == len(truth.cycles)
    assert len(engine.memory.patterns.list()) == len(truth.cycles)
    assert {one.confidence for one in engine.memory.patterns.list()} == {0.5}
    assert {(one.kind, one.text) for one in engine.memory.directives.list()} == set(truth.rules.values())
    assert {one.document.tier for one in engine.memory.items.list(HERE)} == {"doc"}
    back = engine.memory.review.undo()
    assert (back.claim, back.state) == (waiting[-1].claim, "pending")


def test_the_accuracy_of_a_model_is_what_was_let_in(engine: Engine, server: OllamaServer) -> None:
    one, other, _ = proposed(
        engine, server, NEW, "Ben feeds the owls at 16:15.", "Cleo feeds the newts at 17:15."
    )
    engine.memory.review.accept(one.id)
    engine.memory.review.reject(other.id)
    (found,) = engine.memory.review.accuracy()
    assert (found.model, found.proposed, found.accepted, found.rejected, found.share) == (
        "writer", 3, 1, 1, 0.5,
    )  # fmt: skip


def test_a_relation_to_what_was_never_shown_does_not_count(engine: Engine, server: OllamaServer) -> None:
    engine.memory.facts.add(OLD)
    reader = Reader(Truth(facts={f"So, {NEW}": NEW}))
    odd = [{"claim": 1, "known": 9, "relation": "supersedes"}, {"claim": 7, "known": 1, "relation": "same"},
           {"claim": "x"}, 3]  # fmt: skip
    server.says = lambda body: (
        json.dumps({"relations": odd}) if "Known 1" in body["messages"][-1]["content"] else reader(body)
    )
    engine.memory.conversations.extend(HERE, [Saying("user", f"So, {NEW}", timestamp=BEGAN)])
    engine.memory.consolidate()
    (one,) = engine.memory.review.list()
    assert (one.relation, one.target) == ("new", "")
