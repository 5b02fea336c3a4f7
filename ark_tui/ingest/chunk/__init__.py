"""Documents cut into chunks."""
