"""Noticing: the tables `[[notices]]`, where notice is given of calls that a rule warns of."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from groundwire.authority.reading.anchors import require_address
from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_count,
    read_listed_tables,
    read_name,
    read_table,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.notice import TIMEOUT, NoticeDeclaration

MOST_SINKS: Final = 8
MOST_SECONDS: Final = 60

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_notices(value: object, path: Path) -> tuple[NoticeDeclaration, ...]:
    """Every `[[notices]]` table; no address stands twice.

    Does not look whether anybody is there, nor whether the secret is.
    """
    notices: list[NoticeDeclaration] = []
    for index, element in enumerate(read_listed_tables(value, "notices", path)):
        place = (*path, index)
        if index >= MOST_SINKS:
            raise Misdeclared("out-of-range", place, f"has over {MOST_SINKS} entries")
        declared = _read_notice(element, place)
        if declared.url in {each.url for each in notices}:
            raise Misdeclared(
                "repeated-entry", (*place, "url"), "this address is given notice already; keep one"
            )
        notices.append(declared)
    return tuple(notices)


def _read_notice(value: object, path: Path) -> NoticeDeclaration:
    table = read_table(value, "notices[]", path)
    demand(table, ("url", "secret_from"), "who is given notice", path)
    url = read_name(table["url"], (*path, "url"))
    require_address(url, "bad-notice-url", (*path, "url"))
    if not _is_private(url):
        raise Misdeclared(
            "bad-notice-url",
            (*path, "url"),
            "plain http goes only to this machine, for anybody in between could read the notice;"
            " write https://host/path",
        )
    seconds = table.get("timeout_seconds", TIMEOUT)
    return NoticeDeclaration(
        url=url,
        secret_from=_read_variable(table["secret_from"], (*path, "secret_from")),
        timeout_seconds=read_count(seconds, 1, MOST_SECONDS, (*path, "timeout_seconds")),
    )


def _is_private(url: str) -> bool:
    """Nobody in between reads what is posted there: https, or this machine by its loopback.

    A name that this machine resolves to itself is not looked up, but for `localhost`.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https" or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _read_variable(value: object, path: Path) -> str:
    """The name of a variable; a value in its place would stand in every recording."""
    text = read_name(value, path)
    if _VARIABLE.fullmatch(text):
        return text
    # Not quoted in the message: it may be the secret itself.
    raise Misdeclared(
        "bad-variable-name",
        path,
        "must be the name of an environment variable, such as NOTICE_SECRET; the secret itself "
        "stands in that variable",
    )
