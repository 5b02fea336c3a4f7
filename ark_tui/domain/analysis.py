"""The shape of a corpus: what is novel, what is foundational, what connects, where the edges and gaps are.

Documents are the nodes of the neighbour graph: each is joined to those nearest in meaning and to those it
links to. Lists are best first. What a measure cannot say of this corpus stands in its `notice`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from math import pi, sqrt
from typing import Annotated, ClassVar, Literal, get_args

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As, Named, Of

What = Literal[
    "novelty", "foundations", "bridges", "boundary", "communities", "map", "gaps", "audit", "activity"
]
WHATS: tuple[What, ...] = get_args(What)

Cause = Literal[
    "eclipsed", "too long", "only stop words", "superseded", "stale", "waiting for vectors", "outranked"
]
CAUSES: tuple[Cause, ...] = get_args(Cause)

Bucket = Literal["day", "month", "year"]


@dataclass(frozen=True, slots=True)
class Graph:
    """The size of the neighbour graph that the measures were taken on."""

    documents: int = 0
    similar: int = 0  # pairs of documents that are near in meaning
    links: int = 0  # pairs of documents of which one links to the other
    k: int = 0  # neighbours that each document was given
    exact: bool = True  # every document was compared with every other
    recall: float | None = None  # measured on a sample, where `exact` is false
    without_vector: int = 0  # documents that only links can reach


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigenvalues of the correlation matrix of the texts' vectors, and where those of pure noise would end.

    `edge` is Marchenko and Pastur's (1+√(d/n))²; `threshold` lies above it by what the largest eigenvalue
    of noise fluctuates (Tracy–Widom, 99.9 %). `outside` eigenvalues are above the threshold.
    """

    eigenvalues: tuple[float, ...] = ()  # descending; those of columns that do not vary are left out
    texts: int = 0  # n: different chunks with a vector
    dims: int = 0  # d: columns that vary
    edge: float = 0.0
    lower_edge: float = 0.0  # (1−√(d/n))²; 0 where d > n
    threshold: float = 0.0
    outside: int = 0

    def noise_density(self, eigenvalue: float) -> float:
        """How densely noise would have its eigenvalues here: Marchenko and Pastur's law, 1967."""
        inside = (self.edge - eigenvalue) * (eigenvalue - self.lower_edge)
        if inside <= 0 or eigenvalue <= 0 or not self.texts:
            return 0.0
        return sqrt(inside) / (2 * pi * eigenvalue * self.dims / self.texts)


@dataclass(frozen=True, slots=True)
class Novel:
    """A document that stands apart, with the evidence.

    `direction`: a chunk of it lies far out on a direction outside the noise, one that `shared_by` chunks
    share. `beyond`: it holds what no direction of this corpus explains. It is `novel` by a score above the
    limit, or on a direction that rises above the noise by few alone.
    """

    document: Document
    reason: Literal["direction", "beyond"]
    score: float  # Mahalanobis' distance by the cleaned correlation matrix; compare with `Novelty.limit`
    direction: int  # the eigenvector outside the noise that says most of it, from 1
    eigenvalue: float  # of that eigenvector; compare with the spectrum's threshold
    part: float  # how much of the score lies on that eigenvector, 0…1
    shared_by: int  # chunks at least half as far out on it, itself among them
    nearest: float | None = None  # cosine with the document nearest to it
    chunk: str = ""  # id of the chunk that stands apart most
    terms: tuple[str, ...] = ()  # its own, against the corpus
    novel: bool = True


