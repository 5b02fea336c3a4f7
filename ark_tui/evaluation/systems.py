"""The systems to measure: a profile, the baselines, and the profile without one signal each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ark_tui.domain.errors import NotFound
from ark_tui.domain.evaluation import Plan
from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Mode

BASELINES = ("bm25", "cosine", "ark")


@dataclass(frozen=True, slots=True)
class System:
    """A ranking method, with its name in results and runs."""

    name: str
    profile: Profile
    mode: Mode = "hybrid"


@dataclass(frozen=True, slots=True)
class Systems:
    """All systems of one evaluation. `ablated`: by the signal that is switched off."""

    main: System
    baselines: tuple[System, ...]
    ablated: Mapping[str, System]
    compared: tuple[System, System] | None

    def all(self) -> dict[str, System]:
        """All systems, each once, by name."""
        several = (self.main, *self.baselines, *(self.compared or ()), *self.ablated.values())
        return {system.name: system for system in several}


def chosen(plan: Plan, profiles: Mapping[str, Profile], *, model: bool) -> Systems:
    """The systems of a plan. Raises `NotFound` for an unknown profile.

    `model`: the corpus has vectors of a served model, which `cosine` then uses.
    """
    known = {name: System(name, profile) for name, profile in profiles.items()}
    known |= {"bm25": bm25(), "cosine": cosine(model=model)}  # these names always refer to the baselines

    def named(name: str) -> System:
        if name not in known:
            raise NotFound(f"There is no profile {name}.", f"There are {', '.join(known)}.")
        return known[name]

    main = named(plan.profile)
    return Systems(
        main,
        tuple(named(name) for name in BASELINES),
        {signal: without(main, signal) for signal in _signals(main)} if plan.ablate else {},
        (named(plan.compare[0]), named(plan.compare[1])) if plan.compare else None,
    )


def bm25() -> System:
    """The common baseline: BM25 over title and body, `en_stem`, all words of the query with weight 1."""
    profile = Profile("bm25", weights={"bm25": 1.0}, boosts={"title": 1.0}, stop_words=True)
    return System("bm25", profile, "keyword")


def cosine(*, model: bool) -> System:
    """The vectors alone: those of the corpus's model, else means of static token vectors."""
    return System("cosine", Profile("cosine", weights={"cosine" if model else "static": 1.0}), "semantic")


def without(system: System, signal: str) -> System:
    """The system with one signal switched off."""
    weights = {**system.profile.weights, signal: 0.0}
    return replace(system, name=f"{system.name} -{signal}", profile=replace(system.profile, weights=weights))


def _signals(system: System) -> list[str]:
    return [name for name, weight in system.profile.weights.items() if weight]
