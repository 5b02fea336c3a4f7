"""What is fuzzed: one function per parser, which raises when an input does what no input may do.

An `ArkError` is a refusal and always allowed, whatever else is raised is a finding. They run in a process of
their own (`child.py`) whose current folder is empty and theirs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias

from ark_tui.domain.dates import query as when
from ark_tui.domain.documents import Draft
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.query import Request
from ark_tui.domain.unicode import composed
from ark_tui.evaluation import sets
from ark_tui.index.words import terms
from ark_tui.ingest import apart, frontmatter, markdown
from ark_tui.ingest.chunk import symbols
from ark_tui.ingest.chunk.cutting import chunk
from ark_tui.ingest.chunk.pack import measured
from ark_tui.ingest.decode import storable
from ark_tui.ingest.ignore import Ignore
from ark_tui.ingest.readers.content import Content
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from ark_tui.interfaces.tui.state import keymap, session
from ark_tui.memory import importing
from ark_tui.memory.chats.source import Source
from ark_tui.retrieval import exclusion, query
from ark_tui.settings import lenient, load, ralph, ranking
from ark_tui.settings.config import STRATEGIES
from ark_tui.settings.home import Home
from ark_tui.store import migrations
from tests.files import hostile
from tests.fuzz import interfaces
from tests.fuzz.homes import HERE, engine

Target: TypeAlias = Callable[[bytes], object]

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Aim:
    """What an input is given to, and the kind of inputs to begin with."""

    run: Target
    kind: str
    slow: int = 1  # one input counts for so many of the others


def text(data: bytes) -> str:
    """What a person or a program hands over as text: halves of pairs may be among it."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


# -- files -------------------------------------------------------------------------------------------


def read(name: str, data: bytes) -> None:
    """A file of that name is one or more whole documents, or one problem."""
    found = Reading().read(Entry(name, len(data), 0, 1), data)
    if isinstance(found, tuple):
        assert found
        for draft in found:
            whole(draft)
    else:
        assert found.reason


def whole(draft: Draft) -> None:
    """No text lost, and nothing in it that no store takes."""
    start = 0
    if draft.format == "markdown":
        front = frontmatter.read(draft.body)
        start = 0 if front.broken or not draft.body[front.end :].strip() else front.end
    spans = [(one.start_char, one.end_char) for one in draft.chunks if one.end_char > start]
    covered(draft.body, start, spans)  # before the start there are only descriptions of the whole
    for said in strings(asdict(draft) | {"body": "", "chunks": []}):
        said.encode()
        assert "\0" not in said
    draft.body.encode()
    assert draft.place is None or abs(draft.place) < 1 << 63
    assert max((len(one.heading) for one in draft.chunks), default=0) < 1_300, "headings pile up"


def covered(body: str, start: int, spans: list[tuple[int, int]]) -> None:
    """Every character that is not blank is in a chunk; chunks are what they say, in order."""
    at = start
    for begin, end in spans:
        assert start <= begin < end <= len(body)
        assert not body[at:begin].strip(), f"lost: {body[at:begin].strip()[:60]!r}"
        assert body[begin:end].rstrip() == body[begin:end]
        at = max(at, end)
    assert not body[at:].strip(), f"lost: {body[at:].strip()[:60]!r}"


