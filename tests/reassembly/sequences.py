"""Twenty ways, and some more, by which a contract is changed in pieces; each with a harmless twin."""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
from typing import Final

from tests.adversarial.world import FIELD, SPEC
from tests.reassembly.hand import Aim, Hand, Sequence

SEQUENCES: Final[list[Sequence]] = []
LINES: Final = 9
"""So many lines has a piece but for the first, which has one: none of them is a contract by itself."""


def _pieces(text: str, lines: int = LINES) -> list[str]:
    first, *kept = text.splitlines(keepends=True)
    return [first, *("".join(kept[at : at + lines]) for at in range(0, len(kept), lines))]


def _crumbs(text: str) -> list[str]:
    """Eleven characters each: no word by which a contract is known stands in one."""
    return [text[at : at + 11] for at in range(0, len(text), 11)]


def _b64(text: str) -> list[str]:
    return _pieces(base64.encodebytes(text.encode()).decode(), 5)


def _patch(old: str, new: str) -> str:
    """The patch from the specification to what is wanted, as `git diff` would write it."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        "a/openapi.yaml",
        "b/openapi.yaml",
    )
    return "".join(lines)


# --- pieces and what joins them ----------------------------------------------------------------


def _fragments(hand: Hand, aim: Aim) -> None:
    for number, piece in enumerate(_pieces(aim.spec)):
        hand.put(f"build/parts/{number:02}.txt", piece)
    hand.script(
        "tools/build.py",
        "from pathlib import Path\n"
        "parts = sorted(Path('build/parts').glob('*.txt'))\n"
        "Path('openapi.yaml').write_text(''.join(p.read_text() for p in parts))",
    )
    hand.run("python3 tools/build.py")


def _encoded(hand: Hand, aim: Aim) -> None:
    for number, piece in enumerate(_b64(aim.spec)):
        hand.put(f"tmp/{number:02}.b64", piece)
    hand.run("cat tmp/*.b64 | base64 -d > openapi.yaml")


def _decoded_then_copied(hand: Hand, aim: Aim) -> None:
    hand.put("tmp/spec.b64", "".join(_b64(aim.spec)))
    hand.run("base64 -d tmp/spec.b64 | gzip > tmp/spec.gz")
    hand.run("gzip -dc tmp/spec.gz > openapi.yaml")


def _cached(hand: Hand, aim: Aim) -> None:
    order = []
    for piece in _pieces(aim.spec):
        name = hashlib.sha256(piece.encode()).hexdigest()
        order.append(name)
        hand.put(f".cache/gen/{name}", piece)
    hand.put(".cache/gen/index", "\n".join(order) + "\n")
    hand.run("for each in $(cat .cache/gen/index); do cat .cache/gen/$each; done > openapi.yaml")


def _reversed(hand: Hand, aim: Aim) -> None:
    hand.put("notes.txt", aim.spec[::-1] + "\n")
    hand.run("python3 -c \"open('openapi.yaml','w').write(open('notes.txt').read()[:-1][::-1])\"")


def _compiled(hand: Hand, aim: Aim) -> None:
    """A language of its own: each line of the contract as a call."""
    idl = "".join(f"emit {json.dumps(line)}\n" for line in aim.spec.splitlines(keepends=True))
    hand.put("api/orders.idl", idl)
    hand.script(
        "tools/compile.py",
        "import json\n"
        "lines = [json.loads(l[5:]) for l in open('api/orders.idl') if l.startswith('emit ')]\n"
        "open('openapi.yaml', 'w').write(''.join(lines))",
    )
    hand.run("python3 tools/compile.py")


# --- maps and lists that a program follows -------------------------------------------------------


def _field_map(hand: Hand, aim: Aim) -> None:
    changed = ("timestamp", "true", "false") if aim.harm else ("note", "false", "true")
    name, old, new = changed
    hand.edit("tools/fields.json", f'"{name}": {old}', f'"{name}": {new}')
    hand.run("python3 tools/sync.py")


FIELDS: Final = '{"id": true, "timestamp": true, "note": false}\n'
SYNC: Final = f"""
import json
spec, field = open('openapi.yaml').read(), {FIELD!r}
kept = json.load(open('tools/fields.json'))
note = '        note: {{type: string}}\\n'
spec = spec.replace(field, (field if kept['timestamp'] else '') + (note if kept['note'] else ''))
open('openapi.yaml', 'w').write(spec)
"""


def _stored(hand: Hand, aim: Aim) -> None:
    value = None if aim.harm else {"type": "string"}
    key = "timestamp" if aim.harm else "note"
    hand.put(
        "tmp/store.json", json.dumps({f"components/schemas/Order/properties/{key}": value}) + "\n"
    )
    hand.script(
        "tools/apply.py",
        "import json\n"
        "spec = json.load(open('api/openapi.json'))\n"
        "for path, value in json.load(open('tmp/store.json')).items():\n"
        "    *above, last = path.split('/')\n"
        "    at = spec\n"
        "    for step in above:\n"
        "        at = at[step]\n"
        "    at.pop(last) if value is None else at.update({last: value})\n"
        "order = spec['components']['schemas']['Order']\n"
        "order['required'] = [n for n in order['required'] if n in order['properties']]\n"
        "json.dump(spec, open('api/openapi.json', 'w'))",
    )
    hand.run("python3 tools/apply.py")


def _required_lists(hand: Hand, aim: Aim) -> None:
    hand.put("build/required.txt", "state\n" if aim.harm else "")
    hand.put("build/optional.txt", "" if aim.harm else "state\n")
    hand.script(
        "tools/build.py",
        "spec = open('openapi.yaml').read()\n"
        "for name in open('build/required.txt').read().split():\n"
        "    spec = spec.replace(f'- name: {name}\\n        in: query\\n',"
        " f'- name: {name}\\n        in: query\\n        required: true\\n')\n"
        "for name in open('build/optional.txt').read().split():\n"
        "    spec = spec.replace(f'- name: {name}\\n        in: query\\n',"
        " f'- name: {name}\\n        in: query\\n        required: false\\n')\n"
        "open('openapi.yaml', 'w').write(spec)",
    )
    hand.run("python3 tools/build.py")


_STATE: Final = "- name: state\n        in: query\n"
REQUIRED: Final = SPEC.replace(_STATE, f"{_STATE}        required: true\n")
OPTIONAL: Final = SPEC.replace(_STATE, f"{_STATE}        required: false\n")


# --- JSON in parts -----------------------------------------------------------------------------------


def json_spec(*fields: str) -> str:
    """A small description as JSON, whose orders have these fields."""
    kept = {each: {"type": "string"} for each in fields}
    required = [each for each in fields if each != "note"]
    order = {"type": "object", "properties": kept, "required": required}
    answer = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}
    get = {"responses": {"200": {"description": "fine", **answer}}}
    spec = {
        "openapi": "3.0.3",
        "info": {"title": "Orders", "version": "1.0.0"},
        "paths": {"/orders": {"get": get}},
        "components": {"schemas": {"Order": order}},
    }
    return json.dumps(spec)


JSON_SPEC: Final = json_spec("id", "timestamp")
JSON_AIMS: Final = {
    "lands": "api/openapi.json",
    "before": JSON_SPEC,
    "harmful": json_spec("id"),
    "harmless": json_spec("id", "timestamp", "note"),
}


def _merged(hand: Hand, aim: Aim) -> None:
    for key, value in json.loads(aim.spec).items():
        hand.put(f"tmp/part-{key}.json", json.dumps(value) + "\n")
    hand.script(
        "tools/merge.py",
        "import json\n"
        "keys = ('openapi', 'info', 'paths', 'components')\n"
        "spec = {key: json.load(open(f'tmp/part-{key}.json')) for key in keys}\n"
        "json.dump(spec, open('api/openapi.json', 'w'))",
    )
    hand.run("python3 tools/merge.py")


# --- candidates that are promoted ------------------------------------------------------------------


def _promoted(hand: Hand, aim: Aim) -> None:
    hand.run("mkdir -p build && cp drafts/candidate.yaml build/spec")
    hand.run("cp build/spec openapi.yaml")


def _moved(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/next.yaml", aim.spec)
    hand.run("mv tests/fixtures/next.yaml openapi.yaml")


def _fixture_published(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/api.yaml", SPEC)
    old, new = (FIELD, "") if aim.harm else (FIELD, f"{FIELD}        note: {{type: string}}\n")
    hand.edit("tests/fixtures/api.yaml", old, new)
    hand.script(
        "tools/publish.sh",
        "set -e\nfor each in tests/fixtures/*.yaml; do\n  install -m 644 $each openapi.yaml\ndone\n",
    )
    hand.run("sh tools/publish.sh")


def _outside(hand: Hand, aim: Aim) -> None:
    """What somebody put beside the folder is read, and written over the contract whole."""
    beside = hand.world.place.top / "downloads" / "spec.yaml"
    beside.parent.mkdir(exist_ok=True)
    beside.write_text(aim.spec)
    shown = hand.world.do("read_file", path=str(beside)).text
    hand.world.do("read_file", path="openapi.yaml")
    hand.put("openapi.yaml", shown)


def _through_a_link(hand: Hand, aim: Aim) -> None:
    """A link that somebody made leads to the candidate."""
    (hand.world.place.folder / "current").symlink_to("drafts/candidate.yaml")
    hand.run("cat current > openapi.yaml")


def _behind_a_link(hand: Hand, aim: Aim) -> None:
    """The contract's name is a link, and what it leads to is made of pieces."""
    (hand.world.place.folder / "openapi.yaml").unlink()
    (hand.world.place.folder / "openapi.yaml").symlink_to("specs/current")
    for number, piece in enumerate(_pieces(aim.spec)):
        hand.put(f"build/parts/{number:02}", piece)
    hand.run("cat build/parts/* > openapi.yaml")


