"""Calls of operations, run where the home is open: in the home process, a server, or the caller."""
