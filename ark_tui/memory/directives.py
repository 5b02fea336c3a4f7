"""Directives: rules to hold to, everywhere or in a scope (layer 9)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.errors import UsageError
from ark_tui.domain.knowledge import DIRECTIVE, RULE_KINDS, Directive, RuleKind
from ark_tui.domain.memory import DIRECTIVE as LAYER
from ark_tui.domain.memory import Scope
from ark_tui.index.words import terms
from ark_tui.memory import texts
from ark_tui.store import knowledge, requests

if TYPE_CHECKING:
    from ark_tui.domain.documents import Tier
    from ark_tui.memory.items import Items
    from ark_tui.store import Store

EVERYWHERE = ("", "*", "all", "global", "everywhere")
"""Names of the scope that has no bounds."""

LONGEST = 4000  # bytes of a rule
HIGHEST = 1_000_000
TITLE = 80  # characters


class Directives:
    """The directives of a home. They hold for every agent; `by` says who added one."""

    def __init__(self, store: Store, items: Items) -> None:
        self._store = store
        self._items = items

    def add(
        self,
        kind: str,
        text: str,
        by: Scope,
        *,
        scope: str = "",
        priority: int = 0,
        tags: Sequence[str] = (),
        tier: Tier = "doc",
    ) -> Directive:
        """Keep a rule. The same rule for the same scope is the same directive, with the new priority."""
        rule, where, kept = rule_kind(kind), _where(scope), _text(text)
        _check(priority)
        with self._store.write() as lease:

            def make() -> Directive:
                number = next(
                    (
                        number
                        for number, one in knowledge.directives(
                            lease, knowledge.numbers(lease, [DIRECTIVE], Scope("ALL", "ALL"))
                        ).items()
                        if (one.kind, one.text, one.scope) == (rule, kept, where)
                    ),
                    None,
                )
                if number is None:
                    made = self._items.added(
                        lease, kept, by, layer=LAYER, tier=tier, type=DIRECTIVE, tags=tags,
                        title=_title(rule, kept), path=f"directives/{uuid.uuid4().hex[:12]}",
                    )  # fmt: skip
                    (number,) = knowledge.by_id(lease, [made.document.id])
                knowledge.put_directive(lease, number, (rule, where, priority))
                return knowledge.directives(lease, [number])[number]

            return requests.once(
                lease, "add a directive", [kind, text, scope, priority, tags, tier], make,
                lambda made: made.document.id,
                lambda id_: knowledge.again(lease, knowledge.directives, id_),
            )  # fmt: skip

    def edit(
        self,
        ref: str,
        text: str | None = None,
        *,
        kind: str | None = None,
        scope: str | None = None,
        priority: int | None = None,
    ) -> Directive:
        """Change what is given of a directive; it stays the same."""
        if text is None and kind is None and scope is None and priority is None:
            raise UsageError("There is nothing to change.", "Give another text, kind, scope or priority.")
        with self._store.read() as lease:
            number = knowledge.resolve(lease, ref, DIRECTIVE)
            old = knowledge.directives(lease, [number])[number]
        rule = old.kind if kind is None else rule_kind(kind)
        kept = old.text if text is None else _text(text)
        where = old.scope if scope is None else _where(scope)
        rank = old.priority if priority is None else priority
        _check(rank)
        if (kept, rule) != (old.text, old.kind):
            self._items.edit(ref, kept, title=_title(rule, kept))
        with self._store.write() as lease:
            knowledge.put_directive(lease, number, (rule, where, rank))
            return knowledge.directives(lease, [number])[number]

    def retire(self, ref: str, reason: str, agent: str) -> Directive:
        """Take a rule out of force; it is kept."""
        with self._store.read() as lease:
            number = knowledge.resolve(lease, ref, DIRECTIVE)
        self._items.retire(ref, reason, agent)
        with self._store.read() as lease:
            return knowledge.directives(lease, [number])[number]

    def list(self, by: Scope, *, retired: bool = False) -> tuple[Directive, ...]:
        """The rules that a scope has added, in the order in which they count; `retired` ones on request."""
        with self._store.read() as lease:
            wanted = knowledge.numbers(lease, [DIRECTIVE], by, retired=retired)
            found = knowledge.directives(lease, wanted)
        return tuple(sorted((found[number] for number in wanted), key=precedence))


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


def _text(text: str) -> str:
    return " ".join(texts.text(text, "a directive", LONGEST).split())


def _title(kind: RuleKind, text: str) -> str:
    return f"{kind} {text}"[:TITLE]


def _check(priority: int) -> None:
    if abs(priority) > HIGHEST:
        raise UsageError(f"A priority of {priority} makes no sense.", f"Between −{HIGHEST} and {HIGHEST}.")
