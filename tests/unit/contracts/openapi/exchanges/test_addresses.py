"""Requests go where the servers and the path templates say, whatever variables are called."""

from __future__ import annotations

import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Asked
from groundwire.contracts.openapi.exchanges.addresses.templates import (
    filled,
    shape,
    values_in,
    variables,
)
from tests.unit.contracts.openapi.exchanges.asking import GET, OK, api, changes, only, told

A = "https://a.example"


def _at(*urls: str, path: str = "/users", **more: JSON) -> dict[str, JSON]:
    return api(servers=[{"url": url} for url in urls], paths={path: GET}, **more)


def _by(path: str, *parameters: JSON, **methods: JSON) -> dict[str, JSON]:
    listed: JSON = {"get": {"responses": OK}, **methods}
    assert isinstance(listed, dict)
    return api(paths={path: {"parameters": list(parameters), **listed}})


def _variable(name: str, **schema: JSON) -> JSON:
    return {"name": name, "in": "path", "required": True, "schema": schema}


# -- templates -------------------------------------------------------------------------------------


def test_a_template_has_a_shape_variables_and_a_filled_form() -> None:
    assert shape("/a/{b}/{c}.json") == "/a/{}/{}.json"
    assert variables("/a/{b}/{c}.json") == ("b", "c")
    assert filled("/a/{b}/{c}.json", {"b": "1"}) == "/a/1/{c}.json"


@pytest.mark.parametrize(
    ("template", "path", "values"),
    [
        ("/users/{id}", "/users/me", {"id": "me"}),
        ("/users/{id}", "/users/", None),
        ("/people/{id}", "/people/me/keys", None),
        ("/users/{id}", "/users/{me}", None),
        ("/users/{id}", "/people/me", None),
        ("/{a}-{b}", "/x-y-z", {"a": "x", "b": "y-z"}),
        ("/{a}-{b}", "/-y", None),
        ("/{a}-{b}", "/x-", None),
        ("/{a}.json", "/x.json", {"a": "x"}),
        ("/{a}.json", "/.json", None),
        ("/{a}.json", "/x.xml", None),
        ("/v{a}", "/v1", {"a": "1"}),
        ("/v{a}", "/w1", None),
        ("/{a/b}", "/x", None),
    ],
)
def test_a_template_takes_a_path_by_segments(
    template: str, path: str, values: dict[str, str] | None
) -> None:
    assert values_in(template, path) == values


def test_many_variables_in_one_segment_are_told_apart_at_once() -> None:
    assert values_in("/" + "{a}" * 200 + "!", "/" + "a" * 5_000) is None


# -- paths -----------------------------------------------------------------------------------------


def test_a_variable_that_is_called_otherwise_is_the_same_by_its_position() -> None:
    old = _by("/users/{id}/keys/{key}", _variable("id", type="string"), _variable("key"))
    new = _by("/users/{user}/keys/{id}", _variable("user", type="string"), _variable("id"))
    assert changes(old, new) == ()
    other = _by("/users/{user}/keys/{id}", _variable("user"), _variable("id", type="string"))
    assert told(old, other) == [("breaking", "parameter-accepts")] * 2


def test_a_variable_of_which_nothing_was_said_may_not_be_demanded_to_be_something() -> None:
    old, new = _by("/users/{id}"), _by("/users/{id}", _variable("id", type="integer"))
    found = only(old, new)
    assert (found.grade, found.rule) == ("undecided", "request-path-variable-described")
    assert found.reason == "path-variable-not-described"
    assert changes(new, old) == ()
    assert changes(old, _by("/users/{id}", _variable("id", type="string", title="Id"))) == ()


def test_a_parameter_that_the_template_does_not_have_says_nothing() -> None:
    assert changes(_by("/users"), _by("/users", _variable("id"))) == ()


def test_the_same_text_below_a_template_of_other_variables_is_not_the_same() -> None:
    both = _variable("x", type="string"), _variable("y", type="integer")
    assert told(_by("/a/{x}", *both), _by("/a/{y}", *both)) == [("breaking", "parameter-accepts")]


