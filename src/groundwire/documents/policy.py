"""Policy: what `groundwire.toml` declares, as data."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.approving import ApprovalRules, Approver
from groundwire.documents.contract import DerivedContract, DiffRules
from groundwire.documents.declaration import (
    ArgumentSource,
    CheckRules,
    Column,
    Effect,
    OutputSource,
    Settling,
)
from groundwire.documents.governing import GuardRules, Targeted
from groundwire.documents.notice import NoticeDeclaration

Posture: TypeAlias = Literal["observe", "dev"]
Grounding: TypeAlias = Literal["whole", "substring"]
Content: TypeAlias = Literal["full", "commitments"]


class ToolDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """What an author says about one tool.

    `arguments_from` names the tools whose results its arguments come from; empty arms nothing.
    `arguments` says it per argument, and arms those. `content = "commitments"` keeps the tool's
    results out of the file. `idempotent`: calling it again changes nothing. `volatile` names
    arguments that differ on every call and say nothing (a request id). `rows_at`, `total_at`,
    `next_at` and `as_of` are JSON paths into a result: its rows, how many there are in all, the
    mark of a next page, when it was measured. `entity_at` is the path within a row that names whom
    the row is about. `max_age` is in seconds. `says` are verbs that claim this tool's effect.
    `operation` names what an effect is (`merge`, `deploy`, `publish`, `register`, a word of your
    own); empty is `tool_call`. `target` says by which arguments it writes to what.
    `output_schema` is the text of the JSON Schema that its results have to fit, with all that it
    refers to; empty for none. `output` says where that is written, if elsewhere. `once_per` names
    the arguments that tell one deed from another: under the guard each is done at most once;
    `settled_by` is the read that says what became of one that nobody saw end, and `once_key` the
    argument that takes an idempotency key.
    """

    name: str
    arguments_from: tuple[str, ...] = ()
    arguments: tuple[ArgumentSource, ...] = ()
    content: Content = "full"
    effect: Effect = "unstated"
    idempotent: bool = False
    volatile: tuple[str, ...] = ()
    rows_at: str = ""
    total_at: str = ""
    next_at: str = ""
    as_of: str = ""
    entity_at: str = ""
    columns: tuple[Column, ...] = ()
    max_age: int | None = None
    says: tuple[str, ...] = ()
    operation: str = ""
    target: Targeted | None = None
    output: OutputSource | None = None
    output_schema: str = ""
    once_per: tuple[str, ...] = ()
    settled_by: Settling | None = None
    once_key: str = ""


class AnchorDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """Where checkpoints are also kept: a folder or an HTTP endpoint."""

    kind: Literal["folder", "http"]
    target: str


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Every declaration of a project, with its defaults.

    `outside_session` says what a watched client does when no session is open. `keep_days` is how
    long `groundwire prune` keeps a closed recording; none means for ever. Without `approvers` nobody is
    asked: what a person would have to allow is refused. `notices` are given besides the recording.
    """

    agent: str = "unstated"
    on_behalf_of: str = "unstated"
    posture: Posture = "observe"
    grounding: Grounding = "whole"
    tools: tuple[ToolDeclaration, ...] = ()
    checks: CheckRules = CheckRules()
    guard: GuardRules = GuardRules()
    approvers: tuple[Approver, ...] = ()
    approvals: ApprovalRules = ApprovalRules()
    notices: tuple[NoticeDeclaration, ...] = ()
    diff: DiffRules = DiffRules()
    contracts: tuple[DerivedContract, ...] = ()
    content: Content = "full"
    on_recording_error: Literal["warn", "stop"] = "warn"
    outside_session: Literal["pass", "record", "refuse"] = "pass"
    keep_days: int | None = None
    runs: str = "runs"
    keyring: str | None = None
    anchors: tuple[AnchorDeclaration, ...] = ()
    rotate_bytes: int = 256 * 1024 * 1024
