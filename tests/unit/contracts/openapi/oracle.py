"""A second reader of descriptions, for tests: what one contract says of one concrete exchange.

Written from the texts of OpenAPI 3.0 and 3.1, without the product's code. It answers None where the
texts leave it open. It knows the styles form, simple, deepObject, pipeDelimited and spaceDelimited,
JSON and plain text as bodies, and schemas as `jsonschema-rs` knows them.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import jsonschema_rs
import msgspec

JSONValue = Any
Pairs = tuple[tuple[str, str], ...]
ELSEWHERE = {"accept", "content-type", "authorization"}
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request; `target` has no query, `held` are the names of credentials with their scopes."""

    method: str
    target: str
    query: Pairs = ()
    headers: Pairs = ()
    cookies: Pairs = ()
    media: str = ""
    body: JSONValue = None
    held: tuple[tuple[str, tuple[str, ...]], ...] | None = None


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """A response; `media` is empty where it has no body."""

    status: str
    headers: Pairs = ()
    media: str = ""
    body: JSONValue = None


def scalars(text: str) -> Iterator[JSONValue]:
    """What one text may be read as."""
    yield text
    if text in {"true", "false"}:
        yield text == "true"
    elif NUMBER.match(text):
        yield json.loads(text)


def several(texts: list[str]) -> Iterator[list[JSONValue]]:
    """What some texts may be read as together."""
    for read in itertools.islice(itertools.product(*(list(scalars(each)) for each in texts)), 64):
        yield list(read)


