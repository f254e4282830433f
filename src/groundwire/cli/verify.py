"""`groundwire verify`: is a recording what was written, by whom, and what does that prove."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.audit.verifying import Compared, Judged, KnownHead, Mirror, Verification
    from groundwire.documents.verdict import Head, Verdict

_LABEL = 16


def verify(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Recordings; segments or copies of one run too."),
    ],
    keys: Annotated[
        Path | None,
        typer.Option(help="The keyring to trust; else the policy's, else your own."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="MIRROR", help="The folder of an anchor: checkpoints kept elsewhere."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say whether recordings are what was written, and what that proves.

    Segments of one run are followed from one to the next; two copies of one segment are compared
    for contradictory signed checkpoints. Exit code: 0 holds, 1 broken, 2 usage, 3 undecided.

    Example: groundwire verify runs/triage.gw
    """
    from groundwire.audit.verifying import verify_files
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.cli.output import say, say_json

    if against is not None and not against.is_dir():
        raise typer.BadParameter(f"{against} is no folder; give the one an anchor writes to.")
    keyring = trusted_keyring(keys)
    verification = verify_files(
        list(dict.fromkeys(runs)), keyring, known_head=_known_head(), mirror=_mirror(against)
    )
    if as_json:
        say_json(_document(verification))
    else:
        say(_lines(verification))
    raise typer.Exit(verification.code)


def _known_head() -> KnownHead:
    """Asks the heads that this machine keeps; makes nothing where none were ever kept."""
    import os

    from groundwire.stores.heads import Heads
    from groundwire.stores.keys import default_folder

    path = default_folder(os.environ).parent / "heads.sqlite"

    def known(run: str, segment: int) -> Head | None:
        if not path.exists():
            return None
        heads = Heads(path)
        try:
            found = heads.get(run, segment)
        finally:
            heads.close()
        return found.head if found is not None else None

    return known


def _mirror(folder: Path | None) -> Mirror | None:
    from groundwire.stores.anchors import FolderAnchor

    return None if folder is None else FolderAnchor(folder).notes


def _lines(verification: Verification) -> Iterator[str]:
    for each in verification.files:
        yield from _file_lines(each, verification.keyring)
    for compared in verification.comparisons:
        yield from _comparison_lines(compared)


def _file_lines(each: Judged, keyring: str) -> Iterator[str]:
    if each.verdict is None:
        yield f"could not be read  {each.path}"
        yield _row("why", each.unreadable)
        return
    from groundwire.audit.guarding.words import guarded_row
    from groundwire.verify.words import TABLE

    verdict = each.verdict
    yield f"{verdict.state}  {each.path}"
    if verdict.state != "holds":
        word = next(word for code, word in TABLE.items() if code == verdict.reason)
        where = f"line {verdict.line}: " if verdict.line else ""
        yield _row("why", f"{where}{verdict.message} ({verdict.reason})")
        yield _row("means", word.means)
        yield _row("do", word.do)
    if verdict.run:
        yield _row("recording", _recording(verdict))
        if verdict.guarded.calls:
            yield _row("guarded calls", guarded_row(verdict.guarded))
        yield _row("completeness", _completeness(verdict))
        yield _row("signed by", _signer(verdict))
    yield _row("keys trusted", keyring)
    if each.head:
        yield _row("known head", each.head)
    if each.notes is not None:
        yield _row("mirror", f"{each.notes} notes of it")
    if each.beside:
        yield _row("same run", f"{', '.join(each.beside)}; give all of them to follow the run")
    yield _row("proves", verdict.proves)
    yield _row("does not prove", verdict.does_not_prove)


def _recording(verdict: Verdict) -> str:
    parts = [
        f"run {verdict.run}, segment {verdict.segment}: {verdict.entries} entries",
        f"{verdict.signed_entries} of them signed",
        f"{verdict.contents} contents",
    ]
    for count, what in (
        (verdict.redacted, "redacted"),
        (verdict.withheld, "secrets withheld"),
        (verdict.not_understood, "entries not understood"),
        (verdict.torn_bytes, "bytes of an unfinished end"),
    ):
        if count:
            parts.append(f"{count} {what}")
    counted = "; only what was read before the failure is counted" if verdict.partial else ""
    return ", ".join(parts) + counted


def _completeness(verdict: Verdict) -> str:
    match verdict.completeness:
        case "anchored":
            return "anchored: closed, and the mirror saw its closing checkpoint"
        case "closed":
            return "closed: its last entry says that it is over"
        case "open" if verdict.closed:
            return "open: this segment is closed, and the run goes on in another"
        case "open":
            return "open: it goes on, or its end was cut off; the file alone cannot tell"
        case _:
            return "unknown"


def _signer(verdict: Verdict) -> str:
    if not verdict.identity:
        return "nobody yet"
    return f"{verdict.identity} (custody: {verdict.custody})"


def _comparison_lines(compared: Compared) -> Iterator[str]:
    comparison = compared.comparison
    yield f"{comparison.state}  {compared.first} and {compared.second}"
    yield _row("together", f"{comparison.message} ({comparison.relation})")
    for path, signed in zip(
        (compared.first, compared.second), comparison.proof or (), strict=False
    ):
        stated = signed.checkpoint
        yield _row(
            "signed",
            f"{path}: {stated.size} entries of {stated.run}/{stated.segment} at {stated.at} have"
            f" {stated.root}",
        )
        yield _row("statement", _json(signed.envelope).decode())
        yield _row("certified by", _json(signed.certified).decode())


def _row(label: str, text: str) -> str:
    return f"  {label + ':':<{_LABEL}}{text}"


def _json(value: object) -> bytes:
    import msgspec

    return msgspec.json.encode(value, order="sorted")


def _document(verification: Verification) -> dict[str, object]:
    return {
        "code": verification.code,
        "comparisons": verification.comparisons,
        "files": verification.files,
        "keyring": verification.keyring,
    }
