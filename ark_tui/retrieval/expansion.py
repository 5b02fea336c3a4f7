"""Query expansion for vague queries: 5–10 specific terms from an Ollama chat model (requirement S10).

Terms are requested in the background, awaited within a time budget and cached per query. Terms received
within the budget are used, even if the response is incomplete. Expansion runs if the request asks for it, or
if the request does not specify it, the query is vague and a chat model is configured. A search never depends
on it: without a response there are no terms, and the status `expansion` gives the reason.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import ArkError, Cancelled, Hint
from ark_tui.domain.protocols import NEVER, OnWait, Stop, ignore
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.wording import counted
from ark_tui.embedding.ollama import WHO, Prompt
from ark_tui.embedding.retry import Slow, Wrong
from ark_tui.embedding.waiting import Asked, Call, Line
from ark_tui.embedding.writer import Writers
from ark_tui.index.words import terms as words_terms
from ark_tui.settings.home import read_checked, write_checked

MOST = 10
LONGEST = 40  # characters of a term; longer ones are sentences
WORDS = 4  # maximum per term
QUOTED = 2000  # characters of the query in the prompt
ANSWER = 200  # maximum tokens of a response
SILENCE = 120.0  # timeout in seconds between two pieces of a response
PATIENCE = 10  # multiple of the budget to wait if terms were requested explicitly
KEPT = 2000  # responses cached on disk; the older half is deleted when exceeded

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"terms": {"type": "array", "items": {"type": "string"}, "minItems": 5, "maxItems": MOST}},
    "required": ["terms"],
}
TASK = (
    "You help a search over somebody's notes and documents. For a query, name 5 to 10 specific terms that a "
    "text which answers it is likely to hold: technical terms, names, synonyms. No sentences, none of the "
    'query\'s own words. Answer with JSON of the form {"terms": ["…", "…"]}.'
)
LIST = re.compile(r'"terms"\s*:\s*\[')
ELEMENT = re.compile(r'\s*(?P<value>"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*(?:,|(?=\])|$)')
VERSION = content_hash(TASK.encode())[:8]


@dataclass(frozen=True, slots=True)
class Expanded:
    """The result: terms with an optional remark in `reason`, or no terms and the reason."""

    terms: tuple[str, ...] = ()
    reason: str = ""


@dataclass
class Draft:
    """The part of a response received so far. One thread writes it, others read it."""

    text: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Asking:
    """A pending request for terms."""

    query: str
    asked: Asked[Expanded]
    draft: Draft


class Expander:
    """Request expansion terms from a chat model. Thread-safe; the constructor does no I/O.

    `folder`: cache of responses, by the hash of the query; it may be deleted at any time.
    `on_wait`: called with a message before a long wait for explicitly requested terms.
    """

    def __init__(self, writers: Writers, folder: Path, budget: float, *, on_wait: OnWait = ignore) -> None:
        self._writers = writers
        self._folder = folder
        self._budget = budget
        self._first = 0.0  # seconds until the first term of the last response; 0: unknown
        self._on_wait = on_wait
        self._line: Line[Expanded] = Line(WHO, writers.server.start)
        self._drafts: dict[str, Draft] = {}

    @property
    def named(self) -> bool:
        """Whether a model is configured by name."""
        return bool(self._writers.named)

    def ask(self, query: str) -> Asking:
        """Request terms in the background."""
        text = " ".join(query.split())
        name = content_hash(f"{VERSION} {self._writers.named} {text.lower()}".encode("utf-8", "replace"))
        draft = self._drafts.get(name) or Draft()
        if known := self._known(name, text):
            return Asking(text, Asked(WHO, Call.known(Expanded(known))), draft)
        return Asking(text, self._line.ask(name, lambda: self._found(name, text, draft)), draft)

    def await_terms(self, asking: Asking, *, patient: bool = False, stop: Stop = NEVER) -> Expanded:
        """Wait for the requested terms within the budget, and return those received so far.

        `patient`: terms were requested explicitly, so wait longer. Raises `Cancelled`.
        """
        asked = asking.asked
        try:
            if patient:
                with suppress(Slow):
                    return asked.within(self._budget, stop)
                limit = self._budget * PATIENCE
                self._on_wait(f"Waiting for further terms, {limit:g} s at most; Ctrl-C stops it.")
                return asked.within(limit, stop)
            return asked.within(0.0 if self._hopeless else self._budget, stop)
        except Cancelled:
            raise
        except ArkError as error:
            return self._so_far(asking, error, patient=patient)

    def terms(self, query: str) -> Expanded:
        """Request and await terms for a query within the budget."""
        return self.await_terms(self.ask(query))

    # -- inside ------------------------------------------------------------------------------------

    @property
    def _hopeless(self) -> bool:
        """Whether the model took longer than the budget for its first term last time."""
        return self._first > self._budget

    def _too_slow(self) -> Slow:
        return Slow(
            f"{self._writers.named} took {self._first:.1f} s for its first term here, "
            f"and `expand_budget` is {self._budget:g} s.",
            Hint.run("search", expand=True, say="`{}` waits for it."),
        )

    def _so_far(self, asking: Asking, error: ArkError, *, patient: bool) -> Expanded:
        draft = asking.draft
        if found := good(strings(draft.text), asking.query):
            said = (
                f"{counted(len(found), 'term')} had come in time" if isinstance(error, Slow) else error.what
            )
            return Expanded(found, _joined(draft.remark, said.rstrip(".")))
        if isinstance(error, Slow) and not patient and self._hopeless:
            error = self._too_slow()
        return Expanded(reason=_joined(draft.remark, error.what.rstrip(".")))

    def _found(self, name: str, text: str, draft: Draft) -> Expanded:
        self._drafts[name] = draft
        try:
            writer = self._writers.chosen()
            draft.remark = writer.remark
            started, first = time.monotonic(), 0.0

            def told(piece: str) -> None:
                nonlocal first
                draft.text += piece
                if not first and strings(draft.text):
                    first = time.monotonic() - started
                    self._first = first

            messages = [
                {"role": "system", "content": TASK},
                {"role": "user", "content": f"Query: {text[:QUOTED]}"},
            ]
            answer = self._writers.write(writer, Prompt(messages, SCHEMA, ANSWER, SILENCE, told))
            found = read(answer.text, text)
            self._keep(name, found)
            return Expanded(found, writer.remark)
        finally:
            self._drafts.pop(name, None)

    def _known(self, name: str, query: str) -> tuple[str, ...]:
        try:
            return good([*map(str, read_checked(self._folder / name) or ())], query)
        except (ValueError, TypeError):
            return ()

    def _keep(self, name: str, terms: tuple[str, ...]) -> None:
        """Cache terms on disk. Write errors are ignored; the model is then asked again next time."""
        try:
            write_checked(self._folder / name, terms)
            kept = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in kept[: KEPT // 2] if len(kept) > KEPT else ():
                path.unlink(missing_ok=True)
        except OSError:
            return


def read(answer: str, query: str) -> tuple[str, ...]:
    """Parse the terms of a possibly incomplete response, without duplicates and words of the query.

    Raises `Wrong` when there are none.
    """
    texts = strings(answer)
    if not texts:
        raise Wrong(f"{WHO} did not answer with terms.", "Take another `chat_model`.")
    found = good(texts, query)
    if not found:
        raise Wrong(f"{WHO} found no further terms.", "Take another `chat_model`.")
    return found


def strings(answer: str) -> list[str]:
    """The complete strings in the term list of a possibly incomplete response."""
    start = LIST.search(answer)
    found = []
    at = start.end() if start else len(answer)
    while one := ELEMENT.match(answer, at):
        at = one.end()
        with suppress(ValueError):
            value = read_json(one["value"])
            found += [value] if isinstance(value, str) else []
    return found


def good(texts: list[str], query: str) -> tuple[str, ...]:
    """The valid terms: at least one letter or digit, at most four words, not only words of the query."""
    own = _stems(query)
    terms = (" ".join(text.split()).lower() for text in texts)
    return tuple(dict.fromkeys(term for term in terms if _is_term(term, own)))[:MOST]


def _is_term(term: str, own: set[str]) -> bool:
    fits = len(term) <= LONGEST and len(term.split()) <= WORDS and any(map(str.isalnum, term))
    return fits and not _stems(term) <= own


def _stems(text: str) -> set[str]:
    return {words_terms.stem(word) for word in words_terms.words(text)}


def _joined(*said: str) -> str:
    return "; ".join(filter(None, said))
