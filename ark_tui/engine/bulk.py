"""What a worker of a cluster does: read files of a folder, cut and embed them, and stage what comes of them.

The home takes it up by its ordinary way (`engine/cluster.py`). Nothing here knows how workers are reached.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ark_tui.domain.documents import ChunkDraft, Draft, LinkDraft, content_hash, embedded_text, text_hash
from ark_tui.domain.errors import ArkError
from ark_tui.domain.stages import Stages
from ark_tui.domain.work import Problem
from ark_tui.embedding import choice
from ark_tui.engine.workers import at_worker
from ark_tui.index.staging import Staging
from ark_tui.index.vectors.table import Embeddings
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Taken, Task, take
from ark_tui.ingest.walk import CHANGED, Entry
from ark_tui.settings import load
from ark_tui.settings.tree import Tree
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.embedding.served import ServedModel


class Said(NamedTuple):
    """What the rules of the folder, which the home has, say of one file."""

    kept: bool
    module: str

    def keeps(self, path: str) -> bool:  # noqa: ARG002 - it was asked about this one
        return self.kept

    def submodule(self, path: str) -> str:  # noqa: ARG002
        return self.module


@dataclass(frozen=True, slots=True)
class Order:
    """What workers are told of a folder; equal orders give equal rows for equal files."""

    staging: Staging
    token: str
    root: str
    collection: str
    reading: Reading
    home: str  # where a model that was added lies, and what else there is of models
    settings: Mapping[str, object]
    model: ServedModel | None  # besides the embedded one
    version: str = VERSION

    def key(self, task: Task) -> str:
        """What decides, with its bytes, what comes of a file: by this it is found again when staged."""
        model, path = self.model.fingerprint if self.model else "", task.entry.path
        rules = task.rules.keeps(path), task.rules.submodule(path)
        by = (self.version, self.root, self.collection, self.reading.cut, model, *task.entry, *rules)
        return content_hash(json.dumps(by).encode("utf-8", "surrogatepass"))


def work(order: Order, tasks: Sequence[Task]) -> tuple[str, str]:
    """Read files and stage what comes of them: the name of their table, and what is to be said.

    Without tasks it only looks whether it could. Raises `ArkError`, with the name of this machine.
    """
    with at_worker(order.version):
        return _work(order, tasks)


def _work(order: Order, tasks: Sequence[Task]) -> tuple[str, str]:
    with Tree(order.root) as files:
        if not Path(order.root).is_dir():
            raise ArkError(f"There is no folder {order.root}.", "Have it at the same path at every machine.")
        order.staging.check(order.token)
        if not tasks:
            return "", ""
        stages = Stages("files")
        taken = [_taken(files, task, order.reading, stages) for task in tasks]
    texts = [_texts(one) for one in taken]
    vectors, said = _embedded(order, {key: text for one in texts for key, text in one.items()})
    rows = [
        _row(order.key(task), one, mine, vectors)
        for task, one, mine in zip(tasks, taken, texts, strict=True)
    ]  # fmt: skip
    return order.staging.write([row["key"] for row in rows], rows), said


def _taken(files: Tree, task: Task, reading: Reading, stages: Stages) -> Taken:
    """Read a file that is as the home saw it; its inode may be another at another machine."""
    try:
        here = Entry.of(files, task.entry.path)
    except OSError:
        here = None
    if here is None or (here.size, here.mtime_ns) != (task.entry.size, task.entry.mtime_ns):
        return Taken(task.entry, task.scanned, "", 0, Problem(task.entry.path, CHANGED, "failed"))
    return take(files, task._replace(entry=here), reading, stages)._replace(entry=task.entry)


def _texts(taken: Taken) -> dict[str, str]:
    """What is embedded of a file, by hash."""
    if not isinstance(taken.drafts, tuple):
        return {}
    return {
        text_hash(about, text): embedded_text(about, text)
        for draft in taken.drafts
        for chunk in draft.chunks
        for about, text in [(draft.context(chunk), draft.body[chunk.start_char : chunk.end_char])]
    }


def _embedded(order: Order, texts: Mapping[str, str]) -> tuple[dict[str, bytes], str]:
    """The served model's vectors of texts, as bytes, by the hash of the text; and why there are none.

    What is not embedded here, the home embeds.
    """
    if order.model is None or not texts:
        return {}, ""
    try:
        embedder = choice.embedder(order.model, load(Path(order.home), order.settings))
        rows = embedder.embed_documents(list(texts.values()))
    except ArkError as error:
        return {}, f"the worker {socket.gethostname()} left vectors to the home: {error.told}"
    return dict(zip(texts, (row.tobytes() for row in np.asarray(rows, np.float32)), strict=True)), ""


def _row(key: str, taken: Taken, texts: Mapping[str, str], vectors: Mapping[str, bytes]) -> dict[str, Any]:
    """A file as a row of the staged table."""
    drafts = taken.drafts
    told: Any = None
    if isinstance(drafts, Problem):
        told = asdict(drafts)
    elif drafts is not None:
        told = [asdict(draft) for draft in drafts]
    return {
        "key": key, "scanned_ns": taken.scanned, "hash": taken.digest, "bytes": taken.size,
        "documents": json.dumps(told, default=date.isoformat), "texts": list(texts),
        "served": [vectors[one] for one in texts] if vectors else [],
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Staged:
    """A row, as the home reads it."""

    taken: Taken
    vectors: Embeddings

    @classmethod
    def of(cls, row: Mapping[str, Any], task: Task, dims: int) -> Staged:
        """What was staged of a file, which may have been purged since, or taken up by another run."""
        told, texts = json.loads(row["documents"]), tuple(row["texts"])
        told = None if row["hash"] and row["hash"] == task.same else told
        drafts = tuple(map(_draft, told)) if isinstance(told, list) else Problem(**told) if told else None
        taken = Taken(task.entry, row["scanned_ns"], row["hash"], row["bytes"], drafts)
        flat = np.frombuffer(b"".join(row["served"]), np.float32).reshape(-1, dims or 1)
        return cls(taken, Embeddings(texts if len(flat) else (), vectors=flat))

    @property
    def lasting(self) -> bool:
        """Whether it may be taken up later: documents of a file that was not being saved when it was read."""
        return not isinstance(self.taken.drafts, Problem) and self.taken.entry.settled(self.taken.scanned)


def _draft(told: Mapping[str, Any]) -> Draft:
    lists: dict[str, Any] = {
        "chunks": [ChunkDraft(**chunk) for chunk in told["chunks"]],
        "links": [LinkDraft(**link) for link in told["links"]],
        "fields": map(tuple, told["fields"]),
    }
    tuples = {name: tuple(lists.get(name, value)) for name, value in told.items() if isinstance(value, list)}
    day = date.fromisoformat(told["date"]) if told["date"] else None
    return Draft(**{**told, **tuples, "date": day})
