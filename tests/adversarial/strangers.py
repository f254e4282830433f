"""Strangers' code in and around a call: callbacks, redactors, tools, arguments, forged permits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import groundwire as gw
from groundwire.attest.receipts import Permit
from groundwire.documents.call import ToolCall
from groundwire.documents.outcome import Executed
from groundwire.session.guarding.host import GuardHost
from groundwire.session.guarding.result import Artifact
from tests.adversarial.attack import Attack, add, attack
from tests.adversarial.between import between
from tests.adversarial.world import FIELD, World
from tests.hands import Hands, coding_tools, done


class ToolBroke(Exception):
    """What a tool raises."""


def _edited(world: World) -> str:
    return world.do("edit_file", path="README.md", old="Use it.", new="Used.").word


# --- callbacks ------------------------------------------------------------------------------


def _raises(_: object) -> None:
    raise ToolBroke


def _exits(_: object) -> None:
    raise SystemExit(3)


def _interrupts(_: object) -> None:
    raise KeyboardInterrupt


async def _fails_later(_: object) -> None:
    raise ToolBroke


for _name, _callback in (
    ("raise", _raises),
    ("end the process", _exits),
    ("interrupt", _interrupts),
    ("fail when awaited", _fails_later),
    ("return something else", lambda _: object()),
    ("close the run from within", lambda _: gw.Session),
):

    def _heard(world: World, callback: Callable[[object], object] = _callback) -> str:
        for topic in ("guarded", "settled", "finding", "closed"):
            (world.runs[0] if world.runs else world.open()).on(topic, callback)
        word = _edited(world)
        assert world.place.read("README.md") == b"# Tool\n\nUsed.\n"
        return word

    add(Attack("strangers", f"callbacks that {_name}", "run.on(guarded, settled, finding, closed)",
               ("executed",), _heard, leaves=False))  # fmt: skip


@attack("strangers", "callbacks that hang", "each waits for ever", "executed", leaves=False)
def _(world: World) -> str:
    end = threading.Event()
    world.open().on("guarded", lambda _: end.wait())
    try:
        word = _edited(world)
        world.close()
    finally:
        end.set()
    return word


# --- redactors ------------------------------------------------------------------------------

for _name, _redact in (
    ("raises", _raises),
    ("returns no call", lambda _: "a text"),
    ("returns nothing", lambda _: None),
):

    def _redacted(world: World, redact: Callable[[Any], Any] = _redact) -> str:
        run = world.open()
        table = world.project.guard(world.table_of, redact=redact)
        ended = done(
            table.dispatch(
                ("edit_file", '{"path":"README.md","old":"Use it.","new":"Used."}', "call-1")
            )
        )
        assert run.is_open
        return world.seen(ended).word.partition(":")[0]

    add(Attack("strangers", f"a redactor that {_name}", "project.guard(tools, redact=...)",
               ("refused",), _redacted))  # fmt: skip


@attack("strangers", "a redactor that hides a secret", "the recording holds the redacted copy alone",
        "executed, and the secret is in no recording", leaves=False)  # fmt: skip
def _(world: World) -> str:
    def redact(call: ToolCall) -> ToolCall:
        return ToolCall(
            id=call.id, name=call.name, arguments=call.arguments.replace("hunter2", "[secret]")
        )

    world.open()
    table = world.project.guard(world.table_of, redact=redact)
    made = ("create_file", '{"path":"conf.txt","content":"password: hunter2"}', "call-1")
    assert world.seen(done(table.dispatch(made))).word == "executed"
    assert world.place.read("conf.txt") == b"password: hunter2"
    world.close()
    for path in (world.place.top / "runs").rglob("*"):
        assert not path.is_file() or b"hunter2" not in path.read_bytes(), path
    return "executed, and the secret is in no recording"


# --- tools that write themselves ------------------------------------------------------------


def _own(world: World, act: Callable[[Path, str], object]) -> Hands:
    """A table with a tool that writes by its own code."""

    @gw.tool(effect="write", target={"files": "whole", "writes": "tool"})
    def save(path: str, content: str) -> object:
        return act(Path(path), content)

    world.tools(save)
    return world.hands


def _saved(world: World, act: Callable[[Path, str], object]) -> str:
    _own(world, act)
    try:
        world.do("save", path="new.txt", content="mine")
    except ToolBroke:
        raised = "raised, "
    except BaseException as error:
        raised = f"raised {type(error).__name__}, "
    else:
        raised = ""
    world.close()
    (outcome,) = [each.outcome for each in world.settled]  # type: ignore[attr-defined]  # an object of any kind here
    reason = getattr(outcome, "reason", "")
    return f"{raised}{type(outcome).__name__.lower()}{': ' + reason if reason else ''}"


def _then_raises(path: Path, content: str) -> object:
    path.write_text(content)
    raise ToolBroke


def _then_exits(path: Path, content: str) -> object:
    path.write_text(content)
    raise SystemExit(1)


def _half_then_raises(path: Path, content: str) -> object:
    path.write_text(content[:2])
    raise ToolBroke


def _only_raises(path: Path, content: str) -> object:
    raise ToolBroke


def _something_else(path: Path, content: str) -> object:
    path.write_text("theirs")
    return "saved as asked"


def _nothing(path: Path, content: str) -> object:
    return "saved as asked"


def _odd_value(path: Path, content: str) -> object:
    path.write_text(content)
    return {object(): float("nan"), "self": threading.Lock()}


def _stops_iteration(path: Path, content: str) -> object:
    path.write_text(content)
    raise StopIteration


for _name, _act, _end in (
    ("writes and then raises", _then_raises, "raised, executed"),
    ("writes and then exits", _then_exits, "raised SystemExit, unknown: cancelled"),
    ("writes half and then raises", _half_then_raises, "raised, unknown: drift"),
    ("raises before it writes", _only_raises, "raised, unknown: drift"),
    ("writes something else and says it did as asked", _something_else, "unknown: drift"),
    ("writes nothing and says it did", _nothing, "unknown: drift"),
    ("returns what nobody can write down", _odd_value, "executed"),
    ("raises StopIteration", _stops_iteration, "raised StopIteration, executed"),
):

    def _deed(world: World, act: Callable[[Path, str], object] = _act) -> str:
        return _saved(world, act)

    add(Attack("strangers", f"a tool that {_name}", "its own code writes, under the guard", (_end,),
               _deed, leaves=False))  # fmt: skip


# --- arguments ------------------------------------------------------------------------------

for _name, _text, _end in (
    ("a key twice", '{"path":"app.py","path":"README.md","content":"x"}', "arguments-ambiguous"),
    ("a key twice in two spellings", '{"path":"app.py","p\\u0061th":"x","content":"x"}',
     "arguments-ambiguous"),
    ("NaN", '{"path":"app.py","content":NaN}', "arguments-malformed"),
    ("no JSON", '{"path":"app.py","content":"x', "arguments-malformed"),
    ("a list", '["app.py","x"]', "arguments-malformed"),
    ("nothing", "", "arguments-malformed"),
    ("nested without end", "[" * 100_000, "arguments-malformed"),
    ("no content", '{"path":"app.py"}', "arguments-do-not-fit"),
    ("content that is no text", '{"path":"app.py","content":null}', "arguments-do-not-fit"),
    ("a path that is a list", '{"path":["app.py"],"content":"x"}', "arguments-do-not-fit"),
):  # fmt: skip

    def _argued(world: World, text: str = _text) -> str:
        return world.call("write_file", text).word

    add(Attack("strangers", f"arguments: {_name}", _text[:60], (f"refused: {_end}",), _argued))


# --- calls that are none --------------------------------------------------------------------


@attack("strangers", "a tool that nobody knows", "table.dispatch of an invented name",
        "refused: unknown-tool")  # fmt: skip
def _(world: World) -> str:
    return world.do("delete_everything", path="README.md").word


@attack("strangers", "a call outside of any run", "table.dispatch with no session open",
        "refused: no-session")  # fmt: skip
def _(world: World) -> str:
    table = world.project.guard(coding_tools())
    made = ("edit_file", '{"path":"README.md","old":"Use it.","new":"Used."}', "call-1")
    return done(table.dispatch(made)).word


@attack("strangers", "a call after the run has ended", "the table is used when its run is closed",
        "refused: no-session")  # fmt: skip
def _(world: World) -> str:
    world.do("read_file", path="README.md")
    world.close()
    return _edited(world)


@attack("strangers", "something that is no call at all", "table.dispatch(None)",
        "refused: unknown-call-shape")  # fmt: skip
def _(world: World) -> str:
    world.do("read_file", path="README.md")
    return done(world.hands.table.dispatch(None)).word


@attack("strangers", "tools that nothing is declared of", "project.guard of three bare functions",
        "refused at once, all three named")  # fmt: skip
def _(world: World) -> str:
    def send_emails(to: str) -> str:
        return to

    def list_and_purge(bucket: str) -> str:
        return bucket

    def get_report(day: str) -> str:
        return day

    try:
        world.project.guard([send_emails, list_and_purge, get_report])
    except gw.PolicyError as error:
        named = [
            name for name in ("send_emails", "list_and_purge", "get_report") if name in str(error)
        ]
        return "refused at once, all three named" if len(named) == 3 else f"named only {named}"
    return "taken"


@attack("strangers", "the recording's disk is full", "the intent cannot be made durable",
        "refused: guard-not-recorded")  # fmt: skip
def _(world: World) -> str:
    world.do("read_file", path="README.md")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    rail = world.run._opened
    assert rail is not None
    rail.make_durable = full  # type: ignore[method-assign, assignment]  # put in its place meanwhile
    return _edited(world)


# --- the guard's own parts, replaced --------------------------------------------------------


@attack("strangers", "an authority that raises", "any exception where a decision is asked for",
        "refused: host-failed")  # fmt: skip
def _(world: World) -> str:
    def broken(*_: object) -> Any:
        raise ToolBroke

    with between(receipt=broken):
        return _edited(world)


@attack("strangers", "an authority that returns something else", "a truthy object for a receipt",
        "refused: host-failed", "refused: host-answer")  # fmt: skip
def _(world: World) -> str:
    def other(*_: object) -> Any:
        return {"decision": "allow", "currently_authorized": True}

    with between(receipt=other):
        return _edited(world)


@attack("strangers", "a permit that nobody opened", "object.__new__(Permit) instead of a receipt",
        "refused: permit-not-opened")  # fmt: skip
def _(world: World) -> str:
    true = GuardHost.answer

    def answer(host: GuardHost, step: Any) -> Any:
        if type(step).__name__ == "OpenReceipt":
            return object.__new__(Permit)
        return true(host, step)

    GuardHost.answer = answer  # type: ignore[method-assign]  # put in its place meanwhile
    try:
        return _edited(world)
    finally:
        GuardHost.answer = true  # type: ignore[method-assign]  # put in its place meanwhile


@attack("strangers", "a permit of another call", "a true permit, kept from the call before",
        "refused: permit-for-another", leaves=False)  # fmt: skip
def _(world: World) -> str:
    true, kept = GuardHost.answer, []

    def answer(host: GuardHost, step: Any) -> Any:
        given = true(host, step)
        if type(step).__name__ == "OpenReceipt":
            kept.append(given)
            return kept[0]
        return given

    GuardHost.answer = answer  # type: ignore[method-assign]  # put in its place meanwhile
    try:
        assert _edited(world) == "executed"
        word = world.do("edit_file", path="app.py", old="v1", new="v2").word
    finally:
        GuardHost.answer = true  # type: ignore[method-assign]  # put in its place meanwhile
    assert world.place.read("app.py") == b"v1\n"
    return word


@attack("strangers", "an execution asked for twice", "the same permit, the same change, two writes",
        "executed once", leaves=False)  # fmt: skip
def _(world: World) -> str:
    true, answers = GuardHost.answer, []

    def answer(host: GuardHost, step: Any) -> Any:
        given = true(host, step)
        if type(step).__name__ == "Execute":
            answers.append(given)
            answers.append(true(host, step))
        return given

    GuardHost.answer = answer  # type: ignore[method-assign]  # put in its place meanwhile
    try:
        _edited(world)
    finally:
        GuardHost.answer = true  # type: ignore[method-assign]  # put in its place meanwhile
    assert [type(each).__name__ for each in answers] == ["Ran", "NotWritten"], answers
    return "executed once"


def _commit() -> str:
    return "committed"


# --- the host's word ------------------------------------------------------------------------


@attack("strangers", "the host says that it committed", "its own code ran, nobody looked",
        "executed, not-observed, host-claimed")  # fmt: skip
def _(world: World) -> str:
    world.policy(
        '[[guard.artifacts]]\nkind = "note"\n\n[[guard.rules]]\nid = "note"\ndecide = "allow"\n'
        'artifacts = ["note"]\npaths = ["artifact:note/notes"]\nchanges = ["changed"]\n'
    )
    world.ready()
    world.tools(gw.tool(effect="write")(_commit))
    world.do("read_file", path="README.md")
    call = ToolCall(id="call-9", name="_commit", arguments="{}")
    artifact = Artifact(id="notes", kind="note", before=b"a", after=b"b")
    ended = done(world.run.call(call, lambda: "committed", artifacts=(artifact,)))
    assert isinstance(ended.outcome, Executed), ended.message
    assert {"declared-content", "host-claimed"} <= set(ended.result.ruling.residuals)
    assert "Executed under a receipt, not observed" in world.run.proof()
    (seen,) = ended.outcome.observed
    return f"executed, {seen.seen}, {seen.claim}"


@attack("strangers", "a governed change without content", "the host names it and gives no bytes",
        "refused: content-missing")  # fmt: skip
def _(world: World) -> str:
    world.tools(gw.tool(effect="write")(_commit))
    world.do("read_file", path="README.md")
    call = ToolCall(id="call-9", name="_commit", arguments="{}")
    artifact = Artifact(id="openapi.yaml", kind="openapi")
    ended = done(world.run.call(call, lambda: "committed", artifacts=(artifact,)))
    return world.seen(ended).word


@attack("strangers", "the sixth try", "the same refused call, over and over", "told to stop")
def _(world: World) -> str:
    said = []
    for _ in range(6):
        ended = world.do("edit_file", path="openapi.yaml", old=FIELD, new="")
        assert ended.word == "asked: approval-unavailable", ended.word
        said.append(ended.result.refusal.next)
    assert said[:4] == ["ask-person"] * 4, said
    return "told to stop" if said[-1] == "stop" else f"told to {said[-1]}"
