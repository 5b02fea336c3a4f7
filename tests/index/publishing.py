"""A process that publishes the indexes of a home: `python -m tests.index.publishing HOME URI [MODEL]`.

The model is a served one of that home, as it writes itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ark_tui.embedding.served import ServedModel
from ark_tui.index.table.follower import TableFollower
from ark_tui.index.table.place import Place
from ark_tui.index.vectors.reader import Vectors
from tests.corpora import Bench


def publisher(home: Bench, place: Place, served: tuple[ServedModel, Vectors] | None = None) -> TableFollower:
    return TableFollower(home.store, home.home.cache / "table", place, home.words, home.vectors, served)


def with_vectors(home: Bench, text: str) -> tuple[ServedModel, Vectors]:
    model = ServedModel.loaded(text)
    assert model is not None
    return model, Vectors(home.home.vectors / model.fingerprint)


if __name__ == "__main__":
    there = Bench(Path(sys.argv[1]))
    served = with_vectors(there, sys.argv[3]) if len(sys.argv) > 3 else None
    done = publisher(there, Place(sys.argv[2]), served).sync(wait=60.0)
    sys.stdout.write(f"{done}\n")
