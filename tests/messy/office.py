"""A hundred and twenty further files as a hospital's offices send them, a different trouble in each.

The expectation is written with the file: what a person would read from it. Where more than one reading is honest, the
case asks only that something is told.
"""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from tests.messy.cases import Case, Rows, csv_bytes

_NAMES = ["Fall", "Station", "Aufnahme", "Alter", "Kreatinin", "Entlassung"]
_WARDS = ("Chirurgie", "Innere", "Geriatrie", "Intensiv")
_ENDS = ("nach Hause", "verlegt", "verstorben")


def _rows(chance: random.Random, n: int = 30) -> Rows:
    return [
        [
            f"F{4000 + i}",
            chance.choice(_WARDS),
            f"{chance.randint(13, 28)}.{chance.randint(1, 12):02d}.2024",
            str(chance.randint(18, 97)),
            f"{chance.uniform(0.5, 8):.2f}".replace(".", ","),
            chance.choice(_ENDS),
        ]
        for i in range(n)
    ]


def _text(rows: Sequence[Sequence[str]], delimiter: str = ";", end: str = "\r\n") -> str:
    return csv_bytes(rows, delimiter=delimiter, end=end).decode()


def exports(chance: random.Random) -> Iterator[Case]:
    """Text files."""
    group = "office: text"

    def case(name: str, content: bytes | str, names: list[str] | None, rows: Rows, **more: Any) -> Case:
        data = content.encode() if isinstance(content, str) else content
        return Case(group, name, data, names, rows, **more)

    rows = _rows(chance)
    plain = _text([_NAMES, *rows])
    yield case("sep-line.csv", "sep=;\r\n" + plain, _NAMES, rows)
    yield case("sep-line-bom.csv", b"\xef\xbb\xbfsep=;\r\n" + plain.encode(), _NAMES, rows)
    yield case("sep-line-tab.csv", "sep=\t\r\n" + _text([_NAMES, *rows], "\t"), _NAMES, rows)
    yield case("utf16-le-no-bom.csv", plain.encode("utf-16-le"), _NAMES, rows)
    yield case("utf16-be-bom-tab.txt", b"\xfe\xff" + _text([_NAMES, *rows], "\t").encode("utf-16-be"), _NAMES, rows)
    yield case("utf16-be-no-bom.csv", plain.encode("utf-16-be"), _NAMES, rows)
    yield case("utf32.csv", plain.encode("utf-32"), _NAMES, rows)
    umlauts = [[*row[:5], "nach Hause, später Rückkehr" if i % 3 else "verstorben"] for i, row in enumerate(rows)]
    for codec in ("cp1252", "latin_1", "cp850", "mac_roman"):
        end = "\r" if codec == "mac_roman" else "\r\n"
        yield case(f"umlauts-{codec}.csv", _text([_NAMES, *umlauts], end=end).encode(codec), _NAMES, umlauts)
    euro = [[row[0], f"„{row[1]}“ – Süd", f"{chance.randint(100, 900)},00 €"] for row in rows]
    yield case(
        "smart-quotes.csv",
        _text([["Fall", "Station", "Kosten"], *euro]).encode("cp1252"),
        ["Fall", "Station", "Kosten"],
        euro,
    )
    late = [[f"F{i}", "Geriatrie", "keine"] for i in range(4000)]
    late[3990][2] = "Überleitung nach Köln"
    yield case(
        "late-umlaut-1252.csv",
        _text([["Fall", "Station", "Notiz"], *late]).encode("cp1252"),
        ["Fall", "Station", "Notiz"],
        late,
    )
    yield case(
        "late-umlaut-utf8.csv",
        _text([["Fall", "Station", "Notiz"], *late]).encode(),
        ["Fall", "Station", "Notiz"],
        late,
    )
    mixed = [[f"F{i}", "Süd" if i % 2 else "Köln", str(30 + i % 50)] for i in range(60)]
    lines = [";".join(row) + "\r\n" for row in [["Fall", "Haus", "Alter"], *mixed]]
    yield case(
        "two-encodings.csv",
        b"".join(line.encode("utf-8" if i < 40 else "cp1252") for i, line in enumerate(lines)),
        ["Fall", "Haus", "Alter"],
        mixed,
        told=True,
    )
    yield case(
        "twice-encoded.csv", _text([_NAMES, *umlauts]).encode().decode("cp1252").encode(), _NAMES, umlauts, told=True
    )
    yield case("trailing.csv", "".join(line + ";\r\n" for line in plain.splitlines()), _NAMES, rows)
    yield case(
        "trailing-data-only.csv",
        ";".join(_NAMES) + "\r\n" + "".join(line + ";\r\n" for line in plain.splitlines()[1:]),
        _NAMES,
        rows,
    )
    yield case("trailing-many.csv", "".join(line + ";;;;;\r\n" for line in plain.splitlines()), _NAMES, rows)
    yield case("trailing-header-only.csv", plain.replace("Entlassung\r\n", "Entlassung;\r\n", 1), _NAMES, rows)
    yield case("nul-end.csv", plain.encode() + b"\0" * 512, _NAMES, rows)
    yield case("nul-between.csv", plain.encode().replace(b"Innere", b"Inn\0ere", 1), _NAMES, rows)
    yield case("ctrl-z.csv", plain + "\x1a", _NAMES, rows)
    yield case("double-bom.csv", b"\xef\xbb\xbf\xef\xbb\xbf" + plain.encode(), _NAMES, rows)
    yield case(
        "bom-inside.csv",
        b"\xef\xbb\xbf" + plain.encode() + b"\xef\xbb\xbf" + _text([_NAMES, *umlauts]).encode(),
        _NAMES,
        [*rows, *umlauts],
        told=True,
    )
    yield case("joined-exports.csv", plain + plain, _NAMES, [*rows, *rows], told=True)
    other = _text([["Fall", "Befund", "Wert"], *([row[0], "CRP", row[3]] for row in rows)])
    yield case("two-exports.csv", plain + "\r\n" + other, _NAMES, rows, told=True)
    yield case("blank-lines.csv", plain.replace("\r\n", "\r\n\r\n"), _NAMES, rows)
    yield case("crlf-lf-mixed.csv", plain.replace("\r\n", "\n", 12), _NAMES, rows)
    yield case("cr-cr-lf.csv", plain.replace("\r\n", "\r\r\n"), _NAMES, rows)
    yield case("form-feeds.csv", plain.replace("F4010", "\x0cF4010").replace("F4020", "\x0cF4020"), _NAMES, rows)
    notes = [
        [*row[:5], "Zeile eins\nZeile zwei; mit Strichpunkt" if i % 4 == 0 else row[5]] for i, row in enumerate(rows)
    ]
    yield case("quoted-newlines.csv", _text([_NAMES, *notes]), _NAMES, notes)
    long_notes = [[row[0], "\n".join(f"Zeile {k}" for k in range(1 + i % 12)), row[3]] for i, row in enumerate(rows)]
    yield case(
        "long-notes.csv",
        _text([["Fall", "Arztbrief", "Alter"], *long_notes]),
        ["Fall", "Arztbrief", "Alter"],
        long_notes,
    )
    inch = [[row[0], f'Katheter {5 + i % 4}" lang', row[3]] for i, row in enumerate(rows)]
    yield case(
        "inches.csv",
        "".join(";".join(row) + "\n" for row in [["Fall", "Material", "Alter"], *inch]),
        ["Fall", "Material", "Alter"],
        inch,
    )
    commas = csv_bytes([["case", "ward", "age"], *([row[0], row[1], row[3]] for row in rows)]).decode()
    yield case(
        "line-in-quotes.csv",
        "".join(f'"{line}"\r\n' for line in commas.splitlines()),
        ["case", "ward", "age"],
        [[r[0], r[1], r[3]] for r in rows],
    )
    single = [[row[0], f"{row[1]}; Haus 2", row[3]] for row in rows]
    yield case(
        "single-quotes.csv",
        "".join(f"'{a}';'{b}';'{c}'\r\n" for a, b, c in [["Fall", "Station", "Alter"], *single]),
        ["Fall", "Station", "Alter"],
        single,
    )
    yield case(
        "comma-space.csv",
        "".join(", ".join(row) + "\n" for row in [["case", "ward", "age"], *([r[0], r[1], r[3]] for r in rows)]),
        ["case", "ward", "age"],
        [[r[0], r[1], r[3]] for r in rows],
    )
    quoted_space = [[r[0], f"Meier, {r[1]}", r[3]] for r in rows]
    yield case(
        "comma-space-quotes.csv",
        "".join(f'{a}, "{b}", {c}\n' for a, b, c in [["case", "name", "age"], *quoted_space]),
        ["case", "name", "age"],
        quoted_space,
    )
    backslash = [[r[0], f'sagt "{r[5]}"', r[3]] for r in rows]
    yield case(
        "backslash.csv",
        "".join(
            '"{}";"{}";"{}"\n'.format(*(c.replace('"', '\\"') for c in row))
            for row in [["Fall", "Notiz", "Alter"], *backslash]
        ),
        ["Fall", "Notiz", "Alter"],
        backslash,
    )
    tab_rows = [[r[0], r[1], r[3], r[5]] for r in rows]
    names4 = ["Fall", "Station", "Alter", "Entlassung"]
    yield case("tab-as-xls.xls", _text([names4, *tab_rows], "\t").encode("cp1252"), names4, tab_rows)
    r_rows = [[str(i + 1), *row] for i, row in enumerate(tab_rows)]
    yield case(
        "r-write-table.txt",
        " ".join(f'"{n}"' for n in names4)
        + "\n"
        + "".join(f'"{r[0]}" "{r[1]}" "{r[2]}" {r[3]} "{r[4]}"\n' for r in r_rows),
        None,
        r_rows,
    )
    frame = ["+-------+------------+-----+------------+"]
    table = [f"| {a:<5} | {b:<10} | {c:>3} | {d:<10} |" for a, b, c, d in [[*names4[:3], "Ende"], *tab_rows]]
    yield case(
        "mysql-table.txt",
        "\n".join([*frame, table[0], *frame, *table[1:], *frame, f"{len(rows)} rows in set (0.01 sec)", ""]),
        [*names4[:3], "Ende"],
        tab_rows,
        told=True,
    )
    psql = [f" {a:<5} | {b:<10} | {c:>5} | {d:<10}" for a, b, c, d in [[*names4[:3], "Ende"], *tab_rows]]
    yield case(
        "psql.txt",
        "\n".join([psql[0], "-------+------------+-------+------------", *psql[1:], f"({len(rows)} rows)", ""]),
        [*names4[:3], "Ende"],
        tab_rows,
        told=True,
    )
    art = "*" * 50 + "\n*   KLINIKUM AM BERG - AUFNAHMEN 2024   *\n" + "*" * 50 + "\n\n"
    yield case("ascii-art.csv", art + plain.replace("\r\n", "\n"), _NAMES, rows, told=True)
    banner = "  _  __ _ _       _ _    \n | |/ /| (_)_ __ (_) | __\n | ' / | | | '_ \\| | |/ /\n | . \\ | | | | | | |   < \n |_|\\_\\|_|_|_| |_|_|_|\\_\\\n\n"
    yield case("ascii-banner.csv", banner + plain.replace("\r\n", "\n"), _NAMES, rows, told=True)
    comments = "# Export KIS 7.2\n# Benutzer: meier\n# Datum: 03.02.2025; 14:05\n"
    yield case("comments.csv", comments + plain.replace("\r\n", "\n"), _NAMES, rows, told=True)
    keys = "Bericht:;Aufnahmen\nZeitraum:;01.01.2024 - 31.12.2024\nErstellt von:;Dr. Meier\n\n"
    yield case("key-values.csv", keys + plain.replace("\r\n", "\n"), _NAMES, rows, told=True)
    pages = "".join(
        f"Seite {p + 1} von 3\n" + _text([_NAMES, *rows[10 * p : 10 * p + 10]], end="\n") + "\n" for p in range(3)
    )
    yield case("pages.csv", pages, _NAMES, rows, told=True)
    dashes = [[("--" if i % 7 == 3 and k == 4 else c) for k, c in enumerate(row)] for i, row in enumerate(rows)]
    yield case("dashes-missing.csv", _text([_NAMES, *dashes]), _NAMES, dashes, missing=(("Kreatinin", "--"),))
    footers: tuple[tuple[str, str], ...] = (
        ("Gesamt", f"Gesamt;;;{sum(int(r[3]) for r in rows)};;"), ("Summe:", f";;Summe:;{sum(int(r[3]) for r in rows)};;"),
        ("Mittelwert", f"Mittelwert;;;{sum(int(r[3]) for r in rows) / 30:.1f};;".replace(".", ",")), ("Anzahl", "Anzahl Fälle: 30;;;;;"),
        ("Total général", f"Total général;;;{sum(int(r[3]) for r in rows)};;"), ("Ende", "*** Ende der Liste ***"),
        ("n=30", "n = 30"), ("Legende", "Legende: verlegt = in ein anderes Haus"),
    )  # fmt: skip
    for i, (_, line) in enumerate(footers):
        yield case(f"footer{i}.csv", plain + line + "\r\n", _NAMES, rows, told=True)
    kept = [
        [r[0], ("Gesamteiweiß", "Gesamtcholesterin", "Summe Scores", "CRP")[i % 4], r[4]] for i, r in enumerate(rows)
    ]
    kept[-1][1] = "Gesamteiweiß"
    yield case(
        "total-is-a-test.csv", _text([["Fall", "Parameter", "Wert"], *kept]), ["Fall", "Parameter", "Wert"], kept
    )
    kept = [
        [("Gesamteiweiß", "Gesamtcholesterin", "Total protein", "CRP")[i % 4], r[4], r[0]] for i, r in enumerate(rows)
    ]
    kept[-1][0] = "Total protein"
    yield case("total-first.csv", _text([["Parameter", "Wert", "Fall"], *kept]), ["Parameter", "Wert", "Fall"], kept)
    people = [
        ["Null", "Jana"],
        ["NA", "Minh"],
        ["None", "Peter"],
        ["True", "Mary"],
        ["Inf", "Li"],
        ["Nan", "Khin"],
        *([f"Meier{k}", "Otto"] for k in range(20)),
    ]
    yield case("people-null.csv", _text([["Name", "Vorname"], *people]), ["Name", "Vorname"], people)
    # Numbers
    money = [[r[0], f"{chance.randint(1, 90)}.{chance.randint(100, 999)},{chance.randint(10, 99)}"] for r in rows]
    yield case(
        "thousands-points.csv",
        _text([["Fall", "Kosten"], *money]),
        ["Fall", "Kosten"],
        money,
        types={"Kosten": "DECIMAL"},
    )
    swiss = [[r[0], f"{chance.randint(1, 90)}'{chance.randint(100, 999)}.{chance.randint(10, 99)}"] for r in rows]
    yield case(
        "thousands-swiss.csv",
        _text([["Fall", "Kosten"], *swiss]),
        ["Fall", "Kosten"],
        swiss,
        types={"Kosten": "DECIMAL"},
    )
    swiss2 = [[r[0], f"{chance.randint(1, 90)}’{chance.randint(100, 999)}.{chance.randint(10, 99)}"] for r in rows]
    yield case(
        "thousands-swiss-curly.csv",
        _text([["Fall", "Kosten"], *swiss2]),
        ["Fall", "Kosten"],
        swiss2,
        types={"Kosten": "DECIMAL"},
    )
    french = [[r[0], f"{chance.randint(1, 90)}\u202f{chance.randint(100, 999)},{chance.randint(10, 99)}"] for r in rows]
    yield case(
        "thousands-french.csv", _text([["Fall", "Coût"], *french]), ["Fall", "Coût"], french, types={"Coût": "DECIMAL"}
    )
    points = [[r[0], f"{chance.randint(1, 9)}.{chance.randint(100, 999)}"] for r in rows]
    yield case(
        "thousands-or-decimals.csv", _text([["Fall", "Leukozyten"], *points]), ["Fall", "Leukozyten"], points, told=True
    )
    for name, texts_ in {
        "percent": [f"{chance.randint(1, 99)} %" for _ in rows], "percent-tight": [f"{chance.randint(1, 99)},{chance.randint(0, 9)}%" for _ in rows],
        "minus-behind": [f"{chance.randint(1, 99)},{chance.randint(10, 99)}{'-' if i % 5 == 0 else ''}" for i, _ in enumerate(rows)],
        "parentheses": [(f"({chance.randint(1, 99)},50)" if i % 5 == 0 else f"{chance.randint(1, 99)},50") for i, _ in enumerate(rows)],
        "euro-behind": [f"{chance.randint(1, 99)},{chance.randint(10, 99)} €" for _ in rows], "euro-before": [f"€ {chance.randint(1, 99)},{chance.randint(10, 99)}" for _ in rows],
        "kilos": [f"{chance.randint(40, 120)} kg" for _ in rows], "metres": [f"1,{chance.randint(50, 99)} m" for _ in rows],
        "unicode-minus": [f"{'−' if i % 3 == 0 else ''}{chance.randint(1, 9)},{chance.randint(0, 9)}" for i, _ in enumerate(rows)],
        "plus": [f"+{chance.randint(1, 9)},{chance.randint(0, 9)}" for _ in rows],
    }.items():  # fmt: skip
        made = [[r[0], text] for r, text in zip(rows, texts_, strict=True)]
        kind = "INTEGER" if name == "kilos" else "DECIMAL"
        yield case(f"number-{name}.csv", _text([["Fall", "Wert"], *made]), ["Fall", "Wert"], made, types={"Wert": kind})
    for name, texts_, kind in (
        ("zeros", [f"{chance.randint(1, 999):06d}" for _ in rows], "CATEGORY"), ("plz", [f"0{chance.randint(1000, 9999)}" if i % 3 else str(chance.randint(10000, 99999)) for i, _ in enumerate(rows)], "CATEGORY"),
        ("pressure", [f"{chance.randint(100, 180)}/{chance.randint(60, 99)}" for _ in rows], "CATEGORY"), ("fraction", [f"{chance.randint(1, 12)}/{chance.randint(1, 12)}" for _ in rows], "CATEGORY"),
        ("icd", [f"{chance.choice('EFGIJ')}{chance.randint(10, 99)}.{chance.randint(0, 9)}" for _ in rows], "CATEGORY"), ("tnm", [f"{chance.randint(1, 4)}E{chance.randint(1, 9)}" for _ in rows], "CATEGORY"),
        ("clock", [f"{chance.randint(0, 23):02d}:{chance.randint(0, 59):02d}" for _ in rows], "CATEGORY"), ("ja-nein", [chance.choice(("ja", "nein")) for _ in rows], "BOOLEAN"),
        ("wahr", [chance.choice(("WAHR", "FALSCH")) for _ in rows], "BOOLEAN"), ("vrai", [chance.choice(("VRAI", "FAUX")) for _ in rows], "BOOLEAN"), ("oui", [chance.choice(("oui", "non")) for _ in rows], "BOOLEAN"),
        ("monat", [f"{chance.randint(1, 28)}. {chance.choice(('Januar', 'März', 'Mai', 'Oktober'))} 2024" for _ in rows], "DATE"), ("mois", [f"{chance.randint(1, 28)} {chance.choice(('janvier', 'févr.', 'août', 'décembre'))} 2024" for _ in rows], "DATE"),
        ("two-digit-year", [f"{chance.randint(13, 28)}.{chance.randint(1, 12):02d}.24" for _ in rows], "DATE"), ("us", [f"{chance.randint(1, 12)}/{chance.randint(13, 28)}/2024" for _ in rows], "DATE"),
        ("wide-digits", ["".join(chr(0xFF10 + int(d)) for d in str(chance.randint(10, 99))) for _ in rows], "INTEGER"), ("compact-date", [f"2024{chance.randint(1, 12):02d}{chance.randint(10, 28)}" for _ in rows], "DATE"),
        ("weekday-date", [f"{chance.choice(('Mo', 'Di', 'Mi'))}, {chance.randint(13, 28)}.{chance.randint(1, 12):02d}.2024" for _ in rows], "DATE"),
    ):  # fmt: skip
        made = [[r[0], text] for r, text in zip(rows, texts_, strict=True)]
        yield case(f"value-{name}.csv", _text([["Fall", "Wert"], *made]), ["Fall", "Wert"], made, types={"Wert": kind})
    doubtful = [[r[0], f"{chance.randint(1, 12):02d}/{chance.randint(1, 12):02d}/2024"] for r in rows]
    yield case("date-either.csv", _text([["Fall", "Datum"], *doubtful]), ["Fall", "Datum"], doubtful, told=True)
    formats = [
        [r[0], r[2] if i % 4 else f"2024-{chance.randint(1, 12):02d}-{chance.randint(10, 28)}"]
        for i, r in enumerate(rows)
    ]
    yield case(
        "date-formats.csv", _text([["Fall", "Datum"], *formats]), ["Fall", "Datum"], formats, types={"Datum": "DATE"}
    )
    serial = [[r[0], r[2] if i % 3 else str(45_300 + i)] for i, r in enumerate(rows)]
    yield case(
        "date-serials.csv", _text([["Fall", "Datum"], *serial]), ["Fall", "Datum"], serial, types={"Datum": "DATE"}
    )
    science = [[f"{1 + i % 3},23457E+11", r[1]] for i, r in enumerate(rows)]
    yield case(
        "ids-scientific.csv",
        _text([["Versicherungsnummer", "Station"], *science]),
        ["Versicherungsnummer", "Station"],
        science,
        told=True,
    )
    hashes = [[r[0], "########" if i % 4 == 0 else r[2]] for i, r in enumerate(rows)]
    yield case(
        "hashes.csv", _text([["Fall", "Datum"], *hashes]), ["Fall", "Datum"], hashes, missing=(("Datum", "########"),)
    )
    formulas = [[f'="{chance.randint(1, 999):05d}"', r[1]] for r in rows]
    yield case(
        "excel-formula-text.csv",
        "".join(f"{a};{b}\r\n" for a, b in [["Nummer", "Station"], *formulas]),
        ["Nummer", "Station"],
        [[a[2:-1], b] for a, b in formulas],
    )
    errors = [
        [r[0], r[1], ("#DIV/0!", "#NV", "#WERT!", "#BEZUG!", "#N/A")[i % 5] if i % 6 == 0 else r[4]]
        for i, r in enumerate(rows)
    ]
    yield case(
        "excel-errors.csv",
        _text([["Fall", "Station", "Quotient"], *errors]),
        ["Fall", "Station", "Quotient"],
        errors,
        missing=(("Quotient", "#WERT!"), ("Quotient", "#NV")),
    )
    labs = [[r[0], ("<0,1", ">200", "neg")[i % 3] if i % 4 == 0 else r[4]] for i, r in enumerate(rows)]
    yield case("lab-bounds.csv", _text([["Fall", "CRP"], *labs]), ["Fall", "CRP"], labs, told=True)
    for i, mark in enumerate(
        ("k.A.", "n.b.", "entfällt", "keine Angabe", "inconnu", "sans objet", "#NULL!", "\\N", "NULL", ".")
    ):
        marked = [[r[0], mark if k % 5 == 0 else r[3]] for k, r in enumerate(rows)]
        yield case(
            f"mark{i}.csv", _text([["Fall", "Alter"], *marked]), ["Fall", "Alter"], marked, missing=(("Alter", mark),)
        )
    subtotals: Rows = []
    clean: Rows = []
    for ward in _WARDS:
        inside = [[r[0], ward, r[3]] for r in rows if r[1] == ward]
        clean += inside
        subtotals += [*inside, [f"Zwischensumme {ward}", "", str(sum(int(r[2]) for r in inside))]]
    yield case(
        "subtotals.csv",
        _text([["Fall", "Station", "Alter"], *subtotals]),
        ["Fall", "Station", "Alter"],
        clean,
        told=True,
    )
    sections = [
        line
        for ward in _WARDS
        for line in ([f"Station {ward}", "", ""], *([r[0], r[3], r[5]] for r in rows if r[1] == ward))
    ]
    inner = [[r[0], r[3], r[5]] for ward in _WARDS for r in rows if r[1] == ward]
    yield case(
        "sections.csv",
        _text([["Fall", "Alter", "Entlassung"], *sections]),
        ["Fall", "Alter", "Entlassung"],
        inner,
        told=True,
    )
    remark = [[*r] for r in rows]
    content = _text([_NAMES, *remark]).splitlines()
    content[7] += ";storniert"
    yield case("longer-row.csv", "\r\n".join(content) + "\r\n", _NAMES, [], told=True)
    short = [[*r[:4], "", ""] if i % 9 == 4 else r for i, r in enumerate(rows)]
    yield case(
        "shorter-rows.csv",
        "\r\n".join([";".join(_NAMES), *(";".join(r).rstrip(";") for r in short)]) + "\r\n",
        _NAMES,
        short,
    )
    twice = [[r[0], r[2], r[5], r[2]] for r in rows]
    yield case(
        "names-twice.csv",
        _text([["Fall", "Datum", "Entlassung", "Datum"], *twice]),
        ["Fall", "Datum", "Entlassung", "Datum (2)"],
        twice,
        told=True,
    )
    unnamed = [[r[0], "", r[3], r[5]] for r in rows]
    yield case(
        "unnamed-empty-column.csv",
        _text([["Fall", "", "Alter", "Entlassung"], *unnamed]),
        ["Fall", "Alter", "Entlassung"],
        [[r[0], r[2], r[3]] for r in unnamed],
    )
    odd = [[f"\u00a0{n} " for n in names4], *([f" {c}\u00a0" for c in r] for r in tab_rows)]
    yield case("blanks-around.csv", _text(odd), names4, tab_rows)
    qualtrics = [
        ["Q1", "Q2", "Q3"],
        ["Wie alt sind Sie?", "Wie geht es Ihnen, heute?", "Rauchen Sie?"],
        ['{"ImportId":"QID1"}', '{"ImportId":"QID2"}', '{"ImportId":"QID3"}'],
        *([r[3], r[5], "ja" if i % 2 else "nein"] for i, r in enumerate(rows)),
    ]
    yield case(
        "qualtrics.csv",
        csv_bytes(qualtrics),
        None,
        [[r[3], r[5], "ja" if i % 2 else "nein"] for i, r in enumerate(rows)],
        told=True,
    )
    typed = [["case", "age", "ward"], ["varchar(10)", "int", "varchar(20)"], *([r[0], r[3], r[1]] for r in rows)]
    yield case("type-row.csv", csv_bytes(typed), None, [[r[0], r[3], r[1]] for r in rows], told=True)
    one = [[r[0]] for r in rows]
    yield case("one-column.csv", _text([["Fallnummer"], *one]), ["Fallnummer"], one)
    few = rows[:2]
    yield case("two-records.csv", _text([_NAMES, *few]), _NAMES, few)
    names = ["患者", "病棟", "年齢", "備考"]
    japan = [
        [f"P{i}", ("外科", "内科", "小児科")[i % 3], str(20 + i), ("表示能力", "ソフト十予定", "申し送り")[i % 3]]
        for i in range(40)
    ]
    yield case("sjis-backslash.csv", _text([names, *japan], ",").encode("cp932"), names, japan)
    era = [[f"P{i}", f"令和{1 + i % 6}年{1 + i % 12}月{1 + i % 28}日"] for i in range(30)]
    yield case("sjis-era.csv", _text([["患者番号", "入院日"], *era], ",").encode("cp932"), ["患者番号", "入院日"], era)
    rare = [[f"B{i}", ("张𠮷", "李㐂", "王小明")[i % 3], "肺炎"] for i in range(30)]
    yield case(
        "gb18030-four-bytes.csv",
        _text([["编号", "姓名", "诊断"], *rare], ",").encode("gb18030"),
        ["编号", "姓名", "诊断"],
        rare,
    )
    thai = [[f"T{i}", ("โรคปอดบวม", "เบาหวาน", "ความดันโลหิตสูง")[i % 3], str(30 + i)] for i in range(30)]
    yield case(
        "thai.csv",
        _text([["เลขที่", "การวินิจฉัย", "อายุ"], *thai], ",").encode("tis-620"),
        ["เลขที่", "การวินิจฉัย", "อายุ"],
        thai,
    )
    wide = [f"{a:<10}{b:<14}{c:>5}  {d}" for a, b, c, d in [names4, *tab_rows]]
    yield case("fixed.txt", "\n".join(wide) + "\n", names4, tab_rows)
    yield case(
        "spaces.txt",
        "\n".join("   ".join(r) for r in [["Fall", "Station", "Alter"], *([r[0], r[1], r[3]] for r in rows)]) + "\n",
        ["Fall", "Station", "Alter"],
        [[r[0], r[1], r[3]] for r in rows],
    )
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("export.csv", plain)
    yield case("export.zip", zipped.getvalue(), _NAMES, rows)


