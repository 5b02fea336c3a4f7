"""Import of chat exports from other programs as conversations."""
