"""Why a search answers otherwise than its receipt says: each thing that is not as it was, by kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ark_tui.domain.layers import HISTORY
from ark_tui.domain.receipts import Cause, CauseKind, Clock, Effect, Receipt, ReceiptHit, State
from ark_tui.domain.wording import counted
from ark_tui.engine.comparing import compared, profile_of
from ark_tui.engine.receipts import FACTS, facts
from ark_tui.store import receipts as store

if TYPE_CHECKING:
    from ark_tui.domain.profile import Profile
    from ark_tui.domain.protocols import Stop
    from ark_tui.domain.query import Request
    from ark_tui.engine.receipts import Receipts
    from ark_tui.engine.services import Services
    from ark_tui.store import Lease

EFFECTS: dict[State, Effect] = {
    "same": "nothing", "close": "scores", "shifted": "scores", "changed": "answer", "unreadable": "",
}  # fmt: skip

NAMED = 5  # documents that a sentence names
ACCESS = "access"

SAID = ("tier", "tags", "pinned", "superseded_by")
"""Facts that a person's edit may have changed; the others stand in files."""

ASKED = ("rerank", "cosine", "expansion")
"""Lamps of models; the others are of indexes."""


class Causes:
    """What is not as it was when a receipt was made. `kept`: its profile, where that is no more."""

    def __init__(
        self,
        parts: Services,
        receipts: Receipts,
        before: Receipt,
        after: Receipt,
        request: Request,
        stop: Stop,
        kept: Profile | None,
        *,
        today: bool,
    ) -> None:
        self._parts, self._receipts = parts, receipts
        self._before, self._after = before, after
        self._request, self._stop, self._kept, self._today = request, stop, kept, today
        home = (before.corpus.store, before.corpus.epoch)
        self._here = home == (after.corpus.store, after.corpus.epoch)
        ids = [hit.document for hit in before.hits]
        with parts.store.read() as lease:
            self._documents = store.present(lease, ids)
            self._contents = store.contents(lease, ids)
            self._trashed = store.trashed(lease, ids)
            self._since = self._looked(lease) if self._here else store.Since()

    def _looked(self, lease: Lease) -> store.Since:
        corpus = self._before.corpus
        then = store.Counters(corpus.change, corpus.edit, corpus.document)
        return store.since(lease, then, self._before.made)

    def all(self) -> Iterator[Cause]:
        """All of them: what a person has changed first."""
        yield from self._texts()
        yield from self._said()
        yield from self._models()
        yield from self._weights()
        yield from self._settings()
        yield from self._program()
        yield from self._clock()
        yield from self._use()
        yield from self._index()

    # -- documents -----------------------------------------------------------------------------------

    def _texts(self) -> Iterator[Cause]:
        before, after, since = self._before.corpus, self._after.corpus, self._since
        hits = self._before.hits
        gone = [h.path for h in hits if h.document not in self._documents and h.document not in self._trashed]
        edited = [h.path for h in hits if self._contents.get(h.document, h.content) != h.content]
        if before.content == after.content:  # whatever has been edited is as it was
            since = store.Since()
        changed = (
            ("added", since.added),
            ("edited", (*edited, *since.edited)),
            ("removed", (*gone, *since.removed)),
        )
        for verb, paths in changed:
            if paths:
                yield _told("text", tuple(dict.fromkeys(paths)), verb)
        if before.content != after.content and not (since.edits or any(paths for _, paths in changed)):
            sizes = f"{counted(before.documents, 'document')} then, {after.documents:,} now"
            yield Cause("text", f"The corpus holds other texts: {sizes}.")
        listed = (*self._before.hits, *self._after.hits)
        if before.message != after.message and any(hit.collection == HISTORY for hit in listed):
            yield Cause("text", "Messages were added, edited or removed.")

    def _said(self) -> Iterator[Cause]:
        """What edits have said since, and the facts of hits that are others."""
        for what in self._since.edits:
            yield Cause("curation", f"{what[:1].upper()}{what[1:]}.")
        trashed = tuple(hit.path for hit in self._before.hits if hit.document in self._trashed)
        if trashed and not self._since.edits:
            yield _told("curation", trashed, "put into the trash")
        for hit in self._before.hits:
            if document := self._documents.get(hit.document):
                now = facts(document)
                for name in FACTS:
                    was, is_ = hit.facts.get(name, "none"), now.get(name, "none")
                    if was != is_:
                        kind: CauseKind = "curation" if name in SAID else "text"
                        yield Cause(kind, f"{hit.path}: {name} {was} → {is_}.", (hit.path,))

    # -- what it is ranked by --------------------------------------------------------------------------

    def _models(self) -> Iterator[Cause]:
        for name, was, is_ in _changes(self._before.models, self._after.models):
            yield Cause("model", f"The model of {name} was {was or 'none'}, and is {is_ or 'none'}.")
        now = {lamp.signal: lamp for lamp in self._after.lamps}
        for lamp in self._before.lamps:
            other = now.get(lamp.signal, lamp)
            stopped = (lamp.state == "off") != (other.state == "off")
            spoken = lamp.signal == "rerank" and lamp.reason != other.reason
            if stopped or spoken:
                kind: CauseKind = "model" if lamp.signal in ASKED else "index"
                why = f": {other.reason.rstrip('.')}" if other.reason else ""
                yield Cause(kind, f"{lamp.signal} was {lamp.state}, and is {other.state}{why}.")
        if self._before.chat != self._after.chat:
            was, is_ = (", ".join(one.chat) or "none" for one in (self._before, self._after))
            yield Cause("model", f"The chat model's terms were {was}, and are {is_}.")

    def _weights(self) -> Iterator[Cause]:
        before, after = self._before.profile, self._after.profile
        if before == after:
            return
        kept = self._receipts.run(
            self._request, self._stop, clock=self._asked_clock, profile=profile_of(self._before)
        )
        effect = EFFECTS[compared(kept, self._after)]
        if before["name"] != after["name"]:
            what = f"The profile was {before['name']}, and is {after['name']}."
        else:
            rows = _changes(_flat(before), _flat(after))
            numbers = ", ".join(f"{name} {_shown(was)} → {_shown(is_)}" for name, was, is_ in rows)
            what = f"The profile {after['name']} has {numbers}."
        yield Cause("weights", what, effect=effect)

    def _settings(self) -> Iterator[Cause]:
        for name, was, is_ in _changes(self._before.settings, self._after.settings):
            if name != "profile" or not self._request.profile:
                yield Cause("settings", f"The setting {name} was {_shown(was)}, and is {_shown(is_)}.")

    def _program(self) -> Iterator[Cause]:
        for name, was, is_ in _changes(self._before.versions, self._after.versions):
            yield Cause("program", f"{name} was {was or 'none'}, and is {is_ or 'none'}.")

    # -- when, by whom, and how it is stored ----------------------------------------------------------

    @property
    def _asked_clock(self) -> Clock | None:
        return None if self._today else self._before.clock

    def _clock(self) -> Iterator[Cause]:
        """Whether the day matters: by today's and by the receipt's the answers are not the same."""
        was, now = self._before.clock.today, self._parts.clock.now().date()
        if was == now:
            return
        other = self._receipts.run(
            self._request, self._stop, clock=self._before.clock if self._today else None,
            profile=self._kept,
        )  # fmt: skip
        effect = EFFECTS[compared(other, self._after)]
        if effect != "nothing":
            another = "the answer is another" if effect == "answer" else "the scores are others"
            what = f"The day was {was}, and is {now}." if self._today else f"As of {now}, {another}."
            yield Cause("clock", what, effect=effect)

    def _use(self) -> Iterator[Cause]:
        """Documents that whoever searches has made use of since."""
        if self._before.profile.get(ACCESS) != self._after.profile.get(ACCESS):
            return
        then, now = (
            {hit.path: _factors(hit)[ACCESS] for hit in receipt.hits if ACCESS in _factors(hit)}
            for receipt in (self._before, self._after)
        )
        if used := tuple(path for path in then if path in now and then[path] != now[path]):
            yield _told("use", used, "used")

    def _index(self) -> Iterator[Cause]:
        before, after = self._before.corpus, self._after.corpus
        if before.waiting != after.waiting:
            lacked = counted(before.waiting, "change")
            yield Cause("index", f"The indexes lacked {lacked}, and lack {after.waiting:,}.")
        if before.deleted != after.deleted:
            then = counted(before.deleted, "deleted text")
            yield Cause("index", f"BM25 counted {then}, and counts {after.deleted:,}.")
        for name, was, is_ in (
            ("idf", before.weighed, after.weighed),
            ("latent", before.learnt, after.learnt),
        ):
            if was != is_:
                yield Cause(
                    "index", f"The signal {name} had learnt from {was:,} texts, and has from {is_:,}."
                )
        if not self._here and before.content == after.content:
            yield Cause("index", "This is another home with the same texts; its indexes are its own.")


def _told(kind: CauseKind, paths: tuple[str, ...], verb: str) -> Cause:
    """Some documents, of which the first are named; all of them are in `documents`."""
    named = ", ".join(paths[:NAMED]) + (f" and {len(paths) - NAMED:,} more" if len(paths) > NAMED else "")
    were = "was" if len(paths) == 1 else "were"
    return Cause(kind, f"{counted(len(paths), 'document')} {were} {verb}: {named}.", paths)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What has another value, with both; None where there is none."""
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)


def _flat(table: Mapping[str, Any], under: str = "") -> dict[str, Any]:
    """The numbers of a profile by their names, such as `weights.bm25`."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        found |= _flat(value, f"{under}{name}.") if isinstance(value, dict) else {under + name: value}
    return found


def _shown(value: Any) -> str:
    if value in (None, ""):
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _factors(hit: ReceiptHit) -> dict[str, float]:
    return {factor.name: factor.value for factor in hit.multipliers}
