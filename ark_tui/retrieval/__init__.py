"""From a query line to ranked hits with every part of every score."""

from ark_tui.retrieval.pipeline import Corpus, run, stages

__all__ = ["Corpus", "run", "stages"]
