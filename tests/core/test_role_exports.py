"""Suggested roles on invented hospital exports in four languages: identifiers caught, nothing medical called one.

The tables are made here, from the habits of real exports: abbreviated headers, official numbers with their
check digits, free text, and headers that say nothing.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest

from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.table import Column, Kind, Table

N = 300
Make = Callable[[random.Random], str]


def _names(text: str) -> list[str]:
    return text.split()


FIRST = {
    "en": _names("James Mary Robert Patricia John Jennifer Michael Linda David Susan Olivia Jack Emily Harry Amelia"),
    "de": _names("Anna Peter Sabine Jürgen Klaus Monika Hans Ursula Lukas Katharina Wolfgang Petra Stefan Heike Jonas"),
    "fr": _names("Jean Marie Pierre Nathalie Michel Isabelle Camille Thierry Chloé Philippe Sylvie Léa Hugo Manon"),
    "es": _names("José María Antonio Carmen Manuel Ana Francisco Lucía Javier Pilar Miguel Rosa Pablo Elena Alejandro"),
}  # fmt: skip
LAST = {
    "en": _names("Smith Jones Taylor Brown Williams Wilson Johnson Davies Patel Wright Walker White Edwards Green"),
    "de": _names("Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter"),
    "fr": _names("Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre"),
    "es": _names("García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Jiménez Ruiz Moreno"),
}  # fmt: skip


def _of(*values: str) -> Make:
    return lambda r: r.choice(values)


def _whole(low: int, high: int) -> Make:
    return lambda r: str(r.randint(low, high))


def _decimal(low: float, high: float, places: int = 1) -> Make:
    return lambda r: f"{r.uniform(low, high):.{places}f}"


def _day(first: int, last: int) -> Make:
    return lambda r: str(date(first, 1, 1) + timedelta(days=r.randrange(365 * (last - first + 1))))


def _moment(r: random.Random) -> str:
    return str(datetime(2024, 1, 1) + timedelta(minutes=r.randrange(525_000)))


def _person(language: str, form: str = "{last}, {first}") -> Make:
    return lambda r: form.format(first=r.choice(FIRST[language]), last=r.choice(LAST[language]))


def _text(language: str) -> Make:
    parts = {
        "en": ("Pt seen by Dr Green", "complains of pain since Tuesday", "lives with daughter", "bloods sent, review"),
        "de": ("Patientin klagt über Schmerzen", "lebt mit ihrem Mann in Celle", "Z.n. Sturz", "Verlegung geplant"),
        "fr": ("Patient adressé par son médecin", "vit seule à Nantes", "douleurs depuis lundi", "sortie prévue"),
        "es": ("Paciente acude a urgencias", "vive con su hija en Vigo", "dolor desde el lunes", "se da de alta"),
    }[language]
    return lambda r: ". ".join(r.sample(parts, 3)) + f" ({r.randrange(10_000)})."


def _pattern(form: str) -> Make:
    """Make texts by a form: 9 a digit, A a capital, all else as it stands."""

    def make(r: random.Random) -> str:
        digits, capitals = string.digits, string.ascii_uppercase
        return "".join(r.choice(digits if c == "9" else capitals) if c in "9A" else c for c in form)

    return make


def _nhs(r: random.Random) -> str:
    while True:
        digits = [r.randrange(10) for _ in range(9)]
        check = 11 - sum(d * w for d, w in zip(digits, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            text = "".join(map(str, digits)) + str(check % 11)
            return f"{text[:3]} {text[3:6]} {text[6:]}"


def _nir(r: random.Random) -> str:
    body = f"{r.choice('12')}{r.randrange(30, 99):02}{r.randrange(1, 13):02}{r.randrange(1, 95):02}"
    body += f"{r.randrange(1, 990):03}{r.randrange(1, 999):03}"
    return f"{body}{97 - int(body) % 97:02}"


def _steuer_id(r: random.Random) -> str:
    digits = [r.randrange(1, 10), *(r.randrange(10) for _ in range(9))]
    product = 10  # ISO/IEC 7064, MOD 11,10
    for digit in digits:
        total = (digit + product) % 10 or 10
        product = total * 2 % 11
    return "".join(map(str, digits)) + str((11 - product) % 10)


def _luhn(prefix: str, length: int) -> Make:
    def make(r: random.Random) -> str:
        body = [int(c) for c in prefix] + [r.randrange(10) for _ in range(length - len(prefix) - 1)]
        total = sum(sum(divmod(d * (2 if i % 2 == 0 else 1), 10)) for i, d in enumerate(reversed(body)))
        return "".join(map(str, body)) + str(-total % 10)

    return make


def _npi(r: random.Random) -> str:
    """US provider number: ten digits, Luhn with the prefix 80840."""
    return _luhn("80840" + r.choice("12"), 15)(r)[5:]


def _ahv(r: random.Random) -> str:
    digits = [7, 5, 6, *(r.randrange(10) for _ in range(9))]
    check = -sum(d * (3 if i % 2 else 1) for i, d in enumerate(digits)) % 10
    text = "".join(map(str, [*digits, check]))
    return f"{text[:3]}.{text[3:7]}.{text[7:11]}.{text[11:]}"


def _kvnr(r: random.Random) -> str:
    letter, digits = r.choice(string.ascii_uppercase), [r.randrange(10) for _ in range(8)]
    full = [*map(int, f"{ord(letter) - 64:02}"), *digits]
    check = sum(sum(divmod(d * (1 + i % 2), 10)) for i, d in enumerate(full)) % 10
    return f"{letter}{''.join(map(str, digits))}{check}"


def _dni(r: random.Random) -> str:
    number = r.randrange(10**7, 10**8)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def _mbi(r: random.Random) -> str:
    """US Medicare number as it is since 2018, such as 1EG4-TE5-MK73."""
    letters = "ACDEFGHJKMNPQRTUVWXY"
    a, n = (lambda: r.choice(letters)), (lambda: str(r.randrange(10)))
    an = lambda: r.choice(letters + string.digits)  # noqa: E731
    return f"{r.randrange(1, 10)}{a()}{an()}{n()}-{a()}{an()}{n()}-{a()}{a()}{n()}{n()}"


def _icd(r: random.Random) -> str:
    return f"{r.choice('ABCDEFGHIJKLMNR')}{r.randrange(100):02}.{r.randrange(10)}"


DATE, MOMENT, INT, DEC, TEXT = Kind.DATE, Kind.DATETIME, Kind.INTEGER, Kind.DECIMAL, Kind.TEXT

# Export -> column -> (its texts, its kind; a category where left out). First the identifiers, then all others.
Export = dict[str, tuple[Make, Kind] | Make]
IDENTIFIERS: dict[str, Export] = {
    "en-gb": {
        "Hospital No": _pattern("A999999"),
        "NHS_Number": _nhs,
        "Forename": _of(*FIRST["en"]),
        "Surname": _of(*LAST["en"]),
        "DOB": (_day(1930, 2015), DATE),
        "Home Tel": _pattern("020 7999 9999"),
        "Mobile No": _pattern("07999 999999"),
        "Email": lambda r: f"{r.choice(FIRST['en']).lower()}{r.randrange(99)}@example.org",
        "Addr Line 1": lambda r: f"{r.randrange(1, 200)} High Street",
        "Next of Kin": _person("en", "{first} {last}"),
        "Discharge summary": (_text("en"), TEXT),
        "Spell ID": (_whole(10**6, 10**7), INT),
        "Pathway UBRN": _pattern("9999 9999 9999"),
        "Consultant": _person("en", "Dr {first} {last}"),
    },
    "en-us": {
        "MRN": (_whole(10**6, 10**7), INT),
        "Pt Name": _person("en"),
        "SSN": _pattern("999-99-9999"),
        "Birth Date": (_day(1930, 2015), DATE),
        "Medicare ID": _mbi,
        "Attending NPI": _npi,
        "Acct #": (_whole(10**8, 10**9), INT),
        "Policy #": _pattern("AAA999999999"),
        "Phone": _pattern("(999) 555-9999"),
        "Street Address": lambda r: f"{r.randrange(1, 9000)} Oak Ave",
        "Nursing Notes": (_text("en"), TEXT),
        "CSN": (_whole(10**8, 10**9), INT),
    },
    "de": {
        "Fallnr.": (_whole(10**6, 10**7), INT),
        "PID": (_whole(10**6, 10**7), INT),
        "Name, Vorname": _person("de"),
        "Geb.-Datum": (_day(1930, 2015), DATE),
        "Straße/Nr.": lambda r: f"Bahnhofstr. {r.randrange(1, 99)}",
        "Tel. privat": _pattern("05141 999999"),
        "Vers.-Nr.": _kvnr,
        "Steuer-ID": _steuer_id,
        "AHV-Nr.": _ahv,
        "Anamnese": (_text("de"), TEXT),
        "Epikrise": (_text("de"), TEXT),
        "Hausarzt": _person("de", "Dr. {first} {last}"),
        "Angehörige": _person("de", "{first} {last}"),
        "Mobilnr.": _pattern("0171 9999999"),
        "E-Mail-Adresse": lambda r: f"{r.choice(FIRST['de']).lower()}{r.randrange(99)}@example.de",
    },
    "fr": {
        "IPP": (_whole(10**6, 10**7), INT),
        "IEP": (_whole(10**8, 10**9), INT),
        "N° dossier": (_whole(10**6, 10**7), INT),
        "Nom d'usage": _of(*LAST["fr"]),
        "Nom de naissance": _of(*LAST["fr"]),
        "Prénom": _of(*FIRST["fr"]),
        "Né(e) le": (_day(1930, 2015), DATE),
        "N° SS": _nir,
        "Adresse": lambda r: f"{r.randrange(1, 90)} rue de la République",
        "Tél.": _pattern("06 99 99 99 99"),
        "Courriel": lambda r: f"{r.choice(LAST['fr']).lower()}{r.randrange(99)}@example.fr",
        "Compte rendu": (_text("fr"), TEXT),
        "Médecin traitant": _person("fr", "Dr {last} {first}"),
        "Personne à prévenir": _person("fr", "{first} {last}"),
    },
    "es": {
        "NHC": (_whole(10**5, 10**6), INT),
        "CIP": _pattern("AAAA999999999"),
        "NUHSA": _pattern("AN9999999999"),
        "DNI/NIE": _dni,
        "Nombre y apellidos": _person("es", "{first} {last}"),
        "Apellido 1": _of(*LAST["es"]),
        "Fecha nac.": (_day(1930, 2015), DATE),
        "Domicilio": lambda r: f"Calle Mayor {r.randrange(1, 99)}",
        "Móvil": _pattern("699 99 99 99"),
        "Correo-e": lambda r: f"{r.choice(FIRST['es']).lower()}{r.randrange(99)}@example.es",
        "Motivo de consulta": (_text("es"), TEXT),
        "Médico responsable": _person("es", "Dra. {first} {last}"),
        "Nº episodio": (_whole(10**7, 10**8), INT),
        "Nº afiliación SS": _pattern("28 99999999 99"),
    },
    "no headers": {
        "F1": _nhs,
        "F2": _nir,
        "F3": _steuer_id,
        "F4": _kvnr,
        "F5": _ahv,
        "F6": _dni,
        "F7": _mbi,
        "F8": _pattern("+44 20 7999 9999"),
        "F9": lambda r: f"{r.choice(FIRST['de']).lower()}{r.randrange(999)}@example.de",
        "F10": _person("en"),
        "F11": _person("de", "{first} {last}"),
        "F12": _person("fr", "{last} {first}"),
        "F13": _person("es", "{first} {last}"),
        "F14": (_text("en"), TEXT),
        "F15": lambda r: f"{r.randrange(1, 90)} rue des Lilas",
        "F16": _of(*FIRST["en"], *FIRST["fr"]),
    },
}  # fmt: skip
OTHERS: dict[str, Export] = {
    "en-gb": {
        "Sex": _of("M", "F"),
        "Age": (_whole(0, 99), INT),
        "Postcode sector": _pattern("SW9 9"),
        "GP Practice Code": lambda r: f"A8{r.randrange(40):04}",
        "Arrival DateTime": (_moment, MOMENT),
        "Triage category": _of("1", "2", "3", "4", "5"),
        "ICD10_Primary": _icd,
        "OPCS4": _pattern("A99.9"),
        "Procedure date": (_day(2024, 2024), DATE),
        "Creatinine umol/L": (_decimal(40, 400, 1), DEC),
        "HbA1c": (_decimal(20, 120, 0), INT),
        "Systolic BP": (_whole(80, 220), INT),
        "eGFR": (_whole(5, 120), INT),
        "SNOMED code": (lambda r: str(10_000_000 + 37 * r.randrange(400)), INT),
        "Length of Stay": (_whole(0, 60), INT),
        "Ethnicity": _of(*"ABCDEFGH"),
        "Discharge destination": _of("Home", "Care home", "Hospice"),
        "Specialty name": _of("Cardiology", "Geriatrics", "Urology"),
        "Ward name": _of("Nightingale", "Fleming", "Lister"),
        "Drug name": _of("Aspirin", "Ramipril", "Metformin", "Warfarin"),
        "Dose mg": (_decimal(1, 500, 2), DEC),
        "Cost GBP": (_decimal(100, 9000, 2), DEC),
    },
    "en-us": {
        "Gender": _of("Male", "Female"),
        "Zip3": _pattern("999"),
        "State": _of("NY", "MA", "CA"),
        "DRG": (_whole(1, 999), INT),
        "CPT": (_whole(10_000, 99_999), INT),
        "HCPCS": _pattern("A9999"),
        "NDC code": _pattern("99999-999-99"),
        "LOINC": _pattern("9999-9"),
        "Lab result": (_decimal(0, 300, 2), DEC),
        "Result text": _of("positive", "negative", "trace"),
        "Troponin I (ng/mL)": (_decimal(0, 20, 3), DEC),
        "WBC": (_decimal(1, 30, 2), DEC),
        "Total charges": (_decimal(100, 90_000, 2), DEC),
        "Admit Date": (_day(2024, 2024), DATE),
        "Discharge Date": (_day(2024, 2024), DATE),
        "Primary Dx": _icd,
        "Secondary diagnosis 2": _icd,
        "Facility Name": _of("St. Mary", "General", "Mercy"),
        "Phone consult (Y/N)": _of("Y", "N"),
        "Street drugs": _of("yes", "no"),
    },
    "de": {
        "Geschlecht": _of("m", "w", "d"),
        "PLZ-Bereich": _pattern("99"),
        "Hauptdiagnose ICD": _icd,
        "Nebendiagnose 1": _icd,
        "OPS-Code": lambda r: f"{r.randrange(1, 9)}-{r.randrange(100, 999)}.{r.randrange(10)}",
        "Aufnahmedatum": (_day(2024, 2024), DATE),
        "Entlassungsdatum": (_day(2024, 2024), DATE),
        "Aufnahmezeitpunkt": (_moment, MOMENT),
        "Entlassungsgrund": _of("regulär", "verlegt", "verstorben"),
        "Beatmungsstunden": (_whole(0, 400), INT),
        "CRP mg/l": (_decimal(0, 300, 1), DEC),
        "Kreatinin": (_decimal(0.4, 9, 2), DEC),
        "Aufnahmegewicht": (_whole(400, 5000), INT),
        "DRG": _pattern("A99A"),
        "Krankenkasse": _of("AOK", "TK", "Barmer"),
        "Fachabteilung": _of("Innere", "Chirurgie", "Urologie"),
        "Station": _of("A1", "B2", "C3"),
        "Wirkstoff": _of("Ramipril", "Metformin", "Ibuprofen"),
        "Dosis": (_decimal(1, 500, 2), DEC),
        "Verweildauer": (_whole(0, 60), INT),
        "Geburtsgewicht": (_whole(400, 5000), INT),
        "Geburtsjahr": (_whole(1930, 2015), INT),
    },
    "fr": {
        "Sexe": _of("H", "F"),
        "Département": _pattern("99"),
        "DP": _icd,
        "DAS 1": _icd,
        "Acte CCAM": _pattern("AAAA999"),
        "GHM": _pattern("99A999"),
        "Date d'entrée": (_day(2024, 2024), DATE),
        "Date de sortie": (_day(2024, 2024), DATE),
        "Durée de séjour": (_whole(0, 60), INT),
        "Mode de sortie": _of("domicile", "transfert", "décès"),
        "Créatininémie": (_decimal(40, 400, 1), DEC),
        "Glycémie": (_decimal(3, 20, 2), DEC),
        "Poids": (_decimal(40, 140, 1), DEC),
        "Nombre d'actes": (_whole(0, 20), INT),
        "Nom du médicament": _of("Doliprane", "Kardegic", "Levothyrox"),
        "Posologie": _of("1/j", "2/j", "3/j"),
        "Service": _of("Cardiologie", "Urgences", "Pédiatrie"),
        "Année de naissance": (_whole(1930, 2015), INT),
    },
    "es": {
        "Sexo": _of("Hombre", "Mujer"),
        "Provincia": _of("Madrid", "Sevilla", "Vigo"),
        "Diagnóstico principal CIE-10": _icd,
        "Procedimiento": _pattern("9AAA9A9"),
        "Fecha de ingreso": (_day(2024, 2024), DATE),
        "Fecha alta": (_day(2024, 2024), DATE),
        "Glucosa": (_decimal(50, 400, 0), INT),
        "Creatinina": (_decimal(0.4, 9, 2), DEC),
        "Dosis mg": (_decimal(1, 500, 2), DEC),
        "Nombre del servicio": _of("Cardiología", "Urgencias", "Pediatría"),
        "Nombre del fármaco": _of("Paracetamol", "Enalapril", "Omeprazol"),
        "Número de ingresos": (_whole(0, 20), INT),
        "GRD": (_whole(1, 999), INT),
        "Tipo de alta": _of("domicilio", "traslado", "exitus"),
        "Peso": (_decimal(40, 140, 1), DEC),
        "Edad": (_whole(0, 99), INT),
    },
    "no headers": {
        "F21": _icd,
        "F22": (_decimal(0, 300, 3), DEC),
        "F23": _of("Heart failure", "Grant, Mary House", "Pneumonia"),
        "F24": (_moment, MOMENT),
        "F25": _of("Hernia, inguinal", "Fracture, hip", "Tumour, benign", "Anaemia, iron deficiency"),
        "F26": _of("Boston", "New York", "Chicago", "Houston", "Paris"),
        "F27": _of("Cardiology", "Urology", "General medicine"),
        "F28": (_whole(0, 300), INT),
    },
}  # fmt: skip


def _column(name: str, made: tuple[Make, Kind] | Make, seed: str, stays: int = 1) -> Column:
    """Make a column of N records, `stays` of each person one after another."""
    make, kind = made if isinstance(made, tuple) else (made, Kind.CATEGORY)
    r = random.Random(f"{seed} {name}")
    persons = [make(r) for _ in range(N // stays)]
    return Column.from_labels(name, [text for text in persons for _ in range(stays)], kind=kind)


def _table(export: str, stays: int = 1) -> Table:
    both = {**IDENTIFIERS[export], **OTHERS[export]}
    return Table(tuple(_column(name, made, export, stays) for name, made in both.items()))


@pytest.mark.parametrize("stays", [1, 3])
@pytest.mark.parametrize("export", IDENTIFIERS)
def test_identifiers_are_caught_and_nothing_else_is_called_one(export: str, stays: int) -> None:
    found = {name: said for name, said in suggest_roles(_table(export, stays)).items() if said.role is Role.IDENTIFIER}
    missed = set(IDENTIFIERS[export]) - set(found)
    wrong = {name: found[name].reason for name in set(found) - set(IDENTIFIERS[export])}
    assert not missed
    assert not wrong


@pytest.mark.parametrize("export", IDENTIFIERS)
def test_each_column_alone_is_taken_alike(export: str) -> None:
    """No suggestion of an identifier leans on the columns beside it."""
    for name, made in IDENTIFIERS[export].items():
        assert suggest_roles(Table((_column(name, made, export),)))[name].role is Role.IDENTIFIER, name
    for name, made in OTHERS[export].items():
        assert suggest_roles(Table((_column(name, made, export),)))[name].role is not Role.IDENTIFIER, name
