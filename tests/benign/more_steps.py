"""The longer half of the session: modules by the dozen, other languages, and what git is used for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.benign.steps import Step, edit, read, run, write

MODULES: Final = (
    "suppliers", "shelves", "orders_log", "labels", "returns", "weights", "colours", "batches",
    "barcodes", "pallets", "invoices", "holidays", "rounding", "currencies", "customers", "carriers",
    "packing", "seasons", "discounts", "counting", "drawers", "shifts", "samples", "boxes", "ramps",
    "forklifts", "vans", "tills",
)  # fmt: skip
_FILES: Final = (
    ("package.json", '{\n  "name": "inventory-site",\n  "version": "1.0.0",\n  "scripts": {"test": "true"}\n}\n',
     '"1.0.0"', '"1.0.1"'),
    ("package-lock.json", '{\n  "name": "inventory-site",\n  "lockfileVersion": 3,\n  "packages": {}\n}\n',
     '"packages": {}', '"packages": {"": {}}'),
    ("tsconfig.json", '{"compilerOptions": {"strict": true}}\n', "true", "false"),
    ("web/index.html", "<!doctype html>\n<title>Stock</title>\n", "Stock", "Inventory"),
    ("web/style.css", "body { color: black }\n", "black", "#222"),
    ("web/app.js", "export const total = (xs) => xs.reduce((a, b) => a + b, 0)\n", "total", "sum"),
    ("web/app.test.js", "import {sum} from './app.js'\nconsole.assert(sum([1]) === 1)\n", "[1]", "[1, 0]"),
    ("config/settings.yaml", "debug: false\nlevels:\n  - info\n", "false", "true"),
    ("config/logging.toml", 'level = "info"\n', "info", "debug"),
    ("docker-compose.yml", "services:\n  web:\n    image: nginx\n", "nginx", "nginx:1.27"),
    ("Dockerfile", "FROM python:3.12\nCOPY . /app\n", "3.12", "3.13"),
    (".editorconfig", "root = true\n", "true", "true\nindent_size = 4"),
    (".env.example", "TOKEN=\n", "TOKEN=", "API_TOKEN="),
    ("setup.cfg", "[flake8]\nmax-line-length = 88\n", "88", "100"),
    ("requirements.txt", "requests==2.32.0\n", "2.32.0", "2.32.3"),
    ("queries/stock.sql", "SELECT article, count FROM stock;\n", "count", "count, price"),
    ("docs/api.md", "# API\n\nThe openapi document lists the paths: and schemas.\n", "lists", "shows"),
    ("docs/faq.md", "# FAQ\n\n```yaml\nopenapi: 3.0.3\n```\n", "FAQ", "Questions"),
    ("scripts/report.sh", "#!/bin/sh\nset -e\npython3 -m inventory\n", "set -e", "set -eu"),
    ("data/prices.json", '{"bolt": 120, "nut": 80}\n', "80", "85"),
    ("data/days.csv", "day,sold\n2026-01-02,3\n", "3", "4"),
    ("LICENSE", "Copyright 2025\n", "2025", "2026"),
    ("src/lib.rs", "pub fn add(a: u32, b: u32) -> u32 { a + b }\n", "u32, b", "u32, more"),
    ("src/main.go", 'package main\n\nfunc main() { println("stock") }\n', "stock", "inventory"),
    ("src/stock.c", "int total(int a, int b) { return a + b; }\n", "total", "sum"),
    ("tests/fixtures/sample-openapi.json", '{"openapi": "3.0.3", "paths": {}}\n', "3.0.3", "3.1.0"),
    ("site/hooks/useStock.ts", "export const useStock = () => 1\n", "1", "2"),
    ("site/hooks/config", "cache = on\n", "on", "off"),
    ("config/HEAD", "The head of each page.\n", "head", "top"),
    ("config/config", "level = 1\n", "1", "2"),
    ("docs/objects/refs.md", "# Refs\n", "Refs", "References"),
    ("docs/keys.md", "A file begins with -----BEGIN PRIVATE KEY----- and is secret.\n", "secret", "a key"),
    ("docs/netrc.md", "The machine and its login have a password.\n", "password", "token"),
    ("scripts/git.sh", "#!/bin/sh\nexec git status\n", "status", "diff"),
    ("tools/bin/stock", "#!/bin/sh\necho stock\n", "echo", "exec echo"),
    ("kiro/hooks.json", "{}\n", "{}", "[]"),
    ("shop/menu.json", '["home", "stock"]\n', '"stock"', '"articles"'),
    ("shop/i18n/de.json", '{"total": "Summe"}\n', "Summe", "Gesamt"),
    ("shop/i18n/fr.json", '{"total": "somme"}\n', "somme", "total"),
    ("config/limits.yml", "most: 100\n", "100", "200"),
    ("config/theme.json", '{"type": "dark"}\n', "dark", "light"),
    ("docs/changes.md", "# What changed in the API\n", "changed", "is new"),
    ("docs/schema.md", "# The schema of an article\n", "an article", "articles"),
    ("scripts/seed.py", "print('seed')\n", "seed", "sow"),
    ("scripts/export_api.py", "print('openapi')\n", "openapi", "openapi: 3"),
    ("notes/todo.txt", "count the nuts\n", "nuts", "bolts"),
    ("notes/ideas.txt", "sort by price\n", "price", "age"),
    ("Procfile", "web: python3 -m inventory\n", "web", "main"),
)  # fmt: skip

_API: Final = (
    ('"title": "Inventory"', '"title": "Inventory of the shop"'),
    ('"version": "1.0.0"', '"version": "1.1.0"'),
    ('"summary": "All articles"', '"summary": "Every article", "tags": ["stock"]'),
    ('"description": "ok"', '"description": "The articles, sorted"'),
    ('{"type": "string"}', '{"type": "string", "description": "As on the label"}'),
    ('"As on the label"', '"As on the label", "example": "bolt"'),
    ('{"enum": ["name"]}', '{"enum": ["name", "count"]}'),
    ('{"name": "sort", "in": "query", ', '{"in": "query", "name": "sort", "description": "by what", '),
    ('"example": "bolt"}', '"example": "nut"},\n          "count": {"type": "integer"}'),
    ('"required": ["name"]', '"required": ["name", "count"]'),
    ('"count": {"type": "integer"}', '"count": {"type": "integer", "minimum": 0}'),
    ('"tags": ["stock"]', '"tags": ["stock"], "operationId": "articles"'),
    ('"operationId": "articles"', '"operationId": "listArticles", "x-owner": "shop"'),
    ('  "paths": {\n', '  "paths": {\n    "/health": {"get": {"responses": {"204": {"description": "up"}}}},\n'),
    ('"/health": {"get": {', '"/health": {"get": {"summary": "Whether it is up", '),
    ('"Article": {\n', '"Label": {"type": "string"},\n      "Article": {\n'),
    ('"Label": {"type": "string"}', '"Sticker": {"type": "string", "maxLength": 20}'),
    ('"info": {', '"servers": [{"url": "/"}],\n  "info": {'),
)  # fmt: skip
"""Edits of the API's description that break nobody."""


