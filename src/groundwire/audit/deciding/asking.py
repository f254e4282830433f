"""Asking: what the guard would say of one call under a policy. Nothing runs, nothing is signed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.audit.deciding.files import SeenFiles
from groundwire.audit.deciding.statements import untried
from groundwire.authority.environments import Environment, environment_of
from groundwire.authority.ruling.deciding import rule_on
from groundwire.authority.ruling.engine import Engine
from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.governing import (
    CommandArguments,
    FileArguments,
    GitArguments,
    ReadArguments,
)
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.documents.profile import Fact
from groundwire.documents.question import Lost, Question, Ruling
from groundwire.documents.receipt import TOOL_CALL, Asked, touched_by
from groundwire.documents.sql import SqlArguments, Work
from groundwire.documents.target import Change, Proposal, TargetName
from groundwire.errors import GroundwireError, GuardError
from groundwire.guard.profiles import profile_named
from groundwire.keys.times import format_time
from groundwire.session.guarding.calling import has_command, is_staged
from groundwire.session.guarding.carrying import history_of
from groundwire.session.guarding.guard import Guard, fresh_id
from groundwire.session.guarding.reaching.reaching import Reaching
from groundwire.session.guarding.ready.coding import DECLARATIONS
from groundwire.session.guarding.ways.arguments import (
    Arguments,
    arguments_of,
    command_words,
    edits_of,
    paths_read,
)
from groundwire.session.guarding.ways.command import CommandWay
from groundwire.session.guarding.ways.git_refs import GitWay, ref_edit_of
from groundwire.session.guarding.ways.known import Known
from groundwire.session.guarding.ways.planned.way import PlanWay, judged_as
from groundwire.session.guarding.ways.port import Way
from groundwire.session.guarding.ways.sql import sql_way, work_of
from groundwire.targets.stopping import Stop

Says: TypeAlias = Literal["passes", "allow", "warn", "approve", "deny", "refused", "not-judged"]

# Files are read as they are now: an edit that does not fit them was made on others.
_ANOTHER_STATE: Final = frozenset(
    [
        "edit-not-found",
        "edit-ambiguous",
        "patch-not-found",
        "patch-ambiguous",
        "file-absent",
        "file-present",
    ]
)
_READY: Final = frozenset(tool.name for tool in DECLARATIONS)
_UNSEEN: Final = "only doing it shows what it changes, and nothing is done here"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What would be said of a call. `reason` is a code where no rule was asked; `message` says why.

    `passes`: it reads and would run. `not-judged`: only doing it would show what it changes.
    `by_now`: its edit fits no file that there is; judged is that the file it names changes, as what
    that holds now.
    """

    call: ToolCall
    says: Says
    reason: str = ""
    message: str = ""
    environment: str = ""
    names: tuple[TargetName, ...] = ()
    ruling: Ruling | None = None
    by_now: bool = False

    @property
    def is_held(self) -> bool:
        """Whether it would not run: somebody has to be asked, or it is denied or refused."""
        return self.says in {"approve", "deny", "refused"}


