"""Score multipliers of profiles: decay by age, boost by agent accesses."""

from __future__ import annotations

from datetime import date

from ark_tui.domain.profile import Access, Decay

YEAR = 365.0


def factor(day: date | None, today: date, decay: Decay) -> float:
    """`max(floor, 1 − age_days / 365 × rate)`; 1 for an undated or future document."""
    if day is None:
        return 1.0
    age = max(0, (today - day).days)
    return max(decay.floor, 1.0 - age / YEAR * decay.rate)


def boost(accesses: int, access: Access) -> float:
    """`min(most, 1 + accesses × rate)`; 1 for a document never opened, copied or cited."""
    return min(access.most, 1.0 + accesses * access.rate)
