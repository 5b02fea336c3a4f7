"""The tools: `knowledge` and `memory` are the ten default ones, `ralph` and `kadi` are optional."""
