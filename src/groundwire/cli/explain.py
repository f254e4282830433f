"""`groundwire explain`: what a request showed the model, or what became of one call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundwire.documents.counts import counted

if TYPE_CHECKING:
    from groundwire.audit.explain import Boundary, CallLife, Proof
    from groundwire.documents.injection import Injection

_WIDTH = 100


def explain(
    recording: Annotated[Path, typer.Argument(metavar="RUN", help="A recording, run.gw.")],
    boundary: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Show request N (from 0) and prove its hash."),
    ] = None,
    call: Annotated[
        str | None, typer.Option(metavar="ID", help="Show the whole life of the call ID.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(metavar="KEYRING", help="Trust these keys, no others.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Build a request again from the recording and prove its hash, or follow one tool call.

    The recording is verified first. Exit code: 0 everything that was computed again holds, 1 it
    does not, 2 usage, 3 something could not be computed (a content was withheld or redacted), or nobody is
    known to have signed the recording.

    Example: groundwire explain runs/demo.gw --boundary 2
    """
    from groundwire.audit.explain import boundary as boundary_of
    from groundwire.audit.explain import life_of_call
    from groundwire.audit.recordings import open_recording, standing_of
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.cli.output import say, say_json
    from groundwire.errors import HostError
    from groundwire.session.keeping import known_head

    if (boundary is None) == (call is None):
        raise typer.BadParameter("give one of --boundary N and --call ID", param_hint="explain")
    evidence = open_recording(recording, trusted_keyring(keys), known_head)
    reader, undecided = evidence.reader, evidence.verdict.state == "undecided"
    if evidence.verdict.reason == "not-a-recording":
        raise HostError(
            "not-a-recording",
            f"{recording} is no recording: only what was recorded live can be shown. "
            "`groundwire audit` reads logs.",
        )
    if not as_json:
        say((f"recording {standing_of(evidence.verdict)}",))
    if boundary is None:
        call = call or ""
        lives = life_of_call(reader, call)
        if as_json:
            say_json(lives)
        else:
            for life in lives:
                say(_life(life))
        raise typer.Exit(3 if undecided else 0)
    shown = boundary_of(reader, boundary)
    if as_json:
        say_json(shown)
    else:
        say(_boundary(shown))
    raise typer.Exit(_code(shown.proofs) or (3 if undecided else 0))


def _code(proofs: tuple[Proof, ...]) -> int:
    if any(proof.holds is False for proof in proofs):
        return 1
    return 3 if any(proof.holds is None for proof in proofs) else 0


def _boundary(shown: Boundary) -> Iterator[str]:
    yield (
        f"request {shown.exchange} of {shown.exchanges} (from 0), lane {shown.lane} "
        f"({shown.lane_reason}), {shown.at}"
    )
    size = counted(shown.size, "byte")
    yield f"{shown.provider} {shown.model}, {size}; tools: {', '.join(shown.tools) or 'none'}"
    if shown.reason:
        yield f"its body was not read: {shown.reason}"
    for message in shown.messages:
        mark = "+" if message.new else " "
        where = "  " if message.index < 0 else f"{message.index:>2}"
        yield f"{mark} {where} {message.role:<9} {_clip(message.text)}"
    for row in shown.injections:
        yield "  result " + _row(row)
    for proof in shown.proofs:
        word = {True: "holds", False: "DOES NOT HOLD", None: "could not be computed"}[proof.holds]
        why = f" ({proof.why})" if proof.why else ""
        yield f"{proof.what} {word}{why}: {proof.stated}"


def _life(life: CallLife) -> Iterator[str]:
    from groundwire.audit.guarding.words import call_line

    chosen = "before this recording" if life.chosen_in is None else f"in answer {life.chosen_in}"
    yield f"call {life.call_id}, lane {life.lane}: {life.tool}({_clip(life.arguments)})"
    yield f"  chosen {chosen}, run by the {life.executed_by}"
    yield from (f"  guarded: {call_line(call)}" for call in life.guarded)
    if life.first_carried_in is None:
        yield "  its result stands in no later request"
        return
    yield f"  its result first stood in request {life.first_carried_in}"
    for row in life.injections:
        yield f"  request {row.exchange}: {_row(row)}"
    if life.gone_since is not None:
        yield f"  gone from the context since request {life.gone_since}"


def _row(row: Injection) -> str:
    place = "no bytes known"
    if row.body_start >= 0:
        place = f"bytes {row.body_start}-{row.body_end} at {row.pointer}"
    return f"{row.call_id} ({row.tool or 'tool not named'}): {row.form}, {place}"


def _clip(text: str) -> str:
    """The beginning of a text in one line; what does not print in it is left for `say` to spell."""
    start = " ".join(text[: 4 * _WIDTH].split())
    cut = len(start) > _WIDTH or len(text) > 4 * _WIDTH
    return start[: _WIDTH - 1] + "…" if cut else start
