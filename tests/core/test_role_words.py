"""Laws on the words of the lists themselves, in whatever order or company they stand, not on names met so far."""

from __future__ import annotations

import tomllib
from itertools import chain
from typing import Any

import pytest

from splu_desktop.core.resources import resource_path
from splu_desktop.core.roles.names import person_by_name
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.core.roles.vocabulary import said_by
from splu_desktop.core.table import Column, Kind, Table

N = 300


def _file(name: str) -> dict[str, Any]:
    return tomllib.loads(resource_path(f"roles/{name}").read_text(encoding="utf-8"))


def _signs(entry: dict[str, Any]) -> list[str]:
    return list(chain.from_iterable(text.split() for key, text in entry.items() if key == "common" or len(key) == 2))


def role(name: str, *values: str, kind: Kind = Kind.CATEGORY) -> Role:
    """Return what is suggested for a column of these values, beside one that says nothing of health."""
    column = Column.from_labels(name, [values[at % len(values)] for at in range(N)], kind=kind)
    return suggest_roles(Table((Column.from_labels("Sex", [*"FM"] * (N // 2)), column)))[name].role


def test_two_words_say_a_special_matter_in_either_order() -> None:
    """“AU-Tage” was sick leave and “Tage AU” a time; so were 27 of 588 names of two words."""
    signs = [sign.rstrip("*").split("_") for entry in _file("matters.toml")["matter"] for sign in _signs(entry)]
    pairs = [pair for pair in signs if len(pair) == 2 and all(len(word) > 1 and "*" not in word for word in pair)]
    assert len(pairs) > 400
    assert not [pair for pair in pairs if role(f"{pair[1]}_{pair[0]}", "a", "b", "c") is Role.NSA]


@pytest.mark.parametrize(
    "values",
    [("stable", "critical", "serious"), ("estable", "grave", "crítico"), ("stabil", "kritisch"), ("stabile", "critico"),
     ("vaginal", "forceps", "caesarean"), ("spontan", "Sectio"), ("eutócico", "cesárea", "fórceps")],
)  # fmt: skip
def test_a_closed_list_of_conditions_or_births_is_special_under_every_harmless_name(values: tuple[str, ...]) -> None:
    """“Estado” is a state, and that of a patient; “section” and “delivery” were a pharmacy's in a maternity ward."""
    names = [
        sign
        for entry in _file("others.toml")["matter"]
        for sign in _signs(entry)
        if "*" not in sign and any(not each.weight for each in said_by(sign)[0])
    ]
    assert len(names) > 800
    assert not [name for name in names[::7] if role(name, *values) is Role.NSA]


def _counting() -> list[str]:
    return [sign.replace("*_", "last_").replace("_*", "_last") for sign in _signs(_file("others.toml")["doubtful"])]


def test_what_counts_or_rates_is_not_published_for_its_harmless_name() -> None:
    """Visits of the last year, units a week, an item “family” of a scale, the age at which something began."""
    names = [name.replace("*", "") for name in _counting()]
    assert len(names) > 150
    numbers = [name for name in names if role(name, *map(str, range(9)), kind=Kind.INTEGER) is Role.NSA]
    answers = [name for name in names if role(name, "yes", "no", kind=Kind.BOOLEAN) is Role.NSA]
    assert not numbers
    assert not answers


@pytest.mark.parametrize("name", ["Language", "Sprache", "Job", "Profession", "Transport", "Contact", "Relationship"])
def test_over_names_the_same_words_are_what_they_say(name: str) -> None:
    assert role(name, "Turkish", "Farsi", "Dari") is Role.NSA


@pytest.mark.parametrize(
    ("name", "words", "published"),
    [
        ("Periode", ("regelmäßig", "unregelmäßig"), False),
        ("season", ("dry", "wet"), False),
        ("Quartal", ("1. Quartal", "2. Quartal"), True),
        ("time_of_day", ("early", "late"), True),
        ("holiday", ("yes", "no"), True),
    ],
)
def test_a_time_that_holds_words_holds_words_of_times(name: str, words: tuple[str, ...], published: bool) -> None:
    assert (role(name, *words) is Role.NSA) is published


@pytest.mark.parametrize("aside", ["idade", "age", "Alter", "edad", "année", "place", "Datum"])
def test_what_is_aside_a_diagnosis_is_not_drawn_in_its_place(aside: str) -> None:
    """The age at a diagnosis was re-drawn and the diagnosis left out, where it has fewer values."""
    site = Column.from_labels("topography", [f"C{at % 4 + 15}" for at in range(N)])
    other = Column.from_labels(f"{aside} diagnosis", [str(at % 60) for at in range(N)], kind=Kind.INTEGER)
    assert suggest_roles(Table((other, site)))["topography"].role is Role.SA


PATIENTS = ("pat", "pt", "pac", "paz", "pct", "patient", "paciente", "paziente", "utente", "doente", "bewohner")
NAMES = ("name", "nom", "nombre", "nome", "naam", "surname", "apellido", "cognome", "achternaam", "nachname", "prenom")


def test_names_of_patients_are_names_by_every_word_for_patients() -> None:
    """“NOME_PAZ” and “Nombre pac.” were left out as unknown."""
    pairs = [pair for a in NAMES for b in PATIENTS for pair in (f"{a}_{b}", f"{b} {a}.")]
    assert not [name for name in pairs if person_by_name(name) != "name of a person"]


def test_no_word_of_the_lists_of_values_is_harmless_elsewhere() -> None:
    """What stands in two closed lists is told by the first: none may hold a word of a special one."""
    lists = [(entry.get("card", "special"), set(entry.get("all", "").split()))
             for name in ("matters.toml", "others.toml") for entry in _file(name)["matter"]]  # fmt: skip
    told = set().union(*(words for card, words in lists if card == "special"))
    plain = set().union(*(words for card, words in lists if card != "special"))
    assert told
    assert not told & plain


def _pair(name: str, values: list[str], other: str, others: list[str]) -> dict[str, Role]:
    table = Table((Column.from_labels(name, values), Column.from_labels(other, others)))
    return {column: said.role for column, said in suggest_roles(table).items()}


def test_what_says_the_same_as_another_column_is_of_its_matter() -> None:
    """Codes of wards are published beside their names; a harmless name is left out beside the illness it gives."""
    wards, illnesses = [f"Ward {at % 12}" for at in range(N)], ["Asthma", "Pneumonia", "Fracture"] * (N // 3)
    assert _pair("xqz", [f"K{at % 12}" for at in range(N)], "Ward", wards)["xqz"] is Role.NSA
    assert _pair("xqz", [f"K{at % 11}" for at in range(N)], "Ward", wards)["xqz"] is Role.DROPPED
    assert _pair("Floor", ["I", "II", "III"] * (N // 3), "Diagnosis", illnesses)["Floor"] is Role.DROPPED
    shifted = ["I", "II", "III"] * (N // 3 - 1) + ["II", "III", "I"]
    assert _pair("Floor", shifted, "Diagnosis", illnesses)["Floor"] is Role.NSA
    few = [f"Ward {at % 4}" for at in range(N)]  # of an illness each, perhaps
    assert _pair("xqz", [f"K{at % 4}" for at in range(N)], "Ward", few)["xqz"] is Role.DROPPED


def test_a_number_beside_the_number_of_a_person_is_one_too() -> None:
    """Of persons with several records each, by a number of few digits and values, neither is a sex of theirs."""
    numbers, persons = [str(at // 5) for at in range(N)], [f"{'FM'[at // 5 % 2]}{at // 5:02}" for at in range(N)]
    assert _pair("ID", numbers, "Patient ID", persons) == {"ID": Role.IDENTIFIER, "Patient ID": Role.IDENTIFIER}
    assert role("Subject", *persons) is not Role.NSA


def test_a_class_of_illness_is_no_class_of_rooms() -> None:
    """“class” is a word of wards and insurers; over benign and malignant it was published."""
    assert role("class", "benign", "malignant") is not Role.NSA
    assert role("class", "first", "second") is Role.NSA


@pytest.mark.parametrize("name", ["time", "Zeit", "temps", "tiempo", "tempo", "tijd"])
def test_a_time_in_whole_numbers_may_be_one_of_survival(name: str) -> None:
    assert role(name, *map(str, range(3, 60)), kind=Kind.INTEGER) is not Role.NSA


def test_a_time_of_the_day_is_known_as_before() -> None:
    assert role("time", "08:15", "09:30", "11:45") is Role.NSA


def test_numbers_that_many_records_have_for_themselves_are_published_for_ages_alone() -> None:
    own = [*map(str, range(0, 2 * N, 2))]
    for name in ("Month", "School", "Days", "Children"):
        assert role(name, *own, kind=Kind.INTEGER) is not Role.NSA
    assert role("Age", *map(str, range(100)), kind=Kind.INTEGER) is Role.NSA


def test_states_of_a_federation_may_end_in_others() -> None:
    assert role("state", "NSW", "QLD", "VIC", "Other") is Role.NSA


_WAYS_TO_LEAVE = ("alta", "Entlassung", "type_sortie", "ontslag", "discharge_code", "dimissione", "saida")


@pytest.mark.parametrize("name", _WAYS_TO_LEAVE)
def test_how_a_stay_ended_is_not_when_it_did(name: str) -> None:
    """“alta” over “mejoría”, “abandono” and “traslado” was published."""
    assert role(name, "ruhig", "xqarvel", "fuga") is not Role.NSA
    assert role(name, "2024-03-01", "2024-03-02", "2024-04-02", kind=Kind.DATE) is Role.NSA


@pytest.mark.parametrize("word", ["suicide", "schwanger", "ventilado", "abnormal", "isolement", "gebessert"])
def test_one_word_that_no_ward_bears_is_enough_under_a_harmless_name(word: str) -> None:
    for name in ("arrival", "family", "room", "reminder"):
        assert role(name, "regular", "other", word) is not Role.NSA


def test_a_class_in_roman_numerals_is_one_of_illness() -> None:
    assert role("class", "I", "II", "III", "IV") is not Role.NSA


def test_a_sign_takes_more_than_a_letter_of_a_second_word() -> None:
    """“Stadt” was read in stad_tum, the stage of a tumour, and published as a place."""
    assert role("stad_tum", "A", "B", "C") is not Role.NSA


@pytest.mark.parametrize(
    "values",
    [
        ("Rechnung", "Karte", "Bar", "TWINT"), ("CB", "chèque", "espèces"), ("presencial", "telefónica", "vídeo"),
        ("f2f", "tel", "beeld"), ("SMS", "carta"), ("Norte", "Sur", "Este"), ("VGZ", "CZ", "Zilveren Kruis"),
        ("Frau", "Herr"), ("M.", "Mme", "Mlle"), ("HMO", "PPO"),
    ],
)  # fmt: skip
def test_a_closed_list_of_harmless_values_is_known_under_any_name(values: tuple[str, ...]) -> None:
    """Values are written out where names are abbreviated; one more that is not known says something else, perhaps."""
    assert role("xqz", *values) is Role.NSA
    assert role("xqz", *values, "xqarvel") is not Role.NSA


def test_every_word_of_a_harmless_value_is_looked_at() -> None:
    assert role("xqz", "phone xqarvel", "letter xqarvel") is not Role.NSA


def test_sentences_that_speak_of_somebody_are_free_text_though_they_repeat() -> None:
    """Of 64 notes in 300 records each was a value, and the column was suggested as sensitive: its texts were shown."""
    notes = [f"seen {day} by {who} at home" for day in "abcdefgh" for who in ("Dr Rahman", "Mrs. Green", "the nurse")]
    assert role("cr_op", *notes) is Role.IDENTIFIER
    assert role("cr_op", *(note.replace("Dr R", "dr r").replace("Mrs. G", "mrs g") for note in notes)) is Role.SA


def _harmless(step: int = 7) -> list[str]:
    """Return names that the lists know to say nothing special, such as “ward”, “Kanal” and “version”."""
    known = [
        sign
        for entry in _file("others.toml")["matter"]
        if entry["what"] != "work, education or language"  # which may be high or low, and no finding
        for sign in _signs(entry)
        if "*" not in sign and said_by(sign)[1] and not any(each.weight for each in said_by(sign)[0])
    ]
    assert len(known) > 1500
    return known[::step]


@pytest.mark.parametrize(
    "values",
    [("pos", "neg", "n.d."), ("-", "+", "++"), ("0", "1+", "2+", "3+"), ("hoch", "mittel", "niedrig"),
     ("mejor", "igual", "peor"), ("normale", "alterato", "non eseguito"), ("none", "mild", "severe", "unknown")],
)  # fmt: skip
def test_results_and_grades_are_findings_under_every_harmless_name(values: tuple[str, ...]) -> None:
    """“status”, “level” and “flag” are harmless words: over results they were published."""
    assert not [name for name in _harmless() if role(name, *values) is Role.NSA]


def test_an_education_may_be_high_or_low() -> None:
    assert role("Education", "low", "medium", "high") is Role.NSA
    assert role("degree", "low", "medium", "high") is not Role.NSA  # of an injury


@pytest.mark.parametrize("name", ["area", "ward", "gender", "profession", "week", "Station", "payer", "lieu", "season"])
def test_no_place_ward_or_sex_is_a_decimal_number(name: str) -> None:
    """The area of a burn was a place, and the mean of a week a time."""
    assert role(name, *(f"{at / 10}" for at in range(9, 60)), kind=Kind.DECIMAL) is Role.DROPPED


@pytest.mark.parametrize("aside", ["", "{}_yn", "any_{}", "{} flag"])
@pytest.mark.parametrize("name", ["scanner", "hosp", "consultation", "Ambulanz", "sejour", "episode", "visita", "sex"])
def test_what_somebody_had_is_not_published_as_where_or_how(name: str, aside: str) -> None:
    """A scanner is a machine, and yes under it a scan; a contact of yes may be one with a disease."""
    asked = aside.format(name) if aside else name
    assert role(asked, "yes", "no", kind=Kind.BOOLEAN) is not Role.NSA
    assert role(asked, "0", "1", kind=Kind.BOOLEAN) is not Role.NSA


def test_how_somebody_left_is_withheld_in_every_form_of_the_word() -> None:
    """“discharge” was known over wards alone; “discharged_to” and “Entlassart” were known over anything."""
    stems = ("discharged", "discharging", "entlassen", "entlassungs", "sorties", "dimissioni", "ontslagen")
    names = [aside.format(stem) for stem in stems for aside in ("{}", "{}_to", "{}_code", "to_{}")]
    names += [stem + end for stem in ("entlass", "entlassungs", "ontslag") for end in ("art", "form", "typ", "kz")]
    assert not [name for name in names if role(name, "1", "2", "3", "7") is Role.NSA]
    assert not [name for name in names if role(name, "Home", "SNF", "Hospice") is Role.NSA]
    assert role("Entlassabteilung", "Innere", "Chirurgie") is Role.NSA
    assert role("Entlasstag", "Mo", "Di", "Mi") is Role.NSA


@pytest.mark.parametrize("name", ["last_sex", "first_sex", "sex_contact", "sex_last_month", "sex_age", "sex_no"])
def test_a_sex_that_is_had_is_no_sex(name: str) -> None:
    assert role(name, "0", "1", "2", "5", "9", "30", kind=Kind.INTEGER) is not Role.NSA
    assert role("sex_code", "1", "2") is Role.NSA


def test_numbers_of_a_thousand_and_more_are_codes_of_places() -> None:
    """“CP” is a postal code, or a score of the liver; “location” a ward's number, or a part of the body's."""
    assert role("CP", "21000", "21200", "71100", kind=Kind.INTEGER) is Role.NSA
    assert role("CP", "5", "6", "7", "9", kind=Kind.INTEGER) is not Role.NSA
    assert role("location", "1", "2", "3", kind=Kind.INTEGER) is not Role.NSA


@pytest.mark.parametrize(
    ("name", "values"),
    [("Aufnahmeart", ("freiwillig", "Einweisung gegen Willen")), ("admission", ("informal", "under section")),
     ("episode", ("nieuw", "bekend", "chronisch")), ("visit type", ("relapse", "flare")), ("class", ("obese", "lean"))],
)  # fmt: skip
def test_the_kind_of_a_course_is_known_where_its_words_are(name: str, values: tuple[str, ...]) -> None:
    """Kinds of admission, and of an episode, were published whatever they were."""
    assert role(name, *values) is not Role.NSA
    assert role(name, "Elective", "Emergency", "Transfer") is Role.NSA
    assert role(name, "Elective", "Emergency", "Newborn", "Trauma", "Urgent") is Role.NSA  # of 1,000 real stays
    assert role(name, *"ABCDEF") is Role.NSA


def test_what_grew_in_a_culture_is_a_finding_whatever_its_column_is_called() -> None:
    """“org1” of a register of sepsis was taken for an organisation, and published."""
    grown = ("no growth", "E. coli", "S. aureus", "Pseudomonas aerug.", "Klebsiella pneumoniae")
    for name in ("org1", "unit", "sorc"):
        assert role(name, *grown) is not Role.NSA
    assert role("org1", *"0123") is not Role.NSA, "an organism or an organisation"
    assert role("organisation", "North Trust", "South Trust", "Mercy") is Role.NSA


def test_one_arm_alone_is_no_part_of_the_body() -> None:
    """Arms of a trial, and visits face to face, were withheld."""
    assert role("redcap_event_name", "baseline_arm_1", "week_6_arm_1", "week_6_arm_2") is Role.NSA
    assert role("contact_mode", "phone", "face", "video") is Role.NSA
    assert role("Site", "left_arm", "right_arm") is not Role.NSA


def test_the_day_of_a_birth_is_not_published_beside_its_year() -> None:
    days, years = [str(at % 28 + 1) for at in range(N)], [str(1950 + at % 50) for at in range(N)]
    columns = {"Day birth": days, "Month of birth": [str(at % 12 + 1) for at in range(N)], "Year birth": years}
    made = [Column.from_labels(name, each, kind=Kind.INTEGER) for name, each in columns.items()]
    found = suggest_roles(Table(tuple(made)))
    assert found["Day birth"].role is Role.IDENTIFIER
    assert found["Year birth"].role is Role.NSA


def test_small_numbers_are_no_address_of_mail() -> None:
    """“PEC” is certified mail, and “PEC_min” minutes of care."""
    assert role("PEC_min", *map(str, range(99)), kind=Kind.INTEGER) is not Role.IDENTIFIER
    assert role("PEC", *(f"a{at}@pec.it" for at in range(99))) is Role.IDENTIFIER


@pytest.mark.parametrize("name", ["CodConsulta", "visit_code", "Code séjour", "episode"])
def test_a_course_by_a_long_number_is_a_treatment_or_its_like(name: str) -> None:
    """Codes of consultations say what was done; “episode” 1 and 2 are a first one and one that came back."""
    assert role(name, "890201", "890301", "890701", kind=Kind.INTEGER) is not Role.NSA
    assert role("episode status", "1", "2", "9", kind=Kind.INTEGER) is not Role.NSA


def test_who_is_alive_is_told_under_a_harmless_name() -> None:
    """Causes of death by site, in a column “COD to site”, were published."""
    assert role("COD to site", "Alive", "Breast", "Diseases of Heart", "Chronic Liver Disease") is not Role.NSA


@pytest.mark.parametrize(
    "name",
    ["importance", "conventional", "residue", "heureux", "placed", "traction", "geslachtsverandering", "turning"],
)
def test_a_sign_bent_into_another_word_is_not_that_word(name: str) -> None:
    """“import*”, “convention*” and “place*” published an importance of religion, a therapy and a catheter."""
    assert role(name, "1", "2", "3", kind=Kind.INTEGER) is not Role.NSA
    assert role(name, "yes", "no", kind=Kind.BOOLEAN) is not Role.NSA


def test_counts_and_items_under_harmless_words_are_withheld_with_their_numbers() -> None:
    """Stays in a hospital, items DT1 to DT7 of a scale, doses at night, who was released or is registered."""
    for name in ("hospital", "hosp", "DT3", "night_2", "unit1", "date", "time2", "provider_second", "survey2"):
        assert role(name, "0", "1", "2", "3", kind=Kind.INTEGER) is not Role.NSA
    for name in ("released", "register", "um", "CP1", "oe"):
        assert role(name, "0", "1", kind=Kind.BOOLEAN) is not Role.NSA
    assert role("hospital", "1001", "1002", "2001", kind=Kind.INTEGER) is Role.NSA
    assert role("hospital_no", "1", "2", "3", kind=Kind.INTEGER) is Role.NSA


def test_what_is_empty_by_a_special_column_is_left_out_with_it() -> None:
    """Who was given no organ has waited for none: the days of the others tell who was."""
    given = [str(at % 3 and 1) for at in range(N)]
    waited = [str(at % 40) if each == "1" else "" for at, each in enumerate(given)]
    kept = [str(at % 40) if at % 4 else "" for at in range(N)]
    transplant = Column.from_labels("transplant", given)
    for days, expected in ((waited, Role.DROPPED), (kept, Role.NSA)):
        column = Column.from_labels("waiting days", days, kind=Kind.INTEGER, missing=[""])
        assert suggest_roles(Table((transplant, column)))["waiting days"].role is expected


@pytest.mark.parametrize("name", ["wardid", "hospitalid", "siteno", "wardnr", "clinicid", "zimmernr"])
def test_the_number_of_a_ward_is_one_without_a_seam(name: str) -> None:
    """“wardid” was unknown, and “hospitalid” was to be re-drawn as a stay in one."""
    assert role(name, *map(str, range(60, 90)), kind=Kind.INTEGER) is Role.NSA
    others = ("lesionid", "visitid", "claimno", "referralid", "documentno", "appointmentid", "episodenum")
    assert not [each for each in others if role(each, *map(str, range(6000, 6090)), kind=Kind.INTEGER) is Role.NSA]


@pytest.mark.parametrize("thing", ["appointment", "termin", "document", "booking", "registration", "family"])
@pytest.mark.parametrize("shape", ["{}_id", "{} no", "id_{}", "num_{}", "{}Nr"])
def test_the_number_of_what_a_person_has_one_of_is_no_harmless_number(thing: str, shape: str) -> None:
    """Where each stood in four records, 130 of 255 such columns were published as how care is organised."""
    numbers = [str(310_007 + 97 * (at % 75)) for at in range(N)]
    assert role(shape.format(thing), *numbers[:75], kind=Kind.INTEGER) is Role.IDENTIFIER
    assert role(shape.format("ward"), *numbers[:75], kind=Kind.INTEGER) is Role.NSA


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("location", ("frontal", "parietal", "occipital")),
        ("Ort", ("Femur", "Tibia", "Humerus")),
        ("lieu", ("fémur", "tibia")),
        ("luogo", ("polmone", "fegato", "milza")),
        ("lugar", ("hígado", "riñón")),
        ("plaats", ("lever", "nier", "milt")),
    ],
)
def test_a_place_in_the_body_is_no_place(name: str, values: tuple[str, ...]) -> None:
    assert role(name, *values) in (Role.DROPPED, Role.SA)


@pytest.mark.parametrize(
    "name", ["partner_sex", "sexe_partenaire", "sexo_pareja", "sesso_partner", "Partnergeschlecht", "referred_to"]
)
def test_the_sex_of_a_partner_and_where_somebody_was_sent_are_special(name: str) -> None:
    assert role(name, "male", "female") is not Role.NSA


def test_a_modality_of_treatment_is_none_of_imaging_and_a_recall_that_came_is_no_reminder() -> None:
    assert role("modality", "HD", "PD", "HHD") is not Role.NSA
    assert role("modality", "CT", "MR", "US") is Role.NSA
    assert role("rappel", "oui", "non") is not Role.NSA
