"""`groundwire diff`: whether a change to a contract breaks anyone, and the exchange that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def diff(
    before: Annotated[
        Path | None, typer.Argument(help="The old version of an API description or JSON Schema.")
    ] = None,
    after: Annotated[Path | None, typer.Argument(help="The new version.")] = None,
    *,
    git: Annotated[
        str | None,
        typer.Option(
            metavar="BASE..HEAD", help="Compare every contract that differs between two commits."
        ),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="GRADES",
            help="Any of breaking,exposure,risky,undecided. Without it: the policy's, else all but "
            "risky.",
        ),
    ] = None,
    direction: Annotated[
        Literal["accepts", "produces", "both"] | None,
        typer.Option(help="Who sends what a bare JSON Schema describes. Without it: both."),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(help="The folder that references may lead to. Without it: each file's own."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="A label of the change; the policy says which declare a break."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            help="The policy. Without it: the one of this folder, or with --git the one in BASE."
        ),
    ] = None,
    noted: Annotated[
        bool, typer.Option("--noted", help="Show changes that harm nobody, too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the comment of a pull request.")
    ] = False,
    as_sarif: Annotated[
        bool, typer.Option("--sarif", help="Print a SARIF 2.1.0 document for a code host.")
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="RULE", help="Say what a rule means, and stop.")
    ] = None,
) -> None:
    """Say whether a change to a contract breaks anyone, and show the exchange that proves it.

    Reads OpenAPI 2.0 to 3.2 and JSON Schema, as JSON or YAML; nothing is asked of a network. Exit
    code: 1 where a change of a named grade breaking, exposure or risky happened; else 3 where a
    file could not be read, or something is undecided and undecided is named; else 0. What the
    policy declared, by a waiver, a label or a version, passes and is counted.

    Example: groundwire diff openapi.old.yaml openapi.yaml
    """
    from groundwire.cli.diffing.asking import compared, explained, grades
    from groundwire.cli.diffing.showing import Form, show
    from groundwire.contracts.comparison import exit_code
    from groundwire.errors import PolicyError

    if explain is not None:
        explained(explain)
        return
    if as_json + as_markdown + as_sarif > 1:
        raise PolicyError("bad-arguments", "Give only one of --json, --markdown and --sarif.")
    found = compared(
        before,
        after,
        git=git,
        direction=direction,
        root=root,
        labels=label or [],
        policy=policy,
    )
    form: Form = "json" if as_json else "markdown" if as_markdown else "text"
    show(found, "sarif" if as_sarif else form, noted=noted)
    raise typer.Exit(exit_code(found.comparisons, grades(fail_on, found.policy)))
