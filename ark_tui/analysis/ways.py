"""Simple paths between two nodes of an undirected graph, shortest first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Adjacency: TypeAlias = Mapping[int, Sequence[int]]

MOST_STEPS = 200_000  # that a search may take before it is given up


class TooMany(Exception):
    """The search has been given up: there are too many ways to look at."""


def distances(around: Adjacency, start: int, most: int) -> dict[int, int]:
    """How many edges each node is away, up to `most`."""
    found = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        if found[node] == most:
            continue
        for other in around.get(node, ()):
            if other not in found:
                found[other] = found[node] + 1
                waiting.append(other)
    return found


def simple_paths(around: Adjacency, start: int, end: int, longest: int) -> Iterator[tuple[int, ...]]:
    """Paths of at most `longest` edges that visit no node twice: the shorter first, then by the nodes.

    Raises `TooMany` when that would take too long.
    """
    search = _Search(around, end, distances(around, end, longest))
    if start != end and start in search.left:
        for length in range(search.left[start], longest + 1):
            yield from search.onwards((start,), length)


@dataclass(slots=True)
class _Search:
    """Depth first, only where the end is still within reach. `left`: how far each node is from it."""

    around: Adjacency
    end: int
    left: Mapping[int, int]
    steps: int = 0

    def onwards(self, trail: tuple[int, ...], length: int) -> Iterator[tuple[int, ...]]:
        """The ways on that use exactly so many edges."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooMany
        if trail[-1] == self.end:
            if length == 0:
                yield trail
            return
        for node in sorted(self.around.get(trail[-1], ())):
            if node not in trail and self.left.get(node, length) < length:
                yield from self.onwards((*trail, node), length - 1)
