"""Who is at work in a folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

FILE = ".lock"
"""The lock's file in the folder of a run or of a sweep. It stays; only an open handle of a live process locks it."""


@contextmanager
def at_work(folder: Path, seconds: float = -1) -> Iterator[None]:
    """Hold a folder's lock.

    Args:
        folder: Folder of a run or of a sweep; made where there is none.
        seconds: How long to wait for another process that holds it; below 0 for as long as it takes.

    Raises:
        Timeout: Another process still holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / FILE, timeout=seconds):
        yield


def is_at_work(folder: Path) -> bool:
    """Whether a live process of this machine holds the folder's lock.

    Example:
        >>> is_at_work(Path("no/such/folder"))
        False
    """
    if not (folder / FILE).exists():
        return False
    try:
        with FileLock(folder / FILE, timeout=0):
            return False
    except Timeout:
        return True
