"""Further terms for a vague query, from a chat model of Ollama: 5–10 specific ones (requirement S10).

Found once per query and kept; asked for in the background and waited for within a budget. A search never
depends on them: without an answer there are no terms, and a reason.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import ArkError
from ark_tui.domain.untrusted import read_json
from ark_tui.embedding.ollama import WHO, Ollama
from ark_tui.embedding.retry import NoModel, Wrong
from ark_tui.embedding.waiting import Asked, Call, Line
from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    from ark_tui.index.words.terms import Terms

MOST = 10
LONGEST = 40  # characters of a term; what is longer is a sentence
VAGUE = 2  # words up to which a query is vague
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
VERSION = content_hash(TASK.encode())[:8]


@dataclass(frozen=True, slots=True)
class Expanded:
    """What came of it: terms, or the reason why there are none."""

    terms: tuple[str, ...] = ()
    reason: str = ""


class Expander:
    """The chat model that finds terms. Thread-safe; making one touches nothing.

    `model` may be empty: then the first of the server's models that is not made for embedding.
    `folder`: where answers are kept, under the hash of their query; it may be deleted at any time.
    """

    def __init__(self, server: Ollama, model: str, folder: Path, budget: float) -> None:
        self._server = server
        self._model = model
        self._folder = folder
        self._budget = budget
        self._line: Line[tuple[str, ...]] = Line(WHO, server.start)

    @property
    def named(self) -> bool:
        """Whether a model was chosen by name."""
        return bool(self._model)

    def ask(self, query: str) -> Asked[tuple[str, ...]]:
        """Begin to look for terms, so that other work can be done meanwhile."""
        text = " ".join(query.split())
        name = content_hash(f"{VERSION} {self._model} {text.lower()}".encode("utf-8", "replace"))
        known = self._known(name)
        if known:
            return Asked(WHO, Call(known))
        return self._line.ask(name, lambda: self._found(name, text))

    def await_terms(self, asked: Asked[tuple[str, ...]]) -> Expanded:
        """What was asked for, within the budget since the server was asked."""
        try:
            return Expanded(asked.within(self._budget))
        except ArkError as error:
            return Expanded(reason=error.what.rstrip("."))

    def terms(self, query: str) -> Expanded:
        """Terms for a query, or the reason why there are none, within the budget."""
        return self.await_terms(self.ask(query))

    def _found(self, name: str, text: str) -> tuple[str, ...]:
        model = self._model or self._any()
        messages = [
            {"role": "system", "content": TASK},
            {"role": "user", "content": f"Query: {text}"},
        ]
        found = read(self._server.chat(model, messages, SCHEMA), text)
        self._keep(name, found)
        return found

    def _any(self) -> str:
        names = [one.name for one in self._server.installed() if not one.embeds]
        if not names:
            raise NoModel(f"{WHO} has no chat model.", "Get one, such as `ollama pull qwen3:4b`.")
        return names[0]

    def _known(self, name: str) -> tuple[str, ...]:
        try:
            return tuple(map(str, read_json(read_checked(self._folder / name) or b"")))
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


def vague(terms: Terms) -> bool:
    """Whether a query says too little: two words at most, and nothing exact among them."""
    exact = terms.phrases or terms.identifiers or any(char.isdigit() for word in terms.words for char in word)
    return 0 < len(terms.stems) <= VAGUE and not exact


def read(answer: str, query: str) -> tuple[str, ...]:
    """The terms in a chat model's answer, without doubles and the query's own words.

    Raises `Wrong` when there are none.
    """
    try:
        listed = read_json(answer)["terms"]
        texts = [" ".join(text.split()).lower() for text in listed if isinstance(text, str)]
    except (ValueError, TypeError, KeyError) as error:
        raise Wrong(f"{WHO} did not answer with terms.", "Take another `chat_model`.") from error
    own = {query.lower(), *query.lower().split()}
    good = [text for text in dict.fromkeys(texts) if 0 < len(text) <= LONGEST and text not in own]
    if not good:
        raise Wrong(f"{WHO} found no further terms.", "Take another `chat_model`.")
    return tuple(good[:MOST])
