"""Why-not names the stage that truly lost a document, for documents that were lost on purpose (S20)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ark_tui.domain.whynot import STAGES
from tests.whynot.planted import Loss, Plants

FEW = 3


def named(plants: Plants, loss: Loss) -> str:
    """The stage that is named, and what is said of it where it is another one."""
    found = plants.engine.why_not(loss.request, loss.ref)
    return found.stage if found.stage == loss.stage else f"{loss} → {found.stage}: {found.sentence}"


@pytest.fixture(scope="module")
def plants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plants]:
    made = Plants(tmp_path_factory.mktemp("planted"), FEW)
    yield made
    made.close()


@pytest.mark.parametrize("stage", STAGES)
def test_the_stage_that_lost_a_document_is_named(plants: Plants, stage: str) -> None:
    losses = [loss for loss in plants.losses if loss.stage == stage]
    assert len(losses) == FEW
    assert [named(plants, loss) for loss in losses] == [stage] * FEW
