"""Asking: from what stands on the command line to the comparisons."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.audit.diffing.declaring import Declarations
from groundwire.audit.diffing.diffing import Differ
from groundwire.audit.diffing.ranges import diff_range
from groundwire.audit.diffing.trees import Commit, commits
from groundwire.authority.policy import FILE_NAME, decode_policy, find_policy, load_policy
from groundwire.authority.reading.values import nearest
from groundwire.cli.diffing.places import as_named, named, path_of, same_content
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
_DIRECTIONS: Final[tuple[Asked, ...]] = ("accepts", "produces", "both")
_MOST_PASSED: Final = 5
_LONGEST_NAME: Final = 200


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
        PolicyError: `bad-arguments`, `unknown-rule`, or as `load_policy`.
        HostError: `no-repository`, `missing-description`, or as `diff_range`.
    """
    if git is not None:
        if before is not None or root is not None:
            raise PolicyError("bad-arguments", "Give two files, or --git BASE..HEAD, not both.")
        return _of_range(git, direction, labels, policy)
    if before is None or after is None:
        raise PolicyError(
            "bad-arguments", "Give the old file and the new one, or --git BASE..HEAD."
        )
    source = policy or find_policy(Path.cwd())
    rules = load_policy(source) if source else Policy()
    differ, remarks = _differ(rules, direction, labels)
    ends = named(before, root), named(after, root)
    if any(each.is_large() for each in ends):
        _told(str(after))
    comparison = differ.diff(ends[0].place, ends[1].place, path_of(*ends, source))
    if _is_none(comparison) and not same_content(*ends):
        comparison = msgspec.structs.replace(
            comparison,
            unreadable=f"Neither {before} nor {after} is an API description or a JSON Schema; for a"
            " bare schema say --direction.",
            reason="not-a-contract",
        )
    return Found(comparisons=(as_named(comparison, *ends),), policy=rules, remarks=remarks)


def form_of(*, json: bool, markdown: bool, sarif: bool) -> Form:
    """The form that was asked for: sentences, unless one other was.

    Raises:
        PolicyError: `bad-arguments`.
    """
    if json + markdown + sarif > 1:
        raise PolicyError("bad-arguments", "Give only one of --json, --markdown and --sarif.")
    if json:
        return "json"
    return "markdown" if markdown else "sarif" if sarif else "text"


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


def direction_of(said: str) -> Asked:
    """Who sends what a schema describes, as the command line names it.

    Raises:
        PolicyError: `bad-arguments`.
    """
    for each in _DIRECTIONS:
        if each == said:
            return each
    raise PolicyError("bad-arguments", f"--direction knows {', '.join(_DIRECTIONS)}, not {said!r}.")


def explained(name: str) -> None:
    """What a rule means is printed, by our name for it or by oasdiff's.

    Raises:
        PolicyError: `unknown-rule`.
    """
    rules = [rule for rule in RULES.values() if name == rule.name or name in rule.aliases]
    if not rules:
        raise PolicyError(
            "unknown-rule",
            f"There is no rule {name!r}; the nearest is {_nearest_rule(name)}. "
            "docs/reference/openapi-rules.md lists them.",
        )
    for rule in rules:
        say([f"{rule.name} ({rule.grade})", f"  {rule.means}"])
        if rule.instead:
            say([f"  instead: {rule.instead}"])
        if rule.aliases:
            say([f"  oasdiff calls it {', '.join(rule.aliases)}"])


def _nearest_rule(name: str) -> str:
    """The rule that has most words of `name` in its own name; of several, the one most like it.

    What oasdiff calls a rule counts as a name of it.
    """
    names = {rule.name: rule for rule in RULES.values()}
    names |= {alias: rule for rule in RULES.values() for alias in rule.aliases}
    said = _words(name)
    best = max((len(said & _words(each)) for each in names), default=0)
    alike = sorted(each for each in names if len(said & _words(each)) == best)
    found = names.get(nearest(name, alike))
    return found.name if found else ""


def _words(name: str) -> frozenset[str]:
    return frozenset(re.split(r"[-_ ]+", name.casefold()[:_LONGEST_NAME]))


def _of_range(
    said: str,
    direction: Asked | None,
    labels: Sequence[str],
    policy: Path | None,
) -> Found:
    here = str(Path.cwd())
    ran = Git(here).ask("rev-parse", "--show-toplevel")
    if ran.code != 0:
        raise HostError(
            "no-repository",
            f"{here} is in no git repository that has a working folder; run it in a checkout.",
        )
    git = Git(os.fsdecode(ran.out).removesuffix("\n"))
    before, after = commits(git, said)
    rules = load_policy(policy) if policy else _policy_of(before, os.path.relpath(here, git.folder))
    differ, remarks = _differ(rules, direction, labels)
    found = diff_range(git, before, after, differ, _told)
    passed = (f"not looked at, {why}: {_listed(paths)}" for why, paths in found.passed.items())
    return Found(comparisons=found.comparisons, policy=rules, remarks=(*remarks, *passed))


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST_PASSED
    return ", ".join(paths[:_MOST_PASSED]) + (f" and {more} more" if more > 0 else "")


def _told(path: str) -> None:
    """On a terminal, which file is compared now."""
    if sys.stderr.isatty():
        say([f"comparing {path}"], file=sys.stderr)


def _is_none(comparison: Comparison) -> bool:
    """Whether neither version was known for a contract."""
    return comparison.kind is None and not comparison.unreadable and not comparison.changes


def _policy_of(commit: Commit, folder: str) -> Policy:
    """What the older end's policy says, the nearest to the folder: no change pardons itself."""
    parts = PurePosixPath(folder)
    near = [str(each / FILE_NAME) for each in (parts, *parts.parents)]
    found = next((each for each in near if each in commit.entries()), None)
    data = commit.read(found) if found else None
    if data is None:
        return Policy()
    try:
        return decode_policy(data.decode(), f"{commit.label}:{found}")
    except UnicodeDecodeError as error:
        raise PolicyError(
            "policy-not-utf8", f"{commit.label}:{found} is not UTF-8; save the file as UTF-8"
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
            f" {_nearest_rule(unknown[0])}.",
        )
    declared = Declarations(rules=rules, today=today, labels=tuple(labels))
    remarks = tuple(
        f"the waiver of {each.rule} ended on {each.until}: {each.reason}"
        for each in declared.ended()
    )
    remarks += tuple(
        f"the label {each} declares nothing: [diff] labels of the policy does not have it"
        for each in sorted(set(labels) - set(rules.labels))
    )
    options = Options(knobs=msgspec.convert(rules.openapi, Knobs), today=today)
    if direction is None:
        return Differ(options=options, declared=declared), remarks
    ways = BOTH if direction == "both" else (direction,)
    return Differ(options=options, declared=declared, directions=ways, other="json-schema"), remarks
