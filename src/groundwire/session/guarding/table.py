"""GuardedTable: the tools of a project as a model may call them, each call guarded."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from groundwire.checks.write.governed.coverage import Coverage, coverage_of
from groundwire.documents.call import ToolCall
from groundwire.documents.counts import counted
from groundwire.documents.outcome import Refused
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GroundwireError, GuardError, PolicyError
from groundwire.guard.effects import Stated, effect_lines, held, propose_effect
from groundwire.guard.proof import ProofFormat, proof_of, render_proof
from groundwire.guard.refusal import Tally, refusal
from groundwire.session.executions.values import json_of
from groundwire.session.guarding.calling import Code, Guarding, digest_of, is_owned
from groundwire.session.guarding.once.declaring import doubts, require_arguments
from groundwire.session.guarding.once.giving import with_key
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.shapes.answers import Answer
from groundwire.session.guarding.shapes.calls import PARSED, ModelCall, model_call
from groundwire.session.guarding.shapes.fitting import misfit
from groundwire.session.guarding.shapes.offering import (
    Offered,
    anthropic_tools,
    gemini_tools,
    openai_responses_tools,
    openai_tools,
)
from groundwire.session.guarding.shapes.tools import GivenTool, given_tools
from groundwire.session.guarding.tallies import RunGuard
from groundwire.session.guarding.ways.looking import Redactor
from groundwire.session.live.binding import Bound, current_call_id, current_session

# Loaded by its name when it is asked for: it stands above the hall, and loads an SDK.
_LANGCHAIN: Final = "groundwire.adapters.langchain"

Runs = Callable[[Bound | None], RunGuard | None]

_LIMITS: Final = (
    "calls that a host makes beside this table",
    "what a tool's own code does besides what its target says",
    "what other processes do to the same files between two looks",
    "calls that the provider runs itself",
)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What is guarded, and what became of the calls of one run; `unseen` is what nothing here sees.

    `guarded` tools are judged before they run, and `carried_out` of these by groundwire itself;
    `passing` tools are declared to read. `outcomes` counts by outcome and reason code. `residuals`
    are the facts that weakened what was said, none hidden by another. `suspicions` are tools
    declared in two ways, and what a tool's name says and its declaration does not. `agent_rule_shown`: whether a request of the run showed the
    model the rule of `gw.with_policy`, read off the wire; None where none was seen.
    `coverage` is measured where the wire of the run is watched, and unknown elsewhere.
    """

    profile: str
    guarded: tuple[str, ...]
    carried_out: tuple[str, ...]
    passing: tuple[str, ...]
    outcomes: Mapping[str, int]
    residuals: Mapping[str, int]
    suspicions: tuple[str, ...]
    agent_rule_shown: bool | None
    coverage: Coverage
    unseen: tuple[str, ...] = _LIMITS


class Entry(msgspec.Struct, frozen=True):
    """One tool of a table: as it was given, what is declared of it, and what speaks against that."""

    given: GivenTool
    declared: ToolDeclaration
    notes: tuple[str, ...]
    original: object


