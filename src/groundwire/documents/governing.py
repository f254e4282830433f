"""Governing: what `groundwire.toml` says of guarded calls: targets, governed artifacts, rules.

Data only. `authority/reading` makes it of a file, `authority/local.py` decides by it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.decision import Word
from groundwire.documents.declaration import Effect
from groundwire.documents.sql import DatabaseDeclaration, RuleStatement, SqlArguments
from groundwire.documents.target import ChangeKind

EditShape: TypeAlias = Literal[
    "replace", "edits", "whole", "create", "patch", "delete", "move", "mode"
]
RuleChange: TypeAlias = ChangeKind | Literal["lost-content"]
Phase: TypeAlias = Literal["act", "plan"]
Origin: TypeAlias = Literal["user", "system", "result", "nothing"]
"""Where an argument's value stands: in what a person said, in the system prompt, in a tool's result."""
Severity: TypeAlias = Literal["none", "compatible", "risky", "exposure", "breaking", "undecided"]
"""What a contract engine says of one change of a governed artifact; `none`: it is no such change."""


class FileArguments(msgspec.Struct, frozen=True, kw_only=True, tag="files"):
    """The tool edits files; by which of its arguments, in which shape.

    `replace`: `old` gives way to `new` in the file at `path`. `edits`: a list of such pairs under
    `edits`. `whole` and `create`: the file holds `content`. `patch`: a unified diff under `patch`.
    `delete`; `move`: from `path` to `to`; `mode`: its permission bits become `mode`.

    `writes`: under the guard groundwire carries the edit out itself and the tool's own code does
    not run; with `tool` that code runs, and what it left is looked at afterwards.
    """

    edit: EditShape
    writes: Literal["groundwire", "tool"] = "groundwire"
    path: str = "path"
    old: str = "old"
    new: str = "new"
    edits: str = "edits"
    content: str = "content"
    patch: str = "patch"
    to: str = "to"
    mode: str = "mode"


class CommandArguments(msgspec.Struct, frozen=True, kw_only=True, tag="shell"):
    """The tool runs the command that stands in the argument `command`, in the working folder."""

    command: str = "command"


class GitArguments(msgspec.Struct, frozen=True, kw_only=True, tag="git"):
    """The tool moves a ref of the repository at the working folder.

    `commit`: what is staged becomes a commit with `message` on the branch that is checked out.
    `set-ref`: `ref` becomes `commit`. `delete-ref`: `ref` is gone.
    """

    does: Literal["commit", "set-ref", "delete-ref"]
    message: str = "message"
    ref: str = "ref"
    commit: str = "commit"


class ReadArguments(msgspec.Struct, frozen=True, kw_only=True, tag="reads"):
    """The tool shows files, those at the paths in these of its arguments."""

    paths: tuple[str, ...] = ("path",)


Targeted: TypeAlias = FileArguments | CommandArguments | GitArguments | ReadArguments | SqlArguments


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """Files of these paths are governed, as this kind (`openapi`, `graphql`, a kind of your own).

    Without paths: a kind that only a host gives, by `session.call(artifacts=...)`.
    """

    kind: str
    paths: tuple[str, ...] = ()


class ArgumentOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The value of `argument`, a path of keys joined by stops, is of one of these origins."""

    argument: str
    origins: tuple[Origin, ...]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What is decided of a change, or of a call, that everything said here holds of.

    An empty matcher matches all. `paths` are patterns of `targets.places.patterns`, `artifacts`
    kinds, `larger_than` bytes of the content after. `origins` are of arguments, each with origins of
    which its value has one; where nobody says an argument's, the call is asked about. With `approve`, `needed` people have to say yes;
    None: as many as the policy says elsewhere. A rule with none of `artifacts`, `paths`,
    `changes`, `severities` and `larger_than` is of the call as a whole. One with `statements`,
    `tables` (patterns of `contracts.sql.tables`) or `rows_over` is of statements in databases, and
    of nothing else.
    """

    id: str
    decide: Word
    artifacts: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    changes: tuple[RuleChange, ...] = ()
    severities: tuple[Severity, ...] = ()
    tools: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    operations: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    origins: tuple[ArgumentOrigin, ...] = ()
    larger_than: int | None = None
    statements: tuple[RuleStatement, ...] = ()
    tables: tuple[str, ...] = ()
    rows_over: int | None = None
    needed: int | None = None


class Freeze(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is written in these environments from `since` until before `until` (RFC 3339, `Z`)."""

    id: str
    since: str
    until: str
    environments: tuple[str, ...] = ()


class EnvironmentPattern(msgspec.Struct, frozen=True, kw_only=True):
    """A target whose name `pattern` covers belongs to the environment `name`."""

    name: str
    pattern: str


class GuardRules(msgspec.Struct, frozen=True, kw_only=True):
    """Every declaration about guarded calls, with its defaults.

    `folder` is the working folder, from the policy's own. Before-images are kept up to `keep_bytes`
    in all and for `keep_days`. A staged command may run for `command_seconds` and write
    `command_bytes` in the working folder. `deny_read` are path patterns, `deny_read_kinds` kinds of content
    (`targets.places.kinds`) that no tool shows. `plans` are programs that make their plan as they
    are, with the network and uncontained, before anything is decided. In the `phase` `plan` a run
    does nothing but read until a person opens it. `trusted_servers` are MCP
    servers whose hints may make a tool less suspicious. `databases` are those of `[databases]`.
    """

    profile: str = "enforce/1"
    folder: str = "."
    artifacts: tuple[Artifact, ...] = ()
    rules: tuple[Rule, ...] = ()
    freezes: tuple[Freeze, ...] = ()
    environments: tuple[EnvironmentPattern, ...] = ()
    environment: str = ""
    deny_read: tuple[str, ...] = ()
    deny_read_kinds: tuple[str, ...] = ()
    keep_bytes: int = 1024 * 1024 * 1024
    keep_days: int = 30
    command_seconds: int = 600
    command_bytes: int = 512 * 1024 * 1024
    plans: tuple[str, ...] = ()
    trusted_servers: tuple[str, ...] = ()
    databases: tuple[DatabaseDeclaration, ...] = ()
    phase: Phase = "act"
