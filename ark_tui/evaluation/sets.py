"""Reads judged sets: BEIR folders, or queries and judgments over a folder of files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.wording import counted
from ark_tui.evaluation.metrics import Grades

LAYOUT = Hint.run(
    "eval", help=True, say="A judged set has corpus.jsonl, queries.jsonl and qrels/test.tsv; see `{}`."
)
QRELS = (Path("qrels") / "test.tsv", Path("qrels.tsv"))
CORPUS = "corpus.jsonl"
COLUMNS = 3  # query-id, corpus-id, score


@dataclass(frozen=True, slots=True)
class Topic:
    """A query with its judgments; `collection`: the collection to search."""

    id: str
    text: str
    grades: Grades
    category: str = ""
    collection: str = ""


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """A corpus and its topics. `lines`: the corpus is a JSONL file with one document per line."""

    name: str
    corpus: Path
    lines: bool
    documents: int
    topics: tuple[Topic, ...]
    notices: tuple[str, ...] = ()


def read(folder: Path, corpus: Path | None = None) -> JudgedSet:
    """Read one set. Raises `UsageError`, with file and line, for invalid content.

    Raises `NotFound` for a missing folder. `corpus`: a folder of files whose paths are the document ids,
    instead of the set's corpus.jsonl. Judgments about unknown documents or queries are counted in a notice.
    """
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", LAYOUT)
    if corpus is not None and not corpus.is_dir():
        raise NotFound(
            f"There is no folder {corpus}.",
            Hint.give(corpus=True, say="{} names the folder of the judged files."),
        )
    queries = _existing(folder, Path("queries.jsonl"))
    judgements = _existing(folder, *QRELS)
    documents = _paths(corpus) if corpus else _ids(_existing(folder, Path(CORPUS)))
    collections = set(documents.values())
    asked = {topic.id: topic for topic in _queries(queries, collections if corpus is None else set())}
    qrels = _qrels(judgements)
    topics, notices = _judged(asked, qrels)
    notices += _unknown(documents, asked, qrels)
    if not topics:
        raise UsageError(f"{judgements} has no answer to any of the queries.", LAYOUT)
    return JudgedSet(
        folder.resolve().name,
        corpus or folder / CORPUS,
        corpus is None,
        len(documents),
        tuple(topics),
        tuple(notices),
    )


def _existing(folder: Path, *names: Path) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise UsageError(f"{folder} has no {names[0]}.", LAYOUT)


def _paths(corpus: Path) -> dict[str, str]:
    found = {
        path.relative_to(corpus).as_posix(): ""
        for path in corpus.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    if not found:
        raise UsageError(
            f"{corpus} has no files in it.",
            Hint.give(corpus=True, say="{} names the folder of the judged files."),
        )
    return found


def _ids(path: Path) -> dict[str, str]:
    """The collection of each document, by id."""
    found: dict[str, str] = {}
    for number, record in _records(path):
        id_ = _id(path, number, record)
        if id_ in found:
            raise UsageError(
                f"{path}:{number}: the _id {id_} already exists.", "Every document needs its own."
            )
        found[id_] = str(_metadata(record).get("collection", ""))
    if not found:
        raise UsageError(f"{path} has no documents in it.", LAYOUT)
    return found


def _queries(path: Path, collections: set[str]) -> Iterator[Topic]:
    seen: set[str] = set()
    for number, record in _records(path):
        id_, text, about = _id(path, number, record), record.get("text"), _metadata(record)
        collection = str(about.get("collection", "")) if collections else ""
        if not isinstance(text, str) or not text.strip():
            raise UsageError(f"{path}:{number}: the query {id_} has no text.", "It needs a `text`.")
        if id_ in seen:
            raise UsageError(f"{path}:{number}: the _id {id_} already exists.", "Every query needs its own.")
        if collection and collection not in collections:
            raise UsageError(
                f"{path}:{number}: no document is in the collection {collection}.",
                "A query is asked inside its metadata.collection.",
            )
        seen.add(id_)
        yield Topic(id_, text, {}, str(about.get("category", "")), collection)
    if not seen:
        raise UsageError(f"{path} has no queries in it.", LAYOUT)


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    """Grades by query and document."""
    found: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        fields = line.split("\t")
        if number == 1 and fields[-1].strip() == "score":
            continue
        if len(fields) != COLUMNS or not _is_whole(fields[2]):
            raise UsageError(
                f"{path}:{number}: not `query-id`, `corpus-id` and a whole `score`, separated by tabs.",
                LAYOUT,
            )
        query, document, grade = (field.strip() for field in fields)
        found.setdefault(query, {})[document] = int(grade)
    if not found:
        raise UsageError(f"{path} has no judgements in it.", LAYOUT)
    return found


def _judged(asked: dict[str, Topic], qrels: dict[str, dict[str, int]]) -> tuple[list[Topic], list[str]]:
    """The topics with a relevant document, in the order of the queries."""
    topics = [
        replace(topic, grades=qrels[topic.id])
        for topic in asked.values()
        if any(grade > 0 for grade in qrels.get(topic.id, {}).values())
    ]
    left = len(asked) - len(topics)
    return topics, [f"{counted(left, 'query', 'queries')} without a judged answer left out"] if left else []


def _unknown(
    documents: dict[str, str], asked: dict[str, Topic], qrels: dict[str, dict[str, int]]
) -> list[str]:
    queries = sum(query not in asked for query in qrels)
    judged = sum(document not in documents for grades in qrels.values() for document in grades)
    notices = []
    if judged:
        what = counted(judged, "judgement names a document", "judgements name documents")
        notices.append(f"{what} that the corpus does not have; as in trec_eval, they count as not found")
    if queries:
        without = counted(queries, "query", "queries")
        notices.append(f"judgements for {without} that the set does not have are left out")
    return notices


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their line numbers."""
    for number, line in _lines(path):
        try:
            record = read_json(line)
        except ValueError as error:
            raise UsageError(f"{path}:{number}: not JSON: {error}.", LAYOUT) from error
        if not isinstance(record, dict):
            raise UsageError(f"{path}:{number}: not an object.", LAYOUT)
        yield number, record


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}:{number + 1}: not UTF-8.", LAYOUT) from error


def _id(path: Path, number: int, record: dict[str, Any]) -> str:
    id_ = record.get("_id")
    if isinstance(id_, bool) or not isinstance(id_, str | int) or not str(id_).strip():
        raise UsageError(f"{path}:{number}: no _id.", LAYOUT)
    return str(id_).strip()


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    metadata = record.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _is_whole(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True
