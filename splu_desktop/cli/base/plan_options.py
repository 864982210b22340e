"""What `splu propose`, `plan` and `publish` share: the three questions, and the plan that options say."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong, misfit, name_option, no_effect, options_given
from splu_desktop.cli.base.generalise_options import add_generalise_option, generalisations_from, known_column
from splu_desktop.cli.base.help import several, takes
from splu_desktop.cli.base.import_options import ENGINES, add_recipe_options, import_table, set_of
from splu_desktop.core.audience import WHO, Audience, OwnLimit, day_to_delete
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.mechanism import Block, draw_from
from splu_desktop.core.messages import none_of, say, superfluous
from splu_desktop.core.persons.choice import ONE, ByPerson
from splu_desktop.core.persons.treatment import one_per_person
from splu_desktop.core.plan import Plan
from splu_desktop.core.policy.limits import limits_for
from splu_desktop.core.policy.proposal import plan_as_given
from splu_desktop.core.progress import Progress
from splu_desktop.core.questions import AskedTable, parse_question
from splu_desktop.core.roles import Role
from splu_desktop.core.table import Table
from splu_desktop.files.importer import TableReading
from splu_desktop.files.project.recipe import Recipe, write_recipe
from splu_desktop.files.project.release_section import PLANNING, RELEASE
from splu_desktop.files.publish.planning import PlannedTable, judge, propose_plan

_EXPLICIT = ("sa", "nsa", "drop", "identifier", "gamma", "generalise")  # options that make it a plan of one's own
_EXPLICIT_SET = {"draw", "together", "kept_identifiers"}  # the same of --set
_LIMITS = {"certainty": ("riskiest", "average")}  # what people call a limit -> its names


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Give a command FILE, the three questions, a plan that is not proposed, and the recipe with what it may say."""
    takes(parser, "file FILE", type=Path)
    group = parser.add_argument_group(say("the three questions"))
    who = say("who gets it: colleague, partner or public (partner)")
    takes(group, "--for|--audience WHO", who, dest="who", choices=WHO, default=Audience().who)
    takes(group, "--signed yes|no", "whether they signed not to recognise anybody (yes)", choices=["yes", "no"])
    takes(group, "--recipient TEXT", "who receives it", default="")
    takes(group, "--purpose TEXT", "what they need it for", default="")
    takes(group, "--until DATE", "when they delete it", default="")
    takes(group, "--row WORD", "what one row is: patient, stay, test …", default="")
    takes(
        group,
        "--person COL[=draw|first|last|random]|none",
        "the column that names the person, and which of the person's rows go out (draw: all of them)",
    )
    several(group, "--table TABLE", "a table that must come out, as in 'result=positive by age, sex'; at most three")
    takes(group, "--within PERCENT", "how well its figures must be told, such as 10, 20 or 30 (30)", type=float)
    group = parser.add_argument_group(say("a plan of your own"))
    several(group, "--sa COL,...", "secret columns, drawn anew")
    several(group, "--nsa COL,...", "columns published as they are")
    several(group, "--drop COL,...", "columns left out")
    takes(group, "--gamma G", "strength: 1 row in so many keeps its value (that of the audience)", type=float)
    add_generalise_option(parser, group)
    more, engines = add_recipe_options(parser, release=RELEASE, plan=PLANNING), ["memory", *ENGINES]
    words = say("what holds the table; duckdb takes CSV of any size, spark on a cluster")
    takes(more, "--engine memory|duckdb|spark", words, choices=engines)
    # Older calls: names of persons are left out by --drop as well, and --set says the others.
    group.add_argument("--identifier", action="append", default=[], help=argparse.SUPPRESS)
    group.add_argument(
        "--person-number", dest="set", action="append_const", const="person_number", help=argparse.SUPPRESS
    )
    older = {"--keep": "kept_identifiers.{}", "--limit": "limits.{}", "--shift-dates": "shift_dates={}"}
    for option, name in older.items():
        group.add_argument(option, dest="set", action="append", type=name.format, help=argparse.SUPPRESS)


def check_options(args: argparse.Namespace) -> None:
    """Refuse options and entries of --set that have no effect here, before the file is read. Raises SpluError."""
    # Only publish writes a release; elsewhere a saved recipe alone keeps these entries.
    if set_of(args, "release") and args.command != "publish":
        belong(args, "--save-recipe", "set")
    if args.recipe is not None and args.recipe.plan is not None:
        names = (*_EXPLICIT, "who", "signed", "row", "person", "table", "within")
        # Limits are part of whom the release is for, which options may say beside a recipe.
        entries = [f"--set {name}" for name in set_of(args, "plan") if name != "limits"]
        if options := [*options_given(args, names), *entries]:
            raise BadSetting(superfluous(say("A recipe says the whole plan"), options))


def release_entries(args: argparse.Namespace) -> dict[str, Any]:
    """Return how the release is written: the recipe's section [release] with what --set says in its place."""
    return {**({} if args.recipe is None else args.recipe.release), **set_of(args, "release")}


