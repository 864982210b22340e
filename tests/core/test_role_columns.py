"""More invented columns of hospital exports, one by one; written after the rules, to see how far these carry."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import Column, Kind, Table

N = 400


def _icd(r: random.Random) -> str:
    return f"{r.choice('ABCDEFGHIJKLMNR')}{r.randrange(100):02}.{r.randrange(10)}"


def _digits(count: int) -> Callable[[random.Random], str]:
    return lambda r: str(r.randrange(10 ** (count - 1), 10**count))


def _birth(r: random.Random) -> str:
    return str(date(1930, 1, 1) + timedelta(days=r.randrange(30_000)))


def _day(r: random.Random) -> str:
    return str(date(2020, 1, 1) + timedelta(days=r.randrange(1500)))


IDENTIFIERS: dict[str, list[Any]] = {
    "en": [
        ("patient_identifier", lambda r: str(r.randrange(10**8))),
        ("given_names", lambda r: r.choice(["Tariq Aziz", "Ngozi", "Siobhan", "Wei", "Ioan"])),
        ("gp_name", lambda r: f"Dr {r.choice(['Ngata', 'Obi', 'Shaw'])}"),
        ("home_address_line_2", lambda r: f"Flat {r.randrange(90)}, Mill Lane"),
        ("contact_number", lambda r: f"07{r.randrange(10**8, 10**9)}"),
        ("nat_ins_no", lambda r: f"AB{r.randrange(10**5, 10**6)}C"),
        ("free_text_comments", lambda r: f"seen by {r.randrange(9999)}"),
        ("barcode", lambda r: f"{r.randrange(10**11)}"),
        ("accession_number", lambda r: f"L{r.randrange(10**7)}"),
        ("Vehicle registration", lambda r: f"AB{r.randrange(10, 99)} XYZ"),
        ("IP", lambda r: f"10.0.{r.randrange(256)}.{r.randrange(256)}"),
        ("passport_no", lambda r: str(r.randrange(10**8))),
        (
            "Date of Birth (dd/mm/yyyy)",
            lambda r: f"{r.randrange(1, 28):02}/{r.randrange(1, 12):02}/{r.randrange(1930, 2010)}",
        ),
        ("DateOfBirth", _day, Kind.DATE),
        ("Patient Initials", lambda r: r.choice("ABCDEFG") + r.choice("ABCDEFG")),
        ("radiology_report_text", lambda r: f"no acute change {r.random()}", Kind.TEXT),
    ],
    "de": [
        ("Patienten-ID", lambda r: str(r.randrange(10**8))),
        ("Patientenname", lambda r: r.choice(["Özdemir", "Kowalski", "Huber"])),
        ("Geburtstag", _day, Kind.DATE),
        ("KV-Nummer", lambda r: str(r.randrange(10**8))),
        ("Wohnadresse", lambda r: f"Am Markt {r.randrange(99)}"),
        ("Telefon dienstlich", lambda r: f"089/{r.randrange(10**5, 10**6)}"),
        ("einweisender Arzt", lambda r: f"Dr. med. {r.choice(['Huber', 'Lang', 'Ott'])} {r.choice('ABCDEFGH')}."),
        ("Arztbrief", lambda r: f"Sehr geehrter Kollege {r.random()}", Kind.TEXT),
        ("Probennummer", lambda r: f"P{r.randrange(10**7)}"),
        ("Bemerkung", lambda r: r.choice(["wartet", "zurück", "ruft an", "Termin", "siehe Akte", "entlassen"])),
        ("Ausweisnr", lambda r: f"L{r.randrange(10**8)}"),
        ("Rentenversicherungsnr.", lambda r: f"{r.randrange(10**8)}"),
    ],
    "fr": [
        ("Numéro de sécu", lambda r: str(r.randrange(10**12))),
        ("NOM", lambda r: r.choice(["DUPONT", "NGUYEN", "DIALLO", "BENALI"])),
        ("Prenom usuel", lambda r: r.choice(["Zoé", "Aminata", "Mehdi", "Loïc"])),
        ("date_naissance", _day, Kind.DATE),
        ("Téléphone portable", lambda r: f"06{r.randrange(10**7, 10**8)}"),
        ("Mail", lambda r: f"a{r.randrange(999)}@x.fr"),
        ("num_dossier_patient", lambda r: str(r.randrange(10**7))),
        ("Observations", lambda r: f"patient vu {r.random()}", Kind.TEXT),
        ("Adresse postale", lambda r: f"{r.randrange(99)} allée des Pins"),
    ],
    "es": [
        ("Apellidos y nombre", lambda r: r.choice(["Vega Ruiz, Iker", "Soto Gil, Nerea"])),
        ("Primer apellido", lambda r: r.choice(["Vega", "Soto", "Iborra", "Quiroga"])),
        ("F. nacimiento", _day, Kind.DATE),
        ("Teléfono contacto", lambda r: f"6{r.randrange(10**7, 10**8)}"),
        ("Tarjeta sanitaria", lambda r: f"CANT{r.randrange(10**8)}"),
        ("Nº Historia Clínica", lambda r: str(r.randrange(10**6))),
        ("Dirección postal", lambda r: f"Av. del Mar {r.randrange(99)}"),
        ("Informe de alta", lambda r: f"paciente {r.random()}", Kind.TEXT),
        ("NIF", lambda r: f"{r.randrange(10**7)}X"),
    ],
}
OTHERS: dict[str, list[Any]] = {
    "en": [
        ("Primary ICD-10 code", _icd),
        ("diagnosis_name", lambda r: f"disease {r.randrange(390)}"),
        ("procedure_code_1", lambda r: f"{r.choice('ABCD')}{r.randrange(1000):03}"),
        ("attending specialty", lambda r: r.choice(["cardiology", "oncology"])),
        ("lab_value", lambda r: f"{r.random() * 100:.4f}", Kind.DECIMAL),
        ("sodium_mmol_l", lambda r: f"{r.uniform(120, 160):.2f}", Kind.DECIMAL),
        ("admission_date", _day, Kind.DATE),
        ("date_of_death", _day, Kind.DATE),
        ("arrival_time", lambda r: f"{r.randrange(24):02}:{r.randrange(60):02}"),
        ("number_of_diagnoses", lambda r: str(r.randrange(16)), Kind.INTEGER),
        ("bed_days", lambda r: str(r.randrange(90)), Kind.INTEGER),
        ("tumour_size_mm", lambda r: str(r.randrange(90)), Kind.INTEGER),
        ("apgar_5min", lambda r: str(r.randrange(11)), Kind.INTEGER),
        ("ethnic_category", lambda r: r.choice("ABCDEFGHJKLMN")),
        ("hospital_site_code", lambda r: f"RX{r.randrange(20)}"),
        ("imd_decile", lambda r: str(r.randrange(1, 11)), Kind.INTEGER),
        ("blood_group", lambda r: r.choice(["A+", "O-", "AB+"])),
        ("smoking_status", lambda r: r.choice(["never", "ex", "current"])),
        ("discharge_method_code", lambda r: str(r.randrange(1, 9)), Kind.INTEGER),
        ("insurance_type", lambda r: r.choice(["public", "private"])),
        ("emergency_contact_present", lambda r: r.choice(["Y", "N"])),
        ("address_changed", lambda r: r.choice(["Y", "N"])),
        ("medication_order", lambda r: f"drug {r.randrange(380)} {r.randrange(9)} mg"),
        ("pathology_code", lambda r: f"M{r.randrange(8000, 9999)}/3"),
        ("name_of_antibiotic", lambda r: r.choice(["amoxicillin", "cefuroxime", "meropenem", "vancomycin"])),
        ("patient_age_years", lambda r: str(r.randrange(100)), Kind.INTEGER),
        ("patient_sex", lambda r: r.choice("MF")),
        ("patient_weight_kg", lambda r: f"{r.uniform(40, 150):.3f}", Kind.DECIMAL),
        ("time_to_theatre_min", lambda r: str(r.randrange(5000)), Kind.INTEGER),
        ("cost_total", lambda r: str(r.randrange(10**6)), Kind.INTEGER),
        ("glucose_mg_dl", lambda r: str(r.randrange(40, 600)), Kind.INTEGER),
        ("platelet_count", lambda r: str(r.randrange(10_000, 900_000)), Kind.INTEGER),
        ("Mobility", lambda r: r.choice(["full", "limited", "none", "chair"])),
        ("Cell type", lambda r: r.choice(["squamous", "adeno", "small", "large"])),
        ("CD4 cell count", lambda r: str(r.randrange(1500)), Kind.INTEGER),
        ("phone_triage", lambda r: r.choice(["yes", "no", "unknown"])),
    ],
    "de": [
        ("Hauptdiagnose_Text", lambda r: f"Krankheit {r.randrange(390)}"),
        ("ICD-Kode", _icd),
        ("Laborwert Natrium", lambda r: f"{r.uniform(120, 160):.2f}", Kind.DECIMAL),
        ("Entlassdatum", _day, Kind.DATE),
        ("Anzahl Nebendiagnosen", lambda r: str(r.randrange(16)), Kind.INTEGER),
        ("PLZ3", lambda r: str(r.randrange(100, 999)), Kind.INTEGER),
        ("Bundesland", lambda r: r.choice(["BY", "NI"])),
        ("Versicherungsart", lambda r: r.choice(["GKV", "PKV"])),
        ("Namen der Fachabteilung", lambda r: r.choice(["Innere", "Chir", "Gyn", "Uro"])),
        ("Medikament Name", lambda r: f"Präparat {r.randrange(390)}"),
        ("Tumorlokalisation", lambda r: f"C{r.randrange(80)}.{r.randrange(9)}"),
        ("OP-Dauer (min)", lambda r: str(r.randrange(500)), Kind.INTEGER),
        ("Kosten gesamt", lambda r: f"{r.random() * 10000:.2f}", Kind.DECIMAL),
        ("Mobilität", lambda r: r.choice(["frei", "Rollator", "Bett", "Stuhl"])),
        ("Geburtsort Land", lambda r: r.choice(["D", "A", "CH", "F"])),
        ("Aufnahmeart", lambda r: r.choice(["E", "N", "V", "Z"])),
    ],
    "fr": [
        ("Code diagnostic CIM-10", _icd),
        ("Libellé diagnostic", lambda r: f"maladie {r.randrange(390)}"),
        ("Date admission", _day, Kind.DATE),
        ("Nombre de séances", lambda r: str(r.randrange(30)), Kind.INTEGER),
        ("Code postal", lambda r: str(r.randrange(10, 95) * 1000), Kind.INTEGER),
        ("Nom de la spécialité", lambda r: r.choice(["cardio", "uro", "gynéco", "ortho"])),
        ("Natrémie", lambda r: f"{r.uniform(120, 160):.2f}", Kind.DECIMAL),
        ("Poids de naissance", lambda r: str(r.randrange(400, 5000)), Kind.INTEGER),
        ("Dose totale", lambda r: f"{r.random() * 1000:.3f}", Kind.DECIMAL),
        ("Lieu de naissance pays", lambda r: r.choice(["FR", "DZ", "PT", "IT"])),
    ],
    "es": [
        ("Código CIE", _icd),
        ("Descripción diagnóstico", lambda r: f"enfermedad {r.randrange(390)}"),
        ("Fecha de intervención", _day, Kind.DATE),
        ("Nombre del medicamento", lambda r: f"farmaco {r.randrange(390)}"),
        ("Código postal", lambda r: str(r.randrange(1000, 52999)), Kind.INTEGER),
        ("Número de hijos", lambda r: str(r.randrange(8)), Kind.INTEGER),
        ("Estancia media", lambda r: f"{r.random() * 30:.3f}", Kind.DECIMAL),
        ("Peso al nacer", lambda r: str(r.randrange(400, 5000)), Kind.INTEGER),
        ("Unidad hospitalaria", lambda r: r.choice(["UCI", "Planta", "Urg", "Qx"])),
    ],
}


# Headers of databases and national records: MIMIC, HES, Epic, the German, French and Spanish hospital discharge data.
IDENTIFIERS["databases"] = [
    ("subject_id", _digits(8), Kind.INTEGER),
    ("hadm_id", _digits(8), Kind.INTEGER),
    ("stay_id", _digits(8), Kind.INTEGER),
    ("EPIKEY", _digits(12), Kind.INTEGER),
    ("ENCRYPTED_HESID", lambda r: f"{r.randrange(16**12):012x}"),
    ("NEWNHSNO", _digits(10), Kind.INTEGER),
    ("MYDOB", _birth, Kind.DATE),
    ("LOPATID", lambda r: f"P{r.randrange(10**7)}"),
    ("KH-internes-Kennzeichen", lambda r: f"F{r.randrange(10**7)}"),
    ("Fallnummer", _digits(7), Kind.INTEGER),
    ("Patientennummer", _digits(7), Kind.INTEGER),
    ("numrss", _digits(9), Kind.INTEGER),
    ("noanon", lambda r: f"{r.randrange(16**10):010x}"),
    ("CIP_SNS", lambda r: f"BB{r.randrange(10**10)}"),
    ("historia", _digits(6), Kind.INTEGER),
    ("fecnac", _birth, Kind.DATE),
    ("fecha_nacimiento", _birth, Kind.DATE),
    ("nombre_paciente", lambda r: r.choice(["Iker", "Nerea", "Unai", "Aitor", "Leire", "Ane"])),
    ("patient_name_last", lambda r: r.choice(["Ngo", "Okafor", "Silva", "Haddad", "Kim", "Novak"])),
    ("gebdat", _birth, Kind.DATE),
    ("pat_vorname", lambda r: r.choice(["Uwe", "Ilse", "Jörg", "Heidi", "Gerd", "Ute"])),
    ("strasse_hausnr", lambda r: f"Weg {r.randrange(99)}"),
    ("tel_mobil", _digits(10)),
    ("e_mail", lambda r: f"x{r.randrange(999)}@y.de"),
    ("kvnr", lambda r: f"A{r.randrange(10**8, 10**9)}"),
    ("datenaissance", _birth, Kind.DATE),
    ("nom_patient", lambda r: r.choice(["ROUX", "BLANC", "GARNIER", "FAURE", "ANDRE", "MERCIER"])),
    (
        "medecin",
        lambda r: r.choice(
            [
                "Dr ROUX",
                "Dr BLANC",
                "Dr FAURE",
                "Dr GIRARD",
                "Dr LEMOINE",
                "Dr COLIN",
                "Dr PICARD",
                "Dr ROLLAND",
                "Dr RENAUD",
                "Dr LUCAS",
                "Dr BRUN",
            ]
        ),
    ),
    ("tel_domicile", _digits(9)),
    ("PatientMRN", _digits(7), Kind.INTEGER),
    ("Pat_MRN_ID", lambda r: f"Z{r.randrange(10**7)}"),
    ("PAT_ENC_CSN_ID", _digits(11), Kind.INTEGER),
    ("HAR", _digits(8), Kind.INTEGER),
    ("ssn4_name", lambda r: f"{r.randrange(10**9)}"),
    ("Full Address", lambda r: f"{r.randrange(999)} Elm St, Troy"),
    ("DoctorNotes", lambda r: f"seen {r.random()}", Kind.TEXT),
    ("medical_record_no", _digits(7), Kind.INTEGER),
    ("ID", _digits(7), Kind.INTEGER),
    ("dni_paciente", _digits(8)),
    ("correo", lambda r: f"a{r.randrange(999)}@b.es"),
]
OTHERS["databases"] = [
    ("itemid", lambda r: str(r.choice([220045, 220050, 220179, 223761])), Kind.INTEGER),
    (
        "charttime",
        lambda r: f"2150-01-{r.randrange(1, 28):02} {r.randrange(24):02}:{r.randrange(60):02}:00",
        Kind.DATETIME,
    ),
    ("valuenum", lambda r: f"{r.random() * 200:.3f}", Kind.DECIMAL),
    ("valueuom", lambda r: r.choice(["mmHg", "bpm"])),
    ("drg_code", lambda r: str(r.randrange(1, 990)), Kind.INTEGER),
    ("icd_code", _icd),
    ("PROCODE3", lambda r: f"R{r.choice('ABCDE')}{r.randrange(9)}"),
    ("DIAG_01", _icd),
    ("OPERTN_01", lambda r: f"{r.choice('ABCH')}{r.randrange(999):03}"),
    ("EPISTART", _day, Kind.DATE),
    ("ADMIDATE", _day, Kind.DATE),
    ("GPPRAC", lambda r: f"A{r.randrange(80000, 80040)}"),
    ("STARTAGE", lambda r: str(r.randrange(99)), Kind.INTEGER),
    ("ETHNOS", lambda r: r.choice("ABCZ")),
    ("IMD04RK", lambda r: str(r.randrange(1, 32000)), Kind.INTEGER),
    ("Geburtsjahr", lambda r: str(r.randrange(1930, 2010)), Kind.INTEGER),
    ("IK", lambda r: str(r.choice([260100123, 260100456])), Kind.INTEGER),
    ("Aufnahmegrund", lambda r: r.choice(["0101", "0107"])),
    ("Beatmungsstunden", lambda r: str(r.randrange(500)), Kind.INTEGER),
    ("finess", lambda r: str(r.choice([750000001, 690000002])), Kind.INTEGER),
    ("GHM2", lambda r: f"{r.randrange(1, 28):02}C{r.randrange(99):02}{r.choice('1234')}"),
    ("duree_sejour", lambda r: str(r.randrange(90)), Kind.INTEGER),
    ("poids_entree", lambda r: str(r.randrange(400, 5000)), Kind.INTEGER),
    ("D1", _icd),
    ("P1", lambda r: f"{r.randrange(100):02}.{r.randrange(100):02}"),
    ("fecing", _day, Kind.DATE),
    ("tipo_alta", lambda r: r.choice("1234")),
    ("los_days", lambda r: f"{r.random() * 40:.5f}", Kind.DECIMAL),
    ("insurance", lambda r: r.choice(["Medicare", "Private", "Other"])),
    ("marital_status", lambda r: r.choice("MSWD")),
    ("anchor_age", lambda r: str(r.randrange(18, 91)), Kind.INTEGER),
    ("ndc", lambda r: str(r.randrange(10**10, 10**11)), Kind.INTEGER),
    ("drug", lambda r: f"Drug {r.randrange(390)}"),
    ("dose_val_rx", lambda r: str(r.randrange(1, 3000)), Kind.INTEGER),
    ("spec_type_desc", lambda r: r.choice(["URINE", "BLOOD"])),
    ("org_name", lambda r: r.choice(["E. COLI", "STAPH AUREUS", "KLEBSIELLA"])),
    ("ab_name", lambda r: r.choice(["CEFAZOLIN", "GENTAMICIN"])),
    ("careunit_name", lambda r: r.choice(["MICU", "SICU"])),
    ("comments_code", lambda r: str(r.randrange(9)), Kind.INTEGER),
    ("pain_score_phone_followup", lambda r: str(r.randrange(11)), Kind.INTEGER),
    ("Street level (m)", lambda r: f"{r.random() * 100:.2f}", Kind.DECIMAL),
    ("mobile_xray", lambda r: r.choice(["yes", "no"])),
    ("HouseholdIncome", lambda r: str(r.randrange(10**4, 10**6)), Kind.INTEGER),
    ("infant_birth_order", lambda r: str(r.randrange(1, 9)), Kind.INTEGER),
    ("latest_lab_value", lambda r: f"{r.random() * 9:.3f}", Kind.DECIMAL),
    ("oncologist_visits", lambda r: str(r.randrange(60)), Kind.INTEGER),
    ("Email reminder sent", lambda r: r.choice(["Y", "N"])),
    ("Surname changed", lambda r: r.choice(["Y", "N"])),
    ("Serum sodium", lambda r: str(r.randrange(110, 160)), Kind.INTEGER),
    ("Troponin_ngL", lambda r: str(r.randrange(1, 40000)), Kind.INTEGER),
    ("Nummer der OP", lambda r: str(r.randrange(1, 6)), Kind.INTEGER),
    ("survival_days", lambda r: str(r.randrange(4000)), Kind.INTEGER),
    ("gene_variant", lambda r: f"c.{r.randrange(9999)}A>G"),
    ("tumor_stage_TNM", lambda r: f"T{r.randrange(4)}N{r.randrange(3)}M{r.randrange(2)}"),
]


def _cases() -> list[Any]:
    both = ((IDENTIFIERS, True), (OTHERS, False))
    return [(lang, spec, wanted) for table, wanted in both for lang, specs in table.items() for spec in specs]


@pytest.mark.parametrize(("language", "spec", "identifies"), _cases(), ids=lambda each: str(each)[:24])
def test_a_column_of_an_export(language: str, spec: tuple[Any, ...], identifies: bool) -> None:
    name, make, *kind = spec
    r = random.Random(f"{language} {name}")
    column = Column.from_labels(name, [make(r) for _ in range(N)], kind=kind[0] if kind else Kind.CATEGORY)
    said = suggest_roles(Table((column,)))[name]
    assert (said.role is Role.IDENTIFIER) == identifies, said.reason


@pytest.mark.parametrize(
    ("name", "last"),
    [("Discharge", "died in hospital"), ("Entlassung", "verstorben"), ("sortie", "Décédé"), ("alta", "exitus")],
)
def test_one_value_that_tells_of_a_death_is_enough(name: str, last: str) -> None:
    values = ["home", "transfer", "rehabilitation", "against advice", "nursing home", last]
    table = Table((Column.from_labels(name, [values[at % 6] for at in range(N)]),))
    assert suggest_roles(table)[name].role in (Role.SA, Role.DROPPED)


@pytest.mark.parametrize("values", [("benign", "malignant"), ("gutartig", "bösartig"), ("bénigne", "maligne")])
def test_what_a_tumour_is_is_a_finding_under_every_harmless_name(values: tuple[str, str]) -> None:
    column = Column.from_labels("class", [values[i % 2] for i in range(200)], kind=Kind.CATEGORY)
    assert not suggest_roles(Table((column,)), sensitive=("other",))["class"].role.published


def test_numbers_of_persons_that_begin_with_their_sex_are_no_sex() -> None:
    column = Column.from_labels("Subject", [f"{'MF'[i % 27 % 2]}{i % 27:02}" for i in range(108)], kind=Kind.CATEGORY)
    assert not suggest_roles(Table((column,)))["Subject"].role.published
