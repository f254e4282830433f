"""Calling: one guarded call from its beginning to its result, in this thread or in the event loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.governing import CommandArguments, FileArguments, GitArguments
from groundwire.documents.outcome import Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.sql import SqlArguments
from groundwire.errors import GroundwireError, GuardError
from groundwire.guard.drive import drive, drive_async
from groundwire.guard.flow import guarded
from groundwire.guard.holding import as_told, denied_words
from groundwire.guard.steps import (
    Request,
    Settled,
)
from groundwire.session.guarding.before import MakeWay, Work
from groundwire.session.guarding.guard import fresh_id
from groundwire.session.guarding.host import AsyncGuardHost, AsyncWork, GuardHost
from groundwire.session.guarding.result import Artifact, GuardedResult
from groundwire.session.guarding.shapes.calls import ModelCall, model_call
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.guarding.ways.arguments import (
    Arguments,
    arguments_of,
    command_words,
    edits_of,
)
from groundwire.session.guarding.ways.claimed.artifacts import Reality
from groundwire.session.guarding.ways.claimed.beside import BesideWay
from groundwire.session.guarding.ways.claimed.untargeted import UntargetedWay
from groundwire.session.guarding.ways.command import CommandWay
from groundwire.session.guarding.ways.files import FileWay
from groundwire.session.guarding.ways.git_refs import GitWay, ref_edit_of
from groundwire.session.guarding.ways.looking import Redactor
from groundwire.session.guarding.ways.port import Way
from groundwire.session.guarding.ways.sql import sql_way
from groundwire.targets.stopping import Stop


class Code(msgspec.Struct, frozen=True):
    """A tool's own code: for a call's arguments, what runs it. Both None: it has none.

    `arguments` are the call's, where they were read already.
    """

    work: Callable[[Arguments], Work] | None = None
    async_work: Callable[[Arguments], AsyncWork] | None = None
    arguments: Arguments | None = None


class Guarding(msgspec.Struct, frozen=True, kw_only=True):
    """One call that is to be guarded, in its run. `declared` None: no such tool is declared.

    `refused`: why it is not to be carried out, whatever it says. `way` is how it is carried out,
    where that does not follow from the declaration.
    """

    asked: ModelCall
    declared: ToolDeclaration | None
    code: Code
    redact: Redactor | None = None
    artifacts: tuple[Artifact, ...] = ()
    refused: GroundwireError | None = None
    way: Callable[[RunGuard], Way] | None = None

    @property
    def call(self) -> ToolCall:
        """The call itself."""
        return self.asked.call

    def in_thread(self, run: RunGuard) -> GuardedResult:
        """The call has settled. Its tool's own exception is raised, after its outcome was recorded."""
        code, refused = self._fitted(run)
        host = self._host(run, code, refused or self._async_alone(), Stop())
        try:
            settled = drive(guarded(self._request(run, host)), host)
        except BaseException:
            self._tell(run, self._result(run, host, None))
            raise
        finally:
            host.close()
        return self._tell(run, self._result(run, host, settled))

    async def in_loop(self, run: RunGuard) -> GuardedResult:
        """As `in_thread`; a cancellation is raised again once the call has settled.

        It ends a command that is run to see what it touches.
        """
        code, refused = self._fitted(run)
        stop = Stop()
        host = self._host(run, code, refused, stop)
        try:
            answering = AsyncGuardHost(host, code.async_work, stop, runs=runs_to_see(self.declared))
            settled = await drive_async(guarded(self._request(run, host)), answering)
        except BaseException:
            self._tell(run, self._result(run, host, None))
            raise
        finally:
            host.close()
        return self._tell(run, self._result(run, host, settled))

    # -- inside -------------------------------------------------------------------------------

    def _fitted(self, run: RunGuard) -> tuple[Code, GroundwireError | None]:
        """The tool's code with the call's arguments as it takes them, or why it cannot be called.

        Before anything is asked: that the arguments do not fit is no failure of the tool.
        """
        code, declared = self.code, self.declared
        if declared is None or self.refused or (is_owned(declared) and run.profile.guards):
            return code, self.refused
        try:
            arguments = arguments_of(self.call)
            work = code.work and code.work(arguments)
            async_work = code.async_work and code.async_work(arguments)
        except GuardError as error:
            return code, error
        bound = Code(
            work=None if work is None else lambda _: work,
            async_work=None if async_work is None else lambda _: async_work,
            arguments=arguments,
        )
        return bound, None

    def _async_alone(self) -> GuardError | None:
        """Why the call cannot be carried out in a thread; None where it can."""
        if self.code.work is not None or self.code.async_work is None:
            return None
        return GuardError(
            "async-tool", "The tool is async; await `adispatch`, `acall` or the tool itself."
        )

    def _host(
        self, run: RunGuard, code: Code, refused: GroundwireError | None, stop: Stop
    ) -> GuardHost:
        host = GuardHost(
            run,
            self.declared,
            self.call,
            _once(lambda arguments: self._way(run, arguments, stop)),
            code.work,
            self.redact,
            refused,
            stop,
        )
        host.arguments = code.arguments or {}
        return host

    def _request(self, run: RunGuard, host: GuardHost) -> Request:
        return Request(
            audience=run.policy.agent,
            call=self.call,
            policy=run.policy_digest,
            profile=run.profile,
            run=run.run.run_id,
            sequence=host.number,
        )

    def _way(self, run: RunGuard, arguments: Arguments, stop: Stop) -> Way:
        if self.way is not None:
            return self.way(run)
        own = self._way_to_target(run, arguments, stop)
        if not self.artifacts:
            return own or UntargetedWay()
        guard = run.guard
        reality = Reality(guard.state.files(guard.folder), guard.places())
        claimed = UntargetedWay(self.artifacts, reality)
        if own is None:
            return claimed
        return BesideWay(own, claimed, self.artifacts, str(guard.folder))

    def _way_to_target(self, run: RunGuard, arguments: Arguments, stop: Stop) -> Way | None:
        """How the call is carried out by what is declared of its target; None where it has none."""
        guard = run.guard
        target = None if self.declared is None else self.declared.target
        match target:
            case FileArguments():
                return FileWay(
                    guard.files(),
                    target,
                    edits_of(target, arguments),
                    run.known,
                    places=guard.places(),
                    probe=fresh_id if run.minds("non-atomic") else None,
                    holdings=lambda: guard.state.holdings(guard.folder),
                )
            case CommandArguments() if has_command(self.declared):
                words = command_words(target, arguments)
                staged = is_staged(self.declared)
                # A profile that only observes keeps no tool's own code from running.
                planned = guard.planned(words[-1], stop) if staged or run.profile.guards else None
                if planned is not None or not staged:
                    return planned
                return CommandWay(
                    guard.shell,
                    words,
                    fresh_id(),
                    guard.files(),
                    run.known,
                    refuse_content=guard.places().refuse_content,
                    holdings=lambda: guard.state.holdings(guard.folder),
                    stop=stop,
                )
            case SqlArguments():
                return sql_way(guard.databases, target, arguments, guard.places(), guard.now)
            case GitArguments():
                return GitWay(guard.state.git(guard.folder), ref_edit_of(target, arguments))
            case _:
                return None

    def _result(self, run: RunGuard, host: GuardHost, settled: Settled | None) -> GuardedResult:
        outcome = settled.outcome if settled else host.outcome
        if outcome is None:
            outcome = host.interrupted(digest_of(self.call))
        refusal, message = None, ""
        if isinstance(outcome, Refused):
            refusal = run.refusal(outcome, self.call, host.names)
            denied = outcome.reason == "decision-denied"
            message = host.message or (denied_words(host.ruling) if denied else "")
            message = as_told(message, outcome.reason)
        return GuardedResult(
            asked=self.asked,
            outcome=outcome,
            value=settled.value if settled else None,
            refusal=refusal,
            message=message,
            request=host.request,
            ruling=host.ruling,
            second=host.second,
            proposal=host.proposal,
            receipt=host.receipt,
            notified=host.notified,
            attestation=settled.sealed if settled else None,
            recorded=settled.recorded if settled else host.recorded,
        )

    def _tell(self, run: RunGuard, result: GuardedResult) -> GuardedResult:
        run.tell(result.proof_call())
        run.run.notify("settled", result)
        return result


