"""The release as other programs describe tables: label files for Stata and SPSS, CSVW, DCAT, a citation.

All of it follows from the facts and the published table. Names and labels are data: they are quoted as each language
quotes a text, without line breaks, and what a program could run (Stata's macros) is taken out of them. None turns round
the line that it stands in: in a label it is isolated, in JSON what steers is spelled out, as titles are compared.
"""

from __future__ import annotations

import json
import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from splu_desktop.core.messages import STEERS, isolated
from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.published import Published
from splu_desktop.core.table import Column, Kind, remembered
from splu_desktop.files.disk.inert import inert, inert_packed

_TABLE = "table.csv"
_STATA_NAME, _SPSS_NAME = 32, 64  # the longest names of variables
_LABEL = 80  # characters of a variable's label in Stata, of all programs here
_SPSS_LINE = 200  # characters, of which most take a byte; 256 is what SPSS reads wherever syntax is run from
_DATATYPES = {  # of CSVW (XML Schema's), where every value of a column is spelled so
    Kind.INTEGER: ("integer", re.compile(r"[+-]?\d+")),
    Kind.DECIMAL: ("decimal", re.compile(r"[+-]?\d+(\.\d+)?")),
    Kind.DATE: ("date", re.compile(r"\d{4}-\d\d-\d\d")),
}
_NUMBERS = ("integer", "decimal")
_SPSS_NUMBERS = {"integer": "F40", "decimal": "F40.10"}
_WORDS = {  # reserved in either program
    *("_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_pi", "_pred"),
    *("_rc", "_skip", "str", "strl", "using", "with", "all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not"),
    *("or", "to"),
}

_HARMLESS = str.maketrans('`$"\\/*', "'S'||+")  # for what Stata would read as more than a text

Facts = Mapping[str, Any]


def stata(published: Published, facts: Facts, warning: str) -> str:
    """Return a .do file that reads table.csv, names its columns and labels them."""
    names = _variables(published, _STATA_NAME)
    lines = [
        f"* {_stata_text(warning)}",
        f"* Written for Stata 14 or newer, by its manual: never run in it. Compare the first rows with {_TABLE}.",
        "version 14",
        # Left to itself Stata splits by whichever sign is the most frequent: by : where there are times.
        f'import delimited "{_TABLE}", delimiters(",") varnames(nonames) rowrange(2) stringcols(_all) ///',
        '    bindquote(strict) encoding("utf-8") clear',
    ]
    for at, (name, column) in enumerate(zip(names, published.table.columns, strict=True), 1):
        lines.append(f"rename v{at} {name}")
        lines.append(f'label variable {name} `"{_stata_text(_titled(published, column.name))}"\'')
        if _datatype(column) in _NUMBERS:
            lines.append(f"destring {name}, replace force")  # what is no number stands for no value
    lines.append(f"notes: {_stata_text(warning)}")
    return "\n".join(lines) + "\n"


def spss(published: Published, facts: Facts, warning: str) -> str:
    """Return a .sps file that reads table.csv, names its columns and labels them."""
    names = _variables(published, _SPSS_NAME)
    forms = []
    for name, column in zip(names, published.table.columns, strict=True):
        text = f"A{min(_longest(column) or 1, 32_767)}"
        forms.append(f"  {name} {_SPSS_NUMBERS.get(_datatype(column), text)}")
    lines = [
        *_spss_comment(warning),
        "PRESERVE.",
        "SET DECIMAL=DOT.",  # which a German SPSS takes for none, and numbers for no values
        'GET DATA /TYPE=TXT /FILE="table.csv" /ENCODING="UTF8" /DELIMITERS="," /QUALIFIER=\'"\' /ARRANGEMENT=DELIMITED',
        "  /FIRSTCASE=2 /VARIABLES=",
        *forms,
        "  .",
    ]
    for name, column in zip(names, published.table.columns, strict=True):
        lines.append(
            f"VARIABLE LABELS {name} '{_line(_titled(published, column.name)).replace(chr(39), chr(39) * 2)}'."
        )
    return "\n".join([*lines, "EXECUTE.", "RESTORE."]) + "\n"


def csvw(published: Published, facts: Facts, warning: str) -> str:
    """Return the table's description as CSV on the Web (W3C, Metadata Vocabulary for Tabular Data, 2015)."""
    columns: list[dict[str, Any]] = []
    for name, column in zip(_variables(published, _SPSS_NAME), published.table.columns, strict=True):
        missing = [inert(text) for text in column.texts[column.missing]]  # as they are written
        columns.append(
            {
                "name": name,
                "titles": inert(column.name),
                "datatype": _datatype(column),
                **({"null": missing} if missing else {}),
                **({"dc:description": "sensitive: re-drawn"} if published.is_sensitive(column.name) else {}),
            }
        )
    return _json(
        {
            "@context": "http://www.w3.org/ns/csvw",
            "url": _TABLE,
            "dc:identifier": facts["id"],
            "dc:created": facts["created"],
            "dc:description": warning,
            "dialect": {"encoding": "utf-8", "header": True},
            "tableSchema": {"columns": columns},
        }
    )


