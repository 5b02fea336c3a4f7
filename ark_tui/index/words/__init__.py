"""The word index: tantivy's BM25 over title, headings and body, with identifiers and text without spaces."""

from ark_tui.index.words.follower import WordsFollower
from ark_tui.index.words.reader import Words

__all__ = ["Words", "WordsFollower"]
