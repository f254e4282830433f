"""Whole agents for tests: a policy, a script and tools; what the run filed, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from groundwire.audit.live.comparing import compare_live
from groundwire.checks.registry import ORIGINAL
from groundwire.documents.declaration import CheckRules
from groundwire.documents.disposition import Row
from groundwire.documents.entry import DispositionEntry, FindingEntry
from groundwire.documents.finding import Finding
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.loop.agent import Agent
from groundwire.loop.tools import Tool
from groundwire.recording.reader import Reader
from groundwire.session.project import Project, Session
from groundwire.session.run import Run
from groundwire.testing.simulator import Simulator, Wire
from groundwire.testing.turns import Answer, Call, Turn
from tests.driving import reading

# Those in force where a test says nothing else; whole-agent cases are run under both.
RULES: Literal["original", "default"] = "original"


def calls(*made: tuple[str, str]) -> Turn:
    """The model calls these tools with these arguments, all at once."""
    return Turn(calls=tuple(Call(name, arguments) for name, arguments in made))


def checks(**fields: Any) -> CheckRules:
    """Rules of checks, those in force unless `rules` says otherwise."""
    return msgspec.convert({"rules": RULES, **fields}, CheckRules)


def project(*tools: ToolDeclaration, rules: CheckRules | None = None, **more: Any) -> Project:
    """A project that declares these tools."""
    return Project(Policy(tools=tools, checks=checks() if rules is None else rules, **more))


class Told:
    """A closed run: its rows and findings as its recording holds them."""

    def __init__(self, run: Run) -> None:
        self.reader: Reader = reading(run.path)
        self.run = run

    @property
    def ledgers(self) -> list[list[Row]]:
        """Every ledger that was filed."""
        return [
            msgspec.json.decode(_content(self.reader, entry.holds["rows"]), type=list[Row])
            for entry in self.reader.entries
            if isinstance(entry, DispositionEntry)
        ]

    @property
    def filed(self) -> list[Finding]:
        """Every finding that was filed, in order."""
        return [
            msgspec.json.decode(_content(self.reader, entry.holds["finding"]), type=Finding)
            for entry in self.reader.entries
            if isinstance(entry, FindingEntry)
        ]

    def kinds(self) -> list[str]:
        """The kinds of what was filed, in order, of those that the original family has."""
        return [finding.kind for finding in self.filed if finding.kind in ORIGINAL]

    def of(self, kind: str) -> list[Finding]:
        """What was filed of this kind."""
        return [finding for finding in self.filed if finding.kind == kind]

    def row(self, kind: str) -> Row:
        """The row of this kind, of the only ledger."""
        [rows] = self.ledgers
        return next(row for row in rows if row.check == kind)

    def counts(self, kind: str) -> dict[str, int]:
        """The row in the original's words, without zeros."""
        row = self.row(kind)
        words = {
            "checked": row.passed + row.failed,
            "findings": row.failed,
            "notApplicable": row.not_applicable,
            "unreachable": row.unreachable,
        }
        return {word: count for word, count in words.items() if count}

    def replays(self) -> bool:
        """Whether the recording gives the live findings and rows again."""
        return compare_live([self.reader]).state == "equal"


def _content(reader: Reader, commitment: str) -> bytes:
    held = reader.content(commitment)
    assert isinstance(held, bytes)
    return held


def told(
    of: Project,
    script: Sequence[Answer],
    tools: Sequence[Tool] = (),
    *,
    questions: Sequence[str] = ("Go on.",),
    folder: Path,
    wire: Wire = "openai-chat",
    agent: Callable[..., Agent] = Agent,
    **more: Any,
) -> Told:
    """The agent was asked these questions in one run, which is closed."""
    with of.session(folder / "run.gw") as run:
        made = agent(Simulator(of, script, wire=wire), tools, **more)
        for question in questions:
            made.ask(run, question)
    found = Told(run)
    assert found.replays()
    return found


def session(of: Project, folder: Path, name: str = "run.gw") -> Session:
    """A run of the project in this folder."""
    return of.session(folder / name)
