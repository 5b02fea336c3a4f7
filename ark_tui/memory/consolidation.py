"""Consolidation: a model proposes memories from finished stretches of conversations (M6).

A stretch ends after ten minutes of silence, when its conversation is closed, or when an outcome is reported.
Each message is processed once: its mark and the proposals are written in one transaction, so a kill at any
time loses and doubles nothing. A proposal is a candidate: no search finds it until a person accepts it
(`memory.review`).
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from typing import Any

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import RULE_KINDS
from ark_tui.domain.memory import Scope
from ark_tui.domain.principal import Viewer
from ark_tui.domain.protocols import NEVER, Clock, OnProgress, Stop, check, ignore
from ark_tui.domain.review import OPEN, RELATIONS, Consolidated, Relation, claim
from ark_tui.domain.secrets import masked
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.work import Progress
from ark_tui.embedding.ollama import Prompt
from ark_tui.embedding.retry import ServerFailure
from ark_tui.embedding.writer import Writer, Writers, estimate, tokens
from ark_tui.ingest.decode import storable
from ark_tui.memory import support
from ark_tui.memory.kinds import EVERYBODY, KINDS
from ark_tui.memory.texts import quoted
from ark_tui.store import Lease, Store, candidates, conversations, knowledge, owners
from ark_tui.store.candidates import Open, Place, Spoken

GAP = timedelta(minutes=10)
AT_ONCE = 400  # messages of a conversation that are read in one run
ANSWER = 2048  # tokens of the proposals for a stretch
COMPARED = 512  # tokens of an answer that compares claims with known items
TRIES = 3  # attempts at a stretch before it is skipped
SAME = 0.8  # least share of common words of two claims that are the same
NEAR = 0.25  # least share from which a model compares them
NEAREST = 3  # known texts that the model sees for a claim
LONGEST = 4_000  # characters of a message that the model reads
MOST = 20  # proposals of a kind that are read from an answer

QUOTES = {"type": "array", "items": {
    "type": "object", "properties": {"message": {"type": "integer"}, "text": {"type": "string"}},
    "required": ["message", "text"]}}  # fmt: skip


def _lists(**kinds: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema of lists of objects, all of whose fields are required."""
    listed = {
        name: {"type": "array", "items": {"type": "object", "properties": one, "required": [*one]}}
        for name, one in kinds.items()
    }
    return {"type": "object", "properties": listed, "required": [*listed]}


STRING = {"type": "string"}
PROPOSED = _lists(
    episodes={"title": STRING, "summary": STRING, "learnings": {"type": "array", "items": STRING},
              "problem": STRING, "solution": STRING,
              "messages": {"type": "array", "items": {"type": "integer"}}},
    facts={"text": STRING, "quotes": QUOTES},
    directives={"kind": {"type": "string", "enum": [*RULE_KINDS]}, "text": STRING, "quotes": QUOTES},
)  # fmt: skip
RELATED = _lists(relations={
    "claim": {"type": "integer"}, "known": {"type": "integer"},
    "relation": {"type": "string", "enum": ["new", "same", "narrower", "contradicts", "supersedes"]},
})  # fmt: skip


@dataclass(frozen=True)
class Budget:
    """The limits of a run. `tokens`: of prompts and answers together, by an upper estimate."""

    tokens: int
    seconds: float


@dataclass(frozen=True)
class Stretch:
    """Consecutive messages of a conversation between two pauses, or a part of them.

    `before`: the sequence number of the last message that was processed before this stretch.
    """

    of: Open
    before: int
    messages: tuple[Spoken, ...]

    @property
    def last(self) -> int:
        """The sequence number of its last message."""
        return self.messages[-1].sequence


@dataclass(frozen=True)
class Proposal:
    """A checked proposal of a model: its values and the places of its quotes."""

    kind: str
    value: dict[str, Any]
    places: tuple[Place, ...]
    problems: tuple[str, ...]
    relation: Relation = "new"
    target: str = ""

    @property
    def claim(self) -> str:
        return claim(self.kind, self.value)

    @property
    def digest(self) -> str:
        """A hash of kind and claim that ignores case and white space."""
        return content_hash(f"{self.kind} {' '.join(self.claim.casefold().split())}".encode())


