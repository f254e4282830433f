"""The story: a night watch over a fleet of storage hosts, and an id cut out of prose.

Turn one looks the hosts up. The answer names a backup job. A window then drops the lookup's result.
Turn two asks about a snapshot; the model cuts the job's name apart, takes a piece for the host's id,
and looks that up. Nothing is found, and the answer says so with confidence. Every value in it can be
read in the conversation, and it is wrong.
"""

from __future__ import annotations

from groundwire.testing.turns import Call, Turn

SYSTEM = (
    "You watch the storage fleet at night. Look things up with the tools; answer in one or two "
    "sentences."
)
FIRST_QUESTION = "Did last night's backups of the archive hosts in bay 6 go through?"
SECOND_QUESTION = "Good. Does that host also have a snapshot I could roll back to?"

FLEET = (
    '{"bay":6,"hosts":['
    '{"host":"petrel-0482","role":"archive","job":"nightly-0482-petrel-cold","state":"done"},'
    '{"host":"gannet-0491","role":"scratch","job":null,"state":"no backup wanted"}]}'
)
NOTHING = '{"host":"0482-petrel","snapshots":[],"note":"no snapshot record for 0482-petrel"}'
SNAPSHOTS = (
    '{"host":"petrel-0482","snapshots":[{"id":"snap-77120","taken":"2026-03-04T02:10:00Z"}]}'
)

TOOLS = {
    "list_hosts": "The storage hosts of a bay, with their last backup job.",
    "find_snapshot": "The snapshots of one host, by the host's id.",
}
SCHEMAS: dict[str, dict[str, object]] = {
    "list_hosts": {
        "type": "object",
        "properties": {"bay": {"type": "integer"}},
        "required": ["bay"],
    },
    "find_snapshot": {
        "type": "object",
        "properties": {"host": {"type": "string"}},
        "required": ["host"],
    },
}

FIRST_ANSWER = "Yes: the archive host's job nightly-0482-petrel-cold is done."
WRONG_ANSWER = "No. Host 0482-petrel has no snapshots at all, so there is nothing to roll back to."
RIGHT_ANSWER = "Yes: petrel-0482 has the snapshot snap-77120, taken on 2026-03-04."


def run_tool(name: str, host: str) -> str:
    """What the fleet's own services answer."""
    if name == "list_hosts":
        return FLEET
    return SNAPSHOTS if host == "petrel-0482" else NOTHING


def forgetful() -> tuple[Turn, ...]:
    """What the model says when the window has dropped the lookup."""
    return (
        Turn(calls=(Call(name="list_hosts", arguments='{"bay": 6}', id="call_hosts"),)),
        Turn(text=FIRST_ANSWER),
        Turn(
            calls=(Call(name="find_snapshot", arguments='{"host": "0482-petrel"}', id="call_snap"),)
        ),
        Turn(text=WRONG_ANSWER),
    )


def attentive() -> tuple[Turn, ...]:
    """What the model says when it still has the lookup before it."""
    return (
        Turn(calls=(Call(name="list_hosts", arguments='{"bay": 6}', id="toolu_hosts"),)),
        Turn(text=FIRST_ANSWER),
        Turn(
            calls=(
                Call(name="find_snapshot", arguments='{"host": "petrel-0482"}', id="toolu_snap"),
            )
        ),
        Turn(text=RIGHT_ANSWER),
    )
