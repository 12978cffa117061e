"""Who holds a claim, and does that process still run? Knows nothing of files, answers or SQL.

A claim must not outlive its holder: on this machine the process table answers at once, even after `kill -9`; for another
machine (or container) only the heartbeat speaks. Heartbeats are counters, not times: a holder is given up when its counter
stood still for a while on OUR steady clock, so that no two clocks need agree and a laptop may sleep.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from pathlib import Path
from typing import NamedTuple

__all__ = ["Owner", "Watch", "myself"]

AWAY_S = 10.0  # another machine's holder without a heartbeat
STUCK_S = 60.0  # a holder on this machine that exists without a heartbeat: stopped with Ctrl-Z, or its file system hangs


class Owner(NamedTuple):
    """One open cache of one process. `started` tells a process from a later one with the same number; "" where unknown."""

    id: str
    machine: str
    pid: int
    started: str
    beat: int = 0


def myself() -> Owner:
    """A new owner in this process."""
    return Owner(uuid.uuid4().hex, _machine(), os.getpid(), _state(os.getpid())[1])


class Watch:
    """Remembers heartbeats, to see which stand still."""

    def __init__(self) -> None:
        self._machine = _machine()
        self._seen: dict[str, tuple[int, float]] = {}

    def alive(self, owner: Owner) -> bool:
        """False once the owner is known to be gone."""
        here = owner.machine == self._machine
        if here and not _runs(owner):
            return False
        now = time.monotonic()
        beat, since = self._seen.get(owner.id, (-1, now))
        if beat != owner.beat:
            self._seen[owner.id] = (owner.beat, now)
            return True
        return now - since < (STUCK_S if here else AWAY_S)


def _runs(owner: Owner) -> bool:
    """Is it the same process? True where this system can't tell: then the heartbeat decides."""
    if os.name != "posix":  # elsewhere os.kill(pid, 0) is not a question
        return True
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's: it exists
        return True
    state, started = _state(owner.pid)
    return state != "Z" and (not started or not owner.started or started == owner.started)


def _state(pid: int) -> tuple[str, str]:
    """The state letter and the start (in ticks since boot) from /proc; ("", "") where that can't be read. A killed process
    whose parent has not asked for its exit code is still in the table, as a zombie ("Z")."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return fields[0].decode(), fields[19].decode()
    except (OSError, IndexError):
        return "", ""


def _machine() -> str:
    """Process numbers mean the same wherever this is the same: host, boot and process namespace (containers)."""
    parts = [socket.gethostname()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        pass
    return " ".join(parts)
