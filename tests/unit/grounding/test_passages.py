from __future__ import annotations

import pytest

from groundwire.documents.frame import Media, Opaque, Part, Reasoning, ResultPart, Role, Text
from groundwire.grounding.passages import OWN, is_unread, passages
from tests.stories import call


@pytest.mark.parametrize(
    ("role", "part", "voice"),
    [
        ("system", Text("t"), "system"),
        ("user", Text("t"), "user"),
        ("tool", Text("t"), "result"),
        ("assistant", Text("t"), "assistant"),
        ("assistant", Reasoning("t"), "assistant"),
        ("assistant", call("find", "t"), "call"),
        ("user", ResultPart("c1", "t"), "result"),
        ("assistant", ResultPart("c1", "t", executed_by="provider"), "result"),
        ("user", Opaque("document", "t"), "opaque"),
        ("assistant", Opaque("new_kind", "t"), "opaque"),
    ],
)
def test_each_text_has_the_voice_of_who_put_it_there(role: Role, part: Part, voice: str) -> None:
    assert [(passage.voice, passage.text) for passage in passages(role, (part,))] == [(voice, "t")]


def test_only_what_the_model_wrote_is_its_own() -> None:
    assert {"assistant", "call"} == OWN


def test_an_image_has_no_text_and_is_unread() -> None:
    image = (Media("image/png", "sha256:", 3),)
    assert list(passages("user", image)) == []
    assert is_unread(image)


def test_a_result_with_parts_that_are_no_text_is_unread() -> None:
    assert is_unread((ResultPart("c1", "text", opaque=1),))
    assert not is_unread((ResultPart("c1", "text"), Text("t"), Opaque("k", "{}")))
