"""`groundwire.toml`: found, read, judged key by key, and turned into a Policy or refused."""

from __future__ import annotations

import pathlib
import tomllib

import msgspec

from groundwire.authority.declarations import spelled
from groundwire.authority.reading.anchors import read_anchors
from groundwire.authority.reading.checks import read_rules
from groundwire.authority.reading.claims import read_claims
from groundwire.authority.reading.contracts import read_derived, read_diff
from groundwire.authority.reading.governing.approving import (
    demand_enough,
    read_approvals,
    read_approvers,
)
from groundwire.authority.reading.governing.databases import (
    demand_known_databases,
    read_databases,
)
from groundwire.authority.reading.governing.noticing import read_notices
from groundwire.authority.reading.governing.rules import read_guard
from groundwire.authority.reading.governing.target import demand_operation
from groundwire.authority.reading.tools import CONTENTS, read_groups, read_tool
from groundwire.authority.reading.values import (
    Misdeclared,
    Table,
    read_choice,
    read_count,
    read_name,
    read_table,
    read_tables,
)
from groundwire.authority.toml_lines import Path, key_lines
from groundwire.canon.jcs import JSON
from groundwire.documents.policy import Grounding, Policy, Posture
from groundwire.errors import PolicyError

FILE_NAME = "groundwire.toml"
MAX_BYTES = 1 << 20

_POSTURES: tuple[Posture, ...] = ("observe", "dev")
_GROUNDINGS: tuple[Grounding, ...] = ("whole", "substring")


def find_policy(start: pathlib.Path) -> pathlib.Path | None:
    """The `groundwire.toml` in `start` or in the nearest folder above it, if there is one.

    Raises:
        PolicyError: it lies above `start` and belongs to a stranger, who would choose the keys
            that are trusted here.
    """
    folder = start.absolute()
    for candidate in (folder, *folder.parents):
        path = candidate / FILE_NAME
        try:
            if not path.is_file():
                continue
            owner, own = path.stat().st_uid, folder.stat().st_uid
        except OSError as error:
            raise _unreadable(path, error) from error
        if candidate != folder and owner not in {own, 0}:
            raise PolicyError(
                "policy-of-a-stranger",
                f"{path} belongs to another user than {folder}; name the policy that holds here "
                "explicitly, or put one into this folder",
            )
        return path
    return None


def load_policy(path: pathlib.Path) -> Policy:
    """The policy in the file at `path`. Paths in it are as written: see `located`.

    Raises:
        PolicyError: the file cannot be read, or any part of it cannot be what was meant.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > MAX_BYTES:
        raise PolicyError(
            "policy-too-large",
            f"{path} has more than {MAX_BYTES} bytes; a policy is a page of declarations",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PolicyError(
            "policy-not-utf8", f"{path}, line {line}: not UTF-8; save the file as UTF-8"
        ) from error
    return decode_policy(text, str(path))


def located(policy_path: pathlib.Path, text: str) -> pathlib.Path:
    """Where a path written in the policy at `policy_path` lies: relative to that file's folder."""
    return policy_path.absolute().parent / pathlib.Path(text).expanduser()


def decode_policy(text: str, source: str) -> Policy:
    """The policy that `text` declares. `source` names it in messages; nothing is read from it.

    Keys that are not there have their defaults; a key that is there and wrong has none.

    Raises:
        PolicyError: see `reason`; the message begins with `source` and the line.
    """
    if text.startswith("\ufeff"):
        raise PolicyError(
            "policy-not-toml", f"{source}, line 1: begins with a byte order mark; save without it"
        )
    try:
        # The line feed lets every complaint name a line, and none say "end of document".
        return _read_policy(tomllib.loads(f"{text}\n"))
    except tomllib.TOMLDecodeError as error:
        raise PolicyError("policy-not-toml", f"{source}: not TOML: {error}") from error
    except RecursionError as error:
        raise PolicyError(
            "policy-not-toml", f"{source}: nested deeper than any declaration is"
        ) from error
    except Misdeclared as error:
        place = f"{source}, line {_line_of(error.path, text)}: {_place(error.path)}"
        raise PolicyError(error.reason, f"{place} {error}") from error


