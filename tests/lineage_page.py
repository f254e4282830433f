"""The page of lineage: as it is, with the truth table of verdicts between its marks."""

from __future__ import annotations

from groundwire.lineage.verdict import TABLE, Row
from tests.house.tree import CHECKOUT

PAGE = CHECKOUT / "docs" / "reference" / "lineage.md"
MARK = "<!-- verdicts: made by `make docs` from groundwire.lineage.verdict -->"
END = "<!-- verdicts: end -->"

_HEAD = """\
| why | manifest | calls that changed the context | signatures | each signed | mapping | verdict | directive | output |
|---|---|---|---|---|---|---|---|---|"""


def lineage_page() -> str:
    """docs/reference/lineage.md."""
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(MARK)
    _, end, tail = rest.partition(END)
    rows = "\n".join((_HEAD, *map(_row, TABLE)))
    said = "\n".join(f"* `{row.why}`: {row.message}" for row in TABLE)
    return "\n\n".join((head + MARK, rows, said, end + tail))


def _row(row: Row) -> str:
    conditions = (row.recorded, row.calls, row.asked, row.signed, row.mapped)
    cells = (" or ".join(each) or "any" for each in conditions)
    return (
        f"| `{row.why}` | {' | '.join(cells)} | `{row.verdict}` | {row.directive} | {row.output} |"
    )
