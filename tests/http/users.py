"""Two users of one server who do at random what their tokens let them, each looking for the other's words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx

from ark_tui.engine import Engine
from ark_tui.operations.catalog import shipped
from tests.http.conftest import calling

WORDS = [
    "otters", "sleep", "on", "the", "water", "in", "rafts", "while", "rivers", "freeze", "and", "herons",
    "wait", "for", "fish",
]  # fmt: skip
MARKS = {"ann": "quillon", "ben": "zarzuela"}
"""A word that is in all that a user adds, and in nothing else."""

Asked = tuple[str, str, dict[str, Any] | None]


class User:
    """One of them. `ids`: of what both have made; each tries all of them."""

    def __init__(self, name: str, token: str, ids: list[str], dice: random.Random) -> None:
        self.name, self.mark, self._ids, self._dice = name, MARKS[name], ids, dice
        (self.other,) = set(MARKS) - {name}
        self.head = {"Authorization": f"Bearer {token}"}

    def text(self) -> str:
        """Words of everybody, and the one that is theirs."""
        return " ".join([*self._dice.sample(WORDS, 4), self.mark])

    def ask(self) -> Asked:
        """A request at random; one in eight names the other as its agent."""
        method, path, body = self._dice.choice(ASKS)(self)
        if self._dice.random() < 1 / 8:
            agent = self._dice.choice([self.other, "ALL", "default"])
            path += f"{'&' if '?' in path else '?'}agent={agent}"
        return method, path, body

    def id(self) -> str:
        """What either has made, or a number that something may have."""
        return self._dice.choice([*self._ids[-40:], "1", "2", "default", "@1"])

    def line(self) -> str:
        """A query, often with the other's word."""
        asked = self._dice.choice([MARKS[self.other], *WORDS])
        return asked + self._dice.choice(["", " in:history", " layer:1", " type:fact", " in:memory"])

    def anything(self) -> str:
        """Any route that is asked by GET, with ids where it has places for some."""
        found = [one.route for one in shipped().all() if not one.personal and one.route.startswith("GET ")]
        return re.sub(r"{\w+}", lambda _: self.id(), self._dice.choice(found).split()[1])


ASKS: tuple[Callable[[User], Asked], ...] = (
    lambda me: ("POST", "/facts", {"text": me.text()}),
    lambda me: ("POST", "/facts", {"text": f"the {me.mark} is mine", "owner": "mine"}),
    lambda me: ("POST", "/patterns", {"problem": me.text(), "solution": me.text()}),
    lambda me: ("POST", "/directives", {"kind": "MUST", "text": me.text()}),
    lambda me: ("POST", "/remember", {"text": me.text(), "source": me.mark, "tags": ["otters"]}),
    lambda me: ("POST", "/tasks", {"text": me.text()}),
    lambda me: ("PUT", "/scratch/plan", {"value": me.text()}),
    lambda me: ("POST", "/messages", {"messages": [{"role": "user", "content": me.text()}]}),
    lambda me: ("POST", "/history", {"role": "user", "content": me.text()}),
    lambda me: ("POST", "/outcomes", {"event_type": "was", "component_area": "otters", "model": me.mark}),
    lambda me: ("POST", f"/facts/{me.id()}/retire", {"reason": me.mark}),
    lambda me: ("PATCH", f"/facts/{me.id()}", {"text": me.text()}),
    lambda me: ("POST", "/promote", {"ref": me.id(), "layer": "semantic", "reason": me.mark}),
    lambda me: ("POST", f"/memories/{me.id()}/revive", {"reason": me.mark}),
    lambda me: ("POST", f"/memories/{me.id()}/retire", {"reason": me.mark}),
    lambda me: ("POST", f"/memories/{me.id()}/correct", {"text": me.text()}),
    lambda me: ("POST", f"/memories/{me.id()}/correct", {"by": me.id()}),
    lambda me: ("POST", "/forget", {"ids": [me.id()], "sources": True}),
    lambda _: ("GET", "/review", None),
    lambda me: ("POST", "/outcomes/report", {"retrieval_id": me.id()[:2], "outcome": "success"}),
    lambda me: ("POST", "/outcomes/apply", {"retrieval_id": me.id(), "pattern": me.id()}),
    lambda me: ("POST", "/search", {"query": me.line(), "explain": True}),
    lambda me: ("POST", "/search", {"query": me.line(), "mode": "keyword"}),
    lambda me: ("POST", "/graph-search", {"query": me.line()}),
    lambda me: ("POST", "/context", {"query": me.line()}),
    lambda me: ("POST", "/recall", {"query": me.line(), "role": "researcher"}),
    lambda me: ("POST", "/think", {"query": me.line()}),
    lambda _: ("GET", "/expert/otters", None),
    lambda me: ("GET", f"/documents?ref={me.id()}", None),
    lambda me: ("GET", f"/similar?ref={me.id()}", None),
    lambda _: ("GET", "/tasks", None),
    lambda _: ("GET", "/history", None),
    lambda me: ("GET", f"/history/search?query={MARKS[me.other]}", None),
    lambda _: ("GET", "/conversations/default", None),
    lambda _: ("GET", "/messages", None),
    lambda me: ("GET", me.anything(), None),
)  # fmt: skip


async def live(engine: Engine, counter: Any, rules: Any, count: int, seed: int = 7) -> dict[str, int]:
    """Let both do so many things; returns how many answers there were by status.

    Raises `AssertionError` where one sees what is the other's.
    """
    dice = random.Random(seed)
    ids: list[str] = []
    users = [
        User(name, engine.memory.tokens.add(name, "write", [name], []).token, ids, dice) for name in MARKS
    ]
    told: dict[str, int] = {}
    async with calling(counter, rules) as client:
        for _ in range(count):
            me = dice.choice(users)
            method, path, body = me.ask()
            answer = await client.request(method, path, json=body, headers=me.head)
            asked = f"{path} {body}"
            _checked(me, asked, answer)
            told[str(answer.status_code)] = told.get(str(answer.status_code), 0) + 1
            with suppress(ValueError, AttributeError):
                found = answer.json()
                ids += [str(found[key]) for key in ("id", "retrieval_id", "query_id") if found.get(key)]
    return told


def _checked(me: User, asked: str, answer: httpx.Response) -> None:
    """No word of the other's comes back, unless it was asked for by it, and then nowhere but in the query."""
    word = MARKS[me.other]
    seen = answer.text.count(word) - answer.text.count(f'"query":"{word}')
    if word in asked:
        seen -= sum(answer.text.count(said) for said in (f"“{word}", f"There is no document {word}",
                                                         f'What is known about \\"{word}'))  # fmt: skip
    assert answer.status_code < 500, (asked, answer.text)
    assert seen <= 0, f"{me.name} asked {asked} and got {answer.text}"
