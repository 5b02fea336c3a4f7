"""Which served model the corpus uses, and which one its vectors are being built with: texts in `meta`."""

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
    """What the store remembers of models; every field is empty where nothing was recorded.

    `in_force`, `building`: a model as its own room writes it, or `static`. `setting`: what the setting
    `embedding` was when somebody last chose; a setting that differs is the later word. `looked`: what `auto`
    saw when it last looked at what there is, as its own room writes it; empty where a person chose.
    """

    in_force: str = ""
    building: str = ""
    setting: str = ""
    looked: str = ""


def record(lease: Lease) -> Record:
    """The record as it stands."""
    found = {str(key): str(value) for key, value in lease.rows("SELECT key, value FROM ark.meta")}
    return Record(**{field: found.get(key, "") for field, key in KEYS.items()})


def keep(lease: Lease, wanted: Record) -> None:
    """Put a record in place of the one there is."""
    for field, key in KEYS.items():
        lease.run("DELETE FROM ark.meta WHERE key = ?", key)
        value = getattr(wanted, field)
        if value:
            lease.run("INSERT INTO ark.meta VALUES (?, ?)", key, value)
    lease.changed.add("models")
