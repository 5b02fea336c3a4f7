"""The tools: `knowledge` and `memory` are the ten of ark-tui, `ralph` and `kadi` are on request."""
