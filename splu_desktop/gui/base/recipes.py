"""What was decided about a table, kept: as a recipe that the user saves and takes up, and by itself.

By itself answers and plan are kept per file, by its fingerprint, and come back when it is opened again: no data, no
figure. Here are the law packs of the report, too, which recipes bring along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from splu_desktop.core.audience import Audience
from splu_desktop.core.errors import SpluError
from splu_desktop.core.plan import Plan
from splu_desktop.core.questions import questions_from
from splu_desktop.core.resources import data_folder
from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.files.disk.whole_files import whole_file
from splu_desktop.files.project.entries import meanings
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.files.project.release_section import RELEASE
from splu_desktop.gui.base.dialogs import asked_file, save_as
from splu_desktop.gui.base.session import Answers, Choices, Session
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.words import join, t, translate
from splu_desktop.gui.base.work import Work

Say = Callable[[str, str], object]  # is told "done" or "fault", and a sentence
_FOLDER, _MOST, _LARGEST = "answers", 50, 1 << 20
_REST = 2000  # ms from a change until it is kept


def laws_chosen() -> tuple[str, ...]:
    """Return the codes of the law packs that reports are arranged by; none for the report's own choice."""
    # An empty text splits into one empty code.
    return tuple(filter(None, read_section("report").get("laws", "").split(",")))


def choose_laws(codes: Iterable[str]) -> None:
    """Remember the law packs that reports are arranged by."""
    remember("report", {**read_section("report"), "laws": ",".join(codes)})


def recipe_of(session: Session) -> Recipe | None:
    """Return all choices about the table that is open; None where there is no plan."""
    if session.source is None or session.plan is None:
        return None
    imported, release = session.source.reading, session.choices.release
    return Recipe(imported.choices, session.plan.as_dict(), imported.source, laws_chosen(), release)


def take_recipe(session: Session, recipe: Recipe, name: str, *, changed_in_expert: bool = False) -> None:
    """Take the choices of a recipe for the table that is open, as a step of this name. Raises what `plan_for` raises.

    `changed_in_expert` : it is the proposal's own text, changed, so that its steps can still be taken back.
    """
    if session.source is None:
        return
    # This raises where a recipe does not fit, before anything of it is taken.
    plan, now = recipe.plan_for(session.source.table), session.choices
    if recipe.laws:
        choose_laws(recipe.laws)
    answers = Answers.of_plan(plan)
    taken = replace(now, answers=answers, basis=answers, plan=plan, release=recipe.release)
    if not changed_in_expert:
        session.do(replace(taken, proposal=None), name)
    elif (plan, recipe.release) != (now.plan, now.release):
        session.do(replace(taken, expert=tuple(dict.fromkeys((*now.expert, name)))), name)


def save(session: Session, work: Work, say: Say, parent: QWidget) -> None:
    """Let the user choose where the choices are saved, and save them."""
    source, recipe = session.source, recipe_of(session)
    if source is None or recipe is None:
        say("fault", t("Answer three questions first."))
        return
    start = source.path.with_name(f"{source.path.stem}-recipe.toml")
    write = partial(write_recipe, recipe, overwrite=True)
    save_as(parent, work, t("Save a re&cipe…"), start, (".toml",), write, say)


def use(session: Session, say: Say, parent: QWidget) -> None:
    """Let the user choose a recipe for the table that is open, and take its choices as one step of undo."""
    if session.source is None:
        say("fault", t("Open a table first."))
        return
    path = asked_file(parent, t("&Use a recipe…"), "*.toml")
    if path is None:
        return
    try:
        take_recipe(session, read_recipe(path), join((t("Recipe"), path.name), ":"))
    except SpluError as fault:
        say("fault", translate(str(fault)))
        return
    say("done", t("The choices of “{name}” were taken over.", name=path.name))


def as_dict(choices: Choices) -> dict[str, Any]:
    """Return answers, plan and the section [release] of a recipe as plain data."""
    answers, plan = choices.answers, choices.plan
    return {
        "audience": answers.audience.as_dict(),
        "person": answers.person,
        "row_word": answers.row_word,
        "questions": [each.as_dict() for each in answers.questions],
        "not_secret": list(answers.not_secret),
        "plan": None if plan is None else plan.as_dict(),
        "release": dict(choices.release),
    }


def recall(source: Source) -> Choices | None:
    """Return what was kept of a file, None where nothing was, or nothing that fits it. For workers.

    Its plan is None where none was made, or it no longer fits.
    """
    path = data_folder() / _FOLDER / f"{_name(source)}.json"
    try:
        if path.stat().st_size > _LARGEST:
            return None
        data = json.loads(path.read_text(encoding="utf-8"))
        table = source.table
        person = data["person"]
        answers = Answers(
            audience=Audience.from_dict(data["audience"]),
            # The same file may have been read with other names for its columns.
            person=person if person in table.names else None,
            row_word=str(data["row_word"]),
            questions=questions_from(data["questions"], table),
            not_secret=tuple(map(str, data["not_secret"])),
        )
        release = dict(data.get("release", {}))
        # It is asked only so that a section with a wrong entry raises and is not taken up.
        meanings(RELEASE, release)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SpluError):
        return None
    plan = None
    if data.get("plan"):
        try:
            plan = Plan.from_dict(data["plan"], lambda each: questions_from([each], table)[0])
            plan.check(table)
        except (SpluError, KeyError, TypeError, ValueError):
            plan = None
    return Choices(answers, answers if plan else None, None, plan, release=release)


def _name(source: Source) -> str:
    # A fingerprint may be a path, whose slashes no file's name can have; a SHA-256 has 64 letters.
    return "".join(letter for letter in source.fingerprint if letter.isalnum())[-64:]


class Memory(QObject):
    """Keeps the session's answers and plan, a moment after each change, so that a crash loses nothing either."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._waiting: tuple[Source, Choices] | None = None
        self._kept: tuple[Source, Choices] | None = None
        self._timer = QTimer(self, singleShot=True, interval=_REST)
        self._timer.timeout.connect(self.keep)
        session.changed.connect(self._change)
        # This is made while the first table is being told of, and what is connected meanwhile does not hear it.
        self._change()

    def _change(self) -> None:
        source = self._session.source
        if source is None:
            return
        if self._waiting is not None and self._waiting[0] is not source:  # another file: the first one's come first
            self.keep()
        now = source, self._session.choices
        if now != self._kept:  # both are themselves, and nothing else
            self._waiting = now
            self._timer.start()

    def keep(self) -> None:
        """Keep what waits to be kept. A few kilobytes; where the disk refuses, it is forgotten."""
        self._timer.stop()
        if self._waiting is None:
            return
        self._kept, self._waiting = self._waiting, None
        source, choices = self._kept
        folder = data_folder() / _FOLDER
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with whole_file(folder / f"{_name(source)}.json", overwrite=True) as partial:
                partial.write_text(json.dumps(as_dict(choices), ensure_ascii=False), encoding="utf-8")
            old = sorted(folder.glob("*.json"), key=lambda each: each.stat().st_mtime)
            for each in old[:-_MOST]:
                each.unlink(missing_ok=True)
        except (OSError, SpluError):
            return
