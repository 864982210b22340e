"""Recipes in the window: saving all choices as TOML, and taking those of a recipe for the table that is open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.core.progress import Progress
from splu_desktop.gui.base.session import Choices, Session, Source
from splu_desktop.gui.base.tasks import Job, Tasks
from splu_desktop.gui.base.widgets import asked_file
from splu_desktop.gui.base.words import t, told
from splu_desktop.gui.shell.project_keeper import ProjectKeeper

if TYPE_CHECKING:  # imported where there is a recipe to read or to write: no window waits for it
    from splu_desktop.core.generalise import Steps
    from splu_desktop.core.plan import Plan
    from splu_desktop.core.table import Column
    from splu_desktop.gui.base.facts import ColumnFacts

    Variants = dict[tuple[str, Steps], tuple[Column, ColumnFacts]]


def variants_of(source: Source, plan: Plan, progress: Progress) -> Variants:
    """Return the columns that a plan generalises, generalised. Runs in a worker. Raises CannotGeneralise."""
    # Not above: brings NumPy, which the window that opens does without.
    from splu_desktop.core.generalise import column_after
    from splu_desktop.gui.base.facts import facts_after

    found: Variants = {}
    for done, (name, steps) in enumerate(plan.generalisations.items()):
        progress.report("Grouping", done / len(plan.generalisations))
        column = source.imported.table[name]
        made = column_after(column, steps)
        found[name, steps] = made, facts_after(column, made)
    return found


class Recipes(QWidget):
    """Saves and takes recipes; never shown itself.

    Signals
    -------
    said (kind, sentence) : "done" or "fault", and what happened.
    """

    said = Signal(str, str)

    def __init__(self, session: Session, tasks: Tasks, keeper: ProjectKeeper, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._tasks, self._keeper = session, tasks, keeper
        self.hide()

    def ask_save(self) -> None:
        """Let the user choose where the choices are saved."""
        source = self._session.source
        if source is None or not self._session.ready_to_plan():
            self.said.emit("fault", t("Mark a column as sensitive first; a recipe holds all that a release needs."))
            return
        start = str(source.path.with_name(f"{source.path.stem}-recipe.toml"))
        name, _ = QFileDialog.getSaveFileName(self, t("Save a recipe"), start, t("Recipes (*.toml)"))
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Save the choices as a recipe."""
        source, choices = self._session.source, self._session.choices
        if source is None or choices is None:
            return
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.recipe import Recipe, write_recipe
        from splu_desktop.gui.report.fields import laws_chosen

        path = path if path.suffix else path.with_suffix(".toml")
        imported = source.imported
        try:
            recipe = Recipe(imported.choices, choices.plan(), imported.source, laws_chosen())
            write_recipe(recipe, path, overwrite=True)
        except SpluError as fault:
            self.said.emit("fault", told(str(fault)))
            return
        self.said.emit(
            "done",
            t(
                "“{name}” holds every choice: “splu publish {table} --recipe {name}” makes the same release.",
                name=path.name,
                table=source.path.name,
            ),
        )

    def ask_use(self) -> None:
        """Let the user choose a recipe for the table that is open."""
        if self._session.source is None:
            self.said.emit("fault", t("Open the table first, then the recipe that says what to do with it."))
            return
        path = asked_file(self, t("Use a recipe"), t("Recipes (*.toml)"))
        if path is not None:
            self.use(path)

    def use(self, path: Path) -> Job | None:
        """Take the choices of a recipe, as one step of undo where the table is read alike."""
        source = self._session.source
        if source is None:
            return None
        # Not above: brings NumPy, which the window that opens does without.
        from splu_desktop.files.project.file import Project
        from splu_desktop.files.project.import_section import import_as_dict
        from splu_desktop.files.project.recipe import read_recipe
        from splu_desktop.gui.report.fields import choose_laws

        try:
            recipe = read_recipe(path)
            plan = recipe.plan_for(source.imported.table)
        except SpluError as fault:
            self.said.emit("fault", told(str(fault)))
            return None
        if recipe.laws:
            choose_laws(recipe.laws)
        if import_as_dict(recipe.choices) != import_as_dict(
            source.imported.choices
        ):  # another way of reading: read again, then take the rest
            project = Project(
                source=source.imported.source,
                choices=recipe.choices,
                roles=plan.roles,
                draws=plan.draws,
                thresholds=plan.thresholds,
                generalisations=plan.generalisations,
                kept_identifiers=plan.kept_identifiers,
                persons=plan.persons,
                audience=plan.audience,
                together=len({draw.by_person("").gamma for draw in plan.draws.values()} - {None}) <= 1,
            )
            return self._keeper.open_with(project, source.path)
        job = self._tasks.run("recipe", lambda progress: variants_of(source, plan, progress))
        job.done.connect(lambda found: self._take(source, plan, found, path.name))
        job.failed.connect(lambda text: self.said.emit("fault", text))
        return job

    def _take(self, source: Source, plan: Plan, variants: Variants, name: str) -> None:
        if self._session.source is not source:
            return
        source.variants.update(variants)
        choices = Choices(
            roles=plan.roles,
            draws={name: draw.by_person("") for name, draw in plan.draws.items()},
            thresholds=plan.thresholds,
            together=len({draw.by_person("").gamma for draw in plan.draws.values()} - {None}) <= 1,
            generalisations=plan.generalisations,
            kept=plan.kept_identifiers,
            persons=plan.persons,
            audience=plan.audience,
        )
        self._session.choose(choices, t("recipe “{name}”", name=name))
        self.said.emit("done", t("The choices of “{name}” were taken over.", name=name))
