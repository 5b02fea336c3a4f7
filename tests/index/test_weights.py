"""The weights of tokens by their rarity: the same for the same texts, whenever each of them has come."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.query import Request
from ark_tui.index import standing
from ark_tui.index.vectors import serving
from ark_tui.retrieval import run
from tests.corpora import Bench, arrival, filled

TEXTS = {
    f"{name}{n}.md": f"{name} {words} {n}"
    for name, words in (
        ("gap", "spectral gap mixing"),
        ("hare", "tea party hare"),
        ("loaf", "flour and yeast"),
    )
    for n in range(16)
}
FEW = 30


def weighed(home: Bench) -> int:
    found = serving.read_current(home.vectors_follower.serving)
    assert found is not None
    return found.idf_rows


def ranked(home: Bench) -> dict[str, list[float | None]]:
    found = run(home.corpus(), Request("party gap 7", profile="default"))
    return {hit.document.path: [part.raw for part in hit.parts] for hit in found.hits}


def settled(home: Bench) -> bool:
    follower = home.vectors_follower
    return standing.settled(home.store, home.home.words, follower.folder, follower.version)


def test_a_corpus_that_came_in_by_parts_ranks_as_one_that_came_at_once(tmp_path: Path) -> None:
    at_once, by_parts = filled(tmp_path / "a", TEXTS), filled(tmp_path / "b", dict([*TEXTS.items()][:FEW]))
    by_parts.put(*(arrival(*text) for text in [*TEXTS.items()][FEW:]))
    by_parts.words_follower.sync()
    by_parts.vectors_follower.sync(midway=True)
    assert weighed(by_parts) == FEW
    assert not settled(by_parts)
    by_parts.sync()
    assert weighed(by_parts) == weighed(at_once) == len(TEXTS)
    assert settled(by_parts)
    assert by_parts.vectors_follower.sound(thorough=True)
    one, other = (ranked(home) for home in (at_once, by_parts))
    assert one == other != {}


def test_a_few_texts_more_weigh_nothing_anew(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    before = serving.read_current(home.vectors_follower.serving)
    home.put(arrival("one-more.md", "a march hare"))
    home.sync()
    after = serving.read_current(home.vectors_follower.serving)
    assert before is not None
    assert after is not None
    assert (after.idf, after.rows) == (before.idf, before.rows + 1)
