"""Questions that the tests of the authority ask: one call, some changes, under one profile."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from groundwire.authority.local import LocalAuthority
from groundwire.authority.ruling.engine import Engine
from groundwire.canon.digest import sha256, tagged
from groundwire.documents.declaration import Effect
from groundwire.documents.governing import GuardRules
from groundwire.documents.profile import Fact
from groundwire.documents.question import Question, Ruling
from groundwire.documents.receipt import TOOL_CALL, Asked, touched_by
from groundwire.documents.target import Absent, Change, Present, Proposal, TargetName
from groundwire.guard.profiles import profile_named
from tests.unit.keys.samples import IDENTITY

FOLDER = "/srv/project"
NOW = datetime(2031, 6, 1, 12, 0, tzinfo=UTC)


def name(path: str, root: str = FOLDER) -> TargetName:
    return TargetName(kind="files", root=root, path=path)


def present(content: bytes) -> Present:
    return Present(
        digest=sha256(content), size=len(content), mode=0o644, owner=1, group=1, attributes="",
        device=1, inode=1, generation=1, links=1,
    )  # fmt: skip


def change(
    path: str, before: bytes | None, after: bytes | None, to: str | None = None, root: str = FOLDER
) -> Change:
    kind = "created" if before is None else "deleted" if after is None else "changed"
    return Change(
        name=name(path, root),
        kind="renamed" if to is not None else kind,
        state=Absent() if before is None else present(before),
        before=before,
        after=after,
        to=None if to is None else name(to, root),
    )


def question(
    *changes: Change,
    effect: Effect = "write",
    operation: str = TOOL_CALL,
    environment: str = "production",
    facts: tuple[Fact, ...] = (),
    lost: tuple[TargetName, ...] = (),
    profile: str = "enforce/1",
    tool: str = "edit",
    caller: str = "night-watch",
) -> Question:
    proposal = Proposal(changes=changes)
    asked = Asked(
        audience="here", call=tagged("call", b"x"), changes=touched_by(proposal),
        environment=environment, operation=operation, policy=tagged("policy", b"p"), run="run-1",
        sequence=0,
    )  # fmt: skip
    return Question(
        asked=asked, caller=caller, effect=effect, facts=facts, lost=lost,
        profile=profile_named(profile), proposal=proposal, tool=tool,
    )  # fmt: skip


def authority(
    rules: GuardRules | None = None, engines: Mapping[str, Engine] | None = None
) -> LocalAuthority:
    return LocalAuthority(rules or GuardRules(), IDENTITY, FOLDER, engines or {})


def ruled(
    asked: Question,
    rules: GuardRules | None = None,
    engines: Mapping[str, Engine] | None = None,
    now: datetime = NOW,
) -> Ruling:
    return authority(rules, engines).judge(asked, now)


def word(asked: Question, rules: GuardRules | None = None) -> str:
    return ruled(asked, rules).decision.decision
