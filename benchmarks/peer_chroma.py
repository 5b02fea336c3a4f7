"""What one writes around chromadb to index a folder and to search it; run by the Python that has it.

`python peer_chroma.py index HOME FOLDER`, `python peer_chroma.py search HOME QUERY`: paragraphs of Markdown,
embedded by its default model.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

BATCH = 500


def main(task: str, home: str, what: str) -> None:
    """Index what is new in a folder, or print the best ten for a query."""
    import chromadb  # type: ignore[import-not-found]  # in the environment of the peers alone

    notes: Any = chromadb.PersistentClient(path=f"{home}/chroma").get_or_create_collection("notes")
    if task == "search":
        for name in notes.query(query_texts=[what], n_results=10)["ids"][0]:
            sys.stdout.write(f"{name}\n")
        return
    known = set(notes.get(include=[])["ids"])
    fresh = [
        (f"{path}:{number}", text)
        for path in sorted(Path(what).rglob("*.md"))
        for number, text in enumerate(path.read_text("utf-8", "replace").split("\n\n"))
        if text.strip() and f"{path}:{number}" not in known
    ]
    for start in range(0, len(fresh), BATCH):
        ids, texts = zip(*fresh[start : start + BATCH], strict=True)
        notes.add(ids=list(ids), documents=list(texts))


if __name__ == "__main__":
    main(*sys.argv[1:])
