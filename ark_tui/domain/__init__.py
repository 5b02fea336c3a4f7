"""Domain model: frozen dataclasses, protocols and errors. Standard library only, no I/O."""
