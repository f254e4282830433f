"""`groundwire audit`: what the checks find in recordings and logs, and what was not checked."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.audit.report import Problem, Report
    from groundwire.documents.policy import Policy

_USAGE, _COULD_NOT_JUDGE = 2, 3
_PROBLEMS = 5
_RECORDING = b'{"@":'


def audit(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Recordings or logs; logs may be .gz.")
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

    A recording is verified first and judged by what it declares itself; a log by the groundwire.toml
    of this folder or one above it. Exit code: 0 no
    defect (advisories do not count), 1 a defect, 3 nothing was checked.

    Example: groundwire audit conversations.jsonl --arm-all
    """
    import msgspec

    from groundwire.audit.report import exit_code, merged
    from groundwire.audit.summary import document, evidence_of, summary
    from groundwire.audit.words import headline

    began = time.perf_counter()
    policy = _policy()
    report = merged(
        one for file in files for one in _reports(file, policy, schemas, arm_all=arm_all)
    )
    _complain(report.problems)
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


def _complain(problems: Sequence[Problem]) -> None:
    for problem in problems[:_PROBLEMS]:
        print(f"{problem.source}: {problem.message}", file=sys.stderr)
    if len(problems) > _PROBLEMS:
        print(f"and {len(problems) - _PROBLEMS} parts more that could not be read", file=sys.stderr)


def _policy() -> Policy:
    from groundwire.authority.policy import find_policy, load_policy
    from groundwire.documents.policy import Policy

    found = find_policy(Path.cwd())
    return load_policy(found) if found else Policy()


def _reports(
    file: Path, policy: Policy, schemas: Path | None, *, arm_all: bool
) -> Iterator[Report]:
    from groundwire.audit.logs import audit_log
    from groundwire.audit.report import Problem, problem_report
    from groundwire.errors import EncodingError
    from groundwire.wire.importers import ImportProblem, import_log

    data = _read(file)
    if data.startswith(_RECORDING):
        yield _recording(file, arm_all=arm_all)
        return
    known = _schemas(file, schemas)
    try:
        for run in import_log(data, tool_schemas=known):
            if isinstance(run, ImportProblem):
                yield problem_report(
                    Problem(source=str(file), line=run.line, reason=run.reason, message=run.message)
                )
            else:
                yield audit_log(
                    run, declarations=policy.tools, grounding=policy.grounding, arm_all=arm_all
                )
    except EncodingError as error:
        raise EncodingError(error.reason, f"{file}: {error.message}") from error


def _recording(file: Path, *, arm_all: bool) -> Report:
    from groundwire.audit.recordings import audit_recording
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.session.keeping import known_head

    return audit_recording(file, trusted_keyring(), known_head=known_head, arm_all=arm_all)


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
            "not-schemas",
            f"{path} is no JSON object of texts ({error}). Name another by --schemas.",
        ) from error


def _read(file: Path) -> bytes:
    from groundwire.errors import HostError

    try:
        return file.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise HostError(
            "file-unreadable", f"{file} cannot be read: {reason}; give a file that can be read."
        ) from error
