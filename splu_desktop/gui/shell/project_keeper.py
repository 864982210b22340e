"""The project file in the window: saving, opening, autosave every few seconds, and recovery after a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Progress
from splu_desktop.files.disk.place import recovery_folder
from splu_desktop.files.disk.settings import remember, remembered
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base.session import Choices, Session, Source
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.words import t, told

if TYPE_CHECKING:  # imported where there is something to keep or to read: no window waits for it
    from splu_desktop.files.project.file import Project
    from splu_desktop.files.project.recovery import Autosave, Recovery

_SOURCES, _MOST = "sources", 50  # of projects, the latest
_EVERY = 2000  # ms from a change until it is kept where a crash can't reach it


@dataclass(frozen=True, eq=False)
class Loaded:
    """A project with its source, read.

    Attributes
    ----------
    source, choices : ready for the session.
    notes : what is different from when the project was saved, in sentences.
    """

    source: Source
    choices: Choices
    notes: tuple[str, ...]


def as_project(source: Source, choices: Choices) -> Project:
    """Return the choices as a project."""
    # Not above: brings NumPy, which the window that opens does without.
    from splu_desktop.files.project.file import Project

    return Project(
        source=source.imported.source,
        choices=source.imported.choices,
        roles=choices.roles,
        draws=choices.draws,
        thresholds=choices.thresholds,
        generalisations=choices.generalisations,
        kept_identifiers=choices.kept,
        persons=choices.persons,
        audience=choices.audience,
        together=choices.together,
    )


def load(project: Project, path: Path, stage: str, changed: str, progress: Progress) -> Loaded:
    """Read a project's source as the project says, and group its columns. Runs in a worker. Raises SpluError."""
    # Not above: brings NumPy, which the window that opens does without.
    from splu_desktop.core.generalise import column_after
    from splu_desktop.core.roles.suggest import suggest_roles
    from splu_desktop.files import importer
    from splu_desktop.files.project.file import SourceState, source_state
    from splu_desktop.gui.base.facts import facts_after, table_facts

    notes = [changed] if source_state(project, path, progress) is SourceState.CHANGED else []
    imported = importer.read(path, project.choices, progress)
    table = imported.table
    suggestions = suggest_roles(table)
    fitted, said = project.fitted(table.names, {name: s.role for name, s in suggestions.items()})
    source = Source(path, imported, suggestions, table_facts(table, progress, stage))
    generalisations = {}
    for name, steps in fitted.generalisations.items():
        progress.report(stage, 0.0)
        try:
            made = column_after(table[name], steps)
        except SpluError as fault:  # a changed source may no longer allow them
            notes.append(told(str(fault)))
            continue
        source.variants[name, steps] = made, facts_after(table[name], made)
        generalisations[name] = steps
    choices = Choices(
        roles=fitted.roles,
        draws={name: draw.by_person("") for name, draw in fitted.draws.items()},
        thresholds=fitted.thresholds,
        together=fitted.together,
        generalisations=generalisations,
        kept=fitted.kept_identifiers,
        persons=fitted.persons,
        audience=fitted.audience,
    )
    try:
        choices = choices.counted(source)
    except SpluError as fault:  # no order among persons' records
        notes.append(told(str(fault)))
        choices = replace(choices, persons=None).counted(source)
    return Loaded(source, choices, (*notes, *(told(each) for each in said)))


def _remember(project: Path, source: Path) -> None:
    """Keep where the user's own projects have their tables: a project file's own word is followed only downwards."""
    others = {key: text for key, text in remembered(_SOURCES).items() if key != str(project.resolve())}
    latest = list(others.items())[-(_MOST - 1) :]
    remember(_SOURCES, {**dict(latest), str(project.resolve()): str(source.resolve())})


def _remembered(project: Project, path: Path) -> Path | None:
    known = remembered(_SOURCES).get(str(path.resolve()))
    found = None if known is None else Path(known)
    return found if found is not None and found.name == project.source.name and found.is_file() else None


