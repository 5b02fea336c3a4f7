"""A transformer in process against bare onnxruntime: the texts of the sample, and the vector of a query.

`python -m benchmarks.local_model [FOLDER]`: a folder with an ONNX model of vectors, else the one in
../shared/models/minilm. Bare is the graph alone, over the very same batches of tokens, in turns with ours.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import cycle
from pathlib import Path

from ark_tui.embedding import local
from ark_tui.embedding.local import LocalEmbedder
from ark_tui.embedding.shelf import Shelf
from benchmarks.measure import Figure, in_turns, middle, rounded, tell

ROOT = Path(__file__).parents[1]
MINILM = ROOT.parent / "shared" / "models" / "minilm"
TEXTS = 96
GOALS = {"texts": 1.15, "query": 1.3}
QUERIES = (
    "how quickly does a chain forget where it began",
    "which notes argue for fixed size chunks",
    "why is my recall worse after the reindex",
    "fiedler vector",
)


def main(folder: Path) -> None:
    if not folder.is_dir():
        sys.exit(f"There is no model in {folder}; name a folder with one.")
    with tempfile.TemporaryDirectory() as scratch:
        shelf = Shelf(Path(scratch))
        added = local.add(shelf, "measured", folder)
        embedder = LocalEmbedder(local.described(shelf, added.name), shelf)
        model = local.loaded(shelf.folder / added.name, added)
        texts = _texts(model, added.most_tokens)
        rows = model.tokens(texts)
        lengths = [len(row.ids) for row in rows]
        fed = [model.fed([rows[at] for at in places]) for places in local.batches(lengths)]
        bare, whole = in_turns(
            [lambda: [model.run(one) for one in fed], lambda: embedder.embed_documents(texts)],
            rounds=7, warm=1,
        )  # fmt: skip
        stream = cycle(QUERIES)
        short = cycle([model.fed(model.tokens([one])) for one in QUERIES])
        graph, query = in_turns(
            [lambda: model.run(next(short)), lambda: embedder.embed_query(next(stream))], rounds=60, warm=8
        )
    found = {"texts": middle(whole) / middle(bare), "query": middle(query) / middle(graph)}
    detail = rounded(
        **found, texts_a_second=len(texts) / middle(whole) * 1000, bare_ms=middle(bare),
        whole_ms=middle(whole),
        tokens=sum(lengths) / len(texts), graph_ms=middle(graph), query_ms=middle(query),
    )  # fmt: skip
    worst = max(found[name] / goal for name, goal in GOALS.items())
    tell(
        Figure("local_model", round(worst, 3), "≤ 1", detail),
        f"{folder.name} in process: {len(texts)} texts of {detail['tokens']:.0f} tokens take "
        f"{found['texts']:.2f} × bare onnxruntime over the same batches (at most {GOALS['texts']}), "
        f"{detail['texts_a_second']:.0f} texts/s; the vector of a query {found['query']:.2f} × its bare pass "
        f"(at most {GOALS['query']}), {middle(query):.1f} ms",
    )


def _texts(model: local.Transformer, most: int) -> list[str]:
    """Paragraphs of the sample, which the model takes whole."""
    found = [
        part
        for path in sorted((ROOT / "assets" / "sample").rglob("*.md"))
        for part in path.read_text("utf-8").split("\n## ")
    ]
    fit = [text for text, row in zip(found, model.tokens(found), strict=True) if 20 < len(row.ids) <= most]
    return fit[:TEXTS]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else MINILM)