def books(chance: random.Random) -> Iterator[Case]:
    """Workbooks, web pages, and XML under a workbook's name."""
    import datetime as dt

    import openpyxl
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    group = "office: workbook"
    rows = [[r[0], r[1], int(r[3]), float(r[4].replace(",", ".")), r[5]] for r in _rows(chance)]
    names = ["Fall", "Station", "Alter", "Kreatinin", "Entlassung"]
    read = [[r[0], r[1], str(r[2]), f"{r[3]:g}", r[4]] for r in rows]

    def saved(book: Any) -> bytes:
        out = io.BytesIO()
        book.save(out)
        return out.getvalue()

    def new(*lines: Sequence[Any]) -> tuple[Any, Any]:
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(list(line))
        return book, book.active

    def case(name: str, book: Any, names: list[str] | None = names, rows: Rows = read, **more: Any) -> Case:
        return Case(group, name, book if isinstance(book, bytes) else saved(book), names, rows, **more)

    book, sheet = new(["Patient", None, "Labor", None, "Ende"], names, [None, None, "Jahre", "mg/dl", None], *rows)
    sheet.merge_cells("A1:B1")
    sheet.merge_cells("C1:D1")
    yield case(
        "two-headers-units.xlsx",
        book,
        ["Patient Fall", "Patient Station", "Labor Alter Jahre", "Labor Kreatinin mg/dl", "Ende Entlassung"],
    )
    yield case(
        "header-line-breaks.xlsx",
        new(["Fall-\nnummer", "Station", "Alter\n(Jahre)", "Kreatinin", "Entlassung"], *rows)[0],
        ["Fall- nummer", "Station", "Alter (Jahre)", "Kreatinin", "Entlassung"],
    )
    book, sheet = new()
    for down, row in enumerate([names, *rows]):
        for at, value in enumerate(row):
            sheet.cell(7 + down, 3 + at, value)
    sheet["C3"] = "Klinikum am Berg"
    sheet["F4"] = "Stand: 03.02.2025"
    yield case("offset.xlsx", book, told=True)
    book, sheet = new(names, *rows)
    for i in range(4):
        sheet.cell(2 + i, 9, ("Legende", "verlegt = anderes Haus", "verstorben = im Haus", "nach Hause = auch Heim")[i])
    yield case("notes-beside.xlsx", book, told=True)
    book, sheet = new(names, *rows)
    for at, name in enumerate(("Station", "Betten")):
        sheet.cell(1, 8 + at, name)
    for i, ward in enumerate(_WARDS):
        sheet.cell(2 + i, 8, ward)
        sheet.cell(2 + i, 9, 20 + i)
    yield case("table-beside.xlsx", book, told=True)
    book, sheet = new(names, *rows)
    sheet.append([])
    sheet.append(["Station", "Betten", "Leitung"])
    for i, ward in enumerate(_WARDS):
        sheet.append([ward, 20 + i, "Dr. Meier"])
    yield case("table-below.xlsx", book, told=True)
    yield case(
        "numbers-as-texts.xlsx",
        new(names, *[[str(c) for c in r] for r in rows])[0],
        names,
        [[str(c) for c in r] for r in rows],
        types={"Alter": "INTEGER", "Kreatinin": "DECIMAL"},
    )
    half = [[r[0], r[1], str(r[2]) if i % 2 else r[2], r[3], r[4]] for i, r in enumerate(rows)]
    yield case("half-as-texts.xlsx", new(names, *half)[0], types={"Alter": "INTEGER"})
    commas = [[r[0], r[1], r[2], str(r[3]).replace(".", ",") if i % 2 else r[3], r[4]] for i, r in enumerate(rows)]
    yield case(
        "half-commas.xlsx",
        new(names, *commas)[0],
        names,
        [[*map(str, r[:3]), r[3] if isinstance(r[3], str) else f"{r[3]:g}", r[4]] for r in commas],
        types={"Kreatinin": "DECIMAL"},
    )
    book, sheet = new(names, *rows)
    for i in range(2, 32, 6):
        sheet.cell(i, 4, ("#N/A", "#DIV/0!", "#REF!")[i % 3])
    yield case(
        "errors.xlsx",
        book,
        names,
        [[*r[:3], "#REF!" if i % 6 == 0 else r[3], r[4]] for i, r in enumerate(read)],
        told=True,
    )
    book, sheet = new(names, *rows)
    for row in (5, 6, 7):
        sheet.row_dimensions[row].hidden = True
    sheet.column_dimensions["C"].hidden = True
    yield case("hidden-rows.xlsx", book, told=True)
    book, sheet = new(["nichts"])
    sheet.sheet_state = "veryHidden"
    data = book.create_sheet("Daten")
    for row in [names, *rows]:
        data.append(row)
    book.active = 1
    yield case("very-hidden-first.xlsx", book)
    pivot = [
        ["Zeilenbeschriftungen", "Anzahl von Fall", "Mittelwert von Alter"],
        ["Chirurgie", 12, 61.5],
        ["  verlegt", 5, 60.5],
        ["  verstorben", 7, 62.2],
        ["Innere", 9, 70.5],
        ["  verlegt", 4, 71.5],
        ["  verstorben", 5, 69.5],
        ["Gesamtergebnis", 21, 65.4],
    ]
    yield case(
        "pivot.xlsx",
        new([], [], *pivot)[0],
        ["Zeilenbeschriftungen", "Anzahl von Fall", "Mittelwert von Alter"],
        [],
        told=True,
    )
    book, sheet = new(names)
    for i, r in enumerate(rows):
        sheet.append([*r[:3], f"=C{i + 2}/10", r[4]])
    yield case("formulas-never-calculated.xlsx", book, names, [], told=True)
    book, sheet = new(names, *rows)
    for i in range(2, 32):
        sheet.cell(i, 4).value = 0.01 * i
        sheet.cell(i, 4).number_format = "0%"
    yield case(
        "percent-format.xlsx",
        book,
        names,
        [[*r[:3], f"{0.01 * (i + 2):g}", r[4]] for i, r in enumerate(read)],
        types={"Kreatinin": "DECIMAL"},
    )
    book, sheet = new(["Kennung", "Alter"], *[[100 + i, r[2]] for i, r in enumerate(rows)])
    for i in range(2, 32):
        sheet.cell(i, 1).number_format = "00000"
    yield case(
        "zeros-by-format.xlsx", book, ["Kennung", "Alter"], [[f"{100 + i:05d}", str(r[2])] for i, r in enumerate(rows)]
    )
    book, sheet = new(
        ["Fall", "Dauer"], *[[r[0], dt.timedelta(hours=20 + 3 * i, minutes=5)] for i, r in enumerate(rows)]
    )
    yield case(
        "durations.xlsx", book, ["Fall", "Dauer"], [[r[0], f"{20 + 3 * i:02d}:05:00"] for i, r in enumerate(rows)]
    )
    book, sheet = new(["Fall", "Alter"], *[[r[0], r[2]] for r in rows])
    for i in range(2, 32):
        sheet.cell(i, 2).number_format = "DD.MM.YYYY"
    yield case("ages-as-dates.xlsx", book, ["Fall", "Alter"], [], told=True)
    days = [
        [r[0], dt.date(2024, 1 + i % 12, 3 + i % 20) if i % 3 else f"{3 + i % 20}.{1 + i % 12}.2024"]
        for i, r in enumerate(rows)
    ]
    yield case(
        "dates-half-texts.xlsx",
        new(["Fall", "Datum"], *days)[0],
        ["Fall", "Datum"],
        [[a, b.isoformat() if isinstance(b, dt.date) else b] for a, b in days],
        types={"Datum": "DATE"},
    )
    book, sheet = new(["Fall", "Datum"], *[[r[0], dt.datetime(2024, 1 + i % 12, 3)] for i, r in enumerate(rows)])
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    yield case(
        "dates-1904.xlsx",
        book,
        ["Fall", "Datum"],
        [[r[0], f"2024-{1 + i % 12:02d}-03"] for i, r in enumerate(rows)],
        types={"Datum": "DATE"},
    )
    yield case(
        "booleans.xlsx",
        new(["Fall", "Diabetes"], *[[r[0], i % 3 == 0] for i, r in enumerate(rows)])[0],
        ["Fall", "Diabetes"],
        [[r[0], "TRUE" if i % 3 == 0 else "FALSE"] for i, r in enumerate(rows)],
        types={"Diabetes": "BOOLEAN"},
    )
    book, sheet = new(names, *rows)
    for i in range(2, 32):
        sheet.cell(i, 5).value = CellRichText("nach ", TextBlock(InlineFont(b=True), "Hause"))
    yield case("rich-text.xlsx", book, names, [[*r[:4], "nach Hause"] for r in read])
    book, sheet = new(names, *rows)
    sheet.cell(1_048_000, 1).number_format = "@"
    sheet.cell(5000, 20).fill = openpyxl.styles.PatternFill("solid", fgColor="FFFF00")
    yield case("formatted-far-away.xlsx", book)
    book, sheet = new([None, *names], *[[None, *r] for r in rows])
    yield case("blank-first-column.xlsx", book)
    book, sheet = new([c for n in names for c in (n, None)], *[[c for v in r for c in (v, None)] for r in rows])
    yield case("blank-columns-between.xlsx", book)
    book, sheet = new(names)
    last = None
    for r in sorted(rows, key=lambda r: r[1]):
        sheet.append([r[0], None if r[1] == last else r[1], *r[2:]])
        last = r[1]
    yield case("ward-said-once.xlsx", book, names, [], told=True)
    ordered = sorted(read, key=lambda r: r[1])
    book, sheet = new(names, *sorted(rows, key=lambda r: r[1]))
    start = 2
    for i in range(2, 33):
        if i == 32 or sheet.cell(i, 2).value != sheet.cell(start, 2).value:
            if i - 1 > start:
                sheet.merge_cells(start_row=start, end_row=i - 1, start_column=2, end_column=2)
            start = i
    yield case("wards-merged.xlsx", book, names, ordered)
    book = openpyxl.Workbook()
    book.remove(book.active)
    for month in ("Januar", "Februar", "März"):
        page = book.create_sheet(month)
        for row in ([f"Aufnahmen {month} 2024"], [], names, *rows[:10], ["Gesamt", None, sum(r[2] for r in rows[:10])]):
            page.append(list(row))
    every = [[*r, month] for month in ("Januar", "Februar", "März") for r in read[:10]]
    yield Case(group, "months.xlsx", saved(book), [*names, "Sheet"], every, sheets="all")
    yield case("months-one.xlsx", book, names, read[:10], told=True)
    # What a browser calls an Excel export
    cells = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in r) + "</tr>" for r in read)
    head = "".join(f"<th>{n}</th>" for n in names)
    page = f"<html><head><meta charset='windows-1252'></head><body><h1>Aufnahmen – März</h1><table border=1><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table><table><tr><td>Druck: Müller</td></tr></table></body></html>"
    yield case("web-page.xls", page.encode("cp1252"))
    spans = f"<table><tr><td colspan=5>Klinikum am Berg</td></tr><tr>{head}</tr>{cells}<tr><td>Gesamt</td><td></td><td>{sum(r[2] for r in rows)}</td><td></td><td></td></tr></table>"
    yield case("web-page-spans.xls", spans.encode(), told=True)
    xml = "".join(
        "<Row>"
        + "".join(
            f'<Cell><Data ss:Type="{"Number" if k in (2, 3) and i else "String"}">{c}</Data></Cell>'
            for k, c in enumerate(r)
        )
        + "</Row>"
        for i, r in enumerate([names, *read])
    )
    yield case(
        "xml-2003.xls",
        f'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="A"><Table>{xml}</Table></Worksheet></Workbook>'.encode(),
    )
    yield case("ods.ods", ods([names, *rows]))
    yield case(
        "ods-titles-total.ods",
        ods([["Aufnahmen 2024"], [], names, *rows, ["Gesamt", "", sum(r[2] for r in rows)]]),
        told=True,
    )
    yield from _statistics(group, names, rows)


