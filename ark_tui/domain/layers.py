"""Collections, layers and statuses of memories."""

from __future__ import annotations

MEMORY = "memory"
"""The collection of memories other than messages."""

HISTORY = "history"
"""The collection of messages, all of layer 1."""

OWN = (MEMORY, HISTORY)

RETIRED = "retired"
"""The status of an item excluded from retrieval; its text is kept."""

WORKING, EPISODIC, SEMANTIC, PATTERN, DIRECTIVE = 1, 2, 3, 4, 9
