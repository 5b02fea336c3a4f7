"""The vector index: one LanceDB table for each model, held in memory while it is small enough."""
