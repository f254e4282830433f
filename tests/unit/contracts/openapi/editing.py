"""Edits of descriptions, made by chance, for tests."""

from __future__ import annotations

from typing import Any

from tests.unit.contracts.openapi.making import NAMES, STATUSES, Maker


class Editor(Maker):
    """Makes descriptions, and others of them that differ in one thing."""

    def edit(self, root: dict[str, Any]) -> str:
        """Changes one thing of the description; says which."""
        places: list[tuple[str, Any, Any]] = []
        self._places(root, "", places)
        kinds = sorted({kind for kind, _, _ in places})
        kind = self.one(kinds)
        mine = [each for each in places if each[0] == kind]
        _, holder, key = mine[self.chance.randrange(len(mine))]
        return self._apply(kind, holder, key)

    def _places(self, root: dict[str, Any], _: str, found: list[Any]) -> None:
        items = [*root["paths"].values(), *root.get("webhooks", {}).values()]
        found.append(("security", root, "security"))
        found.append(("servers", root, "servers"))
        for template in root["paths"]:
            found.append(("path", root["paths"], template))
        for item in items:
            found.append(("parameters", item, "parameters"))
            for method in ("post", "put"):
                if method not in item:
                    continue
                operation = item[method]
                found += [("method", item, method), ("parameters", operation, "parameters")]
                found += [
                    ("requestBody", operation, "requestBody"),
                    ("security", operation, "security"),
                ]
                found.append(("responses", operation, "responses"))
                for each in operation.get("parameters", ()):
                    self._parameter(each, found)
                for each in (operation.get("requestBody"), *operation["responses"].values()):
                    self._message(each, found)
            for each in item.get("parameters", ()):
                self._parameter(each, found)
        for name in ("Thing", "Kind", "Tree", "Word"):
            self._schemas(root["components"]["schemas"], name, found)
        self._parameter(root["components"]["parameters"]["P"], found)
        self._message(root["components"]["responses"]["R"], found)
        found.append(("scheme", root["components"]["securitySchemes"], "key"))

    def _parameter(self, each: Any, found: list[Any]) -> None:
        if "$ref" not in each:
            found.append(("parameter", each, ""))
            if "schema" in each:
                self._schemas(each, "schema", found)

    def _message(self, each: Any, found: list[Any]) -> None:
        if each is None or "$ref" in each:
            return
        if "description" not in each:
            found.append(("required", each, "required"))
        else:
            found.append(("headers", each, "headers"))
            for one in each.get("headers", {}).values():
                found.append(("required", one, "required"))
                self._schemas(one, "schema", found)
        found.append(("content", each, "content"))
        for one in each.get("content", {}).values():
            if "schema" in one:
                self._schemas(one, "schema", found)

    def _schemas(self, holder: Any, key: Any, found: list[Any]) -> None:
        schema = holder[key]
        if not isinstance(schema, dict):
            return
        found.append(("schema", holder, key))
        found.append(("keyword", holder, key))
        for word in ("properties", "patternProperties"):
            for name in schema.get(word, {}):
                self._schemas(schema[word], name, found)
        for word in ("items", "additionalProperties", "not", "if", "then", "else"):
            if word in schema:
                self._schemas(schema, word, found)
        for word in ("allOf", "anyOf", "oneOf", "prefixItems"):
            for index in range(len(schema.get(word, ()))):
                self._schemas(schema[word], index, found)

    def _apply(self, kind: str, holder: Any, key: Any) -> str:
        match kind:
            case "schema":
                old = holder[key]
                new = self.schema(1)
                if self.some(0.3):
                    new = {self.one(["anyOf", "oneOf", "allOf"]): [old, self.schema(0)]}
                holder[key] = new
            case "keyword":
                self._keyword(holder[key])
            case "security":
                holder[key] = self.security()
            case "servers":
                holder[key] = [
                    {"url": each}
                    for each in self.chance.sample(
                        ["/v1", "/", "https://h.example/v1", "https://h.example"], self.one([1, 2])
                    )
                ]
            case "path":
                item = holder.pop(key)
                other = self.one(
                    [key.replace("{x}", "{z}").replace("{y}", "{z}"), "/a/{x}", "/a/me", key]
                )
                if other != key and "{" in key:
                    for operation in (item, *(item.get(each, {}) for each in ("post", "put"))):
                        for each in operation.get("parameters", ()):
                            if each.get("in") == "path":
                                each["name"] = "z" if "z" in other else "x"
                if other not in holder:
                    holder[other] = item
            case "method":
                if self.some(0.5):
                    holder["put" if key == "post" else "post"] = holder.pop(key)
                else:
                    holder[key] = {**holder[key], "deprecated": True}
            case "parameters":
                listed = [
                    each
                    for each in holder.get(key, ())
                    if self.some(0.6) or each.get("in") == "path"
                ]
                each = self.parameter()
                known = {(one.get("in"), str(one.get("name")).lower()) for one in listed}
                if self.some(0.7) and (each["in"], each["name"].lower()) not in known:
                    listed.append(each)
                holder[key] = listed
            case "parameter":
                new = self.parameter(holder["in"], holder["name"])
                word = self.one(
                    ["required", "style", "explode", "schema", "in", "all", "allowEmptyValue"]
                )
                if word == "in" and holder["in"] != "path":
                    holder["in"] = self.one(["query", "header", "cookie"])
                    holder.pop("style", None)
                elif word == "all":
                    holder.clear()
                    holder.update(new)
                elif word == "required" and holder["in"] != "path":
                    holder["required"] = not holder.get("required", False)
                elif word == "explode" and holder.get("style", "form") in {"form", "simple"}:
                    holder["explode"] = not holder.get(
                        "explode", holder["in"] in {"query", "cookie"}
                    )
                elif word in new and word in holder and word != "in":
                    holder[word] = new[word]
            case "requestBody":
                if self.some(0.2):
                    holder.pop(key, None)
                else:
                    holder[key] = self.body()
            case "required":
                holder["required"] = not holder.get("required", False)
            case "headers":
                holder[key] = {self.one(["X-A", "X-B"]): self.header()} if self.some(0.7) else {}
            case "content":
                more = self.content()
                old = holder.get(key, {})
                holder[key] = self.one([more, {**old, **more}, dict(list(old.items())[1:]) or more])
            case "responses":
                answers = dict(holder[key])
                if len(answers) > 1 and self.some(0.5):
                    answers.pop(self.one(answers))
                if self.some(0.6):
                    answers[self.one(STATUSES)] = self.response()
                if self.some(0.2) and len(answers) > 1:
                    name = self.one(answers)
                    answers[self.one(STATUSES)] = answers.pop(name)
                holder[key] = answers
            case _:
                holder[key] = self.one(
                    [
                        {"type": "apiKey", "in": "header", "name": "x-key"},
                        {"type": "apiKey", "in": "query", "name": "X-Key"},
                        {"type": "http", "scheme": "bearer"},
                    ]
                )
        return kind

    def _keyword(self, schema: dict[str, Any]) -> None:
        if "$ref" in schema:
            schema["description"] = "d"
            return
        other = self._of(
            self.one(["string", "integer", "number", "array", "object", "enum"]), 1, False
        )
        named = schema.get("type")
        if isinstance(named, str) and self.some(0.7):
            other = self._of(named if named != "null" else "string", 1, False)
        words = [
            each
            for each in schema
            if each not in {"properties", "items", "discriminator", "allOf", "oneOf", "anyOf"}
        ]
        if words and self.some(0.35):
            del schema[self.one(words)]
        for word in self.chance.sample(sorted(other), min(2, len(other))):
            schema[word] = other[word]
        if self.some(0.1):
            schema[self.one(["readOnly", "writeOnly"])] = True
        if isinstance(schema.get("required"), list) and self.some(0.4):
            schema["required"] = self.chance.sample(NAMES, 1)
