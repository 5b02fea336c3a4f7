"""Runs: what a ranking found for each query, and the TREC format that other people's tools read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ark_tui.domain.errors import Hint, UsageError

Run = Mapping[str, Sequence[tuple[str, float]]]
"""Query id → document ids with their scores, best first."""

_UNSAFE = re.compile(r"[^\w.+-]+")


def write(folder: Path, set_name: str, system: str, run: Run) -> Path:
    """Write `SET.SYSTEM.run`: lines of `query Q0 document rank score tag`, and return its path.

    trec_eval sorts a run again by score, which it keeps in 32 bits, and equals by id. So that it sees our
    order, a score that is not below the one before it there is lowered by as little as possible.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tag = _UNSAFE.sub("_", system)
    path = folder / f"{_UNSAFE.sub('_', set_name)}.{tag}.run"
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            for query, found in run.items():
                ids = [_one_word(document) for document, _ in found]
                scores = _falling([score for _, score in found])
                for rank, (document, score) in enumerate(zip(ids, scores, strict=True), start=1):
                    file.write(f"{_one_word(query)} Q0 {document} {rank} {score:.9g} {tag}\n")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return path


def _falling(scores: Sequence[float]) -> Iterator[float]:
    above = np.float32(np.inf)
    for score in scores:
        above = min(np.float32(score), np.nextafter(above, np.float32(-np.inf)))
        yield float(above)


def _one_word(id_: str) -> str:
    if len(id_.split()) != 1:
        raise UsageError(
            f"The id {id_!r} has a blank in it, which a TREC run cannot hold.",
            Hint.give(run_dir=True, say="Leave {} away, or change the id in the set."),
        )
    return id_
