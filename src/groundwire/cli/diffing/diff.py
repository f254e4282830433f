"""`groundwire diff`: whether a change to a contract breaks anyone, and the exchange that shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

_Before: TypeAlias = Annotated[
    Path | None, typer.Argument(help="The old version of an API description or JSON Schema.")
]
_After: TypeAlias = Annotated[Path | None, typer.Argument(help="The new version.")]
_Range: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="BASE..HEAD", help="Compare every contract that differs between two commits."
    ),
]
_Grades: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="GRADES",
        help="Any of breaking,exposure,risky,undecided. Without it: the policy's, else all but "
        "risky.",
    ),
]
_Direction: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="accepts|produces|both",
        help="Who sends what a bare JSON Schema describes: its users, who are to be accepted, or "
        "this side, which produces it. Without it: both.",
    ),
]
_Root: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="The folder that references may lead to. Without it: each file's own."),
]
_Labels: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="A label of the change; the policy says which declare a break."),
]
_Policy: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="The policy. Without it: the one of this folder, or with --git the one in BASE."
    ),
]
_Noted: TypeAlias = Annotated[
    bool, typer.Option("--noted", help="Show changes that harm nobody, too.")
]
_AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
]
_AsMarkdown: TypeAlias = Annotated[
    bool, typer.Option("--markdown", help="Print the comment of a pull request.")
]
_AsSarif: TypeAlias = Annotated[
    bool, typer.Option("--sarif", help="Print a SARIF 2.1.0 document for a code host.")
]
_Rule: TypeAlias = Annotated[
    str | None, typer.Option(metavar="RULE", help="Say what a rule means, and stop.")
]


def diff(
    before: _Before = None,
    after: _After = None,
    *,
    git: _Range = None,
    fail_on: _Grades = None,
    direction: _Direction = None,
    root: _Root = None,
    label: _Labels = None,
    policy: _Policy = None,
    noted: _Noted = False,
    as_json: _AsJson = False,
    as_markdown: _AsMarkdown = False,
    as_sarif: _AsSarif = False,
    explain: _Rule = None,
) -> None:
    """Say whether a change to a contract breaks anyone, and show the exchange that proves it.

    Reads OpenAPI 2.0 to 3.2 and JSON Schema, as JSON or YAML; nothing is asked of a network. Exit
    code: 1 where a change of a named grade breaking, exposure or risky happened; else 3 where a
    file could not be read, or something is undecided and undecided is named; else 0. What the
    policy declared, by a waiver, a label or a version, passes and is counted.

    Example: groundwire diff openapi.old.yaml openapi.yaml
    """
    from groundwire.cli.diffing.asking import compared, direction_of, explained, form_of, grades
    from groundwire.cli.diffing.showing import show
    from groundwire.contracts.comparison import exit_code

    if explain is not None:
        explained(explain)
        return
    form = form_of(json=as_json, markdown=as_markdown, sarif=as_sarif)
    failing = None if fail_on is None else grades(fail_on)
    found = compared(
        before,
        after,
        git=git,
        direction=None if direction is None else direction_of(direction),
        root=root,
        labels=label or [],
        policy=policy,
    )
    show(found, form, noted=noted)
    raise typer.Exit(
        exit_code(found.comparisons, found.policy.diff.fail_on if failing is None else failing)
    )
