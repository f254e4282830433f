"""The shapes of secrets: for each rare mark, what must stand around it.

A look is given the bytes and the place of its mark and answers `(start, end, shape)` or None. It
errs towards None for anything that is also a word, a slug, a digest or an id: a withheld UUID would
make a recording useless, and audits would lose what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

Stretch: TypeAlias = tuple[int, int, str]
Look: TypeAlias = Callable[[bytes, int], Stretch | None]
Pattern: TypeAlias = re.Pattern[bytes]

_ALPHANUMERIC = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_ESCAPED = frozenset(b"nrtbf")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_LARGEST_PEM = 65_536

# A run that no word of a language looks like: letters and digits mixed, or long with both cases.
_RANDOM = re.compile(
    rb"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{10}"
    rb"|(?=[a-z]*[A-Z])(?=[A-Z]*[a-z])[A-Za-z]{24}"
)
# All three kinds of character: enough where a name says that a value is one to keep.
_MIXED = re.compile(rb"(?=.*[0-9])(?=.*[A-Z]).*[a-z]", re.DOTALL)
# Enough after a prefix that means nothing else.
_UNLIKE_WORDS = re.compile(rb"[A-Z0-9]")

# Prefix, shape, what follows it, and what must be found in that.
_PREFIXED: tuple[tuple[bytes, str, Pattern, Pattern], ...] = tuple(
    (prefix, shape, re.compile(body), proof)
    for prefixes, shape, body, proof in (
        (b"sk- rk-", "provider-key", rb"[A-Za-z0-9_-]{16,}", _RANDOM),
        (b"xai- pplx- tvly- nvapi-", "provider-key", rb"[A-Za-z0-9_-]{20,}", _RANDOM),
        (b"hf_ gsk_ r8_", "provider-key", rb"[A-Za-z0-9]{30,}", _RANDOM),
        (
            b"xoxa- xoxb- xoxe- xoxp- xoxr- xoxs-",
            "chat-token",
            rb"[A-Za-z0-9-]{10,}",
            _UNLIKE_WORDS,
        ),
        (b"xapp-", "chat-token", rb"[A-Za-z0-9-]{20,}", _RANDOM),
        (b"glpat-", "code-host-token", rb"[A-Za-z0-9_-]{20,}", _UNLIKE_WORDS),
        (b"ghp_ gho_ ghu_ ghs_ ghr_", "code-host-token", rb"[A-Za-z0-9]{20,}", _UNLIKE_WORDS),
        (b"github_pat_", "code-host-token", rb"[A-Za-z0-9_]{22,}", _UNLIKE_WORDS),
        (b"lin_api_", "code-host-token", rb"[A-Za-z0-9]{30,}", _UNLIKE_WORDS),
        (b"npm_", "registry-token", rb"[A-Za-z0-9]{30,}", _RANDOM),
        (b"pypi-", "registry-token", rb"AgE[A-Za-z0-9_-]{40,}", _RANDOM),
        (
            b"sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
            "payment-key",
            rb"[A-Za-z0-9]{16,}",
            _RANDOM,
        ),
        (b"shpat_ shpss_ shpca_", "payment-key", rb"[a-fA-F0-9]{32}", _RANDOM),
        (b"GOCSPX-", "cloud-key", rb"[A-Za-z0-9_-]{20,}", _UNLIKE_WORDS),
        (b"dop_v1_", "cloud-key", rb"[a-f0-9]{60,}", _RANDOM),
        (b"glsa_", "cloud-key", rb"[A-Za-z0-9]{32}_[a-f0-9]{8}", _RANDOM),
        (b"AGE-SECRET-KEY-", "private-key", rb"1[A-Z0-9]{50,}", _RANDOM),
    )
    for prefix in prefixes.split()
)
# Most marks are none: the three bytes that end a prefix tell that at once.
_BY_END: dict[bytes, list[tuple[bytes, str, Pattern, Pattern]]] = {}
for _row in _PREFIXED:
    _BY_END.setdefault(_row[0][-3:], []).append(_row)

# A key that says whose it is needs no further sign of being random.
_NAMED = re.compile(rb"sk-(?:ant-[a-z]+[0-9]{2}-|or-v1-|proj-|svcacct-|admin-)[A-Za-z0-9_-]{16,}")

_AMAZON = re.compile(rb"A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])")
_GOOGLE = re.compile(rb"AIza[A-Za-z0-9_-]{30,}")
_SEND = re.compile(rb"\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}")
_OAUTH = re.compile(rb"\.[A-Za-z0-9_-]{20,}")
_SIGNED = re.compile(rb"\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*")
_URL_SAFE = bytes(_ALPHANUMERIC) + b"_-"
_CREDENTIALS = re.compile(rb"://[^\s/:@\"'\\]{0,128}:([^\s/@\"'\\]{3,128})\Z")
_PEM_LINES = re.compile(rb"-+(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{32,})+(?:\\+[nr]|\s)*[A-Za-z0-9+/=]*")

# What a name or a scheme announces. Between the two: colons, quotes, escapes of them.
_BETWEEN = rb"""[\s"'\\:=>]{1,12}"""
_VALUE = rb"(?:[A-Za-z0-9._~+/=-]|\\+/)"
_BEARER = re.compile(
    rb"earer(?:[ _-]?[tT]oken)?(?:\s|%20|%3[aAdD]|\+|\\+[nt]|[\"'\\:=]){1,12}("
    + _VALUE
    + rb"{16,})"
)
_AUTHORISATION = re.compile(
    rb"uthorization" + _BETWEEN + rb"(?:(?i:Basic|Token|ApiKey|Digest|Negotiate|Bearer)\s+"
    rb"(?P<sure>" + _VALUE + rb"{6,})|(" + _VALUE + rb"{20,}))"
)
_KEY_HEADER = re.compile(rb"-[kK]ey" + _BETWEEN + rb"(" + _VALUE + rb"{16,})")
_ACCESS_KEY = re.compile(
    rb"_?access_?key" + _BETWEEN + rb"((?:[A-Za-z0-9+=]|\\*/){40,})", re.IGNORECASE
)


# A word as names of variables, files and settings have it: `key`, `apiKey`, `TOKEN2`.
_WORD = rb"(?:[A-Z]?[a-z]{2,16}(?:[A-Z][a-z]{2,16}){0,2}|[A-Z]{2,16})[0-9]{0,2}"
_WORDS_BEFORE = re.compile(
    rb"(?:\A|[^A-Za-z0-9_-]|%[0-9a-fA-F]{2})(?:" + _WORD + rb"[-_])*(?P<direct>" + _WORD + rb")?\Z"
)
_FARTHEST_WORD = 64
# Prefixes that nothing else has, and of these the ones on which no word ends (`disk_live_` is one).
_UNMISTAKABLE = frozenset(
    b"xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp- glpat- ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ lin_api_"
    b" pypi- sk_live_ sk_test_ rk_live_ rk_test_ whsec_ shpat_ shpss_ shpca_ GOCSPX- dop_v1_ glsa_"
    b" AGE-SECRET-KEY- nvapi- tvly- pplx-".split()
)
_ENDS_NO_WORD = frozenset(b"xoxb- xoxp- glpat- ghp_ github_pat_ GOCSPX- dop_v1_".split())
# Behind a word with a hyphen, `sk-` may be a language in the name of a file, with a digest after it.
_KEY_BEHIND_WORD = re.compile(
    rb"(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{20}"
)
_NAMED_BEHIND_WORD = re.compile(
    rb"(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{12}|[0-9a-f]{40}"
)


def _behind_word(data: bytes, start: int) -> bool | None:
    """False: what stands before `start` is words that end with `-` or `_`; True: with a letter.

    None for anything else, as the middle of base64, where a prefix stands by chance.
    """
    first = max(0, start - _FARTHEST_WORD)
    # Where the look is cut off, its first byte tells nothing about what stands before it.
    found = _WORDS_BEFORE.search(data[first:start])
    if found is None or (first and found.start() == 0 and found[0][:1].isalnum()):
        return None
    return found["direct"] is not None


def _at_boundary(data: bytes, start: int) -> bool:
    """Nothing that belongs to a longer word stands before `start`.

    The letter of a JSON escape (of a new line, say) and the digits of a percent escape are no words.
    """
    if start == 0 or data[start - 1] not in _ALPHANUMERIC:
        # In the middle of URL-safe base64 a prefix stands by chance.
        return start < 2 or data[start - 1] not in b"-_" or data[start - 2] not in _ALPHANUMERIC
    if start >= 2 and data[start - 2] == 0x5C and data[start - 1] in _ESCAPED:
        return True
    return start >= 3 and data[start - 3] == 0x25 and _HEX.issuperset(data[start - 2 : start])


def _prefixed(data: bytes, at: int) -> Stretch | None:
    """A token whose prefix ends with the mark at `at`."""
    for prefix, shape, body, proof in _BY_END.get(data[max(0, at - 2) : at + 1], ()):
        start = at + 1 - len(prefix)
        if start < 0 or not data.startswith(prefix, start):
            continue
        found = body.match(data, at + 1)
        if found and _is_key(data, start, at + 1, found.end(), prefix, proof):
            return start, found.end(), shape
    return None


def _is_key(
    data: bytes, start: int, body: int, end: int, prefix: bytes, proof: Pattern
) -> bool:  # fmt: skip
    """What begins with the prefix at `start` is no part of a word or of base64.

    Behind a word more is asked of it than where nothing stands before it.
    """
    named = _NAMED.match(data, start) is not None
    if _at_boundary(data, start):
        return named or proof.search(data, body, end) is not None
    direct = _behind_word(data, start)
    if direct is None or (direct and prefix not in _ENDS_NO_WORD):
        return False
    if named:
        proof = _NAMED_BEHIND_WORD
    elif prefix not in _UNMISTAKABLE:
        proof = _KEY_BEHIND_WORD
    return proof.search(data, body, end) is not None


def _underscore(data: bytes, at: int) -> Stretch | None:
    if data[at + 1 : at + 7].lower() == b"access":
        return _access_key(data, at)
    return _prefixed(data, at)


def _dash(data: bytes, at: int) -> Stretch | None:
    if data.startswith(b"-----", at):
        return _private_key(data, at)
    return _prefixed(data, at) or _announced(data, at, _KEY_HEADER)


def _private_key(data: bytes, at: int) -> Stretch | None:
    """A PEM private key, from `-----BEGIN` to the end of its END line; `at` ends the first line."""
    start = data.rfind(b"-----BEGIN ", max(0, at - 64), at)
    if start < 0 or b"PRIVATE" not in data[start:at]:
        return None
    last = data.find(b"-----END ", at, at + _LARGEST_PEM)
    if last >= 0:
        end = data.find(b"-----", last + 9, last + 80)
        return start, end + 5 if end >= 0 else last + 9, "private-key"
    # Cut off before its end: the lines of base64 that are there. A mere mention has none.
    lines = _PEM_LINES.match(data, at)
    return (start, lines.end(), "private-key") if lines else None


def _capital(data: bytes, at: int) -> Stretch | None:
    if data.startswith(b"Access", at):
        return _access_key(data, at)
    found = _AMAZON.match(data, at) or _GOOGLE.match(data, at)
    if found and (_at_boundary(data, at) or _behind_word(data, at) is not None):
        return at, found.end(), "cloud-key"
    return None


def _access_key(data: bytes, at: int) -> Stretch | None:
    """The value after `secret_access_key`, in its spellings; it has no shape of its own."""
    if data[max(0, at - 6) : at].lower() != b"secret":
        return None
    return _announced(data, at, _ACCESS_KEY, "cloud-key")


def _dot(data: bytes, at: int) -> Stretch | None:
    if data.startswith(b"eyJ", at + 1):
        found = _SIGNED.match(data, at)
        # Stripped and not searched for: a search from every `eyJ` before costs seconds a megabyte.
        before = data[max(0, at - 8192) : at]
        head = before.find(b"eyJ", len(before.rstrip(_URL_SAFE)))
        start = at - len(before) + head
        return (start, found.end(), "jwt") if found and head >= 0 and at - start > 10 else None
    for prefix, pattern, shape in ((b"SG", _SEND, "mail-key"), (b"ya29", _OAUTH, "cloud-key")):
        start = at - len(prefix)
        found = pattern.match(data, at)
        if start < 0 or not found or not data.startswith(prefix, start):
            continue
        if _at_boundary(data, start) or _behind_word(data, start) is False:
            return start, found.end(), shape
    return None


def _at_sign(data: bytes, at: int) -> Stretch | None:
    """The password of a URL: `scheme://user:PASSWORD@host`."""
    start = data.rfind(b"://", max(0, at - 300), at)
    found = _CREDENTIALS.match(data, start, at) if start >= 0 else None
    return (found.start(1), at, "url-password") if found else None


def _bearer(data: bytes, at: int) -> Stretch | None:
    return _announced(data, at, _BEARER)


def _authorisation(data: bytes, at: int) -> Stretch | None:
    return _announced(data, at, _AUTHORISATION)


def _announced(
    data: bytes, at: int, pattern: Pattern, shape: str = "authorisation"
) -> Stretch | None:
    """The value that a name or scheme at `at` announces; prose ("bearer of bad news") is none."""
    found = pattern.match(data, at)
    if found is None:
        return None
    start, end = found.span(found.lastindex or 0)
    if "sure" in found.groupdict() and found["sure"] is not None:
        return start, end, shape
    likely = _RANDOM.search(data, start, end) or _MIXED.match(data, start, end)
    return (start, end, shape) if likely else None


# Each mark is one literal byte with a cheap look around, so that a scan is a handful of passes at
# the speed of a search for one byte. A word of four bytes and more is found as fast by `find`.
MARKS: tuple[tuple[Pattern, Look], ...] = (
    (
        re.compile(
            rb"-(?:(?<=[sr]k-|ai-|lx-|ly-|pi-|x[abeprs]-|pp-|at-|PX-|EY-|CK-)"
            rb"|(?<=[pP][iI]-)(?=[kK]ey))"
        ),
        _dash,
    ),
    (
        re.compile(
            rb"_(?:(?<=h[opurs]_|at_|sk_|hf_|r8_|pi_|pm_|ve_|st_|ec_|ss_|ca_|v1_|sa_)"
            rb"(?=[A-Za-z0-9]{16})|(?=access_key|ACCESS_KEY))"
        ),
        _underscore,
    ),
    (re.compile(rb"A(?=KIA|SIA|Iza|ccessKey)"), _capital),
    (re.compile(rb"\.(?:(?=eyJ)|(?<=SG\.|29\.))"), _dot),
)
WORDS: tuple[tuple[bytes, Look], ...] = (
    (b"earer", _bearer),
    (b"uthorization", _authorisation),
    (b"@", _at_sign),
)
