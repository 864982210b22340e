"""The four cards on 3,000 invented headers: no health column is published by suggestion, no identifier is missed."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from splu_desktop.core.resources import resource_path
from splu_desktop.core.roles.codes import loinc, snomed
from splu_desktop.core.roles.suggest import Role, Suggestion, suggest_roles
from splu_desktop.core.roles.vocabulary import RoleCard, said_by, special
from splu_desktop.core.table import Column, Kind, Table

N = 300
_ILLNESSES = [
    "Pneumonia",
    "Asthma bronchiale",
    "Insuffisance cardiaque",
    "Hernia inguinal",
    "Fraktur",
    "none",
    "Tumore",
]
_SURNAMES = ["Okafor", "Lindqvist", "Haddad", "Novak", "Yilmaz", "Petit", "Ferrari", "Visser", "Costa", "Brandt"]
_DRUGS = ["Metformin 500 mg", "Ramipril", "Amoxicillin", "Enalapril 5", "Simvastatin"]


def _snomed(r: random.Random) -> str:
    body = str(r.randrange(10_000, 10_000_000)) + "00"
    return next(body + str(d) for d in range(10) if snomed(body + str(d)))


def _loinc(r: random.Random) -> str:
    body = str(r.randrange(100, 99_999))
    return next(f"{body}-{d}" for d in range(10) if loinc(f"{body}-{d}"))


MAKE = {
    "key": (lambda r: str(r.randrange(10**8, 10**9)), Kind.CATEGORY),
    "name": (
        lambda r: r.choice(_SURNAMES),
        Kind.CATEGORY,
    ),
    "text": (lambda r: f"seen on the ward, lives with family near {r.randrange(10**6)}, will return", Kind.TEXT),
    "birth": (lambda r: f"{r.randrange(1930, 2010)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}", Kind.DATE),
    "phone": (lambda r: f"0{r.randrange(10**8, 10**9)}", Kind.CATEGORY),
    "street": (lambda r: f"Lange Wende {r.randrange(99)}", Kind.CATEGORY),
    "yes": (lambda r: r.choice("01"), Kind.CATEGORY),
    "few": (lambda r: r.choice("ABCDEF"), Kind.CATEGORY),
    "num": (lambda r: str(r.randrange(12)), Kind.INTEGER),
    "age": (lambda r: str(r.randrange(95)), Kind.INTEGER),
    "dec": (lambda r: f"{r.uniform(1, 90):.1f}", Kind.DECIMAL),
    "date": (lambda r: f"2024-{r.randrange(1, 4):02}-{r.randrange(1, 29):02}", Kind.DATE),
    "codes:icd": (lambda r: f"{r.choice('EIJKS')}{r.randrange(10, 60)}.{r.randrange(9)}", Kind.CATEGORY),
    "codes:atc": (lambda r: r.choice(["A10BA02", "C09AA05", "N02BE01", "J01CA04", "B01AC06"]), Kind.CATEGORY),
    "codes:ops": (lambda r: f"{r.choice('58')}-{r.randrange(100, 999)}.{r.randrange(9)}", Kind.CATEGORY),
    "codes:loinc": (_loinc, Kind.CATEGORY),
    "codes:snomed": (_snomed, Kind.INTEGER),
    "words:illness": (lambda r: r.choice(_ILLNESSES), Kind.CATEGORY),
    "words:drug": (lambda r: r.choice(_DRUGS), Kind.CATEGORY),
    "words:test": (lambda r: r.choice(["positive", "negative", "not done"]), Kind.CATEGORY),
}


_KNOWN = {each: Column.from_labels(each, [*"AB"] * (N // 2)) for each in ("Sex", "Region")}


def _read(name: str) -> list[list[str]]:
    lines = (Path(__file__).parent / name).read_text("utf-8").splitlines()
    parts = [line.split("\t") for line in lines if not line.startswith("#")]
    return [[*rest, header] for *rest, headers in parts for header in headers.split(";")]


def _headers() -> list[list[str]]:
    return _read("invented_headers.tsv")


def suggested(name: str, values: str) -> Suggestion:
    """Return what is suggested beside columns that say nothing of health."""
    make, kind = MAKE[values]
    r = random.Random(f"{values} {name}")
    columns = {name: Column.from_labels(name, [make(r) for _ in range(N)], kind=kind)}
    return suggest_roles(Table(tuple((_KNOWN | columns).values())))[name]


def wrong(cards: tuple[str, ...]) -> list[str]:
    """Return the headers of these cards that are taken for something else, each in a table of its own."""
    found = []
    for card, values, name in _headers():
        if card in cards:
            said = suggested(name, values)
            safe = said.role is Role.IDENTIFIER if card == "identifies" else said.role is not Role.NSA
            if card == "unread":
                safe = said.role is Role.DROPPED and said.matter == ""
            plain = said.role is Role.NSA and said.card in (RoleCard.RECOGNISES, RoleCard.HARMLESS)
            if not (safe if card in ("identifies", "special", "unread") else plain):
                found.append(f"{name} ({values}): {said.role.value}, {said.reason}")
    return found


def test_there_are_2000_of_them() -> None:
    assert len(_headers()) >= 2000


def test_what_no_list_reads_is_left_out_in_a_table_on_nothing() -> None:
    """A health column under a name that nobody has seen is not published because the rest is silent on health."""
    said = suggested("Xqarv_3", "few")
    assert said.role is Role.DROPPED
    assert said.matter == ""


@pytest.mark.parametrize("name", ["Site", "Specialty", "Row", "Kind", "Situation", "Last", "Country_kind", "Unit cd"])
def test_no_column_is_said_to_be_an_age_that_is_none(name: str) -> None:
    """The words that say nothing stood among those that say an age."""
    assert not [matter.what for matter in said_by(name)[0] if "age" in matter.what.split()]
    assert "age" not in suggested(name, "few").reason.split()


def test_a_name_that_is_no_word_is_kept_where_nothing_is_special() -> None:
    """Tables of numbered columns say nothing of health; beside a diagnosis nobody knows what "V12" holds."""
    r = random.Random(5)
    names = ("c3", "x", "Column 7")
    columns = {each: Column.from_labels(each, [r.choice("ABCD") for _ in range(N)]) for each in (*names, "s")}
    said = suggest_roles(Table(tuple(columns.values())), ["s"])
    assert {said[each].role for each in names} == {Role.NSA}
    columns["Diagnosis"] = Column.from_labels("Diagnosis", [r.choice("ABCD") for _ in range(N)])
    said = suggest_roles(Table(tuple(columns.values())), ["Diagnosis"])
    assert {said[each].role for each in names} == {Role.DROPPED}


def test_a_star_of_a_harmless_sign_covers_no_other_word() -> None:
    """“Klinikverlauf”, “local_anat” and “Prothrombinzeit” were known by klinik*, local_* and *zeit, and published."""
    lists = tomllib.loads(resource_path("roles/others.toml").read_text("utf-8"))
    signs = [sign for entry in (*lists["matter"], lists["except"]) for sign in entry["common"].split() if "*" in sign]
    assert len(signs) > 100
    ends = ("xqarvel", "verlauf", "_xqarvel", "_infection")
    made = {sign.strip("*_") + end for sign in signs if sign.endswith("*") for end in ends}
    made |= {end + sign.strip("*_") for sign in signs if sign.startswith("*") for end in ("xqarvel", "xq", "xqarvel_")}
    known = [name for name in made if said_by(name)[1] and special(name) is None]
    assert known == []


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("V3", "2023-01 2023-02 2023-03", Role.NSA),  # months are no finding, whatever else they are
        ("V3", "2023Q1 2023Q2", Role.NSA),
        ("V3", "2023-01 2023-02 2023-13", Role.DROPPED),
        ("V3", "2023-01 2023-02 ", Role.DROPPED),  # who has a month has had something
        ("Month", "2023-01 2023-02 ", Role.NSA),
        ("V3", "offen geprüft storniert", Role.NSA),
        ("V3", "open closed", Role.DROPPED),  # a fracture may be
        ("Site", "left_arm chest thigh", Role.SA),
        ("Site", "north south", Role.NSA),
        ("Source", "pneumonia sepsis line", Role.SA),
        ("Source", "paper web", Role.NSA),
        ("Ward", "Oncology Cardiology", Role.NSA),
        ("Episode omschrijving", "Hypertensie Diabetes Hoesten", Role.SA),  # what came about is named by its illness
        ("Aufnahmestation", "Onkologie Kardiologie", Role.NSA),
        ("Estado", "SP RJ MG", Role.NSA),
        ("State", "Texas Ohio", Role.NSA),
        ("Estado", "E G C", Role.DROPPED),  # estable, grave, crítico
        ("ESTADO", "completo parcial recusado", Role.DROPPED),
        ("STATO", "V D P", Role.DROPPED),  # vivo, deceduto, perso
        ("Method", "SVD CS VE", Role.DROPPED),
        ("Emergency", "0 1", Role.DROPPED),
        ("V3", "2021 2022 2023", Role.NSA),  # years, as months are
        ("V3", "2021 2022 ", Role.DROPPED),
        ("ticket_esenz", "048 013 E01", Role.SA),  # the exemption names the illness it is given for
    ],
)
def test_values_decide_what_a_name_leaves_open(name: str, values: str, role: Role) -> None:
    labels = values.split(" ")
    column = Column.from_labels(name, [labels[at % len(labels)] for at in range(N)])
    assert suggest_roles(Table((column,)))[name].role is role


def test_no_identifier_is_missed() -> None:
    assert wrong(("identifies",)) == []


def test_no_health_column_is_published_by_suggestion() -> None:
    assert wrong(("special",)) == []


def test_what_only_sounds_like_health_is_not_said_to_be() -> None:
    assert wrong(("unread",)) == []


def test_what_recipients_select_by_is_not_withheld() -> None:
    assert wrong(("recognises", "harmless")) == []


def test_an_illness_after_a_word_that_is_none_is_one() -> None:
    """“Hospital” holds a special sign and is none; “hospital infection” was excepted with it and published."""
    lists = tomllib.loads(resource_path("roles/others.toml").read_text("utf-8"))
    signs = lists["except"]["common"].split()
    words = [sign.strip("*").replace("_", " ") for sign in signs]
    illnesses = ("infection", "mortality", "pneumonia")
    assert [name for word in words for ill in illnesses if special(name := f"{word} {ill}") is None] == []
    stars = [sign.strip("*").replace("_", " ") for sign in signs if sign.endswith("haus*")]
    assert [name for word in stars if special(name := f"{word}infektion") is None] == []


@pytest.mark.parametrize(
    ("values", "role"),
    [
        ("male female", Role.NSA),
        ("m w", Role.NSA),
        ("Mo Di Mi Do", Role.NSA),
        ("Januar März Mai", Role.NSA),
        ("mild severe", Role.SA),
        ("mild other", Role.DROPPED),
        ("male female neither", Role.DROPPED),
        ("Mo Di", Role.DROPPED),
    ],
)
def test_values_of_one_list_tell_what_a_name_does_not(values: str, role: Role) -> None:
    labels = values.split()
    column = Column.from_labels("V3", [labels[at % len(labels)] for at in range(N)])
    assert suggest_roles(Table((column,)))["V3"].role is role


@pytest.mark.parametrize(("step", "distinct"), [(1, 1), (7, 1), (3, 1), (7, 2)])
def test_numbers_that_never_repeat_where_chance_would_repeat_them_are_keys(step: int, distinct: int) -> None:
    labels = [str(40 + step * (at // distinct)) for at in range(N)]
    column = Column.from_labels("V1", labels, kind=Kind.INTEGER)
    assert (suggest_roles(Table((column,)))["V1"].role is Role.IDENTIFIER) is (distinct == 1)


@pytest.mark.parametrize("table", sorted({row[0] for row in _read("invented_tables.tsv")}))
def test_exports_of_the_field_publish_nothing_of_health_and_no_key(table: str) -> None:
    r = random.Random(table)
    columns, cards = [], {}
    for _, card, values, name in (row for row in _read("invented_tables.tsv") if row[0] == table):
        make, kind = MAKE[values]
        columns.append(Column.from_labels(name, [make(r) for _ in range(N)], kind=kind))
        cards[name] = card
    found = suggest_roles(Table(tuple(columns)))
    published = {name for name, said in found.items() if said.role is Role.NSA}
    assert not published & {name for name, card in cards.items() if card in ("special", "identifies")}
    assert {n for n, said in found.items() if said.role is Role.IDENTIFIER} == {
        n for n in cards if cards[n] == "identifies"
    }
    assert any(cards[name] == "recognises" for name in published), "recipients can select by something"


def test_where_no_name_can_be_read_nothing_is_published() -> None:
    """Names in another script, or numbered ones, say nothing: an illness may stand in any of them."""
    for names in (("الجنس", "القسم", "אבחנה"), ("V1", "V2", "V3"), ("状態", "病棟", "性別")):
        r = random.Random(names[0])
        table = Table(tuple(Column.from_labels(name, [r.choice("ABC") for _ in range(N)]) for name in names))
        assert {said.role for said in suggest_roles(table).values()} == {Role.DROPPED}
