"""What was acknowledged is there, what was refused is not: under chosen faults. The soak has all of them."""

from __future__ import annotations

from pathlib import Path

from tests.faults.harness import campaign

CHOSEN = {
    "a commit that cannot be written": "task:ENOSPC:write /home/ark.duckdb.wal",
    "a commit that cannot be synced, nor taken back": "first task:FULL:fdatasync /home/ark.duckdb.wal",
    "a killed process that has just made the store": "first task:TORN:open /home/ark.duckdb",
    "a checkpoint on a full disk": "task:FULL:open /home/ark.duckdb.blocks",
    "a checkpoint that is cut off in a block of metadata": "task:TORN:pwrite /home/ark.duckdb 32768:2",
    "a killed process that has not noted how it left the files": "ingest:KILL:pwrite /home/home.lock:2",
    "a killed process that wrote a change and did not answer: its key makes it once": (
        "task:TORN:fdatasync /home/ark.duckdb.wal"
    ),
    "a purge that is killed after its commit": "purge:KILL:unlink /home/words/texts",
    "a conversation whose deletion is killed": "conversations-delete:KILL:unlink /home/messages/texts",
    "a killed restore": "restore:TORN:rename /home/ark.duckdb",
    "a killed backup": "backup:KILL:fsync /out",
    "no room for a file of vectors": "ingest:INODES:mkdir /home/vectors",
    "a file of an index that is to be erased and stays": "purge:EIO:unlink /home/words/texts",
    "a power cut while words are erased, which leaves no vectors": "purge:CUT:rename /home/words/texts/meta",
    "a killed process about to replace its store": "conversations-delete:KILL:unlink /home/ark.duckdb.blocks",
    "an index that does not follow a restored store": "restore:EIO:unlink /home/words/texts",
    "a backup that may not be found after a power cut": "backup:ENOSPC:fsync /out:2",
    "a power cut while the session is written": "session:CUT:rename",
}


def test_answers_are_true_and_homes_whole_after_a_fault_of_each_kind(tmp_path: Path) -> None:
    wanted = [f"--trial={trial}" for trial in CHOSEN.values()]
    trials = campaign(tmp_path, wanted)
    assert len(trials) == len(CHOSEN)
    for what, trial in zip(CHOSEN, trials, strict=True):
        assert trial.hit, what
        assert not trial.wrong, (what, trial)
