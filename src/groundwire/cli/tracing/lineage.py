"""`groundwire lineage`: each tool call of a run, and where its result stood in each later request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from groundwire.audit.lineage.saying import Document
    from groundwire.documents.manifest import Manifest
    from groundwire.documents.verdict import Verdict

Format: TypeAlias = Literal["text", "json", "in-toto", "otel"]

_RECORDING = b'{"@":'


def lineage(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A recording, run.gw, or a log.")],
    form: Annotated[
        Format, typer.Option("--format", help="What is written, and for whom.")
    ] = "text",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there instead.")
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(metavar="KEYRING", help="Trust these keys, no others.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """List a run's tool calls, where each result stood in later requests, and the verdict on that.

    A recording is verified first. Of a log no byte positions and no hashes are claimed. in-toto is
    a Statement in a DSSE envelope, one a line, signed now by this machine's recording identity;
    otel is OTLP JSON. The verdict is by the default policy, without a mapping of the answer; what it
    says does not change the exit code. Exit code: 0 the whole run was read, 1 the recording does not verify, 2
    usage, 3 a part was not seen, or nobody is known to have signed the recording.

    Example: groundwire lineage runs/demo.gw --format in-toto --out demo.intoto.jsonl
    """
    from groundwire.audit.lineage.saying import document_of, lines_of
    from groundwire.cli.output import say, shown

    if as_json and form not in {"text", "json"}:
        raise typer.BadParameter("give one of --json and --format", param_hint="lineage")
    manifests, problems, verdict = _read(run, keys)
    document = document_of(manifests, problems)
    chosen: Format = "json" if as_json else form
    if chosen != "text":
        _give(_documents(chosen, manifests, document, verdict), out)
    else:
        lines = [line for each in document.runs for line in lines_of(each)]
        lines += [f"not read: {problem}" for problem in problems]
        if out is None:
            say(lines)
        else:
            _write("".join(f"{shown(line)}\n" for line in lines).encode(), out)
    unseen = bool(problems) or any(manifest.gaps for manifest in manifests)
    undecided = verdict is not None and verdict.state == "undecided"
    raise typer.Exit(3 if unseen or undecided or not manifests else 0)


def _read(run: Path, keys: Path | None) -> tuple[list[Manifest], list[str], Verdict | None]:
    from groundwire.audit.lineage.reading import manifest_of, manifests_in_log
    from groundwire.audit.recordings import open_recording
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.errors import HostError
    from groundwire.session.keeping import known_head
    from groundwire.wire.importers import ImportProblem

    try:
        with run.open("rb") as file:
            recorded = file.read(len(_RECORDING)) == _RECORDING
            data = b"" if recorded else run.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise HostError(
            "file-unreadable", f"{run} cannot be read: {reason}; give a file that can be read."
        ) from error
    if recorded:
        evidence = open_recording(run, trusted_keyring(keys), known_head)
        return [manifest_of(evidence.reader)], [], evidence.verdict
    manifests: list[Manifest] = []
    problems: list[str] = []
    for found in manifests_in_log(data, {}):
        if isinstance(found, ImportProblem):
            problems.append(f"line {found.line}: {found.message} ({found.reason})")
        else:
            manifests.append(found)
    return manifests, problems, None


def _documents(
    form: Format, manifests: list[Manifest], document: Document, verdict: Verdict | None
) -> list[object]:
    """The JSON documents of this format, one a line."""
    from groundwire.audit.lineage.otel import otel_of

    match form:
        case "otel":
            return [otel_of(manifests)]
        case "in-toto":
            return _signed(manifests, verdict)
        case _:
            return [document]


def _signed(manifests: list[Manifest], verdict: Verdict | None) -> list[object]:
    import os

    from groundwire.attest.lineage import seal_lineage
    from groundwire.audit.lineage.saying import statement_of
    from groundwire.keys.times import spell_time
    from groundwire.session import clock
    from groundwire.stores.keys import KeyStore, default_folder

    now = clock.now()
    signer = KeyStore(default_folder(os.environ)).identity(now, clock.random_bytes(32))
    root, size = ("", 0) if verdict is None else (verdict.root, verdict.entries)
    statements = (
        statement_of(each, identity=signer.key_id, at=spell_time(now), root=root, size=size)
        for each in manifests
    )
    return [seal_lineage(statement, signer) for statement in statements]


def _give(documents: list[object], out: Path | None) -> None:
    """A line of JSON for each, on standard output or in the file of this name."""
    import msgspec

    from groundwire.cli.output import say_json

    if out is not None:
        _write(b"".join(msgspec.json.encode(each) + b"\n" for each in documents), out)
        return
    for each in documents:
        say_json(each)


def _write(data: bytes, out: Path) -> None:
    from groundwire.errors import HostError

    try:
        out.write_bytes(data)
    except OSError as error:
        raise HostError(
            "file-unwritable", f"{out} cannot be written ({error.strerror}); name another file."
        ) from error
