"""Policy: what `groundwire.toml` declares, as data."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Posture: TypeAlias = Literal["observe", "dev"]
Grounding: TypeAlias = Literal["whole", "substring"]
Content: TypeAlias = Literal["full", "commitments"]


class ToolDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """What an author says about one tool.

    `arguments_from` names the tools whose results its arguments come from; empty arms nothing.
    `content = "commitments"` keeps the tool's results out of the file.
    """

    name: str
    arguments_from: tuple[str, ...] = ()
    content: Content = "full"


class AnchorDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """Where checkpoints are also kept: a folder or an HTTP endpoint."""

    kind: Literal["folder", "http"]
    target: str


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Every declaration of a project, with its defaults.

    `outside_session` says what a watched client does when no session is open. `keep_days` is how
    long `groundwire prune` keeps a closed recording; none means for ever.
    """

    agent: str = "unstated"
    on_behalf_of: str = "unstated"
    posture: Posture = "observe"
    grounding: Grounding = "whole"
    tools: tuple[ToolDeclaration, ...] = ()
    content: Content = "full"
    on_recording_error: Literal["warn", "stop"] = "warn"
    outside_session: Literal["pass", "record", "refuse"] = "pass"
    keep_days: int | None = None
    runs: str = "runs"
    keyring: str | None = None
    anchors: tuple[AnchorDeclaration, ...] = ()
    rotate_bytes: int = 256 * 1024 * 1024
