"""What the page asks of a release, as plain functions for workers; and what every way of asking is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QWidget

from splu_desktop.core.answer.answer import Answer
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import SpluError
from splu_desktop.core.mechanism import CLASS, NUMBER
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.table import Table
from splu_desktop.files.release.reading import OpenRelease
from splu_desktop.gui.base.page import Fold
from splu_desktop.gui.base.session import Release
from splu_desktop.gui.base.words import t
from splu_desktop.gui.base.work import Work

Question = tuple[Condition, ...]


@dataclass(frozen=True, eq=False)
class AnsweredQuestion:
    """A question with its answer, and the true count where the source is at hand."""

    question: Question
    answer: Answer
    truth: int | None = None


@dataclass(frozen=True, eq=False)
class AskableRelease:
    """A release ready to be asked; `source` is its own table as it went into the draw, where that is at hand."""

    release: OpenRelease
    reader: Reader
    source: Table | None
    answers: list[AnsweredQuestion]  # those so far

    @property
    def published(self) -> Published:
        """What the release tells."""
        return self.reader.published

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that can be asked for, without those that the program added."""
        return tuple(name for name in self.published.table.names if name not in (CLASS, NUMBER))

    def is_secret(self, name: str) -> bool:
        """Return whether a column is secret."""
        return self.published.is_sensitive(name)


def open_for_asking(release: Release, progress: Progress = SILENT) -> AskableRelease:
    """Return a release ready to be asked. Raises SpluError; Cancelled."""
    progress.report(t("Reading “{name}”", name=release.content.title), 0.1)
    source = None
    if release.source is not None and release.plan is not None:
        # Not the file as it was read: it may have several rows for a person where the release has one.
        source = release.source.prepare(release.plan, progress).table
    return AskableRelease(release.content, Reader(release.content.published), source, release.answers)


def answer_one(opened: AskableRelease, question: Question) -> AnsweredQuestion:
    """Return the answer to one question. Raises BadQuestion."""
    return AnsweredQuestion(question, opened.reader.answer(question), true_count(opened.source, question))


def true_count(source: Table | None, question: Question) -> int | None:
    """Return the true count of a question; None where the source is not at hand."""
    if source is None:
        return None
    inside = np.ones(source.n, bool)
    try:
        for each in question:
            column = source[each.column]
            chosen = each.select(column) if each.is_range else each.select_known(column)
            inside &= chosen[column.codes]
    except (SpluError, KeyError):
        return None
    return int(inside.sum())


class Panel(QWidget):
    """One way of asking; it overrides `build`, `fold` and `show_release`, and is disabled until there is a release.

    say : tells "done" or "fault", and a sentence, above the panel.
    """

    current: AskableRelease

    def __init__(self, work: Work, say: Callable[[str, str], object]) -> None:
        super().__init__()
        self.work, self.say = work, say
        self.build()

    def build(self) -> None:
        """Make the parts, once."""
        raise NotImplementedError

    def fold(self, fold: Fold) -> None:
        """Lay them out for so much room."""
        raise NotImplementedError

    def show_release(self, opened: AskableRelease) -> None:
        """Ask another release."""
        self.current = opened
