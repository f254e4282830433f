from __future__ import annotations

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.call import ToolCall, call_digest
from groundwire.documents.grant import expected_by, token_of
from groundwire.documents.receipt import lifetime, touched_by
from groundwire.documents.target import Absent, Change, Present, Proposal, TargetName

NAME = TargetName(kind="files", root="/project", path="a")
PRESENT = Present(
    digest=sha256(b"x"), size=1, mode=0o644, owner=1, group=1, attributes="", device=2**63,
    inode=2**64 - 1, generation=None, links=1,
)  # fmt: skip
PROPOSAL = Proposal(
    changes=(
        Change(name=NAME, kind="changed", state=PRESENT, before=b"x", after=b"y"),
        Change(name=NAME, kind="created", state=Absent(), before=None, after=b"", mode=0o600),
        Change(name=NAME, kind="deleted", state=PRESENT, before=b"x", after=None),
    )
)


def test_changes_are_said_by_digest_and_an_empty_file_is_not_an_absent_one() -> None:
    said = [(change.before, change.after, change.mode) for change in touched_by(PROPOSAL)]
    assert said == [
        (sha256(b"x"), sha256(b"y"), None),
        (None, sha256(b""), 0o600),
        (sha256(b"x"), None, None),
    ]


def test_a_token_differs_where_anything_measured_differs() -> None:
    replace = msgspec.structs.replace
    states = [PRESENT, replace(PRESENT, mode=0o600), replace(PRESENT, inode=1), Absent()]
    assert len({token_of(state) for state in states}) == len(states)
    assert expected_by(PROPOSAL) == (token_of(PRESENT), token_of(Absent()), token_of(PRESENT))


def test_a_call_with_other_arguments_another_name_or_another_id_is_another_call() -> None:
    calls = [
        ToolCall(id="1", name="ab", arguments="{}"),
        ToolCall(id="1", name="a", arguments="b{}"),
        ToolCall(id="2", name="ab", arguments="{}"),
        ToolCall(id="1", name="ab", arguments="{ }"),
    ]
    assert len({call_digest(call) for call in calls}) == len(calls)


def test_only_slow_operations_have_long_receipts() -> None:
    assert lifetime("tool_call") == lifetime("register") == lifetime("") == 900
    assert lifetime("merge") == lifetime("deploy") == lifetime("publish") == 14400
