"""What it costs to stage a command in a folder of 20,000 files, and to apply what a build makes.

Staged: the folder laid under an overlay, the command run in it, what it left read and held against
the folder. Applied: thousands of new files written, all or none, each on the medium.
`python -m bench.staging [FOLDER]`
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.quiet import load, outcome
from groundwire.targets.disk.kept import KeptFiles
from groundwire.targets.files.target import FilesTarget
from groundwire.targets.shell.canary import Measured
from groundwire.targets.shell.running import NotContained
from groundwire.targets.shell.staging import ShellTarget
from groundwire.targets.shell.view import view_of

FILES, BUILT, ROUNDS = 20_000, 2_000, 15
BOUND = 0.150
CHANGE = ("/bin/sh", "-c", 'echo "$0" > folder-007/file-00077.txt; echo "$0" > made')
BUILD = ("/bin/sh", "-c", "mkdir built; cd built; seq 1 2000 | split -l 1 -a 4 - out-")


def tree(work: Path) -> None:
    """A folder of many small files, a hundred to a folder."""
    for number in range(FILES):
        folder = work / f"folder-{number // 100:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file-{number % 100:05}.txt").write_bytes(b"line %d\n" % number * 20)


def shell_at(folder: Path) -> ShellTarget:
    work, state = folder / "work", folder / "state"
    files = FilesTarget(work, KeptFiles(folder / "kept", time.time), state)
    view = view_of(os.environ, own=(state, folder / "kept"))
    return ShellTarget(files, view, Measured("contained", ()), state=state, now=time.time)


def timed(shell: ShellTarget, words: tuple[str, ...], number: int) -> tuple[float, float, int]:
    """Seconds to stage and to apply, and how many changes."""
    began = time.perf_counter()
    command = shell.stage(words, f"{number:032x}")
    staged = time.perf_counter()
    proposal = command.propose([command.read_state(name) for name in command.touches()])
    command.write_if_unchanged(proposal, f"{number:032x}")
    return staged - began, time.perf_counter() - staged, len(proposal.changes)


def main() -> int:
    before = load()
    above = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=above) as made:
        folder = Path(made)
        tree(folder / "work")
        shell = shell_at(folder)
        try:
            rounds = [timed(shell, (*CHANGE, str(number)), number) for number in range(ROUNDS)]
        except NotContained as error:
            print(error.message)
            return 2
        stage = median(each[0] for each in rounds)
        bare = median(timed(shell, ("/bin/true",), 100 + number)[0] for number in range(ROUNDS))
        built = timed(shell, BUILD, 500)
    print(f"a command in a folder of {FILES:,} files, staged: {stage * 1e3:.0f} ms in the median")
    print(f"  (at most {BOUND * 1e3:.0f}); slowest {max(each[0] for each in rounds) * 1e3:.0f} ms;")
    print(f"  of it without a change, /bin/true: {bare * 1e3:.0f} ms")
    print(f"two files of it applied: {median(each[1] for each in rounds) * 1e3:.1f} ms")
    print(
        f"a build of {built[2]:,} files: staged in {built[0]:.2f} s, applied in {built[1]:.2f} s"
        f" ({built[1] / built[2] * 1e3:.2f} ms a file, on the medium)"
    )
    return outcome(stage > BOUND or built[2] != BUILT, before)


if __name__ == "__main__":
    sys.exit(main())
