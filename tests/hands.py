"""A guarded table as a host uses it, for stories: tools, calls, and what came of each."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import groundwire as gw
from groundwire.audit.verifying import verify_files
from groundwire.authority.keyrings import trusted_keyring
from groundwire.documents.entry import Envelope
from groundwire.documents.outcome import Outcome, Refused
from groundwire.session import declarations

_numbers = itertools.count(1)


class OwnCodeRan(AssertionError):
    """The tool's own function ran, where groundwire was to write."""


class Done(NamedTuple):
    """What came of one call; `text` and `exit` are what a command or a read gave back."""

    outcome: Outcome
    text: str
    exit: int
    message: str
    result: Any

    @property
    def receipt(self) -> Envelope:
        assert self.result.receipt is not None
        receipt: Envelope = self.result.receipt
        return receipt

    @property
    def word(self) -> str:
        """How it ended, in one word, and why."""
        name = type(self.outcome).__name__.lower()
        reason = getattr(self.outcome, "reason", "")
        if isinstance(self.outcome, Refused) and reason == "approval-unavailable":
            name = "asked"
        return f"{name}: {reason}" if reason else name


@contextmanager
def own_declarations() -> Iterator[None]:
    """What is declared by `@gw.tool` within is declared for nobody else."""
    before = declarations._declared, declarations._silent
    declarations._declared, declarations._silent = {}, set()
    try:
        yield
    finally:
        declarations._declared, declarations._silent = before


def coding_tools() -> list[Callable[..., object]]:
    """Tools of a coding agent, declared. Those that write have no code that may run."""

    @gw.tool(effect="read", target={"reads": ["path"]})
    def read_file(path: str) -> str:
        return Path(path).read_text()

    @gw.tool(effect="write", target={"files": "replace"})
    def edit_file(path: str, old: str, new: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "edits"})
    def edit_many(path: str, edits: list[dict[str, str]]) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "whole"})
    def write_file(path: str, content: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "create"})
    def create_file(path: str, content: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "patch"})
    def apply_patch(patch: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "delete"})
    def delete_file(path: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "move"})
    def move_file(path: str, to: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"files": "mode"})
    def set_mode(path: str, mode: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"shell": "command"})
    def run_command(command: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"git": "commit"})
    def git_commit(message: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"git": "set-ref"})
    def git_set_ref(ref: str, commit: str) -> str:
        raise OwnCodeRan

    @gw.tool(effect="write", target={"git": "delete-ref"})
    def git_delete_ref(ref: str) -> str:
        raise OwnCodeRan

    return [
        read_file, edit_file, edit_many, write_file, create_file, apply_patch, delete_file,
        move_file, set_mode, run_command, git_commit, git_set_ref, git_delete_ref,
    ]  # fmt: skip


class Hands:
    """Makes calls of a table within a run, as a model would."""

    def __init__(self, project: gw.Project, run: gw.Session, tools: Sequence[object]) -> None:
        self.project = project
        self.run = run
        self.table = project.guard(list(tools))

    def call(self, tool: str, arguments: dict[str, object] | str, call_id: str = "") -> Done:
        """What came of the call, in this thread. Raises what the tool raised."""
        return done(self.table.dispatch(_wire(tool, arguments, call_id)))

    async def acall(self, tool: str, arguments: dict[str, object], call_id: str = "") -> Done:
        """The same, in the running event loop."""
        return done(await self.table.adispatch(_wire(tool, arguments, call_id)))

    def do(self, tool: str, **arguments: object) -> Done:
        """The same, with the arguments spelt as Python's."""
        return self.call(tool, arguments)


def _wire(tool: str, arguments: dict[str, object] | str, call_id: str) -> tuple[str, str, str]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return (tool, text, call_id or f"call-{next(_numbers)}")


def done(result: Any) -> Done:
    """What a table gives back, in short."""
    value = result.value
    text, code = "", 0
    if isinstance(value, str):
        text, code = value, int(getattr(value, "exit", 0))
    elif value is not None:
        code = int(getattr(value, "exit", 0))
        parts = [getattr(value, name, b"") for name in ("stdout", "stderr", "output")]
        text = "".join(
            part.decode("utf-8", "replace") if isinstance(part, bytes) else str(part)
            for part in parts
        )
    return Done(result.outcome, text, code, result.message, result)


def verified(path: Path) -> str:
    """What is wrong with the recording, by the user's own keys; nothing where it verifies."""
    found = verify_files(
        [path], trusted_keyring(None), known_head=lambda run, segment: None, mirror=None
    )
    return "" if found.code == 0 else f"the recording does not verify: {found}"
