"""A file of a statistics program in a reader's process: its columns as texts, codes turned into words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pyreadstat

from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.plain_data import in_unicode
from splu_desktop.files.importer.coded_columns import tell_apart, words_of
from splu_desktop.files.importer.columns.cells import Coding, shorten, text_of
from splu_desktop.files.importer.columns.words import pattern
from splu_desktop.files.importer.period_texts import MISTAKEN, name_formats, period_text
from splu_desktop.files.isolation.faults import Corrupt
from splu_desktop.files.isolation.wire import Plain

_SAS_OWN = pattern("sas_own")
_CHUNK, _CELLS = 100_000, 4_000_000  # records at a time, and cells at most


def _reader(path: Path, kind: str) -> Callable[..., tuple[dict[str, list[Any]], Any]]:
    with path.open("rb") as file:
        head = file.read(13)
    if kind == "spss":
        return pyreadstat.read_sav if head.startswith(b"$FL") else pyreadstat.read_por
    if kind == "stata":
        return pyreadstat.read_dta
    return pyreadstat.read_xport if head == b"HEADER RECORD" else pyreadstat.read_sas7bdat


def _open(path: Path, kind: str, encoding: str | None) -> Callable[..., tuple[dict[str, list[Any]], Any]]:
    """Return what reads records of a file. It raises Corrupt."""
    reader = _reader(path, kind)
    # The library takes paths as UTF-8; one that is none is reached by its handle, which this process keeps.
    named = str(path) if in_unicode(path) else f"/proc/self/fd/{os.open(path, os.O_RDONLY)}"
    options: dict[str, Any] = {"encoding": encoding} if encoding else {}
    if reader in (pyreadstat.read_sav, pyreadstat.read_dta, pyreadstat.read_sas7bdat):
        options["user_missing"] = True

    def read(**more: Any) -> tuple[dict[str, list[Any]], Any]:
        with _corrupt(path, "Stata" if kind == "stata" else kind.upper()):
            return reader(named, output_format="dict", **options, **more)

    return read


@contextmanager
def _corrupt(path: Path, part: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # of a damaged file the library raises whatever it stumbles over
        raise Corrupt(path, part) from error


def _ways(kind: str, forms: Mapping[str, str | None]) -> list[dict[str, Any]]:
    """Return the options of the readings that a file takes: one, and one of columns that the library misunderstands."""
    days, moments = name_formats(kind, forms.values())
    known = {"extra_date_formats": days, "extra_datetime_formats": moments}
    odd = [name for name, form in forms.items() if MISTAKEN[kind].fullmatch(form or "")]
    if not odd:
        return [known]
    usual = [name for name in forms if name not in odd]
    as_numbers = {"usecols": odd, "disable_datetime_conversion": True}
    return [as_numbers, {"usecols": usual, **known}] if usual else [as_numbers]


def _code_records(
    read: Callable[..., tuple[dict[str, list[Any]], Any]],
    names: Sequence[str],
    ways: Sequence[Mapping[str, Any]],
    total: int | None,
    limit: int | None,
    progress: Progress,
) -> list[Coding]:
    """Return the columns of the first `limit` records, some at a time; `total` is how many the file says it has."""
    coded = [Coding() for _ in names]
    most = max(1, min(_CHUNK, _CELLS // max(len(names), 1)))
    at, ended = 0, False
    while not ended:
        step = most if limit is None else min(most, limit - at)
        data = dict[str, list[Any]]()
        for way in ways:
            data |= read(row_offset=at, row_limit=step, **way)[0]
        progress.report("Reading", min(at / total, 1.0) if total else 0.0)
        for name, coding in zip(names, coded, strict=True):
            coding.add(data[name])
        rows = len(data[names[0]]) if names else 0
        at += rows
        ended = rows < step or (limit is not None and at >= limit) or bool(total and at >= total)
    return coded


def columns(
    path: Path, progress: Progress, *, kind: str, encoding: str | None, limit: int | None, catalog: str | None
) -> Plain:
    """Return names, (codes, texts) of each column, labels, texts declared as missing, formats, and the encoding.

    `catalog` : path of a SAS format catalog, None for none.
    """
    read = _open(path, kind, encoding)
    meta = read(metadataonly=True)[1]
    names, forms = list(meta.column_names), meta.original_variable_types
    ways = _ways(kind, {name: forms[name] for name in names})
    columns = [each.column() for each in _code_records(read, names, ways, meta.number_rows, limit, progress)]
    labels = dict(meta.variable_value_labels)
    if catalog is not None:
        labels |= _of_catalog(catalog, forms)
    periods = {name: period_text(kind, forms[name]) for name in names}
    types, texts, declared = meta.readstat_variable_types, [], []
    for name, column in zip(names, columns, strict=True):
        known, spans, numbers = words_of(labels.get(name, {})), meta.missing_ranges.get(name, []), types[name]
        shown = [known.get(each) or _write(each, kind, numbers, periods[name]) for each in column.cells]
        texts.append(tell_apart(column.cells, shown, known))
        marks = [_within(each, spans) or (numbers != "string" and type(each) is str) for each in column.cells]
        declared.append(list(compress(texts[-1], marks)))
    times = {form for group in name_formats(kind, forms.values()) for form in group}
    no_words = [[name, form] for name, form in forms.items() if form and not (labels.get(name) or periods[name])]
    return {
        "names": [str(name) for name in names],
        "columns": [[column.codes, cells] for column, cells in zip(columns, texts, strict=True)],
        "labels": [str(meta.column_names_to_labels.get(name) or "") for name in names],
        "words": any(map(labels.get, names)),
        "numbers": [types[name] != "string" for name in names],
        "unknown": [
            each for each in no_words if kind == "sas" and not (each[1] in times or _SAS_OWN.fullmatch(each[1]))
        ],
        "periods": [name for name in names if periods[name] is not None],
        "declared": declared,
        "encoding": getattr(meta, "file_encoding", None) or encoding,
    }


def _write(value: Any, kind: str, numbers: str, period: Callable[[Any], str | None] | None) -> str:
    """Return the text of a value without a label, as its program shows it; `numbers` : how the column stores it."""
    if type(value) is str:  # beside numbers one of the further marks for no value, which Stata shows as .a
        return value if kind != "stata" or numbers == "string" else f".{value}"
    with suppress(TypeError, ValueError, OverflowError):  # of what is no number or day
        if period and (text := period(value)):
            return text
    return text_of(shorten(value, np.float32) if numbers == "float" else value)


def _of_catalog(catalog: str, forms: Mapping[str, str | None]) -> dict[str, dict[Any, str]]:
    """Return column -> code -> word by a SAS format catalog. Raises Corrupt."""
    with _corrupt(Path(catalog), "SAS"):
        _, meta = pyreadstat.read_sas7bcat(catalog, output_format="dict")
    known = {str(name).upper(): words for name, words in meta.value_labels.items()}
    return {name: known[form.upper()] for name, form in forms.items() if form and form.upper() in known}


def _within(value: Any, spans: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a value lies in one of the ranges that the file declares as missing."""
    with suppress(TypeError):  # a text in a range of numbers, or a number in one of texts
        return value not in (None, "") and any(span["lo"] <= value <= span["hi"] for span in spans)
    return False
