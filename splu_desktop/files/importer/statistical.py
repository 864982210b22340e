"""SPSS, SAS, Stata and Parquet files, codes turned into the words of their value labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from splu_desktop.core.messages import say
from splu_desktop.core.progress import Progress
from splu_desktop.files.importer.choices import ImportChoices
from splu_desktop.files.importer.coded_columns import coded_columns, gather
from splu_desktop.files.importer.problems import Problem, ProblemKind
from splu_desktop.files.importer.raw import RawTable
from splu_desktop.files.isolation.faults import NO_WORDS, BadChoice
from splu_desktop.files.isolation.parent import isolate

_UNPACKED = 8  # bytes that a byte of a file counts as: SPSS and SAS compress


def read(
    path: Path, kind: str, choices: ImportChoices, progress: Progress, *, limit: int | None = None
) -> tuple[RawTable, ImportChoices, dict[str, str]]:
    """Read a file of columns into raw columns; returns them with the resolved choices and the reasons."""
    catalog = _catalog_of(path, kind, choices.catalog)
    about = {"kind": kind, "encoding": choices.encoding, "catalog": catalog and str(catalog)}
    task, asked = ("parquet", {}) if kind == "parquet" else ("statistical", about)
    data = isolate(task, path, progress, size=_UNPACKED * path.stat().st_size, limit=limit, **asked)
    raw = gather(coded_columns(data, path), path, choices, progress, numbers=data["numbers"])
    if kind == "parquet":
        return raw, choices, {}
    names = raw.names
    declared = {new: tuple(map(str, texts)) for new, texts in zip(names, data["declared"], strict=True) if texts}
    reasons = {f"label:{new}": str(label) for new, label in zip(names, data["labels"], strict=True) if label}
    new_names = dict(zip(map(str, data["names"]), names, strict=True))
    if data["words"]:
        reasons["value labels"] = "codes with a value label are shown as the label's words"
    for name in data["periods"]:
        reasons[f"periods of {new_names[name]}"] = "written out, as the file's format for these numbers says"
    problems = [*raw.problems]
    if data["unknown"]:
        listed = ", ".join(f"“{new_names[name]}” ({form})" for name, form in data["unknown"][:8])
        words = "The words for the codes of {listed} stand in a SAS format catalog (.sas7bcat); put it beside the file."
        problems.append(Problem(ProblemKind.NOTE, say(words, listed=listed), column=new_names[data["unknown"][0][0]]))
    resolved = replace(choices, encoding=data["encoding"], catalog=choices.catalog if catalog is None else catalog.name)
    return replace(raw, declared_missing=declared, problems=tuple(problems)), resolved, reasons


def _catalog_of(path: Path, kind: str, wanted: str | None) -> Path | None:
    """Return the SAS format catalog for a file: the one chosen, its namesake, or the only one beside it."""
    if kind != "sas" or wanted == "":
        return None
    if wanted is not None:
        chosen = path.parent / Path(wanted).name
        if not chosen.is_file():
            raise BadChoice(NO_WORDS, name=chosen.name)
        return chosen
    beside = catalogs_beside(path)
    named = [each for each in beside if each.stem.lower() in (path.stem.lower(), "formats")]
    return (named or beside)[0] if len(named) == 1 or len(beside) == 1 else None


def catalogs_beside(path: Path) -> list[Path]:
    """Return the SAS format catalogs beside a file."""
    try:
        return sorted(each for each in path.parent.iterdir() if each.suffix.lower() == ".sas7bcat")
    except OSError:
        return []
