"""Showing: comparisons in the form that was asked for."""

from __future__ import annotations

import sys

from groundwire.audit.diffing.markdown import markdown
from groundwire.audit.diffing.sarif import sarif
from groundwire.audit.diffing.words import lines
from groundwire.cli.diffing.asking import Form, Found
from groundwire.cli.output import say, say_json
from groundwire.contracts.comparison import tally


def show(found: Found, form: Form, *, noted: bool) -> None:
    """The comparisons on standard output; remarks on standard error."""
    match form:
        case "json":
            counted = tally(found.comparisons)
            counts = {str(grade): count for grade, count in counted.grades.items()}
            say_json(
                {
                    "format": "groundwire-diff/1",
                    "counts": {**counts, "declared": counted.pardoned},
                    "not_read": counted.unreadable,
                    "files": found.comparisons,
                    "remarks": found.remarks,
                }
            )
        case "sarif":
            say_json(sarif(found.comparisons, noted=noted))
        case "markdown":
            say(markdown(found.comparisons, noted=noted))
        case "text":
            say(lines(found.comparisons, noted=noted))
    say((f"groundwire: {each}" for each in found.remarks), file=sys.stderr)
