"""Settings as used by the workbench: fixed ones, those of the engine, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import ark_tui

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.state.keymap import Keymap
    from ark_tui.settings import Settings

SAMPLE = ("sample", "../assets/sample")
"""Location of the sample notes relative to the package: installed, and in a checkout."""

OF_THE_SCREEN = {"theme", "blink", "keymap", "editor"}
"""Settings that the engine does not use."""


def tilde(path: Path | str) -> str:
    """A path with `~` for the user's home folder."""
    home = str(Path.home())
    return f"~{str(path)[len(home) :]}" if str(path).startswith(f"{home}/") else str(path)


def next_root(settings: Settings, status: Status | None) -> Path | None:
    """The first configured folder that exists and is not indexed yet."""
    taken = {collection.root for collection in status.collections} if status else set()
    folders = (root.path for root in settings.roots)
    return next((folder for folder in folders if str(folder) not in taken and folder.is_dir()), None)


def sample() -> Path | None:
    """The folder with the sample notes; None if they are not installed."""
    package = Path(ark_tui.__file__).parent
    return next((place.resolve() for name in SAMPLE if (place := package / name).is_dir()), None)


def fixed(settings: Settings, name: str) -> bool:
    """Whether a setting was given for this run. Choices on the screen do not change it."""
    return settings.origin(name) not in {"config", "default"}


def of_the_engine(settings: Settings) -> object:
    """The settings of the engine, which is recreated when they change."""
    values = {name: value for name, value in settings.values.items() if name not in OF_THE_SCREEN}
    return values, settings.roots, settings.profiles, settings.origin("profile")


def theme_fault(settings: Settings, there: Iterable[str]) -> Iterator[str]:
    """The error in the theme setting. Only the screen knows the available themes."""
    if settings.theme not in (names := sorted(there)):
        from ark_tui.settings.config import suggestion

        source = settings.origin("theme")
        place = f"{settings.home.config}:{settings.lines['theme']}: theme" if source == "config" else source
        yield f"{place} cannot be {settings.theme}{suggestion(settings.theme, tuple(names))}"


def key_faults(settings: Settings, keymap: Keymap) -> Iterator[str]:
    """The errors in the keymap, with file, line and key."""
    if not keymap.troubles:
        return
    from ark_tui.settings import template

    for trouble in keymap.troubles:
        line = template.line(settings.home, ("keymap", trouble.action))
        yield f"{settings.home.config}:{line}: keymap.{trouble.action}: {trouble.what}"
