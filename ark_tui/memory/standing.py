"""What contexts ask of the store again and again, remembered as of one state of it.

To open the store costs more than most of what is asked there. Remembered are the rules in force, how sure the
problems of patterns are, and the rules and patterns that were in a context.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ark_tui.domain.knowledge import Directive, Pattern
from ark_tui.domain.layers import PATTERN
from ark_tui.store import knowledge, owners

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.documents import Document
    from ark_tui.store import Lease, Store

    Open: TypeAlias = Callable[[], Lease]
    """Opens the store, if it is not open yet."""

KEPT = 2_000  # rules and patterns
Kept = TypeVar("Kept", Directive, Pattern)


@dataclass(slots=True)
class Known:
    """What was read of one state of the store for one viewer, each part when it was first asked for."""

    state: Hashable
    _scopes: dict[int, str] | None = None
    _patterns: dict[str, NDArray[Any]] | None = None
    _read: dict[int, Any] = field(default_factory=dict)

    def scopes(self, store: Open) -> dict[int, str]:
        """The scopes of the rules in force, by their numbers."""
        if self._scopes is None:
            self._scopes = knowledge.rules(store())
        return self._scopes

    def sure(self, store: Open, layer: int, chunks: NDArray[np.int64]) -> list[float]:
        """How sure each chunk of a layer is. In that of patterns only their problems are, at all."""
        import numpy as np

        if self._patterns is None:
            self._patterns = knowledge.of_patterns(store())
        known = self._patterns["chunk"]
        found = np.full(len(chunks), 0.0 if layer == PATTERN else 1.0)
        at = known.searchsorted(chunks)
        mine = np.flatnonzero(np.isin(chunks, known))
        said = self._patterns["confidence"][at[mine]]
        found[mine] = said if layer != PATTERN else said * self._patterns["problem"][at[mine]]
        sure: list[float] = found.tolist()
        return sure

    def items(
        self,
        store: Open,
        read: Callable[[Lease, Sequence[int], Mapping[int, Document]], dict[int, Kept]],
        wanted: Sequence[int],
        documents: Callable[[Sequence[int]], Mapping[int, Document]],
    ) -> dict[int, Kept]:
        """Rules or patterns by number; those that are gone are left out. `documents` looks theirs up."""
        found = {number: self._read[number] for number in wanted if number in self._read}
        if fresh := [number for number in wanted if number not in found]:
            found |= read(store(), fresh, documents(fresh))
            self._read = found if len(self._read) > KEPT else self._read | found
        return {number: found[number] for number in wanted if number in found}


class Standing:
    """What was read last, of one home."""

    def __init__(self) -> None:
        self._known = Known(None)

    def now(self, store: Store) -> Known:
        """What is known of the state that the store has now, for whoever looks here."""
        state = store.learned(), store.pins(), owners.current()
        known = self._known
        if known.state != state:
            known = self._known = Known(state)
        return known
