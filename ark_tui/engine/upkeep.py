"""Looks for what needs looking after. Nothing is changed and no file is opened."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.upkeep import Moved, Upkeep
from ark_tui.engine import roots
from ark_tui.engine.services import Services
from ark_tui.settings.tree import Tree, gone
from ark_tui.store import upkeep as store


def upkeep(parts: Services, stop: Stop = NEVER) -> Upkeep:
    """Links to nowhere, texts kept twice, and files that are not as they were when they were indexed.

    A folder that is away tells nothing of its files, and storage is not asked.
    """
    view = parts.vectors.refresh()
    pairs = [(int(chunk), int(first)) for chunk, first in view.repeats.tolist()] if view else []
    with parts.store.read() as lease:
        broken = sorted(store.broken(lease), key=lambda one: (one.document.collection, one.document.path))
        repeats = sorted(
            store.repeats(lease, pairs),
            key=lambda one: (-one.chunks, one.document.collection, one.document.path, one.first.path),
        )
        away = roots.Away(lease)
        files = [one for one in store.indexed(lease) if (one[0], one[2]) not in away]
    return Upkeep(tuple(broken), tuple(repeats), tuple(_moved(files, stop)))


def _moved(files: list[tuple[str, str, str, int, int]], stop: Stop) -> Iterator[Moved]:
    for root, inside in groupby(files, key=itemgetter(1)):
        with Tree(root) as tree:
            for collection, _, path, size, saved in inside:
                check(stop)
                try:
                    now = tree.stat(path)
                except OSError as error:
                    if gone(error):
                        yield Moved(collection, path, "gone")
                    continue
                if (now.st_size, now.st_mtime_ns) != (size, saved):
                    yield Moved(collection, path, "changed")
