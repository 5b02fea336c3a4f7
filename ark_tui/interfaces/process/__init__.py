"""The home process: it keeps one home open and runs the calls of all its clients."""
