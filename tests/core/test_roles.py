"""Suggested roles: nobody is named, no finding is published, and what a table is about is secret, not left out."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from splu_desktop.core.errors import BadSetting
from splu_desktop.core.roles import SUBJECTS, content
from splu_desktop.core.roles.lexicon import lexicon, read_name
from splu_desktop.core.roles.numbers import german_insurance, is_official
from splu_desktop.core.roles.suggest import Role, Suggestion, absence_values, suggest_roles
from splu_desktop.core.table import LABELS, Column, Kind, Table
from splu_desktop.files.importer import read
from tests.columns import column_of
from tests.core.role_tables import headers, nhs_number, tables
from tests.optional import real

N = 400
RANDOM = random.Random(20_261_121)


def texts(name: str, values: list[str], kind: Kind = Kind.CATEGORY) -> Column:
    return column_of(name, values, kind=kind)


def suggested(name: str, values: str | list[str], kind: Kind = Kind.CATEGORY) -> Suggestion:
    """Return what is suggested for a column of these values, in equal shares."""
    each = values.split("|") if isinstance(values, str) else values
    return suggest_roles(Table((texts(name, [each[i % len(each)] for i in range(N)], kind),)))[name]


def test_on_invented_tables_nothing_leaks_and_little_is_withheld(tmp_path: Path) -> None:
    """In four languages: no identifier or health column as it is, what the table is about secret."""
    wrong = []
    for name, (table, kinds) in tables(tmp_path).items():
        found = suggest_roles(table)
        wanted = {"I": Role.IDENTIFIER, "H": Role.SA, "A": Role.SA}
        wrong += [(name, c) for c, kind in kinds.items() if kind in wanted and found[c].role is not wanted[kind]]
        harmless = [found[c].role for c, kind in kinds.items() if kind == "N"]
        assert sum(role is not Role.NSA for role in harmless) <= len(harmless) / 5, name
    assert wrong == []


def test_no_invented_header_of_health_or_persons_is_published_as_it_is() -> None:
    published = [
        name for column in headers() for name, each in suggest_roles(Table((column,))).items() if each.role.is_unchanged
    ]
    assert published == []


def test_questions_that_are_answered_on_one_scale_are_taken_for_one_kind() -> None:
    """What a question is about stands in its words, so that a hospital in it is no unit, and a physician no name."""
    scale = ["fully agree", "rather agree", "neither", "rather disagree", "do not know"]
    names = ["my pain is treated well", "my mood is good", "I trust my physician", "I recommend the hospital"]
    columns = [texts(name, [RANDOM.choice(scale) for _ in range(N)]) for name in names]
    other = texts("hospital", [RANDOM.choice(["St. Anna", "Nord", "West", "Marien"]) for _ in range(N)])
    found = suggest_roles(Table((*columns, other)))
    assert [found[name].role for name in names] == [Role.SA] * 4
    assert found["hospital"].role is Role.NSA


# File -> its identifiers, and what is published as it is; all else is secret.
EXPECTED = {
    "diabetes130.csv.gz": (
        {"encounter_id", "patient_nbr"},
        {"race", "gender", "age", "admission_type_id", "admission_source_id", "payer_code", "medical_specialty"},
    ),
    "adult.csv.gz": (
        set(),
        {
            "age", "workclass", "education", "educational-num", "marital-status", "occupation", "relationship",
            "gender", "hours-per-week", "native-country", "race",
        },
    ),
    "census_workers.csv.gz": (
        set(),
        {"Age", "Gender", "Education", "Marital", "WorkClass", "Country", "Occupation", "Race"},
    ),
    "linelist_raw.xlsx": (
        {"case_id", "infector", "lon", "lat", "row_num"},
        {
            "date onset", "hosp date", "gender", "hospital", "age", "age_unit", "time_admission",
            "merged_header", "merged_header (2)",
        },
    ),
    "sparcs_1000.csv": (
        {"Column 1"},
        {
            "Health Service Area", "Hospital County", "Facility Id", "Facility Name", "Age Group",
            "Operating Certificate Number", "Zip Code - 3 digits", "Gender", "Type of Admission", "Discharge Year",
            "Payment Typology 1", "Payment Typology 2", "Payment Typology 3", "Race", "Ethnicity",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPECTED)
def test_real_tables(name: str) -> None:
    table = read(real(name)).table
    found = suggest_roles(table)
    assert tuple(found) == table.names
    assert {c for c, each in found.items() if each.role is Role.IDENTIFIER} == EXPECTED[name][0]
    assert {c for c, each in found.items() if each.role is Role.NSA} == EXPECTED[name][1]
    assert Role.DROPPED not in {each.role for each in found.values()}
    assert all(each.subject in SUBJECTS and len(each.reason.split()) <= 25 for each in found.values())


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("care.home.referral", "TRUE|FALSE", Kind.BOOLEAN),
        ("care_home", "yes|no|unknown", Kind.CATEGORY),
        ("location", "frontal|parietal|temporal|occipital", Kind.CATEGORY),
        ("Site", "C50.1|C34.0|C18.2", Kind.CATEGORY),
        ("partner_sex", "m|f", Kind.CATEGORY),
        ("hospital", "0|1|2|3|7", Kind.INTEGER),
        ("hospital", "1|2|3|4|5", Kind.INTEGER),
        ("hospitals", "0.5|1.5|2.0", Kind.DECIMAL),
        ("state", "0|1", Kind.INTEGER),
        ("state", "1|2|3", Kind.INTEGER),
        ("state", "stable|critical|serious", Kind.CATEGORY),
        ("time", "1|5|90|400", Kind.INTEGER),
        ("time_in_hospital", "1|2|3|14", Kind.INTEGER),
        ("time on ward", "1|2|3|4|5", Kind.INTEGER),
        ("Stay", "0-10|11-20|21-30", Kind.CATEGORY),
        ("Stade", "I|II|III|IV", Kind.CATEGORY),
        ("hospital infection", "none|wound|lung", Kind.CATEGORY),
        ("Klinikverlauf", "A|B|C", Kind.CATEGORY),
        ("Totgeburt", "ja|nein", Kind.CATEGORY),
        ("Discharge status", "home|died|other", Kind.CATEGORY),
        ("mode de sortie", "domicile|autre", Kind.CATEGORY),
        ("num_visits", "1|2|3|4", Kind.INTEGER),
        ("employment", "full time|disabled|student", Kind.CATEGORY),
        ("work status", "employed|retired|on sick leave|disability pension", Kind.CATEGORY),
        ("occupation", "nurse|teacher|unable to work", Kind.CATEGORY),
        ("Erwerbsstatus", "berufstätig|krankgeschrieben|Rentner", Kind.CATEGORY),
        ("Erwerbsstatus", "berufstätig|Erwerbsminderungsrente|Rentner", Kind.CATEGORY),
        ("situation professionnelle", "actif|arrêt maladie|retraité", Kind.CATEGORY),
        ("situation professionnelle", "actif|invalidité|retraité", Kind.CATEGORY),
        ("emergency", "0|1", Kind.INTEGER),
        ("age at menarche", "10|12|14", Kind.INTEGER),
        ("Testtag", "1|2|3|9", Kind.INTEGER),
        ("ward operation", "A|B|C", Kind.CATEGORY),
        ("injection site", "Deltoid|Thigh|Gluteal|Abdomen|Forearm", Kind.CATEGORY),
        ("examen clinique", "normal|anormal", Kind.CATEGORY),
        ("Sexual orientation", "hetero|gay|bi", Kind.CATEGORY),
        ("Sex", "hetero|gay|bi", Kind.CATEGORY),
        ("result", "positive|negative", Kind.CATEGORY),
        ("stroke", "0|1", Kind.INTEGER),
        ("trust_colleagues_team", "1|2|3|4|5", Kind.INTEGER),
        ("bullying_school", "Never|Sometimes|Often", Kind.CATEGORY),
        ("Zufriedenheit_Station", "niedrig|mittel|hoch", Kind.CATEGORY),
        ("ambiance_service", "jamais|parfois|souvent", Kind.CATEGORY),
        ("job_stress", "Low|Medium|High", Kind.CATEGORY),
        ("Route", "PO|IV|SC", Kind.CATEGORY),
        ("Mode", "Spontaneous|Pressure|Volume", Kind.CATEGORY),
        ("Modus", "Spontan|Sectio|Forceps|Vakuum", Kind.CATEGORY),
        ("Régime", "sans sel|diabétique|normal", Kind.CATEGORY),
        ("Degree", "First|Second|Third", Kind.CATEGORY),
        ("Dosage", "500 mg|20 mg|1 g", Kind.CATEGORY),
        ("Drainage", "1|2|30|50", Kind.INTEGER),
        ("survival", "10|200|365", Kind.INTEGER),
        ("c3", "A|B|C", Kind.CATEGORY),
        ("Seite", "re|li", Kind.CATEGORY),
        ("mono", "2|5|9|11", Kind.INTEGER),
        ("wxq", "F|G", Kind.CATEGORY),
        ("Inkont.", "Harn|Stuhl|keine", Kind.CATEGORY),
        ("Med.", "ASS|Heparin|Insulin", Kind.CATEGORY),
        ("Entl.-Art", "regulär|verlegt|Heim", Kind.CATEGORY),
        ("Rentenantrag", "ja|nein", Kind.CATEGORY),
        ("病名", "肺炎|糖尿病|高血圧", Kind.CATEGORY),
        ("PT_STATUS", "01|02|03|20", Kind.CATEGORY),
        ("Patient class", "NYHA I|NYHA II|NYHA III", Kind.CATEGORY),
        ("Specimen type", "Blood|Urine|Sputum", Kind.CATEGORY),
        ("Source", "Blood|Urine|Sputum", Kind.CATEGORY),
        ("Booking BP", "110|125|140", Kind.INTEGER),
        ("Room air sat", "92|95|97|99", Kind.INTEGER),
        ("trust", "1|2|3|4|5", Kind.INTEGER),
        ("Location", "Sigmoid|Rectum|Cecum", Kind.CATEGORY),
        ("Region", "Lumbar|Cervical|Thoracic", Kind.CATEGORY),
        ("Beginn", "plötzlich|schleichend", Kind.CATEGORY),
        ("dep_wxq", "4|9|13|16", Kind.INTEGER),
        ("Leistungsfähigkeit letzte Tätigkeit", "6 Std. und mehr|3 bis unter 6|unter 3 Std.", Kind.CATEGORY),
        ("Prognose Beruf", "günstig|ungünstig|offen", Kind.CATEGORY),
        ("return_to_work", "full|partial|not yet", Kind.CATEGORY),
        ("confidence_team", "full|partial|lost", Kind.CATEGORY),
        ("SERVICES", "1|2|4|5|6|7", Kind.INTEGER),
        ("age at first sex", "8|12|15|18|35", Kind.INTEGER),
        ("number of births", "0|1|2|3|4|5", Kind.INTEGER),
        ("Alter bei Erstkonsum", "11|12|14|18|25|40", Kind.INTEGER),
        ("nmonth", "1|2|3|4|5|6|7|8|9|10|11|12", Kind.INTEGER),
        ("Заболевание", "пневмония|диабет|гипертония", Kind.CATEGORY),
    ],
)
def test_a_harmless_word_beside_or_over_findings_makes_no_column_harmless(name: str, values: str, kind: Kind) -> None:
    assert suggested(name, values, kind).role is Role.SA


@pytest.mark.parametrize(
    "name", ["Employer", "company_name", "Arbeitgeber", "Firma", "Employeur", "Entreprise", "empresa"]
)
def test_an_employers_name_is_left_out_and_its_kinds_are_not(name: str) -> None:
    assert suggested(name, "Bosch|Migros|Spital Basel|Aldi", Kind.CATEGORY).role is Role.IDENTIFIER
    assert suggested(name, "public|private|self employed", Kind.CATEGORY).role is not Role.IDENTIFIER


@pytest.mark.parametrize(
    "values", ["0|1", "1|2", "m|f", "male|female", "h|f", "w|m|d", "Unknown/Invalid|Male|Female", "XX|XY", "8507|8532"]
)
def test_sex_is_known_by_name_over_any_coding_and_by_its_values_under_any_name(values: str) -> None:
    for name in ("Sex", "Geschlecht", "sexe", *(["v7"] if values[0].isalpha() and values[0] != "X" else [])):
        kind = Kind.INTEGER if values[0].isdigit() else Kind.CATEGORY
        found = suggested(name, values, kind)
        assert (found.role, found.subject) == (Role.NSA, "sex"), name


@pytest.mark.parametrize("values", ["1|2", "0|1", "yes|no"])
@pytest.mark.parametrize(
    "name",
    [
        "Sex work",
        "sex worker",
        "unprotected sex",
        "sex in last year",
        "sex education",
        "Sex mit Männern",
        "travail du sexe",
    ],
)
def test_what_somebody_does_is_no_sex(name: str, values: str) -> None:
    assert suggested(name, values).role is Role.SA


@pytest.mark.parametrize(
    ("name", "values", "subject"),
    [
        ("ward", "3A|3B|ICU", "unit"),
        ("Station", "1|2|3|4|5", "unit"),
        ("Station", "31|32|41|42", "unit"),
        ("Service", "1|2|3|4|5", "unit"),
        ("Einsatzbereich", "Station 3|ITS|Notaufnahme", "unit"),
        ("v9", "2023T1|2023T2|2023T3", "date"),
        ("Schulbildung", "hoch|mittel|niedrig", "demographic"),
        ("requesting_dept", "Surgery|GP|ED", "unit"),
        ("State", "NY|CA|TX|WA", "place"),
        ("plz", "29221|30159|38100", "place"),
        ("Altersgruppe", "18-39|40-64|65+", "age"),
        ("Jahr der Aufnahme", "2021|2022", "date"),
        ("day of week", "Mon|Tue|Wed", "date"),
        ("Familienstand", "ledig|verheiratet", "demographic"),
        ("assurance", "CSS|mutuelle", "administrative"),
        ("Operationssaal", "A|B", "unit"),
        ("Zielklinik", "Nord|Ost", "unit"),
        ("Age in months", "3|40|65", "age"),
        ("salle de traitement", "bleue|verte", "unit"),
        ("Year of diagnosis", "2021|2022", "date"),
        ("Age at vaccination", "12|40|65", "age"),
        ("opaque", "web|phone|post", "administrative"),
        ("in network", "Y|N", "administrative"),
        ("Berufsgruppe_KldB", "Bau|Handel|Büro", "demographic"),
        ("Wahlleist.", "1-Bett|2-Bett|keine", "administrative"),
        ("Moyen transp.", "Perso|VSAV|Ambu|SMUR", "administrative"),
        ("Sit. fam.", "marié|veuf|célibataire", "demographic"),
        ("Zi-Nr", "101|102|215", "unit"),
        ("Gerätenr.", "GIF-1|GIF-2|CF-7", "administrative"),
        ("Sexe élève", "F|G", "sex"),
        ("ETA_NUM_EPMSI", "750712184|690781810", "unit"),
        ("cancelled_flag", "0|1", "administrative"),
        ("Alter_Diagn", "33|50|71", "age"),
        ("YEAR_DX", "2011|2012|2013", "date"),
        ("SEX_PAT", "1|2", "sex"),
        ("wxq_zip3", "010|018|021", "place"),
        ("N° FINESS", "440000271|490000031", "unit"),
        ("Patient type", "inpatient|outpatient", "administrative"),
        ("Region", "Wessex|Mercia|Kent", "place"),
        ("AMONTH", "1|2|3|4|5|6", "date"),
        ("Marital status at diagnosis", "married|single|divorced", "demographic"),
        ("POSTAL_FSA", "M5G|V6T|T2N", "place"),
        ("Langue à la maison", "français|arabe|turc", "demographic"),
        ("lieunaiss", "75056|69123|13055|59350", "place"),
        ("Site de collecte", "Vannes|Quimper|Rennes", "unit"),
        ("H_ENTREE_SALLE", "08:10|09:35|17:50|23:05", "date"),
    ],
)
def test_subjects_of_what_is_published(name: str, values: str, subject: str) -> None:
    found = suggested(name, values)
    assert (found.role, found.subject) == (Role.NSA, subject)


@pytest.mark.parametrize(
    "name",
    [
        "Patient ID", "PatientID", "patient_nbr", "MRN", "Medical record number", "NHS Number", "nhs_no", "SSN",
        "Social Security Number", "Name", "Patient Name", "First name", "LAST_NAME", "Surname", "Address", "Street",
        "E-mail", "Phone Number", "Patientennummer", "PatNr", "Fallnummer", "Vorname", "Nachname", "Straße",
        "Hausnummer", "Telefonnummer", "Sozialversicherungsnummer", "Krankenversichertennummer", "KVNR",
        "Anschrift", "Nom", "Prénom", "Adresse", "Numéro de sécurité sociale", "Téléphone", "Courriel",
        "Numéro de dossier", "NIR", "Nombre", "Apellidos", "Dirección", "Teléfono", "Correo electrónico", "DNI",
        "Número de historia clínica", "Nom de naissance", "Médecin traitant", "LAST",
    ],
)  # fmt: skip
def test_names_of_identifiers(name: str) -> None:
    assert suggested(name, "a|b|c|d|e|f").role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["DOB", "Date of birth", "Geburtsdatum", "Date de naissance", "opaque", "fecha_nac"])
def test_dates_of_birth_are_known_by_name_or_by_how_far_they_lie_back(name: str) -> None:
    days = [str(np.datetime64("1930-01-01") + RANDOM.randrange(29_000)) for _ in range(N)]
    assert suggested(name, days, Kind.DATE).role is Role.IDENTIFIER


@pytest.mark.parametrize(
    ("name", "label", "values", "kind", "role", "subject"),
    [
        ("v024", "region", "Coast|Lakes|Highlands|Delta", Kind.CATEGORY, Role.NSA, "place"),
        ("DMDMARTZ", "Marital status", "1|2|3", Kind.INTEGER, Role.NSA, "demographic"),
        ("WOLD", "Bundesland des Wohnortes", "Hessen|Bremen|NRW", Kind.CATEGORY, Role.NSA, "place"),
        ("q17", "Doctor told you have diabetes", "1|2|9", Kind.INTEGER, Role.SA, "health"),
        ("q18", "Do you trust the staff of the clinic?", "1|2|3", Kind.INTEGER, Role.SA, "health"),
        ("v525", "age at first sex", "8|12|15|35", Kind.INTEGER, Role.SA, "health"),
        ("v201", "total children ever born", "0|1|2|7", Kind.INTEGER, Role.SA, "health"),
        ("LOC", "Location of pain", "North|South|West", Kind.CATEGORY, Role.SA, "health"),
        ("site", "Site of the tumour", "North|South|West", Kind.CATEGORY, Role.SA, "health"),
        ("mrn", "Health record", "10001|10002|10003", Kind.INTEGER, Role.IDENTIFIER, "person"),
        ("xqz", "Name of interviewer", "a|b|c|d", Kind.CATEGORY, Role.IDENTIFIER, "person"),
    ],
)
def test_a_label_says_what_its_column_is_where_the_name_does_not_and_a_finding_always(
    name: str, label: str, values: str, kind: Kind, role: Role, subject: str
) -> None:
    each = values.split("|")
    column = texts(name, [each[at % len(each)] for at in range(N)], kind)
    found = suggest_roles(Table((column,), {LABELS: {name: label}}))[name]
    assert (found.role, found.subject) == (role, subject)


def test_a_year_of_birth_is_an_age_and_a_date_that_few_have_is_secret() -> None:
    assert suggested("Geburtsjahr", "1950|1960|1999", Kind.INTEGER).subject == "age"
    days = [str(np.datetime64("2024-01-01") + i % 300) for i in range(N)]
    some = column_of("date of discharge", [day if i % 3 else "" for i, day in enumerate(days)], kind=Kind.DATE)
    assert suggest_roles(Table((some,)))["date of discharge"].role is Role.SA
    assert suggested("date of discharge", days, Kind.DATE).role is Role.NSA
    assert suggested("date of death", days, Kind.DATE).role is Role.SA
    assert suggested("Diagnosedatum", days, Kind.DATE).role is Role.NSA


@pytest.mark.parametrize("then", ["age at diagnosis", "AGE_AT_DX", "wearer_age"])
def test_the_age_at_what_happened_is_secret_beside_another_age_alone(then: str) -> None:
    ages = {"age": 50, then: 40}
    columns = [texts(name, [str(30 + at % most) for at in range(N)], Kind.INTEGER) for name, most in ages.items()]
    found = suggest_roles(Table(tuple(columns)))
    assert [each.role for each in found.values()] == [Role.NSA, Role.SA]
    assert suggest_roles(Table((columns[1],)))[then].subject == "age"


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("wxqart", "Aba|Bec|Cid", Role.SA),
        ("wxq campus zzqzzq", "Aba|Bec|Cid", Role.NSA),
        ("wxq campus zzqzzq", "A1|B2|C3", Role.NSA),
        ("wxq vehicle zzqzzq", "Aba|Bec|Cid", Role.SA),
        ("ECG admission", "Sinus|Flutter|Paced", Role.SA),
        ("Keim Aufnahme", "E1|K2|P3", Role.SA),
        ("wxq vehicle zzqzzq", "aba|bec|cid", Role.SA),
        ("wxq vehicle zzqzzq", "nurse|bec|cid", Role.NSA),
        ("wxq position zzqzzq", "Aba|Bec|Cid", Role.SA),
        ("wxq", "nurse|email|part-time", Role.NSA),
        ("wxq", "nurse|Bec|Cid", Role.SA),
        ("wxq vehicle zzqzzq", "yes|no", Role.SA),
        ("wxq vehicle zzqzzq", "10-19|20-29|30-39", Role.SA),
        ("wxq vehicle zzqzzq", "7|8|9", Role.SA),
        ("wxq vehicle therapy", "Aba|Bec|Cid", Role.SA),
        ("wxq discharge", "nurse|Bec|Cid", Role.SA),
    ],
)
def test_two_small_signs_make_an_unknown_column_harmless_where_nothing_says_health(
    name: str, values: str, role: Role
) -> None:
    """A sign is a harmless word that means nothing else, values that are such words, or what names wards and places."""
    assert suggested(name, values).role is role


def test_a_date_that_some_have_under_an_unknown_word_is_secret_and_a_new_patient_is_told_by_yes_and_no() -> None:
    days = [f"2024-03-{1 + at % 28:02d}" if at % 4 == 0 else "" for at in range(N)]
    some = column_of("Tag der Wxqung", days, kind=Kind.DATE)
    assert suggest_roles(Table((some,)))["Tag der Wxqung"].role is Role.SA
    ages = column_of("suicide age", [str(15 + at % 45) if at % 4 == 0 else "" for at in range(N)], kind=Kind.INTEGER)
    wards = texts("wxq campus zzqzzq", ["ABC"[at % 3] + "ba" if at % 4 == 0 else "" for at in range(N)])
    assert {each.role for each in suggest_roles(Table((ages, wards))).values()} == {Role.SA}
    assert suggested("new patient", "yes|no").role is Role.NSA
    assert suggested("patient care", "Aba|Bec|Cid").role is suggested("first episode", "yes|no").role is Role.SA


def test_persons_are_known_by_their_first_names_under_a_word_for_units() -> None:
    names = [
        f"{each}, {first}" for each in ("Okafor", "Novak", "Costa") for first in ("Anna", "Peter", "Marie", "James")
    ]
    assert suggested("lead crew", names).role is Role.IDENTIFIER
    assert suggested("wxq", "Fr. Wxqart|Hr. Zzq|Fr. Wzz").role is Role.IDENTIFIER
    assert suggested("Bearb.", "APO01|APO02|PTA03").role is Role.IDENTIFIER
    assert suggested("hospital", "St James|St Mary|Royal Anna").role is Role.NSA


def test_initials_before_a_capital_are_of_persons_and_not_of_germs() -> None:
    persons = [f"{each}. {name}" for each in "ABC" for name in ("Okafor", "Wxqart", "Zzqmann")]
    germs = [f"{each}. {name}" for each in "ABC" for name in ("coli", "aureus", "albicans")]
    assert suggested("wxq", persons).role is Role.IDENTIFIER
    assert suggested("wxq", "OKAFOR P.|Le Wxqart A.|Zzqmann J.-M.").role is Role.IDENTIFIER
    assert suggested("wxq", germs).role is Role.SA


@pytest.mark.parametrize("rows", [60, N])
def test_in_a_file_without_names_row_numbers_name_records_and_ages_do_not(rows: int) -> None:
    numbers = {"Column 1": range(40, 40 + rows * 7, 7), "Column 2": RANDOM.choices(range(91), k=rows)}
    columns = [column_of(name, [str(each) for each in cells], kind=Kind.INTEGER) for name, cells in numbers.items()]
    assert [each.role for each in suggest_roles(Table(tuple(columns))).values()] == [Role.IDENTIFIER, Role.SA]


def test_the_order_of_columns_changes_no_role(tmp_path: Path) -> None:
    for name, (table, _) in tables(tmp_path).items():
        found = suggest_roles(table)
        columns = RANDOM.sample(table.columns, len(table.columns))
        again = suggest_roles(Table(tuple(columns), table.origin))
        assert {each: again[each].role for each in found} == {each: found[each].role for each in found}, name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Reason for visit", "cough|rash|fall"),
        ("Anlass des Besuchs", "Husten|Fieber|Sturz"),
        ("species", "E. coli|S. aureus|Candida"),
        ("Rezept", "Metformin|Ramipril|Ibu"),
        ("ordonnance", "amoxicilline|ramipril"),
        ("Type de cellule", "lymphocyte|neutrophile"),
        ("Druckstelle", "Ferse|Stirn|Ohr"),
        ("motor_skill", "low|medium|high"),
        ("bundle_branch", "RBBB|LBBB|none"),
        ("housing_problem", "damp|mould|cold"),
        ("Manifestation", "Haut|Gelenk|Niere"),
        ("sex_trade", "yes|no"),
        ("Wochenbett", "ruhig|schwierig|fieberhaft"),
        ("NatureTitle", "Fractures|Burns|Amputations"),
        ("hospitaldischargelocation", "Home|Rehabilitation|Death"),
    ],
)
def test_a_finding_between_harmless_columns_stays_secret(name: str, values: str) -> None:
    each = {"region": "North|South|Wales", name: values, "marital": "M|S|W"}
    columns = [texts(header, RANDOM.choices(these.split("|"), k=N)) for header, these in each.items()]
    assert suggest_roles(Table(tuple(columns)))[name].role is Role.SA


def test_codes_whose_rows_are_of_one_sex_and_age_number_persons_under_any_name() -> None:
    persons = [RANDOM.randrange(60) for _ in range(N)]
    codes = texts("wxq", [f"K{each:03d}" for each in persons])
    sex, age = (
        texts("sex", ["mf"[each % 2] for each in persons]),
        texts("age", [f"{20 + each % 50}" for each in persons]),
    )
    mixed = texts("sex", ["mf"[at % 2] for at in range(N)])
    assert suggest_roles(Table((codes, sex, age)))["wxq"].role is Role.IDENTIFIER
    assert suggest_roles(Table((codes, mixed, age)))["wxq"].role is Role.SA
    weight = texts("GG", [str(2_500 + 17 * each) for each in persons], Kind.INTEGER)  # at birth, in all rows of a child
    assert suggest_roles(Table((weight, sex, age)))["GG"].role is Role.SA
    # Of a contract the sex is enough: who has seven rows grows older meanwhile.
    contract = texts("insurance id", [str(900 + 7 * each) for each in persons], Kind.INTEGER)
    older = texts("age", [str(20 + each % 50 + at // 150) for at, each in enumerate(persons)], Kind.INTEGER)
    assert suggest_roles(Table((contract, sex, older)))["insurance id"].subject == "person"
    assert suggest_roles(Table((contract, mixed, older)))["insurance id"].subject == "administrative"


def test_years_and_one_value_for_all_are_harmless_under_any_name_but_one_answer_is_not() -> None:
    assert suggested("wxq", "1931|1950|1966|1999|2004", Kind.INTEGER).subject == "age"
    assert suggested("wxq", "2019|2020|2021", Kind.INTEGER).subject == "date"
    assert suggested("wxq", "P1").role is Role.NSA
    assert suggested("wxq", "no").role is suggested("tumour", "P1").role is Role.SA


CONTENTS: dict[str, Callable[[], str]] = {
    "e-mail": lambda: f"p{RANDOM.randrange(9999)}@clinic.example",
    "telephone": lambda: f"+49 30 {RANDOM.randrange(10**6, 10**7)}",
    "NHS number": lambda: nhs_number(RANDOM),
    "street": lambda: f"Hauptstraße {RANDOM.randrange(1, 200)}",
    "key": lambda: f"{RANDOM.randrange(1 << 32):08x}-0000-4000-8000-{RANDOM.randrange(1 << 48):012x}",
    "computer": lambda: f"192.168.{RANDOM.randrange(256)}.{RANDOM.randrange(256)}",
    "page": lambda: f"https://clinic.example/p/{RANDOM.randrange(9999)}",
    "position": lambda: f"{RANDOM.uniform(47, 54):.5f}, {RANDOM.uniform(6, 14):.5f}",
    "any near-unique text": lambda: f"Q{RANDOM.randrange(10**9)}",
}


@pytest.mark.parametrize("what", CONTENTS)
def test_contents_of_identifiers(what: str) -> None:
    values = [CONTENTS[what]() for _ in range(N)]
    assert suggested("field", values).role is Role.IDENTIFIER
    if not what.startswith("any"):  # eight rows each
        assert suggested("booking", values[: N // 8]).role is Role.IDENTIFIER


def test_numbers_with_a_check_digit() -> None:
    """Each check against a published example, and against the same number with one digit changed."""
    assert german_insurance("A123456780")
    assert not german_insurance("A123456781")
    assert is_official("1234567893")
    assert not is_official("1234567892")
    forms = ("1EG4-TE5-MK73", True), ("1SG4-TE5-MK73", False), ("AB 12 34 56 C", True), ("AB123456E", False)
    for number, right in forms:
        known = content.identifier_by_content(texts("v", [number, number.replace("3", "4"), number.replace("4", "5")]))
        assert (known == "official number") is right
    assert is_official("DE89 3704 0044 0532 0130 00")
    assert not is_official("DE88 3704 0044 0532 0130 00")


def test_ten_digits_by_chance_are_no_nhs_numbers() -> None:
    """One in eleven passes by chance; 400 of which 80 % pass is a chance below 1e-200."""
    values = [str(RANDOM.randrange(10**9, 10**10)) for _ in range(40)] * 10
    assert suggested("value", values).role is not Role.IDENTIFIER


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ("Mon|Tue|Wed|Thu|Fri", Role.NSA),
        ("janv|févr|mars|avr|mai|juin", Role.NSA),
        ("Montag|Dienstag|Mittwoch|Donnerstag|Freitag", Role.NSA),
        ("I|II|III|IV|V", Role.SA),
        ("MI|SA|DO", Role.SA),
        ("Mon|Tue|Wed|Thu|dead", Role.SA),
    ],
)
def test_names_of_weekdays_and_months_are_known_under_any_name(values: str, role: Role) -> None:
    assert suggested("wxq", values).role is role


@pytest.mark.parametrize("form", ["%Y%m%d", "%d%m%Y"])
def test_days_of_eight_digits_are_known_under_any_name_and_running_numbers_are_none(form: str) -> None:
    start = datetime.date(2023, 11, 1)
    days = [(start + datetime.timedelta(at // 5)).strftime(form) for at in range(N)]
    births = [(start - datetime.timedelta(RANDOM.randrange(9000, 30_000))).strftime(form) for _ in range(N)]
    numbers = [f"2023{at:04d}" for at in range(1, N + 1)]
    assert suggested("wxq", days).subject == "date"
    assert suggested("wxq", births).role is suggested("wxq", numbers).role is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["ID_ANO", "num_annee", "period_id", "ANO"])
@pytest.mark.parametrize("digits", [5, 6, 9])
def test_numbers_that_are_no_days_are_no_dates_under_a_word_for_years(name: str, digits: int) -> None:
    """Persons have three rows each, in a French export where ANO is an anonymous number, and "year" in Spanish."""
    keys = [str(RANDOM.randrange(10 ** (digits - 1), 6 * 10 ** (digits - 1))) for _ in range(N // 3)]
    for kind in (Kind.INTEGER, Kind.CATEGORY):
        assert not suggested(name, keys, kind).role.is_unchanged


@pytest.mark.parametrize("name", ["Authorised_by", "erfasst durch", "validé par"])
def test_whoever_did_something_is_named_and_no_kind_of_them(name: str) -> None:
    assert suggested(name, "K. Wxqart|J. Zzq|S. Wzz").role is Role.IDENTIFIER
    assert suggested(name, "nurse|physician|pharmacist").role is not Role.IDENTIFIER


def test_kinds_of_places_that_send_patients_name_nobody_and_practices_of_doctors_do() -> None:
    assert suggested("Zuweiser", "Amt|Hausarzt|Klinik|Wxqart").role is Role.NSA
    assert suggested("wxq", "Amt|Hausarzt|Klinik|Wxqart").role is Role.SA
    assert suggested("Zuweiser", "Praxis Wxqart|Praxis Zzqmann|Klinik Wzz").role is Role.IDENTIFIER


def test_two_measures_of_a_blood_pressure_are_secret_and_number_nobody() -> None:
    found = suggested("RR", [f"{100 + at % 80}/{60 + at // 8}" for at in range(N)])
    assert (found.role, found.subject) == (Role.SA, "health")


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("wxq_payer", "Aba|Bec|Cid", Role.NSA),
        ("tarif wxq", "A12|A13|B20", Role.NSA),
        ("wxq_payer", "yes|no", Role.SA),
        ("wxq_source", "Aba|Bec|Cid", Role.SA),
        ("wxq_payer", "much|little|gone", Role.SA),
        ("Anzahl Stationen", "1|2|3|4", Role.SA),
    ],
)
def test_what_is_administrative_beside_any_word_decides_alone_and_other_such_heads_do_not(
    name: str, values: str, role: Role
) -> None:
    kind = Kind.INTEGER if values.startswith("1|") else Kind.CATEGORY
    assert suggested(name, values, kind).role is role


def test_ages_in_months_are_ages() -> None:
    assert suggested("Age_m", [str(54 + at % 90) for at in range(N)], Kind.INTEGER).subject == "age"


# Words of medicine that a beginning or an end of two parts may take for one of administration.
MEDICAL = """
fundus fundoskopie fundoplikation ziprasidone sociopathy begleitpankreatitis diplopia contracture contraception
plantar administration invitro PHQ-Fragebogen descensus gi_tract genotype_call imaging_request spontanabort
hydrocort cortisone organism regimen transplant depot REN_TYP PEN_CD LIV_ART CONC_CD RETI_CD Conc.Typ CAR-T DEP_TYP
surgery_time
"""


@pytest.mark.parametrize("name", MEDICAL.split())
def test_no_word_of_medicine_begins_or_ends_as_a_harmless_one(name: str) -> None:
    assert suggested(name, "Aba|Bec|Cid").role is Role.SA


def test_wards_are_numbered_and_amounts_leave_no_gap() -> None:
    """Every number of full decilitres is met between the least and the most drawn off, not every ward's."""
    amounts = [str(100 * RANDOM.randrange(8, 36)) for _ in range(N)]
    assert suggested("UF", amounts, Kind.INTEGER).role is Role.SA
    wards = [100, 300, 1000, 1500, 1600, 2100, 2400, 2800, 3400, 3600]
    assert suggested("UF", [str(each) for each in wards], Kind.INTEGER).role is Role.NSA


