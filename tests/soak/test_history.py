"""Four processes add five hundred messages each to one conversation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.test_together import talk_at_once

pytestmark = pytest.mark.soak


def test_four_processes_by_five_hundred_messages_stay_gapless_and_unique(tmp_path: Path) -> None:
    talk_at_once(tmp_path / "home", processes=4, count=500)