class Contract:
    """One description."""

    def __init__(self, root: JSONValue) -> None:
        self.root = root
        self.old_dialect = str(root["openapi"]).startswith("3.0")
        # Whether a kind was met of which the texts do not say which schema it has.
        self.is_unsure = False
        self._known: dict[tuple[str, str], Any] = {}

    # -- references and schemas ------------------------------------------------------------------

    def at(self, value: JSONValue) -> JSONValue:
        """What a reference leads to in the end."""
        for _ in range(20):
            if not (isinstance(value, dict) and "$ref" in value):
                return value
            found = self.root
            for name in value["$ref"].removeprefix("#/").split("/"):
                found = found[unquote(name).replace("~1", "/").replace("~0", "~")]
            value = found
        raise AssertionError(value)

    def valid(self, schema: JSONValue, value: JSONValue, sent: str, mine: bool) -> bool:
        """Whether the schema takes it in what is `sent`; `mine` where it is who sends that says so."""
        key = (json.dumps(schema, sort_keys=True), f"{sent} {mine}")
        if key not in self._known:
            hidden = "readOnly" if sent == "request" else "writeOnly"
            whole = {
                "allOf": [self._schema(schema, hidden, mine)],
                "components": {
                    "schemas": {
                        name: self._schema(each, hidden, mine)
                        for name, each in self.root.get("components", {}).get("schemas", {}).items()
                    }
                },
            }
            self._known[key] = jsonschema_rs.Draft202012Validator(whole)
        return bool(self._known[key].is_valid(value))

    def _schema(self, schema: JSONValue, hidden: str, mine: bool) -> JSONValue:
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema and self.old_dialect:
            return {"$ref": schema["$ref"]}
        found: dict[str, Any] = {}
        gone: set[str] = set()
        for word, said in schema.items():
            if word in {"properties", "patternProperties"}:
                found[word] = {}
                for name, each in said.items():
                    if self._is(each, hidden):
                        gone.add(name)
                        found[word][name] = not mine
                    else:
                        found[word][name] = self._schema(each, hidden, mine)
            elif word in {"allOf", "anyOf", "oneOf", "prefixItems"}:
                found[word] = [self._schema(each, hidden, mine) for each in said]
            elif word in {"items", "not", "additionalProperties", "if", "then", "else", "contains", "propertyNames"}:  # fmt: skip
                found[word] = self._schema(said, hidden, mine)
            elif word != "discriminator":
                found[word] = copy.deepcopy(said)
        if gone and "required" in found:
            found["required"] = [each for each in found["required"] if each not in gone]
        if self.old_dialect:
            self._older(found)
        union = schema.get("oneOf") or schema.get("anyOf") or ()
        if "discriminator" in schema and all("$ref" in each for each in union):
            self._kinds(schema, found)
        elif "discriminator" in schema:
            self.is_unsure = True
        return found

    def _is(self, schema: JSONValue, mark: str) -> bool:
        if not isinstance(schema, dict):
            return False
        if "$ref" in schema and self.old_dialect:
            return self._is(self.at(schema), mark)
        return schema.get(mark) is True or ("$ref" in schema and self._is(self.at(schema), mark))

    @staticmethod
    def _older(found: dict[str, Any]) -> None:
        if found.pop("nullable", False) is True and isinstance(found.get("type"), str):
            found["type"] = [found["type"], "null"]
        for bound, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if isinstance(found.get(strict), bool) and found.pop(strict) and bound in found:
                found[strict] = found.pop(bound)

    def _kinds(self, schema: JSONValue, found: dict[str, Any]) -> None:
        """The kind that is named is the one that counts."""
        union = found.pop("oneOf", None) or found.pop("anyOf")
        name = schema["discriminator"]["propertyName"]
        mapping = schema["discriminator"].get("mapping", {})
        by_kind: list[JSONValue] = []
        for branch in union:
            names = [each for each, ref in mapping.items() if ref == branch["$ref"]]
            names.append(branch["$ref"].rpartition("/")[2])
            by_kind.append(
                {"required": [name], "properties": {name: {"enum": names}}, "allOf": [branch]}
            )
        found["anyOf"] = by_kind

    # -- requests ----------------------------------------------------------------------------------

    def operation(self, method: str, target: str) -> Any:
        """The operation that takes the target, its path item and the texts of its variables."""
        taking: list[tuple[bool, Any, dict[str, str]]] = []
        for base in self.bases():
            if not target.startswith(base):
                continue
            for template, item in self.root.get("paths", {}).items():
                names = re.findall(r"\{([^}]*)\}", template)
                pattern = re.sub(r"\\\{[^}]*\\\}", "([^/?#]+)", re.escape(template))
                match = re.fullmatch(pattern, target[len(base) :])
                if match:
                    texts = dict(zip(names, map(unquote, match.groups()), strict=True))
                    taking.append((not names, self.at(item), texts))
        plain = [each for each in taking if each[0]]
        chosen = plain or taking
        if not chosen:
            return False
        if len(chosen) > 1:
            return None
        _, item, texts = chosen[0]
        if method.lower() not in item:
            return False if len(taking) == 1 else None
        return item[method.lower()], item, texts

    def bases(self) -> list[str]:
        """The base paths of the servers."""
        found = []
        for each in self.root.get("servers") or [{"url": "/"}]:
            path = re.sub(r"^https?://[^/]*", "", each["url"]).rstrip("/")
            found.append(path)
        return list(dict.fromkeys(found))

    def parameters(self, operation: Any, item: Any) -> list[Any]:
        """The parameters that count, those of the operation before those of the path."""
        found: dict[Any, Any] = {}
        for each in (*item.get("parameters", ()), *operation.get("parameters", ())):
            one = self.at(each)
            name = one["name"].lower() if one["in"] == "header" else one["name"]
            if not (one["in"] == "header" and name in ELSEWHERE):
                found[one["in"], name] = one
        return list(found.values())

    def accepts(self, request: Request, mine: bool = False) -> bool | None:
        """Whether the contract takes the request; `mine` where it is who sends that has it."""
        found = self.operation(request.method, request.target)
        if not found:
            return False if found is False else None
        operation, item, texts = found
        answers: list[bool | None] = [self._may(operation, request.held)]
        known = self.parameters(operation, item)
        for each in known:
            answers.append(self._parameter(each, request, texts, known, mine))
        answers.append(self._body(operation.get("requestBody"), request, mine))
        if False in answers:
            return False
        return None if None in answers else True

    def _may(self, operation: Any, held: Any) -> bool | None:
        listed = operation.get("security", self.root.get("security"))
        if not listed or held is None:
            return True
        having = {name: set(scopes) for name, scopes in held}
        return any(
            all(name in having and set(scopes) <= having[name] for name, scopes in each.items())
            for each in listed
        )

    def _parameter(self, each: Any, request: Request, texts: Any, known: Any, mine: bool) -> bool | None:  # fmt: skip
        place, name = each["in"], each["name"]
        others = {one["name"] for one in known if one["in"] == place and one is not each}
        pairs = {
            "query": request.query,
            "cookie": request.cookies,
            "header": tuple((key.lower(), text) for key, text in request.headers),
            "path": tuple(texts.items()),
        }[place]
        name = name.lower() if place == "header" else name
        own = [text for key, text in pairs if key == name]
        if "content" in each:
            if not own:
                return not each.get("required")
            (kind,) = each["content"].values()
            try:
                return self.valid(self.at(kind).get("schema", True), json.loads(own[0]), "request", mine)  # fmt: skip
            except ValueError:
                return False
        style = each.get("style", {"query": "form", "cookie": "form"}.get(place, "simple"))
        explode = each.get("explode", style == "form")
        schema = each.get("schema", True)
        found = list(self._read(style, explode, place, own, pairs, name, others, schema))
        if not found:
            return not each.get("required") and place != "path"
        if each.get("allowEmptyValue") and own == [""]:
            return True
        return any(self.valid(schema, value, "request", mine) for value in found)

    def _names(self, schema: JSONValue) -> set[str]:
        schema = self.at(schema)
        if not isinstance(schema, dict):
            return set()
        found = set(schema.get("properties", ()))
        for word in ("allOf", "anyOf", "oneOf"):
            for each in schema.get(word, ()):
                found |= self._names(each)
        return found

    def _read(self, style: str, explode: bool, place: str, own: list[str], pairs: Pairs, name: str, others: set[str], schema: JSONValue) -> Iterator[JSONValue]:  # fmt: skip
        """What the texts may be read as."""
        if style == "deepObject":
            given = {
                key[len(name) + 1 : -1]: text
                for key, text in pairs
                if key.startswith(f"{name}[") and key.endswith("]")
            }
            if given:
                for read in several(list(given.values())):
                    yield dict(zip(given, read, strict=True))
            return
        if len(own) == 1:
            yield from scalars(own[0])
        if own and explode and style != "simple":
            yield from several(own)
        elif len(own) == 1:
            sign = {"pipeDelimited": "|", "spaceDelimited": " "}.get(style, ",")
            parts = own[0].split(sign)
            yield from several(parts)
            if style == "simple" and explode:
                if all("=" in part for part in parts):
                    yield from self._members([part.split("=", 1) for part in parts])
            elif len(parts) % 2 == 0 and len(set(parts[::2])) == len(parts) // 2:
                yield from self._members([list(each) for each in zip(parts[::2], parts[1::2], strict=True)])  # fmt: skip
        if style == "form" and explode and self._names(schema):
            members = [[key, text] for key, text in pairs if key not in others and key != name]
            if members and len({key for key, _ in members}) == len(members):
                yield from self._members(members)

    @staticmethod
    def _members(members: list[list[str]]) -> Iterator[JSONValue]:
        for read in several([text for _, text in members]):
            yield dict(zip([key for key, _ in members], read, strict=True))

    def _body(self, body: JSONValue, request: Request, mine: bool) -> bool | None:
        if body is None:
            return True if not request.media else None
        body = self.at(body)
        if not request.media:
            return body.get("required") is not True
        return self._content(body.get("content", {}), request.media, request.body, "request", mine)

    def _content(self, content: JSONValue, media: str, value: JSONValue, sent: str, mine: bool) -> bool:  # fmt: skip
        kind = media.partition(";")[0].strip().lower()
        ranks: list[tuple[int, str]] = []
        for key in content:
            plain = key.partition(";")[0].strip().lower()
            if plain in {kind, f"{kind.partition('/')[0]}/*", "*/*"}:
                ranks.append((2 - plain.count("*"), key))
        if not ranks:
            return False
        schema = self.at(content[max(ranks)[1]]).get("schema", True)
        if kind == "text/plain" and isinstance(value, str):
            return any(self.valid(schema, each, sent, mine) for each in scalars(value))
        return self.valid(schema, value, sent, mine)

    # -- responses ---------------------------------------------------------------------------------

    def allows(self, operation: Any, response: Response, mine: bool = False) -> bool | None:
        """Whether the contract lets the operation be answered so."""
        listed = self.at(operation.get("responses", {}))
        for name in (response.status, f"{response.status[0]}XX", "default"):
            if name in listed:
                return self._answer(self.at(listed[name]), response, mine)
        return False

    def lists(self, operation: Any, response: Response) -> bool:
        """Whether the contract speaks of the status, and of the type where there is a body."""
        listed = self.at(operation.get("responses", {}))
        for name in (response.status, f"{response.status[0]}XX", "default"):
            if name in listed:
                content = self.at(listed[name]).get("content", {})
                kind = response.media.partition(";")[0]
                ranges = {kind, f"{kind.partition('/')[0]}/*", "*/*"}
                return not response.media or not ranges.isdisjoint(content)
        return False

    def _answer(self, said: Any, response: Response, mine: bool) -> bool | None:
        given = {name.lower(): text for name, text in response.headers}
        for name, each in said.get("headers", {}).items():
            if name.lower() == "content-type":
                continue
            one = {**self.at(each), "name": name, "in": "header"}
            request = Request(method="", target="", headers=tuple(given.items()))
            taken = self._header(one, request, mine)
            if not taken:
                return False
        if "content" not in said or not said["content"]:
            return None if response.media else True
        if not response.media:
            return None
        return self._content(said["content"], response.media, response.body, "response", mine)

    def _header(self, each: Any, request: Request, mine: bool) -> bool:
        own = [text for name, text in request.headers if name == each["name"].lower()]
        if not own:
            return not each.get("required")
        if "content" in each:
            (kind,) = each["content"].values()
            try:
                return self.valid(kind.get("schema", True), json.loads(own[0]), "response", mine)
            except ValueError:
                return False
        explode = each.get("explode", False)
        schema = each.get("schema", True)
        read = self._read("simple", explode, "header", own, (), each["name"], set(), schema)
        return any(self.valid(schema, value, "response", mine) for value in read)
