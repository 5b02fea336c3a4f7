"""The tests. None of them, and no process that one starts, reaches a model server but its own."""

import os

from ark_tui.embedding import ollama

NOBODY = "http://127.0.0.1:9"  # where no test meets the developer's own Ollama
ollama.HOST = NOBODY
os.environ["OLLAMA_HOST"] = NOBODY
