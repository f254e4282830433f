"""`groundwire.toml`: what is read, and that nothing garbled is taken for something else."""

from __future__ import annotations

import os
import pathlib

import pytest

from groundwire.authority.declarations import declare_tool
from groundwire.authority.policy import (
    MAX_BYTES,
    decode_policy,
    find_policy,
    load_policy,
    located,
    policy_document,
)
from groundwire.canon import jcs
from groundwire.documents.policy import AnchorDeclaration, Policy, ToolDeclaration
from groundwire.errors import PolicyError

FULL = """\
agent = "night-watch"
on_behalf_of = "the platform team"

[recording]
runs = "var/runs"
content = "commitments"
on_recording_error = "stop"
outside_session = "refuse"
keep_days = 90
rotate_bytes = 1000000
keyring = "keys/public.json"

[checks]
posture = "dev"
grounding = "substring"

[tools.reboot_machine]
arguments_from = ["find_machine", "list_racks"]

[tools.find_machine]
content = "full"

[[anchors]]
kind = "folder"
target = "/mnt/mirror"

[[anchors]]
kind = "http"
target = "https://anchors.example:8443/checkpoints"
"""


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        decode_policy(text, "groundwire.toml")
    return caught.value


def test_an_empty_file_is_the_policy_of_all_defaults() -> None:
    assert decode_policy("", "groundwire.toml") == Policy()


def test_every_key_is_read() -> None:
    assert decode_policy(FULL, "groundwire.toml") == Policy(
        agent="night-watch",
        on_behalf_of="the platform team",
        posture="dev",
        grounding="substring",
        tools=(
            ToolDeclaration(
                name="reboot_machine",
                arguments_from=("find_machine", "list_racks"),
                content="commitments",
            ),
            ToolDeclaration(name="find_machine", content="full"),
        ),
        content="commitments",
        on_recording_error="stop",
        outside_session="refuse",
        keep_days=90,
        runs="var/runs",
        keyring="keys/public.json",
        anchors=(
            AnchorDeclaration(kind="folder", target="/mnt/mirror"),
            AnchorDeclaration(kind="http", target="https://anchors.example:8443/checkpoints"),
        ),
        rotate_bytes=1_000_000,
    )


def test_a_tool_that_says_nothing_of_its_content_follows_the_recording() -> None:
    policy = decode_policy('recording.content = "commitments"\n[tools.lookup]\n', "p")
    assert policy.tools[0].content == "commitments"


