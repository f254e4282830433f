"""`groundwire audit`: what the checks find in recordings and logs, and what was not checked."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.audit.report import Problem, Report
    from groundwire.audit.workers.pool import Pool
    from groundwire.documents.policy import Policy

_COULD_NOT_JUDGE = 3
# Asked for a kind that there is not, or that nothing of this version can find.
_OF_KINDS = {"unknown-kind": 2, "kind-without-a-check": _COULD_NOT_JUDGE}
_PARTS = 5
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
    keys: Annotated[
        Path | None,
        typer.Option(help="The keyring to trust; else the policy's, else your own."),
    ] = None,
    compare_live: Annotated[
        bool,
        typer.Option(
            "--compare-live", help="Say whether a recording gives its live findings again."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of sentences.")
    ] = False,
) -> None:
    """Say what the checks find in recordings and logs, and what was not checked.

    A recording is verified first and judged by what it declares itself, its segments as one run; a
    log by the groundwire.toml of this folder or one above it. A file that cannot be read does not
    stop the others. Exit code: 1 a defect, or a recording that does not verify; else 3 where not
    all was checked (a file or part unreadable, a signer unknown, nothing to compare); else 0.
    Advisories do not count. With --compare-live: 0 equal, 1 something differs, 3 nobody can say
    (other versions of checks, contents that are not in the file).

    Example: groundwire audit conversations.jsonl --arm-all
    """
    from groundwire.audit.report import exit_code, merged
    from groundwire.audit.summary import document, evidence_of, summary
    from groundwire.audit.words import headline
    from groundwire.audit.workers.pool import Pool, seldom_collecting
    from groundwire.cli.output import say, say_json
    from groundwire.documents.counts import counted

    if compare_live:
        raise typer.Exit(_compare(files, keys, as_json=as_json))
    began = time.perf_counter()
    with seldom_collecting(), Pool() as pool:
        every = _reports(list(dict.fromkeys(files)), schemas, keys, pool, arm_all=arm_all)
        report = merged(every)
    say(_complaints(report.problems), file=sys.stderr)
    if as_json:
        say_json(document(report, kind=kind))
    else:
        say(summary(report, kind=kind, limit=limit))
    runs, spent = counted(report.totals.runs, "run"), time.perf_counter() - began
    say([f"audited {runs} in {spent:.1f} s"], file=sys.stderr)
    raise typer.Exit(_OF_KINDS.get(headline(evidence_of(report), kind).code, exit_code(report)))


def _compare(files: Sequence[Path], keys: Path | None, *, as_json: bool) -> int:
    from groundwire.audit.recordings import compare_recordings
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.cli.output import say, say_json
    from groundwire.errors import HostError
    from groundwire.session.keeping import known_head

    for file in files:
        if not _is_recording(file):
            raise HostError(
                "not-a-recording",
                f"{file} is no recording: only what was recorded live can be compared with it.",
            )
    found = list(
        compare_recordings(dict.fromkeys(files), trusted_keyring(keys), known_head=known_head)
    )
    if as_json:
        say_json({"format": "groundwire-compare/1", "runs": found})
    else:
        say(f"{', '.join(each.files)}: {each.text}" for each in found)
    states = {each.state for each in found}
    return 1 if "differs" in states else _COULD_NOT_JUDGE if "unknown" in states else 0


def _complaints(problems: Sequence[Problem]) -> Iterator[str]:
    """Every file that could not be read, and the first few of the parts."""
    from groundwire.documents.counts import counted

    parts = [problem for problem in problems if problem.line]
    for problem in [each for each in problems if not each.line] + parts[:_PARTS]:
        # Many messages begin with the name of the file themselves.
        where = "" if problem.message.startswith(problem.source) else f"{problem.source}: "
        yield f"groundwire: {where}{problem.message} (reason: {problem.reason})"
    if len(parts) > _PARTS:
        yield f"and {counted(len(parts) - _PARTS, 'part')} more that could not be read"


def _reports(
    files: Sequence[Path], schemas: Path | None, keys: Path | None, pool: Pool, *, arm_all: bool
) -> Iterator[Report]:
    """Logs where they stand among the files; all recordings where the first of them stands."""
    from groundwire.audit.recordings import audit_recordings
    from groundwire.audit.report import unreadable
    from groundwire.authority.keyrings import trusted_keyring
    from groundwire.errors import EncodingError, HostError
    from groundwire.session.keeping import known_head

    policy = _policy()
    given = None if schemas is None else _schemas(schemas)
    recordings = [file for file in files if _is_recording(file)]
    keyring = trusted_keyring(keys) if keys or recordings else None
    for file in files:
        if keyring is not None and recordings and file == recordings[0]:
            yield from audit_recordings(recordings, keyring, known_head=known_head, arm_all=arm_all)
        if file in recordings:
            continue
        try:
            data = _read(file)
            known = _schemas_beside(file) if given is None else given
        except (HostError, EncodingError) as error:
            yield unreadable(_named(file), error)
            continue
        yield from pool.audit_file(
            _named(file), data, schemas=known, policy=policy, arm_all=arm_all
        )


def _policy() -> Policy:
    from groundwire.authority.declarations import ended_words, in_force
    from groundwire.authority.outputs import with_outputs
    from groundwire.authority.policy import find_policy, load_policy
    from groundwire.cli.output import say
    from groundwire.documents.policy import Policy
    from groundwire.session import clock

    found = find_policy(Path.cwd())
    policy = with_outputs(load_policy(found), found.parent) if found else Policy()
    policy, ended = in_force(policy, clock.now().date())
    say([f"groundwire: {ended_words(line)}" for line in ended], file=sys.stderr)
    return policy


def _is_recording(file: Path) -> bool:
    """Whether it begins like one. A pipe is no recording: what is read of it would be gone."""
    try:
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            return opened.read(len(_RECORDING)) == _RECORDING
    except OSError:
        return False


def _schemas_beside(file: Path) -> Mapping[str, str]:
    beside = file.parent / "schemas.json"
    return _schemas(beside) if beside.is_file() else {}


def _schemas(path: Path) -> Mapping[str, str]:
    import msgspec

    from groundwire.errors import EncodingError

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


def _named(file: Path) -> str:
    """The name as a text that JSON can hold, whatever bytes it has."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")
