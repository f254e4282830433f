"""Content digests: equal for what says the same, different for anything else."""

from __future__ import annotations

import pytest

from groundwire.canon.digest import tagged
from groundwire.documents.call import ToolCall
from groundwire.documents.frame import CallPart, Media, Opaque, Part, Reasoning, ResultPart, Text
from groundwire.wire.message_digest import canonical_arguments, content_digest


def call(arguments: str, **fields: str) -> CallPart:
    given = {"id": "c", "name": "f", "executed_by": "host", **fields}
    return CallPart(ToolCall(arguments=arguments, **given))  # type: ignore[arg-type]  # plain texts


def digest(*parts: Part) -> str:
    return content_digest("assistant", parts)


def test_the_digest_is_the_tagged_one_over_role_and_parts() -> None:
    assert content_digest("user", [Text("hi")]) == tagged("message", b"user", b"text", b"hi")
    assert digest(call('{"b":1.0,"a":2}')) == tagged(
        "message", b"assistant", b"call", b"c", b"f", b"json", b'{"a":2,"b":1}'
    )


def test_what_says_the_same_is_equal() -> None:
    assert digest(call('{"a":1,"b":[2]}')) == digest(call('{ "b": [2.0], "a": 1e0 }'))
    assert digest(call("{}")) == digest(call("{}", executed_by="provider"))
    assert digest(ResultPart("c", "x")) == digest(
        ResultPart("c", "x", name="f", executed_by="provider")
    )
    assert digest(Text("x"), Reasoning("hm")) == digest(Text("x"))
    assert digest(Text("x"), Opaque("redacted_thinking", '{"data":"a"}')) == digest(Text("x"))
    plain = Opaque("k", '{"type":"k","a":[{"b":1}]}')
    marked = '{"a": [{"b":1,"cache_control":{"type":"x"}}], "status":"done", "n":null, "type":"k"}'
    assert digest(plain) == digest(Opaque("k", marked))
    assert digest(Media("image/png", "sha256:" + "0" * 64, 7)) == digest(
        Media("image/*", "sha256:" + "0" * 64, 0)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((Text("x"),), (Text("y"),)),
        ((Text("x"), Text("y")), (Text("xy"),)),
        ((Text("x"),), (Reasoning("x"),)),
        ((Reasoning("x"),), (Reasoning("y"),)),
        ((call('{"a":1}'),), (call('{"a":2}'),)),
        ((call('{"a":1}'),), (call('{"a":"1"}'),)),
        ((call('{"a":1}'),), (call('{"a":1,"a":1}'),)),
        ((call('{"a":9007199254740993}'),), (call('{"a":9007199254740992}'),)),
        ((call('{"a":1}'),), (call('{"a":1'),)),
        ((call("{}"),), (call("{}", id="d"),)),
        ((call("{}"),), (call("{}", name="g"),)),
        ((call('{"a":1e999}'),), (call('{"a":2e999}'),)),
        ((ResultPart("c", "x"),), (ResultPart("d", "x"),)),
        ((ResultPart("c", "x"),), (ResultPart("c", "x", is_error=True),)),
        ((ResultPart("", "x", name="f"),), (ResultPart("", "x", name="g"),)),
        ((Opaque("k", "[1]"),), (Opaque("k", "[2]"),)),
        ((Opaque("k", "1"),), (Opaque("j", "1"),)),
        ((Text("call"), Text("c")), (Text("call"),)),
    ],
)
def test_what_says_something_else_is_different(
    one: tuple[Part, ...], other: tuple[Part, ...]
) -> None:
    assert digest(*one) != digest(*other)


def test_the_role_counts() -> None:
    assert content_digest("user", [Text("x")]) != content_digest("system", [Text("x")])


@pytest.mark.parametrize(
    "arguments",
    ["", "{", '{"a":NaN}', '{"a":1,"a":2}', '{"a":' + "9" * 5000 + "}", "[" * 600 + "]" * 600],
)
def test_arguments_without_a_canonical_form_count_as_exact_text(arguments: str) -> None:
    assert canonical_arguments(arguments) == (b"text", arguments.encode())


def test_opaque_parts_nested_too_deep_count_as_they_stand() -> None:
    deep = "[" * 3000 + "]" * 3000
    assert digest(Opaque("k", deep)) == tagged(
        "message", b"assistant", b"opaque", b"k", deep.encode()
    )
