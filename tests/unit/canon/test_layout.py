from __future__ import annotations

import json

import pytest

from groundwire.canon import layout
from groundwire.canon.layout import Range, demand_value, element, elements, member, text_of
from groundwire.errors import EncodingError


@pytest.fixture(params=[0, 32], ids=["compared", "walked"], autouse=True)
def few(request, monkeypatch) -> None:
    """Containers this small are compared in one piece, as wide ones are, or walked."""
    monkeypatch.setattr(layout, "_FEW", request.param)


def whole(body: bytes) -> Range:
    return Range(0, len(body))


def member_of(body: bytes, key: str) -> bytes:
    place = member(body, whole(body), key)
    return body[place.start : place.end]


def element_of(body: bytes, index: int) -> bytes:
    place = element(body, whole(body), index)
    return body[place.start : place.end]


def reason(call, *arguments) -> str:
    with pytest.raises(EncodingError) as caught:
        call(*arguments)
    return caught.value.reason


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":1,"bb":[2,{"a":3}],"c":"x"}',
        b'{"a": 1, "bb": [2,{"a":3}], "c": "x"}',
        b'{\n  "a": 1,\n  "bb": [2,{"a":3}],\n  "c": "x"\n}',
        b'{ "a" :1,  "bb": [2,{"a":3}]\t,"c":\r\n"x" }',
        b'{"\\u0061":1,"bb":[2,{"a":3}],"c":"x"}',
        b'{"a":0,"bb":[2,{"a":3}],"c":"x","a":1}',
        b'{"a":"}\\",","a":[0,"]"],"a":1,"bb":[2,{"a":3}],"c":"y","c":"x"}',
    ],
)
def test_a_member_is_found_in_any_rhythm(body) -> None:
    assert [member_of(body, key) for key in ("a", "bb", "c")] == [b"1", b'[2,{"a":3}]', b'"x"']
    assert reason(member, body, whole(body), "b") == "no-such-value"


@pytest.mark.parametrize(
    "earlier",
    [b"1", b"12", b'"1"', b"[1]", b'{"a":1}', b"true", b"1e5", b'"a\\"}]"', b'["\\\\",{"b":"]"}]'],
)
@pytest.mark.parametrize("last", [b"1", b"12", b'"a\\"}]"', b'["\\\\",{"b":"]"}]', b"null"])
@pytest.mark.parametrize("gap", [b",", b" , "])
def test_of_a_key_that_stands_twice_the_last_value_is_meant(earlier, last, gap) -> None:
    for middle in (b"", b'"m":[]' + gap):
        body = b'{"k":' + earlier + gap + middle + b'"k":' + last + b"}"
        place = member(body, whole(body), "k")
        assert place == Range(len(body) - 1 - len(last), len(body) - 1)
        body = body[:-1] + gap + b'"z":0}'
        assert member_of(body, "k") == last
        assert member_of(body, "z") == b"0"


def test_an_object_without_members_has_none() -> None:
    assert reason(member, b"{}", whole(b"{}"), "") == "no-such-value"
    assert member_of(b'{"":0}', "") == b"0"


@pytest.mark.parametrize(
    "body",
    [
        b'["a",[1, 2],{"b":3},4]',
        b'["a", [1, 2], {"b":3}, 4]',
        b'[\n "a",\n [1, 2],\n {"b":3},\n 4\n]',
        b'[ "a",[1, 2] ,\t{"b":3}\r\n, 4]',
    ],
)
def test_an_element_is_found_in_any_rhythm(body) -> None:
    expected = [b'"a"', b"[1, 2]", b'{"b":3}', b"4"]
    assert [element_of(body, index) for index in range(4)] == expected
    assert [body[place.start : place.end] for place in elements(body, whole(body))] == expected
    assert reason(element, body, whole(body), 4) == "no-such-value"


