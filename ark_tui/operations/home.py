"""The home: checks, paths, backups and settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.fields import As
from ark_tui.domain.work import Check
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.settings import editing, ralph
from ark_tui.settings.config import Settings
from ark_tui.version import VERSION

PLACES = (
    "store", "words", "vectors", "models", "messages", "lock", "backups", "logs", "cache", "config",
)  # fmt: skip
"""The files and folders of a home that can be named."""


@dataclass(frozen=True, slots=True)
class Health:
    """That the home answers, by which version, and the number of its latest change."""

    status: Literal["ok"]
    version: str
    change: int


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written; programs get its name only."""

    backup: Path


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup in place of the store: how many documents it has, and where the old store is kept."""

    source: Annotated[Path, As.HIDDEN]
    documents: int
    kept: Path | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, and where it came from."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """Every setting of a home; `warnings` say what could not be used."""

    home: Path
    config: Path
    settings: dict[str, Setting]
    profiles: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetTo:
    """What a setting is from now on, and where that comes from; `changed`: the file says else than before."""

    name: str
    value: Any
    origin: str
    config: Path
    changed: bool


@operation(
    "health", Effect.READS, command="status health", example="ark-tui status health", route="GET /health"
)
def health(call: Call) -> Health:
    """Check whether the home answers. Over HTTP this needs no token."""
    return Health("ok", VERSION, call.engine.store.change())


@operation(
    "doctor", Effect.SETS, example="ark-tui doctor --repair", route="GET /doctor", listed="checks", heavy=True
)
def doctor(
    call: Call,
    repair: Annotated[
        bool,
        Param(
            "Rebuild indexes that are missing or broken, from the store; for a person only.",
            example=True,
            personal=True,
        ),
    ] = False,
) -> tuple[Check, ...]:
    """Check the home for faults, and repair what can be repaired.

    Looks at the store, the indexes, the folders, the model and the configuration. Each check is right, wrong
    or a note; the command exits with 1 when something is wrong, with 3 when it is the store.
    """  # fmt: skip
    if repair and not call.person:
        raise UsageError(
            "Only a person can repair a home.", Hint.run("doctor", repair=True, say="Ask the user: {}")
        )
    checks = call.engine.doctor(repair)
    return checks if call.person else tuple(Check(c.name, c.ok, call.unplaced(c.detail)) for c in checks)


@operation(
    "where", Effect.READS, command="config where", example="ark-tui config where config", personal=True
)
def where(
    call: Call,
    name: Annotated[
        str | None, Param("Only this place, such as home, store or config.", example="config", argument=True)
    ] = None,
) -> dict[str, str]:
    """Show where everything is stored. With NAME only that path is printed."""
    home = call.engine.settings.home
    places = {"home": str(home.path), **{place: str(getattr(home, place)) for place in PLACES}}
    if name is None:
        return places
    if name not in places:
        raise UsageError(f"There is no place called {name}.", f"There are {', '.join(places)}.")
    return {name: places[name]}


@operation("backup", Effect.ADDS, example="ark-tui backup /mnt/usb/", begins=False, keyed=False)
def backup(
    call: Call,
    to: Annotated[
        Path | None,
        Param(
            "A file or a folder, for a person only; else the home's folder of backups.",
            example="/mnt/usb/",
            argument=True,
            personal=True,
        ),
    ] = None,
) -> Backup:
    """Write a backup of the store and the configuration into one file, and print its path."""  # fmt: skip
    if to is not None and not call.person:
        raise UsageError(
            "Only a person can choose the place of a backup.",
            "Leave out `to`: the backup is written into the home.",
        )
    written = call.engine.backup(to)
    return Backup(written if call.person else Path(written.name))


@operation(
    "restore", Effect.DESTROYS, example="ark-tui restore ~/.ark/backups/ark-20260101T000000.zip",
    begins=True, personal=True,
)  # fmt: skip
def restore(
    call: Call,
    backup: Annotated[Path, Param("The file of a backup.", example="ark-20260101T000000.zip", argument=True)],
) -> Restored:
    """Replace the store with a backup.

    The current store is kept under another name, which is printed.
    """
    kept = call.engine.restore(backup)
    return Restored(backup, call.engine.status().documents, kept)


@operation("config", Effect.READS, example="ark-tui config import ~/.ralph/config.json", personal=True)
def config(call: Call) -> Configuration:
    """Show every setting and where it came from.

    Highest first: the command line, the environment, config.toml in the home, the default.
    """
    chosen = call.engine.settings
    return Configuration(
        chosen.home.path,
        chosen.home.config,
        {name: Setting(value, chosen.origin(name)) for name, value in _values(chosen).items()},
        tuple(sorted(chosen.profiles)),
        chosen.warnings,
    )


def _values(settings: Settings) -> dict[str, object]:
    return {"roots": settings.roots, **settings.values}


@operation("config set", Effect.SETS, example="ark-tui config set query_budget 3", begins=True, personal=True)
def set_setting(
    call: Call,
    name: Annotated[str, Param("A setting.", example="query_budget", argument=True, metavar="KEY")],
    value: Annotated[
        str, Param("Its value; several with commas between.", example="3", argument=True, metavar="VALUE")
    ],
) -> SetTo:
    """Write a setting into config.toml.

    An invalid value is refused. The rest of the file stays, including comments. The environment and the
    command line still override it.
    """
    home = call.engine.settings.home
    return _set_to(call, name, editing.put(home, name, value))


@operation("config unset", Effect.SETS, example="ark-tui config unset query_budget", personal=True)
def unset_setting(
    call: Call,
    name: Annotated[
        str,
        Param(
            "A setting, or a key that is in the file by mistake.",
            example="theme",
            argument=True,
            metavar="KEY",
        ),
    ],
) -> SetTo:
    """Remove a setting from config.toml, so that the environment or the default applies."""  # fmt: skip
    return _set_to(call, name, editing.take(call.engine.settings.home, name))


def _set_to(call: Call, name: str, changed: bool) -> SetTo:
    before = call.engine.settings
    now = before.reload() if before.reload else before
    return SetTo(name, _values(now).get(name), now.origin(name), now.home.config, changed)


@operation("config import", Effect.SETS, example="ark-tui config import knowledge.json", personal=True)
def take_over(
    call: Call,
    file: Annotated[Path, Param("A JSON configuration.", example="knowledge.json", argument=True)],
) -> ralph.Imported:
    """Read roots and ignore patterns from a JSON configuration.

    The file looks like {"roots": ["~/notes"], "ignore": ["*.tmp"]}. Settings that are already in config.toml
    stay.
    """
    return ralph.take_over(file, call.engine.settings.home)
