"""Conversations made by a seed, whose problems, facts and rules are known, and a model that reads them.

The model finds what it knows in the prompt, and words it anew. `lies` has it change a number, a name or a
negation in every claim.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from ark_tui.domain.memory import Saying

PEOPLE = ("Ann", "Ben", "Cleo", "Dara", "Emil", "Fatma", "Goran", "Hilde")
ANIMALS = ("otters", "owls", "tapirs", "geckos", "cranes", "lynxes", "seals", "toads", "newts", "ibises")
HOSTS = ("atlas", "borea", "castor", "dione", "elara", "fornax")
SERVICES = ("indexer", "gateway", "mailer", "scheduler", "importer", "ledger")
TOOLS = ("lint", "typecheck", "smoke", "coverage")
MANAGERS = ("pip", "npm", "cargo", "conda", "apt", "brew")
ENTRIES = ("api-gateway", "auth-gateway", "log-shipper", "job-runner")
DENIALS = (
    (" braucht keine Datenbank.", " braucht eine Datenbank."),
    (" läuft nicht mehr auf {host}.", " läuft auf {host}."),
    (" schreibt nie nach {host}.", " schreibt nach {host}."),
    (" startet ohne Verbindung zu {host}.", " startet mit Verbindung zu {host}."),
    (" kennt weder {host} noch Zeitzonen.", " kennt {host} und Zeitzonen."),
)
CHATTER = (
    "Good morning!", "How was your weekend?", "Nice weather today.", "I am getting coffee.", "Haha, true.",
)  # fmt: skip
BEGAN = datetime(2025, 6, 1, 8, tzinfo=UTC)
SPOKEN = re.compile(r"^\[(\d+)\] (\w+)[^\n]*:\n((?:> [^\n]*\n?)+)", re.MULTILINE)
CLAIM = re.compile(r"^Claim (\d+):\n> ([^\n]+)", re.MULTILINE)
KNOWN = re.compile(r"^Known (\d+):\n> ([^\n]+)", re.MULTILINE)
FEEDING = (("does not feed", "feeds"), (" feeds", " does not feed"))
FED = re.compile(r"(\w+) (?:feeds|does not feed) the (\w+)")


@dataclass
class Truth:
    """What the conversations hold: by the text of a message, what follows from it."""

    talks: list[tuple[str, list[Saying]]] = field(default_factory=list)
    cycles: dict[str, dict[str, str]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    rules: dict[str, tuple[str, str]] = field(default_factory=dict)


def made(seed: int = 1, count: int = 200) -> Truth:
    """So many conversations, each of one stretch."""
    chance, truth = random.Random(seed), Truth()
    for number in range(count):
        lines: list[tuple[str, str]] = []
        for _ in range(chance.randint(1, 3)):
            lines += [("user", text) for text in chance.sample(CHATTER, chance.randint(0, 2))]
            lines += chance.choice((_cycle, _cycle, _fact, _rule, _installed, _german))(chance, truth, number)
        when = BEGAN + timedelta(hours=number)
        said = [
            Saying(role, text, timestamp=when + timedelta(seconds=30 * place))
            for place, (role, text) in enumerate(lines)
        ]
        truth.talks.append((f"talk-{number:03}", said))
    return truth


def _cycle(chance: random.Random, truth: Truth, number: int) -> list[tuple[str, str]]:
    host, service, code = (
        chance.choice(HOSTS),
        chance.choice(SERVICES),
        1000 + number * 7 + chance.randint(0, 6),
    )
    workers = chance.randint(13, 64)
    problem = f"The {service} on {host} stops with error {code} every night."
    solution = f"Start the {service} with {workers} workers, then it does not run out of memory."
    truth.cycles[problem] = {
        "title": f"{service} on {host} stopped",
        "summary": f"The {service} on {host} stopped with error {code}; with {workers} workers it runs.",
        "problem": f"{service} stops with error {code}",
        "solution": f"start it with {workers} workers",
    }
    return [("user", problem), ("assistant", solution), ("user", "That fixed it, thank you.")]


def _fact(chance: random.Random, truth: Truth, _: int) -> list[tuple[str, str]]:
    person, animal, hour = chance.choice(PEOPLE), chance.choice(ANIMALS), chance.randint(13, 22)
    if chance.random() < 0.3:
        text = f"Just so you know, {person} does not feed the {animal} on Mondays."
        truth.facts[text] = f"{person} does not feed the {animal} on Mondays."
    else:
        text = f"Just so you know, {person} feeds the {animal} at {hour}:15 from now on."
        truth.facts[text] = f"{person} feeds the {animal} at {hour}:15."
    return [("user", text), ("assistant", "Noted.")]


def _rule(chance: random.Random, truth: Truth, number: int) -> list[tuple[str, str]]:
    tool, host = chance.choice(TOOLS), chance.choice(HOSTS)
    way = chance.random()
    if way < 0.4:
        text = f"Rule {number}: never deploy to {host} before {tool} has passed."
        truth.rules[text] = ("NEVER", f"deploy to {host} before {tool} has passed")
    elif way < 0.6:
        text = f"Rule {number}: avoid deployments to {host} while {tool} runs."
        truth.rules[text] = ("AVOID", f"deployments to {host} while {tool} runs")
    else:
        text = f"Rule {number}: always run {tool} before you deploy to {host}."
        truth.rules[text] = ("MUST", f"run {tool} before a deploy to {host}")
    return [("user", text), ("assistant", "I will.")]


def _installed(chance: random.Random, truth: Truth, number: int) -> list[tuple[str, str]]:
    manager, entry, host = chance.choice(MANAGERS), chance.choice(ENTRIES), chance.choice(HOSTS)
    if chance.random() < 0.5:
        text = f"For the record ({number}), we always install the {entry} with {manager} there."
        truth.facts[text] = f"The {entry} is installed with {manager}."
    else:
        text = f"For the record ({number}), requests to {host} go through the {entry} first."
        truth.facts[text] = f"The {entry} is in front of {host}."
    return [("user", text), ("assistant", "Noted.")]


def _german(chance: random.Random, truth: Truth, number: int) -> list[tuple[str, str]]:
    """What is denied, or not, and as it was said but for its beginning."""
    said = chance.choice(chance.choice(DENIALS)).format(host=chance.choice(HOSTS))
    service = chance.choice(SERVICES)
    text = f"Nur zur Erinnerung (Nummer {number}): Der {service}{said}"
    truth.facts[text] = f"Der {service}{said}"
    return [("user", text), ("assistant", "Notiert.")]


@dataclass
class Reader:
    """A model that reads conversations. `lies`: of every claim, something is changed."""

    truth: Truth
    lies: bool = False

    def __call__(self, body: dict[str, Any]) -> str:
        told = str(body["messages"][-1]["content"])
        answer = _compared(told) if CLAIM.search(told) else self._proposed(told)
        return json.dumps(answer)

    def _proposed(self, told: str) -> dict[str, Any]:
        spoken = {
            int(number): "\n".join(line[2:] for line in text.splitlines())
            for number, _, text in SPOKEN.findall(told)
        }
        found: dict[str, Any] = {"episodes": [], "facts": [], "directives": []}
        for number, text in spoken.items():
            quotes = [{"message": number, "text": text}]
            if cycle := self.truth.cycles.get(text):
                one = {name: self.worded(value) for name, value in cycle.items()}
                found["episodes"].append(
                    {**one, "learnings": [], "messages": [number, number + 1, number + 2]}
                )
            if text in self.truth.facts:
                found["facts"].append({"text": self.worded(self.truth.facts[text]), "quotes": quotes})
            if text in self.truth.rules:
                kind, rule = self.truth.rules[text]
                found["directives"].append({"kind": kind, "text": self.worded(rule), "quotes": quotes})
        return found

    def worded(self, claim: str) -> str:
        """The claim, or one that was not made: by what can be changed in it, each in its turn."""
        if not self.lies:
            return claim
        ways = [re.sub(r"\d+", lambda one: str(int(one[0]) + 1), claim, count=1)] * bool(
            re.search(r"\d", claim)
        )
        ways += [claim.replace(name, "Zelda") for name in (*PEOPLE, *HOSTS) if name in claim][:1]
        pairs = [
            pair for kind in (MANAGERS, ENTRIES) for pair in zip(kind, (*kind[1:], kind[0]), strict=True)
        ]
        pairs = [(f" {one}", f" {other}") for one, other in pairs]
        pairs += _turned() if claim.startswith("Der ") else FEEDING
        ways += [claim.replace(one, other) for one, other in pairs if one in claim]
        return ways[len(claim) % len(ways)] if ways else f"Zelda says: {claim}"


def _turned() -> Iterator[tuple[str, str]]:
    """What a claim in German may be made of, and what denies that, or does not."""
    for host in HOSTS:
        for denied, affirmed in DENIALS:
            pair = denied.format(host=host), affirmed.format(host=host)
            yield pair
            yield pair[::-1]


def _compared(told: str) -> dict[str, Any]:
    """How claims on who feeds whom stand to each other: another hour is a newer one."""
    relations = []
    for block in told.split("\n\n"):
        ((number, text),) = CLAIM.findall(block)
        for place, other in KNOWN.findall(block):
            ours, theirs = FED.search(text), FED.search(other)
            if ours and theirs and ours.groups() == theirs.groups():
                turned = ("does not" in text) != ("does not" in other)
                said = "contradicts" if turned else "same" if text == other else "supersedes"
                relations.append({"claim": int(number), "known": int(place), "relation": said})
                break
        else:
            relations.append({"claim": int(number), "known": 0, "relation": "new"})
    return {"relations": relations}
