"""Keyword search, end to end, against bare tantivy that finds the same documents and makes snippets."""

from __future__ import annotations

from itertools import cycle

import tantivy

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.index.words import terms
from ark_tui.settings import load
from ark_tui.store import Store
from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, percentile, rounded, tell

QUERIES = 120
LIMIT = 10


def main() -> None:
    settings = load(corpus.home(), environ={})
    index = bare(settings)
    with Engine(settings) as engine:
        engine.warm()
        a, b = cycle(corpus.queries(QUERIES)), cycle(corpus.queries(QUERIES))
        searcher = index.searcher()
        raw, ours = in_turns(
            [
                lambda: snippets(index, searcher, next(a)),
                lambda: engine.search(Request(next(b), mode="keyword", limit=LIMIT)),
            ],
            rounds=QUERIES,
        )
    ratio = middle(ours) / middle(raw)
    tell(
        Figure(
            "keyword_search", round(ratio, 3), "≤ 2",
            rounded(raw_ms=middle(raw), ours_ms=middle(ours), ours_p95_ms=percentile(ours, 0.95),
                    raw_p95_ms=percentile(raw, 0.95)),
        ),
        f"Keyword search costs {ratio:.2f} × bare tantivy with snippets "
        f"({middle(ours):.1f} against {middle(raw):.1f} ms)",
    )  # fmt: skip


def bare(settings: object) -> tantivy.Index:
    """The same chunks in an index as tantivy's own examples make it: title and body, stored for snippets."""
    from ark_tui.settings import Settings
    from ark_tui.store import changes

    assert isinstance(settings, Settings)

    def make(folder: object) -> None:
        store = Store(settings.home, settings.clock)
        writer = tantivy.Index(_schema(), path=str(folder)).writer(128_000_000, 1)
        mark = 0
        while True:
            with store.read() as lease:
                batch = changes.since(lease, mark, 5000)
            if not batch:
                break
            mark = batch[-1].change
            for chunk in batch:
                writer.add_document(
                    tantivy.Document.from_dict({"title": chunk.title, "body": chunk.text}, _schema())
                )
        writer.commit()
        writer.wait_merging_threads()
        store.close()

    return tantivy.Index(_schema(), path=str(corpus.kept("tantivy", make)))


def snippets(index: tantivy.Index, searcher: tantivy.Searcher, query: str) -> list[str]:
    """The ten best documents of an OR query over title and body, each with its snippet."""
    words = " ".join(terms.read(query).words)
    parsed = index.parse_query(words, ["title", "body"])
    maker = tantivy.SnippetGenerator.create(searcher, parsed, _schema(), "body")
    found = searcher.search(parsed, LIMIT).hits
    return [maker.snippet_from_doc(searcher.doc(address)).to_html() for _, address in found]


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("title", "body"):
        builder.add_text_field(name, stored=True, tokenizer_name="en_stem", index_option="position")
    return builder.build()


if __name__ == "__main__":
    main()
