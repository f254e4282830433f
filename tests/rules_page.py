"""The page of the rules that explain what a change of a contract does, from the rules themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundwire.contracts.openapi.rules.rule import Rule
from groundwire.contracts.port import RULES

HEADING = """\
# Rules of contract changes

<!-- Made by `make docs` from groundwire.contracts.port.RULES. -->

What `groundwire diff` calls a change. A rule explains a verdict and does not decide it: whether anybody
is broken is found by asking whether all that could be sent before may be sent still, and all that comes
could come before. *Grade* is the one that a rule mostly goes with; a change may be `risky` by a rule that
is `breaking` here where only somebody who sends names that nobody declared is affected, and `undecided`
where neither was proven. `groundwire diff --explain RULE` says the same of one rule, by its name or by
oasdiff's.

Breaking: somebody who kept to the old contract is refused, or reads what it never allowed. Exposure: the
new contract protects less. Undecided: neither was proven, for the reason that is given. Risky: only
somebody who sends what nobody declared is affected, or who does not allow for more. Noted: nobody is."""

GROUPS: Mapping[str, Sequence[str]] = {
    "Paths and operations": ("operation", "path"),
    "Servers": ("server",),
    "Protection": ("security",),
    "Parameters of requests": ("request-parameter",),
    "Bodies of requests": ("request",),
    "Responses": ("response",),
    "Callbacks and webhooks": ("callback", "webhook"),
    "Files, schemas and libraries": ("component", "contract", "schema"),
}
"""What names of rules begin with, by the headings that they stand under; the first that fits counts."""


def rules_page() -> str:
    """docs/reference/openapi-rules.md: every rule once, by groups."""
    groups: dict[str, list[Rule]] = {heading: [] for heading in GROUPS}
    for rule in RULES.values():
        groups[_heading(rule.name)].append(rule)
    parts = [HEADING]
    for heading, rules in groups.items():
        table = "\n".join(_row(rule) for rule in rules)
        parts.append(
            f"## {heading}\n\n| rule | grade | what it means | what would be compatible | oasdiff |\n"
            f"|---|---|---|---|---|\n{table}"
        )
    return "\n\n".join(parts) + "\n"


def _heading(name: str) -> str:
    for heading, beginnings in GROUPS.items():
        if name.startswith(tuple(f"{each}-" for each in beginnings)):
            return heading
    raise SystemExit(f"tests/rules_page.py has no group for the rule {name}")


def _row(rule: Rule) -> str:
    aliases = ", ".join(f"`{each}`" for each in rule.aliases) or "-"
    cells = (f"`{rule.name}`", rule.grade, rule.means, rule.instead or "-", aliases)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
