"""Answers and plan are kept per file, by its fingerprint, and come back when it is opened again: no data, no figure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import questions_from
from splu_desktop.files.disk.place import data_folder
from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.files.disk.whole import whole_file
from splu_desktop.gui.base.session import Answers, Session
from splu_desktop.gui.base.source import Source

_FOLDER, _MOST, _LARGEST = "answers", 50, 1 << 20
_REST = 2000  # ms from a change until it is kept


@dataclass(frozen=True)
class Kept:
    """What was kept of a file; the plan is None where none was made, or it no longer fits."""

    answers: Answers
    plan: Plan | None


def as_dict(answers: Answers, plan: Plan | None) -> dict[str, Any]:
    """Return answers and plan as plain data."""
    return {
        "audience": answers.audience.as_dict(),
        "person": answers.person,
        "row_word": answers.row_word,
        "questions": [each.as_dict() for each in answers.questions],
        "not_secret": list(answers.not_secret),
        "plan": None if plan is None else plan.as_dict(),
    }


def recall(source: Source) -> Kept | None:
    """Return what was kept of a file, None where nothing was, or nothing that fits it. For workers."""
    path = data_folder() / _FOLDER / f"{_name(source)}.json"
    try:
        if path.stat().st_size > _LARGEST:
            return None
        data = json.loads(path.read_text(encoding="utf-8"))
        table = source.table
        person = data["person"]
        answers = Answers(
            audience=Audience.from_dict(data["audience"]),
            person=person if person in table.names else None,
            row_word=str(data["row_word"]),
            questions=questions_from(data["questions"], table),
            not_secret=tuple(map(str, data["not_secret"])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SpluError):
        return None
    plan = None
    if data.get("plan"):
        try:
            plan = Plan.from_dict(data["plan"], lambda each: questions_from([each], table)[0])
            plan.check(table)
        except (SpluError, KeyError, TypeError, ValueError):
            plan = None
    return Kept(answers, plan)


def _name(source: Source) -> str:
    return "".join(letter for letter in source.fingerprint if letter.isalnum())[-64:]


def laws_chosen() -> tuple[str, ...]:
    """Return the codes of the law packs that reports are arranged by; none for the report's own choice."""
    return tuple(filter(None, read_section("report").get("laws", "").split(",")))


def choose_laws(codes: Iterable[str]) -> None:
    """Remember the law packs that reports are arranged by."""
    remember("report", {**read_section("report"), "laws": ",".join(codes)})


class Memory(QObject):
    """Keeps the session's answers and plan, a moment after each change, so that a crash loses nothing either."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._waiting: tuple[Source, Answers, Plan | None] | None = None
        self._kept: tuple[Source, Answers, Plan | None] | None = None
        self._timer = QTimer(self, singleShot=True, interval=_REST)
        self._timer.timeout.connect(self.keep)
        session.changed.connect(self._changed)
        self._changed()

    def _changed(self) -> None:
        source = self._session.source
        if source is None:
            return
        if self._waiting is not None and self._waiting[0] is not source:  # another file: the first one's come first
            self.keep()
        now = source, self._session.answers, self._session.plan
        if self._kept is None or any(one is not other for one, other in zip(now, self._kept, strict=True)):
            self._waiting = now
            self._timer.start()

    def keep(self) -> None:
        """Keep what waits to be kept. A few kilobytes; where the disk refuses, it is forgotten."""
        self._timer.stop()
        if self._waiting is None:
            return
        self._kept, self._waiting = self._waiting, None
        source, answers, plan = self._kept
        folder = data_folder() / _FOLDER
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with whole_file(folder / f"{_name(source)}.json", overwrite=True) as partial:
                partial.write_text(json.dumps(as_dict(answers, plan), ensure_ascii=False), encoding="utf-8")
            old = sorted(folder.glob("*.json"), key=lambda each: each.stat().st_mtime)
            for each in old[:-_MOST]:
                each.unlink(missing_ok=True)
        except (OSError, SpluError):
            return
