"""`groundwire guard undo`: a guarded write taken back, as a guarded call of its own."""

from __future__ import annotations

from typing import Annotated

import typer


def undo(
    receipt: Annotated[
        str,
        typer.Argument(help="Its receipt: a digest sha256:..., a file with it, or RUN.gw#N."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Bring back what stood before a guarded write, in the project of the working folder.

    Refused where a file has changed since, and where the policy does not allow the change back. It
    is judged, written and recorded in a run of its own. N counts the guarded calls of a run from 0.
    Exit code: 0 undone, 1 refused, 3 nobody can say what stands.
    """
    from groundwire.cli.guarding.naming import receipt_digest
    from groundwire.cli.output import say, say_json
    from groundwire.session.guarding.recovering import undo as undo_write
    from groundwire.session.project import Project

    digest = receipt_digest(receipt)
    project = Project()
    with project.session(tags={"undo": digest}) as run:
        guarded = project.run_guard(run)
        if guarded is None:  # the run was opened just above
            raise typer.Exit(3)
        result = undo_write(guarded, digest)
    if as_json:
        say_json({"outcome": result.outcome, "message": result.message, "run": str(run.path)})
    elif result.refused:
        say([f"not undone: {result.message}", f"recorded in {run.path}"])
    else:
        say([*str(result.value or "nobody can say what stands").splitlines()])
        say([f"recorded in {run.path}"])
    raise typer.Exit(1 if result.refused else 3 if result.unknown else 0)
