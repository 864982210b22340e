"""`dictionary.csv`: one line for each column of the table, and the same labels for Stata, SPSS, SAS and R."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from splu_desktop.core.mechanism import CLASS, NUMBER
from splu_desktop.core.messages import isolated, say
from splu_desktop.core.published import Published
from splu_desktop.core.resources import resource_path
from splu_desktop.core.table import Kind
from splu_desktop.files.disk.inert_texts import inert
from splu_desktop.files.language import Language
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.score_columns import ScoreColumn, variable_names

DICTIONARY_NAME = "dictionary.csv"
LABEL_FILES = ("labels.do", "labels.sps", "labels.sas", "labels.R")
HEADER = ("column", "type", "treatment", "values", "missing", "score columns")
_SHOWN = 30  # values named
_EACH = re.compile(r"\{(at|name)\}")  # in a line of labels that stands for each column
OWN_COLUMNS = {  # of each release, and what they are
    CLASS: say("rows of one class lend each other values"),
    NUMBER: say("a person’s rows have one number, new in each release"),
}


def write_dictionary(
    published: Published,
    facts: Mapping[str, Any],
    scores: Sequence[ScoreColumn],
    path: Path,
    dialect: Dialect,
    language: Language,
) -> None:
    """Write a header and a line for each column of table.csv."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=dialect.delimiter, lineterminator="\n")
        writer.writerows([HEADER, *dictionary_rows(published, facts, scores, language)])


def dictionary_rows(
    published: Published, facts: Mapping[str, Any], scores: Sequence[ScoreColumn], language: Language
) -> list[list[str]]:
    """Return the lines of the dictionary, without its header."""
    rows = []
    for entry in facts["columns"]:
        sums = (f"{e.name}: {language.sentence(e.words)}" for e in scores if e.column == entry["name"])
        if entry["name"] in OWN_COLUMNS:
            words = language.sentence(OWN_COLUMNS[entry["name"]])
            rows.append([entry["name"], language.sentence(say(Kind.INTEGER.value)), words, "", "", "; ".join(sums)])
            continue
        column = published.table[entry["name"]]
        sensitive = published.is_sensitive(entry["name"])
        treatment = say("drawn anew: count by scores") if sensitive else say("as it is")
        if not sensitive and entry.get("coarsened"):
            treatment = say("true, made coarser")
        if entry["name"] in facts["dates_moved"]["columns"]:
            treatment = say("moved by a number of days for each person")
        lost = int(column.counts()[column.missing].sum())
        rows.append(
            [
                inert(entry["name"]),
                language.sentence(say(column.kind.value)),
                language.sentence(treatment),
                inert(_values(column.kind.has_order, [str(x) for x in column.labels[~column.missing]], language)),
                str(lost),
                inert("; ".join(sums)),
            ]
        )
    return rows


def _values(ordered: bool, labels: list[str], language: Language) -> str:
    if not labels:
        return ""
    if ordered:
        return " .. ".join(dict.fromkeys((labels[0], labels[-1])))
    # As they stand in the table, and beside it in the reader's words: "below 20 = unter 20".
    shown = [" = ".join(dict.fromkeys((label, language.value(label)))) for label in labels[:_SHOWN]]
    return "; ".join(shown) + (f"; ... ({len(labels)})" if len(labels) > _SHOWN else "")


def label_texts(published: Published, dialect: Dialect) -> dict[str, str]:
    """Return labels.do, .sps, .sas and .R by name: each reads table.csv as text and labels its columns.

    They are filled in from `resources/labels`, where a line that names a column stands once for all.
    """
    # A tab is written as all but SAS take it, which wants its number.
    marks = {"mark": json.dumps(dialect.delimiter), "mark_number": f"{ord(dialect.delimiter):02X}"}
    columns = []
    for at, (name, column) in enumerate(
        zip(variable_names(published.table.names), published.table.columns, strict=True), 1
    ):
        title = isolated(re.sub(r"[\x00-\x1f\x7f\u2028\u2029]+", " ", column.name))[:80]
        width = max([1, *map(len, map(str.encode, column.labels.tolist()))])
        titles = {
            "stata": title.translate(str.maketrans('`$"\\', "'S'|")),
            "doubled": title.replace("'", "''"),
            "r": title.replace("\\", "\\\\").replace('"', '\\"'),
        }
        columns.append({"at": at, "name": name, "width": min(width, 32_767), **titles})
    texts = {}
    for name in LABEL_FILES:
        lines = resource_path(f"labels/{name}").read_text(encoding="utf-8").splitlines()
        filled = [line.format(**marks, **each) for line in lines for each in (columns if _EACH.search(line) else [{}])]
        texts[name] = "\n".join(filled) + "\n"
    return texts
