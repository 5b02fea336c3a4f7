"""Corpus analysis: novelty, foundations, bridges, boundary, communities, gaps, findability, activity.

Documents are the nodes of the neighbor graph. Edges join a document to its nearest neighbors by embedding and
to the documents it links to. Lists are best first. `notice` explains the limits of a measure on this corpus.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from math import pi, sqrt
from typing import Annotated, ClassVar, Literal, get_args

from ark_tui.domain import whynot
from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As, Named, Of

What = Literal[
    "novelty", "foundations", "bridges", "boundary", "communities", "map", "gaps", "audit", "activity"
]
WHATS: tuple[What, ...] = get_args(What)

Cause = Literal["no words", whynot.Cause]
"""Why a search does not find a document: as in `domain.whynot`, or it has no words to search for."""

Bucket = Literal["day", "month", "year"]


@dataclass(frozen=True, slots=True)
class Graph:
    """The size of the neighbor graph that the measures are based on."""

    documents: int = 0
    similar: int = 0  # pairs of semantically similar documents
    links: int = 0  # pairs of linked documents
    k: int = 0  # neighbors per document
    exact: bool = True  # all pairs of documents were compared
    recall: float | None = None  # measured on a sample, if not `exact`
    without_vector: int = 0  # documents without a vector, connected by links only


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigenvalues of the correlation matrix of the chunk vectors, and the limit of pure noise.

    `edge`: Marchenko and Pastur's (1+√(d/n))². `threshold`: `edge` plus the fluctuation of the largest noise
    eigenvalue (Tracy–Widom, 99.9 %). `outside`: the number of eigenvalues above the threshold.
    """

    eigenvalues: tuple[float, ...] = ()  # descending; without those of constant columns
    texts: int = 0  # n: distinct chunks with a vector
    dims: int = 0  # d: non-constant columns
    edge: float = 0.0
    lower_edge: float = 0.0  # (1−√(d/n))²; 0 where d > n
    threshold: float = 0.0
    outside: int = 0

    def noise_density(self, eigenvalue: float) -> float:
        """The density of noise eigenvalues at this value (Marchenko and Pastur 1967)."""
        inside = (self.edge - eigenvalue) * (eigenvalue - self.lower_edge)
        if inside <= 0 or eigenvalue <= 0 or not self.texts:
            return 0.0
        return sqrt(inside) / (2 * pi * eigenvalue * self.dims / self.texts)


@dataclass(frozen=True, slots=True)
class Novel:
    """An outlier document, with the evidence.

    `reason`: `direction` if one of its chunks is extreme on an eigenvector above the noise, as are
    `shared_by` chunks; `beyond` if no such eigenvector explains it. `novel`: the score exceeds the limit, or
    only few chunks cause the eigenvector.
    """

    document: Document
    reason: Literal["direction", "beyond"]
    score: float  # Mahalanobis distance by the cleaned correlation matrix; compare with `Novelty.limit`
    direction: int  # the eigenvector above the noise with the largest part of the score, from 1
    eigenvalue: float  # of that eigenvector; compare with the spectrum's threshold
    part: float  # the share of the score on that eigenvector, 0…1
    shared_by: int  # chunks at least half as extreme on it, including its own
    nearest: float | None = None  # cosine with the nearest document
    chunk: str = ""  # id of the most extreme chunk
    terms: tuple[str, ...] = ()  # its characteristic terms
    novel: bool = True


