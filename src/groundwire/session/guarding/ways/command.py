"""Commands: run once beside the working folder, judged by what they left, then applied or forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from groundwire.documents.profile import Fact
from groundwire.documents.staged import Containment, Staged
from groundwire.documents.target import Change, Observation, Plan, Proposal, Reading, TargetName
from groundwire.errors import GuardError
from groundwire.session.guarding.ways.files import Files
from groundwire.session.guarding.ways.known import Known
from groundwire.session.guarding.ways.unseen import takes_unseen
from groundwire.targets.disk.holdings import DiskHoldings
from groundwire.targets.lost import lost_content
from groundwire.targets.refusing import require_unchanged
from groundwire.targets.shell.staged_command import StagedCommand
from groundwire.targets.shell.staging import ShellTarget
from groundwire.targets.stopping import Stop

FACTS: Final[dict[Containment, tuple[Fact, ...]]] = {
    "contained": (),
    "files-only": ("files-only",),
    "none": ("uncontained",),
}


class CommandText(str):
    """What a model is shown of a command that was applied; beside it the command's own words.

    `exit` is its code, `stdout` and `stderr` what it printed, as far as that was kept.
    """

    __slots__ = ("exit", "stderr", "stdout")

    exit: int
    stdout: bytes
    stderr: bytes

    @classmethod
    def of(cls, staged: Staged, left: Sequence[str]) -> CommandText:
        """The text of a command. `left` are folders and links that could not be made as it did."""
        made = cls(_text(staged, left))
        made.exit = staged.exit
        made.stdout, made.stderr = staged.output.stdout, staged.output.stderr
        return made

    @classmethod
    def printed(cls, text: str) -> CommandText:
        """The text of a command that ended well and printed this."""
        made = cls(text)
        made.exit, made.stdout, made.stderr = 0, text.encode(), b""
        return made


class CommandWay:
    """One command. It runs when it is asked what it touches, and never again.

    What it printed is given out only once its changes stand: it may hold what was to be decided on.
    Whoever asks `stop` ends it.
    """

    owned = True

    def __init__(
        self,
        shell: Callable[[], ShellTarget],
        words: tuple[str, ...],
        name: str,
        files: Files,
        known: Known,
        *,
        refuse_content: Callable[[bytes], None],
        holdings: Callable[[], DiskHoldings],
        stop: Stop | None = None,
    ) -> None:
        self._shell = shell
        self._words = words
        self._name = name
        self._files = files
        self._known = known
        self._refuse_content = refuse_content
        self._holdings = holdings
        self._stop = stop
        self._command: StagedCommand | None = None

    def touches(self) -> tuple[TargetName, ...]:
        """Every file that the command left otherwise than it was; the command runs for that."""
        if self._command is None:
            command = self._shell().stage(self._words, self._name, stop=self._stop)
            self._refuse_content(command.staged.output.stdout)
            self._refuse_content(command.staged.output.stderr)
            self._command = command
        return self._staged.touches()

    def read_state(self, names: tuple[TargetName, ...]) -> tuple[Reading, ...]:
        """T1 of each."""
        return tuple(self._staged.read_state(name) for name in names)

    def propose(self, readings: tuple[Reading, ...]) -> Proposal:
        """What the command made of them; refused where others changed one while it ran."""
        return self._staged.propose(readings)

    def facts(self, proposal: Proposal) -> tuple[Fact, ...]:
        """How far a command was measured to get here, and whether bytes go that nobody has seen."""
        staged = self._staged.staged
        measured = FACTS[staged.containment]
        if not self._staged.history().whole:
            measured = (*measured, "unjudged-history")
        if takes_unseen(proposal, staged.git, self._known, self._holdings()):
            return (*measured, "unread-overwrite")
        return measured

    def history(self, proposal: Proposal) -> tuple[Change, ...]:  # noqa: ARG002 -- as refs have it
        """What comes into history, or goes from it, and is in no file."""
        return self._staged.history().changes

    def lost(self, proposal: Proposal) -> tuple[TargetName, ...]:
        """What the kept copies have no room for and nothing else holds; refs that leave commits."""
        lost = lost_content(proposal, self._holdings, self._files.bounds)
        return (*(each.name for each in lost), *self._staged.lost())

    def recheck(self, proposal: Proposal) -> None:
        """T2 of every change."""
        for change in proposal.changes:
            now = self._staged.read_state(change.name).state
            require_unchanged(change.name.path, change.state, now)

    def plan(self, proposal: Proposal, write: str) -> Plan | None:
        """What the write of its files will do, and what comes after them."""
        return self._staged.plan(proposal, write)

    def write(self, proposal: Proposal, write: str) -> object:
        """Everything that the command left stands; what it printed."""
        self._staged.write_if_unchanged(proposal, write)
        for change in proposal.changes:
            if change.after is not None:
                self._known.wrote(change.after)
        return CommandText.of(self._staged.staged, self._staged.left)

    def observe(self, proposal: Proposal) -> tuple[Observation, ...]:
        """T3 of every change."""
        return self._staged.observe(proposal)

    def close(self) -> None:
        """What the command wrote is forgotten where it was not applied."""
        self._command = None

    @property
    def containment(self) -> Containment:
        """What was measured before the command ran."""
        return self._staged.staged.containment

    @property
    def _staged(self) -> StagedCommand:
        if self._command is None:
            raise GuardError("host-answer", "The command has not run yet.")
        return self._command


def _text(staged: Staged, left: Sequence[str]) -> str:
    parts = [staged.output.stdout.decode("utf-8", "replace")]
    if staged.output.stderr:
        parts.append("[standard error]\n" + staged.output.stderr.decode("utf-8", "replace"))
    if staged.truncated:
        parts.append("[It printed more; the rest was not kept.]\n")
    if left:
        parts.append(f"[Not made or removed as the command did: {', '.join(left)}]\n")
    if staged.exit:
        parts.append(f"[exit code {staged.exit}]\n")
    return "".join(part if part.endswith("\n") or not part else part + "\n" for part in parts)
