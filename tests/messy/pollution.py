"""One clean file polluted in one way at a time, and the score of reading each.

After Vitagliano, Hameed, Jiang, Reisener, Wu and Naumann, Pollock: a data loading benchmark, PVLDB 16 (2023): a
file's structure is polluted, and reading is scored by success and by precision, recall and F1 of header, records and
cells, ten numbers of at most 1.
"""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.messy.cases import Case, Rows

_NAMES = ["DATE", "TIME", "Qty", "PRODUCTID", "Price", "ProductType", "ProductDescription", "URL", "Comments"]
_TYPES = ("Bandage", "Syringe", "Gloves", "Infusion set", "Mask")
_SENTENCES = (
    "Sterile, single use; 10 pieces a box", "Keep dry and below 25 °C", 'Also called "the small one"',
    "For adults and children, latex free", "", "Ordered on the 3rd, delivered on the 5th",
)  # fmt: skip


def _table(chance: random.Random, n: int = 84) -> Rows:
    return [
        [
            f"{chance.randint(10, 28)}/{chance.randint(1, 12):02d}/2018", f"{chance.randint(0, 23):02d}:{chance.randint(0, 59):02d}",
            str(chance.randint(1, 90)), f"P{chance.randint(100, 999)}", f"{chance.uniform(1, 90):.2f}", chance.choice(_TYPES),
            chance.choice(_SENTENCES), f"http://shop.example/{i}", chance.choice(("", "urgent", "none", "second order, late")),
        ]
        for i in range(n)
    ]  # fmt: skip


def _line(row: Sequence[str], delimiter: str = ",", quote: str = '"', escape: str = "") -> str:
    out = io.StringIO()
    csv.writer(
        out, delimiter=delimiter[0] if len(delimiter) == 1 else "\x1f", quotechar=quote or None, lineterminator="",
        doublequote=not escape, escapechar=escape or (None if quote else "\\"), quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    ).writerow(row)  # fmt: skip
    line = out.getvalue().replace("\x1f", delimiter)
    if any("\n" in cell or (len(delimiter) > 1 and delimiter in cell) for cell in row):
        return delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row)
    return line


