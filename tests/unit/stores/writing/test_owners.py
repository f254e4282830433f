from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from groundwire.stores.writing.owners import Owners

HOLD = """
import sys
from pathlib import Path
from groundwire.stores.writing.owners import Owners
Owners(Path(sys.argv[1])).name("b" * 32)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_process_keeps_its_name(tmp_path: Path) -> None:
    owners = Owners(tmp_path / "owners")
    assert owners.name("a" * 32) == owners.name("c" * 32) == "a" * 32
    assert owners.is_alive("a" * 32)


def test_a_process_that_was_killed_is_alive_no_more(tmp_path: Path) -> None:
    folder = tmp_path / "owners"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    owners = Owners(folder)
    owners.name("a" * 32)
    assert owners.is_alive("b" * 32)
    other.kill()
    other.communicate(timeout=60)
    assert not owners.is_alive("b" * 32)
    assert sorted(each.name for each in folder.iterdir()) == ["a" * 32]


def test_a_name_that_leads_elsewhere_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "owners").mkdir()
    assert not Owners(tmp_path / "owners").is_alive("../kept")
    assert (tmp_path / "kept").exists()


def test_a_forked_child_is_another_owner(tmp_path: Path) -> None:
    owners = Owners(tmp_path / "owners")
    owners.name("a" * 32)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if owners.name("b" * 32) == "b" * 32 and owners.is_alive("a" * 32) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not owners.is_alive("b" * 32)
