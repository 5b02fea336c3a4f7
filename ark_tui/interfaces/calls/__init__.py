"""Calls of operations, carried out where the home is open: by the home process, a server, or the caller."""
