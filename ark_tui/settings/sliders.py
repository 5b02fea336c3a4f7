"""The numbers of a profile that can be moved one by one, and the changes that moved ones stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ark_tui.domain.profile import Decay, Profile
from ark_tui.domain.tuning import Slider, Tuning
from ark_tui.settings.ranking import FIELDS, SIGNALS

YEAR = 365.0  # days
SWITCHED = ("decay.rate", "access.rate")
"""Numbers that switch their table off where they are 0. They stand last, so that nothing switches it on."""


def sliders(profile: Profile) -> tuple[Slider, ...]:
    """What can be moved in a profile: weights first, those in use before the others."""
    return (*_weights(profile), *_rest(profile), *_boosts(profile), *_feedback(profile))


def tuning(start: Tuning, moved: Mapping[str, float]) -> Tuning:
    """A tuning with numbers moved, by their keys; those moved last count."""
    ordered = sorted(moved.items(), key=lambda one: one[0] in SWITCHED)
    return Tuning(start.profile, (*start.changes, *(_change(key, value) for key, value in ordered)))


def half_life(decay: Decay) -> str:
    """After how many days a text counts half: of 1 − age / 365 × rate, never below the floor."""
    if decay.floor >= 0.5 or decay.rate <= 0:
        return "never half"
    return f"half after {YEAR / 2 / decay.rate:,.0f} days"


def _change(key: str, value: float) -> str:
    if key in SWITCHED and not value:
        return f"{key.partition('.')[0]}=off"
    return f"{key}={value:.6g}"


def _weights(profile: Profile) -> Iterator[Slider]:
    used = [name for name, weight in profile.weights.items() if weight]
    most, step = (0.6, 0.01) if profile.fusion == "convex" else (5.0, 0.05)
    for name in (*used, *(name for name in SIGNALS if name not in used)):
        value = profile.weights.get(name, 0.0)
        yield Slider(f"weight.{name}", value, min(0.0, value), max(most, value), step, name not in used)


def _rest(profile: Profile) -> Iterator[Slider]:
    decay, access = profile.decay, profile.access
    said = half_life(decay) if decay else "off"
    yield Slider("decay.rate", decay.rate if decay else 0.0, 0.0, 1.0, 0.05, said=said)
    if decay:
        yield Slider("decay.floor", decay.floor, 0.0, 1.0, 0.05)
    yield Slider("access.rate", access.rate if access else 0.0, 0.0, 0.2, 0.01, said="" if access else "off")
    yield Slider("mmr", profile.mmr, 0.0, 1.0, 0.05, said="off" if profile.mmr == 1 else "")
    if profile.fusion == "rrf":
        yield Slider("k", profile.k, 0.0, 200.0, 1.0)


def _boosts(profile: Profile) -> Iterator[Slider]:
    for name in FIELDS:
        value = profile.boosts.get(name, 0.0)
        yield Slider(f"boost.{name}", value, 0.0, max(5.0, value), 0.1, searches=True)


def _feedback(profile: Profile) -> Iterator[Slider]:
    rule = profile.feedback
    yield Slider("feedback.hits", rule.hits, 0, max(10, rule.hits), 1, searches=True)
    yield Slider("feedback.terms", rule.terms, 0, max(30, rule.terms), 1, searches=True)
    yield Slider("feedback.floor", rule.floor, -1.0, 1.0, 0.05, searches=True)
    if profile.weights.get("graph"):
        yield Slider("graph.floor", profile.graph.floor, -1.0, 1.0, 0.05, searches=True)
