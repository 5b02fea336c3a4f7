"""The home process: it has one home open, and carries out the calls of all clients of that home."""
