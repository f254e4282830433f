"""Telling: what the host says of its run, beside what crosses the wire. It is recorded as its word."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias, get_args

import msgspec

from groundwire.checks.filing import name_of
from groundwire.documents.event import (
    Authored,
    Continued,
    Denied,
    Executed,
    Parked,
    Pinned,
    Vouched,
)
from groundwire.documents.finding import Finding
from groundwire.errors import PolicyError
from groundwire.session.executions.given import findings_given, names_given, text_given
from groundwire.session.executions.joining import joined
from groundwire.session.executions.mcp_tools import declared_by_server, outputs_listed
from groundwire.session.executions.values import Rendered, arguments_of, json_of, result_of
from groundwire.session.live.binding import current_call_id, current_lane
from groundwire.session.rail import Rail

Outcome: TypeAlias = Literal["returned", "raised", "unknown"]
TextKind: TypeAlias = Literal["correction", "summary", "notice"]

# After these nobody knows whether an effect landed.
_UNKNOWN = (TimeoutError, ConnectionError)


class Telling(ABC):
    """What a host may say of its run. Every method costs nothing where the run is not recorded."""

    @abstractmethod
    def _rail(self) -> Rail | None:
        """The rail of the run while it is recorded."""

    @abstractmethod
    def _door(self, act: Callable[[], object], *, stop: bool = True) -> None:
        """`act` is done, or the run is no longer recorded and says so."""

    def executed(
        self,
        call_id: str | None,
        arguments: object,
        result: object,
        *,
        name: str | None = None,
        structured: object = None,
        rendered: str | None = None,
        error: BaseException | str | None = None,
        outcome: Outcome | None = None,
    ) -> None:
        """That a tool ran with `arguments` and returned `result` stands in the recording.

        `call_id` is the id of the wire call it ran for; without one, the only call that waits for
        its result and has this name and these arguments is taken. `structured` is an MCP result's
        `structuredContent`, `rendered` the text that the host made of the result. With `error` the
        tool raised it. `outcome` says otherwise: `unknown` where nobody knows whether an effect
        landed, which is assumed for time-outs, lost connections and cancellation.

        It is the host's word: nothing here saw the tool run. Takes values of any kind; what has no
        JSON is left out and the entry says so. Raises nothing for them.
        """
        said = _said(_id(name), arguments_of(arguments), result, error)
        extra = None if structured is None else json_of(structured).text
        said = msgspec.structs.replace(
            said,
            structured=extra,
            rendered=str.__str__(rendered) if isinstance(rendered, str) else None,
            outcome=outcome if _is_one_of(outcome, Outcome) else said.outcome,
        )
        self._tell(call_id, said, stop=True)

    def ran(
        self, name: str, arguments: object, result: object, error: BaseException | None
    ) -> None:
        """A function of this name, wrapped by `@gw.tool`, ran. Raises nothing."""
        told = arguments if isinstance(arguments, Rendered) else arguments_of(arguments)
        self._tell(None, _said(name, told, result, error), stop=False)

    @contextmanager
    def for_call(self, call_id: str) -> Iterator[None]:
        """Tools that run within belong to the wire call of this id."""
        token = current_call_id.set(call_id)
        try:
            yield
        finally:
            current_call_id.reset(token)

    def mcp_tools(self, tools: Iterable[object]) -> tuple[str, ...]:
        """From now on results have to fit the `outputSchema` that an MCP server lists for its tools.

        `tools` are those of its `tools/list`, as objects of an SDK or as JSON. Where the policy says
        what a tool's output is, that stays. Of the list nothing else is taken. What cannot be held
        against anything is dropped, and said in what comes back.
        """
        listed = outputs_listed(tools)
        self._say(lambda rail: rail.redeclare(declared_by_server(rail.policy, listed.schemas)))
        return listed.dropped

    def pin(self, text: str, name: str = "") -> None:
        """`text` is a rule that has to stay in view of the model.

        Raises:
            PolicyError: `not-text`.
        """
        said = Pinned(step=0, at="", name=text_given(name), text=text_given(text, needed=True))
        self._say(lambda rail: rail.say(said))

    def park(self, group: str, tools: Sequence[str] | None = None) -> None:
        """The tools of the group are withheld from the model from here on.

        Which they are is what the policy declares of the group, or `tools`.

        Raises:
            PolicyError: `unknown-group`, `group-not-parkable`, `not-tool-names`.
        """
        self._park(group, tools, parked=True)

    def engage(self, group: str, tools: Sequence[str] | None = None) -> None:
        """The tools of the group are offered again.

        Raises: as `park`.
        """
        self._park(group, tools, parked=False)

    def vouch(self, value: str, source: str) -> None:
        """The host knows this value, and `source` says from where.

        Raises:
            PolicyError: `not-text`.
        """
        said = Vouched(
            step=0,
            at="",
            value=text_given(value, needed=True),
            source=text_given(source, needed=True),
        )
        self._say(lambda rail: rail.say(said))

    def authored(self, text: str, kind: TextKind = "notice") -> None:
        """The host wrote this text in a user's or tool's place: it grounds nothing.

        To be said before the request that carries it.

        Raises:
            PolicyError: `not-text`, `unknown-text-kind`.
        """
        if not _is_one_of(kind, TextKind):
            raise PolicyError(
                "unknown-text-kind",
                'A text of the host is a "correction", a "summary" or a "notice"; say which.',
            )
        said = Authored(step=0, at="", text=text_given(text, needed=True), kind=kind)
        self._say(lambda rail: rail.say(said))

    def denied(self, text: str) -> None:
        """The host denied the answer of this text, and it reached nobody.

        Under `rules = "original"` the claims of such an answer are out of scope. By default an
        answer is judged as soon as it is there.

        Raises:
            PolicyError: `not-text`.
        """
        said = Denied(step=0, at="", text=text_given(text, needed=True))
        self._say(lambda rail: rail.say(said))

    def continues(self, run: str, findings: Sequence[Finding]) -> None:
        """From here on the paused run of that id goes on; what it filed is not filed again.

        To be said first. The ledger counts every encounter here too.

        Raises:
            PolicyError: `not-text`, `not-findings`.
        """
        filed = tuple(sorted({name_of(finding) for finding in findings_given(findings)}))
        said = Continued(step=0, at="", run=text_given(run, needed=True), filed=filed)
        self._say(lambda rail: rail.say(said))

    def _tell(self, call_id: str | None, said: Executed, *, stop: bool) -> None:
        given = _id(call_id) or _id(current_call_id.get())

        def tell(rail: Rail) -> None:
            found = joined(
                rail.engine.transcript,
                lane=rail.lane_number(current_lane.get()),
                call_id=given,
                name=said.name,
                arguments=said.arguments,
            )
            call = found.call
            if call is None:
                rail.say(said)
                return
            rail.say(
                msgspec.structs.replace(
                    said,
                    call_id=call.call.id,
                    link=found.link,
                    exchange=call.exchange,
                    lane=call.lane,
                    name=said.name or call.call.name,
                )
            )

        self._say(tell, stop=stop)

    def _park(self, group: str, tools: Sequence[str] | None, *, parked: bool) -> None:
        name = text_given(group, needed=True)
        named = None if tools is None else names_given(tools, f'run.park({name!r}, ["wipe"])')

        def park(rail: Rail) -> None:
            members = _members(rail, name) if named is None else named
            rail.say(Parked(step=0, at="", group=name, tools=members, parked=parked))

        rail = self._rail()
        if rail is not None and named is None:
            _members(rail, name, parks=parked)
        self._say(park)

    def _say(self, tell: Callable[[Rail], None], *, stop: bool = True) -> None:
        rail = self._rail()
        if rail is None:
            return

        def say() -> None:
            # What came in a moment ago was there before it, and may be the call that ran.
            rail.drain(early=True)
            tell(rail)

        with rail.lock:
            self._door(say, stop=stop)


def _members(rail: Rail, group: str, *, parks: bool = False) -> tuple[str, ...]:
    for declared in rail.policy.checks.groups:
        if declared.name == group:
            if parks and not declared.parkable:
                raise PolicyError(
                    "group-not-parkable",
                    f"The group {group!r} is declared as one that is never parked; change that in "
                    "groundwire.toml, or leave its tools offered.",
                )
            return declared.tools
    raise PolicyError(
        "unknown-group",
        f"No group {group!r} is declared; declare it in groundwire.toml or name its tools: "
        f"run.park({group!r}, [...]).",
    )


def _said(name: str, told: Rendered, result: object, error: BaseException | str | None) -> Executed:
    """The execution, of no call yet."""
    came = result_of(result) if error is None else _of_error(error)
    return Executed(
        step=0,
        at="",
        execution=0,
        call_id="",
        link="unlinked",
        exchange=None,
        lane=None,
        name=name,
        arguments=told.text,
        result=came.text,
        rendering=came.rendering,
        outcome=_outcome(error),
        reason=told.reason or came.reason,
    )


def _outcome(error: BaseException | str | None) -> Outcome:
    if error is None:
        return "returned"
    if isinstance(error, str) or (isinstance(error, Exception) and not isinstance(error, _UNKNOWN)):
        return "raised"
    return "unknown"


def _of_error(error: BaseException | str) -> Rendered:
    """The error's text; its type alone where it has none."""
    if isinstance(error, str):
        return result_of(error)
    try:
        return result_of(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- a stranger's error; its text may be code that fails
        return Rendered(type(error).__name__, "text")


def _is_one_of(value: object, words: object) -> bool:
    return isinstance(value, str) and str.__str__(value) in get_args(words)


def _id(value: object) -> str:
    return str.__str__(value) if isinstance(value, str) else ""
