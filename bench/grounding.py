"""Whether what is said of real agents' runs is right: `python -m bench.grounding [SEED]`.

Runs of `../shared/data`; nobody tuned on other runs of the same kind. An *accusation* is a finding that is a
defect; an advisory is a place to look and counted apart. Labels were made by hand, reading the
runs, and stand in `bench/labels/arguments.jsonl`: all arguments of benign AgentDojo and AgentDyn
runs that matching by the exact whole value accuses (`accused`), 50 drawn from the `rest`, and what
was accused `since`; of tau-bench those of the first kind that look like identifiers.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable

from bench.corruptions import corrupted
from bench.judging import SETS, Label, Row, accuses, judged, labels, rate
from bench.runs import is_there
from bench.windows import evicted
from groundwire.canon import digest
from groundwire.grounding.folding import fold


def taubench() -> list[Row]:
    """Arguments of customer-service agents that look like identifiers."""
    known = labels()
    total = accused = missed = real = advised = 0
    for place, case in judged("taubench"):
        if " " in fold(case.leaf.value):
            continue
        total += 1
        label = known.get(place)
        fabricated = label is not None and label.label == "fabrication"
        real += fabricated
        missed += fabricated and not accuses(case)
        accused += accuses(case) and not fabricated
        advised += case.is_filed and not accuses(case)
    return [
        (
            "tau-bench: identifier-like arguments falsely accused",
            rate(accused, total, 2),
            "<= 0.05 %",
        ),
        ("  real fabrications accused", rate(real - missed, real), "all"),
        (
            "  filed as advisory (computed dates, names cut from addresses)",
            rate(advised, total, 2),
            "",
        ),
    ]


def labelled() -> list[Row]:
    """Benign runs of AgentDojo and AgentDyn against the labels."""
    known = labels()
    seen: Counter[tuple[str, str]] = Counter()
    changed = unlabelled = 0
    for name in SETS[1:]:
        for place, case in judged(name):
            label = known.get(place)
            word = "accused" if accuses(case) else "advised" if case.is_filed else "silent"
            if label is None:
                unlabelled += word == "accused"
                continue
            value = digest.tagged("value", case.leaf.value.encode("utf-8", "surrogatepass"))
            changed += value != label.value
            seen[label.label, word] += 1
    if changed:
        print(f"labels: {changed} are of other values than the runs hold")
    right, wrong = seen["fabrication", "accused"], seen["not", "accused"]
    real = sum(count for (label, _), count in seen.items() if label == "fabrication")
    filed = right + seen["fabrication", "advised"]
    whole = sum(seen.values())
    return [
        (
            f"AgentDojo + AgentDyn: precision of accusations, {whole} labels",
            rate(right, right + wrong),
            ">= 93 %",
        ),
        ("  recall: fabrications filed", rate(filed, real), ">= 95 %"),
        ("  of them as defects, not advisories", rate(right, real), ""),
        ("  accusations without a label, counted in neither", str(unlabelled), ""),
        (
            "  precision by exact whole values alone",
            rate(real, _accused_by_exact(known)),
            "(prototype 36 %)",
        ),
    ]


def _accused_by_exact(known: dict[tuple[str, str, str], Label]) -> int:
    return sum(
        1 for label in known.values() if label.drawn == "accused" and label.run.startswith("agentd")
    )


def others() -> list[Row]:
    """What other measurements add to the table, where they are there."""
    rows: list[Row] = []
    for name in ("bench.answers", "bench.actions"):
        if importlib.util.find_spec(name) is None:
            print(f"left out: {name} is not there")
            continue
        rows += importlib.import_module(name).rows()
    return rows


def rows(seed: int = 7) -> list[Row]:
    """The table's lines about arguments: measure, measured, reach."""
    if not is_there(*SETS):
        return []
    return [*taubench(), *labelled(), *corrupted(seed), *evicted()]


def main(arguments: list[str]) -> int:
    """Prints the table; 0, whatever it says."""
    seed = int(arguments[0]) if arguments else 7
    every: list[Callable[[], list[Row]]] = [lambda: rows(seed), others]
    print(f"{'measure':<72}{'measured':<52}reach")
    for make in every:
        for measure, measured, reach in make():
            print(f"{measure:<72}{measured:<52}{reach}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
