"""Prints the home: checks, paths, settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.diagnostics import ExitCode
from ark_tui.interfaces.cli.output import Ink, column, dumped, widest
from ark_tui.interfaces.cli.rendering import Renderer, View
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.work import Check
    from ark_tui.operations.home import Configuration, Restored, SetTo
    from ark_tui.settings.ralph import Imported

MARKS = {True: Ink("ok   ", "good"), False: Ink("wrong", "bad"), None: Ink("note ", "faint")}
REPAIRED = Ink("repaired", "good")
VALUE = 37  # cells


def checked(view: View, results: Sequence[Sequence[Check]]) -> None:
    """Print the results of checks."""
    for check in results[0]:
        view.out.line(REPAIRED if check.repaired else MARKS[check.ok], f"  {check.name}: {check.detail}")


def _code(checks: Sequence[Check]) -> int:
    wrong = [check.name for check in checks if check.ok is False]
    if not wrong:
        return ExitCode.DONE
    return ExitCode.STORE if "store" in wrong else ExitCode.FAILED


def places(view: View, found: Sequence[Mapping[str, str]]) -> None:
    """Print all paths by name, or a single requested path alone."""
    if view.options["name"]:
        view.out.line(*found[0].values())
    else:
        view.pairs(found[0], 10)


def _restored(done: Restored) -> Iterator[str]:
    yield f"Restored {counted(done.documents, 'document')} from {done.source}."


def config(view: View, found: Sequence[Configuration]) -> None:
    """Print the settings, one per line."""
    out, chosen = view.out, found[0]
    width = widest(chosen.settings)
    out.line(Ink(column("home", width), "faint"), str(chosen.home))
    for name, setting in chosen.settings.items():
        shown = column(_shown(name, setting.value), VALUE)
        out.line(Ink(column(name, width), "faint"), shown, Ink(setting.origin, "faint"))
    out.line(Ink(column("profiles", width), "faint"), ", ".join(chosen.profiles))


def _shown(name: str, value: Any) -> str:
    plain = [str(root.path) for root in value] if name == "roots" and value else encoded(value)
    return plain if isinstance(plain, str) and plain else dumped(plain)


def set_to(view: View, found: Sequence[SetTo]) -> None:
    """Print the value of a setting that is now in force."""
    one = found[0]
    if one.value is not None:
        shown = column(_shown(one.name, one.value), VALUE)
        view.out.line(Ink(column(one.name, 0), "faint"), shown, Ink(one.origin, "faint"))


def _overruled(one: SetTo) -> Iterator[str]:
    if not one.changed:
        yield f"{one.config} has this value already."
    if one.origin not in {"config", "default"}:
        yield f"{one.origin} sets {one.name} and overrides the file."


def imported(view: View, taken: Sequence[Imported]) -> None:
    """Print what was imported."""
    for root in taken[0].roots:
        view.out.line(Ink("root    ", "faint"), str(root.path))
    for pattern in taken[0].ignore:
        view.out.line(Ink("ignore  ", "faint"), pattern)
    changed = f"Written to {taken[0].config}."
    view.say.notice(changed if taken[0].changed else "Nothing is new.")


RENDERERS = {
    "doctor": Renderer(checked, code=_code),
    "where": Renderer(places),
    "restore": Renderer(remarks=_restored),
    "config": Renderer(config),
    "config set": Renderer(set_to, remarks=_overruled),
    "config unset": Renderer(set_to, remarks=_overruled),
    "config import": Renderer(imported, warnings=lambda taken: taken.warnings),
}
