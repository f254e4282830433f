"""Identifiers of known forms: the same one, written with other separators or without its default.

A form has a canonical spelling; two texts of one form are the same identifier if those are equal.
Nothing is dropped that tells two apart: a shorter number, another prefix or another page of an
address is another identifier. Texts are folded.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

import msgspec

_HEX = "0-9a-f"
_PORTS = {"http": "80", "https": "443", "ftp": "21"}
_MOST_HOST = 253
_PERCENT = re.compile(r"(?:%[0-9a-f]{2})+")


class Form(msgspec.Struct, frozen=True):
    """One form. `finder` finds candidates in a text; `read` is the canonical spelling, or empty."""

    name: str
    finder: re.Pattern[str]
    read: Callable[[str], str]

    def of(self, value: str) -> str:
        """The canonical spelling of a value that is of this form as a whole, else nothing."""
        return self.read(value) if self.finder.fullmatch(value) else ""

    def found(self, text: str) -> Iterator[tuple[str, int]]:
        """The canonical spelling of each that stands in the text, and where it begins."""
        for match in self.finder.finditer(text):
            if canonical := self.read(match[0]):
                yield canonical, match.start()


def _phone(text: str) -> str:
    digits = "".join(filter(str.isdigit, text))
    if not 7 <= len(digits) <= 15:
        return ""
    international = text.lstrip("( ").startswith(("+", "00"))
    return f"+{digits.lstrip('0')}" if international else digits


def _hardware(text: str) -> str:
    digits = re.sub(r"[^0-9a-f]", "", text.removeprefix("0x"))
    return digits if len(digits) in {12, 16} else ""


def _ip(text: str) -> str:
    if ":" not in text:
        # Zeros before an octet, as some tools pad it; `ipaddress` refuses them.
        text = ".".join(part.lstrip("0") or "0" for part in text.split("."))
    try:
        return ipaddress.ip_address(text).compressed
    except ValueError:
        return ""


def _uuid(text: str) -> str:
    return text.replace("-", "")


def _url(text: str) -> str:
    scheme, _, rest = text.rstrip(".,;:!?'\")>]").rpartition("://")
    host, slash, path = rest.partition("/")
    host = host.removesuffix(f":{_PORTS[scheme]}") if scheme in _PORTS else host
    kept = "" if scheme in {"", "http", "https"} else f"{scheme}://"
    return f"{kept}{host.removeprefix('www.')}{slash}{_unquoted(path)}".rstrip("/")


def _unquoted(path: str) -> str:
    return _PERCENT.sub(
        lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), path
    )


def _host(text: str) -> str:
    """The first label of a full host name, where it is no mere word."""
    label, _, domain = text.partition(".")
    named = any(map(str.isdigit, label)) and any(map(str.isalpha, label))
    return label if named and "." in domain and len(text) <= _MOST_HOST else ""


def _record(text: str) -> str:
    match = _RECORD.fullmatch(text)
    if match is None:
        return ""
    letters, digits = match.groups()
    # Zeros before a short number may tell two apart: rack 01 and rack 1.
    return f"{letters} {digits.lstrip('0') if len(digits) > 4 else digits}"


_RECORD = re.compile(r"#?([a-z]{1,8})(?:[ \-_/.:#]|: | #)?(\d{3,})")
_EDGE = r"(?<![\w.:@/\-])"
_END = r"(?![\w@]|[.:\-][\w])"

FORMS: tuple[Form, ...] = (
    Form("phone", re.compile(rf"{_EDGE}(?:\+|00)?\(?\d[\d ().\-/]{{5,18}}\d(?![\w@])"), _phone),
    Form(
        "hardware-address",
        re.compile(
            rf"{_EDGE}(?:(?:[{_HEX}]{{2}}[:\-]){{5,7}}[{_HEX}]{{2}}"
            rf"|(?:[{_HEX}]{{4}}\.){{2,3}}[{_HEX}]{{4}}|(?:0x)?(?:[{_HEX}]{{16}}|[{_HEX}]{{12}})){_END}"
        ),
        _hardware,
    ),
    Form(
        "ip",
        re.compile(
            rf"{_EDGE}(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}|[{_HEX}]{{0,4}}(?::[{_HEX}]{{0,4}}){{2,7}})"
            rf"(?![\w@]|[:\-]\w|\.\d)"
        ),
        _ip,
    ),
    Form(
        "uuid",
        re.compile(rf"{_EDGE}[{_HEX}]{{8}}(?:-?[{_HEX}]{{4}}){{3}}-?[{_HEX}]{{12}}{_END}"),
        _uuid,
    ),
    Form("url", re.compile(r"(?:[a-z][a-z0-9+.\-]*://|\bwww\.)[^\s\"'<>`\\]+"), _url),
    Form("host", re.compile(rf"{_EDGE}(?:[a-z0-9\-]+\.)+[a-z]{{2,}}{_END}"), _host),
    Form("record-id", re.compile(rf"(?<![\w\-./:@]){_RECORD.pattern}(?![\w@\-]|[.:/]\w)"), _record),
)


def forms_of(value: str) -> Iterator[tuple[Form, tuple[str, ...]]]:
    """The forms that the folded value has, each with the canonical spellings that are the same.

    A host alone is the first label of a full name. A telephone number without its country stands
    for the one with it, and the other way round, from nine digits on.
    """
    for form in FORMS:
        if form.name == "host":
            if re.fullmatch(r"[a-z][a-z0-9\-]*\d[a-z0-9\-]*", value):
                yield form, (value,)
        elif canonical := form.of(value):
            yield form, (canonical, *_same_phone(form, canonical))


def _same_phone(form: Form, canonical: str) -> Iterator[str]:
    if form.name == "phone" and canonical.startswith("+"):
        for country in (1, 2, 3):
            rest = canonical[1 + country :]
            if len(rest) >= 9:
                yield rest


def prefix_of(value: str) -> tuple[str, str] | None:
    """The letters and the digits of a record id, `#w` and `9502126`; None where it is none."""
    match = re.fullmatch(r"(#?[a-z]{1,8}[\-_#]?)(\d{5,})", value)
    return (match[1], match[2]) if match else None
