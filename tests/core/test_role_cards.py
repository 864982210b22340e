"""The four cards on 300 invented headers: no health column is published by suggestion, no identifier is missed."""

from __future__ import annotations

import random
from pathlib import Path

from splu_desktop.core.roles.codes import loinc, snomed
from splu_desktop.core.roles.suggest import Role, Suggestion, suggest_roles
from splu_desktop.core.roles.vocabulary import RoleCard
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


def _headers() -> list[tuple[str, str, str]]:
    lines = (Path(__file__).parent / "invented_headers.tsv").read_text("utf-8").splitlines()
    parts = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(card, values, name) for card, values, names in parts for name in names.split(";")]


def suggested(name: str, values: str) -> Suggestion:
    make, kind = MAKE[values]
    r = random.Random(f"{values} {name}")
    return suggest_roles(Table((Column.from_labels(name, [make(r) for _ in range(N)], kind=kind),)))[name]


def wrong(cards: tuple[str, ...]) -> list[str]:
    """Return the headers of these cards that are taken for something else, each alone in its table."""
    found = []
    for card, values, name in _headers():
        if card in cards:
            said = suggested(name, values)
            safe = said.role is Role.IDENTIFIER if card == "identifies" else said.role is not Role.NSA
            plain = said.role is Role.NSA and said.card in (RoleCard.RECOGNISES, RoleCard.HARMLESS)
            if not (safe if card in ("identifies", "special") else plain):
                found.append(f"{name} ({values}): {said.role.value}, {said.reason}")
    return found


def test_there_are_300_of_them() -> None:
    assert len(_headers()) >= 300


def test_no_identifier_is_missed() -> None:
    assert wrong(("identifies",)) == []


def test_no_health_column_is_published_by_suggestion() -> None:
    assert wrong(("special",)) == []


def test_what_recipients_select_by_is_not_withheld() -> None:
    assert wrong(("recognises", "harmless")) == []
