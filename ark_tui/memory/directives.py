"""Directives: rules to hold to, everywhere or in a scope (layer 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import RULE_KINDS, Directive, RuleKind
from ark_tui.index.words import terms
from ark_tui.memory import texts

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.reading import Reading

EVERYWHERE = ("", "*", "all", "global", "everywhere")
"""Names of the scope that has no bounds."""

LONGEST = 4000  # bytes of a rule
HIGHEST = 1_000_000
TITLE = 80  # characters


def checked(values: Mapping[str, Any], _: int) -> dict[str, Any]:
    """What is given of a rule, made to fit. Raises `UsageError`."""
    if abs(values["priority"]) > HIGHEST:
        raise UsageError(
            f"A priority of {values['priority']} makes no sense.", f"Between −{HIGHEST} and {HIGHEST}."
        )
    text = " ".join(texts.text(values["text"], "a directive", LONGEST).split())
    return {**values, "kind": rule_kind(values["kind"]), "text": text, "scope": _where(values["scope"])}


def draft(reading: Reading, values: Mapping[str, Any], path: str) -> Draft:
    """The document of a rule; its title says of which kind it is."""
    return reading.text(values["text"], path=path, title=f"{values['kind']} {values['text']}"[:TITLE])


def precedence(one: Directive) -> tuple[int, int, str]:
    """The order of rules: a higher priority first, then MUST, NEVER, PREFER, AVOID."""
    return -one.priority, RULE_KINDS.index(one.kind), one.document.id


def applies(one: Directive, query: str, scopes: Sequence[str]) -> bool:
    """Whether a rule holds: everywhere, in one of the scopes that are given, or in what the query is about.

    A scope holds what lies below it: `src/auth` is in `src`. A query with all words of a scope is about it.
    """
    if not one.scope:
        return True
    own = one.scope.lower().rstrip("/")
    for scope in scopes:
        given = scope.strip().lower().rstrip("/")
        if given == own or given.startswith(f"{own}/"):
            return True
    words = set(terms.read(one.scope).stems)
    return bool(words) and words <= set(terms.read(query).stems)


def rule_kind(named: str) -> RuleKind:
    """A kind of rule by its name. Raises `UsageError` with those there are."""
    for kind in RULE_KINDS:
        if named.strip().upper() == kind:
            return kind
    raise UsageError(
        f"There is no kind of directive {named or '(empty)'}.", f"Kinds: {', '.join(RULE_KINDS)}."
    )


def _where(scope: str) -> str:
    return "" if scope.strip().lower() in EVERYWHERE else texts.name(scope, "a scope")
