"""What the system talks about: frozen data, protocols and errors. Standard library only, no I/O."""
