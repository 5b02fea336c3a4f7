"""The vector index: LanceDB keeps every embedding ever made; serving files answer from memory maps."""
