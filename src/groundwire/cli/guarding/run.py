"""`groundwire run`: a command under the guard, for people and for hooks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.session.guarding.result import GuardedResult

TOOL = "groundwire_run"
"""What a rule of the policy calls these commands by: `tools = ["groundwire_run"]`."""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(
    "run",
    context_settings={"ignore_unknown_options": True},
    epilog="Example: groundwire run -- make test",
)
def run(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="The command and its arguments.")
    ],
    policy: Annotated[
        Path | None,
        typer.Option(help="The groundwire.toml to judge by; else the nearest one above."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of the output.")
    ] = False,
) -> None:
    """Run a command beside the working folder; apply what it leaves if the policy allows that.

    It runs once, without a network, in an overlay of the policy's working folder; what it printed
    is shown only if its changes were applied. What was decided is signed and recorded in the
    policy's runs folder. Write `--` before a command that has options.

    Exit code: the command's own; 1 where it was refused, with the reason on standard error; 3 where
    nobody can say what stands.
    """
    from groundwire.cli.output import say, say_json
    from groundwire.session.guarding.ways.command import CommandText

    result = _guarded(command, policy)
    code = 1 if result.refused else 3
    if not result.refused and not result.unknown:
        code = result.value.exit if isinstance(result.value, CommandText) else 3
    if as_json:
        say_json(_document(result, code))
        raise typer.Exit(code)
    if isinstance(result.value, CommandText):
        for stream, data in ((sys.stdout, result.value.stdout), (sys.stderr, result.value.stderr)):
            stream.flush()
            stream.buffer.write(data)
            stream.flush()
    say(_lines(result), file=sys.stderr)
    raise typer.Exit(code)


def _guarded(command: list[str], policy: Path | None) -> GuardedResult:
    import shlex

    import msgspec

    from groundwire.documents.governing import CommandArguments
    from groundwire.documents.policy import ToolDeclaration
    from groundwire.errors import HostError
    from groundwire.session.project import Project

    def never() -> object:
        raise HostError("host-answer", "A staged command has no code of its own.")

    project = Project(policy)
    declared = ToolDeclaration(name=TOOL, effect="write", target=CommandArguments())
    tools = (*(each for each in project.policy.tools if each.name != TOOL), declared)
    project.policy = msgspec.structs.replace(project.policy, tools=tools)
    with project.session(tags={"door": "run"}) as session:
        call = (TOOL, {"command": shlex.join(command)}, "run-1")
        return session.call(call, never)


def _lines(result: GuardedResult) -> list[str]:
    """What a person is told after the output."""
    if result.refused:
        reason = getattr(result.outcome, "reason", "")
        lines = [f"groundwire: refused (reason: {reason}); nothing was changed, nothing is shown"]
        first, *more = result.message.splitlines() or [""]
        return [*lines, f"groundwire: {first}", *more]  # lines of a policy are for pasting
    changes = result.proposal.changes if result.proposal else ()
    lines = [f"groundwire: {each.kind} {each.name.spelled}" for each in changes[:20]]
    if len(changes) > 20:
        lines.append(f"groundwire: and {len(changes) - 20} more changes")
    if result.unknown:
        lines.append("groundwire: it is not known whether all of this stands; look at it")
    if result.notified:
        lines.append(f"groundwire: a rule warns of this; notice of it was {result.notified.state}")
    return lines


def _document(result: GuardedResult, code: int) -> dict[str, object]:
    from groundwire.session.guarding.ways.command import CommandText

    value = result.value if isinstance(result.value, CommandText) else None
    changes = result.proposal.changes if result.proposal else ()
    return {
        "outcome": type(result.outcome).__name__.lower(),
        "reason": getattr(result.outcome, "reason", ""),
        "message": result.message,
        "rules": list(result.ruling.decision.rules) if result.ruling else [],
        "residuals": list(result.ruling.residuals) if result.ruling else [],
        "exit": code,
        "stdout": value.stdout.decode("utf-8", "replace") if value else "",
        "stderr": value.stderr.decode("utf-8", "replace") if value else "",
        "changes": [{"kind": each.kind, "path": each.name.spelled} for each in changes],
        "notice": result.notified.state if result.notified else "",
        "recorded": result.recorded,
    }
