"""A vault of notes that link to each other in the ways that Obsidian has, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import quote

FOLDERS = ("", "birds", "birds/Water birds", "daily", "Projekte/Größe", "a.b")
TITLES = (
    "Heron {}", "v{}.2 notes", "Müller's {}", "plan ({})", "C# {}", "日記 {}", "R&D {}", "under_score {}",
)  # fmt: skip


class Written(NamedTuple):
    """A link as it stands in a note; `target`: the path of the note that Obsidian opens."""

    text: str
    target: str


def vault(folder: Path, notes: int, links: int = 12) -> dict[str, list[Written]]:
    """Write the notes; what stands in each, by its path. In each folder lies an `Index.md`, too."""
    draw = random.Random(7)
    paths = []
    for number in range(notes):
        title = TITLES[number % len(TITLES)].format(number)
        if "#" in title:  # Obsidian lets no file of its own have one, for it begins a heading in a link
            title = title.replace("#", "♯")
        paths.append(PurePosixPath(draw.choice(FOLDERS), f"{title}.md").as_posix())
    found = {}
    for path in paths:
        targets = draw.sample([other for other in paths if other != path], min(links, notes - 1))
        ways = draw.sample(range(WAYS), len(targets))
        written = [_written(way, path, target) for way, target in zip(ways, targets, strict=True)]
        found[path] = [*written, Written("See [[index]].", _nearest_index(path))]
    for path, written in (*found.items(), *((f"{name}/Index.md", []) for name in FOLDERS if name)):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_note(path, written), "utf-8")
    return found


def _nearest_index(path: str) -> str:
    """The `Index.md` that Obsidian opens: the shortest path below the folder of the link, else of all."""
    folder = path.rpartition("/")[0]
    places = sorted((f"{name}/Index.md" for name in FOLDERS if name), key=len)
    return next((place for place in places if folder and place.startswith(f"{folder}/")), places[0])


def _note(path: str, written: list[Written]) -> str:
    stem = PurePosixPath(path).stem
    body = "\n\n".join(link.text for link in written)
    return f'---\naliases: ["also {stem}"]\n---\n\n## Winter\n\n{body}\n\nIt waits. ^a1b2c3\n'


def _written(way: int, path: str, target: str) -> Written:
    name = PurePosixPath(target).stem
    return Written(list(_ways(PurePosixPath(path), PurePosixPath(target), name))[way], target)


def _ways(path: PurePosixPath, target: PurePosixPath, name: str) -> Iterator[str]:
    whole = target.with_suffix("").as_posix()
    relative = "/".join([".."] * len(path.parent.parts) + [target.as_posix()])
    yield f"See [[{name}]]."
    yield f"See [[{name.upper()}]]."
    yield f"See [[{name}.md]]."
    yield f"See [[{whole}]]."
    yield f"See [[{whole}|that one]] and so on."
    yield f"See [[{name}#Winter]]."
    yield f"See [[{name}#Winter|in winter]]."
    yield f"See [[{name}#^a1b2c3]]."
    yield f"![[{name}]]"
    yield f"![[{name}#Winter]]"
    yield f"See [[also {name}]]."
    yield f"> [!note] A callout\n> see [[{name}]] there"
    yield f"| a | b |\n| --- | --- |\n| [[{name}\\|c]] | d |"
    yield f"- [ ] a task of [[{name}]]"
    yield f"### About [[{name}]]"
    yield f"See [that]({quote(relative)})."
    yield f"See [that](<{relative}>)."
    yield f"See [that]({quote(relative)}#Winter)."
    yield f"See [that]({quote(relative.removesuffix('.md'))})."
    yield f"See **[[{name}]]** and *[[{name}|it]]*."
    yield f"See [[/{whole}]]."
    yield f"See [[ {name} ]]."
    yield f"See [that]({quote(target.as_posix())})."
    yield f"See [that]({quote(target.name)})."


WAYS = len(list(_ways(PurePosixPath("a.md"), PurePosixPath("b.md"), "b")))
