"""The project that the session works on: a small inventory, its tests, and how it is built."""

from __future__ import annotations

from typing import Final

FILES: Final = {
    ".gitignore": "__pycache__/\nbuild/\ndist/\nnode_modules/\n.venv/\n",
    "Makefile": (
        "test:\n\tpython3 -m unittest discover -s tests -q\n\n"
        "build:\n\tmkdir -p build dist\n\tcp -r inventory build/\n"
        "\tpython3 -m zipfile -c dist/inventory.zip build/inventory\n\n"
        "clean:\n\trm -rf build dist\n\n.PHONY: test build clean\n"
    ),
    "README.md": "# Inventory\n\nCounts what is in stock.\n\n## Use\n\n    python3 -m inventory\n",
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n",
    "pyproject.toml": (
        '[project]\nname = "inventory"\nversion = "0.1.0"\nrequires-python = ">=3.10"\n\n'
        "[tool.ruff]\nline-length = 88\n"
    ),
    "inventory/__init__.py": '"""What is in stock."""\n',
    "inventory/__main__.py": (
        "from inventory.stock import Stock\n\n\ndef main() -> None:\n"
        '    print(Stock().total())\n\n\nif __name__ == "__main__":\n    main()\n'
    ),
    "inventory/stock.py": (
        '"""Stock: how many there are of each article."""\n\n\nclass Stock:\n'
        "    def __init__(self) -> None:\n        self.articles: dict[str, int] = {}\n\n"
        "    def add(self, article: str, count: int = 1) -> None:\n"
        "        self.articles[article] = self.articles.get(article, 0) + count\n\n"
        "    def total(self) -> int:\n        return sum(self.articles.values())\n\n"
        "    # more of the stock\n"
    ),
    "inventory/prices.py": (
        '"""Prices in cents."""\n\nRATE = 19\n\n\ndef with_tax(cents: int) -> int:\n'
        "    return cents + cents * RATE // 100\n\n\n# more prices\n"
    ),
    "inventory/report.py": (
        '"""Reports as text."""\n\nfrom inventory.stock import Stock\n\n\n'
        "def lines(stock: Stock) -> list[str]:\n"
        '    return [f"{name}: {count}" for name, count in sorted(stock.articles.items())]\n\n\n'
        "# more reports\n"
    ),
    "tests/__init__.py": "",
    "tests/test_stock.py": (
        "import unittest\n\nfrom inventory.stock import Stock\n\n\n"
        "class StockTest(unittest.TestCase):\n    def test_total(self) -> None:\n"
        "        stock = Stock()\n        stock.add('bolt', 3)\n"
        "        self.assertEqual(stock.total(), 3)\n\n    # more tests\n"
    ),
    "tests/test_prices.py": (
        "import unittest\n\nfrom inventory import prices\n\n\n"
        "class PricesTest(unittest.TestCase):\n    def test_with_tax(self) -> None:\n"
        "        self.assertEqual(prices.with_tax(1000), 1190)\n\n    # more tests\n"
    ),
    "tests/test_report.py": (
        "import unittest\n\nfrom inventory import report\nfrom inventory.stock import Stock\n\n\n"
        "class ReportTest(unittest.TestCase):\n    def test_lines(self) -> None:\n"
        "        stock = Stock()\n        stock.add('nut')\n"
        "        self.assertEqual(report.lines(stock), ['nut: 1'])\n\n    # more tests\n"
    ),
    "api/openapi.json": (
        '{\n  "openapi": "3.0.3",\n  "info": {"title": "Inventory", "version": "1.0.0"},\n'
        '  "paths": {\n    "/articles": {\n      "get": {\n        "summary": "All articles",\n'
        '        "parameters": [\n          {"name": "sort", "in": "query", "schema": {"enum": ["name"]}}\n'
        '        ],\n        "responses": {\n          "200": {\n            "description": "ok",\n'
        '            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Article"}}}\n'
        "          }\n        }\n      }\n    }\n  },\n"
        '  "components": {\n    "schemas": {\n      "Article": {\n        "type": "object",\n'
        '        "required": ["name"],\n        "properties": {\n          "name": {"type": "string"}\n'
        "        }\n      }\n    }\n  }\n}\n"
    ),
    "data/articles.csv": "article,count\nbolt,3\nnut,1\n",
}
