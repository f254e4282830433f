"""`groundwire init`: a draft of groundwire.toml, from what runs show of where arguments came from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groundwire.documents.event import Event
    from groundwire.keys.keyring import Keyring


_OneDatabase: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Make the guard's own table in this database of groundwire.toml; nothing else.",
    ),
]


def init(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", help="Recordings or logs; logs may be .gz."),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(help="Write it to this file, which must not be there yet."),
    ] = None,
    schemas: Annotated[
        Path | None,
        typer.Option(help="JSON object of tool schema texts by name; else schemas.json beside."),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(help="The keyring to trust; else the policy's, else your own."),
    ] = None,
    effects: Annotated[
        bool,
        typer.Option("--effects", help="Propose an effect for each tool too."),
    ] = False,
    mcp: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERVER=FILE",
            help="An MCP server's answer to tools/list, for --effects; may be repeated.",
        ),
    ] = None,
    sql: _OneDatabase = None,
) -> None:
    """Propose declarations from what runs show, as TOML for a person to accept.

    Looks where the values of each argument stood before they were used, and prints a draft of
    groundwire.toml with the counts beside every line. It is a draft: what happened need not be what
    is meant, and what a call does (its effect) cannot be seen. With --effects one is proposed all the
    same: a change, unless a server of the policy's trusted_servers says that a tool only reads; names,
    hints and guarded calls only make it stricter. Nothing is changed; with --write the draft becomes a
    file, never over another. A file that cannot be read does not stop the others. Exit code: 0, or 3
    where no run could be read.

    With --sql no run is read: the table in which the guard consumes its grants is made in a database
    that groundwire.toml declares, where statements can run from then on. It needs the right to make
    one there; whoever runs statements needs to insert into it and to read it.

    Example: groundwire init conversations.jsonl --write groundwire.toml
    """
    if sql is not None:
        if files or write or schemas or effects or mcp:
            raise typer.BadParameter("--sql NAME stands alone")
        _make_table(sql)
        return
    from groundwire.audit.declaring.runs import schemas_in
    from groundwire.authority.keyrings import trusted_keyring

    if mcp and not effects:
        raise typer.BadParameter("--mcp says something of effects; add --effects")
    if not files and not mcp:
        raise typer.BadParameter("name a RUN, or an MCP server's tools by --effects --mcp")
    given = {} if schemas is None else schemas_in(schemas)
    _draft(files or [], given, trusted_keyring(keys), mcp or () if effects else None, write)


def _make_table(name: str) -> None:
    """The guard's table is in the database of this name, made now or before."""
    from groundwire.authority.policy import find_policy, load_policy
    from groundwire.cli.output import say
    from groundwire.documents.governing import GuardRules
    from groundwire.documents.sql import GRANTS
    from groundwire.session.guarding.ways.sql import databases_of

    found = find_policy(Path.cwd())
    rules = load_policy(found).guard if found else GuardRules()
    databases = databases_of(rules, found.parent if found else Path.cwd())
    try:
        made = databases.named(name).make_table()
    finally:
        databases.close()
    say([f"{'made' if made else 'there already:'} {GRANTS} in {name}"])


def _draft(
    files: list[Path],
    schemas: Mapping[str, str],
    keyring: Keyring,
    servers: Sequence[str] | None,
    write: Path | None,
) -> None:
    """The draft is printed or written; with `servers` it proposes effects."""
    from groundwire.audit.declaring.hints import told_by_servers
    from groundwire.audit.declaring.observing import observe
    from groundwire.audit.declaring.proposal import propose
    from groundwire.audit.declaring.runs import SeenRun, read_runs
    from groundwire.cli.output import say
    from groundwire.documents.counts import counted

    told = None if servers is None else told_by_servers(servers, _trusted_servers())
    problems: list[str] = []

    def runs() -> Iterator[Iterable[Event]]:
        for run in read_runs(dict.fromkeys(files), keyring, schemas):
            if isinstance(run, SeenRun):
                yield run.events
            else:
                problems.append(f"groundwire: {run.message} (reason: {run.reason})")

    observed = observe(runs())
    say(problems, file=sys.stderr)
    text = propose(observed, told)
    if not observed.runs and (files or not told):
        say(["groundwire: no run could be read, so nothing is proposed"], file=sys.stderr)
        raise typer.Exit(3)
    if write is None:
        say(text.splitlines())
    else:
        _write(write, text)
        say([f"wrote {write}, from {counted(observed.runs, 'run')}"], file=sys.stderr)


def _trusted_servers() -> tuple[str, ...]:
    """The servers whose hints the policy in force here lets lower suspicion."""
    from groundwire.authority.policy import find_policy, load_policy

    found = find_policy(Path.cwd())
    return load_policy(found).guard.trusted_servers if found else ()


def _write(path: Path, text: str) -> None:
    from groundwire.errors import HostError

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise HostError(
            "file-exists", f"{path} is there already; name another file for the draft."
        ) from error
    except OSError as error:
        raise HostError(
            "file-unwritable", f"{path} cannot be written ({error.strerror}); name another file."
        ) from error
