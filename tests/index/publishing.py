"""A process that publishes the indexes of a home: `python -m tests.index.publishing HOME URI`."""

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


if __name__ == "__main__":
    done = publisher(Bench(Path(sys.argv[1])), Place(sys.argv[2])).sync(wait=60.0)
    sys.stdout.write(f"{done}\n")
