"""Recipes: what the session decided as one, saved and taken up as one step of undo; the law packs of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QWidget

from splu_desktop.core.errors import SpluError
from splu_desktop.files.disk.settings import read_section, remember
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.gui.base.dialogs import asked_file, save_as
from splu_desktop.gui.base.session import Answers, Session
from splu_desktop.gui.base.words import join, t, translate
from splu_desktop.gui.base.work import Work

Say = Callable[[str, str], object]  # is told "done" or "fault", and a sentence


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
    imported, release = session.source.imported, session.choices.release
    return Recipe(imported.choices, session.plan, imported.source, laws_chosen(), release)


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
    taken = replace(now, answers=answers, asked=answers, plan=plan, release=recipe.release)
    if not changed_in_expert:
        session.do(replace(taken, proposal=None, undone=()), name)
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