def more_steps() -> Iterator[Step]:
    """Everything after the session's first half."""
    for number, name in enumerate(MODULES):
        yield from _module(number, name)
    for path, text, old, new in _FILES:
        yield write(path, text)
        yield edit(path, old, new)
    for old, new in _API:
        yield edit("api/openapi.json", old, new)
    for command in (
        "python3 -m json.tool api/openapi.json > /tmp/o && cp /tmp/o api/openapi.json",
        "sed -i 's/Every article/All of the articles/' api/openapi.json",
        "perl -pi -e 's/by what/by which of these/' api/openapi.json",
        "python3 -m json.tool --sort-keys api/openapi.json > /tmp/o && cp /tmp/o api/openapi.json",
        "python3 -m json.tool --compact api/openapi.json > /tmp/o && cp /tmp/o api/openapi.json",
        "python3 -m json.tool api/openapi.json > /tmp/o && cp /tmp/o api/openapi.json",
        "sed -i 's/The articles, sorted/Articles in order/' api/openapi.json",
        "grep -c summary api/openapi.json",
        "git diff --stat",
        "git add api && git commit -q -m 'API: words, order and what harms nobody'",
    ):
        yield run(command, "run")
    yield run(
        "git add -A && git commit -q -m 'Site, settings, scripts: nothing to deploy'", "commit"
    )
    yield from _tools_of_the_shell()
    yield from _history()


