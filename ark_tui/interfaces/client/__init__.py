"""Clients of a home: the same calls to the home process, to a remote server, or within this process."""