def test_what_an_operation_says_of_a_parameter_counts_before_what_its_path_says() -> None:
    def query(text: str) -> JSON:
        return {"name": "q", "in": "query", "schema": {"title": text}}

    old = _by("/a", query("path"), get={"responses": OK, "parameters": [query("a")]})
    assert changes(old, _by("/a", query("other"), get=_first(old))) == ()
    other: JSON = {"responses": OK, "parameters": [query("b")]}
    assert told(old, _by("/a", query("path"), get=other)) == [("breaking", "parameter-accepts")]
    assert told(_by("/a", query("a")), _by("/a", query("b"))) == [("breaking", "parameter-accepts")]


def test_a_parameter_that_cannot_be_read_is_undecided() -> None:
    found = only(_by("/a"), _by("/a", {"$ref": "other.yaml"}))
    assert (found.grade, found.rule) == ("undecided", "request-parameter-unread")
    assert found.reason == "reference-remote"


def test_a_path_that_is_gone_is_told_once_with_its_operations() -> None:
    old = _by("/users", delete={"responses": OK}, **{"x-more": {}})
    found = only(old, api())
    assert (found.grade, found.rule) == ("breaking", "path-removed")
    assert found.reaches == ("DELETE /users", "GET /users")
    assert found.before is not None
    assert found.before.pointer == "#/paths/~1users"
    assert found.before.file == "old.json"
    assert found.witness is not None
    assert found.witness.asked == Asked(method="DELETE", target="/users")
    assert (found.witness.before, found.witness.after) == ("accepted", "answered with 404")


def test_a_method_that_is_gone_is_told_at_the_operation() -> None:
    old = _by("/users/{id}", delete={"responses": OK})
    found = only(old, _by("/users/{other}"))
    assert (found.grade, found.rule) == ("breaking", "operation-removed")
    assert found.before is not None
    assert found.after is not None
    assert found.before.pointer == "#/paths/~1users~1{id}/delete"
    assert found.after.pointer == "#/paths/~1users~1{other}"
    assert found.witness is not None
    assert found.witness.after == "answered with 405"


def test_methods_of_version_3_2_are_methods() -> None:
    old = _by("/users", query={"responses": OK}, additionalOperations={"LINK": {"responses": OK}})
    found = changes(old, _by("/users"))
    assert [each.reaches for each in found] == [("LINK /users",), ("QUERY /users",)]
    assert {each.rule for each in found} == {"operation-removed"}
    assert changes(old, old) == ()


def test_a_new_operation_is_noted_and_one_that_takes_a_templates_requests_too() -> None:
    template = {"/users/{id}": GET}
    old = api(paths=template)
    new = api(paths={**template, "/users/me": GET, "/groups": GET})
    assert told(old, new) == [
        ("noted", "operation-added"),
        ("noted", "operation-added-over-template"),
    ]


def test_a_path_stays_the_one_of_its_name_beside_a_template_of_it() -> None:
    old = api(paths={"/users/{id}": GET, "/users/me": GET})
    new = api(paths={"/users/me": GET, "/users/{name}": GET})
    assert changes(old, new) == ()


@pytest.mark.parametrize(
    ("schema", "grade"),
    [
        ({"type": "integer"}, "breaking"),
        ({"type": "string"}, "noted"),
        ({"type": "string", "pattern": "^[0-9]+$"}, "undecided"),
        ({}, "undecided"),
    ],
)
def test_a_path_that_is_gone_may_still_be_taken_by_a_template(
    schema: dict[str, JSON], grade: str
) -> None:
    template = _by("/users/{id}", _variable("id", **schema))
    kept = template["paths"]
    assert isinstance(kept, dict)
    found = only(api(paths={**kept, "/users/me": GET}), template)
    assert (found.grade, found.rule) == (grade, "path-taken-by-template")
    assert found.reaches == ("GET /users/me",)
    assert (found.reason != "") == (grade == "undecided")


def test_a_template_that_takes_true_may_be_one_of_booleans() -> None:
    template = _by("/flags/{on}", _variable("on", type="boolean"))
    kept = template["paths"]
    assert isinstance(kept, dict)
    assert only(api(paths={**kept, "/flags/true": GET}), template).grade == "undecided"


