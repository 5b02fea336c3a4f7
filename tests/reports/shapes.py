"""A corpus's shape as the engine might tell it, made up: three groups of documents, one of them far off."""

from __future__ import annotations

import math
import random
from datetime import date

from ark_tui.domain import analysis as domain
from ark_tui.domain.documents import Document

NAMES = ("spectral, laplacian", "memory, cards", "ranking, bm25")


def document(number: int, title: str = "") -> Document:
    return Document(
        f"{number:016x}", "notes", f"notes/{number}.md", title or f"Note {number}", date=date(2025, 1, 1)
    )


def communities() -> tuple[domain.Community, ...]:
    return tuple(
        domain.Community(
            number, name, 40 - 10 * number, tuple(name.split(", ")), (("tag", 3),),
            (document(number), document(number + 10)),
        )
        for number, name in enumerate(NAMES, start=1)
    )  # fmt: skip


def spectrum(texts: int = 1000, dims: int = 128, outside: int = 4) -> domain.Spectrum:
    """Noise by its own law, and a few eigenvalues above it."""
    ratio = math.sqrt(dims / texts)
    low, high = (1 - ratio) ** 2, (1 + ratio) ** 2
    noise = [high - (high - low) * (number / (dims - outside)) ** 0.8 for number in range(dims - outside)]
    above = [high * 1.6**number for number in range(outside, 0, -1)]
    return domain.Spectrum(tuple(above + noise), texts, dims, high, low, high * 1.05, outside)


def analysis() -> domain.Analysis:
    dice = random.Random(7)
    three = communities()
    places = tuple(
        domain.Place(document(place), dice.gauss(x, 0.12), dice.gauss(y, 0.1), community)
        for place, (community, (x, y)) in enumerate(
            (one.id, middle)
            for one, middle in zip(three, ((-0.6, -0.5), (0.6, -0.3), (0.1, 0.7)), strict=True)
            for _ in range(one.size)
        )
    )
    regions = tuple(
        domain.Region(one.id, one.label, one.size, x, y)
        for one, (x, y) in zip(three, ((-0.6, -0.5), (0.6, -0.3), (0.1, 0.7)), strict=True)
    )
    order = tuple(math.tanh((number - 30) / 6) * 0.2 for number in range(60))
    return domain.Analysis(
        7,
        "static",
        domain.Graph(60, 300, 41, 10, True, None, 2),
        novelty=domain.Novelty(
            spectrum(),
            3.0,
            2,
            (
                domain.Novel(
                    document(1), "direction", 7.25, 3, 4.2, 0.8, 2, 0.41, "1:0", ("ligature", "kerning")
                ),
                domain.Novel(document(2), "beyond", 4.5, 1, 3.1, 0.1, 1, terms=("sourdough",)),
            ),
        ),
        foundations=domain.Foundations(
            tuple(domain.Foundation(document(n), 0.1 / n, 9 - n, 12) for n in range(1, 6)),
            tuple(0.1 / n for n in range(1, 61)),
        ),
        bridges=domain.Bridges(
            (domain.Bridge(document(3), 0.31, NAMES[:2]),),
            tuple(max(0.0, 0.31 - 0.02 * n) for n in range(60)),
            64,
            False,
        ),
        boundary=domain.Boundary(
            0.083,
            1e-9,
            True,
            (58, 2),
            (
                domain.Side(30, ("spectral",), (document(5), document(6))),
                domain.Side(28, ("memory",), (document(7),)),
            ),
            (document(8),),
            6,
            341,
            order,
        ),
        communities=domain.Communities(three, 0.512, 1.0, 2),
        map=domain.Map(places, regions, 60),
        gaps=domain.Gaps((domain.Gap(three[0], three[2], 0.71, 0, 3.4, (document(1), document(9))),), 2),
        activity=domain.Activity(
            "month", tuple(domain.Active(date(2025, month, 1), month, 2, month % 3) for month in range(1, 13))
        ),
    )


def audit() -> domain.Audit:
    return domain.Audit(
        60,
        50,
        47,
        (
            domain.Unfound(
                document(1),
                "hidden",
                "It is a near-duplicate of Note 2, number 1.",
                ("ligature kerning",),
                document(2),
            ),
            domain.Unfound(document(3), "no words", "It has no word of its own.", ()),
        ),
        {"hidden": 1, "no words": 1},
        "default",
    )
