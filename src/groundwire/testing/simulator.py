"""Simulator: a model with a script and tools with results, recorded as if bytes had crossed a wire.

    project = gw.Project(Policy(...))
    model = Simulator(project, [Turn(calls=(Call("look", '{"name": "db-7"}'),)), Turn(text="Up.")])
    with project.session(tmp_path / "run.gw") as run:
        Agent(model, [replying("look", "db-7 is up")]).ask(run, "Is db-7 up?")
        assert_no_findings(run)

No socket, no SDK and no waiting: requests and answers are written in the providers' own formats and
told to the run as an adapter tells them, so recording and checks are the real ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.call import ToolCall
from groundwire.loop.messages import ModelTurn, Request
from groundwire.loop.models import anthropic_messages, openai_chat
from groundwire.loop.tools import Tool
from groundwire.session.live.attempts import WatchedAttempt
from groundwire.session.project import Project
from groundwire.session.run import Run
from groundwire.session.watcher import RunWatcher
from groundwire.testing import anthropic_format, openai_chat_format
from groundwire.testing.turns import Answer, Document, Failure, Hangup, Identity, Turn

Wire: TypeAlias = Literal["openai-chat", "anthropic"]
Script: TypeAlias = Sequence[Answer] | Callable[[Request], Answer]

_URLS: Mapping[Wire, str] = {
    "openai-chat": "https://api.openai.com/v1/chat/completions",
    "anthropic": "https://api.anthropic.com/v1/messages",
}
_ID: Mapping[Wire, str] = {"openai-chat": "call_", "anthropic": "toolu_"}
_JSON = (("content-type", "application/json"),)
_STREAM = (("content-type", "text/event-stream"),)


class SimulatedFailure(Exception):
    """The simulated provider answered with an error, or not at all."""


class Simulator:
    """A `Model` that says what its script says next; `requests` are the bodies that left.

    `serialise` makes the body from the document that was composed: a fault put in there stands
    between composing and the wire, where a client's middleware would put it.
    """

    def __init__(
        self,
        project: Project,
        script: Script,
        *,
        wire: Wire = "openai-chat",
        streamed: bool = False,
        serialise: Callable[[Document], bytes] = msgspec.json.encode,
    ) -> None:
        self._watcher = RunWatcher(project.outside_run, None)
        self._script = script if callable(script) else _in_turn(script)
        self._wire, self._streamed, self._serialise = wire, streamed, serialise
        self._repeats: Counter[bytes] = Counter()
        self.requests: list[bytes] = []

    def answer(self, request: Request) -> ModelTurn:
        """The script's next answer.

        Raises:
            SimulatedFailure: the script's answer is a failure.
            LookupError: the script has no answer left.
        """
        document = _document(request, self._wire) | {"stream": self._streamed}
        body = self._serialise(document)
        self.requests.append(body)
        self._repeats[body] += 1
        identity = Identity(body, self._repeats[body])
        with self._watcher.composed([offer.name for offer in request.tools]):
            attempt = self._watcher.sent("POST", _URLS[self._wire], _JSON, body)
        answer = self._script(request)
        if not isinstance(answer, Turn):
            return self._fail(attempt, answer, identity)
        self._speak(attempt, answer, document, identity, len(body))
        prefix = _ID[self._wire]
        return ModelTurn(
            answer.text,
            tuple(
                ToolCall(
                    id=identity.call_id(call, index, prefix),
                    name=call.name,
                    arguments=call.arguments,
                )
                for index, call in enumerate(answer.calls)
            ),
        )

    def _speak(
        self,
        attempt: WatchedAttempt | None,
        turn: Turn,
        document: Document,
        identity: Identity,
        asked: int,
    ) -> None:
        if attempt is None:
            return
        form = openai_chat_format if self._wire == "openai-chat" else anthropic_format
        attempt.responded(200, _STREAM if self._streamed else _JSON)
        if self._streamed:
            for event in form.events(document, turn, identity, asked):
                attempt.chunk(event)
        else:
            attempt.chunk(msgspec.json.encode(form.whole(document, turn, identity, asked)))
        attempt.ended("whole")

    def _fail(
        self, attempt: WatchedAttempt | None, answer: Failure | Hangup, identity: Identity
    ) -> ModelTurn:
        form = openai_chat_format if self._wire == "openai-chat" else anthropic_format
        if attempt is not None and isinstance(answer, Failure):
            attempt.responded(answer.status, _JSON)
            attempt.chunk(msgspec.json.encode(form.failure(answer, identity)))
            attempt.ended("whole")
        elif attempt is not None:
            attempt.ended("error", "connection lost")
        said = f"status {answer.status}" if isinstance(answer, Failure) else "no answer"
        raise SimulatedFailure(f"the simulated provider: {said}")


def replying(
    name: str, *results: object, schema: Mapping[str, object] | None = None, description: str = ""
) -> Tool:
    """A tool that gives these results in turn, whatever it is called with; the last one again.

    A result that is an exception is raised.
    """
    left = list(results)

    def reply(**_arguments: object) -> object:
        result = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(result, BaseException):
            raise result
        return result

    given = {"type": "object"} if schema is None else schema
    return Tool(name=name, function=reply, description=description, schema=given)


def assert_no_findings(run: Run) -> None:
    """Nothing was filed in the run so far, and something was checked.

    Raises:
        AssertionError: with every finding; or nothing was checked, which proves nothing.
    """
    filed = [f"{finding.kind}: {finding.message}" for finding in run.findings]
    if filed:
        raise AssertionError("\n".join((f"{len(filed)} filed:", *filed)))
    if not any(row.passed + row.failed for row in run.rows):
        raise AssertionError("nothing was checked: no findings means nothing here")


def _document(request: Request, wire: Wire) -> Document:
    if wire == "openai-chat":
        tools: Document = {"tools": openai_chat.tools_of(request)} if request.tools else {}
        return {"model": "simulated", "messages": openai_chat.messages_of(request), **tools}
    return {
        "model": "simulated",
        "max_tokens": 1000,
        **({"system": request.system} if request.system else {}),
        "messages": anthropic_messages.messages_of(request),
        "tools": anthropic_messages.tools_of(request),
    }


def _in_turn(answers: Sequence[Answer]) -> Callable[[Request], Answer]:
    left = iter(answers)

    def following(_request: Request) -> Answer:
        answer = next(left, None)
        if answer is None:
            raise LookupError(f"the script has {len(answers)} answers and was asked for one more")
        return answer

    return following
