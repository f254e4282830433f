"""Asking: from what stands on the command line to the comparisons."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.audit.diffing.declaring import Declarations
from groundwire.audit.diffing.diffing import Differ, Place
from groundwire.audit.diffing.ranges import diff_range
from groundwire.audit.diffing.trees import Commit, Folder, commits
from groundwire.authority.policy import FILE_NAME, decode_policy, find_policy, load_policy
from groundwire.authority.reading.values import nearest
from groundwire.cli.output import say
from groundwire.contracts.changes import GRADES, Grade
from groundwire.contracts.comparison import Comparison
from groundwire.contracts.openapi.options import Knobs, Options
from groundwire.contracts.port import BOTH, RULES
from groundwire.documents.policy import Policy
from groundwire.errors import HostError, PolicyError
from groundwire.session import clock
from groundwire.targets.disk.git_program import Git

Asked: TypeAlias = Literal["accepts", "produces", "both"]
Form: TypeAlias = Literal["text", "json", "markdown", "sarif"]

_NAMED: Final = frozenset({"breaking", "exposure", "risky", "undecided"})
_MOST_IGNORED: Final = 5


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The comparisons, by which policy, and what a person should know besides."""

    comparisons: tuple[Comparison, ...]
    policy: Policy
    remarks: tuple[str, ...] = ()


def compared(
    before: Path | None,
    after: Path | None,
    *,
    git: str | None,
    direction: Asked | None,
    root: Path | None,
    labels: Sequence[str],
    policy: Path | None,
) -> Found:
    """What was asked for, compared.

    Raises:
        PolicyError: `bad-arguments`, or as `load_policy`. HostError: as `diff_range`.
    """
    if git is not None:
        if before is not None or root is not None:
            raise PolicyError("bad-arguments", "Give two files, or --git BASE..HEAD, not both.")
        return _of_range(git, direction, labels, policy)
    if before is None or after is None:
        raise PolicyError(
            "bad-arguments", "Give the old file and the new one, or --git BASE..HEAD."
        )
    rules = _policy(policy)
    differ, remarks = _differ(rules, direction, labels)
    comparison = differ.diff(_place(before, root), _place(after, root))
    if comparison.kind is None and not comparison.unreadable and not comparison.changes:
        comparison = msgspec.structs.replace(
            comparison,
            unreadable=f"Neither {before} nor {after} is an API description or a JSON Schema; for a"
            " bare schema say --direction.",
            reason="not-a-contract",
        )
    return Found(comparisons=(comparison,), policy=rules, remarks=remarks)


def form_of(*, json: bool, markdown: bool, sarif: bool) -> Form:
    """The form that was asked for: sentences, unless one other was.

    Raises:
        PolicyError: `bad-arguments`.
    """
    asked: dict[Form, bool] = {"json": json, "markdown": markdown, "sarif": sarif}
    named = [form for form, is_asked in asked.items() if is_asked]
    if len(named) > 1:
        raise PolicyError("bad-arguments", "Give only one of --json, --markdown and --sarif.")
    return named[0] if named else "text"


def grades(said: str) -> tuple[Grade, ...]:
    """The grades that fail, as `breaking,risky` names them.

    Raises:
        PolicyError: `bad-arguments`.
    """
    named = [each.strip() for each in said.split(",")]
    unknown = [each for each in named if each not in _NAMED]
    if unknown:
        raise PolicyError(
            "bad-arguments",
            f"--fail-on knows {', '.join(sorted(_NAMED))}, not {unknown[0]!r}.",
        )
    return tuple(grade for grade in GRADES if grade in named)


def explained(name: str) -> None:
    """What a rule means is printed, by our name for it or by oasdiff's.

    Raises:
        PolicyError: `unknown-rule`.
    """
    rules = [rule for rule in RULES.values() if name == rule.name or name in rule.aliases]
    if not rules:
        raise PolicyError(
            "unknown-rule", f"There is no rule {name!r}; the nearest is {nearest(name, RULES)}."
        )
    for rule in rules:
        say([f"{rule.name} ({rule.grade})", f"  {rule.means}"])
        if rule.instead:
            say([f"  instead: {rule.instead}"])
        if rule.aliases:
            say([f"  oasdiff calls it {', '.join(rule.aliases)}"])


def _of_range(
    said: str,
    direction: Asked | None,
    labels: Sequence[str],
    policy: Path | None,
) -> Found:
    top = Git(str(Path.cwd())).run("rev-parse", "--show-toplevel").decode().rstrip("\n")
    git = Git(top)
    before, after = commits(git, said)
    rules = load_policy(policy) if policy else _policy_of(before)
    differ, remarks = _differ(rules, direction, labels)
    found = diff_range(git, before, after, differ, _told)
    if found.ignored:
        listed = ", ".join(found.ignored[:_MOST_IGNORED])
        more = len(found.ignored) - _MOST_IGNORED
        remarks += (
            f"not looked at, below node_modules or vendor: {listed}"
            + (f" and {more} more" if more > 0 else ""),
        )
    return Found(comparisons=found.comparisons, policy=rules, remarks=remarks)


def _told(path: str) -> None:
    """On a terminal, which file is compared now."""
    if sys.stderr.isatty():
        say([f"comparing {path}"], file=sys.stderr)


def _policy(policy: Path | None) -> Policy:
    found = policy or find_policy(Path.cwd())
    return load_policy(found) if found else Policy()


def _policy_of(commit: Commit) -> Policy:
    """What the older end's policy says: a change cannot pardon itself."""
    data = commit.read(FILE_NAME)
    if data is None:
        return Policy()
    try:
        return decode_policy(data.decode(), f"{commit.label}:{FILE_NAME}")
    except UnicodeDecodeError as error:
        raise PolicyError(
            "policy-not-utf8", f"{commit.label}:{FILE_NAME} is not UTF-8; save the file as UTF-8"
        ) from error


def _differ(
    policy: Policy, direction: Asked | None, labels: Sequence[str]
) -> tuple[Differ, tuple[str, ...]]:
    """Who compares by this policy, and what a person should know of it."""
    rules, today = policy.diff, clock.now().date().isoformat()
    unknown = sorted({each.rule for each in rules.waivers} - RULES.keys())
    if unknown:
        raise PolicyError(
            "unknown-rule",
            f"A waiver names the rule {unknown[0]!r}, which there is not; the nearest is"
            f" {nearest(unknown[0], RULES)}.",
        )
    declared = Declarations(rules=rules, today=today, labels=tuple(labels))
    remarks = tuple(
        f"the waiver of {each.rule} ended on {each.until}: {each.reason}"
        for each in declared.ended()
    )
    options = Options(knobs=msgspec.convert(rules.openapi, Knobs), today=today)
    if direction is None:
        return Differ(options=options, declared=declared), remarks
    ways = BOTH if direction == "both" else (direction,)
    return Differ(options=options, declared=declared, directions=ways, kind="json-schema"), remarks


def _place(path: Path, root: Path | None) -> Place:
    """A file in the folder that its references may lead to.

    Raises:
        HostError: `missing-description`; PolicyError: `bad-arguments`: it is not below the root.
    """
    whole = Path(os.path.abspath(path))
    above = Path(os.path.abspath(root)) if root else whole.parent
    if not above.is_dir():
        raise HostError("missing-description", f"There is no file {path}.")
    if not whole.is_relative_to(above):
        raise PolicyError("bad-arguments", f"{path} does not lie below {root}.")
    return Place(Folder(above, ""), whole.relative_to(above).as_posix())
