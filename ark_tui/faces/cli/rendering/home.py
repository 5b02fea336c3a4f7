"""The home: findings, places, copies, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.faces.cli.diagnostics import ExitCode
from ark_tui.faces.cli.output import Ink, dumped
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.work import Check
    from ark_tui.operations.home import Backup, Configuration, Restored
    from ark_tui.settings.ralph import Imported

MARKS = {True: Ink("ok   ", "good"), False: Ink("wrong", "bad"), None: Ink("note ", "faint")}
REPAIRED = Ink("mended", "good")
LABEL = 15  # cells


def checks(view: View, found: Sequence[Sequence[Check]]) -> None:
    """What is right and what is wrong, a line each."""
    for check in found[0]:
        view.out.line(REPAIRED if check.repaired else MARKS[check.ok], f"  {check.name}: {check.detail}")


def _code(checks: Sequence[Check]) -> int:
    wrong = [check.name for check in checks if check.ok is False]
    if not wrong:
        return ExitCode.DONE
    return ExitCode.STORE if "store" in wrong else ExitCode.FAILED


def places(view: View, found: Sequence[Mapping[str, str]]) -> None:
    """Every place by its name; of a single one that was asked for, the path alone."""
    for label, path in found[0].items():
        view.out.line(*([path] if view.options["name"] else [Ink(f"{label:<10}", "faint"), path]))


def backup(view: View, written: Sequence[Backup]) -> None:
    """Its path."""
    view.out.line(str(written[0].backup))


def restored(view: View, done: Sequence[Restored]) -> None:
    """Where the old store is."""
    if done[0].kept:
        view.out.line(str(done[0].kept))


def _restored(done: Restored) -> Iterator[str]:
    yield f"Restored {counted(done.documents, 'document')} from {done.source}."


def config(view: View, found: Sequence[Configuration]) -> None:
    """Every setting in a line."""
    out, chosen = view.out, found[0]
    out.line(Ink(f"{'home':<{LABEL}}", "faint"), str(chosen.home))
    for name, setting in chosen.settings.items():
        value = [str(root.path) for root in setting.value] if name == "roots" else encoded(setting.value)
        shown = value if isinstance(value, str) and value else dumped(value)
        out.line(Ink(f"{name:<{LABEL}}", "faint"), f"{shown:<36} ", Ink(setting.origin, "faint"))
    out.line(Ink(f"{'profiles':<{LABEL}}", "faint"), ", ".join(chosen.profiles))


def imported(view: View, taken: Sequence[Imported]) -> None:
    """What was taken over."""
    for root in taken[0].roots:
        view.out.line(Ink("root    ", "faint"), str(root.path))
    for pattern in taken[0].ignore:
        view.out.line(Ink("ignore  ", "faint"), pattern)
    changed = f"Written to {taken[0].config}."
    view.say.notice(changed if taken[0].changed else "All of it was there already.")


RENDERERS = {
    "doctor": Renderer(checks, code=_code),
    "where": Renderer(places),
    "backup": Renderer(backup),
    "restore": Renderer(restored, remarks=_restored),
    "config": Renderer(config),
    "config import": Renderer(imported, warnings=lambda taken: taken.warnings),
}
