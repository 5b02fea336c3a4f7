"""Texts that wait for their vectors: catching up once the model can be asked."""

from __future__ import annotations

from ark_tui.domain.errors import ModelUnavailable
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.work import Run
from ark_tui.engine.services import Services

WAIT = 60.0  # seconds for another process that is writing the same index


def embed(parts: Services, stop: Stop, progress: OnProgress) -> int:
    """Let every index catch up, as a run that others see; returns the number of changes applied.

    Raises `ModelUnavailable` where a server does not embed: what it did until then is kept, and whoever
    wanted it tries again.
    """
    run = Run("embed")
    with parts.runs.under_way(run, stop, progress) as wanted:
        try:
            return _embedded(parts, wanted, progress)
        except ModelUnavailable:
            parts.runs.drop(run)
            raise


def _embedded(parts: Services, stop: Stop, progress: OnProgress) -> int:
    parts.models.prepare()
    parts.notices += parts.models.consider(stop)
    done = sum(follower.sync(stop, progress, WAIT) for follower in parts.followers())
    if ready := parts.models.settle():
        parts.notices.append(f"embedding: searches use {ready.name} from now on")
    return done
