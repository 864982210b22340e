"""Suggested roles: direct identifiers by name and by content in four languages, and at most one sensitive column."""

from __future__ import annotations

import random

import numpy as np
import pytest

from splu_desktop.core.resources import resource_path
from splu_desktop.core.roles.numbers import (
    british_national_insurance,
    french_nir,
    german_insurance_number,
    german_tax_number,
    iban,
    nhs_number,
    spanish_dni,
    spanish_social_security,
    swiss_social_security,
    us_medicare,
    us_provider,
)
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.roles.vocabulary import RoleCard, _plain, matters, said_by, said_in, special
from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.core.words import words_of

N = 400
RANDOM = random.Random(20_261_121)


def suggested(*columns: Column, sensitive: tuple[str, ...] = ()) -> dict[str, Role]:
    return {name: said.role for name, said in suggest_roles(Table(columns), sensitive).items()}


def texts(name: str, values: list[str], kind: Kind = Kind.CATEGORY) -> Column:
    return Column.from_labels(name, values, kind=kind)


def few(name: str) -> Column:
    # Equally often: drawn ones would allow gamma 5 in most orders of the tests, but not in all.
    return texts(name, RANDOM.sample(["abcdef"[i % 6] for i in range(N)], N))


@pytest.mark.parametrize(
    "name",
    [
        "Patient ID", "PatientID", "patient_nbr", "MRN", "Medical record number", "NHS Number", "nhs_no", "SSN",
        "Social Security Number", "Name", "Patient Name", "First name", "LAST_NAME", "Surname", "Address", "Street",
        "E-mail", "Phone Number", "Patientennummer", "PatNr", "Fallnummer", "Vorname", "Nachname", "Straße",
        "Hausnummer", "Telefonnummer", "Sozialversicherungsnummer", "Krankenversichertennummer", "KVNR",
        "Anschrift", "Nom", "Prénom", "Adresse", "Numéro de sécurité sociale", "Téléphone", "Courriel",
        "Numéro de dossier", "NIR", "Nombre", "Apellidos", "Dirección", "Teléfono", "Correo electrónico", "DNI",
        "Número de historia clínica", "Número de la seguridad social",
    ],
)  # fmt: skip
def test_names_of_identifiers(name: str) -> None:
    assert suggested(few(name), few("ward"))[name] is Role.IDENTIFIER


@pytest.mark.parametrize(
    "name",
    [
        "sex", "age", "diagnosis", "ICD10", "Drug name", "Hospital name", "Facility Name", "country",
        "admission_type_id", "Payer code", "Geschlecht", "Alter", "Station", "Hauptdiagnose", "Liegedauer", "sexe",
        "âge", "nombre de jours", "Diagnostic principal", "edad", "sexo", "diagnóstico", "Birth weight",
        "Number of procedures", "Phone calls", "Address type", "longstanding illness", "ward",
    ],
)  # fmt: skip
def test_names_of_others(name: str) -> None:
    assert suggested(few(name), few("zzz"))[name] is not Role.IDENTIFIER


@pytest.mark.parametrize("name", ["DOB", "Date of birth", "Geburtsdatum", "Date de naissance", "Fecha de nacimiento"])
def test_exact_dates_of_birth(name: str) -> None:
    days = [str(np.datetime64("1950-01-01") + RANDOM.randrange(20_000)) for _ in range(N)]
    years = [day[:4] for day in days]
    assert suggested(texts(name, days, Kind.DATE))[name] is Role.IDENTIFIER
    assert suggested(texts(name, years, Kind.INTEGER))[name] is Role.NSA
    assert suggested(texts("Date of admission", days, Kind.DATE))["Date of admission"] is Role.DROPPED, "each its own"
    quarter = [str(np.datetime64("2024-01-01") + RANDOM.randrange(90)) for _ in range(N)]
    assert suggested(texts("Date of admission", quarter, Kind.DATE))["Date of admission"] is Role.NSA


