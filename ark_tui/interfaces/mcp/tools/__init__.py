"""The tools, one file per family."""
