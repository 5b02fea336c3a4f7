"""What a package adds to ark-tui."""
