"""A comparison of methods as files: page, table, data and picture, in one new folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.runner import Comparison
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.files.disk.inert import inert
from splu_desktop.files.disk.whole import whole_file, whole_folder
from splu_desktop.files.language import Language
from splu_desktop.files.questions.batch import read_questions
from splu_desktop.report.content.comparison import comparison_blocks, picture
from splu_desktop.report.document import Document, Paragraph
from splu_desktop.report.render.html import as_html
from splu_desktop.report.render.png import as_png

NAME = "comparison"
_FIGURES = (
    "covered",
    "refused",
    "small_wrong",
    "answerable",
    "stranger",
    "colleague",
    "insider",
    "insider_sole",
    "uniques",
    "lost",
    "classifier",
    "pmse",
    "seconds",
    "megabytes",
)


def comparison_document(comparison: Comparison, t: Language) -> Document:
    """Return the comparison as a document. It is computed from the original table, so it stays inside."""
    title = t("Beside other methods")
    return Document(
        title=title,
        edition=t("Internal edition: computed from the original table, not to be handed out"),
        internal=True,
        footer=f"{title} · {comparison.source.sensitive.name}",
        language=t.code,
        page_of=t("Page {page} of {pages}"),
        blocks=(Paragraph(title, "title"), *comparison_blocks(comparison, t)),
    )


def own_questions(path: Path | None, source: TrueTable, plan: Plan) -> tuple[tuple[Condition, ...], ...]:
    """Return the custodian's questions in a file, asked of the original as of a release. Raises BadQuestions."""
    if path is None:
        return ()
    name = source.sensitive.name
    return read_questions(path, Published(source.table, {name: plan.draws[name]})).conditions


_Write = Callable[[Comparison, Path, Language], object]


def write_comparison(comparison: Comparison, target: Path, t: Language) -> tuple[str, ...]:
    """Write a new folder with the comparison, whole or not at all, and return the names of its files.

    Raises CannotWrite where the folder exists already or can't be made.
    """
    names = {f"{NAME}{ending}": write for ending, write in _WRITERS.items()}
    with whole_folder(target) as partial:
        for name, write in names.items():
            write(comparison, partial / name, t)
    return tuple(names)


def save_comparison(comparison: Comparison, target: Path, t: Language) -> None:
    """Write one of the files, by its ending (`ENDINGS`), whole or not at all. Raises CannotWrite."""
    with whole_file(target, overwrite=True) as partial:
        _WRITERS[target.suffix.lower()](comparison, partial, t)


def _write_html(comparison: Comparison, path: Path, t: Language) -> None:
    path.write_text(as_html(comparison_document(comparison, t)), encoding="utf-8")


def _write_json(comparison: Comparison, path: Path, t: Language) -> None:
    text = json.dumps(comparison.as_dict(), ensure_ascii=False, allow_nan=False, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def _write_svg(comparison: Comparison, path: Path, t: Language) -> None:
    drawn = picture(comparison, t)
    path.write_text(drawn.scene.svg(drawn.words), encoding="utf-8")


def _write_png(comparison: Comparison, path: Path, t: Language) -> None:
    path.write_bytes(as_png(picture(comparison, t).scene))


def _write_csv(comparison: Comparison, path: Path, t: Language) -> None:
    """Write one row per method and setting, in English and with decimal points, whatever the language of the page."""
    bands = [f"error {name}" for name in comparison.bands] + [f"coverage {name}" for name in comparison.bands]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", "title", "setting", *_FIGURES, *bands, "not possible"])
        for each in comparison.tried:
            a = each.achieved
            numbers: list[object] = []
            if a is not None:
                numbers = [*(getattr(a, name) for name in _FIGURES), *a.errors, *a.coverage]
            cells = numbers or [None] * (len(_FIGURES) + len(bands))
            words = (each.system.name, str(each.system.title), str(each.system.setting))
            writer.writerow(
                [*map(inert, words), *("" if cell is None else cell for cell in cells), inert(each.impossible)]
            )


_WRITERS: dict[str, _Write] = {
    ".html": _write_html,
    ".csv": _write_csv,
    ".json": _write_json,
    ".svg": _write_svg,
    ".png": _write_png,
}
ENDINGS = tuple(_WRITERS)
