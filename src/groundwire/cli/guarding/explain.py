"""`groundwire guard explain`: what is decided of one call, by which rule, and what would allow it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.audit.deciding.asking import Answer, Asker
    from groundwire.documents.call import ToolCall

_LARGEST = 64 << 20


def explain(
    call: Annotated[
        str,
        typer.Argument(
            metavar="CALL.json",
            help='A file, or - for standard input: {"tool": "edit", "arguments": {…}}, or a call '
            "as a provider's API gives it.",
        ),
    ],
    policy: Annotated[
        Path | None, typer.Option(help="The policy. Without it: the one of this folder.")
    ] = None,
    stage: Annotated[
        bool,
        typer.Option(
            "--stage", help="Run a command beside the folder, judge what it leaves, forget it."
        ),
    ] = False,
    coding_tools: Annotated[
        bool,
        typer.Option(
            "--coding-tools", help="The tools of `project.coding_tools` are declared too."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say what would be decided of a call, which rules decide it, what they saw, what allows it.

    Reads the real files and applies the call's edit to them in memory: nothing is written, run or
    signed. It is asked as the first call of a run, which has read nothing. Of a command or a move of a
    ref only doing it shows what it changes: it is not judged, or with --stage it is done beside the
    folder and never applied. A statement is judged by its text where that is enough, or with --stage
    run in its database and taken back there. Exit code: 0 it would run, 1 it is held, 3 it cannot be judged.
    """
    from groundwire.cli.output import say, say_json

    answer = asker(policy, stage=stage, coding_tools=coding_tools).ask(_call(call))
    if as_json:
        say_json(plain(answer))
    else:
        say(_lines(answer))
    if answer.says == "not-judged":
        raise typer.Exit(3)
    if answer.is_held:
        raise typer.Exit(1)


def asker(policy: Path | None, *, stage: bool = False, coding_tools: bool = False) -> Asker:
    """Who answers by the policy at this path, or of this folder, at this moment.

    `coding_tools`: as in a project that has the ready-made ones.

    Raises:
        PolicyError: the policy cannot be read, or is not what it should be.
    """
    import msgspec

    from groundwire.audit.deciding.asking import Asker
    from groundwire.authority.places import PolicyPin
    from groundwire.authority.policy import find_policy, load_policy
    from groundwire.documents.policy import Policy
    from groundwire.session import clock
    from groundwire.session.guarding.guard import Guard
    from groundwire.session.guarding.ready.coding import with_coding_tools

    found = policy or find_policy(Path.cwd())
    read = load_policy(found) if found else Policy()
    if coding_tools:
        read = msgspec.structs.replace(read, tools=with_coding_tools(read.tools))
    folder = found.absolute().parent if found else Path.cwd()
    guard = Guard(read, folder, PolicyPin.of(found), clock.now)
    return Asker(read, guard, clock.now(), stage=stage)


def plain(answer: Answer) -> Mapping[str, object]:
    """The answer as a document."""
    ruling = answer.ruling
    return {
        "tool": answer.call.name,
        "says": answer.says,
        "reason": answer.reason,
        "message": answer.message,
        "environment": answer.environment,
        "by_now": answer.by_now,
        "targets": [f"{name.root.rstrip('/')}/{name.path}".rstrip("/") for name in answer.names],
        "rules": ruling.decision.rules if ruling else (),
        "witnesses": ruling.decision.witnesses if ruling else (),
        "residuals": ruling.residuals if ruling else (),
        "engines": ruling.engines if ruling else {},
        "would_allow": ruling.would_allow if ruling else "",
    }


def _call(source: str) -> ToolCall:
    """The call that the file holds.

    Raises:
        EncodingError: it is no JSON, or no call. HostError: `file-unreadable`.
    """
    from groundwire.canon import jcs
    from groundwire.errors import EncodingError, GuardError
    from groundwire.session.guarding.shapes.calls import model_call

    value = jcs.decode_foreign(_read(source)).value
    if isinstance(value, dict) and isinstance(value.get("tool"), str):
        value = {"args": value.get("arguments"), "name": value["tool"], "id": value.get("id")}
    elif isinstance(value, dict) and set(value) >= {"name", "arguments"} and "type" not in value:
        value = {"args": value["arguments"], "name": value["name"], "id": value.get("id")}
    try:
        return model_call(value).call
    except GuardError as error:
        raise EncodingError(
            "not-a-call",
            f'{source} holds no call; write {{"tool": "NAME", "arguments": {{…}}}}.',
        ) from error


def _read(source: str) -> bytes:
    from groundwire.errors import EncodingError, HostError

    try:
        if source == "-":
            data = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(_LARGEST + 1)
    except OSError as error:
        raise HostError(
            "file-unreadable", f"{source} cannot be read ({error.strerror}); give a JSON file."
        ) from error
    if len(data) > _LARGEST:
        raise EncodingError("too-large", f"{source} is larger than any call that is judged.")
    return data


def _lines(answer: Answer) -> Iterator[str]:
    from groundwire.guard.holding import how_to_allow

    where = f" in {answer.environment}" if answer.environment else ""
    ruling = answer.ruling
    if ruling is None:
        yield f"{answer.call.name}: {answer.says}"
        if answer.message:
            yield f"  {answer.message}"
        if answer.reason:
            yield f"  reason: {answer.reason}"
        return
    yield f"{answer.call.name}: {answer.says}{where}, by {', '.join(ruling.decision.rules)}"
    for witness in ruling.decision.witnesses:
        at = f"  {witness.target.path}" if witness.target else ""
        change = f" {witness.change}" if witness.change else ""
        first, *more = witness.says.split("\n")
        yield f"  {witness.rule}{at}{change}: {first}"
        yield from (f"    {line}" for line in more)
    for fact in ruling.residuals:
        yield f"  fact: {fact}"
    if ruling.would_allow:
        yield ""
        yield from how_to_allow(ruling).splitlines()
