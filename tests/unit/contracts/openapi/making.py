"""Small descriptions made by chance, for tests."""

from __future__ import annotations

import copy
import random
from typing import Any

JSONValue = Any
TEXTS = ["", "a", "b", "ab", "abc", "A", "1", "true", "-1", "x y", "é"]
NUMBERS = [0, 1, 2, 3, 5, 6, 10, -1, 1.5, 2.0, 0.1, 100]
NAMES = ["a", "b", "c"]
PATTERNS = ["^a", "b$", "^[a-z]*$", "^[0-9]+$", "."]
MEDIA = ["application/json", "application/*", "*/*", "application/problem+json", "text/plain", "application/vnd.x+json"]  # fmt: skip
STATUSES = ["200", "201", "204", "2XX", "400", "404", "4XX", "default"]
COMPONENTS = ["Thing", "Kind", "Tree"]


class Maker:
    """Makes descriptions of one version of OpenAPI."""

    def __init__(self, chance: random.Random, version: str) -> None:
        self.chance = chance
        self.version = version
        self.older = version.startswith("3.0")

    def some(self, odds: float) -> bool:
        return self.chance.random() < odds

    def one(self, values: Any) -> Any:
        return copy.deepcopy(self.chance.choice(list(values)))

    # -- schemas -----------------------------------------------------------------------------------

    def schema(self, depth: int = 2, *, named: bool = True) -> JSONValue:
        kinds = ["string", "integer", "number", "boolean", "enum", "array", "object", "object"]
        kinds += ["union", "allOf", "not", "any", "ref"] if named else ["union", "any"]
        if not self.older:
            kinds += ["types", "const", "prefix", "if", "null"]
        if named:
            kinds.append("kinds")
        kind = self.one(kinds)
        if depth <= 0 and kind not in {"string", "integer", "number", "boolean", "enum", "types", "const", "ref", "null"}:  # fmt: skip
            kind = "string"
        found = self._of(kind, depth, named)
        if self.older and "type" in found and "enum" not in found and self.some(0.15):
            found["nullable"] = True
        return found

    def _of(self, kind: str, depth: int, named: bool) -> dict[str, Any]:
        below = depth - 1
        match kind:
            case "string":
                return self._string()
            case "integer" | "number":
                return self._number(kind)
            case "boolean":
                return {"type": "boolean"}
            case "null":
                return {"type": "null"}
            case "enum":
                return {"type": "string", "enum": self.chance.sample(TEXTS, 2)}
            case "const":
                return {"const": self.one([*TEXTS, *NUMBERS, None, True])}
            case "types":
                return {
                    "type": self.chance.sample(["string", "integer", "boolean", "null", "array"], 2)
                }
            case "array":
                found = {"type": "array", "items": self.schema(below, named=named)}
                if self.some(0.4):
                    found["minItems"] = self.one([0, 1, 2])
                if self.some(0.4):
                    found["maxItems"] = self.one([1, 2, 3])
                if self.some(0.2):
                    found["uniqueItems"] = True
                return found
            case "prefix":
                found = {"type": "array", "prefixItems": [self.schema(below, named=named)]}
                if self.some(0.5):
                    found["items"] = self.one([False, {"type": "string"}])
                if self.some(0.3):
                    found["contains"] = {"type": "integer"}
                return found
            case "object":
                return self._object(below, named)
            case "union":
                word = self.one(["anyOf", "oneOf"])
                return {word: [self.schema(below, named=named), self.schema(below, named=named)]}
            case "allOf":
                return {"allOf": [self.schema(below, named=named), self.schema(below, named=named)]}
            case "not":
                return {"type": "string", "not": self.one([{"enum": ["a"]}, {"maxLength": 0}])}
            case "if":
                return {
                    "if": {"type": "string"},
                    "then": self._string(),
                    "else": self._number("integer"),
                }
            case "kinds":
                said: dict[str, Any] = {"propertyName": "t"}
                if self.some(0.6):
                    said["mapping"] = {
                        "thing": "#/components/schemas/Thing",
                        "kind": "#/components/schemas/Kind",
                    }
                return {
                    "oneOf": [
                        {"$ref": "#/components/schemas/Thing"},
                        {"$ref": "#/components/schemas/Kind"},
                    ],
                    "discriminator": said,
                }
            case "ref":
                return {"$ref": f"#/components/schemas/{self.one(COMPONENTS)}"}
            case _:
                return {}

    def _string(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "string"}
        if self.some(0.3):
            found["minLength"] = self.one([0, 1, 2])
        if self.some(0.3):
            found["maxLength"] = self.one([1, 2, 3])
        if self.some(0.2):
            found["pattern"] = self.one(PATTERNS)
        if self.some(0.1):
            found["default"] = "a"
        return found

    def _number(self, kind: str) -> dict[str, Any]:
        found: dict[str, Any] = {"type": kind}
        if self.some(0.4):
            found["minimum"] = self.one([-1, 0, 1])
            if self.older and self.some(0.4):
                found["exclusiveMinimum"] = self.some(0.7)
        if self.some(0.4):
            found["maximum"] = self.one([1, 2, 5, 10])
            if self.older and self.some(0.4):
                found["exclusiveMaximum"] = self.some(0.7)
        if not self.older and self.some(0.2):
            found["exclusiveMinimum"] = self.one([0, 1])
        if self.some(0.2):
            found["multipleOf"] = self.one([1, 2, 5, 0.5])
        return found

    def _object(self, depth: int, named: bool) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for name in self.chance.sample(NAMES, self.one([1, 2, 2, 3])):
            members[name] = self.schema(depth, named=named)
            if named and self.some(0.2) and "$ref" not in members[name]:
                members[name][self.one(["readOnly", "writeOnly"])] = True
        found: dict[str, Any] = {"type": "object", "properties": members}
        if self.some(0.6):
            found["required"] = self.chance.sample(sorted(members), 1)
        if self.some(0.3):
            found["additionalProperties"] = self.one([False, True, {"type": "string"}])
        if not self.older and named and self.some(0.15):
            found["patternProperties"] = {"^x": {"type": "integer"}}
        if named and self.some(0.1):
            found[self.one(["minProperties", "maxProperties"])] = self.one([1, 2])
        return found

    # -- messages ----------------------------------------------------------------------------------

    def parameter(self, place: str = "", name: str = "") -> dict[str, Any]:
        place = place or self.one(["query", "query", "query", "header", "cookie"])
        found: dict[str, Any] = {"name": name or self.one(["q", "r", "X-S"]), "in": place}
        if place == "header" and self.some(0.1):
            found["name"] = self.one(["Authorization", "Accept", "x-s"])
        if place == "path":
            found["required"] = True
        elif self.some(0.6):
            found["required"] = self.some(0.6)
        if place in {"query", "header"} and self.some(0.12):
            found["content"] = {"application/json": {"schema": self.schema(1)}}
            return found
        found["schema"] = self.schema(1 if self.some(0.4) else 0, named=False)
        if self.some(0.15):
            found["schema"] = {"$ref": "#/components/schemas/Word"}
        if self.some(0.3):
            found["explode"] = self.some(0.5)
        if place == "query" and self.some(0.25):
            found["style"] = self.one(["form", "deepObject", "pipeDelimited", "spaceDelimited"])
            if found["style"] == "deepObject":
                found["schema"] = self._object(0, False)
                found["explode"] = True
            elif found["style"] != "form":
                found["schema"] = {"type": "array", "items": self.schema(0, named=False)}
                found["explode"] = False
        if place == "query" and self.some(0.05):
            found["allowEmptyValue"] = True
        return found

    def content(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for media in self.chance.sample(MEDIA, self.one([1, 1, 1, 2])):
            schema = self.schema(2)
            if media == "text/plain":
                schema = self.schema(0, named=False)
            found[media] = {"schema": schema} if self.some(0.95) else {}
        return found

    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {"content": self.content()}
        if self.some(0.6):
            found["required"] = self.some(0.7)
        return found

    def header(self) -> dict[str, Any]:
        found: dict[str, Any] = {"schema": self.schema(1 if self.some(0.3) else 0, named=False)}
        if self.some(0.5):
            found["required"] = self.some(0.6)
        if self.some(0.2):
            found["explode"] = self.some(0.5)
        return found

    def response(self) -> dict[str, Any]:
        found: dict[str, Any] = {"description": "d"}
        if self.some(0.8):
            found["content"] = self.content()
        if self.some(0.4):
            found["headers"] = {self.one(["X-A", "X-B", "Content-Type"]): self.header()}
        return found

    def responses(self) -> dict[str, Any]:
        return {
            name: {"$ref": "#/components/responses/R"} if self.some(0.1) else self.response()
            for name in self.chance.sample(STATUSES, self.one([1, 2, 3]))
        }

    def security(self) -> list[Any]:
        found: list[Any] = []
        for _ in range(self.one([0, 1, 1, 2])):
            names = self.chance.sample(["key", "basic", "oauth"], self.one([0, 1, 1, 2]))
            found.append(
                {
                    name: self.chance.sample(["r", "w"], self.one([0, 1, 2]))
                    if name == "oauth"
                    else []
                    for name in names
                }
            )
        return found

    def operation(self, template: str, hook: bool = False) -> dict[str, Any]:
        found: dict[str, Any] = {"responses": self.responses()}
        listed: dict[Any, Any] = {}
        for _ in range(self.one([0, 1, 2])):
            each = self.parameter()
            listed[each["in"], each["name"].lower()] = each
        parameters = list(listed.values())
        if "{" in template:
            parameters.append(self.parameter("path", template.partition("{")[2].partition("}")[0]))
        if self.some(0.1):
            parameters = [
                each for each in parameters if (each["in"], each["name"]) != ("query", "p")
            ]
            parameters.append({"$ref": "#/components/parameters/P"})
        if parameters:
            found["parameters"] = parameters
        if self.some(0.5):
            found["requestBody"] = self.body()
        if self.some(0.3) and not hook:
            found["security"] = self.security()
        return found

    def description(self) -> dict[str, Any]:
        paths: dict[str, Any] = {}
        for template in self.chance.sample(
            ["/a", "/a/{x}", "/a/me", "/b/{y}/c"], self.one([1, 1, 2])
        ):
            item: dict[str, Any] = {self.one(["post", "put"]): self.operation(template)}
            if self.some(0.15):
                item["parameters"] = [self.parameter()]
            paths[template] = item
        kind = {"t": {"type": "string"}}
        things = {
            name: {
                "type": "object",
                "required": ["t"],
                "properties": {**kind, **self._object(0, False)["properties"]},
            }
            for name in ("Thing", "Kind")
        }
        root: dict[str, Any] = {
            "openapi": self.version,
            "info": {"title": "t", "version": "1"},
            "paths": paths,
            "components": {
                "schemas": {
                    **things,
                    "Tree": {
                        "type": "object",
                        "properties": {
                            "n": self.schema(0, named=False),
                            "next": {"$ref": "#/components/schemas/Tree"},
                        },
                    },
                    "Word": self._string(),
                },
                "parameters": {"P": self.parameter("query", "p")},
                "responses": {"R": self.response()},
                "securitySchemes": {
                    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                    "basic": {"type": "http", "scheme": "basic"},
                    "oauth": {
                        "type": "oauth2",
                        "flows": {
                            "clientCredentials": {
                                "tokenUrl": "https://t",
                                "scopes": {"r": "", "w": ""},
                            }
                        },
                    },
                },
            },
        }
        if self.some(0.2):
            root["security"] = self.security()
        if self.some(0.2):
            root["servers"] = [
                {"url": self.one(["/v1", "https://h.example/v1", "https://h.example"])}
            ]
        if not self.older and self.some(0.25):
            root["webhooks"] = {"w": {"post": self.operation("", hook=True)}}
        return root
