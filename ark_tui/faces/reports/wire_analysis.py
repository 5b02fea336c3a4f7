"""The shape of a corpus as JSON: one key per measure that was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ark_tui.domain.analysis import WHATS
from ark_tui.faces.reports.wire import Json, document

if TYPE_CHECKING:
    from ark_tui.domain.analysis import (
        Activity,
        Analysis,
        Audit,
        Boundary,
        Bridges,
        Communities,
        Community,
        Foundations,
        Gaps,
        Graph,
        Map,
        Novelty,
        Spectrum,
    )
    from ark_tui.domain.documents import Document


def analysis(done: Analysis) -> Json:
    """The measures, with the state of the corpus that they are of."""
    makers = {
        "novelty": novelty, "foundations": foundations, "bridges": bridges, "boundary": boundary,
        "communities": communities, "map": places, "gaps": gaps, "audit": audit, "activity": activity,
    }  # fmt: skip
    found = ((name, getattr(done, name)) for name in WHATS)
    return {
        "change": done.change,
        "model": done.model,
        "took_s": done.took_s,
        "cached": list(done.cached),
        "graph": graph(done.graph),
        **{name: makers[name](value) for name, value in found if value is not None},  # type: ignore[operator]
    }


def graph(of: Graph) -> Json:
    """The size of the graph that was measured."""
    return {
        "documents": of.documents, "similar": of.similar, "links": of.links, "k": of.k, "exact": of.exact,
        "recall": of.recall, "without_vector": of.without_vector,
    }  # fmt: skip


def novelty(of: Novelty) -> Json:
    return {
        "spectrum": spectrum(of.spectrum),
        "limit": of.limit,
        "count": of.count,
        "documents": [
            {
                "document": document(one.document), "novel": one.novel, "reason": one.reason,
                "score": one.score, "direction": one.direction, "eigenvalue": one.eigenvalue,
                "part": one.part, "shared_by": one.shared_by, "nearest": one.nearest, "chunk": one.chunk,
                "terms": list(one.terms),
            }
            for one in of.documents
        ],
        "notice": of.notice,
    }  # fmt: skip


def spectrum(of: Spectrum) -> Json:
    return {
        "eigenvalues": list(of.eigenvalues), "texts": of.texts, "dims": of.dims, "edge": of.edge,
        "lower_edge": of.lower_edge, "threshold": of.threshold, "outside": of.outside,
    }  # fmt: skip


def foundations(of: Foundations) -> Json:
    return {
        "documents": [
            {
                "document": document(one.document), "score": one.score, "linked_by": one.linked_by,
                "near": one.near,
            }
            for one in of.documents
        ],
        "curve": list(of.curve),
        "damping": of.damping,
        "notice": of.notice,
    }  # fmt: skip


def bridges(of: Bridges) -> Json:
    return {
        "documents": [
            {"document": document(one.document), "score": one.score, "between": list(one.between)}
            for one in of.documents
        ],
        "curve": list(of.curve),
        "pivots": of.pivots,
        "exact": of.exact,
        "notice": of.notice,
    }


def boundary(of: Boundary) -> Json:
    return {
        "value": of.value,
        "residual": of.residual,
        "exact": of.exact,
        "parts": list(of.parts),
        "sides": [
            {"size": side.size, "terms": list(side.terms), "documents": _documents(side.documents)}
            for side in of.sides
        ],
        "at_boundary": _documents(of.at_boundary),
        "crossing": of.crossing,
        "edges": of.edges,
        "order": list(of.order),
        "notice": of.notice,
    }


def community(of: Community) -> Json:
    return {
        "id": of.id,
        "label": of.label,
        "size": of.size,
        "terms": list(of.terms),
        "tags": [{"tag": tag, "documents": count} for tag, count in of.tags],
        "documents": _documents(of.documents),
    }


def communities(of: Communities) -> Json:
    return {
        "communities": [community(one) for one in of.communities],
        "modularity": of.modularity,
        "resolution": of.resolution,
        "alone": of.alone,
        "notice": of.notice,
    }


def places(of: Map) -> Json:
    return {
        "documents": of.documents,
        "regions": [
            {"community": one.community, "label": one.label, "size": one.size, "x": one.x, "y": one.y}
            for one in of.regions
        ],
        "places": [
            {"document": one.document.id, "x": one.x, "y": one.y, "community": one.community}
            for one in of.places
        ],
        "notice": of.notice,
    }


def gaps(of: Gaps) -> Json:
    return {
        "gaps": [
            {
                "a": community(one.a), "b": community(one.b), "closeness": one.closeness,
                "links": one.links, "expected": one.expected, "pair": _documents(one.pair),
            }
            for one in of.gaps
        ],
        "considered": of.considered,
        "notice": of.notice,
    }  # fmt: skip


def audit(of: Audit) -> Json:
    return {
        "documents": of.documents,
        "asked": of.asked,
        "found": of.found,
        "sampled": of.sampled,
        "profile": of.profile,
        "causes": dict(of.causes),
        "unfound": [
            {
                "document": document(one.document), "cause": one.cause, "detail": one.detail,
                "probes": list(one.probes),
                "eclipsed_by": document(one.eclipsed_by) if one.eclipsed_by else None,
            }
            for one in of.unfound
        ],
        "notice": of.notice,
    }  # fmt: skip


def activity(of: Activity) -> Json:
    return {
        "bucket": of.bucket,
        "periods": [
            {
                "start": one.start.isoformat(), "added": one.added, "changed": one.changed,
                "searches": one.searches, "accesses": one.accesses,
            }
            for one in of.periods
        ],
        "notice": of.notice,
    }  # fmt: skip


def _documents(of: Iterable[Document]) -> list[Json]:
    return [document(one) for one in of]
