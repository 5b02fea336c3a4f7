"""Which of the folders that are followed are away now: an unplugged disk, a share that is not mounted."""

from __future__ import annotations

from ark_tui.settings.tree import absent
from ark_tui.store import Lease, files


def away(lease: Lease) -> dict[str, str]:
    """The collections whose folder is away, with it.

    An empty folder is away unless it is the one that was read before: then it has been emptied.
    """
    noted = files.noted(lease)
    return {
        name: root
        for name, root in files.roots(lease).items()
        if absent(root, noted.get(f"place {root}", ""))
    }