@dataclass(frozen=True, slots=True)
class Novelty:
    """Novel documents; the novelty of a document is that of its most novel chunk.

    Lists the novel documents by descending distance. Without any, lists the most extreme ones, if an
    eigenvalue is above the noise.
    """

    spectrum: Spectrum
    limit: float | None = None  # documents with a higher score are novel; None if not computable
    count: int = 0  # number of novel documents
    documents: tuple[Novel, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Foundation:
    """A document that many others link or are similar to."""

    document: Document
    score: float  # PageRank; the sum over all documents is 1
    linked_by: int  # documents that link to it
    near: int  # similar documents


@dataclass(frozen=True, slots=True)
class Foundations:
    """PageRank over links and similarity."""

    documents: tuple[Foundation, ...] = ()
    curve: tuple[float, ...] = ()  # scores of all documents, descending; at most 200, evenly sampled
    damping: float = 0.85
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A document on many shortest paths."""

    document: Document
    score: float  # betweenness, 0…1
    between: tuple[str, ...] = ()  # labels of the communities with most of its edges, its own first


@dataclass(frozen=True, slots=True)
class Bridges:
    """Betweenness in the undirected graph; if not `exact`, estimated from the shortest paths of `pivots`."""

    documents: tuple[Bridge, ...] = ()
    curve: tuple[float, ...] = ()  # as in `Foundations`
    pivots: int = 0
    exact: bool = True
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the boundary, with the documents farthest from it."""

    size: int
    terms: tuple[str, ...]
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Boundary:
    """The sparsest cut of the graph, by the Fiedler vector.

    Uses the normalized Laplacian of the largest connected component. `value` (0…2): near 0, two almost
    unconnected parts; near 1 or above, a well-connected graph. `residual`: ‖Lv − value·v‖, the error bound
    of the eigenvalue.
    """

    value: float | None = None  # None if there is nothing to divide
    residual: float = 0.0
    exact: bool = True  # by a full eigendecomposition
    parts: tuple[int, ...] = ()  # sizes of the connected components, largest first
    sides: tuple[Side, ...] = ()  # two, or none
    at_boundary: tuple[Document, ...] = ()  # with edges to both sides, most evenly divided first
    crossing: int = 0  # edges from one side to the other
    edges: int = 0  # of the component
    order: tuple[float, ...] = ()  # the vector, ascending; at most 200 values, evenly sampled
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Community:
    """Documents that are more connected with each other than with the rest."""

    id: int  # from 1, the largest first
    label: str  # its most frequent tag if half of the documents have it, else its first terms
    size: int
    terms: tuple[str, ...] = ()  # distinctive terms
    tags: Annotated[tuple[tuple[str, int], ...], Named(("tag", "documents"))] = ()  # most frequent ones
    documents: tuple[Document, ...] = ()  # the most central ones


@dataclass(frozen=True, slots=True)
class Communities:
    """Louvain communities of the neighbor graph."""

    communities: tuple[Community, ...] = ()
    modularity: float = 0.0
    resolution: float = 1.0
    alone: int = 0  # documents in no community, without neighbors
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
    """The center of a community on the map."""

    community: int
    label: str
    size: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Map:
    """The corpus in two dimensions. Near documents are similar; large distances mean little."""

    places: tuple[Place, ...] = ()  # at most 2,000, sampled evenly from all communities
    regions: tuple[Region, ...] = ()  # largest first
    documents: int = 0  # on the map, before sampling
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """Two similar communities with few links between them."""

    a: Community
    b: Community
    closeness: float  # cosine of their centroids
    links: int  # between the two
    expected: float  # links if they depended on size only
    pair: tuple[Document, Document]  # the two closest documents, one of each community


@dataclass(frozen=True, slots=True)
class Gaps:
    """Pairs of similar communities that lack links."""

    gaps: tuple[Gap, ...] = ()
    considered: int = 0  # pairs of similar communities
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Unfound:
    """A document that queries of its own salient terms do not find among the first ten results."""

    document: Document
    cause: Cause
    detail: str  # a sentence
    probes: tuple[str, ...] = ()
    hidden_by: Document | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """Findability of documents by the regular search. `asked` of `documents` were probed."""

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
        """Whether only a sample of the documents was probed."""
        return self.asked < self.documents


@dataclass(frozen=True, slots=True)
class Active:
    """Activity in one day, month or year; `start` is its first day."""

    start: date
    added: int = 0  # documents first stored
    changed: int = 0  # documents last changed
    searches: int = 0  # searches run
    accesses: int = 0  # hits opened, copied or cited


@dataclass(frozen=True, slots=True)
class Dated:
    """The number of documents dated in one day, month or year; `start` is its first day."""

    start: date
    documents: int


@dataclass(frozen=True, slots=True)
class Activity:
    """Ingest, searches and accesses over time, oldest first, including empty periods in between.

    `dated`: documents by their own date; `undated`: the number without one.
    """

    bucket: Bucket = "day"
    periods: tuple[Active, ...] = ()
    dated: tuple[Dated, ...] = ()
    dated_bucket: Bucket = "year"
    undated: int = 0
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The requested measures; the others are None."""

    change: int  # change number of the corpus
    model: str = ""  # the model of the vectors used
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
    took_s: float = 0.0
