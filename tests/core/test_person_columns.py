"""Person columns are found by name at any size of table, and by official numbers under any name."""

import random

import numpy as np
import pytest
from stdnum.it import codicefiscale
from stdnum.nl import bsn
from stdnum.pl import pesel
from stdnum.se import personnummer

from splu_desktop.core.persons.identify import (
    find_persons,
    is_name_of_persons,
    national_number,
    person_columns,
    what_rows_are,
)
from splu_desktop.core.table import Kind, Table
from tests.columns import column_of


def column(name, texts, kind=Kind.CATEGORY):
    return column_of(name, texts, kind=kind)


PERSONS = """nr_pacjenta cislo_pacienta PATIENT patient_num participant PID NIP SUBJECT empi subject.reference eid
enrolid MBR_ID Patienten-Nr patientid Patientennr. Patientennummer PATIENTNO subjectnumber
probandennummer mitgliedsnummer KlientenNr idpaciente numpatient patientkey record_id USUBJID
person_source_value Patient.reference MRN"""
OTHERS = """patientcount patientengruppe Patientenalter patientn patientsource visitid caseid motherid Patient_Type
patient_sex visit_id provider_id mother_id person_years sex dx"""


@pytest.mark.parametrize("name", sorted(PERSONS.split()))
def test_a_name_that_says_person_is_found_with_few_persons(name):
    table = Table((column(name, ["T-01", "T-02", "T-03"] * 2), column("visit", list("123123"))))
    assert person_columns(table) == (name,)


@pytest.mark.parametrize("name", sorted(OTHERS.split()))
def test_other_names_are_not(name):
    assert not is_name_of_persons(name)


def test_answers_and_fractions_under_a_persons_name_are_no_persons():
    assert person_columns(Table((column("patient", ["0", "1", "1"], Kind.INTEGER),))) == ()
    assert person_columns(Table((column("member", ["1.5", "2.25", "3"], Kind.DECIMAL),))) == ()


def numbers(length, valid, count=12):
    source, found = random.Random(4), []
    while len(found) < count:
        text = str(source.randrange(10 ** (length - 1), 10**length))
        if valid(text):
            found.append(text)
    return found


def test_national_numbers_are_found_under_a_neutral_name():
    assert national_number(column("x", numbers(9, bsn.is_valid))) == "nl.bsn"
    assert national_number(column("x", numbers(11, pesel.is_valid))) == "pl.pesel"
    swedish = [f"8{y}0{m}1{d}-{n:03d}" for y in range(3) for m in range(1, 5) for d in range(2) for n in (123,)]
    swedish = [text + str(c) for text in swedish for c in range(10) if personnummer.is_valid(text + str(c))]
    assert national_number(column("x", swedish)) == "se.personnummer"
    letters = "ABCDEF"
    stems = [f"RSSM{letters[k]}A8{k}A{10 + k}H501" for k in range(6)]
    italian = [stem + codicefiscale.calc_check_digit(stem) for stem in stems]
    assert national_number(column("x", italian)) == "it.codicefiscale"
    assert person_columns(Table((column("x", numbers(9, bsn.is_valid) * 2),))) == ("x",)


def test_chance_numbers_are_no_national_numbers():
    # 12 numbers that all pass a check of 1 in 10 by chance: 1e-12 for each of 28 checks, 400 columns.
    chance = np.random.default_rng(5)
    for _ in range(100):
        for length in (8, 9, 10, 11):
            texts = [str(n) for n in chance.integers(10 ** (length - 1), 10**length, 12)]
            assert national_number(column("x", texts)) is None


def test_what_repeats_goes_first():
    table = Table((column("mrn", [f"M{k}" for k in range(8)]), column("patient", [f"P{k % 4}" for k in range(8)])))
    assert [each.name for each in find_persons(table)] == ["patient", "mrn"]
    assert find_persons(table)[0].persons == 4


def test_codes_whose_rows_are_of_both_sexes_come_after_who_has_one() -> None:
    rng = np.random.default_rng(3)
    who = rng.integers(0, 60, 400)
    table = Table((
        column("code_cip", [f"C{each:04d}" for each in rng.integers(0, 40, 400)]),
        column("patient", [f"P{each:04d}" for each in who]),
        column("sex", ["fm"[each % 2] for each in who]),
    ))  # fmt: skip
    assert person_columns(table) == ("patient", "code_cip")
    assert person_columns(Table(table.columns[:2])) == ("code_cip", "patient")


def test_numbers_under_any_name_are_persons_where_each_has_one_sex():
    chance = np.random.default_rng(8)
    who = np.sort(chance.integers(0, 200, 1_200))
    sex, code = np.array(["m", "f"])[chance.integers(0, 2, 200)], [f"Q{k}" for k in range(200)]
    rows = [column("sex", sex[who]), column("finding", [f"Z{k}" for k in chance.integers(0, 90, 1_200)])]
    told = Table((column("stay", [code[k] for k in who]), *rows))
    assert person_columns(told) == ("stay",)
    assert person_columns(Table((column("room number", [code[k] for k in who]), *rows))) == ()
    shuffled = Table((column("stay", [code[k] for k in chance.permutation(who)]), *rows))
    assert person_columns(shuffled) == ()


def test_names_that_several_share_are_no_persons_though_each_has_one_sex():
    names = [f"{a}{b}" for a in ("Ada ", "Bea ", "Cem ", "Dan ") for b in "KLMNOPQRST"] * 5
    table = Table((column("who", names), column("sex", ["m" if n[0] in "CD" else "f" for n in names])))
    assert person_columns(table) == ()


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (name, 1)
        for name in ("Fall-Nr.", "FallNr", "Aufnahmenummer", "NUM_SEJ", "stay_id", "encounter_csn", "Episode No")
    ]
    + [(name, 2) for name in ("Auftragsnummer", "N° demande", "accession_no", "sample_id", "Probennummer")]
    + [(name, 3) for name in ("visit_id", "ID_PASSAGE", "Besuchsnr", "appointment_id")]
    + [(name, None) for name in ("case_id", "Einsatznummer", "claim_id")]
    + [(name, 0) for name in ("Patienten-Nr", "lfd_nr", "subject_id")],
)
def test_a_number_that_no_two_rows_share_says_what_a_row_is(name, row):
    numbers = [f"{i:06d}" for i in range(100_000, 100_200)]
    assert what_rows_are(Table((column(name, numbers),)), several=False) == row
    if row:
        assert what_rows_are(Table((column(name, [*numbers[:100], *numbers[:100]]),)), several=True) is None
