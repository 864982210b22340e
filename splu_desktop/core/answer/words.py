"""Questions and answers in words, for window, command line and files."""

from __future__ import annotations

import math
from collections.abc import Sequence

from splu_desktop.core.answer.answer import HIDDEN, ROUGH, Answer
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.messages import listed, say


def question_words(conditions: Sequence[Condition]) -> str:
    """Return a question as a sentence."""
    if not conditions:
        return say("How many rows are there?")
    what = listed((condition.words() for condition in conditions), "{head} and {tail}", "{head}, {tail}")
    return say("How many rows are there where {what}?", what=what)


def ends_of(answer: Answer) -> tuple[int, int]:
    """Return the ends of an answer's range as people are shown them, rounded against us."""
    return math.floor(answer.low + 1e-9), math.ceil(answer.high - 1e-9)


def range_words(answer: Answer) -> str:
    """Return an answer in words: the range first where the number is too rough, no number where it is hidden."""
    low, high = ends_of(answer)
    if answer.exact:
        return say("{n} (exact in the published table)", n=answer.n_p)
    trust = answer.trust()
    if trust == HIDDEN:
        return say("between {low} and {high}", low=low, high=high)
    about = min(max(round(answer.estimate), low), high)
    if trust == ROUGH:
        return say("between {low} and {high}, about {about}", low=low, high=high, about=about)
    return say("about {about}, between {low} and {high}", about=about, low=low, high=high)