@dataclass(frozen=True, slots=True)
class Novelty:
    """Measured on chunks; a document is as novel as its most novel chunk.

    The novel ones are listed, farthest apart first; where none is, those that stand apart most, if anything
    is outside the noise.
    """

    spectrum: Spectrum
    limit: float | None = None  # score above which all are novel; None where nothing can be
    count: int = 0  # novel documents in all
    documents: tuple[Novel, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Foundation:
    """A document that much leads to."""

    document: Document
    score: float  # PageRank; all documents' add up to 1
    linked_by: int  # documents that link to it
    near: int  # documents that are near in meaning


@dataclass(frozen=True, slots=True)
class Foundations:
    """PageRank over links and nearness."""

    documents: tuple[Foundation, ...] = ()
    curve: tuple[float, ...] = ()  # scores of all documents, descending, at most 200 of them evenly spaced
    damping: float = 0.85
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A document that shortest paths run through."""

    document: Document
    score: float  # betweenness, 0…1
    between: tuple[str, ...] = ()  # labels of the communities that it touches most, its own first


@dataclass(frozen=True, slots=True)
class Bridges:
    """Betweenness in the undirected graph. Not `exact`: estimated from the shortest paths of `pivots`."""

    documents: tuple[Bridge, ...] = ()
    curve: tuple[float, ...] = ()  # as in `Foundations`
    pivots: int = 0
    exact: bool = True
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """What lies on one side of the boundary: the documents farthest from it."""

    size: int
    terms: tuple[str, ...]
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Boundary:
    """The Fiedler vector: where the graph comes apart most easily.

    Of the largest connected part, by the normalised Laplacian. `value` is 0…2: near 0, two worlds that
    hardly touch; the closer to 1 and above, the more of one piece. `residual` is ‖Lv − value·v‖: the true
    eigenvalue lies within it.
    """

    value: float | None = None  # None where there is nothing to divide
    residual: float = 0.0
    exact: bool = True  # by a full solve
    parts: tuple[int, ...] = ()  # sizes of the connected parts, largest first
    sides: tuple[Side, ...] = ()  # two, or none
    at_boundary: tuple[Document, ...] = ()  # those with a foot on either side
    crossing: int = 0  # edges from one side to the other
    edges: int = 0  # of the part in all
    order: tuple[float, ...] = ()  # the vector, ascending, at most 200 values evenly spaced
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Community:
    """Documents that have more to do with each other than with the rest."""

    id: int  # from 1, the largest first
    label: str  # its commonest tag where half bear it, else its first terms
    size: int
    terms: tuple[str, ...] = ()  # that tell it from the others
    tags: Annotated[tuple[tuple[str, int], ...], Named(("tag", "documents"))] = ()  # the commonest
    documents: tuple[Document, ...] = ()  # the most central ones


@dataclass(frozen=True, slots=True)
class Communities:
    """Louvain communities of the neighbour graph."""

    communities: tuple[Community, ...] = ()
    modularity: float = 0.0
    resolution: float = 1.0
    alone: int = 0  # documents in none: they have no neighbour
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A document on the map, both coordinates in −1…1."""

    document: Annotated[Document, Of("id")]
    x: float
    y: float
    community: int  # its id; 0 for none


@dataclass(frozen=True, slots=True)
class Region:
    """A community on the map: its middle."""

    community: int
    label: str
    size: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Map:
    """The corpus in two dimensions: what is near is alike; what is far says little."""

    places: tuple[Place, ...] = ()  # at most 2,000, evenly drawn from all communities
    regions: tuple[Region, ...] = ()  # largest first
    documents: int = 0  # on the map in all
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """Two communities that are near in meaning and hardly linked."""

    a: Community
    b: Community
    closeness: float  # cosine of their middles
    links: int  # between the two
    expected: float  # links between two such, if links followed size alone
    pair: tuple[Document, Document]  # the two nearest to each other, one of each


@dataclass(frozen=True, slots=True)
class Crossing:
    """Links between two communities, by their labels; `a` and `b` are the same for those within one."""

    a: str
    b: str
    links: int
    expected: float  # if links followed size alone: d·d′/2m, half of it within one


@dataclass(frozen=True, slots=True)
class Gaps:
    """The gap map."""

    gaps: tuple[Gap, ...] = ()
    considered: int = 0  # pairs of communities that are near in meaning
    crossings: tuple[Crossing, ...] = ()  # of the twelve largest, each pair once
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Unfound:
    """A document that no query made of its own salient terms brings back among the first ten."""

    document: Document
    cause: Cause
    detail: str  # a sentence
    probes: tuple[str, ...] = ()
    eclipsed_by: Document | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """Findability, through the search that everybody uses. `asked` of `documents` were probed."""

    also: ClassVar[tuple[str, ...]] = ("sampled",)

    documents: int = 0
    asked: int = 0
    found: int = 0
    unfound: tuple[Unfound, ...] = ()  # all of them
    causes: dict[Cause, int] = field(default_factory=dict)
    profile: str = ""
    notice: str = ""

    @property
    def sampled(self) -> bool:
        """Whether only a part of the documents was probed."""
        return self.asked < self.documents


@dataclass(frozen=True, slots=True)
class Active:
    """What happened in one day, month or year, named by its first day."""

    start: date
    added: int = 0  # documents first stored
    changed: int = 0  # documents last changed
    searches: int = 0  # that were run
    accesses: int = 0  # hits opened, copied or cited


@dataclass(frozen=True, slots=True)
class Dated:
    """How many documents bear a date of one day, month or year, named by its first day."""

    start: date
    documents: int


@dataclass(frozen=True, slots=True)
class Activity:
    """Ingest, searches and use over time, oldest first; periods without anything between are there too.

    `dated`: documents by the dates that they bear themselves; `undated` bear none.
    """

    bucket: Bucket = "day"
    periods: tuple[Active, ...] = ()
    dated: tuple[Dated, ...] = ()
    dated_bucket: Bucket = "year"
    undated: int = 0
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was asked for; the rest is None. `cached`: measures that were read and not taken anew."""

    change: int  # the state of the corpus
    model: str = ""  # the vectors that were used, by the name of their model
    graph: Graph = field(default_factory=Graph)
    novelty: Annotated[Novelty | None, As.SPARSE] = None
    foundations: Annotated[Foundations | None, As.SPARSE] = None
    bridges: Annotated[Bridges | None, As.SPARSE] = None
    boundary: Annotated[Boundary | None, As.SPARSE] = None
    communities: Annotated[Communities | None, As.SPARSE] = None
    map: Annotated[Map | None, As.SPARSE] = None
    gaps: Annotated[Gaps | None, As.SPARSE] = None
    audit: Annotated[Audit | None, As.SPARSE] = None
    activity: Annotated[Activity | None, As.SPARSE] = None
    cached: tuple[str, ...] = ()
    took_s: float = 0.0
