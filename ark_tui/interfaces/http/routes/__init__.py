"""The routes, one file per family."""
