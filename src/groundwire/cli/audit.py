"""`groundwire audit`: what the checks find in recordings and logs, and what was not checked."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import gzip
    from collections.abc import Mapping

    from groundwire.audit.report import Report

_USAGE, _COULD_NOT_JUDGE = 2, 3
_RECORDING = b'{"@":'
# A compressed log may not grow past this: a few kilobytes can name gigabytes of zeros.
_LARGEST = 2 << 30
_PIECE = 1 << 20


def audit(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Recordings or logs, .gz too.")
    ],
    arm_all: Annotated[
        bool,
        typer.Option("--arm-all", help="Check the arguments of every tool, declared or not."),
    ] = False,
    kind: Annotated[str | None, typer.Option(help="Show findings of this kind only.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many findings to print.")] = 10,
    schemas: Annotated[
        Path | None,
        typer.Option(help="JSON object of tool schema texts by name; else schemas.json beside."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say what the checks find in recordings and logs, and what was not checked.

    Exit code: 0 no defect (advisories do not count), 1 a defect, 3 nothing was checked.
    """
    import msgspec

    from groundwire.audit.report import exit_code, merged
    from groundwire.audit.summary import document, evidence_of, summary
    from groundwire.audit.words import headline

    began = time.perf_counter()
    report = merged(one for file in files for one in _reports(file, schemas, arm_all=arm_all))
    if as_json:
        sys.stdout.write(msgspec.json.encode(document(report, kind=kind)).decode() + "\n")
    else:
        for line in summary(report, kind=kind, limit=limit):
            print(line)
    print(
        f"audited {report.totals.runs} runs in {time.perf_counter() - began:.1f} s",
        file=sys.stderr,
    )
    asked = headline(evidence_of(report), kind).code
    if asked == "unknown-kind":
        raise typer.Exit(_USAGE)
    raise typer.Exit(_COULD_NOT_JUDGE if asked == "kind-without-a-check" else exit_code(report))


def _reports(file: Path, schemas: Path | None, *, arm_all: bool) -> Iterator[Report]:
    from groundwire.audit.logs import audit_log
    from groundwire.errors import EncodingError
    from groundwire.wire.importers import import_log

    data = _read(file)
    if data.startswith(_RECORDING):
        raise EncodingError("is-a-recording", f"{file} is a recording.")
    for run in import_log(data, tool_schemas=_schemas(file, schemas)):
        yield audit_log(run, arm_all=arm_all)


def _schemas(file: Path, given: Path | None) -> Mapping[str, str]:
    import msgspec

    from groundwire.errors import EncodingError

    path = given or file.parent / "schemas.json"
    if given is None and not path.is_file():
        return {}
    try:
        return msgspec.json.decode(_read(path), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise EncodingError(
            "not-schemas", f"{path} is no JSON object of texts: {error}. Name another by --schemas."
        ) from error


def _read(file: Path) -> bytes:
    """The bytes of the file, decompressed if it is gzip."""
    import gzip
    import zlib

    from groundwire.errors import EncodingError, HostError

    try:
        with file.open("rb") as raw:
            if raw.read(2) != b"\x1f\x8b":
                raw.seek(0)
                return raw.read()
            raw.seek(0)
            with gzip.open(raw) as unpacked:
                return _bounded(unpacked)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise EncodingError("not-gzip", f"{file} is gzip that cannot be unpacked.") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise HostError("file-unreadable", f"{file} cannot be read: {reason}.") from error


def _bounded(unpacked: gzip.GzipFile) -> bytes:
    from groundwire.errors import EncodingError

    pieces, size = [], 0
    while piece := unpacked.read(_PIECE):
        size += len(piece)
        if size > _LARGEST:
            raise EncodingError("too-large", f"The log unpacks to more than {_LARGEST} bytes.")
        pieces.append(piece)
    return b"".join(pieces)