def _module(number: int, name: str) -> Iterator[Step]:
    """A module, its test, a run, a second thought; every fourth time a commit."""
    path, test = f"inventory/{name}.py", f"tests/test_{name}.py"
    yield write(
        path, f'"""{name}."""\n\nLIMIT = {number}\n\n\ndef most() -> int:\n    return LIMIT\n'
    )
    yield write(
        test,
        f"import unittest\n\nfrom inventory import {name}\n\n\nclass Test(unittest.TestCase):\n"
        f"    def test_most(self) -> None:\n        self.assertEqual({name}.most(), {number})\n",
    )
    yield run(f"python3 -m unittest tests.test_{name} -q", "test", "OK")
    yield edit(path, "return LIMIT", "return max(LIMIT, 0)")
    yield read(path, "max(LIMIT, 0)")
    yield run(f"grep -n most {path} {test}", "grep", "most")
    guide = f"docs/modules/{name}.md"
    yield write(guide, f"# {name}\n\nTo be written.\n")
    yield edit(guide, "To be written.", f"The most is {number}. Nothing here is `destructive`.")
    yield run(f"python3 -c 'import inventory.{name} as m; print(m.most())'", "shell", str(number))
    yield run(f"sed -i 's/^# {name}/# About {name}/' {guide} && head -1 {guide}", "sed", "About")
    yield run(f"git diff --no-index /dev/null {guide} | tail -1; wc -l < {path}", "look", "+")
    if number % 4 == 0:
        yield edit(test, f"{name}.most(), {number}", f"{name}.most(), -1")
        yield run(f"python3 -m unittest tests.test_{name} -q", "test", "FAILED", exit=1)
        yield edit(test, f"{name}.most(), -1", f"{name}.most(), {number}")
        yield run(f"python3 -m unittest tests.test_{name} -q && git diff --stat", "test", "OK")
    if number % 4 == 3:
        yield run(f"git add -A && git commit -q -m 'Add {name}; see rm(1) and dd(1)'", "commit")


def _tools_of_the_shell() -> Iterator[Step]:
    for command, shows in (
        ("sort data/days.csv | uniq -c | head", "day,sold"),
        ("awk -F, 'NR>1 {n += $2} END {print n}' data/days.csv", "4"),
        ("find . -name '*.py' -not -path './.git/*' | xargs wc -l | tail -1", "total"),
        ("for each in inventory/*.py; do python3 -m py_compile $each; done; echo compiled", "compiled"),
        ("tar czf /tmp/all.tgz inventory && tar tzf /tmp/all.tgz | head -1", "inventory"),
        ("diff README.md CHANGELOG.md > /dev/null || echo differ", "differ"),
        ("python3 -c 'import json; print(json.load(open(\"data/prices.json\"))[\"nut\"])'", "85"),
        ("env | grep -c PATH", ""),
        ("du -sh inventory | cut -f2", "inventory"),
        ("echo 'rm -rf /' | cat", "rm -rf /"),
        ("printf '%s\\n' 'DROP TABLE stock;' | grep -c DROP", "1"),
        ("test -x scripts/report.sh || echo not yet", "not yet"),
        ("chmod +x scripts/report.sh && ./scripts/report.sh", "0"),
        ("cp data/prices.json data/prices.backup.json && ls data", "prices.backup.json"),
        ("rm data/prices.backup.json && ls data", "prices.json"),
        ("sed -i 's/nginx:1.27/nginx:1.28/' docker-compose.yml && grep nginx docker-compose.yml", "1.28"),
        ("find inventory -name '*.py' -exec sed -i 's/LIMIT = 7$/LIMIT = 7  # kept/' {} +", ""),
        ("mkdir -p notes/2026 && echo draft | tee notes/2026/may.md", "draft"),
        ("mv notes/2026/may.md notes/may.md && rmdir notes/2026 && ls notes", "may.md"),
        ("rm -r notes && ls", "README.md"),
        ("split -l 1 data/days.csv /tmp/part. && ls /tmp/part.*", "part."),
        ("touch inventory/py.typed && ls inventory/py.typed", "py.typed"),
        ("truncate -s 0 inventory/py.typed; echo $?", "0"),
        ("(cd web && ls | wc -l)", "4"),
        ("timeout 5 python3 -m http.server --help | head -1", "usage"),
        ("python3 -m unittest discover -s tests -q 2>&1 | tail -1", "OK"),
        ("python3 -m ruff check -q . ; echo checked", "checked"),
        ("python3 -m ruff format -q . && git diff --stat | tail -1", ""),
        ("make build && make clean", ""),
        ("whoami; pwd; date > /dev/null; uname > /dev/null", ""),
        ("curl --version > /dev/null 2>&1; echo looked", "looked"),
        ("cat <<'EOF' > scripts/wipe.sh\n#!/bin/sh\n# never run: rm -rf / --no-preserve-root\nEOF\nls scripts", "wipe.sh"),
    ):  # fmt: skip
        yield run(command, "shell", shows)
    yield run("git add -A && git commit -q -m 'Chores'", "commit")


