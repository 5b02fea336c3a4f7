"""What memories are told apart by: their collections, their layers, their status."""

from __future__ import annotations

MEMORY = "memory"
"""The collection of memories that are no messages."""

HISTORY = "history"
"""The collection of messages, all of layer 1."""

OWN = (MEMORY, HISTORY)

RETIRED = "retired"
"""The status of an item that somebody has taken out of retrieval; its text is kept."""

WORKING, EPISODIC, SEMANTIC, PATTERN, DIRECTIVE = 1, 2, 3, 4, 9
