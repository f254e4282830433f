"""git, run so that nothing of a repository's configuration can make it run something else.

The program itself is trusted, the repository is not: no hook, filter, monitor, pager, editor,
transport, credential helper or signing program is started, replaced objects and grafts are not
believed, and no configuration of the user or the machine is read.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.errors import HostError
from groundwire.targets.disk.programs import path_outside, program_outside

SECONDS: Final = 60.0
_SHOWN: Final = 300

# Of the environment nothing but the path is passed on: GIT_DIR and its like name other repositories.
_FIXED: Final[Mapping[str, str]] = {
    "GIT_ALLOW_PROTOCOL": "",  # a missing object of a partial clone is not fetched: no transport
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_EDITOR": "false",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS": "",
}
_OWN_CONFIG: Final = ("HOME", "XDG_CONFIG_HOME")
_SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.fsync=all",
    "credential.helper=",
    "gpg.program=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "i18n.commitEncoding=UTF-8",
)


class Ran(msgspec.Struct, frozen=True):
    """How git ended: its exit code, what it wrote, what it complained of."""

    code: int
    out: bytes
    complaint: str


class Git:
    """git in one folder. `folder` is where it looks for the repository, there and above.

    The program is never one that lies in that folder, whatever the search path says: there every
    tool writes. `written` is the folder that this is so of, where it is another.
    """

    def __init__(
        self,
        folder: str,
        program: str = "git",
        seconds: float = SECONDS,
        written: str | None = None,
    ) -> None:
        self.folder = folder
        self._program = program
        self._seconds = seconds
        self._written = folder if written is None else written

    def at(self, folder: str) -> Git:
        """The same git in another folder."""
        return Git(folder, self._program, self._seconds, self._written)

    def ask(
        self, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> Ran:
        """Git has ended, well or not.

        Raises:
            HostError: `git-missing`: it cannot be started; `git-failed`: it did not end in time.
        """
        return self._start(arguments, given, {**_FIXED, **(environment or {})})

    def run(
        self, *arguments: str, given: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> bytes:
        """What git wrote; it ended well.

        Raises:
            HostError: `git-missing`, `git-failed`.
        """
        ran = self.ask(*arguments, given=given, environment=environment)
        if ran.code != 0:
            raise failed(arguments[0], ran)
        return ran.out

    def setting(self, key: str) -> str:
        """The value in the repository's, the user's or the machine's configuration; "" for none.

        The one thing that is read of the user's own. Reading a value starts nothing.

        Raises:
            HostError: `git-missing`, `git-failed`.
        """
        own = {name: os.environ[name] for name in _OWN_CONFIG if name in os.environ}
        left_out = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"}
        fixed = {name: value for name, value in _FIXED.items() if name not in left_out}
        ran = self._start(("config", "--get", key), b"", {**fixed, **own})
        return ran.out.decode("utf-8", "replace").rstrip("\n") if ran.code == 0 else ""

    def _start(self, arguments: tuple[str, ...], given: bytes, fixed: Mapping[str, str]) -> Ran:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        path = os.environ.get("PATH", os.defpath)
        program = program_outside(self._program, self._written, path)
        if program is None:
            raise HostError(
                "git-missing",
                f"{self._program} is on no search path outside of {self._written}, and one that lies"
                " there is never run; install git for the machine.",
            )
        try:
            done = subprocess.run(  # noqa: S603 -- no shell; arguments from outside follow `--end-of-options`
                [program, "-C", self.folder, *settings, *arguments],
                input=given,
                env={"PATH": path_outside(self._written, path), **fixed},
                capture_output=True,
                timeout=self._seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise HostError(
                "git-failed", f"git {arguments[0]} did not end within {self._seconds:g} seconds."
            ) from error
        except (OSError, ValueError) as error:
            raise HostError(
                "git-missing",
                f"git cannot be run in {self.folder} ({error}); install it, or see to the folder.",
            ) from error
        return Ran(done.returncode, done.stdout, _shown(done.stderr))


def failed(what: str, ran: Ran) -> HostError:
    """The error of a git that ended badly and left nothing behind."""
    said = f": {ran.complaint}" if ran.complaint else ""
    return HostError("git-failed", f"git {what} ended with {ran.code}{said}. Nothing was changed.")


def _shown(complaint: bytes) -> str:
    """What git said, on one line, short, without characters that move a terminal's cursor."""
    text = " ".join(complaint.decode("utf-8", "replace").split())
    return "".join(each if each.isprintable() else "?" for each in text)[:_SHOWN]
