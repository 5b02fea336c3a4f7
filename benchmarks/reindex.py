"""Indexing an unchanged folder, in process, against walking, matching and `stat` alone; no file is opened."""

from __future__ import annotations

import os
import sys

from ark_tui.engine import Engine
from ark_tui.ingest.ignore import FILES, Ignore
from ark_tui.settings import load
from benchmarks import corpus, indexed
from benchmarks.measure import Figure, in_turns, middle, rounded, tell

ROUNDS = 15


def main() -> None:
    root = corpus.pages()
    opened: list[str] = []
    below = str(root.resolve()) + os.sep

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or int(str(arguments[2])) & os.O_DIRECTORY:
            return
        path = str(arguments[0])  # below the root, it is a name relative to the descriptor of its folder
        if (path.startswith(below) or not path.startswith(os.sep)) and path not in FILES:
            opened.append(path)  # the ignore files must be looked for

    with Engine(load(indexed.home(), environ={})) as engine:
        engine.index([root])  # what was saved shortly before its scan is read once more
        sys.addaudithook(watch)
        report = engine.index([root])
        assert report.unchanged == corpus.PAGES, report
        ignore = Ignore.of(root)
        again, bare = in_turns([lambda: engine.index([root]), lambda: walk(str(root), ignore)], ROUNDS)
    ratio = middle(again) / middle(bare)
    tell(
        Figure(
            "reindex", round(ratio, 3), "≤ 3",
            {**rounded(again_ms=middle(again), walk_ms=middle(bare)), "opened": len(opened)},
        ),
        f"Indexing 7,000 unchanged pages again costs {ratio:.2f} × walk, match and stat "
        f"({middle(again):.0f} ms); {len(opened)} files were opened",
    )  # fmt: skip
    assert not opened, opened[:3]


def walk(root: str, ignore: Ignore) -> int:
    """The least that has to be done: list every folder, match every name, `stat` every file."""
    count, waiting = 0, [(root, "")]
    while waiting:
        folder, prefix = waiting.pop()
        with os.scandir(folder) as listing:
            for entry in listing:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not ignore.folder(path):
                        waiting.append((entry.path, path + "/"))
                elif not ignore.file(path):
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


if __name__ == "__main__":
    main()
