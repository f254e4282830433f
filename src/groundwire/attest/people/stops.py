"""Stops, what lifts them, and what opens a run that only plans: sealed and read."""

from __future__ import annotations

import re
from typing import Final

from groundwire.attest.payload import Subject
from groundwire.attest.people.form import Form
from groundwire.canon import digest
from groundwire.documents.stop import EVERY_RUN, MAX_REASON, Lift, Opening, Stop
from groundwire.errors import EncodingError
from groundwire.keys.times import parse_time

_ID: Final = re.compile(r"[0-9a-f]{32}")
_MAX_RUN: Final = 200


def _check_stop(document: Stop) -> None:
    parse_time(document.at)
    if not _ID.fullmatch(document.id):
        raise EncodingError("bad-stop", "A stop's id is 32 lower-case hexadecimal digits.")
    if len(document.reason) > MAX_REASON or not document.reason.isprintable():
        raise EncodingError(
            "bad-stop", f"The reason of a stop is at most {MAX_REASON} printable characters."
        )
    _check_run(document.scope, "bad-stop")


def _check_lift(document: Lift) -> None:
    parse_time(document.at)
    if not document.stop.startswith("sha256:"):
        raise EncodingError("bad-lift", "A lift names a stop by its SHA-256.")
    digest.raw(document.stop)


def _check_opening(document: Opening) -> None:
    parse_time(document.at)
    _check_run(document.run, "bad-opening")
    if document.run == EVERY_RUN:
        raise EncodingError("bad-opening", "One run is opened at a time, by its id.")


def _check_run(text: str, reason: str) -> None:
    if not 0 < len(text) <= _MAX_RUN or not text.isprintable() or text != text.strip():
        raise EncodingError(reason, f"A run's id is 1 to {_MAX_RUN} printable characters.")


def _subject(name: str, text: str) -> tuple[Subject, ...]:
    return (Subject(name=name, digest={"sha256": digest.raw(text).hex()}),)


STOPS: Final = Form(
    Stop,
    "authority",
    author=lambda document: document.authority,
    at=lambda document: document.at,
    check=_check_stop,
    subjects=lambda document: _subject("scope", digest.sha256(document.scope.encode())),
)
LIFTS: Final = Form(
    Lift,
    "approval",
    author=lambda document: document.approver,
    at=lambda document: document.at,
    check=_check_lift,
    subjects=lambda document: _subject("stop", document.stop),
)
OPENINGS: Final = Form(
    Opening,
    "approval",
    author=lambda document: document.approver,
    at=lambda document: document.at,
    check=_check_opening,
    subjects=lambda document: _subject("run", digest.sha256(document.run.encode())),
)
