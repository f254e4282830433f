"""Exchanges that a contract may hold, made by chance, for tests."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.unit.contracts.openapi.making import NUMBERS, TEXTS
from tests.unit.contracts.openapi.oracle import Contract, JSONValue, Request, Response


class Trier:
    """Makes exchanges that a contract may hold."""

    def __init__(self, chance: random.Random, contract: Contract) -> None:
        self.chance = chance
        self.contract = contract

    def some(self, odds: float) -> bool:
        return self.chance.random() < odds

    def value(
        self, schema: JSONValue, depth: int = 3, contract: Contract | None = None
    ) -> JSONValue:
        contract = contract or self.contract
        if schema is True or schema is False:
            schema = {}
        schema = contract.at(schema)
        if depth < 0 or self.some(0.04):
            return self.chance.choice([None, "a", 1, [], {}, True])
        for word in ("const",):
            if word in schema:
                return schema[word]
        if schema.get("enum"):
            return self.chance.choice(schema["enum"])
        for word in ("anyOf", "oneOf"):
            if schema.get(word):
                chosen = self.chance.choice(schema[word])
                value = self.value(chosen, depth, contract)
                if isinstance(value, dict) and "discriminator" in schema:
                    name = chosen.get("$ref", "").rpartition("/")[2]
                    value[schema["discriminator"]["propertyName"]] = self.chance.choice(
                        [name, "thing", "kind"]
                    )
                return value
        if schema.get("allOf"):
            values = [self.value(each, depth, contract) for each in schema["allOf"]]
            if all(isinstance(each, dict) for each in values):
                return {name: value for each in values for name, value in each.items()}
            return self.chance.choice(values)
        named = schema.get("type") or self.chance.choice(["string", "integer", "object", "array"])
        if "if" in schema:
            named = self.chance.choice(["string", "integer"])
        if "properties" in schema and "type" not in schema:
            named = "object"
        if isinstance(named, list):
            named = self.chance.choice(named)
        if schema.get("nullable") and self.some(0.3):
            return None
        match named:
            case "string":
                return self.chance.choice(TEXTS)
            case "integer" | "number":
                return self.chance.choice(NUMBERS)
            case "boolean":
                return self.some(0.5)
            case "null":
                return None
            case "array":
                items = schema.get("items", True)
                most = self.chance.choice([0, 1, 1, 2, 3])
                first = [
                    self.value(each, depth - 1, contract) for each in schema.get("prefixItems", ())
                ]
                return (first + [self.value(items, depth - 1, contract) for _ in range(most)])[
                    : max(most, 1)
                ]
            case _:
                return self._object(schema, depth, contract)

    def _object(self, schema: JSONValue, depth: int, contract: Contract) -> JSONValue:
        found = {
            name: self.value(each, depth - 1, contract)
            for name, each in schema.get("properties", {}).items()
            if name in schema.get("required", ()) or self.some(0.5)
        }
        more = schema.get("additionalProperties")
        if more not in (None, False) and self.some(0.4):
            found[self.chance.choice(["z", "a", "b"])] = self.value(more, depth - 1, contract)
        if "patternProperties" in schema and self.some(0.4):
            found["xz"] = self.chance.choice([1, 2])
        return found

    def written(self, each: JSONValue, value: JSONValue) -> list[tuple[str, str]] | None:
        """The pairs that a value is written as; None where it cannot be."""
        name, place = each["name"], each["in"]
        if "content" in each:
            return [(name, json.dumps(value))]
        style = each.get("style", {"query": "form", "cookie": "form"}.get(place, "simple"))
        explode = each.get("explode", style == "form")

        def text(one: JSONValue) -> str | None:
            if isinstance(one, bool):
                return "true" if one else "false"
            if one is None or isinstance(one, list | dict):
                return None
            return str(one)

        if isinstance(value, list):
            parts = [text(one) for one in value]
            sign = {"pipeDelimited": "|", "spaceDelimited": " "}.get(style, ",")
            if not parts or None in parts or any(sign in (one or "") for one in parts):
                return None
            if explode and style != "simple":
                return [(name, one or "") for one in parts]
            return [(name, sign.join(one or "" for one in parts))]
        if isinstance(value, dict):
            members = [(key, text(one)) for key, one in value.items()]
            if not members or any(one is None or "," in one for _, one in members):
                return None
            if style == "deepObject":
                return [(f"{name}[{key}]", one or "") for key, one in members]
            if style == "form" and explode:
                return [(key, one or "") for key, one in members]
            if style == "simple" and explode:
                return [(name, ",".join(f"{key}={one}" for key, one in members))]
            if style in {"form", "simple"}:
                return [(name, ",".join(f"{key},{one}" for key, one in members))]
            return None
        plain = text(value)
        if plain is None or style == "deepObject":
            return None
        return [(name, plain)]

    def request(
        self, template: str, method: str, operation: Any, item: Any, sender_side: str = "request"
    ) -> Request | None:
        """A request that the contract may take; None where it could not be made."""
        target = template
        pairs: dict[str, list[tuple[str, str]]] = {
            "query": [],
            "header": [],
            "cookie": [],
            "path": [],
        }
        for each in self.contract.parameters(operation, item):
            if not each.get("required") and self.some(0.5):
                continue
            schema = each.get("schema", True)
            if "content" in each:
                schema = next(iter(each["content"].values())).get("schema", True)
            value = self.value(schema, 2)
            if each.get("allowEmptyValue") and self.some(0.3):
                value = ""
            written = self.written(each, value)
            if written is None:
                return None
            pairs[each["in"]] += written
        for name, text in pairs["path"]:
            if not text or "/" in text or "é" in text:
                return None
            target = target.replace("{" + name + "}", text.replace(" ", "%20"))
        if "{" in target:
            target = target.replace("{x}", "q").replace("{y}", "q").replace("{z}", "q")
        media, body = "", None
        said = operation.get("requestBody")
        if said is not None:
            said = self.contract.at(said)
            if said.get("required") or self.some(0.6):
                media, body = self.content(said.get("content", {}))
        listed = operation.get("security", self.contract.root.get("security"))
        held: Any = ()
        if listed:
            held = tuple(
                (name, tuple(scopes)) for name, scopes in sorted(self.chance.choice(listed).items())
            )
        return Request(method=method.upper(), target=target, query=tuple(pairs["query"]), headers=tuple(pairs["header"]), cookies=tuple(pairs["cookie"]), media=media, body=body, held=held)  # fmt: skip

    def content(self, content: Any) -> tuple[str, JSONValue]:
        if not content:
            return "", None
        key = self.chance.choice(sorted(content))
        media = {"application/*": "application/x.json", "*/*": "x/y"}.get(key, key)
        if "*" in key and self.some(0.5):
            media = self.chance.choice(
                ["application/json", "application/problem+json", "text/plain"]
            )
            if key == "application/*" and media == "text/plain":
                media = "application/json"
        schema = content[key].get("schema", True)
        value = self.value(schema)
        if media == "text/plain" and not isinstance(value, str):
            value = str(value).lower() if isinstance(value, bool) else str(value)
        return media, value

    def response(self, operation: Any) -> Response | None:
        listed = self.contract.at(operation["responses"])
        name = self.chance.choice(sorted(listed))
        said = self.contract.at(listed[name])
        status = {"2XX": "200", "4XX": "404", "default": "500"}.get(name, name)
        if self.some(0.3) and name.endswith("XX"):
            status = name[0] + self.chance.choice(["00", "01", "04", "10"])
        if self.some(0.3) and name == "default":
            status = self.chance.choice(["200", "201", "404", "400"])
        headers: list[tuple[str, str]] = []
        for key, each in said.get("headers", {}).items():
            if key == "Content-Type":
                continue
            if not each.get("required") and self.some(0.5):
                continue
            written = self.written(
                {**each, "name": key, "in": "header"}, self.value(each.get("schema", True), 1)
            )
            if written is None:
                return None
            headers += written
        media, body = self.content(said.get("content", {}))
        return Response(status=status, headers=tuple(headers), media=media, body=body)
