"""Which columns name persons: by what they are called, at any size of table, and by official numbers in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from splu_desktop.core.roles.content import (
    filled_by,
    holds_digits,
    holds_periods,
    identifier_by_content,
    looks_like_days,
    numbered_alike,
    sample_labels,
)
from splu_desktop.core.roles.names import (
    birth_by_name,
    identifier_by_name,
    listed,
    number_by_name,
    person_by_name,
)
from splu_desktop.core.table import Column, Kind, Table, remembered
from splu_desktop.core.words import words_of

# Kinds of identifiers that `identifier_by_name` knows and that number something else: a stay, a device, a doctor.
_NO_PERSON = frozenset(
    kind.replace("_", " ")
    for kind in listed(
        "encounter_number visit_number admission_number stay_number claim_number case_number sample_number "
        "account_number identifier network_address web_address telephone_number device_number licence_number user_name "
        "user_number signature photograph record_number bank_account number_plate staff_number"
    )
)
# Words that name a person by themselves ("PATIENT") or with a word for numbers ("patient_num").
_PERSONS = listed(
    "patient patients patienten paciente paciente paziente pacjent pat pt pz pac subject subjects subj usubj proband "
    "probanden teilnehmer teilnehmerin participant participante partecipante person persona personne persoon member "
    "mbr enrollee enrol enrolid beneficiary bene beneficiaire respondent client klient cliente donor spender donneur "
    "versicherter versicherte versicherten insured insuree assure asegurado assistito mitglied resident bewohner "
    "individual individuo individu case_submitter mrn empi mpi eid pid nip ipp nhc icn ptid usubjid subjid patid patnr "
    "pnr bsn pesel personnummer cpr fnr cpf cns nir nss dni nhs chi ssn svnr ahv avs kvnr egk codicefiscale cf sip "
    "cip nuhsa rrn mbrid memberid patientsid patienticn study_subject animal kind_id child mere_enfant volunteer "
    "voluntario freiwilliger proefpersoon deelnemer pasient potilas hasta betroffener"
) - {"animal", "kind_id", "mere_enfant", "case_submitter", "study_subject"}
_NUMBER_WORDS = listed(
    "no nr n num number numero nummer id ids nbr key identifier code cod codigo codice uuid guid uid ref reference "
    "kennung kennziffer nro sk hash pseudo pseudonym pseudonyme pseudonimo pseudonymised deid study source src value "
    "barcode the of der des de du del"
)
# Names of clinical and research systems that the rules above do not reach.
_SPELT = listed(
    "recordid studyid casesubmitterid bcrpatientbarcode submitterid mbrid enrolid eid subjectkey participantkey "
    "personsourcevalue dupersid personkey seqn nomem pseudoid pseudonym hashedid empi psnid rinpersoon lopnr lopenr "
    "numenq nirano idtano benenum beneid desysrtid msisid dyadid respid respno respondentid hhidpn pidp xwaveid"
)
# Whoever these are, they have many patients each; what is a mother's or household's stands with several persons.
_OTHERS = listed(
    "provider physician doctor arzt aerztin medecin medico nurse surgeon consultant prescriber operateur therapist "
    "lanr npi facility infector infecter source_case contact kontakt gp ward unit department operator sampler "
    "investigator attending operating referring referral hospital clinic site centre center lab device staff user "
    "mother mutter mere madre father vater pere padre parent eltern household haushalt foyer hogar family familie "
    "famille familia "
    "visit encounter stay episode sejour fall case admission claim sample specimen order type status group count sex"
)
_BARE = listed("id uid uuid guid pk kennung identifikator identifier identifiant identificativo identificador")
_FEWEST = 6  # different numbers from which check digits that all agree are no chance
_AGREE = 0.95  # of them
# Modules of python-stdnum whose numbers are each of one person and hold a check digit.
_NATIONAL = sorted(
    listed(
        "at.vnr be.nn bg.egn ch.ssn cz.rc de.idnr dk.cpr ee.ik es.dni es.nie fi.hetu fr.nir gb.nhs gr.amka "
        "hr.oib ie.pps is_.kennitala it.codicefiscale lt.asmens nl.bsn no.fodselsnummer pl.pesel ro.cnp "
        "se.personnummer si.emso tr.tckimlik br.cpf ca.sin"
    )
)
_SHAPED = re.compile(r"[A-Z0-9][A-Z0-9 ./+-]{7,20}", re.IGNORECASE)


@dataclass(frozen=True)
class PersonColumn:
    """A column that names persons.

    Attributes
    ----------
    name : of the column.
    persons : how many it names.
    rows : how many rows it names one for.
    sure : 3 where name or check digits leave no doubt, 1 where it is a bare "id" that repeats.
    """

    name: str
    persons: int
    rows: int
    sure: int

    @property
    def repeats(self) -> bool:
        """Whether some person has several rows."""
        return self.rows > self.persons


def person_columns(table: Table) -> tuple[str, ...]:
    """Return the columns that name persons, the likeliest first; () where none does."""
    return tuple(each.name for each in find_persons(table))


def find_persons(table: Table) -> tuple[PersonColumn, ...]:
    """Return what names persons, likeliest first: what repeats before what does not, then by how sure it is."""
    found = [each for column in table.columns if (each := _as_persons(column)) is not None]
    return tuple(sorted(found, key=lambda each: (-each.sure, not each.repeats, -each.rows)))


@remembered
def _as_persons(column: Column) -> PersonColumn | None:
    if not column.n or column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN):
        return None
    persons, rows = filled_by(column)
    sure = _how_sure(column, persons, rows)
    return PersonColumn(column.name, persons, rows, sure) if sure else None


def _how_sure(column: Column, persons: int, rows: int) -> int:
    if persons < 2 or _fraction(column) or birth_by_name(column.name):
        return 0
    words = set(words_of(column.name))
    if not words & _OTHERS:
        if named_as_person(column.name):
            return 3 if _looks_like_numbers(column, persons) else 0
        if person_by_name(column.name) is not None:
            return 0
    if national_number(column) is not None:
        return 3
    if words and words <= _BARE and persons < rows and persons >= 0.02 * rows and _looks_like_numbers(column, persons):
        return 1
    return 0


def named_as_person(name: str) -> bool:
    """Whether a column's name says that it names persons or holds their numbers, and nothing else."""
    words = words_of(name)
    joined = "".join(words)
    if joined in _SPELT or joined in _PERSONS:
        return True
    kind = identifier_by_name(name)
    if kind is not None and kind not in _NO_PERSON:
        return True
    own = [word for word in words if word not in _NUMBER_WORDS]
    if own and len(words) <= 4 and set(own) <= _PERSONS:
        return True
    return number_by_name(name) and not set(words) & _OTHERS and bool(set(own) & _PERSONS)


