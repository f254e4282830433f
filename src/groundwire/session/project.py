"""Project: once a process. Policy, keys, stores, and the door through which clients are watched."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from groundwire.authority.declarations import declare_claim, ended_words, in_force, joined_claims
from groundwire.authority.outputs import with_outputs
from groundwire.authority.places import PolicyPin
from groundwire.authority.policy import FILE_NAME, find_policy, load_policy
from groundwire.authority.unknown_names import unknown_names
from groundwire.documents.declaration import Claim
from groundwire.documents.governing import Phase
from groundwire.documents.policy import Policy
from groundwire.errors import GuardError, HostError, PolicyError
from groundwire.guard.proof import ProofFormat, proof_of, render_proof
from groundwire.session.clock import now
from groundwire.session.declarations import declared, merge, stated_effects
from groundwire.session.guarding.calling import Code, guarding_of
from groundwire.session.guarding.guard import Guard
from groundwire.session.guarding.ready.coding import DECLARATIONS, coding_tools
from groundwire.session.guarding.recovering import recover_quietly
from groundwire.session.guarding.result import Artifact, GuardedResult
from groundwire.session.guarding.shapes.tools import GivenTool
from groundwire.session.guarding.table import GuardedTable, table_of
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.guarding.ways.looking import Redactor
from groundwire.session.live.binding import Bound
from groundwire.session.live.warned import level_of_the_host
from groundwire.session.opening import Identification, new_run_id
from groundwire.session.run import Run
from groundwire.session.watcher import RunWatcher, watch_with

ClientT = TypeVar("ClientT")


class UnwatchedRequest(UserWarning):
    """A watched client sent a request while no run was open; it was not recorded."""


class PolicyWarning(UserWarning):
    """A line of the policy says nothing any more, or names what no run has shown."""


class Project:
    """What every run of a process shares. Make it once, at import; it serves any number of runs.

    `policy` is a path to a `groundwire.toml`, a `Policy`, or None for the nearest
    `groundwire.toml` above the working folder (defaults where there is none). `claims` are those
    of the policy and these. `clock` says what time it is, in UTC; tests hand in one of their own.

    Raises:
        PolicyError: the policy or a claim cannot be what was meant, two claims contradict each
            other, or the file of a tool's output cannot be read.
    """

    def __init__(
        self,
        policy: str | Path | Policy | None = None,
        *,
        claims: Sequence[Claim] = (),
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.clock = clock
        found, pin = None, PolicyPin(None, "")
        if isinstance(policy, Policy):
            self.policy = policy
        else:
            found = find_policy(Path.cwd()) if policy is None else Path(policy)
            pin = _pinned(found)
            self.policy = load_policy(found) if found else Policy()
        if claims:
            joined = joined_claims((*self.policy.checks.claims, *map(declare_claim, claims)))
            checks = msgspec.structs.replace(self.policy.checks, claims=joined)
            self.policy = msgspec.structs.replace(self.policy, checks=checks)
        # Paths in a policy are relative to its file.
        self.folder = found.absolute().parent if found else Path.cwd()
        self.policy = with_outputs(self.policy, self.folder)
        self.outside = 0
        self._said: set[str] = set()
        self._outside_run: Session | None = None
        self._lock = threading.Lock()
        self._guard = Guard(self.policy, self.folder, pin, clock)

    def declared_policy(self) -> Policy:
        """The policy with what `@gw.tool` declared so far, without the off lines that ran out.

        Raises:
            PolicyError: a tool is declared twice, differently.
        """
        tools = {tool.name: tool for tool in self.policy.tools}
        merge(tools, declared(self.policy.content))
        policy, ended = in_force(self.policy, self.clock().date())
        for line in ended:
            self.say(ended_words(line))
        return msgspec.structs.replace(policy, tools=tuple(tools[name] for name in sorted(tools)))

    def coding_tools(self) -> tuple[GivenTool, ...]:
        """Tools of a coding agent over the policy's working folder, declared in this project.

        They read and list files, write, edit, patch, move and delete them, and run commands; to be
        handed to `guard`. A tool that the policy declares itself keeps that declaration whole.
        """
        known = {tool.name for tool in self.declared_policy().tools}
        more = (each for each in DECLARATIONS if each.name not in known)
        self.policy = msgspec.structs.replace(self.policy, tools=(*self.policy.tools, *more))
        return coding_tools(self.folder / self.policy.guard.folder)

    def watch(self, client: ClientT) -> ClientT:
        """The client, the same object, reports what crosses its wire to the run it runs in.

        What its user sends and reads does not change. Watching a client twice is watching it once.

        Raises:
            PolicyError: `unknown-client`, not a client of a known SDK.
        """
        return watch_with(client, RunWatcher(self.outside_run, None))

    def guard(self, tools: Iterable[object], *, redact: Redactor | None = None) -> GuardedTable:
        """These tools as a guarded table, each call of which is decided on before anything happens.

        Takes functions, objects with `execute`, LangChain tools, and pairs of a tool as a provider
        takes it with its function. Every tool has to be declared. `redact` makes of each call the
        copy that is recorded; what runs is the call itself. Register only what the table holds:
        what is called beside it is not guarded.

        Raises:
            PolicyError: `undeclared-tools`, all of them with the lines to write; `duplicate-tool`,
                `not-a-tool`, `no-tool-code`, `no-tool-schema`.
        """
        declared = self.declared_policy().tools
        stated = stated_effects(self.policy.tools)
        profile = self.policy.guard.profile
        return table_of(tools, declared, stated, profile, self.run_guard, redact)

    def run_guard(self, run: Bound | None) -> RunGuard | None:
        """What the guard knows of an open run of this project; None for any other."""
        if not isinstance(run, Session) or run.project is not self or not run.is_open:
            return None
        with self._lock:
            if run.guarding is None:
                recover_quietly(self._guard)
                run.guarding = RunGuard(self._guard, run)
            return run.guarding

    def session(
        self,
        path: str | Path | None = None,
        *,
        tags: Mapping[str, str] | None = None,
        model: str = "unstated",
        on_behalf_of: str | None = None,
        phase: Phase = "act",
    ) -> Session:
        """A run of this project, to be entered with `with` or `async with`.

        In the phase `plan`, here or in the policy, its guarded calls do nothing but read until a
        person opens it (`groundwire plan open RUN`).
        """
        return Session(
            path, project=self, tags=tags, model=model, on_behalf_of=on_behalf_of, phase=phase
        )

    def outside_run(self) -> Session | None:
        """Where a request outside any session goes: the run kept for such requests, or nowhere.

        Raises:
            HostError: `outside-session`, where the policy refuses such requests.
        """
        with self._lock:
            self.outside += 1
            first = self.outside == 1
            if self.policy.outside_session == "record":
                if self._outside_run is None:
                    self._outside_run = self.session(tags={"outside": "session"}).open(bind=False)
                return self._outside_run
        if self.policy.outside_session == "refuse":
            raise HostError(
                "outside-session",
                "A watched client sent a request outside any run, and the policy refuses those: "
                "open one with `with project.session():`.",
            )
        if first:
            # Where warnings are errors, this one still must not become the agent's.
            with suppress(Warning):
                warnings.warn(
                    "groundwire: a watched client sent a request outside any run; it was not "
                    "recorded. Open a run with `with project.session():`, or set "
                    'outside_session = "record" in groundwire.toml.',
                    UnwatchedRequest,
                    stacklevel=level_of_the_host(),
                )
        return None

    def say(self, words: str) -> None:
        """These words about the policy are a `PolicyWarning`, once in this project."""
        with self._lock:
            if words in self._said:
                return
            self._said.add(words)
        # Where warnings are errors, this one still must not become the agent's.
        with suppress(Warning):
            warnings.warn(f"groundwire: {words}", PolicyWarning, stacklevel=level_of_the_host())

    def close(self) -> None:
        """The run kept for requests outside any session is closed."""
        with self._lock:
            run, self._outside_run = self._outside_run, None
        if run is not None:
            run.close()


class Session(Run):
    """One run of one agent: `with gw.Session("runs/triage.gw") as run: ...`.

    Without a path the recording gets a name of its own in the policy's `runs` folder. A path that
    exists is never written over: the run gets the next free name (`triage-2.gw`), see `path`. With
    `resume` the recording at `path`, left open by a crash, is cut behind its last whole entry and
    goes on.

    Raises:
        PolicyError: no `project` is given and the nearest `groundwire.toml` cannot be what was
            meant; `not-a-file-name`; `unknown-choice`: a phase that there is not.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        project: Project | None = None,
        tags: Mapping[str, str] | None = None,
        model: str = "unstated",
        on_behalf_of: str | None = None,
        parent: str | None = None,
        resume: bool = False,
        phase: Phase = "act",
    ) -> None:
        self.project = Project() if project is None else project
        self.ancestors: tuple[str, ...] = () if parent is None else (parent,)
        self._phase = phase
        self.guarding: RunGuard | None = None
        if phase not in ("act", "plan"):
            raise PolicyError(
                "unknown-choice", f'A run\'s phase is "act" or "plan", not {phase!a}.'
            )
        policy = self.project.policy
        run = new_run_id()
        folder = self.project.folder
        if path is not None and not Path(path).name:
            raise PolicyError(
                "not-a-file-name", f"{path} names no file; give a name such as runs/triage.gw."
            )
        super().__init__(
            self._policy_in_phase,
            Identification(
                run=run,
                path=folder / Path(policy.runs).expanduser() / f"{run}.gw"
                if path is None
                else Path(path),
                folder=folder,
                tags={str(name): str(value) for name, value in (tags or {}).items()},
                agent=policy.agent,
                model=model,
                on_behalf_of=policy.on_behalf_of if on_behalf_of is None else on_behalf_of,
                parent=parent,
                resume=resume,
                clock=self.project.clock,
            ),
        )

    def close(self, *, succeeded: bool = True) -> None:
        """As `Run.close`; names in the policy that are nearly those of a tool are told of."""
        try:
            super().close(succeeded=succeeded)
        finally:
            self._say_unknown_names()

    def watch(self, client: ClientT) -> ClientT:
        """The client, the same object, reports to the run it is used in, else to this one.

        Raises:
            PolicyError: `unknown-client`.
        """
        return watch_with(client, RunWatcher(self.project.outside_run, self))

    def call(
        self,
        call: object,
        execute: Callable[[], object],
        artifacts: Sequence[Artifact] = (),
    ) -> GuardedResult:
        """One call of anything is guarded: `execute` runs only where a signed decision allows it.

        `call` is a model's call, or `(name, arguments, id)`, of a declared tool. Groundwire judges, and
        mostly carries out, what it reads at its target. `artifacts` say, whole, what changes without
        or beside that: judged too, refused where they contradict what can be read, else host-claimed.

        Raises: what `execute` raised, unchanged, after its outcome was recorded.
            GuardError: `unknown-call-shape`, `no-session`.
        """
        run = self._require_guard()
        return guarding_of(run, call, Code(work=lambda _: execute), artifacts).in_thread(run)

    async def acall(
        self,
        call: object,
        execute: Callable[[], Awaitable[object]],
        artifacts: Sequence[Artifact] = (),
    ) -> GuardedResult:
        """As `call`, of something that is awaited."""
        run = self._require_guard()
        return await guarding_of(run, call, Code(async_work=lambda _: execute), artifacts).in_loop(
            run
        )

    def proof(self, form: ProofFormat = "markdown") -> str:
        """The proof block for a final answer: this run's guarded calls, each with its outcome.

        Under which receipt which were executed, refused, unknown; and what that does not say.
        """
        guarding = self.guarding
        return render_proof(proof_of(()), form) if guarding is None else guarding.proof(form)

    def child(self, name: str, *, tags: Mapping[str, str] | None = None) -> Session:
        """A run that this run starts (a sub-agent), in a recording of its own beside this one.

        It has this run's tag `environment` unless `tags` has one. Where this run is stopped, so is
        the child; where it only plans, so does the child, until either is opened.
        """
        path = self.child_path(name)
        claimed = self.claimed_environment
        own = {**({"environment": claimed} if claimed else {}), **(tags or {})}
        child = Session(
            path, project=self.project, tags=own, parent=self.run_id, phase=self.policy.guard.phase
        )
        child.ancestors = (self.run_id, *self.ancestors)
        child.give_notice_as(self)
        self.record_child(child.run_id, name)
        return child

    def _policy_in_phase(self) -> Policy:
        """The project's policy; with the run's phase, where that is the stricter."""
        policy = self.project.declared_policy()
        if self._phase == "act":
            return policy
        guard = msgspec.structs.replace(policy.guard, phase=self._phase)
        return msgspec.structs.replace(policy, guard=guard)

    def _require_guard(self) -> RunGuard:
        run = self.project.run_guard(self)
        if run is None:
            raise GuardError("no-session", "This run is not open here; nothing ran.")
        return run

    def _say_unknown_names(self) -> None:
        opened = self._opened
        if opened is None:
            return
        offered = opened.rail.engine.transcript.offered
        schemas = {name: tool.schema for name, tool in offered.items()}
        for unknown in unknown_names(opened.policy, schemas):
            # A tool that this run did not offer may be one of another run.
            if unknown.kind == "argument" or unknown.is_slip:
                self.project.say(unknown.words())


def _pinned(found: Path | None) -> PolicyPin:
    """The policy before it is read: if it changes meanwhile, it has changed."""
    if found is None:
        return PolicyPin.of(None, (Path.cwd() / FILE_NAME,))
    try:
        return PolicyPin.of(found)
    except PolicyError:
        return PolicyPin(found, "")  # whoever reads it says what is wrong
