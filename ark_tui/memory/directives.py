"""Directives: rules to hold to, everywhere or in a scope (layer 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import RULE_KINDS, Directive, RuleKind
from ark_tui.index.words import terms
from ark_tui.memory import texts

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.reading import Reading

EVERYWHERE = ("", "*", "all", "global", "everywhere")
"""Names of the global scope."""

LONGEST = 4000  # bytes of a rule
HIGHEST = 1_000_000
TITLE = 80  # characters
KEPT = 4_096  # scopes in the cache of their words


def checked(values: Mapping[str, Any], _: int) -> dict[str, Any]:
    """The checked values of a rule. Raises `UsageError`."""
    if abs(values["priority"]) > HIGHEST:
        raise UsageError(
            f"The priority {values['priority']} is out of range.", f"Between −{HIGHEST} and {HIGHEST}."
        )
    text = " ".join(texts.text(values["text"], "a directive", LONGEST).split())
    return {**values, "kind": rule_kind(values["kind"]), "text": text, "scope": _where(values["scope"])}


def draft(reading: Reading, values: Mapping[str, Any], path: str) -> Draft:
    """The document of a rule; its title names its kind."""
    return reading.text(values["text"], path=path, title=f"{values['kind']} {values['text']}"[:TITLE])


def precedence(one: Directive) -> tuple[int, int, str]:
    """The sort key of rules: higher priority first, then MUST, NEVER, PREFER, AVOID."""
    return -one.priority, RULE_KINDS.index(one.kind), one.document.id


def holding(rules: Mapping[int, str], query: str, scopes: Sequence[str]) -> list[int]:
    """The rules that apply: global ones, those of a given scope, and those of scopes that the query mentions.

    `src` includes `src/auth`. A query mentions a scope if it has all words of its name.
    """
    given = [one.strip().lower().rstrip("/") for one in scopes]
    about = frozenset(terms.read(query).stems)
    return [number for number, scope in rules.items() if not scope or _holds(scope, given, about)]


def _holds(scope: str, given: Sequence[str], about: frozenset[str]) -> bool:
    own = scope.lower().rstrip("/")
    if any(one == own or one.startswith(f"{own}/") for one in given):
        return True
    words = _words(scope)
    return bool(words) and words <= about


@lru_cache(KEPT)
def _words(scope: str) -> frozenset[str]:
    return frozenset(terms.read(scope).stems)


def rule_kind(named: str) -> RuleKind:
    """A kind of rule by its name. Raises `UsageError`, which lists the kinds."""
    for kind in RULE_KINDS:
        if named.strip().upper() == kind:
            return kind
    raise UsageError(
        f"There is no kind of directive {named or '(empty)'}.", f"Kinds: {', '.join(RULE_KINDS)}."
    )


def _where(scope: str) -> str:
    return "" if scope.strip().lower() in EVERYWHERE else texts.name(scope, "a scope")
