"""A release folder: filled, and read back before anybody sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.resources import resource_path
from splu_desktop.files.disk.background import in_background
from splu_desktop.files.disk.digests import file_sha256
from splu_desktop.files.language import language
from splu_desktop.files.release.columns import as_handed_out
from splu_desktop.files.release.csv_table import write_numbers, write_table
from splu_desktop.files.release.dictionary import DICTIONARY_NAME, LABEL_FILES, label_texts, write_dictionary
from splu_desktop.files.release.facts import FACTS_NAME, TABLE_NAME, Dialect, cells_of, facts_text, make_facts, seal
from splu_desktop.files.release.reading import OpenRelease, describe_table
from splu_desktop.files.release.readme import README_NAME, write_readme
from splu_desktop.files.release.score_columns import SCORES_NAME, ScoreColumn, score_columns
from splu_desktop.files.release.workbook import WORKBOOK_NAME, write_workbook

KIT = ("splu_release.py", "splu_release.R")  # for recipients without this program
FILES = (TABLE_NAME, SCORES_NAME, DICTIONARY_NAME, README_NAME, *LABEL_FILES, *KIT)  # which every release has


@dataclass(frozen=True)
class Form:
    """How a release is written.

    Attributes
    ----------
    title : what it is called, "" for a plain name.
    contact : whom to ask.
    dialect : marks between fields and in numbers.
    workbook : whether an Excel workbook with the same sheets goes along.
    language : code of the language of what people read.
    """

    title: str = ""
    contact: str = ""
    dialect: Dialect = field(default_factory=Dialect)
    workbook: bool = False
    language: str = "en"


def fill_folder(
    published: Published, plan: Plan, folder: Path, *, form: Form, earlier: int = 0, progress: Progress = SILENT
) -> OpenRelease:
    """Write all files of a release into an empty folder and return it as its recipient reads it.

    earlier : how many releases of the same persons the register knows.

    Raises BadRelease where a file does not read as it was written; Cancelled.
    """
    # All that follows describes the table as it is handed out, whose spelling and order differ from the drawn one's.
    final = as_handed_out(published)
    tongue = language(form.language)
    scores = score_columns(final, [value for values in plan.public_values.values() for value in values])

    def write_scores(watch: Progress) -> str:
        numbers = [(each.values, each.which, each.pairs) for each in scores]
        return write_numbers([each.name for each in scores], numbers, folder / SCORES_NAME, form.dialect, watch)

    def describe(_watch: Progress) -> dict[str, Any]:
        reader = Reader(final)
        spread = {name: reader.spread(name) for name in final.sensitive}
        title = form.title or folder.name
        facts = make_facts(final, plan, spread, title=title, contact=form.contact, dialect=form.dialect)
        write_readme(final, reader, facts, plan.questions, scores, earlier, folder / README_NAME, tongue)
        return facts

    with (
        in_background(write_scores, progress, "Writing CSV") as scores_written,
        in_background(describe, progress, "Writing CSV") as described,
    ):
        written = {TABLE_NAME: write_table(final.table, folder / TABLE_NAME, form.dialect, progress)}
        facts = described()
        if form.workbook:
            write_workbook(final, facts, scores, folder, tongue, progress)
        written[SCORES_NAME] = scores_written()
    facts = close_folder(final, facts, scores, folder, form, progress, written)
    # As its recipient has it: described by the facts alone.
    return OpenRelease(folder, facts, describe_table(facts, final.table, cells_of(facts)))


def close_folder(
    published: Published,
    facts: Mapping[str, Any],
    scores: Sequence[ScoreColumn],
    folder: Path,
    form: Form,
    progress: Progress,
    written: Mapping[str, str],
) -> dict[str, Any]:
    """Add what describes table, scores and README, and release.json last; returns the facts, sealed.

    written : name of a file -> its SHA-256 where it was read back already. Raises Cancelled.
    """
    write_dictionary(published, facts, scores, folder / DICTIONARY_NAME, form.dialect, language(form.language))
    for name, text in label_texts(published, form.dialect).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    for name in KIT:
        (folder / name).write_bytes(resource_path(f"kit/{name}").read_bytes())
    names = (*FILES, WORKBOOK_NAME) if form.workbook else FILES
    digests = {name: written.get(name) or file_sha256(folder / name, progress) for name in names}
    files = [{"name": n, "bytes": (folder / n).stat().st_size, "sha256": digest} for n, digest in digests.items()]
    closed = seal({**facts, "files": files})
    (folder / FACTS_NAME).write_text(facts_text(closed), encoding="utf-8", newline="\n")
    return closed
