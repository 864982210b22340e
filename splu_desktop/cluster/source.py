"""A table in a folder of files, in units that one machine reads at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.errors import FileFault
from splu_desktop.core.progress import Silent
from splu_desktop.files.disk.stamp import stamp
from splu_desktop.files.importer import ImportChoices
from splu_desktop.files.importer.parquet import cell_text
from splu_desktop.files.importer.reader import preview, read_raw
from splu_desktop.files.importer.recognise import TEXTS, recognise
from splu_desktop.frozen import dataclass

ROWS = 1 << 20  # of Parquet in a unit, about
_MOST_BYTES = 1 << 30  # of a CSV file, which is read whole
_SEEN = 20_000  # records of the first CSV file by which its dialect is judged

Texts = tuple[NDArray[np.int32], list[str]]  # (n,) codes, and the distinct texts that they stand for


class BadFolder(FileFault):
    """A folder does not hold one table."""


@dataclass(frozen=True)
class Unit:
    """A part of the table that is read at once.

    Attributes
    ----------
    path : the file.
    groups : the row groups of a Parquet file; () for a CSV file, which is read whole.
    """

    path: str
    groups: tuple[int, ...] = ()


@dataclass(frozen=True)
class SourceFolder:
    """A table in files of one format with the same columns.

    Attributes
    ----------
    units : its parts, in an order that nothing published follows.
    names : its columns.
    choices : how the files are read.
    stamps : what told the files apart from changed ones when they were found.
    """

    units: tuple[Unit, ...]
    names: tuple[str, ...]
    choices: ImportChoices
    stamps: tuple[tuple[str, tuple[int, int, int] | None], ...]

    @property
    def changed(self) -> bool:
        """Whether a file is not any more what it was."""
        return any(stamp(Path(path)) != before for path, before in self.stamps)

    def texts(self, unit: Unit, names: Sequence[str]) -> dict[str, Texts]:
        """Return some columns of a unit, each record's exact text. Raises FileFault and what the libraries raise."""
        return _parquet_texts(unit, names) if unit.groups else _csv_texts(unit, names, self.choices)


def found(folder: Path, choices: ImportChoices) -> SourceFolder:
    """Return the table in a folder of Parquet or CSV files, or in a single one. Raises FileFault."""
    files = sorted(path for path in folder.iterdir() if _counts(path)) if folder.is_dir() else [folder]
    if not files:
        raise BadFolder("“{folder}” holds no files; give the folder of a Parquet or CSV table.", folder=folder)
    kinds = {path: recognise(path) for path in files}
    other = next((path for path, kind in kinds.items() if kind not in ("parquet", *TEXTS)), None)
    if other is not None or len({kind == "parquet" for kind in kinds.values()}) > 1:
        raise BadFolder(
            "“{folder}” holds files of several formats, “{path}” among them; a cluster reads a folder of nothing "
            "but Parquet or nothing but CSV files.",
            folder=folder,
            path=(other or files[-1]).name,
        )
    stamps = tuple((str(path), stamp(path)) for path in files)
    if kinds[files[0]] == "parquet":
        units, names = _parquet_units(files)
        resolved = replace(choices, format="parquet", decimal=choices.decimal or ".", names=names)
        return SourceFolder(units, names, resolved, stamps)
    for path in files:
        if path.stat().st_size > _MOST_BYTES:
            raise BadFolder(
                "“{path}” is longer than the {most} MB of CSV that a machine of the cluster reads at once; split "
                "it by lines into several files with a header each, or make it Parquet.",
                path=path.name,
                most=_MOST_BYTES >> 20,
            )
    seen = preview(files[0], choices, limit=_SEEN).imported.choices
    # Types and marks for "no value" are decided by all records, not by the first.
    resolved = replace(seen, types=choices.types, missing=choices.missing, last_row=None, renames=choices.renames)
    assert seen.names is not None
    return SourceFolder(tuple(Unit(str(path)) for path in files), seen.names, resolved, stamps)


def _counts(path: Path) -> bool:
    """Whether a file is part of the table: what Spark and others write beside it begins with a dot or underscore."""
    return path.is_file() and path.name[0] not in "._"


def _parquet_units(files: Sequence[Path]) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    import pyarrow.parquet as pq  # an optional part of the program, needed here

    units: list[Unit] = []
    names: tuple[str, ...] | None = None
    for path in files:
        try:
            file = pq.ParquetFile(path)
            own, told = tuple(map(str, file.schema_arrow.names)), file.metadata
        except (OSError, ValueError) as fault:  # Arrow's own faults are ValueErrors
            raise BadFolder("“{path}” can't be read as Parquet; write the file anew.", path=path.name) from fault
        if names is not None and own != names:
            raise BadFolder(
                "“{path}” has other columns than “{first}”; put the files of one table alone into the folder.",
                path=path.name,
                first=files[0].name,
            )
        names = own
        groups: list[int] = []
        rows = 0
        for at in range(told.num_row_groups):
            groups.append(at)
            rows += told.row_group(at).num_rows
            if rows >= ROWS or at + 1 == told.num_row_groups:
                units.append(Unit(str(path), tuple(groups)))
                groups, rows = [], 0
    return tuple(units), names or ()


def _parquet_texts(unit: Unit, names: Sequence[str]) -> dict[str, Texts]:
    import pyarrow.compute as pc  # an optional part of the program, needed here
    import pyarrow.parquet as pq

    table = pq.ParquetFile(unit.path).read_row_groups(list(unit.groups), columns=list(names), use_threads=False)
    result = {}
    for name in names:
        cells = table.column(name).combine_chunks()
        encoded = cells if str(cells.type).startswith("dictionary") else pc.dictionary_encode(cells)
        texts: dict[str, int] = {}
        of_value = [texts.setdefault(cell_text(value), len(texts)) for value in encoded.dictionary.to_pylist()]
        of_value.append(texts.setdefault("", len(texts)) if encoded.null_count else 0)
        places = pc.fill_null(encoded.indices, len(of_value) - 1).to_numpy(zero_copy_only=False)
        result[name] = np.array(of_value, np.int32)[places], list(texts)
    return result


def _csv_texts(unit: Unit, names: Sequence[str], choices: ImportChoices) -> dict[str, Texts]:
    path = Path(unit.path)
    raw: Any = read_raw(path, recognise(path), choices, Silent())[0]
    return {name: (raw.columns[at].codes, raw.columns[at].labels) for name in names for at in [raw.names.index(name)]}