@pytest.mark.parametrize(
    ("text", "line", "nearest"),
    [
        ('[recording]\nruns = "r"\nkep_days = 3\n', 3, "'keep_days'"),
        ("recording.kep_days = 3\n", 1, "'keep_days'"),
        ("\n\nrecording = { keep_day = 3 }\n", 3, "'keep_days'"),
        ('[tools.reboot]\nargument_from = ["x"]\n', 2, "'arguments_from'"),
        ('[tools]\nreboot = { argumentsFrom = ["x"] }\n', 2, "'arguments_from'"),
        (
            '[[anchors]]\nkind = "folder"\ntarget = "a"\n[[anchors]]\nkinds = "folder"\n',
            5,
            "'kind'",
        ),
        ('posture = "dev"\n', 1, "'posture' in [checks]"),
        ('[recording]\nagent = "x"\n', 2, "'agent' at the top level"),
        ("[record]\n", 1, "'recording'"),
        ('[tool.reboot]\neffect = "read"\n', 1, "'tools'."),
        ('agent = """\n[recording]\n"""\n[cheks]\n', 4, "'checks'"),
        ("zzz = 1\n", 1, "'"),
    ],
)
def test_an_unknown_key_names_its_line_and_the_nearest_known_one(
    text: str, line: int, nearest: str
) -> None:
    error = refusal(text)
    assert error.reason == "unknown-setting"
    assert str(error).startswith(f"groundwire.toml, line {line}: ")
    assert f"the nearest is {nearest}" in str(error)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("agent = 7", "wrong-type", 1),
        ('agent = ""', "blank-name", 1),
        ('agent = "  "', "blank-name", 1),
        ('agent = "watch "', "blank-name", 1),
        ('agent = "a\\nb"', "bad-name", 1),
        ('agent = "a\\u001b[31m"', "bad-name", 1),
        (f'agent = "{"a" * 2000}"', "bad-name", 1),
        ("recording = 1", "wrong-type", 1),
        ('[recording]\nruns = ["r"]', "wrong-type", 2),
        ('[recording]\ncontent = "none"', "unknown-choice", 2),
        ("[recording]\ncontent = true", "unknown-choice", 2),
        ('[recording]\non_recording_error = "ignore"', "unknown-choice", 2),
        ('[recording]\noutside_session = "Refuse"', "unknown-choice", 2),
        ("[recording]\nkeep_days = nan", "wrong-type", 2),
        ("[recording]\nkeep_days = inf", "wrong-type", 2),
        ("[recording]\nkeep_days = 30.0", "wrong-type", 2),
        ("[recording]\nkeep_days = true", "wrong-type", 2),
        ('[recording]\nkeep_days = "30"', "wrong-type", 2),
        ("[recording]\nkeep_days = -1", "out-of-range", 2),
        ("[recording]\nkeep_days = 0", "out-of-range", 2),
        ("[recording]\nrotate_bytes = -5", "out-of-range", 2),
        ("[recording]\nrotate_bytes = 0", "out-of-range", 2),
        ("[checks]\nposture = 'strict'", "unknown-choice", 2),
        ("[checks]\ngrounding = 'loose'", "unknown-choice", 2),
        ("tools = ['a']", "wrong-type", 1),
        ("[tools]\nreboot = 'find'", "wrong-type", 2),
        ("[tools.reboot]\narguments_from = []", "empty-declaration", 2),
        ("[tools.reboot]\narguments_from = 'find'", "wrong-type", 2),
        ("[tools.reboot]\narguments_from = [\n 'find',\n ' ',\n]", "blank-name", 4),
        ("[tools.reboot]\narguments_from = ['find', 'reboot']", "tool-sources-itself", 2),
        ("[tools.reboot]\narguments_from = ['find', 'find']", "repeated-entry", 2),
        ("[tools.reboot]\narguments_from = [\n1]", "wrong-type", 3),
        ("[tools.'']\ncontent = 'full'", "blank-name", 1),
        ("[tools.reboot]\ncontent = 'some'", "unknown-choice", 2),
        ("[anchors]\nkind = 'folder'", "wrong-type", 1),
        ("[[anchors]]\nkind = 'folder'", "missing-setting", 1),
        ("[[anchors]]\nkind = 'ftp'\ntarget = 'x'", "unknown-choice", 2),
        ("[[anchors]]\nkind = 'http'\ntarget = 'anchors.example'", "bad-anchor-target", 3),
        ("[[anchors]]\nkind = 'http'\ntarget = 'file:///etc'", "bad-anchor-target", 3),
        ("[[anchors]]\nkind = 'http'\ntarget = 'http://[::1'", "bad-anchor-target", 3),
        ("[[anchors]]\nkind = 'http'\ntarget = 'http://h:99999/'", "bad-anchor-target", 3),
        ("agent = 'a'\nagent = 'b'", "policy-not-toml", 2),
        ("\ufeffagent = 'a'", "policy-not-toml", 1),
        ("agent", "policy-not-toml", 1),
    ],
)
def test_a_value_that_cannot_be_what_was_meant_is_refused_where_it_stands(
    text: str, reason: str, line: int
) -> None:
    error = refusal(text)
    assert error.reason == reason
    assert f"line {line}" in str(error)
    assert "\n" not in str(error)


def test_an_anchor_named_twice_is_refused_however_it_is_spelled() -> None:
    folder = "[[anchors]]\nkind = 'folder'\ntarget = '{}'\n"
    error = refusal(folder.format("mirror") + folder.format("./mirror/"))
    assert (error.reason, "line 4" in str(error)) == ("repeated-anchor", True)


@pytest.mark.parametrize("secret", ["https://a:hunter22@h/", "https://h/?key=hunter22"])
def test_an_anchor_address_with_a_secret_is_refused_and_not_repeated(secret: str) -> None:
    error = refusal(f"[[anchors]]\nkind = 'http'\ntarget = '{secret}'\n")
    assert error.reason == "bad-anchor-target"
    assert "hunter22" not in str(error)


def test_text_nested_beyond_reason_is_refused() -> None:
    assert refusal(f"agent = {'[' * 50_000}").reason == "policy-not-toml"


def test_a_tool_may_not_be_declared_twice() -> None:
    assert refusal("[tools.a]\n[tools.b]\n[tools.a]\n").reason == "policy-not-toml"


def test_the_document_spells_out_defaults_and_forgets_the_order_of_tools() -> None:
    first = decode_policy("[tools.a]\n[tools.b]\n", "p")
    second = decode_policy("[tools.b]\n[tools.a]\n", "q")
    assert first != second
    assert jcs.encode(policy_document(first)) == jcs.encode(policy_document(second))
    assert jcs.encode(policy_document(Policy())) == (
        b'{"agent":"unstated","anchors":[],"approvals":{"expires_seconds":900,"needed":1,'
        b'"wait_seconds":900},"approvers":[],"checks":{"claims":[],"columns":"warn","empty_lookups":true,'
        b'"equivalences_off":[],"evidence":{"exempt":[],"exempt_patterns":[],"min_digits":4,'
        b'"posture":"off","shapes":[]},"groups":[],"off":[],"pins":[],"prior_turns":true,'
        b'"rules":"default"},"content":"full","contracts":[],"diff":{"fail_on":["breaking","exposure",'
        b'"undecided"],"labels":[],"openapi":{},"version_bump":"none","waivers":[]},"grounding":"whole",'
        b'"guard":{"artifacts":[],"command_bytes":536870912,"command_seconds":600,"databases":[],"deny_read":[],"deny_read_kinds":[],"environment":"",'
        b'"environments":[],"folder":".","freezes":[],"keep_bytes":1073741824,"keep_days":30,'
        b'"phase":"act","plans":[],"profile":"enforce/1","rules":[],"trusted_servers":[]},'
        b'"keep_days":null,"keyring":null,"notices":[],"on_behalf_of":"unstated",'
        b'"on_recording_error":"warn","outside_session":"pass","posture":"observe",'
        b'"rotate_bytes":268435456,"runs":"runs","tools":[]}'
    )