def ods(rows: Sequence[Sequence[Any]]) -> bytes:
    """Return an OpenDocument sheet as LibreOffice writes one, with a repeated blank row below."""
    from xml.sax.saxutils import escape

    def cell(value: Any) -> str:
        if value == "":
            return "<table:table-cell/>"
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
        shown = f"{value:.1f}".replace(".", ",") if isinstance(value, float) else str(value)
        return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{shown}</text:p></table:table-cell>'

    body = "".join("<table:table-row>" + "".join(map(cell, row)) + "</table:table-row>" for row in rows)
    content = (
        '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'office:version="1.2"><office:body><office:spreadsheet><table:table table:name="Tabelle1">'
        f'{body}<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
            'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
    return out.getvalue()


def _statistics(group: str, names: list[str], rows: Sequence[Sequence[Any]]) -> Iterator[Case]:
    """Files of statistics programs, with labels of values and missing ones."""
    import tempfile
    from pathlib import Path

    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame([list(r) for r in rows], columns=names)
    frame["Geschlecht"] = [1.0 + i % 2 for i in range(len(rows))]
    labels = {"Geschlecht": {1: "männlich", 2: "weiblich"}}
    want = [[r[0], r[1], str(r[2]), f"{r[3]:g}", r[4], ("männlich", "weiblich")[i % 2]] for i, r in enumerate(rows)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        pyreadstat.write_sav(
            frame, folder / "a.sav", variable_value_labels=labels, column_labels={"Alter": "Alter in Jahren"}
        )
        pyreadstat.write_dta(frame, folder / "a.dta", variable_value_labels=labels)
        pyreadstat.write_sav(frame, folder / "a.zsav", variable_value_labels=labels, compress=True)
        pyreadstat.write_xport(
            frame.rename(columns={n: n[:8] for n in frame.columns}), folder / "a.xpt", file_format_version=5
        )
        for name in ("a.sav", "a.dta", "a.zsav"):
            yield Case(group, name, (folder / name).read_bytes(), [*names, "Geschlecht"], want)
        yield Case(
            group, "a.xpt", (folder / "a.xpt").read_bytes(), [n[:8] for n in [*names, "Geschlecht"]],
            [[*r[:5], str(1 + i % 2)] for i, r in enumerate(want)],
        )  # fmt: skip
