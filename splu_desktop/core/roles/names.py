"""What a column's name says about who it is about, in seven languages; the lists stand in `resources/roles`."""

from __future__ import annotations

from splu_desktop.core.roles.vocabulary import identifying, special
from splu_desktop.core.words import words_of


def listed(text: str) -> frozenset[str]:
    """Return the words of a list written with blanks."""
    return frozenset(text.split())


_PHRASES, _WORDS = (
    identifying()
)  # names of official numbers and of ways to reach a person: identifiers whatever they hold
_SPLIT = [
    (kind, f" {phrase} ", phrase.replace(" ", ""))
    for kind, phrases in _PHRASES.items()
    for phrase in phrases.split(" | ")
]
_ACRONYMS = listed(_WORDS["acronyms"])  # numbers of persons and of their stays that are known by one
# What a number of which is a number of a person or stay: "No dossier", "Spell ID", "N° SS".
_NUMBERED, _NUMBER_WORDS = listed(_WORDS["numbered"]), listed(_WORDS["number_words"])
_FACILITY, _FACILITY_NUMBER = listed(_WORDS["facility"]), listed(_WORDS["facility_number"])
_EMAIL, _PHONE, _ADDRESS = listed(_WORDS["email"]), listed(_WORDS["phone"]), listed(_WORDS["address"])
_COORDINATE, _FREE = listed(_WORDS["coordinate"]), listed(_WORDS["free"])
_PERSON_NAME, _NAME, _PERSON = listed(_WORDS["person_name"]), listed(_WORDS["name"]), listed(_WORDS["person"])
_OTHER_PERSONS, _ADDRESSES = _WORDS["other_persons"].split(" | "), _WORDS["addresses"].split(" | ")
_KINDS = listed("type typ tipo art kind specialty fach fachrichtung")  # of a person, which name nobody
_BIRTH = listed(_WORDS["birth"])
_BIRTH_ENDS, _BIRTH_PARTS = ("dob", "nac"), ("geburtsd", "geburtst", "geboorted", "naiss", "nacim", "birthd")
_DAYS = listed("day tag jour dia giorno dag")
_NUMBERING = listed(_WORDS["numbering"])
# Columns of these names alone hold numbers of persons, also where a person has many records, if they hold codes.
_PERSONS, _CASES = listed(_WORDS["persons"]), listed(_WORDS["cases"])
# Numbers of these are times, counts or measures, which number no record.
_MEASURES = listed(
    "year jahr annee ano anio month monat mois mes day tag jour dia age alter edad hour stunde weight height gewicht "
    "groesse grosse poids taille peso talla count anzahl total sum minute week woche semaine semana date datum fecha "
    "bp hr pulse rr bmi gfr egfr temp temperature blood pressure score dose volume length rate ratio level"
)


_ACRONYM = 4  # letters up to which a word may be an abbreviation


def identifier_by_name(name: str) -> str | None:
    """Return what kind of direct identifier a name announces, None where it announces none.

    Only names that leave no doubt; `numbering` says the rest.
    """
    words = words_of(name)
    if not words:
        return None
    text = " " + " ".join(words) + " "
    joined = "".join(words)
    for kind, phrase, together in _SPLIT:
        if phrase in text or joined == together:
            return kind
    have = set(words)
    if have & _EMAIL and not have & {"code", "preference", "consent"}:
        return "e-mail address"
    if have & _PHONE and not have & {"calls", "type", "service"}:
        return "telephone number"
    return None


def number_by_name(name: str) -> bool:
    """Whether a name may announce a number of a person or stay, which its values have to bear out.

    "Historia" or "dossier" by themselves do not: see `names_a_file`.
    """
    words = words_of(name)
    told = [word for word in words if word not in _NUMBER_WORDS]
    if not told or len(words) > 3 or not _ACRONYMS.union(_NUMBERED).issuperset(told):
        return False
    if _FACILITY.intersection(told):  # a hospital's number is a patient's, its id the hospital's own
        return bool(_FACILITY_NUMBER.intersection(words))
    numbered = len(words) > len(told) or any(mark in name for mark in "#№")
    return bool(_ACRONYMS.intersection(told)) or numbered


