"""Writes a report of the home to a file on this machine."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING

from ark_tui.interfaces.tui.state import strings

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.interfaces.tui.state.client import Client

HINT = strings.EXPORT_HINT
BOTH, ALONE = ("overview", "search"), ("overview",)


def write(path: Path, query: str, client: Client) -> str:
    """Write the overview, and with a query also its results. Return a message for the user.

    Blocks. Raises `ArkError` if the format is unknown or the file cannot be written.
    """
    from ark_tui.interfaces.reports import export as exports

    form, query = exports.format_of(path), query.strip()
    exports.check(path, form)
    asked = (BOTH if query else ALONE, form, query, "", ())
    files = client.opening.carry_out(client, "reports.export", asked, {})
    exports.put({name: b64decode(content) for name, content in files.items()}, path)
    return strings.EXPORTED.format(path=path)
