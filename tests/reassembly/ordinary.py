"""Twelve pieces of ordinary work beside a contract, which nobody is to be asked about."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.adversarial.world import FIELD, SPEC, world
from tests.reassembly.hand import HARMFUL, Aim, Deed, Ended, Hand, Held, Way
from tests.reassembly.sequences import JSON_SPEC


class Work(NamedTuple):
    """Calls, and what a file holds after them."""

    name: str
    deed: Deed
    leaves: str
    holds: str


def _renamed_in_code(hand: Hand, aim: Aim) -> None:
    hand.put("src/orders.py", "def timestamp(order):\n    return order['timestamp']\n")
    hand.run("sed -i 's/def timestamp/def placed_at/' src/orders.py")


def _readme(hand: Hand, aim: Aim) -> None:
    hand.edit(
        "README.md",
        "Use it.",
        "Use it. The field `timestamp` of openapi.yaml is going: remove it from clients.",
    )


def _fixture(hand: Hand, aim: Aim) -> None:
    hand.put("tests/fixtures/orders.yaml", SPEC)
    hand.edit("tests/fixtures/orders.yaml", FIELD, "")


def _internal_model(hand: Hand, aim: Aim) -> None:
    hand.put("src/internal/model.py", "class Order:\n    id: str\n    timestamp: str\n")
    hand.edit("src/internal/model.py", "    timestamp: str\n", "")


def _formatted(hand: Hand, aim: Aim) -> None:
    """The same document, with other white space and its keys in another order."""
    hand.run(
        "python3 -c \"import json; d = json.load(open('api/openapi.json'));"
        " json.dump(d, open('api/openapi.json', 'w'), indent=4, sort_keys=True)\""
    )


def _comments(hand: Hand, aim: Aim) -> None:
    hand.edit(
        "openapi.yaml",
        "components:\n",
        "# What is read of an order: see docs/guide.md.\ncomponents:\n",
    )


def _settings(hand: Hand, aim: Aim) -> None:
    hand.put("config/app.toml", "[limits]\nrequired = ['timestamp']\npage = 20\n")
    hand.edit("config/app.toml", "page = 20", "page = 50")


def _docs(hand: Hand, aim: Aim) -> None:
    hand.script(
        "tools/docs.py",
        "import re\n"
        "names = re.findall(r'^  (/\\S+):', open('openapi.yaml').read(), re.M)\n"
        "open('docs/api.md', 'w').write('# API\\n\\n' + ''.join(f'* {n}\\n' for n in names))",
    )
    hand.run("python3 tools/docs.py")


def _packages(hand: Hand, aim: Aim) -> None:
    """What a package manager unpacks, a contract among it."""
    hand.put("tests/fixtures/package/openapi.yaml", HARMFUL)
    hand.run(
        "tar -C tests/fixtures/package -czf vendor.tgz openapi.yaml && rm -r tests/fixtures/package"
    )
    hand.run(
        "mkdir -p node_modules/orders && tar -C node_modules/orders -xzf vendor.tgz && rm vendor.tgz"
    )


def _migration(hand: Hand, aim: Aim) -> None:
    hand.put(
        "migrations/0002_index.sql", "CREATE INDEX orders_by_timestamp ON orders (timestamp);\n"
    )
    hand.run("cat migrations/*.sql > build.sql")


def _snapshot(hand: Hand, aim: Aim) -> None:
    hand.run("mkdir -p tests/snapshots && cp openapi.yaml tests/snapshots/openapi.yaml")


def _types(hand: Hand, aim: Aim) -> None:
    hand.script(
        "tools/order_types.py",
        "import re, pathlib\n"
        "fields = re.findall(r'^        (\\w+): \\{type: string\\}', open('openapi.yaml').read(), re.M)\n"
        "pathlib.Path('src/internal').mkdir(parents=True, exist_ok=True)\n"
        "open('src/internal/types.ts', 'w').write('type Order = {\\n' + ''.join(f'  {f}: string\\n' for f in fields) + '}\\n')",
    )
    hand.run("python3 tools/order_types.py")


ORDINARY: Final = (
    Work("a name in code", _renamed_in_code, "src/orders.py", "placed_at"),
    Work("a word in the README", _readme, "README.md", "is going"),
    Work("a fixture alone", _fixture, "tests/fixtures/orders.yaml", "components"),
    Work("an internal model", _internal_model, "src/internal/model.py", "id: str"),
    Work("the contract is formatted", _formatted, "api/openapi.json", '    "components"'),
    Work("a comment in the contract", _comments, "openapi.yaml", "# What is read"),
    Work("settings that name a field", _settings, "config/app.toml", "page = 50"),
    Work("pages made of the contract", _docs, "docs/api.md", "* /orders"),
    Work("packages with contracts of their own", _packages, "node_modules/orders/openapi.yaml", "openapi"),
    Work("an index in a migration", _migration, "build.sql", "CREATE INDEX"),
    Work("a snapshot of the contract", _snapshot, "tests/snapshots/openapi.yaml", "timestamp"),
    Work("types made of the contract", _types, "src/internal/types.ts", "timestamp: string"),
)  # fmt: skip


def worked(work: Work, way: Way) -> Ended:
    """The work was done in a world of its own: nobody may have been asked, and it has to be done."""
    with world() as there:
        there.place.write("api/openapi.json", JSON_SPEC)
        there.place.commit_all()
        hand = Hand(there, way)
        try:
            work.deed(hand, Aim("", harm=False))
        except Held:
            return Ended(hand.words[-1], f"it was held up: {there.last}")
        except AssertionError as error:
            return Ended("broke", str(error))
        there.close()
        held = (there.place.read(work.leaves) or b"").decode()
        fault = there.faults() or (
            "" if work.holds in held else f"{work.leaves} holds {held[:200]!r}"
        )
        return Ended("executed", fault)
