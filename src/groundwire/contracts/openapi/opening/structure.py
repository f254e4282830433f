"""Whether a document has the outline of a description; where a part has not, that part is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.reading.unreadable import Unreadable

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_OPERATION: Final[Mapping[str, type]] = {
    "parameters": list,
    "requestBody": dict,
    "responses": dict,
    "callbacks": dict,
    "security": list,
    "servers": list,
}
_ROOT: Final[Mapping[str, type]] = {"servers": list, "security": list, "webhooks": dict}


def demand_outline(root: Mapping[str, JSON], version: str) -> None:
    """Nothing, where `root` can be a description of this version.

    Raises:
        Unreadable: `not-openapi`.
    """
    for name in ("paths", "components", "webhooks"):
        if not isinstance(root.get(name, {}), dict):
            raise Unreadable("not-openapi", f"`{name}` of the description is no object.")
    newer = version.startswith(("3.1", "3.2"))
    if "paths" not in root and not (newer and ("components" in root or "webhooks" in root)):
        raise Unreadable("not-openapi", "The description has no `paths`.")


def oddities(root: Mapping[str, JSON]) -> Iterator[tuple[str, str]]:
    """The pointer and reason of each part that is not of the kind that stands there.

    Only the outline is looked at: what holds operations, and the fields of each. What schemas and
    parameters hold is for those who read them.
    """
    for name, kind in _ROOT.items():
        if name in root and not isinstance(root[name], kind):
            yield join("#", name), f"invalid-{name}"
    for name, value in _members(root, "components"):
        if not name.startswith("x-") and not isinstance(value, dict):
            yield join("#", "components", name), "invalid-components"
    for path, item in _members(root, "paths"):
        pointer = join("#", "paths", path)
        if path.startswith("x-"):
            continue
        if not path.startswith("/"):
            yield pointer, "invalid-path"
        else:
            yield from _of_item(pointer, item)
    for name, item in _members(root, "webhooks"):
        yield from _of_item(join("#", "webhooks", name), item)


def _of_item(pointer: str, item: JSON) -> Iterator[tuple[str, str]]:
    if not isinstance(item, dict):
        yield pointer, "invalid-path-item"
        return
    if not isinstance(item.get("parameters", []), list):
        yield join(pointer, "parameters"), "invalid-parameters"
    for method in METHODS:
        operation = item.get(method)
        if isinstance(operation, dict):
            for name, kind in _OPERATION.items():
                if name in operation and not isinstance(operation[name], kind):
                    yield join(pointer, method, name), f"invalid-{name}"
        elif method in item:
            yield join(pointer, method), "invalid-operation"


def _members(root: Mapping[str, JSON], name: str) -> list[tuple[str, JSON]]:
    found = root.get(name)
    return list(found.items()) if isinstance(found, dict) else []