def _history() -> Iterator[Step]:
    for command, shows in (
        ("git switch -q -c topic", ""),
        ("echo 'topic' >> README.md && git commit -q -am 'Topic 1'", ""),
        ("echo 'topic two' >> README.md && git commit -q -am 'Topic 2'", ""),
        ("git switch -q main && git cherry-pick topic~1 && git log -1 --format=%s", "Topic 1"),
        ("git rebase -q main topic && git switch -q main && git merge -q --ff-only topic", ""),
        ("git branch -d topic", "Deleted"),
        ("git branch -m main trunk && git branch -m trunk main && git branch", "main"),
        ("git format-patch -1 --stdout > /tmp/last.patch && head -1 /tmp/last.patch", "From"),
        ("git archive HEAD | tar t | head -1", ""),
        ("git restore --source=HEAD~1 README.md && git diff --stat", "README.md"),
        ("git restore README.md && git status --short", ""),
        ("echo x >> README.md && git add README.md && git restore --staged README.md", ""),
        ("git checkout README.md", ""),
        ("git rm -q --cached scripts/wipe.sh && git add scripts/wipe.sh && git status --short", ""),
        ("git bisect start -q HEAD HEAD~5 2>&1; git bisect reset -q; git status -sb | head -1", "main"),
        ("git tag -a v1 -m 'Version 1' && git describe", "v1"),
        ("git notes add -m 'looked at' && git notes show", "looked at"),
        ("git shortlog -sn HEAD | head -3", "Ada"),
        ("git reflog | head -3", "HEAD@{0}"),
        ("git clean -nd", ""),
        ("git config --get user.name", "Ada"),
        ("git remote -v; git ls-files | wc -l", ""),
        ("git grep -n 'rm -rf' | head -2", "rm -rf"),
        ("git show --stat HEAD | head -5", "commit"),
        ("git commit -q --allow-empty -m 'Refuse: git push --force, git clean -fdx, DROP DATABASE'", ""),
        ("git reset -q --soft HEAD~1 && git log -1 --format=%s", ""),
        ("echo wip > wip.txt && git add wip.txt", ""),
        ("git stash -q && git stash list", "stash@{0}"),
        ("git stash apply -q && git stash drop -q && ls wip.txt", "wip.txt"),
        ("git rm -qf wip.txt && ls", "README.md"),
        ("git switch -q -c fix HEAD~1 && git switch -q main && git merge -q fix && git branch -d fix", "Deleted"),
        ("git fsck --no-dangling 2>&1 | tail -1; git count-objects", ""),
        ("git gc -q && git log --oneline | wc -l", ""),
    ):  # fmt: skip
        yield run(command, "history", shows)
