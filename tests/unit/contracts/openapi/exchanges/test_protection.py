"""Who may send requests: every old alternative has to do, and nobody else is let in."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from groundwire.canon.jcs import JSON
from tests.unit.contracts.openapi.exchanges.asking import OK, api, changes, only, told

KEY: dict[str, JSON] = {"type": "apiKey", "in": "header", "name": "X-Key"}
QUERY: dict[str, JSON] = {"type": "apiKey", "in": "query", "name": "key"}
BASIC: JSON = {"type": "http", "scheme": "basic"}
BEARER: JSON = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
OIDC: dict[str, JSON] = {
    "type": "openIdConnect",
    "openIdConnectUrl": "https://id.example/.well-known",
}
TLS: JSON = {"type": "mutualTLS"}
TOKEN = "https://id.example/token"


def _flow(token: str = TOKEN, **more: JSON) -> JSON:
    return {"clientCredentials": {"tokenUrl": token, "scopes": {"r": "", "w": ""}}, **more}


def _oauth(**flows: JSON) -> JSON:
    return {"type": "oauth2", "flows": flows}


OAUTH: JSON = {"type": "oauth2", "flows": _flow()}
SCHEMES: Mapping[str, JSON] = {
    "key": KEY,
    "query": QUERY,
    "basic": BASIC,
    "bearer": BEARER,
    "oidc": OIDC,
    "tls": TLS,
    "oauth": OAUTH,
}


def _demanding(
    *alternatives: JSON,
    everywhere: JSON = None,
    schemes: Mapping[str, JSON] = SCHEMES,
    method: str = "post",
    said: bool = True,
) -> dict[str, JSON]:
    operation: dict[str, JSON] = {"responses": OK}
    if said:
        operation["security"] = list(alternatives)
    root = {} if everywhere is None else {"security": everywhere}
    components: JSON = {"securitySchemes": dict(schemes)}
    return api(paths={"/a": {method: operation}}, components=components, **root)


def test_credentials_that_are_demanded_where_none_were_break_who_has_none() -> None:
    for open_ in (_demanding(), _demanding({}), _demanding(said=False)):
        found = only(open_, _demanding({"key": []}))
        assert (found.grade, found.rule) == ("breaking", "security-added")
        assert found.witness is not None
        assert found.witness.asked.headers == ()
        assert found.witness.before == "accepted"
        assert found.witness.after.startswith("refused: ")


def test_no_credentials_where_some_were_are_an_exposure_and_no_break() -> None:
    for open_ in (
        _demanding(),
        _demanding({}),
        _demanding({"key": []}, {}),
        _demanding(said=False),
    ):
        found = only(_demanding({"key": []}), open_)
        assert (found.grade, found.rule) == ("exposure", "security-removed")
        assert found.witness is not None
        assert (found.witness.before, found.witness.after) == ("refused", "accepted")


def test_what_an_operation_says_counts_before_what_holds_everywhere() -> None:
    key: JSON = [{"key": []}]
    everywhere = _demanding(everywhere=key, said=False)
    assert changes(everywhere, _demanding({"key": []})) == ()
    assert told(everywhere, _demanding(everywhere=key)) == [("exposure", "security-removed")]
    found = only(_demanding(said=False), everywhere)
    assert found.after is not None
    assert found.after.pointer == "#/security"


def test_what_holds_everywhere_is_one_cause_however_many_operations_it_reaches() -> None:
    paths: JSON = {f"/{name}": {"get": {"responses": OK}} for name in "ab"}
    old = api(paths=paths, components={"securitySchemes": dict(SCHEMES)})
    found = only(old, {**old, "security": [{"key": []}]})
    assert found.reaches == ("GET /a", "GET /b")


def test_a_scope_more_breaks_and_shows_the_credential_that_did() -> None:
    found = only(_demanding({"oauth": ["r"]}), _demanding({"oauth": ["w", "r"]}))
    assert (found.grade, found.rule) == ("breaking", "security-scope-added")
    assert "`w`" in found.says
    assert "`r`" not in found.says
    assert found.witness is not None
    assert found.witness.asked.headers == (("Authorization", "Bearer <token for r>"),)


@pytest.mark.parametrize(
    ("method", "grade"), [("post", "exposure"), ("delete", "exposure"), ("get", "noted")]
)
def test_a_scope_less_is_an_exposure_where_the_operation_changes_something(
    method: str, grade: str
) -> None:
    old = _demanding({"oauth": ["w", "r"]}, method=method)
    new = _demanding({"oauth": ["r"]}, method=method)
    assert told(old, new) == [(grade, "security-scope-removed")]


def test_a_scope_for_another_is_a_break_and_no_exposure() -> None:
    found = told(_demanding({"oauth": ["r"]}), _demanding({"oauth": ["w"]}))
    assert found == [("breaking", "security-scope-added")]


def test_alternatives_and_scopes_in_another_order_are_the_same() -> None:
    old = _demanding({"oauth": ["r"]}, {"oauth": ["w"]}, {"key": [], "basic": []})
    new = _demanding({"basic": [], "key": []}, {"oauth": ["w"]}, {"oauth": ["r"]})
    assert changes(old, new) == ()
    assert changes(_demanding({"oauth": ["r", "w"]}), _demanding({"oauth": ["w", "r"]})) == ()


def test_an_alternative_less_breaks_who_used_it_alone() -> None:
    found = only(_demanding({"key": []}, {"basic": []}), _demanding({"basic": []}))
    assert (found.grade, found.rule) == ("breaking", "security-alternative-removed")
    assert found.before is not None
    assert found.before.pointer == "#/paths/~1a/post/security/0"
    assert found.witness is not None
    assert found.witness.asked.headers == (("X-Key", "<key>"),)
    assert found.witness.asked.method == "POST"


def test_an_alternative_more_is_noted_unless_it_protects_less() -> None:
    def with_more(name: str) -> list[tuple[str, str]]:
        return told(_demanding({"oauth": []}), _demanding({"oauth": []}, {name: []}))

    assert with_more("key") == [("noted", "security-alternative-added")]
    assert with_more("tls") == [("noted", "security-alternative-added")]
    assert with_more("query") == [("exposure", "security-weakened")]
    assert with_more("basic") == [("exposure", "security-weakened")]
    assert told(_demanding({"tls": []}), _demanding({"tls": []}, {"key": []})) == [
        ("exposure", "security-weakened")
    ]
    assert told(_demanding({"basic": []}), _demanding({"basic": []}, {"query": []})) == [
        ("noted", "security-alternative-added")
    ]


def test_credentials_that_are_demanded_together_are_all_needed() -> None:
    one, both = _demanding({"key": []}), _demanding({"key": [], "basic": []})
    assert told(one, both) == [("breaking", "security-scheme-added")]
    assert told(both, one) == [("exposure", "security-scheme-removed")]
    found = only(one, both)
    assert "`basic`" in found.says


def test_schemes_are_what_they_are_whatever_they_are_called() -> None:
    other = {"k2": {**KEY, "name": "x-KEY", "description": "Another text."}}
    assert changes(_demanding({"key": []}), _demanding({"k2": []}, schemes=other)) == ()
    jwt = {"bearer": {"type": "http", "scheme": "Bearer"}}
    assert changes(_demanding({"bearer": []}), _demanding({"bearer": []}, schemes=jwt)) == ()


@pytest.mark.parametrize(
    ("name", "scheme", "expected"),
    [
        ("key", QUERY, ["breaking security-scheme-changed", "exposure security-weakened"]),
        ("key", {**QUERY, "in": "cookie"}, ["breaking security-scheme-changed"]),
        ("key", {**KEY, "name": "X-Other"}, ["breaking security-scheme-changed"]),
        ("query", {**QUERY, "name": "KEY"}, ["breaking security-scheme-changed"]),
        ("bearer", BASIC, ["breaking security-scheme-changed", "exposure security-weakened"]),
        ("tls", BEARER, ["breaking security-scheme-changed", "exposure security-weakened"]),
        ("basic", BEARER, ["breaking security-scheme-changed"]),
        ("bearer", OIDC, ["undecided security-changed"]),
        ("oauth", BEARER, ["undecided security-changed"]),
        ("oidc", {**OIDC, "openIdConnectUrl": "https://b"}, ["breaking security-flow-removed"]),
    ],
)
def test_a_scheme_that_becomes_another_is_told_at_the_scheme(
    name: str, scheme: JSON, expected: list[str]
) -> None:
    new = _demanding({name: []}, schemes={name: scheme})
    found = changes(_demanding({name: []}), new)
    assert [f"{each.grade} {each.rule}" for each in found] == expected
    if found[0].grade == "breaking":
        assert found[0].before is not None
        assert found[0].before.pointer == f"#/components/securitySchemes/{name}"


def test_a_flow_that_is_gone_or_elsewhere_breaks_and_a_further_one_does_not() -> None:
    code: JSON = {"authorizationUrl": "https://id.example/a", "tokenUrl": TOKEN, "scopes": {}}
    one = _demanding({"oauth": []})
    two = _demanding(
        {"oauth": []}, schemes={"oauth": {"type": "oauth2", "flows": _flow(authorizationCode=code)}}
    )
    assert told(two, one) == [("breaking", "security-flow-removed")]
    assert told(one, two) == [("noted", "security-alternative-added")]
    moved: JSON = {"type": "oauth2", "flows": _flow("https://other.example/token")}
    found = only(one, _demanding({"oauth": []}, schemes={"oauth": moved}))
    assert (found.grade, found.rule) == ("breaking", "security-flow-removed")
    assert "`clientCredentials`" in found.says
    # A flow that does not use an address has none, whatever is written there.
    implicit: dict[str, JSON] = {"authorizationUrl": "https://id.example/a", "scopes": {}}
    plain, more = (
        _demanding({"oauth": []}, schemes={"oauth": _oauth(implicit=each)})
        for each in (implicit, {**implicit, "tokenUrl": TOKEN})
    )
    assert changes(plain, more) == ()
    refresh = _dict(_dict(_flow())["clientCredentials"]) | {"refreshUrl": "https://x"}
    kept = {"oauth": _oauth(clientCredentials=refresh)}
    assert changes(one, _demanding({"oauth": []}, schemes=kept)) == ()


def test_tokens_over_plain_http_are_an_exposure_and_over_https_no_change() -> None:
    plain = {"oauth": {"type": "oauth2", "flows": _flow("http://id.example/token")}}
    old, new = _demanding({"oauth": []}), _demanding({"oauth": []}, schemes=plain)
    assert told(old, new) == [("exposure", "security-url-became-open")]
    assert changes(new, old) == ()


def test_a_scheme_that_is_not_defined_is_only_like_one_of_its_name() -> None:
    nowhere = _demanding({"x": ["r"]}, schemes={})
    assert changes(nowhere, nowhere) == ()
    assert told(nowhere, _demanding({"x": ["r", "w"]}, schemes={})) == [
        ("breaking", "security-scope-added")
    ]
    found = only(nowhere, _demanding({"y": ["r"]}, schemes={}))
    assert (found.grade, found.reason) == ("undecided", "security-scheme-undefined")
    found = only(_demanding({"key": []}), _demanding({"key": []}, schemes={}))
    assert (found.grade, found.reason) == ("undecided", "security-scheme-undefined")


def test_a_scheme_that_cannot_be_read_is_undecided() -> None:
    lost = _demanding({"key": []}, schemes={"key": {"$ref": "other.yaml#/key"}})
    found = only(_demanding({"key": []}), lost)
    assert (found.grade, found.reason) == ("undecided", "reference-remote")
    # What it leads to may have changed, though the reference is the same.
    found = only(lost, lost)
    assert (found.grade, found.reason) == ("undecided", "reference-remote")


def test_a_scheme_of_a_kind_that_is_not_known_is_the_same_only_word_for_word() -> None:
    odd = {"x": {"type": "signature", "algorithm": "a", "description": "Some text."}}
    same = {"x": {"type": "signature", "algorithm": "a"}}
    other = {"x": {"type": "signature", "algorithm": "b"}}
    old = _demanding({"x": []}, schemes=odd)
    assert changes(old, _demanding({"x": []}, schemes=same)) == ()
    assert told(old, _demanding({"x": []}, schemes=other)) == [
        ("breaking", "security-scheme-changed")
    ]


@pytest.mark.parametrize("security", [{}, "key", [[]], [1]])
def test_a_requirement_that_is_none_is_undecided(security: JSON) -> None:
    new = _demanding({"key": []})
    broken = api(paths={"/a": {"post": {"responses": OK, "security": security}}})
    for one, other in ((new, broken), (broken, new)):
        assert [grade for grade, _ in told(one, other)] == ["undecided"]


def test_more_alternatives_than_can_be_weighed_are_undecided() -> None:
    many: list[JSON] = [{"oauth": [str(number)]} for number in range(101)]
    found = only(_demanding(*many), _demanding(*many[:100]))
    assert (found.grade, found.reason) == ("undecided", "too-many-alternatives")
    assert told(_demanding(*many[:100]), _demanding(*many[:99])) == [
        ("breaking", "security-scope-added")
    ]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("basic", ("Authorization", "Basic <user and password>")),
        ("bearer", ("Authorization", "Bearer <token>")),
        ("oidc", ("Authorization", "Bearer <token>")),
    ],
)
def test_a_credential_is_shown_as_it_stands_in_a_request(name: str, field: tuple[str, str]) -> None:
    found = only(_demanding({name: []}, {"key": []}), _demanding({"key": []}))
    assert found.witness is not None
    assert found.witness.asked.headers == (field,)


def test_a_key_in_the_query_or_a_cookie_is_shown_there() -> None:
    cookie: JSON = {"type": "apiKey", "in": "cookie", "name": "sid"}
    schemes = {"key": KEY, "query": QUERY, "cookie": cookie}
    new = _demanding({"key": []}, schemes=schemes)
    found = only(_demanding({"query": []}, {"key": []}, schemes=schemes), new)
    assert found.witness is not None
    assert found.witness.asked.target == "/a?key=<key>"
    found = only(_demanding({"cookie": []}, {"key": []}, schemes=schemes), new)
    assert found.witness is not None
    assert found.witness.asked.headers == (("Cookie", "sid=<key>"),)


def _dict(value: JSON) -> dict[str, JSON]:
    assert isinstance(value, dict)
    return value
