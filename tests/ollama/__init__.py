"""Trials against a real Ollama, with whatever models it has: `make ollama` runs them, nothing else does."""

LIVE = "LIVE_OLLAMA"
"""The variable that names the server: every other is taken from the tests."""
