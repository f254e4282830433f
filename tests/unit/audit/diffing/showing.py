"""Changes made up for tests of how they are shown."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Answered, Asked, Change, Content, Exchange, Grade, Where
from groundwire.contracts.comparison import Comparison

RULE = "response-property-removed"
HOSTILE = (
    "x`y ```z",
    "@someone and #12 and a/b#3",
    "<img src=x onerror=alert(1)> &amp;",
    "[a](http://evil.example) www.evil.example a@evil.example",
    "**bold** _it_ ~~no~~ | a | b |",
    "a\n\n# Heading\n```\n- item",
    "\u202eright\x1b[2Jleft\x7f\u2028",
    "`@someone`",
    "` `` `",
    "\\`\\@a",
)


def change(
    says: str = "It is gone.",
    *,
    grade: Grade = "breaking",
    rule: str = RULE,
    answer: JSON = None,
    name: str = "api.json",
    number: int = 1,
    **more: str,
) -> Change:
    exchange = Exchange(
        asked=Asked(method="GET", target="/users", headers=(("X-A", says),)),
        answered=Answered(status="200", content=Content("application/json", answer)),
        before="no such response was allowed",
        after=says,
    )
    return Change(
        rule=rule,
        grade=grade,
        says=says,
        before=Where(name, f"/paths/{number}", number, 3),
        after=Where(name, f"/paths/{number}"),
        reaches=(f"GET /{number}",),
        witness=exchange,
        **more,
    )


def compared(*changes: Change, path: str = "api.json", **more: str) -> Comparison:
    return Comparison(path=path, kind="openapi", before=path, after=path, changes=changes, **more)
