"""The client of a home: the same calls to the home process, to a server elsewhere, or within this process."""
