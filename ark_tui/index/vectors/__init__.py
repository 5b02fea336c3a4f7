"""The vector index: serving files answer from memory maps; LanceDB keeps what served models have made."""