class Asker:
    """Asks of calls one after the other: what one of them would write the next ones see.

    Bytes that an edit would lose are not looked for. `known` is what the run has read so far.
    """

    def __init__(self, policy: Policy, guard: Guard, now: datetime, *, stage: bool = False) -> None:
        """`stage`: a command is run beside the folder, and what it leaves is judged and forgotten."""
        self._policy = policy
        self._stage = stage
        self._guard = guard
        self._moment = format_time(now)
        self._tools = {tool.name: tool for tool in policy.tools}
        self._files = SeenFiles(Path(guard.folder))
        self._digest = tagged("policy", jcs.encode(msgspec.to_builtins(policy)))
        self.known = Known()

    def ask(self, call: ToolCall) -> Answer:
        """What would be said of it. Raises nothing for what stands in the call or in a file."""
        try:
            return self._ask(call, self._declared(call))
        except GroundwireError as error:
            return Answer(call=call, says="refused", reason=error.reason, message=error.message)

    def ask_of_then(self, call: ToolCall) -> Answer:
        """As `ask`, of a call that was made when files may have been other than they are now."""
        answer = self.ask(call)
        if answer.says != "refused" or answer.reason not in _ANOTHER_STATE:
            return answer
        declared = self._tools[call.name]
        try:
            proposal = self._touched(declared.target, call)
            if proposal.changes:
                # What it changed there is not known: no engine has anything to compare.
                ruled = self._ruled(call, declared, proposal, [], engines={})
                return msgspec.structs.replace(ruled, by_now=True)
        except GroundwireError as error:
            return Answer(call=call, says="refused", reason=error.reason, message=error.message)
        return msgspec.structs.replace(
            answer,
            says="not-judged",
            message="the file is not what it was when the call was made",
        )

    def _touched(self, target: object, call: ToolCall) -> Proposal:
        """That the files which the call names change, from what they hold now to the same."""
        if not isinstance(target, FileArguments):
            return Proposal(changes=())
        return self._files.touched(edits_of(target, arguments_of(call)))

    def _declared(self, call: ToolCall) -> ToolDeclaration:
        declared = self._tools.get(call.name)
        if declared is None or declared.effect == "unstated":
            ready = " (where it is one of `project.coding_tools`, give --coding-tools)"
            raise GuardError(
                "undeclared-tool",
                f"What {call.name!r} does is not declared; nothing ran. Declare its effect: "
                f"[tools.{call.name}] effect = …{ready if call.name in _READY else ''}",
            )
        return declared

    def _ask(self, call: ToolCall, declared: ToolDeclaration) -> Answer:
        arguments = arguments_of(call)
        target = declared.target
        if declared.effect == "read":
            if isinstance(target, ReadArguments):
                for path in paths_read(target.paths, arguments):
                    self._guard.places().refuse_read(Path(path))
            return Answer(call=call, says="passes")
        if isinstance(target, SqlArguments):
            return self._of_statement(call, declared, target, arguments)
        way = self._way_of_plan(declared, arguments)
        if way is not None or is_staged(declared) or isinstance(target, GitArguments):
            if not self._stage or (way is not None and way.outside):
                return Answer(call=call, says="not-judged", reason="not-run-here", message=_UNSEEN)
            effect = judged_as(way, declared.effect)
            declared = msgspec.structs.replace(declared, effect=effect)
            return self._staged(call, declared, way or self._way(target, arguments))
        proposal, facts = self._proposed(target, arguments)
        answer = self._ruled(call, declared, proposal, facts)
        self._take(proposal)
        return answer

    def _of_statement(
        self, call: ToolCall, declared: ToolDeclaration, target: SqlArguments, arguments: Arguments
    ) -> Answer:
        """By its text alone, or tried in its database and taken back there.

        What its text alone would allow is not judged: nobody knows how many rows it is about.
        """
        guard = self._guard
        if self._stage:
            way = sql_way(guard.databases, target, arguments, guard.places(), guard.now)
            return self._staged(call, declared, way)
        work = untried(guard.databases.named(target.database), target, arguments)
        answer = self._ruled(call, declared, Proposal(changes=()), [], work=work)
        if answer.is_held or work.statement.only_reads:
            return answer
        return Answer(call=call, says="not-judged", reason="not-run-here", message=_UNSEEN)

    def _staged(self, call: ToolCall, declared: ToolDeclaration, way: Way) -> Answer:
        """What is said of what the command leaves, or of where the ref would move; it is forgotten."""
        try:
            proposal = way.propose(way.read_state(way.touches()))
            facts = list(way.facts(proposal))
            lost, history = way.lost(proposal), history_of(way, proposal)
            work = work_of(way)
            return self._ruled(call, declared, proposal, facts, lost, history, work=work)
        finally:
            way.close()

    def _way_of_plan(self, declared: ToolDeclaration, arguments: Arguments) -> PlanWay | None:
        """How the call is judged by its program's own plan; None where it is not."""
        target = declared.target
        if not has_command(declared) or not isinstance(target, CommandArguments):
            return None
        return self._guard.planned(command_words(target, arguments)[-1], Stop())

    def _way(self, target: object, arguments: Arguments) -> Way:
        guard = self._guard
        if isinstance(target, GitArguments):
            return GitWay(guard.state.git(guard.folder), ref_edit_of(target, arguments))
        if not isinstance(target, CommandArguments):
            raise GuardError("host-answer", "Only a command or a move of a ref is staged.")
        return CommandWay(
            guard.shell,
            command_words(target, arguments),
            fresh_id(),
            guard.files(),
            self.known,
            refuse_content=guard.places().refuse_content,
            holdings=lambda: guard.state.holdings(guard.folder),
        )

    def _ruled(
        self,
        call: ToolCall,
        declared: ToolDeclaration,
        proposal: Proposal,
        facts: list[Fact],
        lost: Lost = (),
        history: tuple[Change, ...] = (),
        engines: Mapping[str, Engine] | None = None,
        work: Work | None = None,
    ) -> Answer:
        names = tuple(
            dict.fromkeys(
                name for each in proposal.changes for name in (each.name, each.to) if name
            )
        )
        if work is not None and not names:
            names = (TargetName(kind="sql", root=work.root, path=""),)
        self._guard.places().refuse_write(names)
        environment = environment_of(names, self._guard.rules)
        question = self._question(call, declared, proposal, facts, environment)
        question = msgspec.structs.replace(question, lost=lost, history=history, work=work)
        guard = self._guard
        if engines is None:
            question = Reaching(guard).added(question, run=self._stage)
        used = guard.engines if engines is None else engines
        ruling = rule_on(question, guard.rules, str(guard.folder), used, self._moment)
        return Answer(
            call=call,
            says=ruling.decision.decision,
            environment=environment.name,
            names=names,
            ruling=ruling,
        )

    def _proposed(self, target: object, arguments: Arguments) -> tuple[Proposal, list[Fact]]:
        if not isinstance(target, FileArguments):
            return Proposal(changes=()), ["not-owned"]
        edits = edits_of(target, arguments)
        self._guard.places().refuse_write(self._files.names(edits))
        proposal = self._files.propose(edits)
        facts: list[Fact] = ["not-owned"] if target.writes == "tool" else []
        if target.edit == "whole" and any(
            change.before is not None
            and not self.known.has(f"{change.name.root}/{change.name.path}", change.before)
            for change in proposal.changes
        ):
            facts.append("unread-overwrite")
        return proposal, facts

    def _question(
        self,
        call: ToolCall,
        declared: ToolDeclaration,
        proposal: Proposal,
        facts: list[Fact],
        environment: Environment,
    ) -> Question:
        asked = Asked(
            audience=self._policy.agent,
            call=call_digest(call),
            changes=touched_by(proposal),
            environment=environment.name,
            operation=declared.operation or TOOL_CALL,
            policy=self._digest,
            run="none",
            sequence=0,
        )
        return Question(
            asked=asked,
            caller=self._policy.agent,
            effect=declared.effect,
            facts=(*facts, *environment.facts),
            lost=(),
            profile=profile_named(self._guard.rules.profile),
            proposal=proposal,
            tool=call.name,
        )

    def _take(self, proposal: Proposal) -> None:
        """The log's next calls were made on what this one left, allowed here or not."""
        self._files.take(proposal)
        for change in proposal.changes:
            if change.after is not None:
                self.known.wrote(change.after)
