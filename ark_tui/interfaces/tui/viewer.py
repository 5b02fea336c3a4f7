"""The program that shows a file which is no text for an editor, at its page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from ark_tui.domain.errors import ConfigError
from ark_tui.interfaces.tui.state import addresses

SHOWN = frozenset(
    f".{name}"
    for kinds in ("pdf epub rtf docx docm dotx pptx pptm ppsx", "xlsx xlsm xlsb xls ods odt ott odp otp")
    for name in kinds.split()
)
"""What is never handed to an editor; all else is never handed to the desktop, which might run it."""

SET = "Set `viewer` in config.toml, as in: zathura -P {page} {file}"


def shows(file: Path) -> bool:
    """Whether a file is one for such a program."""
    return file.suffix.lower() in SHOWN


def command(viewer: str, environ: Mapping[str, str], file: Path, place: str) -> list[str]:
    """The command that shows a file at a place, as `p. 3`: the person's, else what the desktop has.

    `{file}` and `{page}` in it are replaced. Raises `ConfigError` where there is none.
    """
    try:
        words = shlex.split(viewer)
    except ValueError as error:
        raise ConfigError(f"The viewer {viewer!r} cannot be read: {error}.", SET) from error
    if not words:
        opener = addresses.desktop(environ)
        if opener is None:
            raise ConfigError(f"{file.name} is not for an editor, and no program is set that shows it.", SET)
        words = [opener]
    number = re.fullmatch(r"(?:p\.|slide) (\d+)", place)
    page = number[1] if number else "1"
    filled = [word.replace("{page}", page).replace("{file}", str(file)) for word in words]
    return filled if any("{file}" in word for word in words) else [*filled, str(file)]
