"""Keys of `[guard]` and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.authority.reading.known.key import Key

GUARDING: Final[Mapping[str, Mapping[str, Key]]] = {
    "guard": {
        "profile": Key(
            '`"observe/1"`, `"enforce/1"` or `"strict/1"`',
            '`"enforce/1"`',
            "what is done about each fact that weakens a guarantee: `groundwire guard profile`",
        ),
        "folder": Key("path", '`"."`', "the working folder: writes outside it are asked"),
        "artifacts": Key("tables", "none", "files that are governed, and as what"),
        "rules": Key("tables", "none", "what is decided of which change, or of which call"),
        "freezes": Key("tables", "none", "when nothing is written"),
        "environments": Key("tables", "none", "which targets belong to which environment"),
        "environment": Key(
            "environment", "none", "of every call, at least; it can only make one stricter"
        ),
        "deny_read": Key("list of path patterns", "none", "files that no tool shows"),
        "deny_read_kinds": Key(
            '`"private-key"`, `"cloud-credentials"`, `"registry-token"`, `"login"`',
            "none",
            "contents that no tool shows, wherever they stand",
        ),
        "keep_bytes": Key("whole number", "`1073741824`", "how much is kept to undo by, in all"),
        "keep_days": Key("whole number, 0 to 36525", "`30`", "how long it is kept"),
        "command_seconds": Key(
            "whole number, 1 to 86400", "`600`", "how long a staged command may run"
        ),
        "command_bytes": Key(
            "whole number, 1048576 to 17179869184",
            "`536870912`",
            "how much it may write in the working folder; it lies in memory until it is judged",
        ),
        "plans": Key(
            'list of `"terraform"`',
            "none",
            "programs that make their plan with the network and uncontained, before it is judged",
        ),
        "phase": Key(
            '`"act"` or `"plan"`',
            '`"act"`',
            "`plan`: a run does nothing but read until a person opens it: `groundwire plan open`",
        ),
        "trusted_servers": Key(
            "list of MCP servers", "none", "whose hints may make a tool less suspicious"
        ),
    },
    "guard.artifacts[]": {
        "kind": Key("text", "must be given", "`openapi`, `graphql`, …, or a kind of your own"),
        "paths": Key(
            "list of path patterns", "none", "the files; without it a kind that a host alone gives"
        ),
    },
    "guard.rules[]": {
        "id": Key("text", "must be given", "names the rule in every decision"),
        "decide": Key(
            '`"allow"`, `"warn"`, `"approve"` or `"deny"`', "must be given", "what it decides"
        ),
        "artifacts": Key("list of kinds", "all", "governed artifacts of these kinds"),
        "paths": Key("list of path patterns", "all", "files whose path one of these covers"),
        "changes": Key(
            '`"created"`, `"changed"`, `"deleted"`, `"renamed"`, `"mode"`, `"lost-content"`',
            "all but `lost-content`",
            "kinds of change; bytes that would be lost have to be spoken of by name",
        ),
        "severities": Key(
            '`"none"`, `"compatible"`, `"risky"`, `"exposure"`, `"breaking"`, `"undecided"`',
            "all",
            "what a contract engine says of it; `undecided` where there is none",
        ),
        "larger_than": Key("whole number", "none", "bytes of the content after"),
        "statements": Key(
            'list of `"delete-all"`, `"drop"`, …',
            "all",
            "of statements in databases: what they do, `undecided` and `non-atomic` too",
        ),
        "tables": Key(
            "list of table patterns",
            "all",
            "of statements in databases: tables that they change, as `orders*` or `audit.*`",
        ),
        "rows_over": Key(
            "whole number", "none", "of statements in databases: more rows of a table change"
        ),
        "tools": Key("list of tool names", "all", "exact names"),
        "effects": Key('`"read"`, `"write"`, `"external"`, `"destructive"`', "all", "of the tool"),
        "operations": Key("list of texts", "all", "of the tool; `tool_call` where it names none"),
        "environments": Key("list of environments", "all", "that the call belongs to"),
        "origins": Key(
            'table of argument = list of `"user"`, `"system"`, `"result"`, `"nothing"`',
            "none",
            "where the arguments' values come from; in this version nobody says it, so the call is"
            " asked about",
        ),
        "callers": Key("list of agents", "all", "the `agent` of the run"),
        "needed": Key(
            "whole number, 1 to 16",
            "that of `[approvals]`",
            "with `approve`: how many people have to say yes",
        ),
    },
    "guard.freezes[]": {
        "id": Key("text", "must be given", "names the freeze in every decision"),
        "since": Key("moment with its zone", "must be given", "from when: `2031-12-24T00:00:00Z`"),
        "until": Key("moment with its zone", "must be given", "until before when"),
        "environments": Key("list of environments", "all", "where"),
    },
    "guard.environments[]": {
        "name": Key("text", "must be given", "of the environment"),
        "pattern": Key("path pattern", "must be given", "targets whose name it covers"),
    },
}
"""Every key of a declaration about guarded calls, by the table it stands in."""
