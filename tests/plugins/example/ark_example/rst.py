"""A format: the title of a reStructuredText file is the line above its first underline."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.formats.file import File

TITLE = re.compile(r"^(\S.*)\n[=~-]{3,}$", re.MULTILINE)


def read(file: File) -> tuple[Draft, ...]:
    """The file as one document."""
    draft = file.plain("rst", ())
    title = TITLE.search(file.text)
    return (replace(draft, title=title[1], titled=True) if title else draft,)
