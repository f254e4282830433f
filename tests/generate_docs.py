"""Writes the pages of docs/reference that are made from the code: `python -m tests.generate_docs`.

`tests/house/test_docs.py` fails where a page is not what this would write.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping

from typer.main import get_command

from groundwire.authority.reading.keys import KEYS
from groundwire.checks.registry import ALL_CHECKS, KINDS
from groundwire.checks.seams import Check
from groundwire.cli import main as frame
from groundwire.verify.words import TABLE
from tests.api_page import api_page
from tests.guard_page import guard_page
from tests.house.reasons import reasons_in_source
from tests.house.tree import CHECKOUT
from tests.lineage_page import lineage_page
from tests.rules_page import rules_page
from tests.undecided_page import undecided_page

REFERENCE = CHECKOUT / "docs" / "reference"
REASONS = CHECKOUT / "docs" / "reasons.toml"

CLI_HEADING = """\
# The command line

<!-- Made by `make docs` from each command's --help. -->

Exit codes, the same for every command: 0 holds, 1 does not hold, 2 usage, 3 could not judge.
Errors are lines on standard error, the last of them the [reason code](reasons.md)."""

VERDICTS_HEADING = """\
# Verdicts

<!-- Made by `make docs` from groundwire.verify.words. -->

`groundwire verify` names the first thing that fails by one of these codes. *Holds* ends with exit
code 0, *broken* with 1, *undecided* with 3: nothing speaks against the recording, and nobody here
can say that it holds.

| code | state | what it means | what to do |
|---|---|---|---|"""

CHECKS_MARK = "<!-- checks: made by `make docs` from groundwire.checks.registry -->"
CHECKS_END = "<!-- checks: end -->"

REASONS_HEADING = """\
# Reason codes

<!-- Made by `make docs` from the source and docs/reasons.toml. -->

Every error of groundwire has a `reason`. A code keeps its meaning from release to release; the
message beside it is for people, and may change. *Raised in* names rooms of the library.

| code | raised in | meaning |
|---|---|---|"""


def subcommands(name: str) -> list[str]:
    """The commands of a command that has its own."""
    return list(getattr(get_command(frame.app(name)), "commands", ()))


def command_lines() -> Iterator[tuple[str, ...]]:
    """Every command there is: `("verify",)`, `("keys",)`, `("keys", "new")`, …"""
    for name in frame.COMMANDS:
        yield (name,)
        yield from ((name, member) for member in subcommands(name))


def help_of(*command: str) -> str:
    """What `groundwire COMMAND --help` prints on a terminal of 80 columns."""
    output = io.StringIO()
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with contextlib.redirect_stdout(output):
            code = frame.run([*command, "--help"])
    finally:
        os.environ.pop("COLUMNS")
        if columns is not None:
            os.environ["COLUMNS"] = columns
    if code != 0:
        raise SystemExit(f"groundwire {' '.join(command)} --help ends with {code}")
    return "\n".join(line.rstrip() for line in output.getvalue().strip().splitlines())


def cli_page() -> str:
    """docs/reference/cli.md, from every command's own help."""
    parts = [
        CLI_HEADING,
        f"```text\n$ groundwire --help\n{help_of()}\n```",
    ]
    for command in command_lines():
        title = " ".join(("groundwire", *command))
        parts.append(f"{'#' * (1 + len(command))} {title}\n\n```text\n{help_of(*command)}\n```")
    return "\n\n".join(parts) + "\n"


def reasons_page() -> str:
    """docs/reference/reasons.md: each code in src, its rooms, and the meaning in reasons.toml."""
    meanings = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    rows = []
    for code, places in sorted(reasons_in_source().items()):
        rooms = sorted({place.split("/")[2].removesuffix(".py").split(":")[0] for place in places})
        rows.append(f"| `{code}` | {', '.join(rooms)} | {meanings.get(code, 'not described')} |")
    return "\n".join((REASONS_HEADING, *rows, ""))


def verdicts_page() -> str:
    """docs/reference/verdicts.md, from the verifier's own table."""
    rows = [
        f"| `{code}` | {word.state} | {word.means} | {word.do} |" for code, word in TABLE.items()
    ]
    return "\n".join((VERDICTS_HEADING, *rows, ""))


