"""How yes and no are written in the languages of hospitals' files."""

from __future__ import annotations

_PAIRS = (
    "yes no|y n|true false|t f|ja nein|j n|oui non|si no|sí no|sì no|wahr falsch|vrai faux|verdadero falso|vero falso"
    "|sim não|sim nao|ja nee|ja nej|tak nie|ano ne|áno nie|igen nem|evet hayır|da nu|kyllä ei|да нет|是 否|はい いいえ"
)
_BOOLEANS = tuple(frozenset(pair.split()) for pair in _PAIRS.split("|"))
# Several spellings of both answers, in one language.
_SPELLINGS = tuple(
    (frozenset(yes.split()), frozenset(no.split()))
    for yes, no in (
        ("yes y true t", "no n false f"),
        ("ja j wahr", "nein n falsch"),
        ("oui o vrai", "non n faux"),
        ("si sí s", "no n"),
    )
)
ANSWERS: frozenset[str] = frozenset().union(*_BOOLEANS)


def are_answers(texts: set[str]) -> bool:
    """Whether texts, in small letters, are yes and no: two of them, or several spellings with at least one of each."""
    if len(texts) < 2:
        return False
    if len(texts) == 2:
        return any(texts == pair for pair in _BOOLEANS)
    return any(texts <= yes | no and texts & yes and texts & no for yes, no in _SPELLINGS)
