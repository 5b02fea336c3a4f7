"""Twenty documents lost on purpose at each stage: why-not names the true one for each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whynot.planted import SUBJECTS, Plants
from tests.whynot.test_stages import named

pytestmark = pytest.mark.soak


def test_of_twenty_losses_at_each_stage_every_one_is_named(tmp_path: Path) -> None:
    plants = Plants(tmp_path, len(SUBJECTS))
    try:
        wrong = [said for loss in plants.losses if (said := named(plants, loss)) != loss.stage]
    finally:
        plants.close()
    assert not wrong, f"{len(wrong)} of {len(plants.losses)}: {wrong[:5]}"
