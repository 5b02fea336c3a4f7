"""What a picker, a palette and a completion list."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """What can be picked: a label, and something about it at the right."""

    label: str
    about: str = ""
    name: str = ""  # what it stands for; one without is only told and cannot be picked
    preview: str = ""
    state: str = ""  # why it is not like the others, before what is about it
    group: str = ""  # what it stands below while nothing is typed
