"""SPSS, SAS and Stata files, their codes turned into the words of their value labels."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from splu_desktop.core.progress import Progress
from splu_desktop.core.said import say
from splu_desktop.files.importer import memory
from splu_desktop.files.importer.cells import text_of
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.faults import Corrupt, EmptyFile, OtherWidth
from splu_desktop.files.importer.grid import Grid
from splu_desktop.files.importer.header import unique_names
from splu_desktop.files.importer.problems import Problem
from splu_desktop.files.importer.raw import RawTable

_CHUNK = 100_000


def _reader(path: Path, kind: str) -> Callable[..., tuple[pd.DataFrame, Any]]:
    import pyreadstat

    if kind == "spss":
        with path.open("rb") as file:
            portable = not file.read(4).startswith(b"$FL")
        return pyreadstat.read_por if portable else pyreadstat.read_sav
    if kind == "stata":
        return pyreadstat.read_dta
    with path.open("rb") as file:
        transport = file.read(13) == b"HEADER RECORD"
    return pyreadstat.read_xport if transport else pyreadstat.read_sas7bdat


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a statistics program's file into raw columns; returns them with the resolved choices and the reasons."""
    memory.check(path, memory.PER_TEXT_BYTE * path.stat().st_size)
    import pyreadstat

    reader = _reader(path, kind)
    options: dict[str, Any] = {"encoding": choices.encoding} if choices.encoding else {}
    if reader in (pyreadstat.read_sav, pyreadstat.read_dta, pyreadstat.read_sas7bdat):
        options["user_missing"] = True
    grid: Grid | None = None
    names: tuple[str, ...] = ()
    own: tuple[str, ...] | None = None
    problems: list[Problem] = []
    declared: dict[str, tuple[str, ...]] = {}
    words: list[dict[Any, str]] = []
    reasons: dict[str, str] = {}
    at, total = 0, None
    while True:
        step = _CHUNK if limit is None else min(_CHUNK, limit - at)
        try:
            frame, meta = reader(str(path), row_offset=at, row_limit=step, **options)
        except (
            pyreadstat.ReadstatError,
            pyreadstat.PyreadstatError,
            ValueError,
            OverflowError,
            UnicodeDecodeError,
        ) as error:
            raise Corrupt(
                path, say("its {kind} content can't be read", kind=kind.upper() if kind != "stata" else "Stata")
            ) from error
        if grid is None:
            if not len(meta.column_names):
                raise EmptyFile(path, "has no columns")
            names, problems = unique_names([str(name) for name in meta.column_names])
            if choices.names is not None:
                if len(choices.names) != len(names):
                    raise OtherWidth(len(choices.names), len(names))
                own, names = names, choices.names
            grid = Grid(len(names), choices)
            total = meta.number_rows
            words = [_words(meta.variable_value_labels.get(name, {})) for name in meta.column_names]
            declared = {
                new: _declared(meta, old, words[i])
                for i, (old, new) in enumerate(zip(meta.column_names, names, strict=True))
            }
            for old, new in zip(meta.column_names, names, strict=True):
                if label := meta.column_names_to_labels.get(old):
                    reasons[f"label of {new}"] = str(label)
            if any(words):
                reasons["value labels"] = "codes with a value label are shown as the label's words"
        progress.report("Reading", min(at / total, 1.0) if total else 0.0)
        columns = []
        for i, name in enumerate(meta.column_names):
            codes, distinct = pd.factorize(frame[name].to_numpy(dtype=object, na_value=None), use_na_sentinel=False)
            texts = [_text(value, words[i]) for value in distinct]
            columns.append((codes, texts))
            spans = meta.missing_ranges.get(name, [])
            declared[names[i]] += tuple(t for value, t in zip(distinct, texts, strict=True) if _within(value, spans))
        grid.add_columns(columns, np.arange(at + 1, at + 1 + len(frame), dtype=np.int64))
        at += len(frame)
        if len(frame) < step or (limit is not None and at >= limit) or (total and at >= total):
            break
    raw = grid.table(names, problems, trim=False, last_row=choices.last_row, progress=progress)
    raw = replace(raw, declared={name: texts for name, texts in declared.items() if texts}, own_names=own)
    encoding = getattr(meta, "file_encoding", None) or choices.encoding
    return raw, replace(choices, format=kind, encoding=encoding, names=names), reasons


def _text(value: Any, words: dict[Any, str]) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)) or value is pd.NaT:
        return ""
    found = words.get(value)
    if found is not None:
        return found
    if isinstance(value, (np.integer, int)) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, np.floating):
        value = float(value)
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime()
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.isoformat(sep=" ")
    return text_of(value)


def _words(labels: dict[Any, str]) -> dict[Any, str]:
    """Return code -> word; words that several codes share get their code behind them, as they differ."""
    texts = [str(word) for word in labels.values()]
    return {
        code: str(word) if texts.count(str(word)) == 1 and str(word).strip() else f"{word} ({text_of(code)})"
        for code, word in labels.items()
    }


def _declared(meta: Any, name: str, words: dict[Any, str]) -> tuple[str, ...]:
    """Return the texts that the file itself declares as missing, one by one."""
    return tuple(dict.fromkeys(_text(value, words) for value in meta.missing_user_values.get(name, [])))


def _within(value: Any, spans: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a value lies in one of the ranges that the file declares as missing."""
    if value is None or value == "":
        return False
    try:
        return any(span["lo"] <= value <= span["hi"] for span in spans)
    except TypeError:
        return False  # a text in a range of numbers, or a number in one of texts
