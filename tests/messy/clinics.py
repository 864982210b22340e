"""Forty files more, a kind each that no other here has: exports of hospital programs, and what people make of them.

The expectation is written with the file; where nobody can read one table for certain, being told is enough.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from typing import Any

from tests.messy.cases import Case, Rows, csv_bytes, xlsx_bytes

_GROUP = "clinics"
_WARDS = ("Chirurgie", "Innere", "Geriatrie")
_SHORT = ["Fall", "Station", "Alter"]


def _text(rows: Any, delimiter: str = ";", end: str = "\r\n") -> str:
    return csv_bytes(rows, delimiter=delimiter, end=end).decode()


def _short(chance: random.Random, n: int = 30) -> Rows:
    return [[f"K{700 + i}", chance.choice(_WARDS), str(chance.randint(18, 97))] for i in range(n)]


def clinics(chance: random.Random) -> Iterator[Case]:
    """Give all of them."""
    yield from _headers(chance)
    yield from _values(chance)
    yield from _letters(chance)
    yield from _layouts(chance)
    yield from _workbooks(chance)


def _headers(chance: random.Random) -> Iterator[Case]:
    def case(name: str, content: Any, names: Any, rows: Rows, **more: Any) -> Case:
        return Case(_GROUP, name, content if isinstance(content, bytes) else content.encode(), names, rows, **more)

    rows = [[f"K{i}", *(f"{chance.uniform(0.5, 9):.1f}".replace(".", ",") for _ in range(4))] for i in range(100, 130)]
    top = ["", "Aufnahme", "", "Entlassung", ""]
    inner = ["Fall", "Kreatinin", "CRP", "Kreatinin", "CRP"]
    units = ["", "mg/dl", "mg/l", "mg/dl", "mg/l"]
    names = ["Fall", *(f"{top[1 + at // 2 * 2]} {inner[1 + at]} {units[1 + at]}" for at in range(4))]
    yield case("groups-units.csv", _text([top, inner, units, *rows]), names, rows)
    above = [["Laborwerte stationärer Fälle 2024", "", "", "", ""], ["Station: alle", "", "", "", ""]]
    yield case("titles-groups-units.csv", _text([*above, top, inner, units, *rows]), names, rows, told=True)
    brackets = [
        ["", "[Jahre]", "[kg]", "[cm]"],
        *([f"K{i}", str(20 + i), str(60 + i), str(150 + i)] for i in range(25)),
    ]
    yield case(
        "units-in-brackets.csv",
        _text([["Fall", "Alter", "Gewicht", "Größe"], *brackets]),
        ["Fall", "Alter [Jahre]", "Gewicht [kg]", "Größe [cm]"],
        brackets[1:],
    )
    short = _short(chance)
    thrice = [[r[0], r[2], r[1], r[2], str(99 - int(r[2]))] for r in short]
    yield case(
        "names-thrice.csv",
        _text([["Fall", "Wert", "Station", "Wert", "Wert"], *thrice]),
        ["Fall", "Wert", "Station", "Wert (2)", "Wert (3)"],
        thrice,
        told=True,
    )
    flags = [[r[0], *(chance.choice("01") for _ in range(6))] for r in short]
    codes = ["Fall", "I10", "E11", "N18", "J44", "I48", "F03"]
    labels = ["", "Hypertonie", "Diabetes", "Niere", "COPD", "Vorhofflimmern", "Demenz"]
    joined = ["Fall", *(f"{a} {b}" for a, b in zip(codes[1:], labels[1:], strict=True))]
    yield case("codes-and-words.csv", _text([codes, labels, *flags]), joined, flags)
    yield case("flags-without-names.csv", _text(flags), None, flags)
    yield case("header-in-quotes.csv", '"Fall;Station;Alter"\r\n' + _text(short), _SHORT, short, told=True)


def _values(chance: random.Random) -> Iterator[Case]:
    def case(name: str, column: str, texts: list[str], **more: Any) -> Case:
        rows = [[f"K{i}", text] for i, text in enumerate(texts)]
        return Case(_GROUP, name, _text([["Fall", column], *rows]).encode(), ["Fall", column], rows, **more)

    euro = [f"{chance.randint(1, 40)}.{chance.randint(0, 999):03d},{chance.randint(0, 99):02d}" for _ in range(40)]
    yield case("costs-german.csv", "Kosten", euro, types={"Kosten": "DECIMAL"})
    yield case("costs-german-euro.csv", "Kosten", [f"{x} €" for x in euro], types={"Kosten": "DECIMAL"})
    yield case(
        "costs-negative.csv", "Erlös", [f"-{x}" if i % 4 else x for i, x in enumerate(euro)], types={"Erlös": "DECIMAL"}
    )
    after = [f"{x}-" if i % 4 == 1 else x for i, x in enumerate(euro)]
    yield case("costs-minus-behind.csv", "Erlös", after, types={"Erlös": "DECIMAL"})
    swiss = [f"{chance.randint(1, 9)}'{chance.randint(0, 999):03d}'{chance.randint(0, 999):03d}" for _ in range(40)]
    yield case("apostrophes.csv", "Kosten", swiss, types={"Kosten": "INTEGER"})
    serial = [f"{chance.randint(44000, 45600)}" for _ in range(40)]
    yield case("serials-as-text.csv", "Aufnahmedatum", [f"{x}" for x in serial], types={"Aufnahmedatum": "DATE"})
    fraction = [f"{x},{chance.randint(1, 9999):04d}" for x in serial]
    yield case("serials-with-time.csv", "Aufnahmezeitpunkt", fraction, types={"Aufnahmezeitpunkt": "DATETIME"})
    zone = [
        f"2024-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}T{chance.randint(0, 23):02d}:15:00{z}"
        for z in ("Z", "+02:00", "+01:00") * 13
    ]
    yield case("zones.csv", "Aufnahme", zone, types={"Aufnahme": "DATETIME"})
    one = [f"{x[:19]}+01:00" for x in zone]
    yield case("one-zone.csv", "Aufnahme", one, types={"Aufnahme": "DATETIME"})
    month = ("Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez")
    words = [f"{chance.randint(1, 28):02d}. {month[i % 12]} 2024" for i in range(40)]
    yield case("german-months.csv", "Aufnahme", words, types={"Aufnahme": "DATE"})
    packed = [f"2024{chance.randint(1, 12):02d}{chance.randint(1, 28):02d}" for _ in range(40)]
    yield case("packed-dates.csv", "Aufnahmedatum", packed, types={"Aufnahmedatum": "DATE"})
    two = [f"{chance.randint(13, 28)}.{chance.randint(1, 12):02d}.{chance.randint(20, 99):02d}" for _ in range(40)]
    yield case("two-digit-births.csv", "Geburtsdatum", two, types={"Geburtsdatum": "DATE"})


def _letters(chance: random.Random) -> Iterator[Case]:
    def case(name: str, names: list[str], rows: Rows, encoding: str, delimiter: str = ";", **more: Any) -> Case:
        return Case(_GROUP, name, _text([names, *rows], delimiter).encode(encoding), names, rows, **more)

    def some(*values: tuple[str, ...], n: int = 40) -> Rows:
        return [
            [str(9000 + i), *(chance.choice(each) for each in values), str(chance.randint(1, 95))] for i in range(n)
        ]

    japan = some(("内科", "外科", "小児科", "整形外科"), ("肺炎；重症", "胃潰瘍、疑い", "骨折", "ソ連型表示能"))
    yield case("sjis-second-bytes.csv", ["番号", "診療科", "病名", "年齢"], japan, "cp932", ",")
    china = some(("呼吸科", "心内科", "骨科"), ("肺炎，重症", "冠心病", "股骨骨折", "㐂镕"))
    yield case("gb18030-semicolons.csv", ["编号", "科室", "诊断", "年龄"], china, "gb18030")
    poland = some(("Chirurgia", "Położnictwo", "Onkologia"), ("żółtaczka", "złamanie", "świąd skóry", "ból głowy"))
    yield case("windows-1250.csv", ["Numer", "Oddział", "Rozpoznanie", "Wiek"], poland, "cp1250")
    russia = some(("хирургия", "терапия", "кардиология"), ("пневмония", "инфаркт миокарда", "перелом бедра"))
    yield case("koi8.txt", ["Номер", "Отделение", "Диагноз", "Возраст"], russia, "koi8_r", "\t")
    yield case("utf16-tab.txt", ["Номер", "Отделение", "Диагноз", "Возраст"], russia, "utf-16", "\t")
    hungary = some(("Sebészet", "Belgyógyászat", "Szülészet"), ("tüdőgyulladás", "csonttörés", "szűrővizsgálat"))
    yield case("hungary.csv", ["Szám", "Osztály", "Kórisme", "Életkor"], hungary, "cp1250")
    baltic = some(("Chirurgija", "Akušerija", "Vidaus ligų"), ("plaučių uždegimas", "lūžis", "šlapimo takų infekcija"))
    yield case("baltic.csv", ["Numeris", "Skyrius", "Diagnozė", "Amžius"], baltic, "cp1257", told=True)


def _layouts(chance: random.Random) -> Iterator[Case]:
    def case(name: str, content: Any, names: Any, rows: Rows, **more: Any) -> Case:
        return Case(_GROUP, name, content if isinstance(content, bytes) else content.encode(), names, rows, **more)

    rows = _short(chance)
    plain = _text([_SHORT, *rows])
    yield case(
        "source-below.csv", plain + "\r\nQuelle: KIS-Export vom 03.02.2025; ohne Gewähr\r\n", _SHORT, rows, told=True
    )
    yield case(
        "source-close-below.csv", plain + "Quelle: KIS-Export;;\r\nStand: 03.02.2025;;\r\n", _SHORT, rows, told=True
    )
    note = [[*r, f'Befund: o. B.;\nKontrolle; 3 "Monate"\r\n{i}' if i % 3 else "keine"] for i, r in enumerate(rows)]
    yield case("notes-with-all.csv", _text([[*_SHORT, "Befund"], *note]), [*_SHORT, "Befund"], note)
    tabs = [[*r, 'sagt "ja"' if i % 2 else '12" Schnitt'] for i, r in enumerate(rows)]
    raw = "\r\n".join("\t".join(line) for line in [[*_SHORT, "Notiz"], *tabs]) + "\r\n"
    yield case("tab-bare-quotes.txt", raw, [*_SHORT, "Notiz"], tabs)
    mixed = "".join(line + ("\r\n", "\n", "\r")[i % 3] for i, line in enumerate(plain.splitlines()))
    yield case("three-line-ends.csv", mixed, _SHORT, rows)
    by_ward = sorted(rows, key=lambda r: r[1])
    sums: Rows = []
    for ward in _WARDS:
        inside = [r for r in by_ward if r[1] == ward]
        sums += [*inside, ["Summe", ward, str(sum(int(r[2]) for r in inside))]]
    sums += [["Gesamtsumme", "", str(sum(int(r[2]) for r in rows))]]
    yield case(
        "sums-by-ward.csv", _text([_SHORT, *sums]), _SHORT, sorted(by_ward, key=lambda r: _WARDS.index(r[1])), told=True
    )
    means = [*rows, ["Mittelwert", "", f"{sum(int(r[2]) for r in rows) / len(rows):.1f}".replace(".", ",")]]
    yield case("mean-below.csv", _text([_SHORT, *means]), _SHORT, rows, told=True)
    counted = [*rows, ["Anzahl Fälle:", str(len(rows)), ""]]
    yield case("number-below.csv", _text([_SHORT, *counted]), _SHORT, rows, told=True)
    widths = (8, 14, 6)
    fixed = "".join(
        "".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() + "\n" for r in [_SHORT, *rows]
    )
    yield case("fixed-width.txt", fixed, _SHORT, rows)
    right = "".join(f"{r[0]:<8}{r[1]:<14}{r[2]:>6}\n" for r in [_SHORT, *rows])
    yield case("fixed-right.txt", right, _SHORT, rows)
    blank = [[r[0], "", r[1], "", "", r[2]] for r in rows]
    yield case("blank-columns.csv", _text([["Fall", "", "Station", "", "", "Alter"], *blank]), _SHORT, rows)
    pipes = "\n".join(f"| {' | '.join(r)} |" for r in [_SHORT, ["---", "---", "---:"], *rows]) + "\n"
    yield case("markdown.txt", pipes, _SHORT, rows, told=True)


def _workbooks(chance: random.Random) -> Iterator[Case]:
    rows = [
        [f"K{700 + i}", chance.choice(("A", "B", "C")), chance.randint(18, 97), round(chance.uniform(0.5, 9), 1)]
        for i in range(24)
    ]
    names = ["Fall", "Gruppe", "Alter", "CRP"]
    read = [[r[0], r[1], str(r[2]), f"{r[3]:g}"] for r in rows]
    cover = [["Klinikum am See"], ["Qualitätsbericht 2024"], ["Erstellt von", "Controlling"]]
    wards = {ward: [names, *rows[8 * at : 8 * at + 8]] for at, ward in enumerate(_WARDS)}
    every = [[*r, _WARDS[at // 8]] for at, r in enumerate(read)]
    book = xlsx_bytes({"Deckblatt": cover, **wards})
    yield Case(_GROUP, "cover-and-wards.xlsx", book, [*names, "Sheet"], every, sheets="all")
    yield Case(_GROUP, "cover-and-wards-one.xlsx", book, names, read[:8], told=True)
    foot = {
        ward: [
            [f"Station {ward}"],
            names,
            *rows[8 * at : 8 * at + 8],
            ["Summe", "", sum(r[2] for r in rows[8 * at : 8 * at + 8])],
        ]
        for at, ward in enumerate(_WARDS)
    }
    yield Case(
        _GROUP,
        "wards-with-sums.xlsx",
        xlsx_bytes({"Deckblatt": cover, **foot}),
        [*names, "Sheet"],
        every,
        sheets="all",
        told=True,
    )
    grouped = [["", "Person", "", "Labor"], ["Fall", "Gruppe", "Alter", "CRP"], ["", "", "Jahre", "mg/l"], *rows]
    yield Case(
        _GROUP,
        "merged-groups-units.xlsx",
        xlsx_bytes({"Daten": grouped}, ["B1:C1"]),
        ["Fall", "Person Gruppe", "Person Alter Jahre", "Labor CRP mg/l"],
        read,
    )
    day = dt.datetime(2024, 3, 1, 7, 30)
    stays = [[r[0], day + dt.timedelta(days=i, minutes=7 * i), i + 1] for i, r in enumerate(rows)]
    said = [[r[0], f"{r[1]:%Y-%m-%d %H:%M:%S}", str(r[2])] for r in stays]
    yield Case(
        _GROUP,
        "date-times.xlsx",
        xlsx_bytes({"Daten": [["Fall", "Aufnahme", "Tage"], *stays]}),
        ["Fall", "Aufnahme", "Tage"],
        said,
        types={"Aufnahme": "DATETIME"},
    )
