"""Guarded calls for tests: a project in a folder of its own, its tools, and what they were asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.documents.governing import FileArguments, GuardRules, ReadArguments
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.recording.reader import Reader
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.table import GuardedTable
from groundwire.session.project import Project, Session
from groundwire.stores.keys import KeyStore, default_folder
from tests.driving import reading

EDIT = ToolDeclaration(name="edit", effect="write", target=FileArguments(edit="replace"))
WRITE = ToolDeclaration(name="write", effect="write", target=FileArguments(edit="whole"))
CREATE = ToolDeclaration(name="create", effect="write", target=FileArguments(edit="create"))
DELETE = ToolDeclaration(name="delete", effect="write", target=FileArguments(edit="delete"))
MOVE = ToolDeclaration(name="move", effect="write", target=FileArguments(edit="move"))
READ = ToolDeclaration(name="read", effect="read", target=ReadArguments(paths=("path",)))
OWN = ToolDeclaration(
    name="own", effect="write", target=FileArguments(edit="replace", writes="tool")
)
SEND = ToolDeclaration(name="send", effect="external", operation="send")
DECLARED = (EDIT, WRITE, CREATE, DELETE, MOVE, READ, OWN, SEND)


LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Ticking:
    """A clock that a test sets; a microsecond goes by at each look."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.at += timedelta(microseconds=1)
        return self.at


class Place:
    """A project in `folder`, its table and everything that its tools' own code was called with."""

    def __init__(
        self, folder: Path, *, rules: dict[str, Any] | None = None,
        declared: Sequence[ToolDeclaration] = DECLARED, **policy: Any,
    ) -> None:  # fmt: skip
        self.folder = folder
        folder.mkdir(exist_ok=True)
        # Good by this clock and by the real one, which the run log of an earlier test may ask.
        KeyStore(default_folder(os.environ)).identity(LONG_AGO, b"\x07" * 32)
        self.clock = Ticking()
        self.ran: list[tuple[str, dict[str, Any]]] = []
        given = {"folder": str(folder), **(rules or {})}
        made = Policy(tools=tuple(declared), guard=msgspec.convert(given, GuardRules), **policy)
        self.project = Project(made, clock=self.clock)
        self.project.folder = folder

    def write(self, path: str, text: str) -> Path:
        """The file holds this, not through the guard."""
        made = self.folder / path
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text)
        return made

    def text(self, path: str) -> str | None:
        """What the file holds; None where there is none."""
        found = self.folder / path
        return found.read_text() if found.exists() else None

    def table(self, **tools: Callable[..., object]) -> GuardedTable:
        """A table of every declared tool; those not given remember that they ran, and do nothing."""
        functions = [tools.get(each.name) or self._remembering(each.name) for each in self.names()]
        return self.project.guard(functions)

    def names(self) -> tuple[ToolDeclaration, ...]:
        """Every declared tool."""
        return self.project.policy.tools

    def session(self) -> AbstractContextManager[Session]:
        """A run of it."""
        return self.project.session(self.folder.parent / "run.gw")

    def _remembering(self, name: str) -> Callable[..., object]:
        def tool(**arguments: Any) -> str:
            self.ran.append((name, arguments))
            return f"{name} ran"

        tool.__name__ = name
        return tool


def call(name: str, call_id: str = "c1", **arguments: Any) -> ToolCall:
    """A model's call."""
    text = msgspec.json.encode(arguments).decode()
    return ToolCall(id=call_id, name=name, arguments=text)


def word(result: GuardedResult) -> str:
    """How it ended, in one word, with the reason where there is one."""
    outcome = result.outcome
    reason = getattr(outcome, "reason", "")
    name = type(outcome).__name__.lower()
    return f"{name}: {reason}" if reason else name


def recorded(run: Session) -> Reader:
    """The recording of a run, verified."""
    return reading(run.path)


def state_folder() -> Path:
    """The guard's state of this test's home."""
    return Path(os.environ["XDG_STATE_HOME"]) / "groundwire" / "guard"
