"""`groundwire guard dry-run`: what a policy would have said of the calls of runs that there are."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from groundwire.audit.deciding.asking import Answer
    from groundwire.audit.deciding.log import Decided

_HELD = {"approve": "asked", "deny": "denied", "refused": "refused"}


def dry_run(
    files: Annotated[
        list[Path], typer.Argument(metavar="LOG...", help="Recordings or logs; logs may be .gz.")
    ],
    policy: Annotated[
        Path | None, typer.Option(help="The policy. Without it: the one of this folder.")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many kinds of held calls to print.")] = 20,
    schemas: Annotated[
        Path | None,
        typer.Option(help="JSON object of tool schema texts by name; else schemas.json beside."),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(help="The keyring to trust; else the policy's, else your own."),
    ] = None,
    coding_tools: Annotated[
        bool,
        typer.Option(
            "--coding-tools", help="The tools of `project.coding_tools` are declared too."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON document a run instead of sentences.")
    ] = False,
) -> None:
    """Say of each call of these runs what a policy would have decided: questions and refusals a run.

    Nothing is run, written or signed. An edit is made in memory, on the files as they are now and as
    the edits before it left them. One that does not fit them was made on others: then its file is judged
    as what it is now, which is said; where it is gone, the call is not judged. Nor is a command or a move
    of a ref: only doing it shows what it changes; nor a guarded call that no response chose and that did
    not run: its arguments are not recorded. Exit code: 0 nothing is held, 1 something is, 3 nothing
    is and something could not be judged or read.
    """
    from groundwire.audit.deciding.log import decide_run
    from groundwire.audit.declaring.runs import SeenRun, read_runs, schemas_in
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.cli.guarding.explain import asker
    from groundwire.cli.output import say, say_json

    given = {} if schemas is None else schemas_in(schemas)
    held = unclear = False
    for run in read_runs(dict.fromkeys(files), trusted_keyring(keys), given):
        if not isinstance(run, SeenRun):
            say([f"groundwire: {run.message} (reason: {run.reason})"], file=sys.stderr)
            unclear = True
            continue
        by = asker(policy, coding_tools=coding_tools)
        decided = decide_run(run.run, run.events, by)
        held = held or any(answer.is_held for answer in decided.answers)
        unclear = unclear or bool(decided.count("not-judged"))
        if as_json:
            say_json(_plain(decided))
        else:
            say(_lines(decided, limit))
    if held or unclear:
        raise typer.Exit(1 if held else 3)


def _lines(decided: Decided, limit: int) -> Iterator[str]:
    from groundwire.documents.counts import counted

    held = [answer for answer in decided.answers if answer.is_held]
    yield (
        f"{decided.run}: {counted(len(decided.answers), 'call')}; {decided.count('approve')} asked, "
        f"{decided.count('deny', 'refused')} refused, "
        f"{decided.count('allow', 'warn', 'passes')} would run, "
        f"{decided.count('not-judged')} not judged"
    )
    lines = Counter(
        f"  {_HELD[answer.says]}  {answer.call.name}{_targets(answer)}  {_why(answer)}"
        + ("  (by its file as it is now)" if answer.by_now else "")
        for answer in held
    )
    for line, count in list(lines.items())[:limit]:
        yield line + (f"  ({count} times)" if count > 1 else "")
    if len(lines) > limit:
        yield f"  … and {len(lines) - limit} more; --limit shows them"
    if decided.by_now:
        yield f"  judged by their file as it is now: {counted(decided.by_now, 'call')}"
    unjudged = Counter(
        (answer.call.name, answer.message)
        for answer in decided.answers
        if answer.says == "not-judged"
    )
    for (name, message), count in sorted(unjudged.items()):
        yield f"  not judged  {name}, {counted(count, 'call')}: {message}"


def _targets(answer: Answer) -> str:
    names = [name.path for name in answer.names]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"  {names[0]}{more}" if names else ""


def _why(answer: Answer) -> str:
    ruling = answer.ruling
    return ", ".join(ruling.decision.rules) if ruling else f"{answer.reason}: {answer.message}"


def _plain(decided: Decided) -> dict[str, object]:
    from groundwire.cli.guarding.explain import plain

    return {
        "run": decided.run,
        "calls": len(decided.answers),
        "asked": decided.count("approve"),
        "refused": decided.count("deny", "refused"),
        "would_run": decided.count("allow", "warn", "passes"),
        "not_judged": decided.count("not-judged"),
        "answers": [plain(answer) for answer in decided.answers],
    }
