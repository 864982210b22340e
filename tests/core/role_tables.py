"""The invented tables of `role_tables.txt`, drawn with a fixed seed and read as files are."""

from __future__ import annotations

import csv
import random
import string
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from splu_desktop.core.table import Column, Kind, Table
from splu_desktop.files.importer import read
from tests.columns import column_of

ROWS = 300
FIRST = "Anna|Peter|Sabine|Jean|Marie|Pierre|James|Olivia|Harry|Camille|Hugo|Lukas|Petra|Emily".split("|")  # noqa: SIM905
LAST = "Okafor|Lindqvist|Haddad|Novak|Yilmaz|Petit|Ferrari|Visser|Costa|Brandt|Smith|Taylor|Dubois".split("|")  # noqa: SIM905
STREETS = "Hauptstraße {}|Lange Straße {}|{} rue de la Gare|{} avenue Foch|{} Mill Lane|Am Weg {}".split("|")  # noqa: SIM905
PARTS = "seen today by the doctor|lives with the family|will come back in two weeks|no further questions".split("|")  # noqa: SIM905
R = random.Random(0)


def _day(first: int, last: int) -> str:
    return str(date(first, 1, 1) + timedelta(days=R.randrange(365 * (last - first + 1))))


def nhs_number(chance: random.Random) -> str:
    """Return a number of the British health service, with its check digit."""
    while True:
        digits = [chance.randrange(10) for _ in range(9)]
        check = 11 - sum(d * w for d, w in zip(digits, range(10, 1, -1), strict=True)) % 11
        if check != 10:
            return "".join(map(str, digits)) + str(check % 11)


def _kvnr() -> str:
    letter, digits = R.choice(string.ascii_uppercase), f"{R.randrange(10**8):08d}"
    whole = f"{ord(letter) - 64:02d}{digits}"
    check = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(whole)) % 10
    return f"{letter}{digits}{check}"


def _nir() -> str:
    body = f"{R.choice('12')}{R.randrange(30, 99):02}{R.randrange(1, 13):02}{R.randrange(1, 95):02}"
    body += f"{R.randrange(1, 990):03}{R.randrange(1, 999):03}"
    return f"{body}{97 - int(body) % 97:02}"


FORMS: dict[str, Callable[..., str]] = {
    "int": lambda low, high: str(R.randint(int(low), int(high))),
    "dec": lambda low, high: f"{R.uniform(float(low), float(high)):.1f}",
    "date": lambda: _day(2022, 2023),
    "datesome": lambda: _day(2022, 2023) if R.random() < 0.2 else "",
    "birth": lambda: _day(1930, 2004),
    "birthnow": lambda: _day(2022, 2023),
    "time": lambda: f"{R.randrange(24):02}:{R.randrange(60):02}",
    "key": lambda before, digits: f"{before}{R.randrange(10 ** int(digits)):0{digits}d}",
    "long": lambda digits: str(R.randrange(10 ** (int(digits) - 1), 10 ** int(digits))),
    "icd": lambda: f"{R.choice('CEIJKS')}{R.randrange(10, 60)}.{R.randrange(9)}",
    "nhs": lambda: nhs_number(R),
    "kvnr": _kvnr,
    "nir": _nir,
    "person": lambda: f"{R.choice(LAST)}, {R.choice(FIRST)}",
    "surname": lambda: R.choice(LAST),
    "first": lambda: R.choice(FIRST),
    "phone": lambda: f"0{R.randrange(100, 999)} {R.randrange(10**6, 10**7)}",
    "email": lambda: f"{R.choice(FIRST)}.{R.randrange(999)}@example.org",
    "street": lambda: R.choice(STREETS).format(R.randrange(1, 99)),
    "text": lambda: f"{'. '.join(R.sample(PARTS, 3))} ({R.randrange(10_000)})",
}


def tables(folder: Path) -> dict[str, tuple[Table, dict[str, str]]]:
    """Return name -> (table, header -> what it is), all made anew."""
    found = {}
    for block in (Path(__file__).parent / "role_tables.txt").read_text("utf-8").split("\n= ")[1:]:
        name, *lines = block.strip().split("\n")
        columns = [line.split("\t") for line in lines]
        R.seed(name)
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow([header for _, header, _ in columns])
            out.writerows([[_draw(values) for _, _, values in columns] for _ in range(ROWS)])
        found[name] = read(path).table, {header: what for what, header, _ in columns}
    return found


# What the headers of `role_headers.tsv` stand over.
VALUES: dict[str, tuple[str, Kind]] = {
    "key": ("long 9", Kind.CATEGORY),
    "name": ("surname", Kind.CATEGORY),
    "text": ("text", Kind.TEXT),
    "birth": ("birth", Kind.DATE),
    "phone": ("phone", Kind.CATEGORY),
    "street": ("street", Kind.CATEGORY),
    "yes": ("0|1", Kind.CATEGORY),
    "few": ("A|B|C|D|E|F", Kind.CATEGORY),
    "num": ("int 0 11", Kind.INTEGER),
    "age": ("int 0 95", Kind.INTEGER),
    "dec": ("dec 1 90", Kind.DECIMAL),
    "date": ("date", Kind.DATE),
    "codes:icd": ("icd", Kind.CATEGORY),
    "codes:atc": ("A10BA02|C09AA05|N02BE01|J01CA04", Kind.CATEGORY),
    "codes:ops": ("8-800.c0|5-511.11|1-632.0|5-820.00", Kind.CATEGORY),
    "codes:loinc": ("2345-7|718-7|4548-4|2160-0", Kind.CATEGORY),
    "codes:snomed": ("22298006|44054006|195967001|38341003", Kind.INTEGER),
    "words:illness": ("Pneumonia|Asthma bronchiale|Hernia inguinal|Fraktur|none", Kind.CATEGORY),
    "words:drug": ("Metformin 500 mg|Ramipril|Amoxicillin|Simvastatin", Kind.CATEGORY),
    "words:test": ("positive|negative|not done", Kind.CATEGORY),
}


def headers() -> list[Column]:
    """Return a column for each header of `role_headers.tsv`."""
    R.seed(7)
    found = []
    for line in (Path(__file__).parent / "role_headers.tsv").read_text("utf-8").splitlines()[1:]:
        _, what, names = line.split("\t")
        values, kind = VALUES[what]
        found += [column_of(name, [_draw(values) for _ in range(100)], kind=kind) for name in names.split(";")]
    return found


def _draw(values: str) -> str:
    form, *numbers = values.split(" ")
    return FORMS[form](*numbers) if form in FORMS else R.choice(values.split("|"))