def plan_table(args: argparse.Namespace, progress: Progress, engine: Any = None) -> PlannedTable:
    """Read FILE, by an engine a part of it, and return it with its plan and verdict. Raises SpluError; Cancelled."""
    check_options(args)
    if engine is None:
        if args.engine not in (None, "memory"):  # of a command that takes the whole table
            raise BadSetting(none_of(args.engine, ["memory"]))
        return _plan(args, progress)
    stored: Mapping[str, Any] = {} if args.recipe is None else dict(args.recipe.plan or {})
    name = (args.person or "").rpartition("=")[0] or args.person
    person = stored.get("persons", {}).get("column", name if name in engine.head.names else None)
    result = _plan(args, progress, lambda part: engine.read_sample(person, part))
    column = None if result.plan.persons is None else result.plan.persons.column
    if column not in (None, person):  # by the rows of whole persons
        result = _plan(args, progress, lambda part: engine.read_sample(column, part))
    return result


def _plan(
    args: argparse.Namespace, progress: Progress, reading: Callable[[Progress], TableReading] | None = None
) -> PlannedTable:
    recipe = args.recipe
    imported = import_table(args, args.file, reading=reading)
    if recipe is not None and recipe.plan is not None:
        plan, asked = recipe.plan_for(imported.table, name="--recipe"), audience_asked(args)
        # The recipe says who they are, the options anything else.
        given = {n: each for n in ("recipient", "purpose", "until", "limits") if (each := getattr(asked, n))}
        planned = judge(imported, replace(plan, audience=replace(plan.audience, **given)), progress)
    else:
        planned = _plan_by_options(args, imported, progress)
    if args.save_recipe is not None:
        laws = () if recipe is None else recipe.laws
        written = Recipe(imported.choices, planned.plan.as_dict(), imported.source, laws, release_entries(args))
        write_recipe(written, args.save_recipe)
    return planned


def _plan_by_options(args: argparse.Namespace, imported: TableReading, progress: Progress) -> PlannedTable:
    entries = set_of(args, "plan")
    persons, person = person_asked(args, entries, imported.table)
    imported = replace(imported, table=one_per_person(imported.table, persons))
    table, who = imported.table, audience_asked(args)
    with name_option("--set", "limits"):
        within = limits_for(who).within if args.within is None else args.within / 100
    if not 0.01 <= within <= 0.99:
        raise misfit(f"{args.within:g}", "--within", "1–99")
    roles, questions = roles_asked(args, entries, table), questions_asked(args.table, within, table)
    _check_roles(roles, person, questions)
    asked: dict[str, Any] = {
        "person": person, "questions": questions, "within": within, "roles": roles, "row_word": args.row,
        "progress": progress,
    }  # fmt: skip
    if not options_given(args, _EXPLICIT) and not _EXPLICIT_SET & entries.keys():
        return propose_plan(imported, who, persons=persons, **asked)
    plan = plan_as_given(table, who, **asked).with_persons(persons)
    return judge(imported, replace(plan, **_changes_asked(args, table, plan, entries)), progress)


# --- the questions


def audience_asked(args: argparse.Namespace) -> Audience:
    """Return who gets it, as the options say; a partner who has signed where they say nothing. Raises BadSetting."""
    limits, signed = _limits_asked(set_of(args, "plan").get("limits", {})), args.signed != "no" and args.who != "public"
    with name_option("--until"):
        day_to_delete(args.until)
        details = {name: getattr(args, name) for name in ("recipient", "purpose", "until")}
        return Audience(args.who, signed, limits=limits, **details)


def person_asked(
    args: argparse.Namespace, entries: Mapping[str, Any], table: Table
) -> tuple[ByPerson | None, str | None]:
    """Return the choice about persons, and the column: "" to look for one, None for none. Raises BadSetting."""
    text = args.person
    more = [f"--set {name}" for name in ("person_number", "shift_dates") if entries.get(name)]
    if more and text in (None, "none"):
        raise no_effect(more, "--person")
    if text is None or text == "none":
        return None, "" if text is None else None
    name, sign, way = text.rpartition("=")
    # A column's own name may hold “=”.
    if not sign or text in table:
        name, way = text, "draw"
    if way.strip() not in ("draw", *ONE):
        raise misfit(text, "--person", "COL[=draw|first|last|random]|none")
    shift, days = _shift_asked(entries.get("shift_dates"), table)
    with name_option("--person"):
        name = table[name].name
        return ByPerson(name, way.strip(), number=entries.get("person_number", False), shift=shift, days=days), name


def _shift_asked(text: str | None, table: Table) -> tuple[tuple[str, ...], int]:
    if text is None:
        return (), 0
    names, _, days = text.rpartition("=")
    if not names or not days.strip().isdecimal() or not int(days.strip()[:9]):
        raise misfit(text, "shift_dates", "COLUMN,COLUMN=DAYS")
    return tuple(columns_named(names, table)), int(days.strip()[:9])


