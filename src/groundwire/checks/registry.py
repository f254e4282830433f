"""The checks of this version, and the kinds of finding it knows."""

from __future__ import annotations

from groundwire.checks.choice.altered_argument import AlteredArgument
from groundwire.checks.choice.schema_mismatch import SchemaMismatch
from groundwire.checks.choice.unfinished_call import UnfinishedCall
from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.claim.facts.prior_turn_evidence import PriorTurnEvidence
from groundwire.checks.claim.facts.stale_evidence import StaleEvidence
from groundwire.checks.claim.facts.unsupported_claim import UnsupportedClaim
from groundwire.checks.claim.sentences.acts.contradicted_action import ContradictedAction
from groundwire.checks.claim.sentences.acts.unsupported_action import UnsupportedAction
from groundwire.checks.claim.sentences.answer_after_empty import AnswerAfterEmpty
from groundwire.checks.claim.sentences.imitated_channel import ImitatedChannel
from groundwire.checks.claim.sentences.unsupported_quote import UnsupportedQuote
from groundwire.checks.claim.values.claim_over_partial import ClaimOverPartial
from groundwire.checks.claim.values.self_contradiction import SelfContradiction
from groundwire.checks.claim.values.unsupported_value import UnsupportedValue
from groundwire.checks.claim.values.wrong_aggregate import WrongAggregate
from groundwire.checks.claim.values.wrong_record import WrongRecord
from groundwire.checks.compose.dangling_reference import DanglingReference
from groundwire.checks.compose.evicted_rule import EvictedRule
from groundwire.checks.compose.missing_tools import MissingTools
from groundwire.checks.compose.parked_but_served import ParkedButServed
from groundwire.checks.compose.unsupported_summary import UnsupportedSummary
from groundwire.checks.seams import Check
from groundwire.checks.wire.manifest import WireManifest
from groundwire.checks.write.duplicate_execution import DuplicateExecution
from groundwire.checks.write.governed.ungoverned_call import UngovernedCall
from groundwire.checks.write.governed.ungoverned_change import UngovernedChange
from groundwire.checks.write.order import ResultOutOfOrder
from groundwire.checks.write.outputs.result_violates_schema import ResultViolatesSchema
from groundwire.checks.write.pairing import UnpairedCall
from groundwire.checks.write.results.altered_result import AlteredResult
from groundwire.checks.write.results.columns import ColumnTypeMismatch, MissingColumn
from groundwire.checks.write.results.empty_lookup import EmptyLookup
from groundwire.checks.write.results.partial_result import PartialResult
from groundwire.documents.finding import Seam

ALL_CHECKS: tuple[Check, ...] = (
    MissingTools(),
    WireManifest(),
    UnsupportedArgument(),
    UnfinishedCall(),
    SchemaMismatch(),
    AlteredArgument(),
    UnpairedCall(),
    ResultOutOfOrder(),
    AlteredResult(),
    PartialResult(),
    EmptyLookup(),
    ColumnTypeMismatch(),
    MissingColumn(),
    ResultViolatesSchema(),
    DuplicateExecution(),
    UngovernedCall(),
    UngovernedChange(),
    ParkedButServed(),
    DanglingReference(),
    EvictedRule(),
    UnsupportedSummary(),
    UnsupportedClaim(),
    PriorTurnEvidence(),
    StaleEvidence(),
    UnsupportedAction(),
    ContradictedAction(),
    UnsupportedQuote(),
    AnswerAfterEmpty(),
    ImitatedChannel(),
    UnsupportedValue(),
    WrongRecord(),
    ClaimOverPartial(),
    WrongAggregate(),
    SelfContradiction(),
)

# The closed list: every kind of finding there is, and the seam it is filed at.
KINDS: dict[str, Seam] = {
    "missing-tools": "compose",
    "parked-but-served": "compose",
    "dangling-reference": "compose",
    "evicted-rule": "compose",
    "unsupported-summary": "compose",
    "invariant-violation": "wire",
    "unsupported-argument": "choice",
    "unfinished-call": "choice",
    "schema-mismatch": "choice",
    "altered-argument": "choice",
    "unpaired-call": "write",
    "result-out-of-order": "write",
    "empty-lookup": "write",
    "column-type-mismatch": "write",
    "missing-column": "write",
    "result-violates-schema": "write",
    "partial-result": "write",
    "altered-result": "write",
    "duplicate-execution": "write",
    "ungoverned-call": "write",
    "ungoverned-change": "write",
    "unsupported-claim": "claim",
    "unsupported-value": "claim",
    "wrong-record": "claim",
    "unsupported-action": "claim",
    "contradicted-action": "claim",
    "unsupported-quote": "claim",
    "claim-over-partial": "claim",
    "wrong-aggregate": "claim",
    "self-contradiction": "claim",
    "answer-after-empty": "claim",
    "imitated-channel": "claim",
    "prior-turn-evidence": "claim",
    "stale-evidence": "claim",
}

# The kinds that the family has from which `rules = "original"` takes its verdicts.
ORIGINAL: frozenset[str] = frozenset(
    (
        "invariant-violation",
        "parked-but-served",
        "dangling-reference",
        "unsupported-argument",
        "unsupported-claim",
        "unsupported-value",
        "empty-lookup",
        "column-type-mismatch",
        "missing-column",
        "prior-turn-evidence",
    )
)


def filable_kinds() -> tuple[str, ...]:
    """The kinds that some check of this version can file."""
    return tuple(sorted({check.kind for check in ALL_CHECKS}))


# Kinds that have a name and a meaning but no check in this version: a question about one of them
# cannot be answered, which is not the same as "none found".
WITHOUT_A_CHECK: tuple[str, ...] = tuple(sorted(set(KINDS).difference(filable_kinds())))
