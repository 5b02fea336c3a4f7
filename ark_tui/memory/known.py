"""Items of a kind (facts, patterns, directives): documents with values of their own. See `kinds`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ark_tui.domain.documents import Draft, LinkDraft, Tier, content_hash
from ark_tui.domain.knowledge import Directive, Fact, Pattern
from ark_tui.domain.memory import EVERY, Scope
from ark_tui.memory import texts
from ark_tui.memory.items import Items
from ark_tui.store import Lease, Store, items, knowledge, requests

if TYPE_CHECKING:
    from ark_tui.ingest.reading import Reading

Kept = TypeVar("Kept", bound=Fact | Pattern | Directive)
Values: TypeAlias = dict[str, Any]
EVERYBODY = Scope(EVERY, EVERY)


@dataclass(frozen=True)
class Kind(Generic[Kept]):
    """A kind of item.

    `name`: the type of its documents. `values`: the names of its values, in the order of arguments; they are
    attributes of `Kept`. `check` validates values, with at most so many bytes of text, or raises
    `UsageError`.
    `draft` makes the document; `put` stores values that are not in its text. `same` finds an existing item
    with the same values, owner and project; `renewed`: adding it again updates it. `order`: the sort key of
    lists, oldest first by default. `defaults`: of optional and internal values.
    """

    name: str
    layer: int
    values: tuple[str, ...]
    read: Callable[[Lease, Sequence[int]], dict[int, Kept]]
    check: Callable[[Values, int], Values]
    draft: Callable[[Reading, Values, str], Draft]
    same: Callable[[Lease, Values, tuple[str, str]], int | None]
    put: Callable[[Lease, int, Values], None] = lambda *_: None
    order: Callable[[Kept], Any] = lambda _: 0
    defaults: Mapping[str, Any] = field(default_factory=dict)
    renewed: bool = False


class Known(Generic[Kept]):
    """The items of a kind in a home. `by`: who added an item; `owner`: who sees it.

    `taken_up` tells the indexes of a change.
    """

    def __init__(
        self,
        kind: Kind[Kept],
        store: Store,
        items: Items,
        reading: Reading,
        default: Scope,
        taken_up: Callable[[], object],
    ) -> None:
        self._kind = kind
        self._store = store
        self._items = items
        self._reading = reading
        self._default = default
        self._taken_up = taken_up

    def add(
        self,
        *given: Any,
        by: Scope | None = None,
        tags: Sequence[str] = (),
        tier: Tier = "doc",
        whose: tuple[str, str] | None = None,
        **named: Any,
    ) -> Kept:
        """Add an item; the same values are the same item.

        `whose`: its owner and its project, instead of the defaults of the scope.
        """
        kind, scope = self._kind, texts.one(by or self._default)
        asked = dict(zip(kind.values, given, strict=False)) | named
        with self._store.write() as lease:
            kept = requests.once(
                lease, f"add a {kind.name}", [asked, tags, tier],
                lambda: self.added(lease, asked, scope, tags, tier, whose or self._items.whose(scope)),
                lambda made: made.document.id, lambda id_: knowledge.again(lease, kind.read, id_),
            )  # fmt: skip
        self._taken_up()
        return kept

    def added(
        self,
        lease: Lease,
        given: Mapping[str, Any],
        scope: Scope,
        tags: Sequence[str],
        tier: Tier,
        whose: tuple[str, str],
        links: Sequence[LinkDraft] = (),
    ) -> Kept:
        """As `add`, in the caller's lease. `links`: in addition to those in its text."""
        kind, (owner, project) = self._kind, whose
        values = kind.check({**kind.defaults, **given}, self._reading.max_bytes)
        number = kind.same(lease, values, whose)
        if number is None:
            draft = kind.draft(self._reading, values, f"{kind.name}s/{uuid.uuid4().hex[:12]}")
            number = self._put(lease, replace(
                draft, tier=tier, agent=scope.agent, session=scope.session, date=lease.now().date(),
                date_source="given", owner=owner, project=project, links=(*draft.links, *links),
            ), tags)  # fmt: skip
            kind.put(lease, number, values)
        elif kind.renewed:
            kind.put(lease, number, values)
        return self._get(lease, number)

    def list(self, by: Scope = EVERYBODY, *, retired: bool = False) -> tuple[Kept, ...]:
        """The items that a scope added; `retired` ones on request."""
        with self._store.read() as lease:
            numbers = knowledge.numbers(lease, [self._kind.name], by, retired=retired)
            found = self._kind.read(lease, numbers)
        return tuple(sorted((found[number] for number in numbers), key=self._kind.order))

    def _put(self, lease: Lease, draft: Draft, tags: Sequence[str]) -> int:
        kept = replace(draft, type=self._kind.name, layer=self._kind.layer)
        return items.put(lease, kept, content_hash(kept.body.encode()), tags)

    def _get(self, lease: Lease, number: int) -> Kept:
        return self._kind.read(lease, [number])[number]