class GuardedTable(Mapping[str, Callable[..., object]]):
    """Tools by name. Each is a callable that is guarded, and stands for the tool's own.

    State lies in the run: one table serves any number of runs at once, in threads and in tasks.
    Made by `Project.guard`. What is called beside the table is not guarded.
    """

    def __init__(
        self, entries: Iterable[Entry], profile: str, runs: Runs, redact: Redactor | None
    ) -> None:
        self._entries = {entry.given.name: entry for entry in entries}
        self._profile = profile
        self._runs = runs
        self._redact = redact
        self._tools = {name: self._callable(entry) for name, entry in self._entries.items()}

    def __getitem__(self, name: str) -> Callable[..., object]:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"<GuardedTable {', '.join(self)}>"

    # -- calls --------------------------------------------------------------------------------

    def dispatch(self, call: object) -> GuardedResult:
        """The model's call has settled: executed, passed, refused, or nobody knows.

        Takes a call as an SDK gives it, or `(name, arguments, id)`. Nothing that a model can write
        raises. To be called within a run; outside one it is refused.

        Raises: what the tool itself raised, unchanged, after its outcome was recorded.
        """
        asked = self._asked(call)
        if isinstance(asked, GuardedResult):
            return asked
        run = self._runs(current_session.get())
        if run is None:
            return _refused(asked, _no_session())
        return self._guarding(asked, run).in_thread(run)

    async def adispatch(self, call: object) -> GuardedResult:
        """As `dispatch`, in the event loop. A cancellation is raised once the call has settled."""
        asked = self._asked(call)
        if isinstance(asked, GuardedResult):
            return asked
        run = self._runs(current_session.get())
        if run is None:
            return _refused(asked, _no_session())
        return await self._guarding(asked, run).in_loop(run)

    # -- tool lists ---------------------------------------------------------------------------

    def openai(self) -> Offered:
        """`tools=` of a chat completion."""
        return openai_tools(self._given())

    def openai_responses(self) -> Offered:
        """`tools=` of the Responses API."""
        return openai_responses_tools(self._given())

    def anthropic(self) -> Offered:
        """`tools=` of the Messages API."""
        return anthropic_tools(self._given())

    def gemini(self) -> Offered:
        """`tools` of `generateContent`."""
        return gemini_tools(self._given())

    def langchain(self) -> list[object]:
        """LangChain tools, for its agents, LangGraph's `ToolNode` and `bind_tools`.

        Raises:
            HostError: `langchain-not-installed`.
        """
        made: list[object] = importlib.import_module(_LANGCHAIN).langchain_tools(
            self._given(), self._answer, self._answer_async
        )
        return made

    # -- read-out -----------------------------------------------------------------------------

    def report(self) -> Report:
        """What is guarded, and what became of the calls of the run that this is called in."""
        declared = [entry.declared for entry in self._entries.values()]
        run = self._runs(current_session.get())
        outcomes: Counter[str] = Counter()
        for (word, reason), count in run.outcomes.items() if run else ():
            outcomes[f"{word}: {reason}" if reason else word] += count
        return Report(
            profile=self._profile,
            guarded=tuple(sorted(each.name for each in declared if each.effect != "read")),
            carried_out=tuple(sorted(each.name for each in declared if is_owned(each))),
            passing=tuple(sorted(each.name for each in declared if each.effect == "read")),
            outcomes=dict(sorted(outcomes.items())),
            residuals=dict(sorted(run.residuals.items())) if run else {},
            suspicions=tuple(
                f"{name}: {note}" for name, entry in self._entries.items() for note in entry.notes
            ),
            agent_rule_shown=run.run.agent_rule_shown if run else None,
            coverage=coverage_of(run.run.rows if run else ()),
        )

    def proof(self, form: ProofFormat = "markdown") -> str:
        """The proof block for a final answer, of the run that this is called in.

        Which guarded calls were executed under which receipt, refused, unknown, and what all that
        does not say.
        """
        run = self._runs(current_session.get())
        return render_proof(proof_of(()), form) if run is None else run.proof(form)

    # -- inside -------------------------------------------------------------------------------

    def _answer(self, asked: ModelCall) -> Answer:
        return self.dispatch(asked).answer

    async def _answer_async(self, asked: ModelCall) -> Answer:
        return (await self.adispatch(asked)).answer

    def _given(self) -> list[GivenTool]:
        return [entry.given for entry in self._entries.values()]

    def _asked(self, call: object) -> ModelCall | GuardedResult:
        try:
            return model_call(call)
        except GuardError as error:
            nobody = ModelCall(ToolCall(id="", name="", arguments=""), "plain")
            return _refused(nobody, error)

    def _guarding(self, asked: ModelCall, run: RunGuard) -> Guarding:
        if asked.dialect in PARSED:
            asked = ModelCall(run.run.on_the_wire(asked.call), asked.dialect)
        entry = self._entries.get(asked.call.name)
        if entry is None:
            return Guarding(asked=asked, declared=None, code=Code(), redact=self._redact)
        refused = misfit(entry.given, asked.call)
        if run.declared(entry.given.name) != entry.declared:
            refused = GuardError(
                "declared-since",
                f"{entry.given.name!r} is declared otherwise than when this run began; begin a new"
                " run.",
            )
        given, declared = entry.given, entry.declared
        code = Code(with_key(declared, given.work), with_key(declared, given.async_work))
        return Guarding(
            asked=asked, declared=entry.declared, code=code, redact=self._redact, refused=refused
        )

    def _callable(self, entry: Entry) -> Callable[..., object]:
        """A function with the tool's name and signature, each call of which is guarded."""
        function = entry.original
        asynchronous = entry.given.work is None and entry.given.async_work is not None

        def asked(args: tuple[object, ...], kwargs: Mapping[str, object]) -> ModelCall:
            arguments = _by_name(function, args, kwargs)
            text = json_of(arguments).text
            call_id = current_call_id.get() or ""
            # What has no JSON no model can have chosen; it is refused as no JSON.
            call = ToolCall(id=call_id, name=entry.given.name, arguments=text or "")
            return ModelCall(call, "plain")

        def tool(*args: object, **kwargs: object) -> object:
            return _told(self.dispatch(asked(args, kwargs)))

        async def async_tool(*args: object, **kwargs: object) -> object:
            return _told(await self.adispatch(asked(args, kwargs)))

        made: Callable[..., object] = async_tool if asynchronous else tool
        if inspect.isroutine(function):
            functools.update_wrapper(made, function)
        else:
            made.__name__ = made.__qualname__ = entry.given.name
            made.__doc__ = entry.given.description
        return made


