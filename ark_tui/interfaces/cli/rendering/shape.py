"""The shape of a corpus as people read it: a heading per measure, at most 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.analysis import (
    WHATS,
    Activity,
    Analysis,
    Audit,
    Boundary,
    Bridges,
    Communities,
    Foundations,
    Gaps,
    Map,
    Novelty,
)
from ark_tui.domain.documents import Document
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import fit, flow, short
from ark_tui.interfaces.cli.output import WIDTH, Ink, Output
from ark_tui.interfaces.cli.rendering import Renderer, View, find

TITLE = 40  # cells of a document's title
INDENT = "  "


class Findings:
    """Prints what was measured, in the order of the measures."""

    def __init__(self, out: Output, done: Analysis) -> None:
        self._out = out
        self._done = done

    def show(self) -> None:
        first = True
        for name in WHATS:
            found = getattr(self._done, name)
            if found is None:
                continue
            if not first:
                self._out.line()
            first = False
            getattr(self, f"_{name}")(found)
            if found.notice:
                self._note(found.notice)

    # -- one method per measure --------------------------------------------------------------------

    def _novelty(self, of: Novelty) -> None:
        spectrum = of.spectrum
        self._heading("Novelty", "what the rest of the corpus does not explain")
        if not spectrum.dims:
            return
        self._note(
            f"{spectrum.outside} of {spectrum.dims} eigenvalues lie outside the noise, which ends at "
            f"{spectrum.edge:.2f} ({spectrum.threshold:.2f} with its fluctuation); the largest is "
            f"{spectrum.eigenvalues[0]:.1f}."
        )
        if of.limit is not None:
            self._note(
                f"{of.count:,} novel, by a score above {of.limit:.0f} or their own direction; * marks them."
            )
        for document in of.documents:
            where = "beyond all directions"
            if document.reason == "direction":
                where = f"direction {document.direction}, shared by {counted(document.shared_by, 'chunk')}"
            self._document(document.document, f"{document.score:7.0f}{'*' if document.novel else ' '}")
            self._under(where + (": " if document.terms else ""), document.terms)

    def _foundations(self, of: Foundations) -> None:
        self._heading("Foundations", "what much leads to, by links and by nearness")
        for document in of.documents:
            self._document(
                document.document, f"{document.score * 100:6.2f} %", counted(document.linked_by, "link")
            )

    def _bridges(self, of: Bridges) -> None:
        exact = "" if of.exact else f", estimated from {counted(of.pivots, 'document')}"
        self._heading("Bridges", f"what shortest paths run through{exact}")
        for document in of.documents:
            self._document(document.document, f"{document.score * 100:6.2f} %")
            self._under("between ", document.between, " | ")

    def _boundary(self, of: Boundary) -> None:
        self._heading("Boundary", "where the corpus comes apart most easily")
        if of.value is None:
            return
        how = "a full solve" if of.exact else f"residual {of.residual:.1e}"
        self._note(f"Fiedler value {of.value:.4f} ({how}); {of.crossing:,} of {of.edges:,} edges cross over.")
        for side in of.sides:
            self._out.line(INDENT, f"{counted(side.size, 'document')}: ", short(", ".join(side.terms), 50))
            for one in side.documents[:3]:
                self._document(one, INDENT)
        if of.at_boundary:
            self._out.line(INDENT, "with a foot on either side:")
            for one in of.at_boundary[:5]:
                self._document(one, INDENT)

    def _communities(self, of: Communities) -> None:
        alone = f", {counted(of.alone, 'document')} in none" if of.alone else ""
        self._heading("Communities", f"modularity {of.modularity:.2f}{alone}")
        for community in of.communities:
            named = Ink(f"{community.size:>7,}  ", "faint"), fit(community.label, 32), "  "
            self._out.line(*named, Ink(short(", ".join(community.terms), WIDTH - 43), "faint"))

    def _map(self, of: Map) -> None:
        self._heading("Map", f"{counted(of.documents, 'document')}; where the communities lie, −1…1")
        for region in of.regions:
            self._out.line(
                Ink(f"{region.x:>+7.2f}{region.y:>+7.2f}  ", "faint"),
                fit(region.label, 40),
                f"{region.size:>8,}",
            )

    def _gaps(self, of: Gaps) -> None:
        self._heading("Gaps", f"of {of.considered:,} pairs of communities that are near in meaning")
        for gap in of.gaps:
            self._out.line(
                Ink(f"{gap.closeness:7.2f}  ", "faint"), short(gap.a.label, 32), " ↔ ", short(gap.b.label, 32)
            )
            self._under(f"{counted(gap.links, 'link')} where {gap.expected:.0f} would be usual; nearest:", ())
            for end in gap.pair:
                self._document(end, INDENT)

    def _audit(self, of: Audit) -> None:
        self._heading("Audit", f"{of.found:,} of {of.asked:,} documents are found by their own terms")
        if of.causes:
            self._note(", ".join(f"{count:,} {cause}" for cause, count in of.causes.items()) + ".")
        for one in of.unfound:
            self._document(one.document, INDENT)
            self._under(one.detail + (" Asked: " if one.probes else ""), one.probes, " | ")

    def _activity(self, of: Activity) -> None:
        self._heading("Activity", f"by {of.bucket}")
        if not of.periods:
            return
        self._out.line(
            Ink(f"{INDENT}{'':<12}{'added':>9}{'changed':>9}{'searches':>10}{'opened':>9}", "faint")
        )
        for period in of.periods:
            if period.added or period.changed or period.searches or period.accesses:
                numbers = f"{period.added:>9,}{period.changed:>9,}{period.searches:>10,}{period.accesses:>9,}"
                self._out.line(INDENT, f"{period.start:%Y-%m-%d}  {numbers}")

    # -- lines -------------------------------------------------------------------------------------

    def _heading(self, name: str, about: str) -> None:
        self._out.line(Ink(name, "strong"), Ink(f"  {about}", "faint"))

    def _note(self, text: str) -> None:
        for row in flow(text, (), WIDTH - 2, 6):
            self._out.line(INDENT, *row)

    def _document(self, one: Document, before: str, after: str = "") -> None:
        name = f"{before}  {one.short_id}  "
        rest = WIDTH - len(name) - TITLE - len(after) - 4
        self._out.line(
            Ink(name, "faint"), fit(one.title, TITLE), "  ", Ink(fit(one.path, rest), "faint"), "  ", after
        )

    def _under(self, before: str, words: Sequence[str], between: str = ", ") -> None:
        for row in flow(before + between.join(words), (), WIDTH - 12, 3):
            self._out.line(" " * 10, *(Ink(ink.text, "faint") for ink in row))


def findings(view: View, results: Sequence[Analysis]) -> None:
    """What was measured."""
    for done in results:
        Findings(view.out, done).show()


RENDERERS = {"analyze": Renderer(findings, (find.PLAIN,))}