def test_paths_that_stand_twice_are_told_apart_by_their_text_or_not_at_all() -> None:
    twice = api(paths={"/a/{x}": GET, "/a/{y}": GET})
    assert changes(twice, api(paths={"/a/{y}": GET, "/a/{x}": GET})) == ()
    found = changes(twice, api(paths={"/a/{z}": GET}))
    assert [(each.grade, each.rule) for each in found] == [("undecided", "path-ambiguous")] * 2
    assert {each.reason for each in found} == {"path-ambiguous"}


def test_a_path_item_that_cannot_be_read_hides_its_operations_and_no_others() -> None:
    old = api(paths={"/a": GET, "/b": GET})
    new = api(paths={"/a": {"$ref": "other.yaml#/a"}, "/b": GET})
    for one, other in ((old, new), (new, old)):
        found = only(one, other)
        assert (found.grade, found.rule) == ("undecided", "path-unread")
        assert found.reason == "reference-remote"
        assert found.reaches == ("GET /a",)


def test_an_operation_that_is_none_hides_no_other() -> None:
    old = _by("/a", put={"responses": OK})
    found = only(old, _by("/a", put=[]))
    assert (found.grade, found.reason, found.reaches) == ("undecided", "not-an-object", ("PUT /a",))
    assert changes(_by("/a", put=[]), _by("/a", put=[])) == ()


def test_paths_that_are_none_hide_everything() -> None:
    found = only(api(paths={"/a": GET}), api(paths=[1]))
    assert (found.grade, found.rule, found.reaches) == ("undecided", "path-unread", ("GET /a",))


def test_a_path_item_by_reference_is_what_it_leads_to() -> None:
    hoisted = api(
        paths={"/a": {"$ref": "#/components/pathItems/A"}}, components={"pathItems": {"A": GET}}
    )
    plain = api(paths={"/a": GET})
    assert changes(plain, hoisted) == ()
    assert changes(hoisted, plain) == ()
    both = api(
        paths={"/a": {"$ref": "#/components/pathItems/A", "put": {}}},
        components={"pathItems": {"A": GET}},
    )
    assert only(plain, both).reason == "reference-with-siblings"
    assert changes(both, both) == ()


# -- servers ---------------------------------------------------------------------------------------


def test_a_prefix_that_moves_from_the_server_to_the_paths_is_no_change() -> None:
    old, new = _at(f"{A}/v1/"), _at(A, path="/v1/users")
    assert changes(old, new) == ()
    assert changes(new, old) == ()


def test_a_base_path_that_is_another_is_told_once_and_the_operation_is_compared_on() -> None:
    old = _at(f"{A}/v1")
    new = _at(f"{A}/v2")
    paths = new["paths"]
    assert isinstance(paths, dict)
    new["paths"] = {**paths, "/groups": GET}
    old["paths"] = {
        **paths,
        "/groups": {"get": {"responses": OK, "requestBody": {"required": True}}},
    }
    assert told(old, new) == [
        ("breaking", "body-accepts"),
        ("breaking", "server-base-path-changed"),
    ]
    found = changes(old, new)[1]
    assert found.reaches == ("GET /groups", "GET /users")
    assert found.witness is not None
    assert found.witness.asked == Asked(
        method="GET", target="/v1/groups", headers=(("Host", "a.example"),)
    )


def test_a_server_that_is_gone_breaks_who_used_it_and_a_further_one_is_noted() -> None:
    both, one = _at(A, "https://b.example"), _at(A)
    found = only(both, one)
    assert (found.grade, found.rule) == ("breaking", "server-removed")
    assert found.before is not None
    assert found.before.pointer == "#/servers/1"
    assert found.witness is not None
    assert found.witness.asked.headers == (("Host", "b.example"),)
    assert told(one, both) == [("noted", "server-added")]
    assert told(one, _at("https://b.example")) == [
        ("breaking", "server-removed"),
        ("noted", "server-added"),
    ]