def digest_of(call: ToolCall) -> str:
    """The call's digest; "" where it has none, because it has no UTF-8 form."""
    try:
        return call_digest(call)
    except GroundwireError:
        return ""


def guarding_of(run: RunGuard, call: object, code: Code, artifacts: Sequence[Artifact]) -> Guarding:
    """A call of anything, of a tool that is declared in the run.

    Raises:
        GuardError: `unknown-call-shape`.
    """
    asked = model_call(call)
    declared = run.declared(asked.call.name)
    if artifacts and declared is not None and declared.effect == "read":
        # Of two declarations the stricter holds: what is said to change something is no read.
        declared = msgspec.structs.replace(declared, effect="write", target=None)
    return Guarding(asked=asked, declared=declared, code=code, artifacts=tuple(artifacts))


def is_owned(declared: ToolDeclaration) -> bool:
    """Whether groundwire carries out the tool's calls itself."""
    target = declared.target
    return is_staged(declared) or (
        declared.effect != "read"
        and (
            isinstance(target, SqlArguments)
            or (isinstance(target, FileArguments) and target.writes == "groundwire")
        )
    )


def is_staged(declared: ToolDeclaration | None) -> bool:
    """Whether the tool's commands are run in an overlay and judged by what they leave.

    What is `external` or `destructive` acts on more than files, and has to be decided on before:
    its own code runs.
    """
    return (
        declared is not None
        and declared.effect == "write"
        and isinstance(declared.target, CommandArguments)
    )


def runs_to_see(declared: ToolDeclaration | None) -> bool:
    """Whether something runs when the tool's call is asked what it touches: a command, a statement."""
    return has_command(declared) or (
        declared is not None and isinstance(declared.target, SqlArguments)
    )


def has_command(declared: ToolDeclaration | None) -> bool:
    """Whether the tool's commands are run, or plan, when they are asked what they touch.

    What is declared to destroy is never: it is decided on before anything begins.
    """
    return (
        declared is not None
        and declared.effect in ("write", "external")
        and isinstance(declared.target, CommandArguments)
    )


def _once(make: MakeWay) -> MakeWay:
    """The way of the call, made when it is first asked for: a command must not run twice."""
    made: list[Way] = []

    def way(arguments: Arguments) -> Way:
        if not made:
            made.append(make(arguments))
        return made[0]

    return way
