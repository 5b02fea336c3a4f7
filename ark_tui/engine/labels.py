"""What groups of documents are called: by a tag that most of them bear, else by their own terms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.protocols import check
from ark_tui.domain.work import Progress
from ark_tui.store import census

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ark_tui.engine.survey import Survey

NAMED = 60  # communities, the largest
SAMPLE = 40  # documents of a community whose words are counted: those nearest to its middle
CHARACTERS = 3000  # of each
TERMS = 5
IN_LABEL = 3
TAGS = 5
MOST = 0.5  # of the documents bear a tag that becomes the label
OWN = 2.0  # times as common as in the whole corpus
STAGE = "labels"


@dataclass(frozen=True, slots=True)
class Label:
    """A community's name, its terms and its commonest tags."""

    name: str
    terms: tuple[str, ...]
    tags: tuple[tuple[str, int], ...]


def labels(survey: Survey) -> list[Label]:
    """Of the largest communities that have two documents or more, the largest first."""
    sizes = np.bincount(survey.division.of, minlength=1)[:NAMED]
    count = int((sizes > 1).sum())
    groups = [np.flatnonzero(survey.division.of == number) for number in range(count)]
    samples = [central(survey, group, SAMPLE) for group in groups]
    name = f"terms-{survey.resolution:g}"

    def make() -> dict[str, NDArray[np.str_]]:
        survey.progress(Progress(STAGE, 0, None))
        words = terms(survey, samples, TERMS)
        return {"terms": np.array(["\n".join(word) for word in words], np.str_)}

    found = [tuple(filter(None, line.split("\n"))) for line in survey.kept.get(name, make)["terms"].tolist()]
    tags = [_tags(survey, group) for group in groups]
    everywhere = dict(_tags(survey, np.arange(survey.size), most=None))
    return [
        Label(_name(survey.size, len(group), own, tagged, everywhere), own, tagged)
        for group, own, tagged in zip(groups, found, tags, strict=True)
    ]


def central(survey: Survey, group: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The documents of a group that are nearest to its middle."""
    if len(group) <= count:
        return group
    own = survey.vectors[group]
    order = np.argsort(-(own @ own.mean(axis=0)), kind="stable")
    return group[order[:count]]


def terms(survey: Survey, groups: Sequence[NDArray[np.int64]], count: int) -> list[tuple[str, ...]]:
    """The terms that tell each group of documents, by place, from the other groups."""
    from ark_tui.analysis.terms import counted, distinguishing

    counts: list[list[Counter[str]]] = []
    for group in groups:
        check(survey.stop)
        numbers = survey.numbers[group].tolist()
        with survey.parts.store.read() as lease:
            texts = census.beginnings(lease, numbers, CHARACTERS)
        counts.append([counted(texts.get(number, "")) for number in numbers])
    return distinguishing(counts, count)


def _tags(survey: Survey, group: NDArray[np.int64], most: int | None = TAGS) -> tuple[tuple[str, int], ...]:
    """The commonest tags of a group, with the number of documents that bear them."""
    if survey.view is None:
        return ()
    facts = survey.view.documents
    counted = Counter(tag for place in group.tolist() for tag in facts.tags_of(place))
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most])


def _name(
    documents: int,
    size: int,
    own: tuple[str, ...],
    tagged: tuple[tuple[str, int], ...],
    everywhere: dict[str, int],
) -> str:
    for tag, count in tagged:
        usual = everywhere[tag] / documents
        if count >= MOST * size and (size == documents or count / size >= OWN * usual):
            return tag
    return ", ".join(own[:IN_LABEL]) or (tagged[0][0] if tagged else "unknown")