def table_of(
    tools: Iterable[object],
    declared: Iterable[ToolDeclaration],
    stated: Mapping[str, tuple[Stated, ...]],
    profile: str,
    runs: Runs,
    redact: Redactor | None,
) -> GuardedTable:
    """The table of these tools, every one of which is declared.

    Raises:
        PolicyError: `undeclared-tools`: which, with the lines to write; `duplicate-tool`,
            `no-tool-code`, `no-such-argument`, `not-callable`, and as `given_tools`.
    """
    if redact is not None and not callable(redact):
        raise PolicyError("not-callable", "`redact` takes a ToolCall and returns one; give that.")
    # An iterator gives its tools once.
    wanted = list(tools) if isinstance(tools, Iterator) else tools
    given = given_tools(wanted)
    known = {each.name: each for each in declared}
    _require_apart(given)
    _require_declared(given, known)
    originals = _originals(wanted)
    entries = []
    for each in given:
        declaration = known[each.name]
        if each.work is None and each.async_work is None and not is_owned(declaration):
            raise PolicyError(
                "no-tool-code",
                f"{each.name!r} has no code, and no target that groundwire writes itself; hand in"
                " its function too, or declare its target.",
            )
        require_arguments(each, declaration)
        said = stated.get(each.name, ())
        notes = held(each.name, said, each.hints, owned=is_owned(declaration)).notes
        notes = (*notes, *doubts(declaration, known))
        entries.append(Entry(each, declaration, notes, originals.get(each.name)))
    return GuardedTable(entries, profile, runs, redact)


def _require_apart(given: Iterable[GivenTool]) -> None:
    twice = sorted(
        name for name, count in Counter(each.name for each in given).items() if count > 1
    )
    if twice:
        raise PolicyError(
            "duplicate-tool", f"{', '.join(map(repr, twice))} is given twice; give each tool once."
        )


def _require_declared(given: Iterable[GivenTool], known: Mapping[str, ToolDeclaration]) -> None:
    """Every tool says what it does; all that do not are named at once."""
    silent = {
        each.name: each.hints
        for each in given
        if each.name not in known or known[each.name].effect == "unstated"
    }
    if silent:
        lines = "\n\n".join(
            effect_lines(name, propose_effect(name, silent[name])) for name in sorted(silent)
        )
        raise PolicyError(
            "undeclared-tools",
            f"{counted(len(silent), 'tool')} without a declaration of what a call does; say it in"
            f" groundwire.toml, or beside the code by @gw.tool(effect=...):\n\n{lines}\n",
        )


def _originals(tools: Iterable[object]) -> dict[str, object]:
    """The plain functions among them, by the name that they have as a tool."""
    found: dict[str, object] = {}
    for each in tools:
        if inspect.isroutine(each):
            for given in given_tools([each]):
                found[given.name] = each
    return found


def _by_name(
    function: object, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> Mapping[str, object]:
    if not args:
        return kwargs
    if not callable(function):
        raise TypeError("the arguments of a tool are given by name")
    return inspect.signature(function).bind(*args, **kwargs).arguments


def _told(result: GuardedResult) -> object:
    """What the tool returned; of what was not carried out as asked, what a model is to be told."""
    refused = isinstance(result.outcome, Refused)
    return result.text if refused or result.unknown else result.value


def _refused(asked: ModelCall, error: GroundwireError) -> GuardedResult:
    outcome = Refused(call=digest_of(asked.call), reason=error.reason, rules=())
    return GuardedResult(
        asked=asked,
        outcome=outcome,
        refusal=refusal(outcome, asked.call.name, (), Tally()),
        message=error.message,
        recorded=False,
    )


def _no_session() -> GuardError:
    return GuardError(
        "no-session",
        "No run of this project is open here, in this process and thread, and a guarded call needs"
        " one: `with project.session():`, or `gw.Session(path, project=project)`. A thread of your own is in the run where it is started"
        " within it by `contextvars.copy_context().run`. Nothing ran.",
    )
