"""A column's values put into groups: by a worker, and as one step of undo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from splu_desktop.core.generalise import Steps, column_after
from splu_desktop.core.progress import Progress
from splu_desktop.core.table import Column
from splu_desktop.gui.base.facts import ColumnFacts, facts_after
from splu_desktop.gui.base.session import Choices, Session
from splu_desktop.gui.base.tasks import Tasks


def generalised(column: Column, steps: Steps, progress: Progress) -> tuple[Column, ColumnFacts]:
    """Return a column after steps, and its facts. Runs in a worker."""
    progress.report("Grouping", 0.0)
    made = column_after(column, steps)
    return made, facts_after(column, made)


def take_groups(
    session: Session,
    tasks: Tasks,
    name: str,
    steps: Steps,
    also: Callable[[Choices], Choices] = lambda choices: choices,
) -> None:
    """Put a column's values into groups as one step of undo, once a worker has made them; `also` changes the rest."""
    source = session.source
    if source is None:
        return

    def made(found: tuple[Column, ColumnFacts]) -> None:
        choices = session.choices
        if session.source is not source or choices is None:
            return
        source.variants[name, steps] = found
        after = {**choices.generalisations, name: steps}
        words = QCoreApplication.translate("classify", "groups of {column}").format(column=name)
        session.choose(also(replace(choices, generalisations=after)), words)

    column = source.imported.table[name]
    job = tasks.run("groups", lambda progress: generalised(column, steps, progress))
    job.done.connect(made)