def questions_asked(texts: Sequence[str], within: float, table: Table) -> tuple[AskedTable, ...]:
    """Return the tables that must come out. Raises BadSetting, UnknownColumn."""
    if not all(map(str.strip, texts)):
        raise misfit("", "--table", "'COLUMN[=VALUE] by COLUMN'")
    with name_option("--table"):
        questions = tuple(parse_question(text, table, within) for text in texts)
    if len(questions) > 3:
        raise BadSetting("At most three tables can be asked for; leave {n} out.", n=len(questions) - 3)
    return questions


# --- a plan of one's own


def roles_asked(args: argparse.Namespace, entries: Mapping[str, Any], table: Table) -> dict[str, Role]:
    """Return the roles that options give. Raises BadSetting, UnknownColumn."""
    roles: dict[str, Role] = {}
    given = {"sa": Role.SA, "nsa": Role.NSA, "drop": Role.DROPPED, "identifier": Role.IDENTIFIER}
    for option, role in given.items():
        with name_option(f"--{option}"):
            for name in (name for text in getattr(args, option) for name in columns_named(text, table)):
                if roles.setdefault(name, role) is not role:
                    raise BadSetting("Column “{name}” is given two roles; give it one.", name=name)
    with name_option("--set", "kept_identifiers"):
        for name in entries.get("kept_identifiers", ()):
            if not roles.setdefault(table[name].name, Role.NSA).is_published:
                raise BadSetting("Column “{name}” is given two roles; give it one.", name=name)
    return roles


def _check_roles(roles: Mapping[str, Role], person: str | None, questions: Sequence[AskedTable]) -> None:
    """Raise BadSetting where a column that --person or --table names is given a role in which it can't serve."""
    needed = {"--person": [(person or "", Role.IDENTIFIER)], "--table": [(each.sa, Role.SA) for each in questions]}
    needed["--table"] += [(name, Role.NSA) for each in questions for name in each.by]
    for option, columns in needed.items():
        for name, role in columns:
            # Who names persons by --person may leave the column out in so many words.
            if (given := roles.get(name, role)) is not role and (role, given) != (Role.IDENTIFIER, Role.DROPPED):
                with name_option(option):
                    raise BadSetting("Column “{name}” is given two roles; give it one.", name=name)


def _limits_asked(texts: Mapping[str, str]) -> tuple[OwnLimit, ...]:
    """Return the limits that are set by hand, with their reasons. Raises BadSetting."""
    limits: dict[str, OwnLimit] = {}
    for name, rest in texts.items():
        value, _, why = rest.partition(":")
        try:
            number = float(value)
        except ValueError:
            raise misfit(f"{name}={rest}", "limits", "NAME=VALUE:REASON") from None
        for each in _LIMITS.get(name, (name,)):
            limits[each] = OwnLimit(each, number, why.strip())
    return tuple(limits.values())


def _changes_asked(args: argparse.Namespace, table: Table, plan: Plan, entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the options say of a plan beside roles and questions. Raises BadSetting."""
    changes: dict[str, Any] = {}
    if args.generalise:
        with name_option("--generalise"):
            steps = generalisations_from(args.generalise, table)
            for name in (name for name in steps if not plan.roles[name].is_published):
                raise BadSetting("Column “{name}” is left out, so its values can't be grouped; publish it.", name=name)
        changes = {"generalisations": {**plan.generalisations, **steps}}
    if kept := entries.get("kept_identifiers"):
        changes["kept_identifiers"] = {**plan.kept_identifiers, **kept}
    if {"draw", "together"} & entries.keys() or args.gamma is not None:
        changes["blocks"] = _blocks_asked(args, table, plan, entries)
    return changes


def _blocks_asked(args: argparse.Namespace, table: Table, plan: Plan, entries: Mapping[str, Any]) -> tuple[Block, ...]:
    name = entries.get("draw", plan.blocks[0].draw.name)
    # Not by `or`: a gamma of 0 is to be refused, and once meant the audience's strength.
    with name_option(*(("--set", "draw") if args.gamma is None else ("--gamma",))):
        draw = draw_from({"draw": name, "gamma": plan.gamma if args.gamma is None else args.gamma})
    blocks = [each.columns for each in plan.blocks]
    for text in entries["together"].split("|") if "together" in entries else ():
        joined = tuple(columns_named(text, table))
        if shown := [column for column in joined if column not in plan.sensitive]:
            raise BadSetting("Column “{name}” is drawn together but not secret; name it with --sa, too.", name=shown[0])
        left = [tuple(name for name in each if name not in joined) for each in blocks]
        blocks = [*(each for each in left if each), joined]
    return tuple(Block(columns, draw) for columns in blocks)


def columns_named(text: str, table: Table) -> list[str]:
    """Split a comma-separated list of columns whose names may hold commas themselves. Raises UnknownColumn."""
    names: list[str] = []
    parts = text.split(",")
    while parts:
        # The longest name that there is.
        heads = ((n, known_column(",".join(parts[:n]), table)) for n in range(len(parts), 0, -1))
        length, name = next(((n, name) for n, name in heads if name is not None), (0, ""))
        if not length:
            raise UnknownColumn(parts[0].strip(), table.names)
        names.append(name)
        del parts[:length]
    return names
