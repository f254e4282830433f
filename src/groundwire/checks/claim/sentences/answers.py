"""Answers: which responses a check of sentences judges, and why it does not judge the others."""

from __future__ import annotations

from groundwire.canon import digest
from groundwire.checks.seams import Encounter, no_response, not_applicable
from groundwire.checks.transcript import Transcript, answer_text
from groundwire.documents.event import Responded
from groundwire.documents.finding import Subject
from groundwire.grounding.folding import fold

# A mark that stands for a secret: nobody can say what it was.
THE_ANSWER = Subject("answer", "final")


def answer_in(event: Responded, run: Transcript) -> str | Encounter:
    """The text of the answer in this response, or why there is none to judge."""
    if run.rules.rules == "original":
        return not_applicable("rules-original")
    response = event.response
    if response is None:
        return no_response(event)
    if response.error is not None:
        return not_applicable("error-response")
    if run.lane(event.lane).answer is not response:
        return not_applicable("no-answer")
    return answer_text(response)


def digest_of(text: str) -> str:
    """The digest by which a finding about this text is known again, however it is spaced."""
    return digest.tagged("value", fold(text).encode("utf-8", "surrogatepass"))


def is_quotable(run: Transcript, tool: str) -> bool:
    """Whether results of this tool may stand in a finding: the policy does not keep them out."""
    declared = run.tools.get(tool)
    content = run.content if declared is None else declared.content
    return content == "full" and bool(tool)
