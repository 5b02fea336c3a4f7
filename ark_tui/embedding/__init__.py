"""Models that turn texts into vectors, behind one protocol (`domain.protocols.Embedder`)."""