def policy_document(policy: Policy) -> JSON:
    """The policy as plain data, every default spelled out; its digest is over this.

    The same declarations in another order of tools are the same document.
    """
    document: JSON = msgspec.to_builtins(
        msgspec.structs.replace(policy, tools=tuple(sorted(policy.tools, key=lambda t: t.name)))
    )
    return document


def _read_policy(text: object) -> Policy:
    top = read_table(text, "", ())
    fields: dict[str, object] = {}
    for key in ("agent", "on_behalf_of"):
        if key in top:
            fields[key] = read_name(top[key], (key,))
    fields |= _read_recording(read_table(top.get("recording", {}), "recording", ("recording",)))
    fields |= _read_checks(top)
    content = CONTENTS[0] if fields.get("content", CONTENTS[0]) == CONTENTS[0] else CONTENTS[1]
    tools = read_tables(top.get("tools", {}), ("tools",))
    declared = [read_tool(name, table, content, ("tools", name)) for name, table in tools.items()]
    for tool in declared:
        demand_operation(tool.effect, tool.operation, ("tools", tool.name, "effect"))
    fields["tools"] = tuple(declared)
    guard = read_guard(top.get("guard", {}), ("guard",))
    databases = read_databases(top.get("databases", {}), guard, ("databases",))
    demand_known_databases(declared, databases, ("tools",))
    guard = msgspec.structs.replace(guard, databases=databases)
    approvers = read_approvers(top.get("approvers", []), guard, ("approvers",))
    approvals = read_approvals(top.get("approvals", {}), ("approvals",))
    demand_enough(approvers, approvals, guard)
    fields |= {"guard": guard, "approvers": approvers, "approvals": approvals}
    fields["notices"] = read_notices(top.get("notices", []), ("notices",))
    fields["diff"] = read_diff(top.get("diff", {}), ("diff",))
    fields["contracts"] = read_derived(top.get("contracts", []), ("contracts",))
    fields["anchors"] = read_anchors(top.get("anchors", []), ("anchors",))
    return msgspec.convert(fields, Policy)


def _read_recording(table: Table) -> dict[str, object]:
    fields: dict[str, object] = {}
    for key, value in table.items():
        path = ("recording", key)
        match key:
            case "runs" | "keyring":
                fields[key] = read_name(value, path)
            case "content":
                fields[key] = read_choice(value, CONTENTS, path)
            case "on_recording_error":
                fields[key] = read_choice(value, ("warn", "stop"), path)
            case "outside_session":
                fields[key] = read_choice(value, ("pass", "record", "refuse"), path)
            case "keep_days":
                fields[key] = read_count(value, 1, 36_525, path)
            case _:  # `read_table` let nothing but rotate_bytes through
                fields[key] = read_count(value, 4_096, 1 << 40, path)
    return fields


def _read_checks(top: Table) -> dict[str, object]:
    table = read_table(top.get("checks", {}), "checks", ("checks",))
    fields: dict[str, object] = {}
    if "posture" in table:
        fields["posture"] = read_choice(table["posture"], _POSTURES, ("checks", "posture"))
    if "grounding" in table:
        fields["grounding"] = read_choice(table["grounding"], _GROUNDINGS, ("checks", "grounding"))
    fields["checks"] = msgspec.structs.replace(
        read_rules(table, ("checks",)),
        claims=read_claims(top.get("claims", []), ("claims",)),
        groups=read_groups(top.get("groups", {}), ("groups",)),
    )
    return fields


def _line_of(path: Path, text: str) -> int:
    lines = key_lines(text)
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _place(path: Path) -> str:
    return f"{spelled(path)}:" if path else "the file"


def _unreadable(path: pathlib.Path, error: OSError) -> PolicyError:
    return PolicyError(
        "policy-unreadable", f"{path} cannot be read ({error.strerror}); check path and permissions"
    )
