"""Further terms for a vague query, from a chat model of Ollama: 5–10 specific ones (requirement S10).

Found once per query and kept; asked for in the background and waited for within a budget. What has come by
then is used, also of an answer that breaks off. Terms are wanted where the request says so, or where it says
nothing, the query is vague and a chat model is configured. A search never depends on them: without an answer
there are no terms, and the lamp `expansion` says why.
"""

from __future__ import annotations

import json
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
from ark_tui.settings.home import checked, read_checked, write_file

MOST = 10
LONGEST = 40  # characters of a term; what is longer is a sentence
WORDS = 4  # of a term
QUOTED = 2000  # characters of a query that the model is shown
ANSWER = 200  # tokens of an answer
SILENCE = 120.0  # seconds between two pieces of it, after which nothing more is expected
PATIENCE = 10  # budgets that somebody waits who has asked for terms
KEPT = 2000  # answers on disk; the older half goes when there are more

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
    """What came of it: terms, or the reason why there are none; with terms, what is to be said of them."""

    terms: tuple[str, ...] = ()
    reason: str = ""


@dataclass
class Draft:
    """As much as has come of an answer. One thread writes it, others read."""

    text: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Asking:
    """Terms on their way."""

    query: str
    asked: Asked[Expanded]
    draft: Draft


class Expander:
    """The chat model that finds terms. Thread-safe; making one touches nothing.

    `folder`: where answers are kept, under the hash of their query; it may be deleted at any time. `on_wait`
    is told when somebody who has asked for terms has to wait for them.
    """

    def __init__(self, writers: Writers, folder: Path, budget: float, *, on_wait: OnWait = ignore) -> None:
        self._writers = writers
        self._folder = folder
        self._budget = budget
        self._first = 0.0  # seconds that the model took for its first term of late; 0: unknown
        self._on_wait = on_wait
        self._line: Line[Expanded] = Line(WHO, writers.server.start)
        self._drafts: dict[str, Draft] = {}

    @property
    def named(self) -> bool:
        """Whether a model was chosen by name."""
        return bool(self._writers.named)

    def ask(self, query: str) -> Asking:
        """Begin to look for terms, so that other work can be done meanwhile."""
        text = " ".join(query.split())
        name = content_hash(f"{VERSION} {self._writers.named} {text.lower()}".encode("utf-8", "replace"))
        draft = self._drafts.get(name) or Draft()
        if known := self._known(name, text):
            return Asking(text, Asked(WHO, Call(Expanded(known))), draft)
        return Asking(text, self._line.ask(name, lambda: self._found(name, text, draft)), draft)

    def await_terms(self, asking: Asking, *, patient: bool = False, stop: Stop = NEVER) -> Expanded:
        """What was asked for, or as much of it as has come, within the budget since the server was asked.

        Somebody who is `patient` has asked for terms and waits longer. Raises `Cancelled`.
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
        """Terms for a query, or the reason why there are none, within the budget."""
        return self.await_terms(self.ask(query))

    # -- inside ------------------------------------------------------------------------------------

    @property
    def _hopeless(self) -> bool:
        """Whether the model is known not to have a first term within the budget."""
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
            return good([*map(str, read_json(read_checked(self._folder / name) or b""))], query)
        except (ValueError, TypeError):
            return ()

    def _keep(self, name: str, terms: tuple[str, ...]) -> None:
        """On disk for the next time; where that may not be written, the model is asked again."""
        try:
            write_file(self._folder / name, checked(json.dumps(terms).encode()))
            kept = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in kept[: KEPT // 2] if len(kept) > KEPT else ():
                path.unlink(missing_ok=True)
        except OSError:
            return


def read(answer: str, query: str) -> tuple[str, ...]:
    """The terms in a chat model's answer, be it broken off: without doubles and the query's own words.

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
    """What an answer lists as terms, as far as it has come: only whole ones."""
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
    """Those that are terms: a letter or digit at least, four words at most, none of the query's own."""
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