def test_running_numbers_of_a_year_are_no_pairs_of_measures() -> None:
    assert suggested("wxq", [f"{at}/{23 + at // 300}" for at in range(N)]).role is Role.IDENTIFIER


def settled(name: str, values: list[str], visits: int = 1) -> Suggestion:
    """Return what is suggested, in any order of columns, for what each ward has one value of."""
    persons = [(at % len(values), RANDOM.randrange(20, 90)) for at in range(N // visits)]
    each = [(ward, age + visit // 2) for ward, age in persons for visit in range(visits)]
    columns = [
        texts("ward", [f"W{ward}" for ward, _ in each]),
        texts("sex", ["mf"[age % 2] for _, age in each]),
        texts("age", [str(age) for _, age in each], Kind.INTEGER),
        texts(name, [values[ward] for ward, _ in each]),
    ]
    found = [suggest_roles(Table(tuple(RANDOM.sample(columns, 4))))[name] for _ in range(4)]
    assert len({each.role for each in found}) == 1
    return found[0]


def test_what_a_published_ward_settles_is_harmless_and_what_one_person_has_is_not() -> None:
    divisions = ["Abc", "Abc", "Def", "Def", "Ghi", "Ghi", "Jkl", "Jkl"]
    assert settled("wxq", divisions).role is Role.NSA
    assert settled("wxq stroke", divisions).role is settled("wxq", ["yes", "no"] * 4).role is Role.SA
    heads = [f"Wxq{end}" for end in ("art", "mann", "ner", "sen", "ski", "ova", "idis", "ic")]
    assert settled("wxq", heads).role is Role.SA  # who leads it
    assert settled("wxq", divisions * 10, visits=5).role is Role.SA  # one person in each
    mixed = RANDOM.choices(["Abc", "Def", "Ghi"], k=N)
    wards = texts("ward", [f"W{at % 8}" for at in range(N)])
    ages = texts("age", [str(20 + at % 60) for at in range(N)], Kind.INTEGER)
    assert suggest_roles(Table((wards, texts("wxq", mixed), ages)))["wxq"].role is Role.SA


def test_another_coding_of_what_is_published_is_harmless_and_of_the_sex_by_its_name_alone() -> None:
    """A disease of one sex each is told by the sex, too, and stays secret; an age band is told by the age."""
    sexes, trades = [RANDOM.choice("mf") for _ in range(N)], [RANDOM.choice("abcdef") * 3 for _ in range(N)]
    ages = [str(RANDOM.randrange(20, 60)) for _ in range(N)]
    columns = [
        texts("sex", sexes),
        texts("sex_wxq", [{"m": "507", "f": "532"}[each] for each in sexes]),
        texts("entity", [{"m": "Pca", "f": "Mca"}[each] for each in sexes]),
        texts("job", trades),
        texts("wxq", [{"a": "Abc", "b": "Bcd", "c": "Cde", "d": "Def", "e": "Efg", "f": "Fgh"}[t[0]] for t in trades]),
        texts("exposure", ["Dust" if each[0] in "abc" else "Noise" for each in trades]),
        texts("age", ages, Kind.INTEGER),
        texts("kl", ["young" if int(each) < 35 else "old" for each in ages]),
    ]
    roles = suggest_roles(Table(tuple(columns)))
    assert {name for name, each in roles.items() if each.role is Role.SA} == {"entity", "exposure"}


def test_departments_are_known_by_how_their_names_end_under_any_name() -> None:
    assert suggested("wxq", "Cardiologie|Neurologie|Gynécologie|HNO").subject == "unit"
    findings = {"wxq": "Histologie|Zytologie", "Indikation": "Kardiologie|Neurologie", "discharge": "Urology|Home"}
    for name, values in findings.items():
        assert suggested(name, values).role is Role.SA


@pytest.mark.parametrize("name", ["Kreisname", "hospname", "Stadtname"])
def test_a_compound_with_a_place_or_ward_names_no_person(name: str) -> None:
    assert suggested(name, "Jena|Gera|Weimar|Apolda").role is Role.NSA


def test_what_is_shared_by_initials_names_who_leads_a_ward() -> None:
    assert settled("wxq", ["JW", "KS", "AB", "LM", "PK", "SD", "TB", "HG"]).role is Role.SA
    assert settled("wxq", ["MEYER C", "WOLF S", "ROTH A", "MEYER C"] * 2).role is Role.SA


@pytest.mark.parametrize(
    ("name", "every"), [("icu_ward", 8), ("hospice", 8), ("ward", 2), ("home town", 2), ("delir_station", 8)]
)
def test_a_ward_that_some_have_not_seen_is_secret(name: str, every: int) -> None:
    """One of what not everybody comes to, or that most lack; of an own ward a few gaps tell nothing."""
    wards = ["Hyper", "Hypo", "Mixed"] * (N // 3)
    assert suggested(name, [each if at % every else "" for at, each in enumerate(wards)]).role is Role.SA
    assert suggested("ward", [each if at % 8 else "" for at, each in enumerate(wards)]).role is Role.NSA


def test_a_date_that_most_lack_tells_what_happened_under_any_name() -> None:
    days = [f"{2020 + at % 3}-{1 + at % 12:02d}-{1 + at % 28:02d}" for at in range(N)]
    roles = [
        suggested("Event date", [day if at % every == 0 else "" for at, day in enumerate(days)], Kind.DATE).role
        for every in (1, 3)
    ]
    assert roles == [Role.NSA, Role.SA]


def test_a_staff_that_stands_in_several_columns_is_named_in_each_of_them() -> None:
    """Whoever operates helps another day, so that the same names are no scale of answers, and no trade."""
    staff = ["Becker", "Fischer", "Meyer", "Müller", "Schmidt", "Schneider", "Schulz", "Wagner", "Weber"]
    names = ["Oberarzt", "Fahrer", "Assistenz", "Éducateur", "Instrumentierende"]
    columns = [texts(name, [RANDOM.choice(staff) for _ in range(N)]) for name in names]
    towns = texts(
        "town", [RANDOM.choice(["Ulm", "Trier", "Kassel", "Gera", "Jena", "Bonn", "Fulda", "Hof"]) for _ in staff * 9]
    )
    found = suggest_roles(Table(tuple(columns)))
    assert [found[name].role for name in names] == [Role.IDENTIFIER] * 5
    assert suggest_roles(Table((towns,)))["town"].role is Role.NSA


def test_numbers_of_records_persons_and_other_records() -> None:
    ids = [f"c{i:04d}" for i in range(N)]
    found = suggest_roles(
        Table(
            (
                texts("Column 1", [str(i) for i in range(N)], Kind.INTEGER),
                texts("Patient", [f"{4_711_000 + i % (N // 4):08d}" for i in range(N)]),
                texts("case_id", ids),
                texts("infector", [ids[RANDOM.randrange(60)] for _ in range(N)]),
                texts("remarks on stay", [f"Mr Smith of {i} High Street came in" for i in range(N)], Kind.TEXT),
                texts("case", [("case", "control")[i % 2] for i in range(N)]),
                texts("bilirubin", [f"{i / 100:.2f}" for i in range(N)], Kind.DECIMAL),
            )
        )
    )
    assert [name for name, each in found.items() if each.role is Role.IDENTIFIER] == list(found)[:5]
    assert found["case"].role is found["bilirubin"].role is Role.SA
    assert "“case_id”" in found["infector"].reason


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("participant", [f"PT-{at % 40:03d}" for at in range(N)], Role.IDENTIFIER),
        ("Patient", [str(at % 40) for at in range(N)], Role.IDENTIFIER),
        ("patient", ["inpatient", "outpatient"] * (N // 2), Role.NSA),
        ("Kennung X", [f"{'ABKX'[at % 4]}{10_000_000 + at // 2}" for at in range(N)], Role.IDENTIFIER),
        ("visit", [str(1 + at % 28) for at in range(N)], Role.SA),
        ("voie d'accouchement", ["voie basse", "césarienne", "forceps", "ventouse"] * (N // 4), Role.SA),
        ("rue", [f"rue des Lilas {at % 7}" for at in range(N)], Role.IDENTIFIER),
        ("vía de transmisión", ["HSH", "UDI", "vertical", "heterosexual"] * (N // 4), Role.SA),
        ("surgeon", ["consultant", "registrar"] * (N // 2), Role.NSA),
        ("operator", ["Klein", "Voss"] * (N // 2), Role.IDENTIFIER),
        ("day", [str(1 + at % 28) for at in range(N)], Role.NSA),
    ],
)
def test_words_for_persons_and_addresses_are_borne_out_by_the_values(name: str, values: list[str], role: Role) -> None:
    kind = Kind.INTEGER if all(map(str.isdecimal, values)) else Kind.CATEGORY
    assert suggest_roles(Table((texts(name, values, kind),)))[name].role is role


@pytest.mark.parametrize(
    ("name", "values", "absent"),
    [
        ("diabetes", "no|no|yes", ("no",)),
        ("diabetes", "no|yes|yes", ()),
        ("stroke", "0|0|1", ("0",)),
        ("Sturz", "nein|nein|ja", ("nein",)),
        ("allergie", "aucune|aucune|pollen", ("aucune",)),
        ("allergies", "no known allergies|no known allergies|pollen", ("no known allergies",)),
        ("vital status", "alive|alive|dead", ("alive",)),
        ("alive", "no|no|yes", ()),
        ("alive", "yes|yes|no", ("yes",)),
        ("blood", "A|A|B", ()),
        ("pregnant", "yes|no|no|n/a|n/a|n/a", ("no", "n/a")),
        ("schwanger", "ja|ja|Trifft nicht zu", ("Trifft nicht zu",)),
        ("ménopause", "sans objet|sans objet|oui", ("sans objet",)),
        ("eigen risico", "ja|8 - n.v.t.", ("8 - n.v.t.",)),
    ],
)
def test_absence_is_the_commonest_value_that_says_so_and_what_nobody_could_ask(
    name: str, values: str, absent: tuple[str, ...]
) -> None:
    kind = Kind.INTEGER if values[0].isdigit() else Kind.CATEGORY
    assert absence_values(texts(name, values.split("|") * 9, kind)) == absent
    gaps = column_of(name, [*values.split("|") * 9, ""], kind=kind)
    assert absence_values(gaps) == (*absent, "")


def test_lists_of_the_users_own_folder_add_to_those_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path))
    (tmp_path / "roles").mkdir()
    own = tmp_path / "roles" / "cs.toml"
    try:
        wrong = {
            "place = [": "cs.toml”",
            '[nmaes]\nplace = "okres"\n': "did you mean “cs.toml: names”",
            '[names]\nplcae = "okres"\n': "did you mean “cs.toml: names.place”",
            '[forms]\n"x" = "y"\n': "There is no “cs.toml: forms”|“cs.toml: forms” is none of",
        }
        for text, told in {'[names]\nplace = "okres"\n[ranges]\nshift = "1 3 smena"\n': "", **wrong}.items():
            own.write_text(text, encoding="utf-8")
            lexicon.cache_clear()
            read_name.cache_clear()
            if not told:
                assert suggested("okres", "Kolín|Tábor").subject == "place"
            else:
                with pytest.raises(BadSetting, match=told):
                    lexicon()
    finally:
        lexicon.cache_clear()
        read_name.cache_clear()


def test_numbers_of_patients_stays_and_births_are_no_wards_visits_or_ages() -> None:
    """Whatever harmless word stands in the name, codes of one form of which a fifth of the records has its own."""
    patients, stays = [str(70_000 + at * 7 % 300) for at in range(N)], [str(500_100 + at * 3 % 250) for at in range(N)]
    for name, values in {
        "hospitalno": patients,
        "AufnNr": stays,
        "Geburtennr": [f"{at}/22" for at in range(N)],
        # Whoever has three rows each, by numbers that grow in length or begin with a year.
        "Registration no": [str(at // 3) for at in range(N)],
        "Vertragsnummer": [f"{2020 + at % 4}/{at // 3}" for at in range(N)],
        "plan_no": [f"P{at // 3}" for at in range(N)],
        "data_entry_user": ["jsmith", "akhan"] * (N // 2),
    }.items():
        kind = Kind.INTEGER if values[0].isdecimal() else Kind.CATEGORY
        assert suggested(name, values, kind).role is Role.IDENTIFIER, name
    assert suggested("hospital_no", "10234|10567|11001", Kind.INTEGER).subject == "unit"
    crew = [f"P{10_001 + at % 40}" for at in range(N)]
    assert suggested("crew1_cert", crew).role is Role.IDENTIFIER
    assert suggested("Arzt_Visite", "Kr|Bo|Sm").role is Role.IDENTIFIER
    assert suggested("insurance_provider", "Aetna|Cigna|Humana").subject == "administrative"


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ("mw. de Vries|dhr. Bakker|mw. Jansen", Role.IDENTIFIER),
        ("Dra. Gil|Dr. Soto|Enf. Vega", Role.IDENTIFIER),
        ("Sr. Anja|Pfl. Jens|Sr. Petra|Pfl. Uwe", Role.IDENTIFIER),
        ("MR Head|CT Head|CT Spine", Role.SA),
        ("A White British|G Mixed|J Indian|M Caribbean", Role.SA),
        ("Pr long|Qt long", Role.SA),
    ],
)
def test_one_known_title_tells_the_others_under_an_unknown_name(values: str, role: Role) -> None:
    assert suggested("Verzorgende", values).role is role


@pytest.mark.parametrize(
    ("donor", "own"), [("Spender{}", "{}"), ("donor_{}", "{}"), ("donneur_{}", "{}"), ("{} D", "{} R")]
)
def test_a_donors_age_and_sex_are_secret_beside_the_recipients(donor: str, own: str) -> None:
    ages, sexes = [str(18 + at * 7 % 60) for at in range(N)], ["mf"[at % 2] for at in range(N)]
    ours = texts(own.format("alter"), ages[::-1], Kind.INTEGER), texts(own.format("sex"), sexes[::-1])
    theirs = texts(donor.format("alter"), ages, Kind.INTEGER), texts(donor.format("sex"), sexes)
    roles = suggest_roles(Table((*ours, *theirs)))
    assert [roles[c.name].role for c in (*ours, *theirs)] == [Role.NSA, Role.NSA, Role.SA, Role.SA]
    assert [each.role for each in suggest_roles(Table(theirs)).values()] == [Role.NSA, Role.NSA]


def test_a_shortened_word_is_read_as_what_it_begins_and_not_by_a_stem_within() -> None:
    assert suggested("Staatsangeh.", "DE|TR|PL|IN").subject == "demographic"
    assert suggested("Monatskennung", [f"2022{1 + at % 12:02d}" for at in range(N)], Kind.INTEGER).subject == "date"


@pytest.mark.parametrize("name", ["ANS_1", "MES_TYP", "DEP_NIV", "GEN_TYP", "KAL_KAT", "route_code", "plan_code"])
def test_few_numbers_under_a_word_of_two_meanings_are_secret(name: str) -> None:
    assert suggested(name, [str(at % 4 + 1) for at in range(N)], Kind.INTEGER).role is Role.SA
    assert suggested("Na Aufnahme", [str(at % 12 + 133) for at in range(N)], Kind.INTEGER).role is Role.SA
    assert suggested("katheter_aufn", "0|1", Kind.INTEGER).role is Role.SA


def test_a_long_word_is_not_taken_apart() -> None:
    assert read_name("x" * 10_000).unknown


def test_a_role_carries_its_properties() -> None:
    assert [role for role in Role if role.sensitive] == [Role.SA]
    assert all(role.is_published for role in Role if role.sensitive or role.is_known)
    assert not any(role.is_published for role in (Role.IDENTIFIER, Role.DROPPED))
    assert Role("nsa").is_unchanged
    assert Role("nsa").is_known


@pytest.mark.parametrize("name", ["شكوى", "病名", "", "_", "12", "🙂", "…", "Ö", "a" * 400, "-_-", "№"])
def test_under_a_name_without_a_word_nothing_is_published_as_it_is(name: str) -> None:
    texts = (["K1", "K2"] * 60, [str(each) for each in range(120)], ["yes", "no"] * 60, ["12.5", "9"] * 60)
    for cells in texts:
        for kind in (Kind.CATEGORY, Kind.INTEGER, Kind.DECIMAL, Kind.TEXT):
            if kind in (Kind.CATEGORY, Kind.TEXT) or cells[0][0].isdigit():
                found = suggest_roles(Table((column_of(name, cells, kind=kind),)))[name]
                assert not found.role.is_unchanged
                assert found.reason


WHOLE = "|".join(map(str, range(1, 13)))


@pytest.mark.parametrize(
    ("name", "values", "kind", "role"),
    [
        # Words for a sex name a column of 0 and 1, but not a title, and not what somebody has.
        ("Mädchen", "0|1", Kind.INTEGER, Role.NSA),
        ("female_cancer", "0|1", Kind.INTEGER, Role.SA),
        # Months and quarters of a year, written out, under any name; days after something are none.
        ("wxq", "Apr 2021|May 2021|Jun 2022", Kind.CATEGORY, Role.NSA),
        ("wxq", "Q1 2021|Q2 2021|Q1 2022", Kind.CATEGORY, Role.NSA),
        ("wxq", "+|-", Kind.CATEGORY, Role.SA),
        ("dx_mth", WHOLE, Kind.INTEGER, Role.NSA),
        ("Geburtsmonat", WHOLE, Kind.INTEGER, Role.NSA),
        ("Aufnahmestunde", "|".join(map(str, range(24))), Kind.INTEGER, Role.NSA),
        ("dx_mth", "1|2|3|4", Kind.INTEGER, Role.SA),
        ("Altersgruppe", "unter 30|30-44|45-59|60 Jahre und älter", Kind.CATEGORY, Role.NSA),
        # A number of births is no age; numbers of persons begin high, counts of them low.
        ("Geburten-Nr", [f"{at + 1}/2022" for at in range(N)], Kind.CATEGORY, Role.IDENTIFIER),
        ("Resident No.", [str(1001 + at % 80) for at in range(N)], Kind.INTEGER, Role.IDENTIFIER),
        ("No. of residents", [str(1 + at % 80) for at in range(N)], Kind.INTEGER, Role.SA),
        ("TUMORID", [str(900_001 + at) for at in range(N)], Kind.INTEGER, Role.IDENTIFIER),
        # One session or visit is administration, how many somebody had is a finding.
        ("Sessions", "|".join(map(str, range(1, 10))), Kind.INTEGER, Role.SA),
        ("Séances", "|".join(map(str, range(1, 31))), Kind.INTEGER, Role.SA),
        ("Attendances", WHOLE, Kind.INTEGER, Role.SA),
        # Places and programs are so only if their values are: the same words name parts of the body and treatments.
        ("Origin", "Cardiac|Renal|Hepatic", Kind.CATEGORY, Role.SA),
        ("Program", "Chemo A|Chemo B|Radiation", Kind.CATEGORY, Role.SA),
        ("Quelle", "Urin|Sputum|Wunde", Kind.CATEGORY, Role.SA),
        ("Région", "Lombaire|Cervicale|Dorsale", Kind.CATEGORY, Role.SA),
        ("Âge des premières règles", "|".join(map(str, range(9, 18))), Kind.INTEGER, Role.SA),
        ("commune_intervention", "Blain|Guérande|Nantes|Rezé", Kind.CATEGORY, Role.NSA),
        ("setting", "Praxis|Video|aufsuchend|telefonisch", Kind.CATEGORY, Role.NSA),
        # A dwelling may be an address, and a place of work a firm.
        ("Wohnung", [f"Lindenweg {at}" for at in range(N)], Kind.CATEGORY, Role.IDENTIFIER),
        ("Domicile", [f"{at} rue Pasteur" for at in range(N)], Kind.CATEGORY, Role.IDENTIFIER),
        ("Betrieb", "Meyer Bau GmbH|Stadtwerke|Spedition Kern|Kita Sonne", Kind.CATEGORY, Role.IDENTIFIER),
        ("Workplace", "Tesco|BT plc|Ford", Kind.CATEGORY, Role.IDENTIFIER),
        # Places and kinds of units that are told as such are no findings.
        ("lieu_type", "EHPAD|domicile|hôpital|voie publique", Kind.CATEGORY, Role.NSA),
        ("Impfort", "Betrieb|Impfzentrum|Pflegeheim|Praxis", Kind.CATEGORY, Role.NSA),
        ("injection site", "left arm|right arm|thigh", Kind.CATEGORY, Role.SA),
        # How somebody was admitted is a finding where no value is a known way.
        ("Aufnahmeart", "freiwillig|PsychKG|Betreuung", Kind.CATEGORY, Role.SA),
        ("Aufnahmeart", "Notfall|geplant|Verlegung", Kind.CATEGORY, Role.NSA),
        # Capitals and "_" shorten words as a dot does, if they can be but one.
        ("SIT_FAM", "couple|seule|mariée", Kind.CATEGORY, Role.NSA),
        ("ALD_TOP", "0|1", Kind.INTEGER, Role.SA),
        # One word that ends with a long one for a way is such a way; a phrase that does so is none.
        ("Fallart", "vollstationär|teilstationär|vorstationär", Kind.CATEGORY, Role.NSA),
        ("Fallart", "hypertensive emergency|airway emergency", Kind.CATEGORY, Role.SA),
        ("housing", "owner|tenant|homeless", Kind.CATEGORY, Role.SA),
        ("drug code", "0002-8215-01|0003-0894-21|0006-0277-31|0008-0841-81", Kind.CATEGORY, Role.SA),
    ],
)
def test_what_values_say_is_heard_beside_the_name(name: str, values: str | list[str], kind: Kind, role: Role) -> None:
    assert suggested(name, values, kind).role is role


def test_numbers_of_goods_name_nobody_by_their_check_digit() -> None:
    goods = [f"34009{at * 7919 % 10**7:07d}" for at in range(60)]
    checked = [f"{each}{-sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(each)) % 10}" for each in goods]
    wrong = [f"{each[:-1]}{(int(each[-1]) + 1) % 10}" for each in checked]
    assert suggested("code CIP13", checked).role is Role.SA
    assert suggested("code CIP13", wrong).role is Role.IDENTIFIER


def test_where_all_have_died_at_what_age_and_where_is_no_secret_but_when_and_of_what() -> None:
    days = [str(np.datetime64("2024-01-01") + i % 300) for i in range(N)]
    died = texts("date of death", days, Kind.DATE)
    lived = column_of("date of death", [day if i % 3 else "" for i, day in enumerate(days)], kind=Kind.DATE)
    others = (
        texts("age at death", [str(20 + at % 80) for at in range(N)], Kind.INTEGER),
        texts("commune_deces", [["Brest", "Rennes", "Quimper", "Vannes"][at % 4] for at in range(N)]),
        texts("cause of death", [["I21", "C34", "J44"][at % 3] for at in range(N)]),
    )
    roles = [[each.role for each in suggest_roles(Table((day, *others))).values()] for day in (died, lived)]
    assert roles[0] == [Role.SA, Role.NSA, Role.NSA, Role.SA]
    assert set(roles[1]) == {Role.SA}


def test_of_a_text_without_an_end_the_first_letters_are_read() -> None:
    """A cell of three million letters took minutes."""
    reading = read_name("diagnosis " + "x" * 3_000_000 + " age")
    assert reading.words[0] == "diagnosis"
    assert "age" not in reading.words
