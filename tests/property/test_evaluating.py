"""What the search's own evaluator says of a value is what a validator says."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from groundwire.contracts.jsonschema.compiling.dialects import DIALECTS
from groundwire.contracts.jsonschema.compiling.references import References
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Document
from groundwire.contracts.jsonschema.compiling.table import KEYWORDS
from groundwire.contracts.jsonschema.graph import Graph
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.searching.evaluating import Evaluator
from tests.property.test_inclusion import ROOTS, VALUES, is_valid


@given(ROOTS, VALUES)
@settings(max_examples=300, deadline=None)
def test_a_value_holds_where_a_validator_takes_it(root: Any, value: Any) -> None:
    graph, languages, dialect = Graph(), Languages(), DIALECTS["2020-12"]
    references = References(root, dialect.id_keyword)
    document = Document("old", root, dialect, references, formats=False, openapi=False)
    compiler = Compiler(graph, document, KEYWORDS, languages)
    literal = compiler.at(references.resolve("#", ()), declared=False)
    evaluator = Evaluator(graph, languages)
    told = evaluator.holds(literal, value)
    assert told in {None, is_valid(root, value)}
    assert evaluator.holds(-literal, value) is (None if told is None else not told)
