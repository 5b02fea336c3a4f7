"""From a query line to ranked hits with every part of every score."""

from ark_tui.retrieval.pipeline import run, stages
from ark_tui.retrieval.state import Corpus

__all__ = ["Corpus", "run", "stages"]