def nhs() -> str:
    while True:
        digits = [RANDOM.randrange(10) for _ in range(9)]
        check = 11 - sum(d * w for d, w in zip(digits, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            return "".join(map(str, digits)) + str(check % 11)


CONTENTS = {
    "e-mail": lambda: f"p{RANDOM.randrange(9999)}@clinic.example",
    "telephone": lambda: f"+49 30 {RANDOM.randrange(10**6, 10**7)}",
    "NHS number": nhs,
    "street": lambda: f"Hauptstraße {RANDOM.randrange(1, 200)}",
    "key": lambda: f"{RANDOM.randrange(1 << 32):08x}-0000-4000-8000-{RANDOM.randrange(1 << 48):012x}",
    "any near-unique text": lambda: f"Q{RANDOM.randrange(10**9)}",
}


@pytest.mark.parametrize("what", CONTENTS)
def test_contents_of_identifiers(what: str) -> None:
    assert suggested(texts("field", [CONTENTS[what]() for _ in range(N)]), few("ward"))["field"] is Role.IDENTIFIER


def test_numbers_with_a_check_digit() -> None:
    """Each check against a published example, and against the same number with one digit changed."""
    assert nhs_number("943 476 5919")
    assert not nhs_number("943 476 5918")
    assert spanish_dni("12345678Z")
    assert not spanish_dni("12345678A")
    assert french_nir("2 55 08 14 168 025 38")
    assert not french_nir("2 55 08 14 168 025 39")
    assert german_insurance_number("A123456780")
    assert not german_insurance_number("A123456781")
    assert german_tax_number("86 095 742 719")
    assert not german_tax_number("86095742718")
    assert swiss_social_security("756.9217.0769.85")
    assert not swiss_social_security("756.9217.0769.84")
    assert us_provider("1234567893")
    assert not us_provider("1234567892")
    assert us_medicare("1EG4-TE5-MK73")
    assert not us_medicare("1SG4-TE5-MK73")
    assert british_national_insurance("AB 12 34 56 C")
    assert not british_national_insurance("AB123456E")
    assert spanish_social_security(f"28 12345678 {2812345678 % 97:02}")
    assert not spanish_social_security(f"28 12345678 {(2812345678 + 1) % 97:02}")
    assert iban("DE89 3704 0044 0532 0130 00")
    assert not iban("DE88 3704 0044 0532 0130 00")


def test_ten_digits_by_chance_are_no_nhs_numbers() -> None:
    """One in eleven passes by chance; 400 of which 80 % pass is a chance below 1e-200."""
    values = [str(RANDOM.randrange(10**9, 10**10)) for _ in range(40)] * 10
    assert suggested(texts("value", values))["value"] is not Role.IDENTIFIER


def test_record_counters_and_measured_numbers() -> None:
    rows = texts("Column 1", [str(i) for i in range(N)], Kind.INTEGER)
    charges = texts("Total Charges", [f"{RANDOM.random() * 10_000:.2f}" for _ in range(N)], Kind.DECIMAL)
    weight = texts("fnlwgt", [str(RANDOM.randrange(10_000, 10_300)) for _ in range(N)], Kind.INTEGER)
    year = texts("Year", [str(1600 + i) for i in range(N)], Kind.INTEGER)
    lon = texts("lon", [f"{RANDOM.random():.6f}" for _ in range(N)], Kind.DECIMAL)
    assert suggested(rows, charges, weight, year, lon) == {
        "Column 1": Role.IDENTIFIER,
        "Total Charges": Role.DROPPED,
        "fnlwgt": Role.DROPPED,
        "Year": Role.DROPPED,  # no identifier by its name, and yet each record has one of its own
        "lon": Role.IDENTIFIER,
    }


def test_references_to_another_record() -> None:
    ids = [f"c{i:04d}" for i in range(N)]
    source = texts("infector", [ids[RANDOM.randrange(N)] for _ in range(N)])
    assert suggested(texts("case_id", ids), source)["infector"] is Role.IDENTIFIER


def test_one_sensitive_column_at_most_and_none_beside_the_chosen() -> None:
    columns = [few("diag_1"), few("diag_2"), few("medication"), few("salary"), few("ward")]
    said = suggest_roles(Table(tuple(columns)))
    assert [name for name, s in said.items() if s.role is Role.SA] == ["diag_1"]
    assert said["medication"].role is Role.DROPPED
    assert "left out unless you mark it as sensitive" in said["medication"].reason
    assert said["medication"].matter == "a treatment"
    chosen = suggested(*columns, sensitive=("ward",))
    assert [name for name, role in chosen.items() if role is Role.SA] == ["ward"]


def test_an_ineligible_column_is_not_suggested_as_sensitive() -> None:
    rare = texts("diagnosis", ["healthy"] * (N - 3) + ["flu", "cold", "gout"])
    assert suggested(rare, few("medication")) == {"diagnosis": Role.DROPPED, "medication": Role.SA}


def test_free_text_is_never_published_by_suggestion() -> None:
    notes = texts("remarks on stay", [f"Mr Smith of {i} High Street came in with pain" for i in range(N)], Kind.TEXT)
    assert suggested(notes)["remarks on stay"] is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["Patient", "Paciente", "Fall", "case", "Person"])
def test_a_person_with_many_records_is_still_a_person(name: str) -> None:
    """A number that several records share names a person no less."""
    codes = texts(name, [f"{4711000 + i % (N // 4):08d}" for i in range(N)])
    assert suggested(codes)[name] is Role.IDENTIFIER


def test_numbers_of_falls_and_kinds_of_cases_are_none() -> None:
    falls = texts("Fall", [str(i % 7) for i in range(N)], Kind.INTEGER)
    case = texts("case", [("case", "control")[i % 2] for i in range(N)])
    stay = texts("stay", [str(i % 60) for i in range(N)], Kind.INTEGER)
    assert Role.IDENTIFIER not in suggested(falls, case, stay).values()


def test_how_many_values_of_how_many_records_is_said() -> None:
    labels = [str(i) if i < 30 else "" for i in range(N)]
    numbers = Column.from_labels("laufnummer", labels, kind=Kind.INTEGER, missing=[""])
    said = suggest_roles(Table((numbers,)))["laufnummer"].reason
    assert said == "numbers the records: 30 values in 30 records"


def test_what_brought_a_patient_is_sensitive() -> None:
    for name in ("Chief complaint", "Leitsymptom", "Motif de recours", "comorbidities", "Vorerkrankungen"):
        assert suggested(few(name))[name] is Role.SA


_UNITS = ["Betrag_CHF", "Kosten (CHF)", "cost CAD", "Preis DM", "duration_ms", "Dauer Std", "CHF_Betrag", "age_std"]


@pytest.mark.parametrize("name", [*_UNITS, "bmi_std"])
def test_a_unit_beside_what_is_measured_in_it_is_no_illness(name: str) -> None:
    assert "a diagnosis or illness" not in [matter.what for matter in said_by(name)[0]]


@pytest.mark.parametrize(
    "name", ["CHF", "history CHF", "Hx CAD", "ms_diagnosis", "DM", "CHF ms", "ms_duration", "STD age"]
)
def test_such_a_unit_elsewhere_is_an_illness(name: str) -> None:
    assert "a diagnosis or illness" in [matter.what for matter in said_by(name)[0]]


def test_a_theatre_is_a_room() -> None:
    assert special("theatre_suite") is None
    assert special("theatre") is not None


def test_a_long_word_is_looked_through_no_more_than_a_name_is_long() -> None:
    # Each beginning of a word was looked at like a name of its own: a minute for one of 10,000 letters.
    before = _plain.cache_info().misses
    assert said_by("x" * 10_000) == ((), False)
    assert _plain.cache_info().misses - before < 100


def test_a_value_says_what_one_of_the_lists_says_of_its_words() -> None:
    # Lists are asked only where a sign's first letters stand in a word: none that would answer may be passed over.
    lists = [matter for matter in matters() if matter.card is RoleCard.SPECIAL]
    files = [resource_path(f"roles/{name}.toml").read_text(encoding="utf-8") for name in ("matters", "others")]
    words = {word.strip("*\"',[]") for file in files for word in file.split()}
    texts = sorted(form.format(word) for word in words for form in ("{}", "x{}", "{}y", "{} 12"))
    for text in random.Random(20).sample(texts, 3_000):
        runs = (*words_of(text), "_".join(words_of(text)))
        assert said_in(text) is next((each for run in runs for each in lists if each.long.said(run)), None), text
