"""RunGuard: what the guard knows of one run: what it has seen, how often it refused, what it passed."""

from __future__ import annotations

import threading
from collections import Counter
from functools import cached_property

import msgspec

from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.checks.write.governed.coverage import coverage_of, coverage_words
from groundwire.documents.call import ToolCall
from groundwire.documents.outcome import Outcome, Refused
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.documents.profile import Fact, Profile
from groundwire.documents.target import TargetName
from groundwire.guard.profiles import profile_named
from groundwire.guard.proof import ProofCall, ProofFormat, ToldCalls, render_proof
from groundwire.guard.refusal import Refusal, Tally, refusal
from groundwire.session.executions.guarded_run import GuardedRun
from groundwire.session.guarding.guard import Guard
from groundwire.session.guarding.people.halting import Halting
from groundwire.session.guarding.ways.known import Known


class RunGuard:
    """The guard of one run. State lies here, so that one table serves any number of runs."""

    def __init__(self, guard: Guard, run: GuardedRun) -> None:
        self.guard = guard
        self.run = run
        self.known = Known()
        self.outcomes: Counter[tuple[str, str]] = Counter()
        self.residuals: Counter[Fact] = Counter()
        self._told = ToldCalls()
        self._tally = Tally()
        self._lock = threading.Lock()

    @cached_property
    def policy(self) -> Policy:
        """The policy in force in the run."""
        return self.run.policy

    @cached_property
    def policy_digest(self) -> str:
        """Its digest, as the recording's opening has it."""
        return tagged("policy", jcs.encode(msgspec.to_builtins(self.policy)))

    @cached_property
    def profile(self) -> Profile:
        """The profile in force."""
        return profile_named(self.guard.rules.profile)

    @cached_property
    def halting(self) -> Halting:
        """Whether a person stopped the run, or has yet to let it act.

        Raises:
            HostError: `no-state-home`.
        """
        runs = (self.run.run_id, *self.run.ancestors)
        return Halting(self.guard.halts(), runs, plans=self.policy.guard.phase == "plan")

    @cached_property
    def _declared(self) -> dict[str, ToolDeclaration]:
        return {tool.name: tool for tool in self.policy.tools}

    def declared(self, name: str) -> ToolDeclaration | None:
        """What is declared of a tool in this run."""
        return self._declared.get(name)

    @cached_property
    def settling(self) -> dict[str, tuple[ToolDeclaration, ...]]:
        """By the tool that reads: those of whose deeds it says what became of them."""
        found: dict[str, tuple[ToolDeclaration, ...]] = {}
        for tool in self.policy.tools:
            if tool.settled_by is not None:
                reads = tool.settled_by.tool
                found[reads] = (*found.get(reads, ()), tool)
        return found

    def minds(self, fact: Fact) -> bool:
        """Whether the profile does more about the fact than report it."""
        return any(row.fact == fact and row.treatment != "report" for row in self.profile.rows)

    def refusal(self, refused: Refused, call: ToolCall, names: tuple[TargetName, ...]) -> Refusal:
        """What a model is to see; it is counted."""
        with self._lock:
            return refusal(refused, call.name, names, self._tally)

    def count(self, outcome: Outcome, residuals: tuple[Fact, ...]) -> None:
        """The call ended so."""
        reason = getattr(outcome, "reason", "")
        with self._lock:
            self.outcomes[type(outcome).__name__.lower(), reason] += 1
            if residuals:
                self.residuals.update(residuals)

    def tell(self, call: ProofCall) -> None:
        """The call has ended; the proof has it."""
        with self._lock:
            self._told.append(call)

    def proof(self, form: ProofFormat) -> str:
        """The proof block of the run's calls so far, with what the wire shows of coverage."""
        coverage = coverage_of(self.run.rows)
        words = "" if coverage.state == "unknown" else coverage_words(coverage)
        with self._lock:
            told = self._told.proof(words)
        return render_proof(told, form)
