"""The data dictionary of a REDCap project beside its export: words for codes, labels, and what names a person."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from splu_desktop.core.messages import say
from splu_desktop.files.disk.plain_data import from_csv
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.coded_columns import tell_apart, words_of
from splu_desktop.files.importer.columns.words import REDCAP
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawColumn, RawTable
from splu_desktop.files.isolation.faults import NO_WORDS, BadChoice

_FILES = 200  # beside the table, looked at for a dictionary
_LARGEST = 1 << 24  # bytes of one
_FITS = 0.5  # of the table's own columns that its fields must name, unless it was chosen
_CODED = ("radio", "dropdown", "checkbox")
_ANSWERS = {"yesno": {"1": "Yes", "0": "No"}, "truefalse": {"1": "True", "0": "False"}}
_TICKED = {"1": "Checked", "0": "Unchecked"}
_COMPLETE = {"0": "Incomplete", "1": "Unverified", "2": "Complete"}
_TAG = re.compile(r"<[^<>]{1,200}>")


@dataclass(frozen=True)
class DictionaryEntry:
    """What a dictionary says of a column.

    Attributes
    ----------
    label : the question in words, "" for none.
    words : code -> the word for it.
    identifier : whether it names a person.
    """

    label: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    identifier: bool = False


def describe_columns(
    raw: RawTable, own_names: Sequence[str], choices: ImportChoices, path: Path
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Return the table with words for codes by the dictionary beside it, if one fits; with choices and reasons.

    `own_names` : what the file calls the columns.
    Raises BadChoice where the one chosen is none, or fits no column.
    """
    names = [name.strip().lower() for name in own_names]
    pair = _beside(path, names, choices.catalog)
    if pair is None:
        return raw, choices, {}
    dictionary, known = pair
    columns, reasons, identifiers = list(raw.columns), dict[str, str](), []
    for at, (name, column) in enumerate(zip(raw.names, raw.columns, strict=True)):
        if (says := known.get(names[at])) is None:
            continue
        if says.label:
            reasons[f"label:{name}"] = says.label
        if says.identifier:
            identifiers.append(name)
        words = words_of(says.words)
        codes = [label.strip() for label in column.labels]
        if words and any(code in words for code in codes):
            texts = [words.get(code, label) for code, label in zip(codes, column.labels, strict=True)]
            columns[at] = RawColumn.join([RawColumn(column.codes, tell_apart(codes, texts, words))])
            reasons["value labels"] = "codes with a value label are shown as the label's words"
    sentence = "Words for codes and labels come from the data dictionary “{name}” beside the file."
    problems = (*raw.problems, Problem(ProblemKind.NOTE, say(sentence, name=dictionary)))
    raw = replace(raw, columns=tuple(columns), problems=problems, identifiers=tuple(identifiers))
    return raw, replace(choices, catalog=dictionary), reasons


def _beside(path: Path, names: Sequence[str], wanted: str | None) -> tuple[str, dict[str, DictionaryEntry]] | None:
    """Return the name of the dictionary chosen, or of the one that fits best, and what it says of each column."""
    if wanted == "":
        return None
    if wanted is not None:
        known = _read(path.parent / Path(wanted).name) or {}
        if not any(name in known for name in names):
            raise BadChoice(NO_WORDS, name=wanted)
        return wanted, known
    best, most = None, _FITS * sum(not name.startswith("redcap_") for name in names)
    for each in dictionaries_beside(path):
        known = _read(each) or {}
        if (named := sum(name in known for name in names)) >= max(most, 1):
            best, most = (each.name, known), named + 0.5
    return best


def dictionaries_beside(path: Path) -> list[Path]:
    """Return the files beside a table that begin as data dictionaries do."""
    try:
        beside = (each for each in path.parent.iterdir() if each.suffix.lower() == ".csv" and each.name != path.name)
        return [each for each in sorted(itertools.islice(beside, _FILES)) if each.is_file() and _is_dictionary(each)]
    except OSError:
        return []


def _is_dictionary(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(600).decode("latin-1").lstrip('ï»¿"').lower()
    return any(head.startswith(name.lower()) for name in REDCAP["name"]) and "field" in head[20:] and "type" in head


def _read(path: Path) -> dict[str, DictionaryEntry] | None:
    """Return what a dictionary says of each column, by its name in small letters; None where it is none."""
    try:
        if path.stat().st_size > _LARGEST or not _is_dictionary(path):
            return None
        (_, head), *rows = from_csv(path.read_bytes())
    except (OSError, ValueError):
        return None
    names = [name.lower() for name in head]
    places = {
        key: [names.index(name.lower()) for name in both if name.lower() in names] for key, both in REDCAP.items()
    }
    entries: dict[str, DictionaryEntry] = {}
    for _, row in rows:
        cells = {key: row[at[0]] if at and at[0] < len(row) else "" for key, at in places.items()}
        if cells["form"]:
            entries[f"{cells['form'].lower()}_complete"] = DictionaryEntry(words=_COMPLETE)
        entries |= _columns_of(cells)
    return entries


def _columns_of(cells: Mapping[str, str]) -> dict[str, DictionaryEntry]:
    """Return the columns of an export that a field has: one, or one for each box that can be ticked."""
    name, kind, label = cells["name"].lower(), cells["type"].lower(), _plain(cells["label"])
    identifier = cells["identifier"].lower() in ("y", "yes", "1")
    words = dict(_ANSWERS.get(kind, {}))
    if kind in _CODED:
        parts = [part.partition(",") for part in re.split(r"\s*\|\s*|\r?\n", cells["choices"])]
        words = {code.strip(): _plain(word) or code.strip() for code, comma, word in parts if comma}
    if kind == "checkbox":
        return {
            f"{name}___{re.sub(r'[^a-z0-9_]', '_', code.lower())}": DictionaryEntry(
                f"{label}: {word}", _TICKED, identifier
            )
            for code, word in words.items()
        }
    return {name: DictionaryEntry(label, words, identifier)} if name else {}


def _plain(text: str) -> str:
    """Return a label without the tags that its project page shows it by."""
    return " ".join(_TAG.sub(" ", text).split())
