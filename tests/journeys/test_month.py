"""A month of an agent's life: import, work, recall, contradiction, correction, review, end."""

from __future__ import annotations

import shutil
from pathlib import Path

from ark_tui.domain.layers import EPISODIC
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.memory.importing import import_chats
from ark_tui.settings import load
from tests.erasing.traces import traces
from tests.memory import exports
from tests.memory.talks import Reader, Truth
from tests.ollama_server import Model, OllamaServer
from tests.support import SteadyClock, add_item

ANN, BEN = Scope("ann", "default"), Scope("ben", "default")
OLD, NEW = "Ann feeds the otters at 14:15.", "Ann feeds the otters at 15:15."
WORD = "q7x3zk9vw1mfj5hbt2gdncyp"


def test_at_the_end_of_a_month_what_is_known_is_what_should_be(empty: Path, tmp_path: Path) -> None:
    shutil.copytree(empty, tmp_path / "home")
    clock = SteadyClock()
    with OllamaServer(Model("writer", embeds=False)) as server:
        given = {"chat_model": "writer", "ollama_host": server.host}
        with Engine(load(tmp_path / "home", given, environ={}), clock) as engine:
            memory = engine.memory
            server.says = Reader(Truth(facts={f"Now, {NEW}": NEW}))
            # the first day: chats come in, and the agent notes what it is told
            assert import_chats(memory.conversations, exports.chatgpt(tmp_path), ANN).new == 4
            assert import_chats(memory.conversations, exports.chatgpt(tmp_path), ANN).new == 0
            old = memory.facts.add(OLD, by=ANN).document.id
            slip = memory.facts.add("Otters sleep on land.", by=ANN).document.id
            secret = memory.facts.add(f"The gate opens with {WORD}.", by=ANN).document.id
            way = memory.patterns.add("the otters drift away at night", "tie them with kelp", by=ANN)
            add_item(memory, "We counted the otters.", ANN, layer=EPISODIC, title="the count")
            # the second: it recalls, works, and says whether that has helped
            context = memory.context("the otters drift away at night", scope=ANN)
            assert way.document.id in {item.document.id for item in context.items}
            memory.outcomes.report(context.retrieval_id, "success")
            # the third: somebody contradicts, a model proposes what follows, a person lets it in
            clock.pass_by(days=2)
            memory.conversations.extend(ANN, [Saying("user", f"Now, {NEW}", timestamp=clock.now())])
            clock.pass_by(minutes=10)
            assert memory.consolidate().proposed == 1
            (candidate,) = memory.review.list()
            assert (candidate.relation, candidate.target, candidate.supported) == ("supersedes", old, True)
            new = memory.review.accept(candidate.id).made
            assert memory.consolidate().stretches == 0
            # the fourth: it corrects its own slip; another agent may only propose
            right = memory.corrections.correct(slip, {"text": "Otters sleep on the water."}, ANN, reach=ANN)
            asked = memory.corrections.retire(new, BEN, reason="they are fed by Ben now", reach=BEN)
            assert (right.status, asked.status) == ("done", "proposed")
            memory.review.reject(asked.candidate)
            # the end: what is past its time has left by itself, and what should be forgotten is
            clock.pass_by(days=30)
            assert [one.document.id for one in memory.forgetting.forget([secret]).items] == [secret]
            memory.forgetting.forget([secret], yes=True)
            engine.sync()
            lines = [
                f"{one.layer} {one.document.tier} {'retired' if one.retired else 'active'} {one.text}"
                for one in memory.items.list(Scope("ALL", "ALL"), retired=True)
            ]
            assert lines == [
                f"3 doc retired {OLD}",
                "3 doc retired Otters sleep on land.",
                "4 doc active the otters drift away at night\n\ntie them with kelp",
                "2 raw active We counted the otters.",
                f"3 doc active {NEW}",
                "3 doc active Otters sleep on the water.",
            ]
            found = {hit.document.id for hit in engine.search(Request("otters in:memory")).hits}
            assert found == {way.document.id, new, right.replacement}
            assert memory.patterns.list()[0].confidence == 0.6
            assert memory.review.list() == ()
            assert all(check.ok is not False for check in engine.doctor())
        assert traces(tmp_path / "home", WORD) == set()