def dcat(published: Published, facts: Facts, warning: str) -> str:
    """Return the release as a dataset of DCAT-AP, with the terms of HealthDCAT-AP that the release itself tells.

    Publisher, contact, access rights, theme and legislation, which HealthDCAT-AP asks of a dataset, are the holder's to
    add: the program doesn't know them. Its terms and their address are those that catalogues use (ckanext-dcat, 2025).
    """
    return _json(
        {
            "@context": {
                "dcat": "http://www.w3.org/ns/dcat#",
                "dct": "http://purl.org/dc/terms/",
                "healthdcatap": "http://healthdataportal.eu/ns/health#",
                "xsd": "http://www.w3.org/2001/XMLSchema#",
            },
            "@type": "dcat:Dataset",
            "dct:title": f"Release {facts['id']}",
            "dct:identifier": facts["id"],
            "dct:issued": {"@type": "xsd:dateTime", "@value": facts["created"]},
            "dct:description": warning,
            "healthdcatap:numberOfRecords": {"@type": "xsd:nonNegativeInteger", "@value": str(facts["records"])},
            "dcat:distribution": [
                {
                    "@type": "dcat:Distribution",
                    "dct:title": _TABLE,
                    "dcat:accessURL": {"@id": _TABLE},
                    "dcat:mediaType": {"@id": "https://www.iana.org/assignments/media-types/text/csv"},
                    "dct:conformsTo": {"@id": "https://www.w3.org/TR/tabular-metadata/"},
                }
            ],
        }
    )


def citation(published: Published, facts: Facts, warning: str) -> str:
    """Return how to cite the release (Citation File Format 1.2.0): by its id, date and program."""
    software = facts["software"]
    return (
        "cff-version: 1.2.0\n"
        'message: "Name the release by its id when you publish figures from it; its holder is to be named as agreed."\n'
        f'title: "Release {facts["id"]}"\n'
        "type: dataset\n"
        "authors:\n"
        '  - name: "the holder of the data"\n'
        f"date-released: {facts['created'][:10]}\n"
        "identifiers:\n"
        f'  - type: other\n    value: "{facts["id"]}"\n'
        "references:\n"
        "  - type: software\n"
        f"    title: {json.dumps(software['name'])}\n"
        f"    version: {json.dumps(software['version'])}\n"
        "    authors:\n"
        f"      - name: {json.dumps(software['name'] + ' maintainers')}\n"
        + (f"    url: {json.dumps(software['address'])}\n" if "address" in software else "")
    )


Describe = Callable[[Published, Facts, str], str]
DESCRIBED: Mapping[str, Describe] = {
    "table.do": stata,
    "table.sps": spss,
    "table.csv-metadata.json": csvw,
    "dcat.jsonld": dcat,
    "CITATION.cff": citation,
}


def write_described(published: Published, facts: Facts, warning: str, folder: Path) -> None:
    """Write all descriptions into the folder of a release."""
    for name, describe in DESCRIBED.items():
        (folder / name).write_text(describe(published, facts, warning), encoding="utf-8", newline="\n")


# --- names and texts


def _variables(published: Published, longest: int) -> list[str]:
    """Return a name for each column that either program takes: letters, digits, _; none twice, whatever the case."""
    found: list[str] = []
    taken = set(_WORDS)
    for at, name in enumerate(published.table.names, 1):
        bare = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", name))  # ü is u
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", bare).strip("_")
        plain = plain if plain[:1].isalpha() else f"v{at}_{plain}"
        plain = plain[: longest - 6].rstrip("_")
        while plain.casefold() in taken or re.fullmatch(r"(?i)str\d+|v\d+", plain):
            plain = f"{plain[: longest - 6].rstrip('_')}_{at}"
        taken.add(plain.casefold())
        found.append(plain)
    return found


def _titled(published: Published, name: str) -> str:
    more = " (re-drawn)" if published.is_sensitive(name) else ""
    return isolated(name[: _LABEL - 2 - len(more)]) + more


@remembered  # three files say it
def _datatype(column: Column) -> str:
    name, spelled = _DATATYPES.get(column.kind, ("string", None))
    known: Sequence[str] = ()
    if spelled is not None and isinstance(column.texts, Texts):
        known = column.texts.take(~column.missing).shapes()
    elif spelled is not None:
        known = column.labels[~column.missing].tolist()
    return name if spelled is not None and len(known) and all(map(spelled.fullmatch, known)) else "string"


def _longest(column: Column) -> int:
    """Return the bytes of the longest label as it is written."""
    cells = inert_packed(column.texts) if isinstance(column.texts, Texts) else None
    if cells is not None:
        return int(cells.length.max(initial=0))
    return max(len(inert(label).encode()) for label in column.labels.tolist())


def _line(text: str) -> str:
    return " ".join(text.split())


def _spss_comment(text: str) -> list[str]:
    """Return the lines of a comment, which ends where a line does with a full stop."""
    lines = textwrap.wrap(f"COMMENT {_line(text)}", _SPSS_LINE, subsequent_indent="  ", break_on_hyphens=False)
    return [f"{line.rstrip('.')}{'.' * (at == len(lines))}" for at, line in enumerate(lines, 1)]


def _stata_text(text: str) -> str:
    """Return a text for between compound quotes: a ` or $ begins a macro, /* a comment, a quote ends it."""
    return _line(text).translate(_HARMLESS)


def _json(data: Mapping[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
