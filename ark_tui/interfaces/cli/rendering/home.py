"""The home: findings, places, copies, settings, long work, plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.diagnostics import ExitCode
from ark_tui.interfaces.cli.layout import column, widest
from ark_tui.interfaces.cli.output import Ink, dumped
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.jobs import Job, JobResult
    from ark_tui.domain.work import Check
    from ark_tui.operations.home import Backup, Configuration, Restored, SetTo
    from ark_tui.settings.ralph import Imported

MARKS = {True: Ink("ok   ", "good"), False: Ink("wrong", "bad"), None: Ink("note ", "faint")}
REPAIRED = Ink("mended", "good")
WORK = {"running": "strong", "done": "good", "failed": "bad"}
VALUE = 37  # cells


def _check(_: View, check: Check) -> Lines:
    """What is right or wrong."""
    yield REPAIRED if check.repaired else MARKS[check.ok], f"  {check.name}: {check.detail}"


def _code(checks: Sequence[Check]) -> int:
    wrong = [check.name for check in checks if check.ok is False]
    if not wrong:
        return ExitCode.DONE
    return ExitCode.STORE if "store" in wrong else ExitCode.FAILED


def places(view: View, found: Sequence[Mapping[str, str]]) -> None:
    """Every place by its name; of a single one that was asked for, the path alone."""
    if view.options["name"]:
        view.out.line(*found[0].values())
    else:
        view.pairs(found[0], 10)


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
    """What counts now."""
    one = found[0]
    if one.value is not None:
        shown = column(_shown(one.name, one.value), VALUE)
        view.out.line(Ink(column(one.name, 0), "faint"), shown, Ink(one.origin, "faint"))


def _overruled(one: SetTo) -> Iterator[str]:
    if not one.changed:
        yield f"{one.config} says so already."
    if one.origin not in {"config", "default"}:
        yield f"{one.name} comes from {one.origin}, which goes before the file."


def _job(_: View, job: Job) -> Lines:
    """How far it is, or why it has failed."""
    state = Ink(column(job.state, 10), WORK.get(job.state, "faint"))
    yield Ink(f"{job.id}  ", "faint"), state, column(job.kind, 9), job.what
    if job.progress:
        total = "" if job.progress.total is None else f" of {job.progress.total:,}"
        yield (f"{'':14}{job.progress.stage}: {job.progress.done:,}{total}",)
    if job.error:
        yield (f"{'':14}{job.error.error} {job.error.hint}",)
    if counts := _counts(job.result):
        yield (f"{'':14}{counts}",)


def _counts(result: JobResult | None) -> str:
    """What a result counts, but for what it has none of: `7 added, 2 skipped`."""
    found = {field.name: getattr(result, field.name) for field in fields(result)} if result else {}
    return ", ".join(f"{count:,} {name}" for name, count in found.items() if count and type(count) is int)


def imported(view: View, taken: Sequence[Imported]) -> None:
    """What was taken over."""
    for root in taken[0].roots:
        view.out.line(Ink("root    ", "faint"), str(root.path))
    for pattern in taken[0].ignore:
        view.out.line(Ink("ignore  ", "faint"), pattern)
    changed = f"Written to {taken[0].config}."
    view.say.notice(changed if taken[0].changed else "All of it was there already.")


RENDERERS = {
    "doctor": each(_check, code=_code),
    "jobs list": each(_job, "No long work is under way."),
    **{f"jobs {verb}": each(_job) for verb in ("show", "cancel", "pause", "resume")},
    "where": Renderer(places),
    "backup": Renderer(backup),
    "restore": Renderer(restored, remarks=_restored),
    "config": Renderer(config),
    "config set": Renderer(set_to, remarks=_overruled),
    "config unset": Renderer(set_to, remarks=_overruled),
    "config import": Renderer(imported, warnings=lambda taken: taken.warnings),
}
