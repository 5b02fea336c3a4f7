"""Decay: what is older counts less, in the profiles that say so."""

from __future__ import annotations

from datetime import date

from ark_tui.domain.profile import Decay

YEAR = 365.0


def factor(day: date | None, today: date, decay: Decay) -> float:
    """`max(floor, 1 − age_days / 365 × rate)`; 1 for an undated document or one from the future."""
    if day is None:
        return 1.0
    age = max(0, (today - day).days)
    return max(decay.floor, 1.0 - age / YEAR * decay.rate)
