"""The signals, one file each. To add one: write its file and name it here."""

from ark_tui.retrieval.signals import (
    bm25,
    coverage,
    enriched,
    expanded,
    graph,
    idf,
    links,
    maxsim,
    model,
    neighbour,
    rocchio,
    static,
    temporal,
)
from ark_tui.retrieval.state import Signal

SIGNALS: tuple[Signal, ...] = (
    bm25.SIGNAL,
    coverage.SIGNAL,
    static.SIGNAL,
    idf.SIGNAL,
    model.SIGNAL,
    rocchio.SIGNAL,
    enriched.SIGNAL,
    temporal.SIGNAL,
    expanded.SIGNAL,
    neighbour.SIGNAL,
    links.SIGNAL,
    graph.SIGNAL,
    maxsim.SIGNAL,
)
BY_NAME: dict[str, Signal] = {signal.info.name: signal for signal in SIGNALS}