def findings_page() -> str:
    """docs/reference/findings.md: as it is, with what each check says of itself between its marks."""
    page = (REFERENCE / "findings.md").read_text(encoding="utf-8")
    head, _, rest = page.partition(CHECKS_MARK)
    _, end, tail = rest.partition(CHECKS_END)
    checks = {check.kind: check for check in ALL_CHECKS}
    parts = [
        "| kind | seam | severity |\n|---|---|---|\n"
        + "\n".join(
            f"| `{kind}` | {seam} | {_severity(checks.get(kind))} |" for kind, seam in KINDS.items()
        ),
        *[_check_section(checks[kind]) for kind in KINDS if kind in checks],
    ]
    return "\n\n".join((head + CHECKS_MARK, *parts, end + tail))


def _severity(check: Check | None) -> str:
    return "no check in this version" if check is None else check.severity


def _check_section(check: Check) -> str:
    fences = "\n".join(f"- {fence[0].upper()}{fence[1:]}." for fence in check.fences)
    return (
        f"### `{check.kind}` at the {check.seam} seam, version {check.version}\n\n"
        f"{check.catches}\n\nArmed by: {check.armed_by}. Severity: {check.severity}.\n\n{fences}"
    )


POLICY_TABLES = {
    "the top level": "",
    "[recording]": "recording",
    "[checks]": "checks",
    "[[checks.off]]": "checks.off[]",
    "[checks.evidence]": "checks.evidence",
    "[tools.NAME]": "tools.<name>",
    "[tools.NAME.columns]": "tools.<name>.columns.<name>",
    "[tools.NAME.target]": "tools.<name>.target",
    "[tools.NAME.output]": "tools.<name>.output",
    "[tools.NAME.settled_by]": "tools.<name>.settled_by",
    "[groups.NAME]": "groups.<name>",
    "[guard]": "guard",
    "[[guard.artifacts]]": "guard.artifacts[]",
    "[[guard.rules]]": "guard.rules[]",
    "[[guard.freezes]]": "guard.freezes[]",
    "[[guard.environments]]": "guard.environments[]",
    "[databases.NAME]": "databases.<name>",
    "[[approvers]]": "approvers[]",
    "[approvals]": "approvals",
    "[[notices]]": "notices[]",
    "[[claims]]": "claims[]",
    "[diff]": "diff",
    "[diff.openapi]": "diff.openapi",
    "[[diff.waivers]]": "diff.waivers[]",
    "[[contracts]]": "contracts[]",
    "[[anchors]]": "anchors[]",
}
"""Every table of groundwire.toml, by the name that its page calls it by."""

_KEYS_PLACE = re.compile(
    r"(<!-- keys of (.+?): made by .*?-->\n).*?(<!-- keys: end -->)", re.DOTALL
)


def policy_page() -> str:
    """docs/reference/policy.md: as it is, with the keys of each table between its marks."""
    page = (REFERENCE / "policy.md").read_text(encoding="utf-8")
    named = [found[2] for found in _KEYS_PLACE.finditer(page)]
    if sorted(named) != sorted(POLICY_TABLES) or set(POLICY_TABLES.values()) != set(KEYS):
        raise SystemExit("docs/reference/policy.md does not have every table of keys once")
    return _KEYS_PLACE.sub(lambda found: found[1] + _keys_table(found[2]) + found[3], page)


def _keys_table(named: str) -> str:
    keys = KEYS[POLICY_TABLES[named]]
    # Tables of the top level have a section of their own.
    rows = [
        f"| `{name}` | {key.type} | {key.default} | {key.means} |"
        for name, key in keys.items()
        if named != "the top level" or not key.type.startswith("table")
    ]
    return "\n".join(("| key | type | default | meaning |", "|---|---|---|---|", *rows, ""))


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "findings.md": findings_page,
    "guard.md": guard_page,
    "lineage.md": lineage_page,
    "openapi-rules.md": rules_page,
    "undecided.md": undecided_page,
    "policy.md": policy_page,
    "python-api.md": api_page,
    "reasons.md": reasons_page,
    "verdicts.md": verdicts_page,
}
"""Every made page of docs/reference, and what makes it."""


def main() -> int:
    """Writes every made page anew."""
    for name, make in PAGES.items():
        path = REFERENCE / name
        path.write_text(make(), encoding="utf-8")
        print(path.relative_to(CHECKOUT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