class Consolidation:
    """The consolidation of one home.

    `silence`: seconds that a model may pause in an answer. `whose`: the owner and the project of items that
    are added in a scope; a stretch is compared with the items they can see, and its candidates are theirs.
    """

    def __init__(
        self, store: Store, clock: Clock, writers: Writers, silence: float,
        whose: Callable[[Scope], tuple[str, str]],
    ) -> None:  # fmt: skip
        self._store = store
        self._clock = clock
        self._writers = writers
        self._silence = silence
        self._whose = whose

    def run(self, budget: Budget, stop: Stop = NEVER, progress: OnProgress = ignore) -> Consolidated:
        """Process finished stretches, oldest first, within a budget. A stopped run keeps what it finished.

        Without a reachable model nothing is marked, and the result is `deferred`. Raises `Cancelled`.
        """
        began, done = time.monotonic(), Consolidated()
        waiting = self._finished()
        if not waiting:
            return done
        try:
            writer = self._writers.chosen()
            done = replace(done, model=writer.model)
            while waiting:
                left: set[int] = set()  # conversations whose stretch failed
                for stretch in _parts(waiting, self._texts, writer):
                    check(stop)
                    if done.tokens >= budget.tokens or time.monotonic() - began >= budget.seconds:
                        return replace(done, waiting=len(self._finished()))
                    if stretch.of.number not in left:
                        done = self._tried(stretch, writer, done, left, stop)
                        progress(Progress("consolidate", done.stretches, None))
                waiting = [] if left else self._finished()
        except ServerFailure as error:
            done = replace(done, deferred=True, problem=error.what)
        return replace(done, waiting=len(self._finished()))

    # -- finished stretches ------------------------------------------------------------------------

    def _finished(self) -> list[Stretch]:
        """The stretches that are over, of all conversations."""
        now = self._clock.now().replace(tzinfo=None)
        with self._store.read() as lease:
            return [
                stretch
                for one in candidates.open_conversations(lease, AT_ONCE)
                for stretch in _stretches(lease, one, now)
            ]

    def _texts(self, stretch: Stretch) -> list[tuple[Spoken, str, str]]:
        """The messages of a stretch with speaker and text, without deleted ones."""
        with self._store.read() as lease:
            found = conversations.messages(lease, [one.document for one in stretch.messages])
        by_place = {message.sequence: message for message in found}
        return [
            (one, f"{said.role} {said.name}".strip(), said.content)
            for one in stretch.messages
            if (said := by_place.get(one.sequence))
        ]

    # -- a stretch -----------------------------------------------------------------------------------

    def _tried(
        self, stretch: Stretch, writer: Writer, done: Consolidated, left: set[int], stop: Stop
    ) -> Consolidated:
        """Process a stretch. If the answer is unusable, a later run retries it, up to `TRIES` times."""
        whose = self._whose(stretch.of.scope)
        try:
            with owners.seen_by(Viewer(whose[:1], whose[1:])):
                return self._taken_up(stretch, whose, writer, done, stop)
        except Junk as error:
            left.add(stretch.of.number)
            with self._store.write() as lease:
                over = candidates.tried(lease, stretch.of.number) >= TRIES
                if over:
                    candidates.taken_up(lease, stretch.of.number, stretch.before, stretch.last)
            return replace(
                done,
                problem=error.what,
                passed_over=done.passed_over + over,
                tokens=done.tokens + error.tokens,
            )

    def _taken_up(
        self, stretch: Stretch, whose: tuple[str, str], writer: Writer, done: Consolidated, stop: Stop
    ) -> Consolidated:
        """Ask the model about one stretch; store its candidates and the mark."""
        said = self._texts(stretch)
        proposals: list[Proposal] = []
        spent = 0
        if any(text.strip() for _, _, text in said):
            told = "\n\n".join(_line(number, who, text) for number, (_, who, text) in enumerate(said, 1))
            answer, spent = self._asked(writer, "propose", told, PROPOSED, ANSWER, stop)
            proposals = list(_read(answer, said))
            proposals, more = self._compared(proposals, self._known(proposals), writer, stop)
            spent += more
        made = self._keep(stretch, proposals, whose, writer.model)
        if made is None:  # another process did it
            return replace(done, tokens=done.tokens + spent)
        numbers, again = made
        with self._store.read() as lease:
            unsupported = sum(not one.supported for one in candidates.get(lease, numbers))
        return replace(
            done,
            stretches=done.stretches + 1,
            messages=done.messages + len(stretch.messages),
            proposed=done.proposed + len(numbers),
            unsupported=done.unsupported + unsupported,
            supported_again=done.supported_again + again,
            tokens=done.tokens + spent,
        )

    def _keep(
        self, stretch: Stretch, proposals: Iterable[Proposal], whose: tuple[str, str], model: str
    ) -> tuple[list[int], int] | None:
        """Store candidates and the mark in one transaction; None if the stretch was processed already.

        Returns the numbers of the new candidates, and how many proposals were known already.
        """
        scope = stretch.of.scope
        with self._store.write() as lease:
            if not candidates.taken_up(lease, stretch.of.number, stretch.before, stretch.last):
                return None
            there = candidates.claims(lease, scope, states=(*OPEN, "rejected"))
            no_more = candidates.rejected(lease, [one.digest for one in proposals])
            new: dict[str, Proposal] = {}
            again = 0
            for one in proposals:
                twin = next((other for other in there if other.kind == one.kind
                             and support.alike(other.claim, one.claim) >= SAME), None)  # fmt: skip
                if twin and twin.state == "rejected":
                    continue
                if twin or one.relation == "same":
                    again += 1
                    self._again(lease, one, twin.number if twin else None)
                elif one.digest not in no_more and not any(
                    other.kind == one.kind and support.alike(other.claim, one.claim) >= SAME
                    for other in new.values()
                ):
                    new[one.digest] = one
            rows = [
                (uuid.uuid4().hex, one.kind, json.dumps(one.value), one.digest, one.relation, one.target,
                 json.dumps(one.problems), 1, model, scope.agent, scope.session)
                for one in new.values()
            ]  # fmt: skip
            return candidates.add(lease, rows, [one.places for one in new.values()], whose), again

    def _again(self, lease: Lease, one: Proposal, twin: int | None) -> None:
        """Count one more support for an item or candidate that was proposed again."""
        if twin is None:
            twin = candidates.saying(lease, one.target)
        if twin is not None:
            candidates.support(lease, twin)
            candidates.rest(lease, twin, one.places)

    # -- the model -----------------------------------------------------------------------------------

    def _asked(
        self, writer: Writer, task: str, told: str, schema: Mapping[str, Any], longest: int, stop: Stop
    ) -> tuple[Any, int]:
        """The model's JSON answer, and the tokens of prompt and answer. Raises `Junk`."""
        longest = min(longest, writer.context // 3)
        messages = [{"role": "system", "content": prompt(task)}, {"role": "user", "content": told}]
        written = self._writers.write(writer, Prompt(messages, dict(schema), longest, self._silence), stop)
        spent = (written.read or tokens(messages)) + estimate(written.text)
        try:
            found = read_json(written.text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(
            isinstance(found.get(name), list) for name in schema["required"]
        ):
            what = "answered no JSON of the form that was asked for" if written.whole else "broke off"
            raise Junk(f"{writer.model} {what}.", "Name another chat_model, or try again.", spent)
        return found, spent

    def _known(self, proposals: Sequence[Proposal]) -> dict[str, list[tuple[str, str]]]:
        """The visible items and candidates of the proposals' kinds: ids and claims, by kind."""
        found: dict[str, list[tuple[str, str]]] = {}
        with self._store.read() as lease:
            for kind in {one.kind for one in proposals} - {"episode"}:
                row = KINDS[f"{kind}s"]
                items = row.read(lease, knowledge.numbers(lease, [row.name], EVERYBODY)).values()
                found[kind] = [
                    (item.document.id, claim(kind, {name: getattr(item, name) for name in row.values}))
                    for item in items
                ]
                proposed = candidates.claims(lease, EVERYBODY, kinds=[kind])
                found[kind] += [(one.id, one.claim) for one in proposed]
        return found

    def _compared(
        self,
        proposals: Sequence[Proposal],
        known: Mapping[str, list[tuple[str, str]]],
        writer: Writer,
        stop: Stop,
    ) -> tuple[list[Proposal], int]:
        """The proposals with their relation to known items, and the tokens spent.

        Nearly the same words with the same numbers and negations: the same. Few common words: new. The model
        decides the cases between these, but only about items that it was shown.
        """
        found, open_ = [*proposals], dict[int, list[tuple[str, str]]]()
        for place, one in enumerate(proposals):
            ranked = sorted(
                ((support.overlap(one.claim, text), id_, text) for id_, text in known.get(one.kind, ())),
                reverse=True,
            )[:NEAREST]
            twin = next((id_ for _, id_, text in ranked if support.alike(one.claim, text) >= SAME), "")
            if twin:
                found[place] = replace(one, relation="same", target=twin)
            elif near := [(id_, text) for share, id_, text in ranked if share >= NEAR]:
                open_[place] = near
        if not open_:
            return found, 0
        told = "\n\n".join(
            f"Claim {place + 1}:\n{quoted(proposals[place].claim)}\n"
            + "\n".join(f"Known {number}:\n{quoted(text)}" for number, (_, text) in enumerate(near, 1))
            for place, near in open_.items()
        )
        answer, spent = self._asked(writer, "compare", told, RELATED, COMPARED, stop)
        for said in _objects(answer["relations"]):
            place = said["claim"] - 1 if isinstance(said.get("claim"), int) else -1
            near, number = open_.get(place, []), said.get("known")
            if isinstance(number, int) and 0 < number <= len(near):
                found[place] = _related(found[place], str(said.get("relation")), *near[number - 1])
        return found, spent


class Junk(UsageError):
    """The model's answer is unusable. `tokens`: what it cost."""

    def __init__(self, what: str, hint: str, spent: int) -> None:
        super().__init__(what, hint)
        self.tokens = spent


def _related(one: Proposal, said: str, target: str, text: str) -> Proposal:
    """A proposal with its relation to a known text; with another number or negation it contradicts."""
    relation = next((known for known in RELATIONS if known == said and known != "new"), None)
    if relation == "same" and support.alike(one.claim, text) == 0:
        relation = "contradicts"
    return replace(one, relation=relation, target=target) if relation else one


@cache
def prompt(name: str) -> str:
    """The system prompt of this name, from its file in `prompts`."""
    return resources.files(__package__).joinpath("prompts", f"{name}.txt").read_text("utf-8")


def _stretches(lease: Lease, one: Open, now: datetime) -> Iterator[Stretch]:
    """The stretches of a conversation that are over, by time or by an outcome of one of their queries."""
    group: list[Spoken] = []
    before = one.looked
    for said in one.messages:
        if group and abs(said.moment - group[-1].moment) >= GAP:
            yield Stretch(one, before, tuple(group))
            before, group = group[-1].sequence, []
        group.append(said)
    if not group:
        return
    last, queries = group[-1].moment, {said.query for said in group if said.query}
    over = len(one.messages) == AT_ONCE or one.closed or now - last >= GAP
    if over or candidates.reported(lease, queries, last):
        yield Stretch(one, before, tuple(group))


def _parts(
    stretches: Iterable[Stretch],
    texts: Callable[[Stretch], Sequence[tuple[Spoken, str, str]]],
    writer: Writer,
) -> Iterator[Stretch]:
    """The stretches, split between messages where one does not fit into the model's context."""
    room = writer.context - min(ANSWER, writer.context // 3) - estimate(prompt("propose")) - 64
    for stretch in stretches:
        size, begin = 0, 0
        lengths = {one.sequence: estimate(_line(0, who, text)) for one, who, text in texts(stretch)}
        for place, one in enumerate(stretch.messages):
            own = lengths.get(one.sequence, 0)
            if place > begin and size + own > room:
                yield _part(stretch, begin, place)
                size, begin = 0, place
            size += own
        yield _part(stretch, begin, len(stretch.messages))


def _part(stretch: Stretch, begin: int, end: int) -> Stretch:
    before = stretch.messages[begin - 1].sequence if begin else stretch.before
    return replace(stretch, before=before, messages=stretch.messages[begin:end])


def _line(number: int, who: str, text: str) -> str:
    return f"[{number}] {' '.join(who.split())}:\n{quoted(masked(text[:LONGEST])[0])}"


# -- reading an answer ---------------------------------------------------------------------------------


def _read(answer: Mapping[str, Any], said: Sequence[tuple[Spoken, str, str]]) -> Iterator[Proposal]:
    """The well-formed proposals of an answer, each checked against its quotes."""
    for one in _objects(answer["episodes"]):
        numbers = [number for number in one.get("messages") or () if isinstance(number, int)]
        places = tuple(
            (said[number - 1][0].document, 0, len(said[number - 1][2]))
            for number in sorted(set(numbers)) if 0 < number <= len(said)
        )  # fmt: skip
        told = [said[number - 1][2] for number in sorted(set(numbers)) if 0 < number <= len(said)]
        texts = [storable(text) for text in one.get("learnings") or () if isinstance(text, str)]
        learnings = [text for text in texts if text.strip()]
        values = {name: _text(one, name) for name in ("title", "summary", "problem", "solution")}
        if values["title"] and values["summary"]:
            value = {"title": values["title"], "summary": values["summary"], "learnings": learnings[:MOST]}
            checked = "\n".join((values["summary"], *learnings[:MOST]))
            yield Proposal("episode", value, places, support.problems(checked, told))
        if values["problem"] and values["solution"]:
            value = {"problem": values["problem"], "solution": values["solution"]}
            checked = f"{values['problem']}\n{values['solution']}"
            yield Proposal("pattern", value, places, support.problems(checked, told))
    for one in _objects(answer["facts"]):
        if text := _text(one, "text"):
            places, told = _places(one.get("quotes"), said)
            yield Proposal("fact", {"text": text}, places, support.problems(text, told))
    for one in _objects(answer["directives"]):
        if (text := _text(one, "text")) and one.get("kind") in RULE_KINDS:
            places, told = _places(one.get("quotes"), said)
            denied = one["kind"] in ("NEVER", "AVOID")
            problems = support.problems(f"never {text}" if denied else text, told)
            yield Proposal("directive", {"kind": one["kind"], "text": text}, places, problems)


def _places(quotes: object, said: Sequence[tuple[Spoken, str, str]]) -> tuple[tuple[Place, ...], list[str]]:
    """The places of quotes in their messages, and the text there; quotes that do not occur are dropped."""
    places, told = [], []
    for one in _objects(quotes):
        number, text = one.get("message"), _text(one, "text")
        if not (isinstance(number, int) and 0 < number <= len(said) and text):
            continue
        spoken, _, content = said[number - 1]
        if (found := _found(text, content)) is not None:
            places.append((spoken.document, *found))
            told.append(content[slice(*found)])
    return tuple(places), told


def _found(quote: str, content: str) -> tuple[int, int] | None:
    """Start and end of a quote in a text, ignoring differences in white space; None if it does not occur."""
    match = re.search(r"\s*".join(map(re.escape, quote.split())), content)
    return match.span() if match else None


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)][:MOST] if isinstance(value, list) else []


def _text(one: Mapping[str, Any], name: str) -> str:
    found = one.get(name)
    return " ".join(storable(found).split()) if isinstance(found, str) else ""