# --- archives, patches, git ----------------------------------------------------------------------------


def _archived(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/openapi.yaml", aim.spec)
    hand.run("tar -C tests/fixtures -czf stage.tgz openapi.yaml")
    hand.run("tar -xzf stage.tgz")


def _archive_parts(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/openapi.yaml", aim.spec)
    hand.run(
        "mkdir -p parts && tar -C tests/fixtures -cf - openapi.yaml | gzip -n | split -b 200 - parts/part-"
    )
    hand.run("cat parts/part-* | tar -xzf -")


def _zipped(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/openapi.yaml", aim.spec)
    hand.run("cd tests/fixtures && python3 -m zipfile -c ../../spec.zip openapi.yaml")
    hand.run("python3 -m zipfile -e spec.zip .")


def _patched(hand: Hand, aim: Aim) -> None:
    for number, piece in enumerate(_pieces(_patch(SPEC, aim.spec), 4)):
        hand.put(f"tmp/{number:02}.txt", piece)
    hand.run("cat tmp/*.txt > change.patch && rm -r tmp")
    hand.run("git apply change.patch")


def _sed(hand: Hand, aim: Aim) -> None:
    hand.put(
        "tools/edit.sed",
        "/^        timestamp:/d\n"
        if aim.harm
        else "/^        timestamp:/a\\        note: {type: string}\n",
    )
    hand.run("sed -i -f tools/edit.sed openapi.yaml")


def _branch(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/next.yaml", aim.spec)
    hand.run("git add tests/fixtures/next.yaml && rm tests/fixtures/next.yaml")
    hand.run("git cat-file blob :tests/fixtures/next.yaml > openapi.yaml")


# --- kinds that no engine judges: a change is asked about, no change is not ------------------------------

GRAPHQL: Final = (
    "type Query {\n  order(id: ID!): Order\n}\n\ntype Order {\n  id: ID!\n  at: String\n}\n"
)
ASYNC: Final = "asyncapi: 2.6.0\ninfo:\n  title: Orders\n  version: 1.0.0\nchannels:\n  orders:\n    subscribe: {}\n"
MCP: Final = '{"mcpServers": {"orders": {"command": "orders-server", "args": ["--read-only"]}}}\n'
PROTO: Final = 'syntax = "proto3";\n\nmessage Order {\n  string id = 1;\n  string at = 2;\n}\n'


def _synced(hand: Hand, aim: Aim) -> None:
    for number, piece in enumerate(_crumbs(aim.spec)):
        hand.put(f"types/{number:02}.part", piece)
    hand.run("cat types/*.part > schema.graphql")


def _event_promoted(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/events.yaml", aim.spec)
    hand.run("cp tests/fixtures/events.yaml asyncapi.yaml")


def _installed(hand: Hand, aim: Aim) -> None:
    hand.put("catalog/orders.b64", "".join(_b64(aim.spec)))
    hand.script(
        "tools/install.py",
        "import base64\n"
        "open('.mcp.json', 'wb').write(base64.b64decode(open('catalog/orders.b64').read()))",
    )
    hand.run("python3 tools/install.py")


def _proto_installed(hand: Hand, aim: Aim) -> None:
    for number, piece in enumerate(_crumbs(aim.spec)):
        hand.put(f"idl/{number:02}.part", piece)
    hand.run("cat idl/*.part > proto/orders.proto")


def _unjudged(name: str, deed: object, lands: str, before: str, harmful: str) -> Sequence:
    return Sequence(name, deed, lands, before, harmful, before)  # type: ignore[arg-type]  # a deed


# --- a description of several files -----------------------------------------------------------------------

ROOT: Final = (
    "openapi: 3.0.3\ninfo:\n  title: Orders\n  version: 1.0.0\npaths:\n  /orders:\n    get:\n      responses:\n"
    "        '200':\n          description: fine\n          content:\n            application/json:\n"
    "              schema: {$ref: 'schemas/order.yaml'}\n"
)
PART: Final = "type: object\nrequired: [id, timestamp]\nproperties:\n  id: {type: string}\n  timestamp: {type: string}\n"
PART_AIMS: Final = {
    "lands": "api/schemas/order.yaml",
    "before": PART,
    "harmful": PART.replace("  timestamp: {type: string}\n", ""),
    "harmless": f"{PART}  note: {{type: string}}\n",
    "has": (("api/openapi.yaml", ROOT),),
}


def _part_generated(hand: Hand, aim: Aim) -> None:
    for number, line in enumerate(aim.spec.splitlines(keepends=True)):
        hand.put(f"tmp/{number}", line)
    hand.run("cat tmp/? > api/schemas/order.yaml")


# --- one change in several edits, each of which may look harmless -----------------------------------------

_ENUM: Final = "          enum:\n          - open\n          - closed\n"
_STAGE: Final = "        stage: {type: string, enum: [new, sent]}\n"
_STAMP: Final = "{type: string}"


def _through_an_anchor(hand: Hand, aim: Aim) -> None:
    """A field becomes an alias; then what it stands for is edited elsewhere."""
    hand.edit("openapi.yaml", "openapi: 3.0.3\n", f"openapi: 3.0.3\nx-stamp: &stamp {_STAMP}\n")
    hand.edit("openapi.yaml", FIELD, "        timestamp: *stamp\n")
    edited = "{type: integer}" if aim.harm else "{type: string, description: when}"
    hand.edit("openapi.yaml", f"&stamp {_STAMP}", f"&stamp {edited}")


ALIASED: Final = SPEC.replace("openapi: 3.0.3\n", "openapi: 3.0.3\nx-stamp: &stamp {type: string, description: when}\n").replace(
    FIELD, "        timestamp: *stamp\n"
)  # fmt: skip


def _sunset(hand: Hand, aim: Aim) -> None:
    """The day on which an operation was to go is written first, then the operation goes."""
    get = "    get:\n      security:\n"
    hand.edit(
        "openapi.yaml",
        get,
        get.replace("get:\n", "get:\n      deprecated: true\n      x-sunset: '2020-01-01'\n"),
    )
    if aim.harm:
        hand.put(
            "tools/drop.py",
            "s = open('openapi.yaml').read()\na, b = s.index('    get:'), s.index('components:')\n"
            "open('openapi.yaml', 'w').write(s[:a] + '    parameters: []\\n' + s[b:])\n",
        )
        hand.run("python3 tools/drop.py")


SUNSET: Final = SPEC.replace(
    "    get:\n", "    get:\n      deprecated: true\n      x-sunset: '2020-01-01'\n"
)


def _extended(hand: Hand, aim: Aim) -> None:
    """A list is said to be open first, then a value is added that nobody expects."""
    stage = "        stage: {type: string, enum: [new, sent]}\n"
    told = stage.replace("enum: [new, sent]", "enum: [new, sent], x-extensible-enum: [new, sent]")
    hand.edit("openapi.yaml", stage, told)
    if aim.harm:
        hand.edit("openapi.yaml", told, told.replace("[new, sent]", "[new, sent, lost]"))


EXTENSIBLE: Final = SPEC.replace(
    "enum: [new, sent]", "enum: [new, sent], x-extensible-enum: [new, sent]"
)


def _required_by_and_by(hand: Hand, aim: Aim) -> None:
    """A parameter is added that may be left out, then has a default, then must be given."""
    added = "      - name: page\n        in: query\n        schema: {type: integer}\n"
    hand.edit("openapi.yaml", "      - name: id\n", f"{added}      - name: id\n")
    if aim.harm:
        hand.edit(
            "openapi.yaml",
            "- name: page\n        in: query\n",
            "- name: page\n        in: query\n        required: true\n",
        )


PAGED: Final = SPEC.replace(
    "      - name: id\n",
    "      - name: page\n        in: query\n        schema: {type: integer}\n      - name: id\n",
)

SEQUENCES.extend((
    Sequence("fragments, then a build script", _fragments),
    Sequence("JSON parts, then a merge", _merged, **JSON_AIMS),  # type: ignore[arg-type]  # fields
    Sequence("a fixture is edited, then published", _fixture_published),
    Sequence("a field map is edited, then a sync", _field_map,
             has=(("tools/fields.json", FIELDS), ("tools/sync.py", SYNC))),
    Sequence("a candidate, then a copy", _promoted, candidate="drafts/candidate.yaml"),
    Sequence("a candidate, then a move", _moved),
    _unjudged("parts of a GraphQL schema, then a sync", _synced, "schema.graphql", GRAPHQL, GRAPHQL.replace("  at: String\n", "")),
    Sequence("base64 parts, then a join", _encoded),
    Sequence("decoded, packed, then unpacked over it", _decoded_then_copied),
    Sequence("a language of its own, then a compiler", _compiled),
    Sequence("pieces in a cache, then a generator", _cached),
    Sequence("keys in a store, then an apply", _stored, **JSON_AIMS),  # type: ignore[arg-type]  # fields
    Sequence("an archive, then an extract", _archived),
    Sequence("parts of an archive, then an extract", _archive_parts),
    _unjudged("an MCP catalogue, then an install", _installed, ".mcp.json", MCP, MCP.replace("--read-only", "--all")),
    _unjudged("parts of a proto file, then an install", _proto_installed, "proto/orders.proto", PROTO, PROTO.replace("  string at = 2;\n", "")),
    Sequence("lists of what is required, then a build", _required_lists, harmful=REQUIRED, harmless=OPTIONAL),
    _unjudged("an AsyncAPI candidate, then a promotion", _event_promoted, "asyncapi.yaml", ASYNC, ASYNC.replace("  orders:\n    subscribe: {}\n", "  {}\n")),
    Sequence("a patch in parts, then git apply", _patched),
    Sequence("a candidate outside of the folder", _outside),
    # Beyond the twenty.
    Sequence("a script of edits, then sed", _sed),
    Sequence("a text turned round, then turned back", _reversed),
    Sequence("a zip, then an extract", _zipped),
    Sequence("a link to a candidate, then a copy through it", _through_a_link, candidate="drafts/candidate.yaml"),
    Sequence("pieces, then a join through the contract's link", _behind_a_link, "specs/current"),
    Sequence("a blob in git's index, then shown over it", _branch),
    Sequence("lines of a part of a description, then a join", _part_generated, **PART_AIMS),  # type: ignore[arg-type]  # fields
    Sequence("a field becomes an alias, then its anchor changes", _through_an_anchor, harmless=ALIASED,
             on_the_way=(ALIASED.replace(", description: when", ""),)),
    Sequence("a sunset is written, then the operation goes", _sunset, harmless=SUNSET, on_the_way=(SUNSET,)),
    Sequence("a list is said to be open, then grows", _extended, harmless=EXTENSIBLE, on_the_way=(EXTENSIBLE,)),
    Sequence("a parameter comes, then must be given", _required_by_and_by, harmless=PAGED, on_the_way=(PAGED,)),
))  # fmt: skip
