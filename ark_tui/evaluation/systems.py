"""What is measured: a profile, the baselines beside it, and the profile with one signal off."""

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
    """A way to rank, under the name it has in results and runs."""

    name: str
    profile: Profile
    mode: Mode = "hybrid"


@dataclass(frozen=True, slots=True)
class Systems:
    """All that one evaluation measures. `ablated`: by the signal that is off."""

    main: System
    baselines: tuple[System, ...]
    ablated: Mapping[str, System]
    compared: tuple[System, System] | None

    def all(self) -> dict[str, System]:
        """Each system once, by name."""
        several = (self.main, *self.baselines, *(self.compared or ()), *self.ablated.values())
        return {system.name: system for system in several}

    def kept(self) -> tuple[str, ...]:
        """The names of those whose runs are worth keeping: all but the ablated ones."""
        ablated = {system.name for system in self.ablated.values()}
        return tuple(name for name in self.all() if name not in ablated)


def chosen(plan: Plan, profiles: Mapping[str, Profile], *, model: bool) -> Systems:
    """The systems of a plan; raises `NotFound` for an unknown profile.

    `model`: the corpus has the vectors of a served model, so that cosine is its cosine.
    """
    known = {name: System(name, profile) for name, profile in profiles.items()}
    known |= {"bm25": bm25(), "cosine": cosine(model=model)}  # their names always mean these

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
    """BM25 over title and body, `en_stem`, all words of the query with weight 1: what everybody has."""
    profile = Profile("bm25", weights={"bm25": 1.0}, boosts={"title": 1.0}, stop_words=True)
    return System("bm25", profile, "keyword")


def cosine(*, model: bool) -> System:
    """The vectors alone: those of the corpus's model, else the mean of the static token vectors."""
    return System("cosine", Profile("cosine", weights={"cosine" if model else "static": 1.0}), "semantic")


def without(system: System, signal: str) -> System:
    """The same with one signal off."""
    weights = {**system.profile.weights, signal: 0.0}
    return replace(system, name=f"{system.name} -{signal}", profile=replace(system.profile, weights=weights))


def _signals(system: System) -> list[str]:
    return [name for name, weight in system.profile.weights.items() if weight]
