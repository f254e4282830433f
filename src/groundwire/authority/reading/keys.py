"""Keys: every key that a declaration may have, with its type, default and meaning.

The readers refuse what is not here, and docs/reference/policy.md is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.authority.reading.known.databases import DATABASES
from groundwire.authority.reading.known.guarding import GUARDING
from groundwire.authority.reading.known.key import Key
from groundwire.authority.reading.known.noticing import NOTICING
from groundwire.authority.reading.known.people import PEOPLE

_TABLE = "none"
_PATH = "JSON path"
_ARGUMENT = "argument"
_SHAPES = (
    '`"replace"`, `"edits"`, `"whole"`, `"create"`, `"patch"`, `"delete"`, `"move"` or `"mode"`'
)

KEYS: Mapping[str, Mapping[str, Key]] = {
    "": {
        "agent": Key("text", '`"unstated"`', "who acts; stands in every recording's first line"),
        "on_behalf_of": Key("text", '`"unstated"`', "for whom; a session may say so itself"),
        "recording": Key("table", _TABLE, "what is written, and where"),
        "checks": Key("table", _TABLE, "how the checks judge"),
        "tools": Key("table", _TABLE, "one table a tool, by the name the model calls it by"),
        "guard": Key("table", _TABLE, "what is decided of guarded calls"),
        "approvers": Key("tables", _TABLE, "who may say yes to what is asked"),
        "approvals": Key("table", _TABLE, "how people are asked"),
        "notices": Key("tables", _TABLE, "who is given notice of calls that a rule warns of"),
        "databases": Key("table", _TABLE, "one table a database that tools run statements in"),
        "groups": Key("table", _TABLE, "one table a group of tools that come and go together"),
        "claims": Key("tables", _TABLE, "fields of the structured answer that state facts"),
        "anchors": Key("tables", _TABLE, "where checkpoints are also kept"),
        "contracts": Key("tables", _TABLE, "contracts that a program makes of other files"),
        "diff": Key("table", _TABLE, "what of a change to a contract fails, and what was declared"),
    },
    "contracts[]": {
        "path": Key("path", "must be given", "the file that is made, below the working folder"),
        "generate": Key("list of texts", "must be given", "the command that makes it there"),
        "inputs": Key("list of path patterns", "must be given", "the files that it is made of"),
    },
    "diff": {
        "fail_on": Key(
            "list of grades",
            '`["breaking", "exposure", "undecided"]`',
            "the grades for which `groundwire diff` does not exit with 0",
        ),
        "version_bump": Key(
            '`"none"` or `"major"`',
            '`"none"`',
            "whether a description whose version's first number rises has declared its breaks",
        ),
        "labels": Key("list of texts", "none", "labels by which a change declares its breaks"),
        "openapi": Key("table", _TABLE, "grades of changes that people disagree about"),
        "waivers": Key("tables", _TABLE, "breaks that were agreed to, until a day"),
    },
    "diff.openapi": {
        "response_enum_added": Key(
            "grade", '`"breaking"`', "a response may hold a value that was not listed"
        ),
        "extensible_enum": Key(
            "grade", '`"risky"`', "the same, where `x-extensible-enum` says that the list may grow"
        ),
        "required_with_default": Key(
            "grade", '`"breaking"`', "a request has to hold a value that has a default"
        ),
        "response_status_added": Key(
            "grade", '`"risky"`', "a response may have a status that was not listed"
        ),
        "operation_removed_after_sunset": Key(
            "grade", '`"noted"`', "an operation is gone after the day on which it was to go"
        ),
    },
    "diff.waivers[]": {
        "rule": Key("rule", "must be given", "what was done; `groundwire diff --explain RULE`"),
        "reason": Key("text", "must be given", "why it was agreed to"),
        "until": Key("date", "must be given", "the last day on which it holds"),
        "file": Key("path pattern", "any", "the files that it is about"),
        "operation": Key("text", "any", "the one operation, as `GET /users/{id}`"),
    },
    "recording": {
        "runs": Key("path", '`"runs"`', "the folder that recordings are written to"),
        "content": Key(
            '`"full"` or `"commitments"`',
            '`"full"`',
            "whether contents are written, or only what recognises them",
        ),
        "on_recording_error": Key(
            '`"warn"` or `"stop"`', '`"warn"`', "whether the agent goes on when the recorder cannot"
        ),
        "outside_session": Key(
            '`"pass"`, `"record"` or `"refuse"`',
            '`"pass"`',
            "what a watched client does while no session is open",
        ),
        "keep_days": Key(
            "whole number, 1 to 36525",
            "none",
            "how long `groundwire prune` keeps a closed recording; none keeps it for ever",
        ),
        "rotate_bytes": Key(
            "whole number, 4096 or more",
            "`268435456`",
            "the size at which a recording goes on in another file",
        ),
        "keyring": Key("path", "none", "the public keys that `groundwire verify` trusts here"),
    },
    "checks": {
        "posture": Key(
            '`"observe"` or `"dev"`',
            '`"observe"`',
            "`dev` sends canaries through the checks and stops the run when a check is dead",
        ),
        "grounding": Key(
            '`"whole"` or `"substring"`',
            '`"whole"`',
            "whether an argument must stand as a whole value in a result, or anywhere in its text",
        ),
        "rules": Key(
            '`"default"` or `"original"`',
            '`"default"`',
            "`original` gives the verdicts of the family that the checks come from, warts and all",
        ),
        "evidence": Key("table", "off", "whether the values of an answer must have been served"),
        "equivalences_off": Key(
            "list of names",
            "none",
            "spellings that are not to be taken for one another, such as `case` or `date`",
        ),
        "pins": Key(
            "list of patterns", "none", "a message that one matches is a rule to be kept in view"
        ),
        "prior_turns": Key(
            "`true` or `false`", "`true`", "notice that an answer rests on earlier turns alone"
        ),
        "empty_lookups": Key(
            "`true` or `false`", "`true`", "notice that a lookup of a served value found nothing"
        ),
        "columns": Key(
            '`"off"`, `"warn"` or `"enforce"`', '`"warn"`', "what a wrong or missing column means"
        ),
        "off": Key("tables", "none", "checks that are not to file, why, and until when"),
    },
    "checks.evidence": {
        "posture": Key(
            '`"off"`, `"assist"`, `"guard"` or `"rails"`',
            '`"off"`',
            "`assist` records, `guard` offers one round of revision, `rails` refuses after it",
        ),
        "min_digits": Key(
            "whole number, 1 to 15", "`4`", "numbers with fewer digits are not looked for"
        ),
        "shapes": Key(
            "table of name = pattern", "none", "values of these shapes are always looked for"
        ),
        "exempt": Key("list of texts", "none", "values that an answer may state without support"),
        "exempt_patterns": Key("list of patterns", "none", "the same by pattern"),
    },
    "checks.off[]": {
        "check": Key("kind of finding", "must be given", "the kind that is not filed"),
        "tool": Key("tool name", "every tool", "only for this tool"),
        "reason": Key("text", "must be given", "why, for whoever reads the report"),
        "until": Key(
            "date", "must be given", "the last day, in UTC; from the next on the line says nothing"
        ),
    },
    "tools.<name>": {
        "arguments_from": Key(
            "list of tool names",
            "none",
            "the tools whose results its arguments come from; arms the check of them",
        ),
        "arguments": Key("table", "none", "where each argument comes from; see below"),
        "content": Key(
            '`"full"` or `"commitments"`',
            "that of `[recording]`",
            "whether the tool's results are written",
        ),
        "effect": Key(
            '`"read"`, `"write"`, `"external"` or `"destructive"`',
            "unstated",
            "what a call does; never guessed from the name",
        ),
        "idempotent": Key("`true` or `false`", "`false`", "the same call again changes nothing"),
        "volatile": Key(
            "list of arguments", "none", "arguments that differ on every call and say nothing"
        ),
        "rows_at": Key(_PATH, "none", "the rows of a result"),
        "total_at": Key(_PATH, "none", "how many rows there are in all"),
        "next_at": Key(_PATH, "none", "the mark of a next page; empty, null or false is none"),
        "as_of": Key(_PATH, "none", "when the result was measured"),
        "entity_at": Key(_PATH, "none", "within a row: whom it is about"),
        "columns": Key("table", "none", "what the columns of its rows hold; see below"),
        "max_age": Key(
            'seconds, or text such as `"15m"`', "none", "how old its result may be when it is used"
        ),
        "says": Key("list of verbs", "none", 'sentences with these claim its effect: `["booked"]`'),
        "operation": Key(
            "text",
            "`tool_call`",
            "what its deed is called: `merge`, `deploy`, `publish`, `register`, a word of your own; "
            "`external` and `destructive` tools must name it",
        ),
        "target": Key("table", "none", "by which arguments it writes to what; see below"),
        "output": Key(
            "path, or table",
            "none",
            "the JSON Schema file that its results have to fit, or whose answer they are; see below",
        ),
        "output_schema": Key(
            "table", "none", "the JSON Schema itself that its results have to fit"
        ),
        "once_per": Key(
            "list of arguments",
            "none",
            "what tells one deed from another: under the guard each is done at most once; see below",
        ),
        "settled_by": Key(
            "table", "none", "the read that says what became of one that nobody saw end; see below"
        ),
        "once_key": Key(
            _ARGUMENT,
            "none",
            "takes an idempotency key, the same for each try of one deed; filled in where left out",
        ),
    },
    "tools.<name>.settled_by": {
        "tool": Key(
            "tool name", "must be given", "the tool that reads; `once_per` are its arguments too"
        ),
        "at": Key(_PATH, "must be given", "where its result says it"),
        "landed": Key(
            "list of texts, numbers, flags", "must be given", "what there means: it was done"
        ),
        "absent": Key("list of texts, numbers, flags", "none", "what there means: it was not done"),
    },
    "tools.<name>.output": {
        "description": Key("path", "must be given", "the OpenAPI description, beside the policy"),
        "operation": Key(
            "text",
            "must be given",
            "`GET /users/{id}`, or an operationId: its answer is the result",
        ),
        "status": Key(
            "text",
            "that of a success",
            "which of its answers: 200, 2XX, the only success, or the default one, where not said",
        ),
    },
    "tools.<name>.target": {
        "files": Key(
            _SHAPES, "none", "it edits files, in this shape; groundwire carries the edit out"
        ),
        "shell": Key(
            "argument", "none", "it runs the command that stands in this argument, in the folder"
        ),
        "git": Key(
            '`"commit"`, `"set-ref"` or `"delete-ref"`',
            "none",
            "it moves a ref of the repository at the folder",
        ),
        "sql": Key(
            "database", "none", "it runs a statement in this one of `[databases]`, and nothing else"
        ),
        "reads": Key("list of arguments", "none", "it shows the files at the paths in these"),
        "writes": Key(
            '`"groundwire"` or `"tool"`',
            '`"groundwire"`',
            "`tool`: its own code edits the files, and they are looked at afterwards",
        ),
        "path": Key(_ARGUMENT, '`"path"`', "the file"),
        "old": Key(_ARGUMENT, '`"old"`', "`replace`, `edits`: the text that gives way"),
        "new": Key(_ARGUMENT, '`"new"`', "`replace`, `edits`: the text in its place"),
        "edits": Key(_ARGUMENT, '`"edits"`', "`edits`: a list of pairs of old and new"),
        "content": Key(_ARGUMENT, '`"content"`', "`whole`, `create`: all that the file holds"),
        "patch": Key(_ARGUMENT, '`"patch"`', "`patch`: a unified diff"),
        "to": Key(_ARGUMENT, '`"to"`', "`move`: the new path"),
        "mode": Key(_ARGUMENT, '`"mode"`', "`mode`: the permission bits"),
        "message": Key(_ARGUMENT, '`"message"`', "`commit`: its message"),
        "ref": Key(_ARGUMENT, '`"ref"`', "`set-ref`, `delete-ref`: the ref, with its full name"),
        "commit": Key(_ARGUMENT, '`"commit"`', "`set-ref`: what the ref becomes"),
        "statement": Key(_ARGUMENT, '`"statement"`', "`sql`: the text of one statement"),
        "parameters": Key(
            _ARGUMENT, '`"parameters"`', "`sql`: what its placeholders stand for, if it has any"
        ),
    },
    "tools.<name>.columns.<name>": {
        "type": Key(
            '`"number"`, `"string"`, `"boolean"` or `"date"`', "must be given", "of its values"
        ),
        "nullable": Key("`true` or `false`", "`false`", "whether a row may have none"),
    },
    "groups.<name>": {
        "tools": Key("list of tool names", "must be given", "the tools of the group"),
        "parkable": Key("`true` or `false`", "`true`", "whether it may be withheld"),
    },
    **GUARDING,
    **DATABASES,
    **PEOPLE,
    **NOTICING,
    "claims[]": {
        "answer": Key("dotted path", "must be given", "the field of the answer: `result.0.size`"),
        "entity": Key("text", "must be given", 'whom the fact is about; `"*"` with an aggregate'),
        "field": Key("text", "must be given", "which fact of it"),
        "tolerance": Key(
            'number, or a share such as `"1%"`', "none", "how far the two may be apart"
        ),
        "unit": Key("text", "none", "the unit that the answer's number is in"),
        "synonyms": Key("list of lists of texts", "none", "texts that mean the same"),
        "ignore_case": Key("`true` or `false`", "`false`", "`Up` is `up`"),
        "as_set": Key(
            "`true` or `false`", "`false`", "the order of a list says nothing, nor do repeats"
        ),
        "order": Key(
            '`"arrival"` or `"measured_at"`', '`"arrival"`', "which of several facts settles"
        ),
        "aggregate": Key(
            '`"count"`, `"sum"`, `"mean"`, `"min"` or `"max"`',
            "none",
            'over every entity (`entity = "*"`)',
        ),
    },
    "anchors[]": {
        "kind": Key('`"folder"` or `"http"`', "must be given", "what the target is"),
        "target": Key(
            "path or address",
            "must be given",
            "a folder, best on another machine's disk; or an address that takes a POST",
        ),
    },
}
"""Every key there is, by the table it stands in."""
