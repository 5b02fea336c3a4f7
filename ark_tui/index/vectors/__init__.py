"""The vector index: LanceDB keeps every embedding ever made; serving files answer from memory maps."""

from ark_tui.index.vectors.follower import VectorsFollower
from ark_tui.index.vectors.reader import Vectors

__all__ = ["Vectors", "VectorsFollower"]
