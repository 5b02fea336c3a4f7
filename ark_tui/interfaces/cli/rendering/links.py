"""The graph of links as lines."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.documents import Document
from ark_tui.domain.graph import LinkCommunities, LinkCommunity, Paths, Ranked, Shared, Subgraph, Walk
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import fit, short
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each


def walk(view: View, results: Sequence[Walk]) -> None:
    """The documents that a walk came to, the farther the further in."""
    (found,) = results
    if not found.reached:
        view.say.notice(f"No such link leads on from {found.root.title}.")
    for one in found.reached:
        arrow = "→" if one.edge.target == one.document.id else "←"
        before = f"{'  ' * (one.depth - 1)}{arrow} {one.document.short_id}  "
        after = f"  {', '.join(one.relations)}"
        room = 44 - 2 * one.depth
        rest = WIDTH - len(before) - room - len(after) - 2
        view.out.line(
            Ink(before, "faint"), fit(one.document.title, room), Ink(after, "structure"), "  ",
            Ink(short(one.document.path, rest), "faint"),
        )  # fmt: skip


def paths(view: View, results: Sequence[Paths]) -> None:
    """The ways, by their length and titles."""
    (found,) = results
    if not found.paths:
        view.say.notice(
            f"No way of {found.max_depth} links or fewer leads from {found.source.title} to "
            f"{found.target.title}."
        )
    for way in found.paths:
        onwards = [piece for one in way[1:] for piece in (Ink(" — ", "structure"), one.title)]
        view.out.line(Ink(f"{len(way) - 1}  ", "faint"), way[0].title, *onwards)
    if found.truncated:
        view.say.notice("There are more.")


def shared(view: View, results: Sequence[Shared]) -> None:
    """The neighbours that two documents have in common."""
    (found,) = results
    if not found.documents:
        view.say.notice(f"{found.a.title} and {found.b.title} have no neighbour in common.")
    each(_document).show(view, found.documents)


def subgraph(view: View, results: Sequence[Subgraph]) -> None:
    """The links between the documents around one."""
    (found,) = results
    view.say.notice(f"{counted(len(found.nodes), 'document')}, {counted(len(found.edges), 'link')}")
    titles = {node.id: node.title for node in found.nodes}
    for edge in found.edges:
        view.out.line(
            short(titles[edge.source], 30), Ink(f" — {edge.relation} → ", "structure"),
            short(titles[edge.target], 30),
        )  # fmt: skip


def communities(view: View, results: Sequence[LinkCommunities]) -> None:
    """The communities, the largest first."""
    (found,) = results
    alone = f", {counted(found.unlinked, 'document')} in none" if found.unlinked else ""
    view.say.notice(f"modularity {found.modularity:.2f}{alone}")
    for one in found.communities:
        view.out.line(Ink(f"{one.id:>4}  {one.size:>7,}  ", "faint"), one.label)


def community(view: View, results: Sequence[LinkCommunity]) -> None:
    """The documents of a community."""
    each(_document).show(view, results[0].documents)


def _ranked(view: View, one: Ranked) -> Lines:
    return _document(view, one.document, f"{one.score:.4f}  ")


def _document(_: View, one: Document, before: str = "") -> Lines:
    path = Ink(short(one.path, WIDTH - 51 - len(before)), "faint")
    yield Ink(f"{before}{one.short_id}  ", "faint"), fit(one.title, 40), "  ", path


RENDERERS = {
    "traverse": Renderer(walk),
    "paths": Renderer(paths),
    "common": Renderer(shared),
    "subgraph": Renderer(subgraph),
    "communities": Renderer(communities),
    "community": Renderer(community),
    **dict.fromkeys(("central", "bridges"), each(_ranked, "No document links to another.")),
}
