"""What kind of secret a file's bytes are, by their form alone: a short closed list.

Told apart by structure that nothing else has, so that a text which speaks of keys is no key.
Unknown kinds of secrets, encoded or encrypted ones, and passwords in prose are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["private-key", "cloud-credentials", "registry-token", "login"]

KINDS: Final[frozenset[str]] = frozenset(get_args(Kind))
_LOOKED_AT: Final = 1 << 20

# A header, at least three full lines of base64, and the end of the same.
_PEM: Final = re.compile(
    rb"-----BEGIN ((?:[A-Z0-9]+ ){0,5}PRIVATE KEY(?: BLOCK)?)-----\s++(?:[A-Za-z-]++: [^\n]*+\n)*+\s*+"
    rb"(?:[A-Za-z0-9+/=]{40,}+\s++){1,}+[A-Za-z0-9+/=\s]*+-----END \1-----"
)
_PUTTY: Final = re.compile(rb"\APuTTY-User-Key-File-\d: .*\nEncryption: .*\n", re.MULTILINE)
_AGE: Final = re.compile(rb"^AGE-SECRET-KEY-1[0-9A-Z]{58}\r?$", re.MULTILINE)
_AWS: Final = re.compile(
    rb"^[ \t]*aws_secret_access_key\s*[=:]\s*[A-Za-z0-9/+]{40}\s*$", re.MULTILINE | re.IGNORECASE
)
_SERVICE_ACCOUNT: Final = (
    re.compile(rb'"type"\s*:\s*"service_account"'),
    re.compile(rb'"private_key"\s*:\s*"-----BEGIN'),
)
_KUBE: Final = re.compile(rb"^[ \t]*client-key-data:\s*[A-Za-z0-9+/=]{100,}\s*$", re.MULTILINE)
_NPM: Final = re.compile(rb"^[^#;\n]*:_authToken\s*=\s*[^\s$]{20,}\s*$", re.MULTILINE)
_DOCKER: Final = (
    re.compile(rb'"auths"\s*:\s*\{'),
    re.compile(rb'"auth"\s*:\s*"[A-Za-z0-9+/=]{8,}"'),
)
_NETRC: Final = re.compile(rb"^[ \t]*machine\s+\S+\s+login\s+\S+\s+password\s+\S+", re.MULTILINE)

# Each is one pattern, or two of which the second stands somewhere after the first. What is looked
# at an attacker may have written: no pattern may need more than a few looks at each byte.
_FORMS: Final[tuple[tuple[Kind, tuple[re.Pattern[bytes], ...]], ...]] = (
    ("private-key", (_PEM,)),
    ("private-key", (_PUTTY,)),
    ("private-key", (_AGE,)),
    ("cloud-credentials", (_AWS,)),
    ("cloud-credentials", _SERVICE_ACCOUNT),
    ("cloud-credentials", (_KUBE,)),
    ("registry-token", (_NPM,)),
    ("registry-token", _DOCKER),
    ("login", (_NETRC,)),
)


def kind_of(content: bytes) -> Kind | None:
    """The kind of secret that the bytes hold; None where they hold none that is known here.

    Looks at the first megabyte.
    """
    return denied_kind(content, KINDS)


def denied_kind(content: bytes, kinds: Collection[str]) -> Kind | None:
    """The kind for which the bytes must not be shown; None where they may.

    What else they hold is no matter. Looks at the first megabyte.
    """
    looked_at = content[:_LOOKED_AT]
    for kind, form in _FORMS:
        if kind in kinds and _stands_in(looked_at, form):
            return kind
    return None


def _stands_in(content: bytes, form: tuple[re.Pattern[bytes], ...]) -> bool:
    """Whether the patterns stand in the bytes, one after the other."""
    at = 0
    for each in form:
        found = each.search(content, at)
        if found is None:
            return False
        at = found.end()
    return True
