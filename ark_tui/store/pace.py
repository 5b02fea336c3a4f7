"""How much to do in one lease, so that others who want the store wait for a quarter of a second at most."""

from __future__ import annotations

AIM = 0.25  # seconds that a lease of long work should take
SPAN = 8  # how many times smaller than the largest piece the smallest is: a lease has a cost of its own


class Pace:
    """The size of the next piece of long work, learnt from how long the pieces before it took."""

    def __init__(self, most: int) -> None:
        self._least, self._most = max(1, most // SPAN), most
        self.size = self._least

    def took(self, seconds: float) -> None:
        """A piece of this size took so long: the next one is up to twice as large, or smaller."""
        wanted = round(self.size * min(2.0, AIM / max(seconds, 0.001)))
        self.size = max(self._least, min(wanted, self._most))
