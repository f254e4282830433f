"""That a value equals a given one, as a literal; arrays and objects are spelt out in atoms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit
from groundwire.contracts.jsonschema.values import scalar


def equal_to(graph: Graph, value: JSON, *, declares: bool = False) -> Lit:
    """That the value is `value`; so its negation is made of the ways in which one can differ."""
    key = scalar(value)
    if key is not None:
        return graph.enum([key])
    if isinstance(value, Mapping):
        return _object(graph, value, declares=declares)
    if isinstance(value, Sequence):
        return _array(graph, value, declares=declares)
    return graph.false


def one_of(graph: Graph, values: Sequence[JSON], *, declares: bool = False) -> Lit:
    """That the value is one of `values`."""
    keys = [(value, scalar(value)) for value in values]
    choices = [graph.enum([key for _, key in keys if key is not None])]
    choices += [equal_to(graph, value, declares=declares) for value, key in keys if key is None]
    return graph.any(choices)


def _object(graph: Graph, value: Mapping[str, JSON], *, declares: bool) -> Lit:
    names = tuple(sorted(value))
    parts = [graph.type("object")]
    parts.append(graph.node(Atom("object", "additional", node=graph.false, names=names)))
    for name in names:
        node = equal_to(graph, value[name], declares=declares)
        parts.append(graph.node(Atom("object", "required", text=name)))
        for declaring in {False, declares}:
            atom = Atom("object", "property", text=name, node=node, declares=declaring)
            parts.append(graph.node(atom))
    return graph.all(parts)


def _array(graph: Graph, value: Sequence[JSON], *, declares: bool) -> Lit:
    parts = [
        graph.type("array"),
        graph.node(Atom("array", "min-items", count=len(value))),
        graph.node(Atom("array", "max-items", count=len(value))),
    ]
    for index, each in enumerate(value):
        node = equal_to(graph, each, declares=declares)
        parts.append(graph.node(Atom("array", "item", count=index, node=node)))
    return graph.all(parts)
