"""Score multipliers of profiles: decay by age, boost by agent accesses."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from ark_tui.domain.profile import Access, Decay
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

YEAR = 365.0


def factor(day: date | None, today: date, decay: Decay) -> float:
    """`max(floor, 1 − age_days / 365 × rate)`; 1 for an undated or future document."""
    if day is None:
        return 1.0
    age = max(0, (today - day).days)
    return max(decay.floor, 1.0 - age / YEAR * decay.rate)


def factors(days: NDArray[Any], today: date, decay: Decay) -> NDArray[np.float32]:
    """`factor` for an array of days since 1970."""
    import numpy as np

    age = np.maximum((today - EPOCH_DAY).days - days, 0)
    found: NDArray[np.float32] = np.maximum(decay.floor, 1 - age / YEAR * decay.rate).astype(np.float32)
    return found


def boost(accesses: int, access: Access) -> float:
    """`min(most, 1 + accesses × rate)`; 1 for a document never opened, copied or cited."""
    return min(access.most, 1.0 + accesses * access.rate)
