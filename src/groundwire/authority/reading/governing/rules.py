"""Rules: the tables of `[guard]`, which say what is decided of guarded calls."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias, TypeVar, get_args

from groundwire.authority.artifacts.kinds import KINDS
from groundwire.authority.reading.governing.target import EFFECTS
from groundwire.authority.reading.sources import read_argument
from groundwire.authority.reading.values import (
    Misdeclared,
    Table,
    demand,
    nearest,
    read_choice,
    read_count,
    read_entries,
    read_listed_tables,
    read_name,
    read_table,
    read_tables,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.contracts.sql.tables import is_pattern
from groundwire.documents.decision import WORDS
from groundwire.documents.governing import (
    ArgumentOrigin,
    Artifact,
    EnvironmentPattern,
    Freeze,
    GuardRules,
    Origin,
    Phase,
    Rule,
    RuleChange,
    Severity,
)
from groundwire.documents.sql import RuleStatement, StatementKind
from groundwire.documents.target import ChangeKind
from groundwire.errors import EncodingError, PolicyError
from groundwire.guard.profiles import profile_named
from groundwire.keys.times import format_time
from groundwire.targets.places.kinds import KINDS as SECRETS
from groundwire.targets.places.patterns import is_covered
from groundwire.targets.shell.plans.commands import PROGRAM

PRODUCTION: Final = "production"
"""The environment of whatever no pattern knows; no other is stricter."""

ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)
CHANGES: Final[tuple[RuleChange, ...]] = (*get_args(ChangeKind), "lost-content")
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
STATEMENTS: Final[tuple[RuleStatement, ...]] = (*get_args(StatementKind), "undecided", "non-atomic")
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
RESERVED: Final = ("default", "freeze", "profile")

MOST_NEEDED: Final = 16
"""So many people have to say yes at most; more is a slip for a number of something else."""

_ID: Final = re.compile(r"[a-z0-9]+(?:[-./][a-z0-9]+)*")
_MOMENT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_MOST_BYTES: Final = 1 << 50
_MOST_ROWS: Final = 1 << 40
_MOST_DAYS: Final = 36_525
_MOST_SECONDS: Final = 24 * 3600
_LEAST_WRITTEN: Final = 1 << 20
_MOST_WRITTEN: Final = 16 << 30

Read = TypeVar("Read")
Chosen = TypeVar("Chosen", bound=str)
Reader: TypeAlias = Callable[[object, Path], Read]


def read_guard(value: object, path: Path) -> GuardRules:
    """What `[guard]` and its tables say."""
    table = read_table(value, "guard", path)
    default = GuardRules()
    artifacts = _read_artifacts(table.get("artifacts", []), (*path, "artifacts"))
    kinds = tuple(dict.fromkeys((*KINDS, *(artifact.kind for artifact in artifacts))))
    environments = _read_environments(table.get("environments", []), (*path, "environments"))
    known = environment_names(environments)

    def environment(said: object, place: Path) -> str:
        return one_of(said, known, "unknown-environment", "environment", place)

    def kind(said: object, place: Path) -> str:
        return one_of(said, kinds, "unknown-artifact", "kind of artifact", place)

    def own(key: str, without: Read, read: Reader[Read]) -> Read:
        return read(table[key], (*path, key)) if key in table else without

    return GuardRules(
        profile=own("profile", default.profile, _read_profile),
        folder=own("folder", default.folder, read_name),
        artifacts=artifacts,
        rules=_read_rules(table.get("rules", []), environment, kind, (*path, "rules")),
        freezes=_read_freezes(table.get("freezes", []), environment, (*path, "freezes")),
        environments=environments,
        environment=own("environment", default.environment, environment),
        deny_read=_list(table, "deny_read", read_path_pattern, path),
        deny_read_kinds=_list(table, "deny_read_kinds", _read_secret, path),
        keep_bytes=own(
            "keep_bytes", default.keep_bytes, lambda said, at: read_count(said, 0, _MOST_BYTES, at)
        ),
        keep_days=own(
            "keep_days", default.keep_days, lambda said, at: read_count(said, 0, _MOST_DAYS, at)
        ),
        command_seconds=own(
            "command_seconds",
            default.command_seconds,
            lambda said, at: read_count(said, 1, _MOST_SECONDS, at),
        ),
        command_bytes=own(
            "command_bytes",
            default.command_bytes,
            lambda said, at: read_count(said, _LEAST_WRITTEN, _MOST_WRITTEN, at),
        ),
        phase=own("phase", default.phase, _chooser(PHASES)),
        plans=_list(table, "plans", _read_planner, path),
        trusted_servers=_list(table, "trusted_servers", read_name, path),
    )


def _read_planner(said: object, place: Path) -> str:
    return one_of(said, (PROGRAM,), "unknown-planner", "program that plans", place)


def environment_names(patterns: Iterable[EnvironmentPattern]) -> tuple[str, ...]:
    """Every environment there is, the mildest first, `production` last."""
    named = dict.fromkeys(pattern.name for pattern in patterns)
    named.pop(PRODUCTION, None)
    return (*named, PRODUCTION)


def read_path_pattern(value: object, path: Path) -> str:
    """A pattern of paths: names with `*`, `?` and `**`."""
    text = read_name(value, path)
    try:
        is_covered("/", text)
    except PolicyError as error:
        raise Misdeclared(error.reason, path, error.message) from error
    return text


def _read_profile(value: object, path: Path) -> str:
    try:
        return profile_named(read_name(value, path)).name
    except PolicyError as error:
        raise Misdeclared(error.reason, path, error.message) from error


def _read_secret(value: object, path: Path) -> str:
    return one_of(value, tuple(sorted(SECRETS)), "unknown-choice", "kind of content", path)


def _read_artifacts(value: object, path: Path) -> tuple[Artifact, ...]:
    artifacts: list[Artifact] = []
    for index, element in enumerate(read_listed_tables(value, "guard.artifacts", path)):
        place = (*path, index)
        table = read_table(element, "guard.artifacts[]", place)
        demand(table, ("kind",), "a governed artifact", place)
        artifact = Artifact(
            kind=read_id(table["kind"], (*place, "kind")),
            paths=_list(table, "paths", read_path_pattern, place),
        )
        artifacts.append(artifact)
    return tuple(artifacts)


def _read_environments(value: object, path: Path) -> tuple[EnvironmentPattern, ...]:
    patterns: list[EnvironmentPattern] = []
    for index, element in enumerate(read_listed_tables(value, "guard.environments", path)):
        place = (*path, index)
        table = read_table(element, "guard.environments[]", place)
        demand(table, ("name", "pattern"), "an environment", place)
        pattern = EnvironmentPattern(
            name=read_id(table["name"], (*place, "name")),
            pattern=read_path_pattern(table["pattern"], (*place, "pattern")),
        )
        if pattern in patterns:
            raise Misdeclared("repeated-entry", place, "this stands twice; keep one")
        patterns.append(pattern)
    return tuple(patterns)


def _read_rules(
    value: object, environment: Reader[str], kind: Reader[str], path: Path
) -> tuple[Rule, ...]:
    rules: dict[str, Rule] = {}
    for index, element in enumerate(read_listed_tables(value, "guard.rules", path)):
        place = (*path, index)
        table = read_table(element, "guard.rules[]", place)
        demand(table, ("id", "decide"), "a rule", place)
        rule = Rule(
            id=_read_own_id(table["id"], rules, (*place, "id")),
            decide=read_choice(table["decide"], WORDS, (*place, "decide")),
            artifacts=_list(table, "artifacts", kind, place),
            paths=_list(table, "paths", read_path_pattern, place),
            changes=_list(table, "changes", _chooser(CHANGES), place),
            severities=_list(table, "severities", _chooser(SEVERITIES), place),
            tools=_list(table, "tools", read_name, place),
            effects=_list(table, "effects", _chooser(EFFECTS), place),
            operations=_list(table, "operations", read_name, place),
            environments=_list(table, "environments", environment, place),
            callers=_list(table, "callers", read_name, place),
            larger_than=read_count(table["larger_than"], 0, _MOST_BYTES, (*place, "larger_than"))
            if "larger_than" in table
            else None,
            statements=_list(table, "statements", _chooser(STATEMENTS), place),
            tables=_list(table, "tables", read_table_pattern, place),
            rows_over=read_count(table["rows_over"], 0, _MOST_ROWS, (*place, "rows_over"))
            if "rows_over" in table
            else None,
            needed=_read_needed(table, place),
            origins=_read_origins(table["origins"], (*place, "origins"))
            if "origins" in table
            else (),
        )
        _demand_one_thing(table, place)
        rules[rule.id] = rule
    return tuple(rules.values())


def _demand_one_thing(table: Table, path: Path) -> None:
    """A rule is of statements in databases or of changes of files; of both it would never hold."""
    said = [key for key in ("statements", "tables", "rows_over") if key in table]
    other = [key for key in ("artifacts", "changes", "larger_than") if key in table]
    if said and other:
        raise Misdeclared(
            "contradictory-rule",
            (*path, other[0]),
            f"'{other[0]}' is of files and '{said[0]}' of databases; make two rules",
        )


def read_table_pattern(value: object, path: Path) -> str:
    """A pattern of tables: `orders*`, `audit.*`."""
    text = read_name(value, path)
    if not is_pattern(text):
        raise Misdeclared(
            "bad-table-pattern",
            path,
            f"must be a table, as orders* or audit.orders, without quotes, not {show(text)}",
        )
    return text


def _read_origins(value: object, path: Path) -> tuple[ArgumentOrigin, ...]:
    """Where arguments come from: `origins = { to = ["result"] }`; a text for a list of one."""
    found = []
    for argument, said in read_tables(value, path).items():
        place = (*path, argument)
        words = [said] if isinstance(said, str) else said
        read: Reader[Origin] = _chooser(ORIGINS)
        origins = read_entries(words, place, read, "an empty list names nothing; name an origin")
        found.append(ArgumentOrigin(argument=read_argument(argument, place), origins=origins))
    if not found:
        raise Misdeclared(
            "empty-declaration",
            path,
            "an empty table asks nothing; leave it out, or name arguments",
        )
    return tuple(found)


def _read_needed(table: Table, path: Path) -> int | None:
    if "needed" not in table:
        return None
    if table["decide"] != "approve":
        raise Misdeclared(
            "needed-without-approve",
            (*path, "needed"),
            'only a rule with decide = "approve" asks people; leave one of the two out',
        )
    return read_count(table["needed"], 1, MOST_NEEDED, (*path, "needed"))


def _read_freezes(value: object, environment: Reader[str], path: Path) -> tuple[Freeze, ...]:
    freezes: dict[str, Freeze] = {}
    for index, element in enumerate(read_listed_tables(value, "guard.freezes", path)):
        place = (*path, index)
        table = read_table(element, "guard.freezes[]", place)
        demand(table, ("id", "since", "until"), "a freeze", place)
        freeze = Freeze(
            id=_read_own_id(table["id"], freezes, (*place, "id")),
            since=_read_time(table["since"], (*place, "since")),
            until=_read_time(table["until"], (*place, "until")),
            environments=_list(table, "environments", environment, place),
        )
        if freeze.until <= freeze.since:  # in their one spelling, texts sort as moments do
            raise Misdeclared(
                "out-of-range",
                (*place, "until"),
                "a freeze ends after it begins; correct the times",
            )
        freezes[freeze.id] = freeze
    return tuple(freezes.values())


def _read_time(value: object, path: Path) -> str:
    """A moment that names its zone, in the one spelling that documents have."""
    moment = value
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        with contextlib.suppress(ValueError):
            moment = datetime.datetime.fromisoformat(value)
    if isinstance(moment, datetime.datetime):
        with contextlib.suppress(EncodingError):
            return format_time(moment)
    raise Misdeclared(
        "bad-time",
        path,
        f'must be a moment with its zone, such as "2031-12-24T00:00:00Z", not {show(value)}',
    )


def read_id(value: object, path: Path) -> str:
    """A word of small letters and digits, with - . / between."""
    text = read_name(value, path)
    if not _ID.fullmatch(text):
        raise Misdeclared(
            "bad-name",
            path,
            f"must be of small letters and digits with - . / between, not {show(text)}",
        )
    return text


def _read_own_id(value: object, taken: Mapping[str, object], path: Path) -> str:
    text = read_id(value, path)
    if text.split("/")[0] in RESERVED:
        raise Misdeclared(
            "bad-name", path, f"ids with {', '.join(RESERVED)} in front are groundwire's own"
        )
    if text in taken:
        raise Misdeclared("repeated-entry", path, f"the id {show(text)} stands twice; rename one")
    return text


def one_of(value: object, known: tuple[str, ...], reason: str, what: str, path: Path) -> str:
    """The one of `known` that `value` is; the error says which of them is nearest."""
    text = read_name(value, path)
    if text not in known:
        raise Misdeclared(
            reason,
            path,
            f"there is no {what} {show(text)}; the nearest is '{nearest(text, known)}'. "
            f"Known: {', '.join(known)}",
        )
    return text


def _chooser(choices: tuple[Chosen, ...]) -> Reader[Chosen]:
    return lambda value, path: read_choice(value, choices, path)


def _list(table: Table, key: str, read: Reader[Read], path: Path) -> tuple[Read, ...]:
    if key not in table:
        return ()
    return read_entries(
        table[key], (*path, key), read, "an empty list names nothing; leave the key out"
    )