def test_servers_in_another_order_and_with_their_usual_port_are_the_same() -> None:
    assert changes(_at(A, "https://b.example"), _at("https://b.example", f"{A}:443/")) == ()


@pytest.mark.parametrize(
    "url", ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:80", "https://x.localhost"]
)
def test_a_machines_own_server_is_nobody_elses(url: str) -> None:
    assert told(_at(A, url), _at(A)) == [("noted", "server-removed")]
    assert told(_at(A), _at(A, url)) == [("noted", "server-added")]


def test_plain_http_where_there_was_https_is_an_exposure_and_no_break() -> None:
    plain = "http://a.example"
    found = only(_at(A), _at(plain))
    assert (found.grade, found.rule) == ("exposure", "server-became-open")
    assert told(_at(A), _at(A, plain)) == [("exposure", "server-became-open")]
    assert told(_at(plain), _at(A)) == [("risky", "server-became-secure")]
    assert changes(_at(A, plain), _at(plain, A)) == ()
    assert told(_at(A), _at(A, "http://b.example")) == [
        ("exposure", "server-became-open"),
        ("noted", "server-added"),
    ]


def test_a_server_without_a_host_may_be_any_but_its_base_path_is_known() -> None:
    assert changes(_at(f"{A}/v1"), _at("/v1")) == ()
    assert changes(_at("/v1"), _at("http://a.example/v1")) == ()
    assert changes(_at(A), api(paths={"/users": GET})) == ()
    assert told(_at("/v1"), _at("/v2")) == [("breaking", "server-base-path-changed")]


def test_the_servers_of_an_operation_count_before_those_of_its_path_and_of_all() -> None:
    own: JSON = [{"url": "https://own.example"}]
    of_path = api(servers=[{"url": A}], paths={"/users": {"servers": own, **_dict(GET)}})
    assert told(_at("https://own.example"), of_path) == []
    of_operation = api(
        servers=[{"url": A}],
        paths={"/users": {"servers": [{"url": A}], "get": {"responses": OK, "servers": own}}},
    )
    assert told(of_path, of_operation) == []
    assert told(_at(A), of_operation) == [
        ("breaking", "server-removed"),
        ("noted", "server-added"),
    ]


def test_each_alternative_of_a_servers_variable_is_a_server() -> None:
    def regions(*names: str, default: str = "eu") -> dict[str, JSON]:
        variable: JSON = {"enum": list(names), "default": default}
        url = "https://{region}.a.example"
        return api(servers=[{"url": url, "variables": {"region": variable}}], paths={"/u": GET})

    found = only(regions("eu", "us"), regions("eu"))
    assert (found.grade, found.rule) == ("breaking", "server-removed")
    assert found.witness is not None
    assert found.witness.asked.headers == (("Host", "us.a.example"),)
    assert told(regions("eu"), regions("eu", "us")) == [("noted", "server-added")]
    assert changes(regions("eu", "us"), regions("us", "eu")) == ()
    many = [f"r{n}" for n in range(65)]
    assert changes(regions(*many), regions(*many, "x")) == ()


def test_a_variable_that_may_be_anything_is_the_same_by_another_name_or_default() -> None:
    def tenants(name: str, default: str) -> dict[str, JSON]:
        server: JSON = {
            "url": f"https://{{{name}}}.a.example/{{base}}",
            "variables": {name: {"default": default}, "base": {"default": "v1"}},
        }
        return api(servers=[server], paths={"/u": GET})

    assert changes(tenants("tenant", "acme"), tenants("customer", "other")) == ()
    assert changes(tenants("tenant", "acme"), _at("https://acme.a.example/v1", path="/u")) == ()
    assert told(tenants("tenant", "acme"), _at("https://acme.a.example/v2", path="/u")) == [
        ("breaking", "server-base-path-changed")
    ]


def _dict(value: JSON) -> dict[str, JSON]:
    assert isinstance(value, dict)
    return value


def _first(root: dict[str, JSON]) -> JSON:
    """What the GET of the first path is."""
    listed = _dict(root["paths"])
    return _dict(next(iter(listed.values())))["get"]
