"""Seeded corruptions of arguments that were right: rules from a text to another one, and how many are found.

A kind that does not apply to a value gives nothing. Only values that look like identifiers and were
served are corrupted; one that comes out as another served value is none and is left out, judged by
plain search of the frame's text.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from random import Random

import msgspec

from bench.judging import (
    SETS,
    Bench,
    Row,
    accuses,
    is_served_itself,
    looks_like_identifier,
    rate,
    texts_of,
    walked,
)
from bench.runs import runs
from groundwire.checks.choice.argument_finding import Case
from groundwire.documents.call import ToolCall
from groundwire.documents.frame import Frame

SHORTEST = 4
_JOINERS = re.compile(r"[-_./:@+#]")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_DOMAIN = re.compile(
    r"@[\w\-]+(?:\.[\w\-]+)+|(?<=//)[\w\-]+(?:\.[\w\-]+)+|^www\.[\w\-]+(?:\.[\w\-]+)+"
)


def digit(value: str, rng: Random) -> str:
    """One digit is another one."""
    places = [place for place, letter in enumerate(value) if letter in string.digits]
    if not places:
        return ""
    place = rng.choice(places)
    other = rng.choice([letter for letter in string.digits if letter != value[place]])
    return value[:place] + other + value[place + 1 :]


def swap(value: str, rng: Random) -> str:
    """Two neighbouring letters or digits have changed places."""
    places = [
        place
        for place in range(len(value) - 1)
        if value[place : place + 2].isalnum() and value[place].lower() != value[place + 1].lower()
    ]
    if not places:
        return ""
    place = rng.choice(places)
    return value[:place] + value[place + 1] + value[place] + value[place + 2 :]


def prefix(value: str, rng: Random) -> str:
    """The first letter is another one."""
    match = re.search(r"[A-Za-z]", value)
    if match is None:
        return ""
    letters = string.ascii_uppercase if match[0].isupper() else string.ascii_lowercase
    other = rng.choice([letter for letter in letters if letter != match[0]])
    return value[: match.start()] + other + value[match.end() :]


def domain(value: str, rng: Random) -> str:
    """An address at another domain."""
    match = _DOMAIN.search(value)
    if match is None:
        return ""
    labels = match[0].rsplit(".", 1)
    other = rng.choice(
        [
            f"{labels[0]}-{rng.choice('abcdefgh')}.{labels[1]}",
            f"{labels[0]}.{rng.choice(['io', 'biz', 'info'])}",
        ]
    )
    return value[: match.start()] + other + value[match.end() :]


def year(value: str, rng: Random) -> str:
    """A date of another year."""
    match = _DATE.search(value)
    if match is None:
        return ""
    other = int(match[1]) + rng.choice([-3, -2, -1, 1, 2, 3])
    return value[: match.start(1)] + str(other) + value[match.end(1) :]


def truncation(value: str, rng: Random) -> str:
    """One to three characters are missing at the end or the beginning."""
    missing = rng.randint(1, 3)
    cut = value[:-missing] if rng.random() < 0.5 else value[missing:]
    return _piece(cut, value)


def fragment(value: str, rng: Random) -> str:
    """A piece between separators, neither all of it nor a single letter."""
    edges = [-1, *(match.start() for match in _JOINERS.finditer(value)), len(value)]
    pieces = [
        value[left + 1 : right]
        for place, left in enumerate(edges)
        for right in edges[place + 1 :]
        if (left, right) != (-1, len(value))
    ]
    pieces = [piece for piece in pieces if _piece(piece, value)]
    return _piece(rng.choice(pieces), value) if pieces else ""


def date_shift(value: str, rng: Random) -> str:
    """A date some days earlier or later."""
    match = _DATE.search(value)
    if match is None:
        return ""
    try:
        day = date(*map(int, match.groups()))
    except ValueError:
        return ""
    other = day + timedelta(days=rng.choice([-10, -7, -3, -2, -1, 1, 2, 3, 7, 10]))
    return value[: match.start()] + other.isoformat() + value[match.end() :]


def _piece(cut: str, value: str) -> str:
    """The piece without separators at its ends, if it is still long enough to be looked for."""
    cut = cut.strip("-_./:@+# ")
    return cut if len(cut) >= SHORTEST and cut != value else ""


KINDS: Mapping[str, Callable[[str, Random], str]] = {
    "digit": digit,
    "swap": swap,
    "prefix": prefix,
    "domain": domain,
    "year": year,
    "truncation": truncation,
    "fragment": fragment,
    "date shift": date_shift,
}
REACH = {"date shift": "100 %, as advisory", "truncation": ">= 97 %", "fragment": ">= 97 %"}


class Tally:
    """What was corrupted, and what of it was found."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._made: Counter[str] = Counter()
        self._filed: Counter[str] = Counter()
        self._defects: Counter[str] = Counter()
        self._honest = self._extra = 0

    def corrupt(self, bench: Bench, frame: Frame, call: ToolCall, texts: list[str]) -> None:
        """Every argument of the call in every kind of corruption."""
        for case in bench.cases(frame, call):
            value = case.leaf.value
            if not looks_like_identifier(value) and not re.match(r"\d{4}-\d\d-\d\d", value):
                continue
            if any(value.strip().lower() in text for text in texts):
                self._honest += 1
                self._extra += accuses(case)
            hit = case.support.hit
            # An example in a description is no value of the run.
            served = hit is not None and hit.passage.voice != "schema"
            if case.is_unsupported or case.leaf.number or not served:
                continue
            for kind, rule in KINDS.items():
                bad = rule(value, self._rng)
                if bad and not _is_other_value(kind, value, bad, texts):
                    self._judge(kind, _with(bench, frame, call, case, bad))

    def _judge(self, kind: str, case: Case | None) -> None:
        self._made[kind] += 1
        self._filed[kind] += case is not None and case.is_filed
        self._defects[kind] += case is not None and accuses(case)

    def rows(self) -> list[Row]:
        """A line a kind, and what the rule accuses that a substring rule would not."""
        rows = []
        for kind in KINDS:
            advised = rate(self._filed[kind] - self._defects[kind], self._made[kind])
            found = f"{rate(self._filed[kind], self._made[kind])}; as advisory {advised}"
            rows.append((f"seeded {kind}: found", found, REACH.get(kind, ">= 99.5 %")))
        extra = rate(self._extra, self._honest, 2)
        measure = "  extra: honest arguments accused that a substring rule lets pass"
        return [*rows, (measure, extra, "<= 0.3 %")]