def polluted(chance: random.Random) -> Iterator[Case]:
    """Yield the polluted files, each with the table that stands in it."""
    rows = _table(chance)
    clean = [_line(row) for row in [_NAMES, *rows]]

    def case(
        kind: str,
        name: str,
        lines: Sequence[str],
        *,
        end: str = "\n",
        names: list[str] | None = None,
        records: Rows | None = None,
        last: bool = True,
        encoding: str = "utf-8",
        nameless: bool = False,
    ) -> Case:
        text = end.join(lines) + (end if last else "")
        return Case(
            f"pollution: {kind}",
            f"{name}.csv",
            text.encode(encoding),
            None if nameless else names or _NAMES,
            rows if records is None else records,
        )

    yield case("file", "clean", clean)
    yield case("file", "no_trailing_newline", clean, last=False)
    yield case("file", "double_trailing_newline", [*clean, ""])
    for end, said in (("\r\n", "crlf"), ("\r", "cr"), ("\n", "lf")):
        yield case("record delimiter", said, clean, end=end)
    for encoding in ("utf-8-sig", "utf-16", "cp1252", "utf-16-le"):
        yield case("file", f"encoding_{encoding}", clean, encoding=encoding)
    for delimiter, said in (
        (";", "semicolon"),
        ("\t", "tab"),
        ("|", "bar"),
        (" ", "blank"),
        (", ", "comma_blank"),
        ("^", "caret"),
        ("~", "tilde"),
        ("#", "hash"),
        (":", "colon"),
    ):
        yield case("field delimiter", said, [_line(row, delimiter) for row in [_NAMES, *rows]])
    for quote, said in (("'", "single"), ("\u0022", "double")):
        for delimiter in ",;":
            yield case("quotes", f"{said}_{ord(delimiter)}", [_line(row, delimiter, quote) for row in [_NAMES, *rows]])
    for delimiter in ",;\t":
        yield case(
            "escape", f"backslash_{ord(delimiter)}", [_line(row, delimiter, '"', "\\") for row in [_NAMES, *rows]]
        )
    every = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [_NAMES, *rows]]
    yield case("quotes", "all_quoted", every)
    preambles = (
        ["Sales of 2018"], ["Sales of 2018", ""], ["Sales report", "Warehouse: north", ""], ["# exported 2019-01-02", "# by nobody"],
        ["Sales of 2018,,,,,,,,", "all amounts in EUR,,,,,,,,", ",,,,,,,,"], ["Report", "", "Page 1", ""],
    )  # fmt: skip
    for i, preamble in enumerate(preambles):
        yield case("preamble", f"preamble{i}", [*preamble, *clean])
    for i, footer in enumerate(
        (["", "Source: the shop"], ["", "84 records"], [",,,,,,,,", "End of report,,,,,,,,"], ["Total,,3613,,,,,,"])
    ):
        yield case("footer", f"footer{i}", [*clean, *footer])
    yield case("header", "none", clean[1:], nameless=True)
    yield case("header", "empty", [",,,,,,,,", *clean[1:]], nameless=True)
    twice = [*_NAMES[:-1], "URL"]
    yield case("header", "duplicate", [_line(twice), *clean[1:]], names=[*_NAMES[:-1], "URL (2)"])
    missing = [*_NAMES[:4], "", *_NAMES[5:]]
    yield case("header", "one_missing", [_line(missing), *clean[1:]], names=[*_NAMES[:4], "Column 5", *_NAMES[5:]])
    for n in (2, 3):
        parts = [[name if k == n - 1 else f"part{k}" for name in _NAMES] for k in range(n)]
        joined = [" ".join(dict.fromkeys(part[i] for part in parts)) for i in range(len(_NAMES))]
        yield case("header", f"rows{n}", [*map(_line, parts), *clean[1:]], names=joined)
    yield case("file", "one_record", clean[:2], records=rows[:1])
    yield case("file", "two_records", clean[:3], records=rows[:2])
    for at in (1, 2, 40, 84):
        for k in (1, 2):
            short = rows[at - 1][: len(_NAMES) - k]
            yield case(
                "ragged",
                f"less{k}_{at}",
                [*clean[:at], _line(short), *clean[at + 1 :]],
                records=[*rows[: at - 1], [*short, *[""] * k], *rows[at:]],
            )
            yield case("ragged", f"more{k}_{at}", [*clean[:at], clean[at] + "," * k, *clean[at + 1 :]])
    for at in (1, 40, 84):
        for mark in ";\t|":
            yield case(
                "one row's delimiter",
                f"delimiter{ord(mark)}_{at}",
                [*clean[:at], _line(rows[at - 1], mark), *clean[at + 1 :]],
            )
        yield case("one row's quotes", f"quotes_{at}", [*clean[:at], _line(rows[at - 1], ",", "'"), *clean[at + 1 :]])
        stray = [*rows[at - 1]]
        stray[5] = 'Mask 5"'
        yield case(
            "one row's quotes",
            f"stray_{at}",
            [*clean[:at], ",".join(stray[:6]) + "," + _line(stray[6:]), *clean[at + 1 :]],
            records=[*rows[: at - 1], stray, *rows[at:]],
        )
        broken = [*rows[at - 1]]
        broken[8] = "first line\nsecond line"
        yield case(
            "one row's quotes",
            f"newline_{at}",
            [*clean[:at], _line(broken), *clean[at + 1 :]],
            records=[*rows[: at - 1], broken, *rows[at:]],
        )
        yield case("blank rows", f"blank_{at}", [*clean[:at], "", *clean[at:]])
    other = [_line(row) for row in [["Region", "Boss"], ["north", "Meier"], ["south", "Okafor"]]]
    yield case("two tables", "below", [*clean, "", *other])


# How often each kind of pollution stood in real files: pollock_weights.json of the benchmark, summed by kind.
# Kinds are the beginnings of names here; what it has and is not made here weighs 25 of 4,451.
WEIGHTS = {
    "clean": 1, "no_trailing": 184, "double_trailing": 5, "cr": 7, "lf": 1691, "semicolon": 834, "tab": 4, "blank.": 4,
    "comma_blank": 101, "single_44": 11, "backslash_44": 1, "preamble": 282, "none": 470, "rows2": 47, "rows3": 47,
    "one_record": 4, "below": 188, "less": 260, "more": 260, "delimiter": 13, "stray": 9,
}  # fmt: skip


def weighted(points: dict[str, float]) -> float:
    """Return Pollock's weighted score of files: by how often the pollution of each stands in real ones."""
    total = weight = 0.0
    for kind, share in WEIGHTS.items():
        of = [each for name, each in points.items() if name == f"{kind}csv" or name.removesuffix(".csv") == kind]
        of = of or [each for name, each in points.items() if name.startswith(kind)]
        total, weight = total + share * sum(of) / len(of), weight + share
    return total / weight


def score(names: Sequence[str], rows: Rows, wanted_names: Sequence[str] | None, wanted: Rows) -> float:
    """Return Pollock's score of a file that was read, 1 to 10."""
    heads = (1.0,) * 3 if wanted_names is None else _measures(names, wanted_names)
    lines = _measures([tuple(row) for row in rows], [tuple(row) for row in wanted])
    cells = _measures([cell for row in rows for cell in row], [cell for row in wanted for cell in row])
    return 1.0 + sum(heads) + sum(lines) + sum(cells)


def _measures(found: Sequence[object], wanted: Sequence[object]) -> tuple[float, float, float]:
    both = sum((Counter(found) & Counter(wanted)).values())
    precision, recall = both / max(len(found), 1), both / max(len(wanted), 1)
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0
