"""Texts that wait for their vectors: whether the model can be asked now, and catching up once it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.protocols import OnProgress, Stop

if TYPE_CHECKING:
    from ark_tui.engine.parts import Parts

WAIT = 60.0  # seconds for another process that is writing the same index


def problem(parts: Parts) -> str:
    """Why the model that texts wait for cannot be asked now; empty where it can, or where none is wanted.

    One that the settings name and that nobody has reached yet is begun with when its server answers.
    """
    if parts.models.in_force() or parts.models.building():
        return parts.models.ask()
    said = parts.models.prepare()
    return "" if parts.models.building() else " ".join(said)


def embed(parts: Parts, stop: Stop, progress: OnProgress) -> int:
    """Let every index catch up; returns the number of changes applied.

    Raises `ModelUnavailable` where a server does not embed: what it did until then is kept.
    """
    parts.models.prepare()
    followers = (*parts.local_followers(), parts.messages_follower(), *parts.models.followers())
    done = sum(follower.sync(stop, progress, WAIT) for follower in followers)
    parts.models.settle()
    return done
