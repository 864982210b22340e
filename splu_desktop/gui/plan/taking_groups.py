"""A column's values put into groups: by a worker, and as one step of undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from splu_desktop.core.generalise import Steps, column_after, suggest
from splu_desktop.core.progress import Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column
from splu_desktop.gui.base.facts import ColumnFacts, facts_after
from splu_desktop.gui.base.session import Choices, Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.words import filled, told


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
        words = filled(QCoreApplication.translate("classify", "groups of {column}"), column=name)
        session.choose(also(replace(choices, generalisations=after)), words)

    column = source.imported.table[name]
    job = tasks.run("groups", lambda progress: generalised(column, steps, progress))
    job.done.connect(made)


Made = dict[str, tuple[Steps, tuple[Column, ColumnFacts]]]


def take_roles(
    session: Session, tasks: Tasks, roles: Mapping[str, Role], words: str, kept: Mapping[str, str] | None = None
) -> None:
    """Give columns other roles as one step of undo; a measurement made sensitive gets the suggested intervals with it.

    `kept` are reasons for publishing what names persons. The intervals are found by a worker; nothing changes before.
    """
    source, choices = session.source, session.choices
    if source is None or choices is None:
        return
    measured = [
        name
        for name, role in roles.items()
        if role is Role.SA and not choices.steps(name) and source.fact(name).measurement
    ]

    def made(found: Made) -> None:
        now = session.choices
        if session.source is not source or now is None:
            return
        # Groups that were chosen meanwhile stay.
        new = {name: each for name, each in found.items() if not now.steps(name)}
        source.variants.update({(name, steps): column for name, (steps, column) in new.items()})
        after = {**now.generalisations, **{name: steps for name, (steps, _) in new.items()}}
        given = {**now.roles, **roles}
        session.choose(replace(now, roles=given, generalisations=after, kept={**now.kept, **(kept or {})}), words)
        for name, (steps, _) in new.items():
            sentence = QCoreApplication.translate(
                "classify",
                "“{column}” holds measurements, so it was put into groups to be re-drawn ({steps}). “Group values…” "
                "changes them, Undo takes both back.",
            )
            session.noticed.emit(filled(sentence, column=name, steps=", ".join(told(step.words) for step in steps)))

    if not measured:
        made({})
        return
    gamma = min(choices.follows.values(), default=None)

    def suggested(progress: Progress) -> Made:
        found: Made = {}
        for name in measured:
            column = source.imported.table[name]
            if steps := suggest(column, gamma=gamma):
                found[name] = steps, generalised(column, steps, progress)
        return found

    tasks.run("groups:" + min(measured), suggested).done.connect(made)
