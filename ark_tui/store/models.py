"""The served model in use, and the one for which vectors are being built; stored in `meta`."""

from __future__ import annotations

from dataclasses import dataclass

from ark_tui.store.lease import Lease

KEYS = {
    "in_force": "model",
    "building": "model being built",
    "setting": "model setting",
    "looked": "model looked at",
}


@dataclass(frozen=True, slots=True)
class Record:
    """The stored state of models; each field is empty if nothing was recorded.

    `in_force`, `building`: a `ServedModel` as JSON, or `static`. `setting`: the setting `embedding` at the
    last choice; if the current setting differs, it takes precedence. `looked`: the last check of `auto` as
    JSON; empty if the user chose the model.
    """

    in_force: str = ""
    building: str = ""
    setting: str = ""
    looked: str = ""


def record(lease: Lease) -> Record:
    """The current record."""
    found = {str(key): str(value) for key, value in lease.rows("SELECT key, value FROM ark.meta")}
    return Record(**{field: found.get(key, "") for field, key in KEYS.items()})


def keep(lease: Lease, wanted: Record) -> None:
    """Replace the record."""
    for field, key in KEYS.items():
        lease.run("DELETE FROM ark.meta WHERE key = ?", key)
        value = getattr(wanted, field)
        if value:
            lease.run("INSERT INTO ark.meta VALUES (?, ?)", key, value)
    lease.changed.add("models")