def corrupted(seed: int) -> list[Row]:
    """Seeded corruptions of arguments of all benign runs."""
    tally = Tally(seed)
    for name in SETS:
        for run in runs(name):
            texts: list[str] = []
            shown = None
            for bench, _, frame, call in walked(run):
                if frame is not shown:
                    texts, shown = texts_of(frame), frame
                tally.corrupt(bench, frame, call, texts)
    return tally.rows()


def _is_other_value(kind: str, value: str, bad: str, texts: list[str]) -> bool:
    return _is_same(value, bad) or is_served_itself(texts, bad) or _is_known_day(kind, bad, texts)


def _is_same(value: str, other: str) -> bool:
    """Whether two addresses, paths or ids differ in their scheme, `www.`, outer slashes or sign alone."""

    def bare(text: str) -> str:
        return re.sub(r"^(?:https?://)?(?:www\.)?[/#]*|/+$", "", text.strip().lower())

    return bare(value) == bare(other)


def _is_known_day(kind: str, bad: str, texts: list[str]) -> bool:
    """Whether a shifted date is one that was served in some spelling, so that nothing is wrong."""
    match = re.match(r"(\d{4})-(\d\d)-(\d\d)", bad)
    if kind not in {"date shift", "year"} or match is None:
        return False
    year, month, day = match.groups()
    month_name = [
        "", "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ][int(month)]  # fmt: skip
    days = rf"0?{int(day)}(?:st|nd|rd|th)?"
    name = rf"(?:{month_name}|{month_name[:3]}\.?)"
    spelled = rf"\b{name} {days}\b|\b{days} (?:of )?{name}\b|\b0?{int(month)}[/-]0?{int(day)}\b"
    known = f"{year}-{month}-{day}"
    dated = any(known in text or re.search(spelled, text) for text in texts)
    return dated and any(year in text for text in texts)


def _with(bench: Bench, frame: Frame, call: ToolCall, case: Case, bad: str) -> Case | None:
    """The same call with another text in this one place, judged."""
    arguments = msgspec.json.decode(call.arguments)
    place = arguments
    *path, last = case.leaf.path
    for key in path:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[int(last) if isinstance(place, list) else last] = bad
    other = msgspec.structs.replace(call, arguments=msgspec.json.encode(arguments).decode())
    cases = [one for one in bench.cases(frame, other) if one.leaf.pointer == case.leaf.pointer]
    return cases[0] if cases else None
