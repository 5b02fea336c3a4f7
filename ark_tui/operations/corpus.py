"""The corpus: indexing folders, files and texts, its state, and the embedding models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.models import Models
from ark_tui.domain.work import Coverage, FileState, IndexReport, Publication, Status
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Cluster, Name, Tags, Text

MOST_FILES = 100_000  # files per list

Model = Annotated[
    str,
    Param("", example="ollama:nomic-embed-text", metavar="NAME"),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ingested:
    """A text that is kept now, as a document."""

    also: ClassVar[tuple[str, ...]] = ("id",)

    document: Document

    @property
    def id(self) -> str:
        """The id of the document."""
        return self.document.id


def folders(
    call: Call,
    *,
    roots: Sequence[Path] = (),
    collection: str = "",
    collections: Sequence[str] = (),
    **_: object,
) -> Sequence[Path]:
    """The folders that `index` updates; empty for those of the settings.

    Raises `UsageError`, and `NotFound` for an unknown collection.
    """
    if roots and not call.person:
        raise UsageError("Only a person can add a folder.", "Name collections, or ask the user.")
    if collection and len(roots) > 1:
        raise UsageError("One collection cannot follow several folders.", "Index them one by one.")
    known = {} if roots and not collections else call.engine.library.roots()
    if collection in known and not collections:
        collections = (collection,)
    configured = call.person and call.engine.settings.roots
    if collections or not (roots or configured or collection):
        roots = (*roots, *_chosen(known, collections))
    if not roots and (collection or not configured):
        hint = Hint.run("index", "~/notes", say="Name a folder, as in `{}`, or set `roots` in the config.")
        for name in sorted(known)[:1]:
            hint = Hint.run("index", collection=name, say="`{}` looks again at a folder that is followed.")
        raise UsageError("There is nothing to index.", hint)
    return [*roots]


def _chosen(roots: Mapping[str, str], names: Sequence[str]) -> list[Path]:
    """The folders of the named collections, or of all that have one. Raises `NotFound`."""
    if unknown := [name for name in names if name not in roots]:
        known = ", ".join(sorted(roots)) or "none"
        raise NotFound(f"No folder is followed as {unknown[0]}.", f"Collections with a folder: {known}.")
    return [Path(roots[name]) for name in names or roots]


@operation(
    "index", Effect.SETS, example="ark-tui index ~/notes ~/papers --tag study",
    begins=True, long=True, check=folders,
)  # fmt: skip
def index(
    call: Call,
    roots: Annotated[
        tuple[Path, ...],
        Param(
            "Folders to follow; for a person only.",
            example=("~/notes",),
            argument=True,
            personal=True,
        ),
    ] = (),
    collection: Annotated[
        str,
        Param("The name of the collection, instead of the folder's name.", example="work", metavar="NAME"),
    ] = "",
    tags: Annotated[Tags, Param("Tag every document; may be given several times.")] = (),
    dry_run: Annotated[bool, Param("Only show what would be done.")] = False,
    collections: Annotated[
        tuple[Name, ...],
        Param(
            "Update only these collections.",
            example=("notes",),
            metavar="NAME",
            option="--only",
        ),
    ] = (),
    on: Cluster = "",
) -> IndexReport:
    """Index folders, and follow their changes.

    Each folder becomes a collection named after it. Only changed files are read again, so the same command
    continues after an interruption. Without folders or collections, a person's folders come from ARK_DIRS,
    from `roots` in the configuration, or from ./thoughts; if there are none, and for programs, all followed
    folders are updated.
    """  # fmt: skip
    wanted = folders(call, roots=roots, collection=collection, collections=collections)
    report = call.engine.index(
        wanted,
        collection=collection,
        tags=tags,
        dry_run=dry_run,
        on=on,
        stop=call.stop,
        progress=call.progress,
    )
    said = () if wanted else (f"Using roots from: {call.engine.settings.roots_from}",)
    return replace(report, notices=(*said, *report.notices))


@operation(
    "ingest", Effect.ADDS, command="add",
    example="ark-tui add call Ann about the minutes --title Minutes --tag team",
)  # fmt: skip
def ingest(
    call: Call,
    text: Annotated[
        Text,
        Param(
            "The text to add.",
            example="Owls fly without a sound.",
            argument=True,
            words=True,
            wire="content",
        ),
    ],
    title: Annotated[str, Param("What to call it; otherwise its first line.", example="Minutes")] = "",
    tags: Annotated[Tags, Param(wire="tag", lone=True)] = (),
    source: Annotated[
        str,
        Param("Where it comes from; the same source is the same document.", example="mail:17"),
    ] = "",
    collection: Annotated[
        Name, Param("The collection for it.", example="minutes", metavar="NAME")
    ] = "default",
) -> Ingested:
    """Store a text that has no file. The same text with the same title is the same document."""  # fmt: skip
    return Ingested(
        call.engine.ingest_text(text, title=title, tags=tags, source=source, collection=collection)
    )


@operation(
    "ingest-file", Effect.SETS, command="add", example="ark-tui add paper.md --tag reading", begins=True
)
def ingest_file(
    call: Call,
    path: Annotated[
        Path,
        Param(
            "The file; a program may name those in followed folders and in `agent_folders`.",
            example="paper.md",
            argument=True,
        ),
    ],
    tags: Tags = (),
) -> IndexReport:
    """Index one file, and follow its changes."""  # fmt: skip
    from ark_tui.engine import indexing

    return indexing.ingest_file(call.engine, path, tags=tags, confined=not call.person)


@operation(
    "ingest-url", Effect.SETS, command="add",
    example="ark-tui add https://example.org/paper.pdf --tag reading",
    begins=True, personal=True, long=True,
)  # fmt: skip
def ingest_url(
    call: Call,
    url: Annotated[
        str, Param("The address.", example="https://example.org/paper.pdf", argument=True, metavar="URL")
    ],
    tags: Tags = (),
    collection: Annotated[Name, Param("The collection for it.", example="reading", metavar="NAME")] = "web",
    private: Annotated[
        bool, Param("Allow addresses of this machine and of private networks.", example=True)
    ] = False,
) -> Ingested:
    """Fetch a web page or paper once, and store its text.

    The address is its path; the fields `url`, `fetched` and `fetched_at` say where it came from, and when. It
    is fetched again only when it is asked for again. Five redirects, 30 s and `max_bytes` are the limits.
    Nothing follows its links, no cookie is kept, and settings of a proxy are not used.
    """
    from ark_tui.engine import fetching

    return Ingested(
        fetching.ingest_url(
            call.engine, url, tags=tags, collection=collection, private=private, stop=call.stop
        )
    )


@operation("status", Effect.READS, example="ark-tui status --files", route="GET /status")
def status(
    call: Call,
    files: Annotated[
        bool,
        Param(
            "List the files that are not indexed, or indexed with a remark, each with the reason.",
            example=True,
        ),
    ] = False,
) -> Status:
    """Show what is stored, waiting and skipped. Programs do not see the paths of this machine."""
    found = call.engine.status(rows=files or call.person)
    if call.person:
        return found
    return replace(
        found, store_path="", collections=tuple(replace(one, root=None) for one in found.collections)
    )


@operation(
    "coverage", Effect.READS, command="status coverage", example="ark-tui status coverage --state ignored",
    route="GET /coverage",
)  # fmt: skip
def coverage(
    call: Call,
    collection: Annotated[str, Param("Only files of this collection.", example="notes", metavar="NAME")] = "",
    states: Annotated[
        tuple[FileState, ...],
        Param(
            "Only files of this state; may be given several times.", example=("ignored",), option="--state"
        ),
    ] = (),
    limit: Annotated[int, Param("How many files to list.", example=100, least=1, most=MOST_FILES)] = 1_000,
    offset: Annotated[int, Param("How many to skip.", example=100, least=0, most=10 * MOST_FILES)] = 0,
) -> Coverage:
    """List the files of the followed folders: indexed, waiting, skipped, failed or ignored, and why.

    Without a state it lists all files that are not fully indexed. A file is skipped if it cannot be read,
    failed if it may work later, and ignored if a rule says so; the rule and its line are shown to a person
    only.
    """
    from ark_tui.engine import health

    return health.coverage(
        call.engine,
        collection=collection,
        states=states,
        offset=offset,
        limit=limit,
        ignored=call.person,
        stop=call.stop,
    )


@operation(
    "publish", Effect.SETS, command="export table",
    example="ark-tui export table s3://bucket/notes", personal=True, long=True,
)  # fmt: skip
def publish(
    call: Call,
    uri: Annotated[
        str,
        Param(
            "Where: s3://, gs://, az://, db://, or a folder; else the setting `index`.",
            example="s3://bucket/notes", metavar="URI", argument=True,
        ),
    ] = "",
    anew: Annotated[bool, Param("Write everything again.", example=True)] = False,
) -> Publication:  # fmt: skip
    """Publish the corpus as a LanceDB table that many machines can search.

    A later run writes what has changed since.
    """
    from ark_tui.engine import publishing

    return publishing.publish(call.engine, uri, call.stop, call.progress, anew=anew)


@operation("models list", Effect.READS, example="ark-tui models list", route="GET /models")
def list_models(call: Call) -> Models:
    """List the models: those with vectors here, those that were added, and all that Ollama has."""
    return call.engine.models.listed()


@operation(
    "models", Effect.SETS, example="ark-tui models --use ollama:nomic-embed-text", begins=True, long=True
)
def models(
    call: Call,
    use: Annotated[
        Model,
        Param(
            "Search with this model. Its vectors are built beside those in use, which answer until "
            "it is complete. After an interruption the same command continues."
        ),
    ] = "",
    pull: Annotated[Model, Param("Let Ollama download this model first.")] = "",
    anyway: Annotated[bool, Param("Use it although it is not made for embedding.", example=True)] = False,
    drop: Annotated[
        Model,
        Param(
            "Delete the vectors of this model; those in use stay. Only a person may ask for it.",
            personal=True,
        ),
    ] = "",
    yes: Annotated[
        bool, Param("Delete them. Without it, the command only shows their size.", example=True)
    ] = False,
) -> Models:
    """List the models, or switch to another.

    NAME is `static`, `local:MODEL` of one that was added, `ollama:MODEL`, `openai:MODEL`, `openrouter:MODEL`
    or the address of an endpoint; a plain name is a model that was added, else one of Ollama. Vectors of
    earlier models are kept, so that going back embeds only new texts.
    """
    if drop and not call.person:
        raise UsageError("Only a person can delete vectors.", "Ask the user.")
    if drop:
        call.engine.models.drop(drop, yes=yes)
    if pull:
        call.engine.models.pull(pull, call.stop, call.progress)
    if use:
        call.engine.models.use(use, call.stop, call.progress, call.say, anyway=anyway)
    return call.engine.models.listed()


@operation(
    "models add", Effect.SETS, example="ark-tui models add minilm --from ~/models/minilm",
    begins=True, personal=True, long=True,
)  # fmt: skip
def add_model(
    call: Call,
    name: Annotated[
        str, Param("Its name; else that of the folder.", example="minilm", argument=True, metavar="NAME")
    ] = "",
    from_: Annotated[
        Path | None,
        Param(
            "A folder with an ONNX model and its tokenizer.json; it is copied.",
            example="~/models/minilm",
            option="--from",
            metavar="FOLDER",
        ),
    ] = None,
) -> Models:
    """Add a model that runs in this process, without a server.

    Without a folder it is fetched from the hub that `model_hub` names: bge-small, e5-small (many languages)
    and minilm make vectors; ms-marco-minilm, bge-reranker and jina-reranker re-rank. A model whose output is
    one score is a re-ranker. It needs `pip install 'ark-tui[local]'`. If the setting `embedding` is auto and
    no other model is in use, its vectors are built; searches use them once they are complete.
    """
    call.engine.models.add(name, from_ and from_.expanduser(), call.stop, call.progress)
    return call.engine.models.listed()


@operation("models remove", Effect.DESTROYS, example="ark-tui models remove minilm", personal=True)
def remove_model(
    call: Call,
    name: Annotated[
        str, Param("The name under which it was added.", example="minilm", argument=True, metavar="NAME")
    ],
) -> Models:
    """Remove a model that was added.

    If it is in use, searches continue with the static model. Its vectors are kept in case it is added again.
    """
    call.engine.models.remove(name)
    return call.engine.models.listed()
