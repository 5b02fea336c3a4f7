"""What a report is to be about, as a face asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of the search report, and the profile to rank with; empty: what is configured."""

    query: str = ""
    profile: str = ""
    judged: tuple[Path, ...] = ()  # the judged sets of the eval report
    stop: Stop = NEVER
    progress: OnProgress = ignore
