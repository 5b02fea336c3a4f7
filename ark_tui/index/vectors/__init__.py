"""The vector index: one LanceDB table per model, kept in memory if small enough."""