def names_a_file(name: str) -> bool:
    """Whether a name is that of a person's file or stay and nothing else, such as "historia"."""
    return _alone(name) in _NUMBERED


def names_one_person(name: str) -> bool:
    """Whether a name is that of a person and nothing else, such as "patient"."""
    return _alone(name) in _PERSONS


def names_a_case(name: str) -> bool:
    """Whether a name is that of a person or case and nothing else; cases may be falls, or a kind of control."""
    return _alone(name) in _PERSONS | _CASES


def _alone(name: str) -> str:
    return words[0] if len(words := words_of(name)) == 1 else ""


def person_by_name(name: str) -> str | None:
    """Return "name", "address", "exact place" or "free text" where a column of texts (or coordinates) is named so."""
    words = words_of(name)
    have = set(words)
    text = f" {' '.join(words)} "
    if any(f" {phrase} " in text for phrase in _OTHER_PERSONS) and not have & _KINDS:
        return "name of a person"
    if any(f" {phrase} " in text for phrase in _ADDRESSES):
        return "address"
    if have & _PERSON_NAME or "".join(words) in _PERSON_NAME:
        return "name of a person"
    if (
        have & _NAME
        and (len(words) == 1 or have & _PERSON - {"de", "del", "la", "du"})
        and not _counts_in_french(words)
    ):
        return "name of a person"
    if {"postal", "code"} <= have:
        return None
    if have & _ADDRESS and not have & {
        "drug",
        "drugs",
        "type",
        "change",
        "count",
        "state",
        "country",
        "city",
        "plz",
        "zip",
        "postcode",
        "cap",
    }:
        return "address"
    if have & _FREE:
        return "free text"
    return None


def names_a_way(name: str) -> bool:
    """Whether a name may say the street or the way in which something is given: “via”, “voie”."""
    return bool({"via", "voie"} & set(words_of(name)))


def _counts_in_french(words: tuple[str, ...]) -> bool:
    return (
        "nombre" in words
        and words.index("nombre") + 1 < len(words)
        and words[words.index("nombre") + 1] in ("de", "d", "des")
    )


def coordinate_by_name(name: str) -> bool:
    """Whether a name announces a geographical coordinate."""
    words = words_of(name)
    have = set(words)
    return bool(have & _COORDINATE) and not (have & {"long"} and len(words) > 1)


def birth_by_name(name: str) -> bool:
    """Whether a name announces a date of birth."""
    words = words_of(name)
    have = set(words)
    if words[:1] == ("ne",) and words[-1:] == ("le",):  # né(e) le
        return True
    if any(word.endswith(_BIRTH_ENDS) or any(part in word for part in _BIRTH_PARTS) for word in words):
        return True  # only dates count, so a weight at birth is none
    return bool((have | {"".join(words[:2]), "".join(words[:3])}) & _BIRTH) and not have & {
        "weight",
        "order",
        "place",
        "country",
        "city",
        "type",
        "gewicht",
        "ort",
        "rate",
    }


def day_by_name(name: str) -> bool:
    """Whether a name announces a day, which beside a month and a year of birth makes its date."""
    return bool(set(words_of(name)) & _DAYS)


def numbering(name: str) -> bool:
    """Whether a name announces a number or key of something, not necessarily of a person; an empty name does too."""
    words = words_of(name)
    if not words or words[0] in ("column", "unnamed"):
        return True
    compound = len(words[-1]) > _ACRONYM and words[-1].endswith(("nr", "nummer"))  # a sample's number, but no INR
    return compound or words[-1] in _NUMBERING or words[0] in ("id", "nr", "lfd") or "".join(words) in _NUMBERING


def counts_off(name: str) -> bool:
    """Whether a name begins as the number of something does, such as "n_accesso", which its values have to bear out."""
    words = words_of(name)
    return 1 < len(words) <= 3 and words[0] in _NUMBER_WORDS


def measures(name: str) -> bool:
    """Whether a name announces a time, a count or a measured quantity."""
    return bool(set(words_of(name)) & _MEASURES)


def medical(name: str) -> bool:
    """Whether a name announces a matter of health or the like, which is no identifier however rare its values."""
    return special(name) is not None