@pytest.mark.parametrize("changed", ["agent = 'b'", "recording.keep_days = 2", "[tools.c]"])
def test_every_other_declaration_is_another_document(changed: str) -> None:
    assert policy_document(decode_policy(changed, "p")) != policy_document(Policy())


class TestFiles:
    def test_a_file_that_is_not_there_is_one_clear_refusal(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(PolicyError, match="cannot be read") as caught:
            load_policy(tmp_path / "groundwire.toml")
        assert caught.value.reason == "policy-unreadable"

    def test_a_folder_in_its_place_is_one_clear_refusal(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(PolicyError) as caught:
            load_policy(tmp_path)
        assert caught.value.reason == "policy-unreadable"

    def test_a_huge_file_is_refused_unread(self, tmp_path: pathlib.Path) -> None:
        path = tmp_path / "groundwire.toml"
        path.write_bytes(b"#" * (MAX_BYTES + 1))
        with pytest.raises(PolicyError) as caught:
            load_policy(path)
        assert caught.value.reason == "policy-too-large"

    def test_bytes_that_are_not_utf8_name_their_line(self, tmp_path: pathlib.Path) -> None:
        path = tmp_path / "groundwire.toml"
        path.write_bytes(b'agent = "a"\non_behalf_of = "Z\xfcrich"\n')
        with pytest.raises(PolicyError, match="line 2") as caught:
            load_policy(path)
        assert caught.value.reason == "policy-not-utf8"

    def test_it_is_found_from_a_folder_below(self, tmp_path: pathlib.Path) -> None:
        below = tmp_path / "a" / "b"
        below.mkdir(parents=True)
        (tmp_path / "groundwire.toml").write_text("agent = 'x'\n")
        assert find_policy(below) == tmp_path / "groundwire.toml"
        (tmp_path / "a" / "groundwire.toml").write_text("agent = 'y'\n")
        assert find_policy(below) == tmp_path / "a" / "groundwire.toml"

    def test_without_one_nothing_is_found(self, tmp_path: pathlib.Path) -> None:
        found = find_policy(tmp_path)
        assert found is None or tmp_path not in found.parents

    def test_a_strangers_policy_above_the_folder_is_not_obeyed(
        self, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        below = tmp_path / "work"
        below.mkdir()
        path = tmp_path / "groundwire.toml"
        path.write_text("recording.keyring = 'evil.json'\n")
        stat = pathlib.Path.stat

        def stat_as_a_strangers(self: pathlib.Path, **options: bool) -> os.stat_result:
            found = list(stat(self, **options))
            found[4] += 4242 if self == path else 0
            return os.stat_result(found)

        monkeypatch.setattr(pathlib.Path, "stat", stat_as_a_strangers)
        with pytest.raises(PolicyError) as caught:
            find_policy(below)
        assert caught.value.reason == "policy-of-a-stranger"
        assert find_policy(tmp_path) == path

    def test_paths_in_it_are_relative_to_its_own_folder(self, own_home: pathlib.Path) -> None:
        policy = pathlib.Path("/srv/agent/groundwire.toml")
        assert located(policy, "runs") == pathlib.Path("/srv/agent/runs")
        assert located(policy, "/var/runs") == pathlib.Path("/var/runs")
        assert located(policy, "~/runs") == own_home / "runs"


class TestDeclareTool:
    def test_code_declares_what_the_file_could(self) -> None:
        assert declare_tool("reboot", {"arguments_from": ["find"]}) == ToolDeclaration(
            name="reboot", arguments_from=("find",)
        )
        assert declare_tool("reboot", {"content": "commitments"}).content == "commitments"

    @pytest.mark.parametrize(
        ("name", "arguments_from", "reason"),
        [
            ("", None, "blank-name"),
            ("reboot", [], "empty-declaration"),
            ("reboot", [""], "blank-name"),
            ("reboot", ["reboot"], "tool-sources-itself"),
            ("reboot", "find", "wrong-type"),
        ],
    )
    def test_code_is_held_to_the_same_rules(
        self, name: str, arguments_from: list[str] | None, reason: str
    ) -> None:
        with pytest.raises(PolicyError) as caught:
            declare_tool(name, {"arguments_from": arguments_from})
        assert caught.value.reason == reason