def strings(value: object) -> Iterator[str]:
    """All texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from strings(key)
            yield from strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from strings(one)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from strings(asdict(value))


def part(suffix: str, data: bytes) -> None:
    """A document with this as its main part is a text with blocks in it, or a reason."""
    if suffix == "pdf":
        pages = (b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", data)
        document = hostile.pdf(*pages, b"<</Length 38>>stream\nBT/F 9 Tf 9 9 Td(Seen)Tj ET\nendstream ")
    else:
        document = hostile.changed(suffix, {PARTS[suffix]: data})
    found = apart._answer(f".{suffix}", document)
    assert found.get("reason") or found["texts"]
    for content in map(Content.of, found.get("texts", ())):
        starts = [block.start for block in content.blocks]
        assert starts == sorted(starts)
        assert 0 <= starts[0] <= starts[-1] < len(content.text)


def chats(data: bytes) -> None:
    """An export is chats, each with messages or with its problem, whatever format it is taken for."""
    path = Path("export.json")
    path.write_bytes(data)
    for kind in importing.FORMATS.values():
        with suppress(ArkError):
            for chat in kind(Source(path, (path.name,))):
                assert not (chat.problem and chat.messages)
                "".join(strings(asdict(chat))).encode()


def chunks(data: bytes) -> None:
    """Every strategy, with chunks small and large."""
    body = text(data)
    limit = 2 + len(data) % 500
    for strategy in STRATEGIES if len(data) < 5_000 else STRATEGIES[len(data) % len(STRATEGIES) :][:1]:
        language = (
            (*symbols.GRAMMARS, "")[len(data) % (len(symbols.GRAMMARS) + 1)] if strategy == "symbol" else ""
        )
        found = chunk(body, strategy, limit, measure=measured, language=language, overlap=limit // 3)
        covered(body, 0, [(one.start_char, one.end_char) for one in found])
        for one in found[:20]:
            assert one.start_line == body.count("\n", 0, one.start_char) + 1


def front(data: bytes) -> None:
    """Front matter, then what is made of it."""
    body = text(data)
    found = frontmatter.read(body)
    assert 0 <= found.end <= len(body)
    for key in ("title", "date", "place", "tags"):
        found.text(key).encode()
        assert all(isinstance(one, str) for one in (*found.all(key), *found.tags()))
    markdown.outline(body, found.end)


def ignore(data: bytes) -> None:
    """An ignore file decides about paths that are as odd as it is."""
    Path(".arkignore").write_bytes(data)
    rules = Ignore.of(Path.cwd())
    for path in (
        "a",
        "a/b.md",
        "a" * 200,
        "a/" * 50 + "b",
        "ab" * 60 + "c",
        "x.log",
        "[a",
        "\\",
        "é\u2028\udc80",
    ):
        rules.file(path)
        rules.folder(path)


# -- queries -----------------------------------------------------------------------------------------


def queries(data: bytes) -> None:
    """The query language; typed as well as run."""
    line = text(data)
    for typing in (False, True):
        try:
            found = query.parse(line, NOW, typing=typing)
        except UsageError:
            continue
        assert found.raw == composed(line)
        terms.read(storable(found.text))


def times(data: bytes) -> None:
    """Times and negation in plain words."""
    line = storable(text(data))
    for period in when.periods(line, NOW):
        assert period.first <= period.last
        assert period.text in line
    when.day(line, NOW)
    when.without_relative(line, NOW)
    query.only_times(line, NOW)
    kept, negated = exclusion.split(line)
    assert bool(negated) or kept == line
    exclusion.awaits(line, len(line))


def search(data: bytes) -> None:
    """A search over a few documents, whatever is asked."""
    line = text(data)
    result = engine().search(Request(line, limit=3, expand=False, unlogged=True, typing=len(data) % 2 == 1))
    json.dumps([hit.score for hit in result.hits], allow_nan=False)


# -- what lies in a home -----------------------------------------------------------------------------


def config(data: bytes) -> None:
    """config.toml: whatever it says, there are settings, keys and profiles."""
    home = _home()
    home.config.write_bytes(data)
    found = load(home.path, environ={})
    keymap.made(found.keymap).changed()
    for profile in found.profiles.values():
        ranking.table(profile)
    for warning in found.warnings:
        assert warning


def profiles(data: bytes) -> None:
    """`--set KEY=VALUE`, one a line; and what comes of it can be written and read again."""
    profile = ranking.changed(ranking.shipped()["default"], text(data).splitlines())
    lenient.parse(ranking.difference(profile, ranking.shipped()["default"]))


def keys(data: bytes) -> None:
    """`action = keys`, one a line."""
    lines = (line.partition("=") for line in text(data).splitlines())
    keymap.made({name.strip(): keys.strip() for name, _, keys in lines}).changed()


def imported(data: bytes) -> None:
    """`config import`: what it writes is a config that is read without a complaint of its syntax."""
    home = _home()
    home.config.unlink(missing_ok=True)
    source = Path("ralph.json")
    source.write_bytes(data)
    ralph.take_over(source, home)
    if home.config.exists():
        assert not lenient.read(home.config).faults


def kept(data: bytes) -> None:
    """How the workbench was left: session, choices, a draft."""
    home = _home().path
    for kind in session.FILES:
        (home / session.FILES[kind][0]).write_bytes(data)
        found, _ = session.load(home, kind)
        session.save(home, found)
        assert session.load(home, kind) == (found, "")


def curation(data: bytes) -> None:
    """`import-curation`: one edit, without the lines that no export writes."""
    before = engine().curation.export()
    try:
        engine().curation.take_over(data.decode())
    except UnicodeDecodeError:  # the command says so
        return
    except ArkError:
        assert engine().curation.export() == before
        raise
    engine().curation.export()


def judged(data: bytes) -> None:
    """A judged set: queries, corpus and judgements, parted by lines `%%`."""
    folder = Path("set")
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    parts = [*data.split(b"%%\n"), b"", b""]
    for name, part in zip(("queries.jsonl", "corpus.jsonl", "qrels/test.tsv"), parts, strict=False):
        (folder / name).write_bytes(part)
    sets.read(folder)


def backup(data: bytes) -> None:
    """A backup: a zip as given, or a sound one with this manifest. Refused: the store is as it was."""
    import zipfile

    source = Path("backup.zip")
    if data.startswith(b"PK"):
        source.write_bytes(data)
    else:
        good, digest = _packed()
        with zipfile.ZipFile(source, "w") as archive:
            archive.writestr("ark.duckdb", good)
            manifest = data.replace(b"@sha@", digest).replace(b"@schema@", b"%d" % migrations.LATEST)
            archive.writestr("manifest.json", manifest)
    before = engine().status().documents
    engine().restore(source)
    assert engine().status().documents == before


@cache
def _packed() -> tuple[bytes, bytes]:
    import zipfile

    with zipfile.ZipFile(engine().backup(Path("good.zip").resolve())) as archive:
        return archive.read("ark.duckdb"), json.loads(archive.read("manifest.json"))["sha256"].encode()


def stored(data: bytes) -> None:
    """A folder with one file of each format is indexed: nothing fails at the store or at the indexes."""
    folder = Path("files")
    folder.mkdir(exist_ok=True)
    names = [f"a{suffix}" for suffix in (".md", ".txt", ".json", ".jsonl", ".html", ".py", ".ts", ".sh")]
    for name in names:
        (folder / name).write_bytes(data[:4096])
    report = engine().index([folder])
    assert report.failed == 0
    assert report.added + report.changed + report.renamed + report.skipped + report.unchanged >= len(names)
    assert engine().sync() >= 0
    assert not [follower for follower in engine().status().followers if follower.behind]


def _home() -> Home:
    home = Home(HERE.resolve())
    home.create()
    return home


FILES = {
    "markdown": "note.md",
    "text": "note.txt",
    "html": "page.html",
    "json": "a.json",
    "jsonl": "a.jsonl",
    "mail": "a.mbox",
    **{
        language: f"a.{suffix}"
        for language, suffix in {
            "python": "py", "javascript": "js", "typescript": "ts", "tsx": "tsx", "rust": "rs", "go": "go",
            "java": "java", "c": "c", "cpp": "cpp", "bash": "sh",
        }.items()
    },
}  # fmt: skip

MARKUP = ("org", "rst", "adoc", "tex")
ROWS = ("csv", "srt", "log", "yaml", "svg")
PARTS = {  # of a document, by its suffix
    "docx": "word/document.xml",
    "pptx": "ppt/slides/slide1.xml",
    "odt": "content.xml",
    "epub": "OEBPS/book.opf",
}
READERS = (*FILES, "message", *MARKUP, *ROWS, "ipynb", "canvas", *PARTS, "pdf", "chats")
"""Targets that the tests also try some new inputs on."""

TARGETS: dict[str, Aim] = {
    **{kind: Aim(partial(read, name), kind) for kind, name in FILES.items()},
    "message": Aim(partial(read, "a.eml"), "mail"),
    **{suffix: Aim(partial(read, f"a.{suffix}"), "markup") for suffix in MARKUP},
    **{suffix: Aim(partial(read, f"a.{suffix}"), "rows") for suffix in ROWS},
    **{suffix: Aim(partial(read, f"a.{suffix}"), "notebook") for suffix in ("ipynb", "canvas")},
    **{suffix: Aim(partial(part, suffix), "office", slow=10) for suffix in (*PARTS, "pdf")},
    "chats": Aim(chats, "chats", slow=5),
    "no suffix": Aim(partial(read, "README"), "text"),
    "front matter": Aim(front, "frontmatter"),
    "chunks": Aim(chunks, "markdown", slow=5),
    "ignore": Aim(ignore, "ignore"),
    "query": Aim(queries, "query"),
    "times": Aim(times, "query"),
    "search": Aim(search, "query", slow=5),
    "config": Aim(config, "config"),
    "profiles": Aim(profiles, "profiles"),
    "keymap": Aim(keys, "keymap"),
    "ralph": Aim(imported, "ralph"),
    "session": Aim(kept, "session"),
    "curation": Aim(curation, "curation", slow=5),
    "eval": Aim(judged, "eval"),
    "backup": Aim(backup, "backup", slow=10),
    "store": Aim(stored, "markdown", slow=50),
    "command line": Aim(interfaces.command, "cli", slow=10),
    "http": Aim(interfaces.http, "http", slow=5),
    "mcp": Aim(interfaces.frames, "mcp", slow=5),
    "tools": Aim(interfaces.tool, "tools", slow=10),
}
