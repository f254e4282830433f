"""One file, one writer that adds lines to it, and another process that writes it as a whole.

The rival writes something that nobody wrote before, and goes on when somebody has added a line to
exactly that. What is replaced by something that was not made from it is lost. A writer's bytes may
be seen and taken back again, so the rival looks for a while before it calls its own lost.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

LOOKS = 500
Add = Callable[[int], bool]
"""Reads the file, adds a line to what it read, writes it; whether that was done."""


class Tally(NamedTuple):
    """What a contest came to."""

    rounds: int
    lost: int
    written: int
    refused: int


def by_renaming(path: Path, content: bytes) -> None:
    """As editors write."""
    beside = path.with_name("rival")
    beside.write_bytes(content)
    beside.rename(path)


def in_place(path: Path, content: bytes) -> None:
    """As shells write."""
    with path.open("wb", buffering=0) as file:
        file.write(content)


def contest(
    path: Path, rounds: int, add: Add, rival: Callable[[Path, bytes], None], seed: int = 0
) -> Tally:
    """What became of so many writes of a rival in a process of its own, while `add` goes on."""
    path.write_bytes(b"start\n")
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        try:
            lost = _rival(path, rounds, rival, random.Random(seed))
            os.write(write_end, b"%d" % lost)
        finally:
            os._exit(0)
    os.close(write_end)
    written = refused = number = 0
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        number += 1
        if add(number):
            written += 1
        else:
            refused += 1
    with open(read_end, "rb") as answer:
        return Tally(rounds, int(answer.read()), written, refused)


def _rival(
    path: Path, rounds: int, write: Callable[[Path, bytes], None], chosen: random.Random
) -> int:
    lost = 0
    for number in range(rounds):
        for _ in range(chosen.randint(0, 3000)):
            pass
        mine = b"rival %d\n" % number
        write(path, mine)
        for _ in range(LOOKS):
            found = _read(path)
            if found.startswith(mine) and found != mine:
                break
            time.sleep(0.0002)
        else:
            lost += not _read(path).startswith(mine)
    return lost


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
