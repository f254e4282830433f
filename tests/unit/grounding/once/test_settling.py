"""What a read says of a deed: by every value at its path, or nothing."""

from __future__ import annotations

import pytest

from groundwire.documents.declaration import Settling
from groundwire.grounding.once.settling import settled

SAID = Settling(tool="get", at="$.items[*].status", landed=("paid", "settled", 1), absent=("none",))


@pytest.mark.parametrize(
    ("result", "stands"),
    [
        ('{"items":[{"status":"paid"}]}', "landed"),
        ('{"items":[{"status":" PAID"},{"status":"settled"},{"status":1.0}]}', "landed"),
        ('{"items":[{"status":"none"}]}', "absent"),
        ('{"items":[{"status":"none"},{"status":"paid"}]}', None),
        ('{"items":[{"status":"none"},{"status":"pending"}]}', None),
        ('{"items":[]}', None),
        ("{}", None),
        ("none", None),
        ('{"items":[{"status":null}]}', None),
        ('{"items":[{"status":true}]}', None),
        ("\ud800", None),
        ('{"items":[{"status":"paid","status":"none"}]}', None),
        ('{"items":[{"status":"none","status":"none"}]}', None),
        ('{"items":[{"status":"none"}],"more":{"a":1,"a":1}}', None),
        ('{"items":[{"status":"no\\u0000ne"}]}', None),
        ('{"items":[{"status":"none\\ufe0f"}]}', None),
        ('{"items":[{"status":"none\\u2800"}]}', None),
    ],
)
def test_only_what_is_declared_says_anything(result: str, stands: str | None) -> None:
    assert settled(SAID, result) == stands
