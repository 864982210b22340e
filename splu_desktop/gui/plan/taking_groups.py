"""A column's values put into groups: by a worker, and as one step of undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from splu_desktop.core.draw.by_person import ONE
from splu_desktop.core.generalise import Steps, column_after, suggest
from splu_desktop.core.progress import Progress
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column
from splu_desktop.gui.base.facts import ColumnFacts, facts_after
from splu_desktop.gui.base.session import Choices, Session
from splu_desktop.gui.base.tasks import Tasks
from splu_desktop.gui.base.words import filled, t, told


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
    source, now = session.source, session.choices
    if source is None or now is None:
        return

    def made(_: object) -> None:
        choices = session.choices
        if session.source is not source or choices is None:
            return
        after = {**choices.generalisations, name: steps}
        words = t("groups of {column}", column=name)
        session.choose(also(replace(choices, generalisations=after)), words)

    def work(progress: Progress) -> None:
        source.variants[name, steps] = generalised(source.imported.table[name], steps, progress)
        source.drawn(name, steps, now.persons)  # kept, so that the window waits for nothing

    tasks.run("groups", work).done.connect(made)


Made = dict[str, Steps]


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
        new = {name: steps for name, steps in found.items() if not now.steps(name)}
        after = {**now.generalisations, **new}
        given = {**now.roles, **roles}
        session.choose(replace(now, roles=given, generalisations=after, kept={**now.kept, **(kept or {})}), words)
        for name, steps in new.items():
            sentence = t(
                "“{column}” holds measurements, so it was put into groups to be re-drawn ({steps}). “Group values…” "
                "changes them, Undo takes both back."
            )
            session.noticed.emit(filled(sentence, column=name, steps=", ".join(told(step.words) for step in steps)))

    # With one record of each person a column's other records are left out first.
    one = choices.persons is not None and choices.persons.way in ONE
    shortened = [name for name, role in roles.items() if one and role.published]
    if not measured and not shortened:
        made({})
        return
    gamma = min(choices.follows.values(), default=None)

    def suggested(progress: Progress) -> Made:
        found: Made = {}
        for name in measured:
            column = source.imported.table[name]
            if steps := suggest(column, gamma=gamma):
                source.variants[name, steps] = generalised(column, steps, progress)
                found[name] = steps
        for name in shortened:
            source.drawn(name, found.get(name, choices.steps(name)), choices.persons)
        return found

    job = tasks.run("groups:" + min(measured + shortened), suggested)
    job.done.connect(made)
    job.failed.connect(session.noticed)