@pytest.mark.parametrize("gap", [",", ", ", " ,\n"])
@pytest.mark.parametrize("size", [1, 2, 50, 5000])
def test_an_element_of_a_flat_array_is_found_by_its_commas(gap, size) -> None:
    numbers = [str(number * 7919 % 1000) for number in range(size)]
    body = f"[ {gap.join(numbers)} ]".encode()
    for index in {0, size // 3, size - 1}:
        assert element_of(body, index) == numbers[index].encode()
    assert reason(element, body, whole(body), size) == "no-such-value"
    assert reason(element, body, whole(body), 10**17) == "no-such-value"


def test_an_array_without_elements_has_none() -> None:
    for body in (b"[]", b"[ ]", b"[\n\t]"):
        assert elements(body, whole(body)) == []
        assert reason(element, body, whole(body), 0) == "no-such-value"


@pytest.mark.parametrize(
    "body", [b"[1,2", b"[1,,2]", b"[1 2]", b"[1,2]]", b"[01]", b"[1,]", b"[nul]"]
)
def test_a_malformed_array_is_no_array(body) -> None:
    assert reason(element, body, whole(body), 0) == "not-json"
    assert reason(elements, body, whole(body)) == "not-json"


@pytest.mark.parametrize(
    "body", [b'{"a":1', b'{"a":1,}', b'{"a" 1}', b"{a:1}", b'{"a":1}}', b'{"a":1,"b":[}']
)
def test_a_malformed_object_is_no_object(body) -> None:
    assert reason(member, body, whole(body), "a") == "not-json"


def test_one_value_is_demanded_and_no_more() -> None:
    for body in (b"1", b'"a"', b"[1,{}]", b" null "):
        demand_value(body, whole(body))
    for body in (b"", b"1 2", b"[", b"tru", b'"\n"', b"1,"):
        assert reason(demand_value, body, whole(body)) == "not-json"
    deep = b"[" * 100_000
    assert reason(demand_value, deep, whole(deep)) == "too-deep"
    assert reason(member, b'{"a":' + deep, Range(0, 50_000), "a") == "too-deep"


def test_a_string_is_unescaped() -> None:
    assert text_of(b'"\\u00e9\\ud83d\\ude00\\n"') == "\u00e9\U0001f600\n"
    for spelled in (b'"\\ud83d"', b'"\\x"', b'"', b'""x"', b"1", b'"\xff"'):
        assert reason(text_of, spelled) == "not-json"


@pytest.mark.parametrize("last", ["0", '{"z":1}', "9"])
def test_in_a_wide_object_the_last_of_two_is_meant(last) -> None:
    members = [f'"key {number}":{number}' for number in range(100)]
    for at in (1, 50, 99, 100):
        several = [*members[:at], f'"key 0":{last}', *members[at:]]
        body = f"{{{','.join(several)}}}".encode()
        assert member_of(body, "key 0") == last.encode()
        assert member_of(body, "key 99") == b"99"


@pytest.mark.parametrize("odd", [[",  "], [" ,"], [",\n"], [",  ", ","], [",", " ,\n"], [",\t"]])
@pytest.mark.parametrize("at", [1, 50, 98])
def test_in_a_wide_container_out_of_step_every_part_is_found(odd, at) -> None:
    texts = [f'"{number}, {number}"' for number in range(100)]
    gaps = ["", *[", "] * 99]
    # Two that are out of step may be as long together as two that are in step.
    gaps[at : at + len(odd)] = odd
    array = f"[{''.join(gap + text for gap, text in zip(gaps, texts, strict=True))}]".encode()
    members = [f'{gap}"{text[1:4]}":{text}' for gap, text in zip(gaps, texts, strict=True)]
    mapping = f"{{{''.join(members)}}}".encode()
    found = elements(array, whole(array))
    assert [array[place.start : place.end].decode() for place in found] == texts
    for number, text in enumerate(texts):
        assert element_of(array, number) == text.encode()
        assert member_of(mapping, text[1:4]) == text.encode()


def test_a_wide_object_is_read_in_one_rhythm_and_without_walking(monkeypatch) -> None:
    monkeypatch.delattr(layout, "_last_member")
    value = {f"key {number}": [number, {"\u00e9": number}] for number in range(500)}
    for text in (json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)):
        body = text.encode()
        assert json.loads(member_of(body, "key 499")) == [499, {"\u00e9": 499}]
