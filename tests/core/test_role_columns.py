"""More invented columns of hospital exports, one by one; written after the rules, to see how far these carry."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

import pytest

from splu_desktop.core.roles import Role, suggest_roles
from splu_desktop.core.table import Column, Kind, Table

N = 400


def _icd(r: random.Random) -> str:
    return f"{r.choice('ABCDEFGHIJKLMNR')}{r.randrange(100):02}.{r.randrange(10)}"


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