class ProjectKeeper(QObject):
    """Keeps the session's choices on disk.

    Signals
    -------
    opened (Loaded) : a project was read and is in the session now.
    failed (str) : a sentence on what went wrong.
    needs_source (Project) : the project's source is not where it was; `open_with` goes on once it is found.
    changed : path or unsaved state is another one.
    """

    opened = Signal(object)
    failed = Signal(str)
    needs_source = Signal(object)
    changed = Signal()

    def __init__(self, session: Session, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, tasks
        self.path: Path | None = None
        self._autosave: Autosave | None = None
        self._kept: tuple[Source, Choices] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.keep)
        session.changed.connect(self._changed)
        session.undo_stack.cleanChanged.connect(lambda _: self.changed.emit())

    @property
    def unsaved(self) -> bool:
        """Whether there are choices that no project file holds."""
        return self._session.source is not None and not self._session.undo_stack.isClean()

    def _changed(self) -> None:
        if self._kept is not None and self._kept[0] is not self._session.source:
            self._kept = None  # or it would hold a table that is closed
        # Not restarted by further changes: while someone drags a slider, what they did 2 s ago is kept all the same.
        if self._session.source is not None and not self._timer.isActive():
            self._timer.start()

    def keep(self) -> None:
        """Keep the choices where a crash can't reach them; in a worker."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None or self._kept == (source, choices):
            return
        if self._tasks.busy("autosave"):  # one at a time
            self._timer.start()
            return
        self._kept = (source, choices)
        if self._autosave is None:
            # Not above: brings NumPy, which the window that opens does without.
            from splu_desktop.files.project.recovery import Autosave

            try:
                self._autosave = Autosave()
            except SpluError as fault:
                self.failed.emit(told(str(fault)))
                return
        autosave, path = self._autosave, self.path
        job = self._tasks.run(
            "autosave", lambda progress: autosave.keep(as_project(source, choices), source.path, path)
        )
        job.failed.connect(self.failed)

    def save(self, path: Path) -> bool:
        """Save the project. A few kilobytes, so at once; False where it failed, which is told."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.file import save_project

        source, choices = self._session.source, self._session.choices
        if source is None or choices is None:
            return False
        try:
            save_project(as_project(source, choices), path, source=source.path)
        except SpluError as fault:
            self.failed.emit(told(str(fault)))
            return False
        self.path = path
        _remember(path, source.path)
        self._session.undo_stack.setClean()
        self.changed.emit()
        return True

    def open(self, path: Path) -> Job | None:
        """Open a project file, and read its source in the worker."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.file import find_source, open_project

        try:
            project = open_project(path)
        except SpluError as fault:
            self.failed.emit(told(str(fault)))
            return None
        source = find_source(project, path) or _remembered(project, path)
        self.path = path
        if source is None:
            self.needs_source.emit(project)
            return None
        return self.open_with(project, source)

    def open_with(self, project: Project, source: Path, then: Callable[[], None] | None = None) -> Job:
        """Read a project's source in the worker."""
        stage = t("Looking at the columns")
        changed = t("“{name}” has changed since the project was saved; check your choices.", name=source.name)
        job = self._tasks.run("import", lambda progress: load(project, source, stage, changed, progress))
        job.done.connect(partial(self._loaded, then))
        return job

    def recover(self, recovery: Recovery) -> Job:
        """Take over the choices of a session that did not end well."""
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.recovery import discard

        self.path = recovery.project_path
        return self.open_with(recovery.project, recovery.source, partial(discard, recovery))

    def recoverable(self) -> Recovery | None:
        """Return what the last session that did not end well has left, None for nothing."""
        folder = recovery_folder()
        if not folder.is_dir() or not any(folder.iterdir()):
            return None
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.recovery import recoveries

        return next(iter(recoveries()), None)

    def end(self) -> None:
        """End the session well: nothing is left to recover. No work may be under way any more."""
        self._timer.stop()
        if self._autosave is not None:
            self._autosave.end()
            self._autosave = None

    def _loaded(self, then: Callable[[], None] | None, found: Loaded) -> None:
        self._session.open_source(found.source, found.choices)
        if self.path is not None:
            _remember(self.path, found.source.path)
        if then is not None:
            then()
        self.changed.emit()
        self.opened.emit(found)