def _fraction(column: Column) -> bool:
    if column.kind is not Kind.DECIMAL or column.values is None:
        return False
    numbers = column.values[~column.missing]
    return bool((numbers % 1 != 0).any())


def _looks_like_numbers(column: Column, persons: int) -> bool:
    """Whether values are numbers or codes of persons, however few, and no kinds, answers, days or years."""
    if looks_like_days(column) or holds_periods(column):
        return False
    if column.kind is Kind.INTEGER and column.values is not None:
        return bool((abs(column.values[~column.missing]) >= 2).any())  # 0 and 1 are answers
    return holds_digits(column) or numbered_alike(column) or identifier_by_content(column) is not None or persons >= 20


@remembered
def national_number(column: Column) -> str | None:
    """Return which country's number of persons a column holds ("nl.bsn"), by its check digits; None for none."""
    if column.kind in (Kind.DATE, Kind.DATETIME, Kind.BOOLEAN):
        return None
    texts = [text.strip() for text in sample_labels(column)]
    if len(texts) < _FEWEST or sum(_SHAPED.fullmatch(text) is not None for text in texts[:20]) < len(texts[:20]) * 0.9:
        return None
    for name in _NATIONAL:
        check = _national(name)
        some = texts[:20]
        if sum(map(check, some)) >= _AGREE * len(some) and sum(map(check, texts)) >= _AGREE * len(texts):
            return name
    return None


@cache
def _national(name: str) -> Any:
    valid = import_module(f"stdnum.{name}").is_valid
    length = {"nl.bsn": 9, "pl.pesel": 11, "gb.nhs": 10, "br.cpf": 11}.get(name, 0)
    # A number column has lost the noughts in front.
    return lambda text: valid(text.zfill(length) if length and len(text) >= length - 2 else text)
