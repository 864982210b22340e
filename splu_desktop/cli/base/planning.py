"""What `splu publish` and `splu plan` share: the options that say a plan, and the plan they say."""

from __future__ import annotations

import argparse
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from splu_desktop.cli.base.audience_options import OPTIONS as AUDIENCE_OPTIONS
from splu_desktop.cli.base.audience_options import add_audience_options, audience_said
from splu_desktop.cli.base.generalise_options import add_generalise_option, generalisations_from
from splu_desktop.cli.base.help import several, switch, takes
from splu_desktop.cli.base.import_options import check_choices, check_import, choices_from
from splu_desktop.cli.base.sensitive_option import sensitive_column
from splu_desktop.cli.base.tolerance_options import (
    BY_GAMMA,
    DrawWay,
    Rules,
    add_tolerance_options,
    declared_from,
    designed,
    draws_said,
    fakes_from,
    tolerance_rules,
    ways_said,
)
from splu_desktop.cli.base.tolerance_options import OPTIONS as TOLERANCE_OPTIONS
from splu_desktop.core.draw import Draw
from splu_desktop.core.draw.by_person import ByPerson, one_per_person
from splu_desktop.core.draw.together import planned
from splu_desktop.core.draw.ways import by_gamma
from splu_desktop.core.errors import BadSetting, UnknownColumn
from splu_desktop.core.generalise import Intervals, Steps, suggest, table_after, words_for
from splu_desktop.core.guarantees.audience import Audience
from splu_desktop.core.messages import listed, say
from splu_desktop.core.plan import DEFAULT_GAMMA, Plan, Thresholds
from splu_desktop.core.roles.suggest import Role, Suggestion, suggest_roles
from splu_desktop.core.roles.vocabulary import RoleCard
from splu_desktop.core.table import Table
from splu_desktop.files.importer import ImportChoices, Imported, ProblemKind, read
from splu_desktop.files.project.recipe import read_recipe

_NONE: Mapping[str, Any] = MappingProxyType({})


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that say roles, group sizes and thresholds."""
    several(parser, "--sa COL[:GAMMA]", "a sensitive column, re-drawn; may be repeated")
    several(parser, "--nsa COL,...", "columns published unchanged")
    several(parser, "--drop COL,...", "columns left out")
    several(parser, "--identifier COL,...", "columns that name a person; left out")
    takes(
        parser,
        "--gamma G",
        "group size of every --sa without its own ({usual})",
        usual=DEFAULT_GAMMA,
        type=int,
        default=None,
    )
    usual = Thresholds()
    takes(parser, "--epsilon", "relative error stated in the release ({usual})", usual=str(usual.epsilon), type=float)
    takes(parser, "--t-e", "tolerated probability of it in large counts ({usual})", usual=str(usual.t_e), type=float)
    takes(parser, "--alpha", "largest count that is to stay unreliable ({usual})", usual=usual.alpha, type=int)
    takes(parser, "--t-p", "least probability wanted of a larger error in small counts", type=float)
    several(
        parser,
        "--together COL,...",
        "sensitive columns drawn together as one, so that what they say about each other stays; who knows some of "
        "a person's values can recognise the others (“splu plan” says how often); may be repeated",
    )
    add_generalise_option(parser)
    add_tolerance_options(parser)
    several(
        parser, "--keep COL=REASON", "publish a column that was taken for an identifier; the report shows the reason"
    )
    takes(
        parser,
        "--person COL=draw|first|last|random|record",
        "the column that tells persons, and what is done where they have several records: a draw per person, one "
        "record each, or each record by itself with the reason in --person-reason",
    )
    takes(parser, "--person-order COL", "column by which records are first or last (else the file)")
    switch(parser, "--person-number", "give each person a random number, so that courses can be followed")
    takes(
        parser,
        "--shift-dates COL,...=DAYS",
        "move the dates of these columns by one random number of days per person, up to DAYS either way; days "
        "between a person's dates stay true",
    )
    takes(parser, "--person-reason WORDS", "why each record of a person may stand for itself")
    add_audience_options(parser)
    takes(parser, "--recipe RECIPE.toml", "take roles, group sizes and all else from a recipe", type=Path)


def table_and_plan(args: argparse.Namespace, memory: int | None = None) -> tuple[Imported, Plan, list[str]]:
    """Read FILE and return it with the plan that recipe or options say, and notes for the user. Raises SpluError.

    `memory` : bytes to get along with; None for most of what is free.
    """
    asked = choices_from(args)
    if args.recipe is None:
        thresholds = _thresholds(args)
        imported = read(args.file, asked, most=memory)
        check_import(args, asked, imported)
        table = one_per_person(imported.table, person_said(args, imported.table))
        plan, notes = plan_from(args, table, thresholds)
        return replace(imported, table=table), plan, [*_passed_over(imported), *notes]
    check_recipe_alone(args)
    recipe = read_recipe(args.recipe)
    asked = overruled(recipe.choices, asked)
    check_choices(args, asked)
    imported = read(args.file, asked, most=memory)
    plan = recipe.plan_for(imported.table, name=say("the recipe “{name}”", name=args.recipe.name))
    check_import(args, asked, imported)
    table = one_per_person(imported.table, plan.persons)
    plan, anew = _planned_anew(table, plan)
    return replace(imported, table=table), plan, [*_passed_over(imported), *anew, *_words(plan)]


def _planned_anew(table: Table, plan: Plan) -> tuple[Plan, list[str]]:
    """Return the plan with chances that follow from a gamma as this table gives them, and what was done in words.

    A recipe holds those of the table it was made for, and serves next month's too.
    """
    generalised, draws = table_after(table, plan.generalisations), dict(plan.draws)
    notes: list[str] = []
    for name, draw in plan.draws.items():
        if draw.follows is None or draw.gamma is not None or len(draw.block(name)) > 1 or not table.n:
            continue
        try:
            draw.check(generalised[name])
        except BadSetting:
            draws[name] = by_gamma(generalised[name], draw.follows)
            told = say(
                "The chances of “{column}” were planned anew for this table, by the recipe's gamma {gamma}.",
                column=name,
                gamma=draw.follows,
            )
            notes.append(told)
    return replace(plan, draws=draws), notes


def _passed_over(imported: Imported) -> list[str]:
    """Return the sentences on sheets that were not read: their records are missing from all that follows."""
    return [each.sentence for each in imported.problems if each.kind is ProblemKind.SKIPPED_SHEET]


def check_recipe_alone(args: argparse.Namespace) -> None:
    """Raise BadSetting where options say what the recipe says."""
    given = [option for option, value in _plan_options(args).items() if value not in (None, [], False)]
    if given:
        raise BadSetting(
            "A recipe says roles, group sizes, thresholds and generalisations itself; leave out {known}, or "
            "leave out --recipe.",
            known=", ".join(given),
        )


def person_said(args: argparse.Namespace, table: Table) -> ByPerson | None:
    """Return what --person says. Raises BadSetting, UnknownColumn."""
    if args.person is None:
        if args.person_order or args.person_reason or args.person_number or args.shift_dates:
            raise BadSetting(
                "--person-order, --person-reason, --person-number and --shift-dates belong to --person; give it, too."
            )
        return None
    name, sign, way = args.person.rpartition("=")
    if not sign:
        raise BadSetting("“{text}” after --person gives no way; write COLUMN=draw.", text=args.person[:80])
    if name not in table:
        raise UnknownColumn(name, table.names)
    shift, days = _shift_said(args.shift_dates, table)
    order = args.person_order or ""
    return ByPerson(name, way.strip(), args.person_reason or "", order, args.person_number, shift, days)


def _shift_said(text: str | None, table: Table) -> tuple[tuple[str, ...], int]:
    """Return the columns and the days of --shift-dates. Raises BadSetting, UnknownColumn."""
    if text is None:
        return (), 0
    names, sign, days = text.rpartition("=")
    if not sign or not names or not days.strip().isdecimal() or not int(days.strip()[:9]):
        raise BadSetting(
            "“{text}” after --shift-dates gives no number of days; write COLUMN,COLUMN=90.", text=text[:80]
        )
    return tuple(columns_named(names, table)), int(days.strip()[:9])


def _plan_options(args: argparse.Namespace) -> dict[str, Any]:
    options = ["sa", "nsa", "drop", "identifier", "keep", "generalise", "intervals", "gamma", "epsilon", "t_e", "alpha"]
    options += ["t_p", "person", "person_order", "person_reason", "person_number", "shift_dates", "together"]
    options += [*TOLERANCE_OPTIONS, *AUDIENCE_OPTIONS]
    return {f"--{name.replace('_', '-')}": getattr(args, name) for name in options}


def overruled(stored: ImportChoices, asked: ImportChoices) -> ImportChoices:
    """Return the stored choices with those asked for on the command line in their place."""
    given: dict[str, Any] = {}
    for field in fields(asked):
        value = getattr(asked, field.name)
        if isinstance(value, Mapping):
            given[field.name] = {**getattr(stored, field.name), **value}
        elif value is not None:
            given[field.name] = value
    if "sheet" in given or "sheets" in given:  # one sheet or several, as is said last
        given = {"sheet": None, "sheets": None, **given}
    return replace(stored, **given)


def _thresholds(args: argparse.Namespace) -> Thresholds:
    given = {"epsilon": args.epsilon, "t_e": args.t_e, "alpha": args.alpha, "t_p": args.t_p}
    return Thresholds(**{name: value for name, value in given.items() if value is not None})


def plan_from(args: argparse.Namespace, table: Table, thresholds: Thresholds | None = None) -> tuple[Plan, list[str]]:
    """Return the plan that these options say for a table, and notes for the user. Raises SpluError."""
    kept: dict[str, str] = {}
    for text in args.keep:
        # A column may have "=" in its own name; the longest name that fits is meant.
        known = max((name for name in table.names if text.startswith(f"{name}=")), key=len, default="")
        name, sign, why = (known, "=", text[len(known) + 1 :]) if known else text.partition("=")
        if not sign or not why.strip():
            raise BadSetting("“{text}” after --keep gives no reason; write COLUMN=REASON.", text=text[:80])
        if kept.setdefault(name.strip(), why.strip()) != why.strip():
            raise BadSetting("Column “{name}” is given two reasons with --keep; give one.", name=name.strip())
    ways = ways_said(args, table)
    for name in {name for text in args.together for name in columns_named(text, table)}.intersection(ways):
        if any(text.startswith(f"{name}=") for text in args.draw):
            raise BadSetting(
                "Column “{name}” is drawn together with others, so it has no draw of its own; leave it out of "
                "--draw or of --together.",
                name=name,
            )
        del ways[name]  # “*=...” is for the others
    rules, draws = tolerance_rules(args, table), draws_said(args, table)
    plan, notes = make_plan(
        table,
        sensitive=args.sa,
        nsa=args.nsa,
        drop=args.drop,
        identifier=args.identifier,
        gamma=args.gamma,
        thresholds=thresholds or _thresholds(args),
        generalisations=generalisations_from(args.generalise, table, args.intervals),
        kept=kept,
        rules=rules,
        fakes=fakes_from(args, table),
        declared=declared_from(args, table),
        draws=draws,
        persons=person_said(args, table),
        ways=ways,
        together=args.together,
        audience=audience_said(args),
    )
    own = {name for text in args.sa for name, number in sensitive_column(text, table) if number is not None}
    by_rule = any(text.rpartition("=")[2] == BY_GAMMA for text in args.tolerance)
    if args.gamma is not None and not by_rule and own.union(rules, draws).issuperset(plan.sensitive):
        raise BadSetting(
            "--gamma serves no column: every sensitive one has a gamma, tolerances or a draw of its own, or there is "
            "none; leave it out."
        )
    return plan, notes


def make_plan(
    table: Table,
    *,
    sensitive: Iterable[str],
    nsa: Iterable[str] = (),
    drop: Iterable[str] = (),
    identifier: Iterable[str] = (),
    gamma: int | None = None,
    thresholds: Thresholds | None = None,
    generalisations: Mapping[str, Steps] = _NONE,
    kept: Mapping[str, str] = _NONE,
    rules: Rules = _NONE,
    fakes: Mapping[str, int] = _NONE,
    declared: Mapping[str, Path] = _NONE,
    draws: Mapping[str, Draw] = _NONE,
    persons: ByPerson | None = None,
    ways: Mapping[str, DrawWay] = _NONE,
    together: Iterable[str] = (),
    audience: Audience | None = None,
) -> tuple[Plan, list[str]]:
    """Return the plan that the options say, and notes for the user.

    Columns without a role take the one suggested for them as generalised. `kept` gives reasons for publishing columns
    that are suggested as identifiers; `rules` make columns sensitive with a tolerance per value, `fakes` put fake
    values into the groups of sensitive ones, `declared` name files of values that may occur in them; `draws` make
    columns sensitive in ways of their own, `together` several columns in one draw, and `ways` say for others whether
    they are drawn from groups or joined; `persons` says what is done about those with several records, `audience` who
    gets the release.
    Raises UnknownColumn, BadSetting.
    """
    generalisations, usual = dict(generalisations), gamma if gamma is not None else DEFAULT_GAMMA
    if persons is not None and persons.drawn and any(way.leave for way in ways.values()):
        raise BadSetting(
            "A draw per person keeps all of a person's values or none, so no share of the bearers can be left out; "
            "leave away leave=, or choose another --person."
        )
    asked = _gammas_asked(sensitive, table, usual, rules)
    blocks = [columns_named(text, table) for text in together]
    own_ways = {**rules, **draws}
    own_ways |= _drawn_once(blocks, {**own_ways, **fakes, **declared})
    chosen = (*asked, *own_ways)
    said = _roles_said(table, chosen, {Role.NSA: nsa, Role.DROPPED: drop, Role.IDENTIFIER: identifier}, kept)
    taken = _roles_taken(table, said, chosen, generalisations)
    roles = {**said, **{name: suggestion.role for name, suggestion in taken.items()}}
    _check_roles(roles, taken, generalisations, ways)
    grouped = _in_groups(table, roles, generalisations, usual)
    generalisations |= grouped
    generalised = table_after(table, generalisations)
    _check_kept(generalised, said, kept)
    gammas = {name: asked.get(name, usual) for name in roles if roles[name] is Role.SA and name not in own_ways}
    found = {**designed(rules, gammas, fakes, ways, generalised, declared), **draws}
    for names in blocks:
        found |= planned(generalised, names, _one_gamma(names, asked, usual))
    plan = Plan(
        roles={name: roles[name] for name in table.names},
        draws={name: found[name] for name in table.names if name in found},
        thresholds=thresholds or Thresholds(),
        generalisations={name: generalisations[name] for name in table.names if name in generalisations},
        kept_identifiers=kept,
        persons=persons,
        audience=audience,
    )
    return plan, [*_notes(taken), *(_grouped(name, steps) for name, steps in grouped.items()), *_words(plan, grouped)]


def _option(role: Role) -> str:
    return "--drop" if role is Role.DROPPED else f"--{role.value}"


def _gammas_asked(sensitive: Iterable[str], table: Table, usual: int, rules: Iterable[str]) -> dict[str, int]:
    """Return the columns given with --sa and the group size of each. Raises UnknownColumn, BadSetting."""
    asked: dict[str, int] = {}
    for name, own in (each for text in sensitive for each in sensitive_column(text, table)):
        if name in asked:
            raise BadSetting("Column “{name}” is given with --sa twice; name it once.", name=name)
        if name in rules and own is not None:
            raise BadSetting(
                "Column “{name}” has both a group size gamma and tolerances; give it one of them.", name=name
            )
        asked[name] = own if own is not None else usual
    return asked


def _roles_said(
    table: Table, chosen: Iterable[str], given: Mapping[Role, Iterable[str]], kept: Iterable[str]
) -> dict[str, Role]:
    """Return the roles that the options give: sensitive columns, those of other roles, those kept with a reason."""
    roles = dict.fromkeys(chosen, Role.SA)
    for role, texts in given.items():
        for name in (name for text in texts for name in columns_named(text, table)):
            if roles.setdefault(name, role) is not role:
                raise BadSetting(
                    "Column “{name}” is given two roles, {role} and {option}; give it one.",
                    name=name,
                    role=roles[name].value,
                    option=_option(role)[2:],
                )
    for name in kept:
        if not roles.setdefault(name, Role.NSA).published:
            raise BadSetting("Column “{name}” is left out and kept at once; give it one of the two.", name=name)
    return roles


def _roles_taken(
    table: Table, said: Collection[str], chosen: Sequence[str], generalisations: Mapping[str, Steps]
) -> dict[str, Suggestion]:
    """Return what is suggested for the columns without a role, as they are grouped."""
    plain = suggest_roles(table, chosen) if generalisations else {}
    taken = {}
    for name, suggestion in suggest_roles(table_after(table, generalisations), chosen).items():
        # A month is no longer known as a date, nor as harmless.
        if name in generalisations and (
            plain[name].role is Role.NSA or plain[name].card is RoleCard.RECOGNISES != suggestion.card
        ):
            suggestion = replace(plain[name], role=Role.NSA)
        if name not in said:
            taken[name] = suggestion
    return taken


def _check_roles(
    roles: Mapping[str, Role],
    taken: Mapping[str, Suggestion],
    generalisations: Iterable[str],
    ways: Iterable[str],
) -> None:
    """Raise BadSetting unless a column is sensitive, what is grouped is published, and what has a way is drawn."""
    special = [name for name, suggestion in taken.items() if suggestion.card is RoleCard.SPECIAL]
    if Role.SA not in roles.values() and special:
        raise BadSetting(
            "No sensitive column is marked: mark those to be published, of all that look sensitive: --sa {columns}",
            columns=shlex.quote(",".join(special)),
        )
    for name in generalisations:
        if not roles[name].published:
            raise BadSetting(
                "Column “{name}” is left out of the release, so its values can't be grouped; publish it, or leave "
                "--generalise and --intervals of it away.",
                name=name,
            )
    for name in ways:
        if roles[name] is not Role.SA:
            raise BadSetting("Column “{name}” is not sensitive, so it is not drawn; name it with --sa, too.", name=name)


def _notes(taken: Mapping[str, Suggestion]) -> list[str]:
    """Return which columns were taken as what and why, those of one reason together; published ones need no word."""
    alike = defaultdict[tuple[Role, str], list[str]](list)
    for name, suggestion in taken.items():
        if suggestion.role is not Role.NSA:
            alike[suggestion.role, suggestion.reason].append(say("“{name}”", name=name))
    return [
        say("Taken as {option}: {columns} ({reason}).", option=_option(role), columns=listed(names), reason=reason)
        for (role, reason), names in alike.items()
    ]


def _drawn_once(blocks: Iterable[Iterable[str]], others: Iterable[str]) -> dict[str, None]:
    """Return the columns of --together. Raises BadSetting where one is in two blocks, or has a draw of its own."""
    found = dict.fromkeys(others)
    names: dict[str, None] = {}
    for name in (name for block in blocks for name in block):
        if name in found:
            raise BadSetting("Column “{name}” after --together is given two draws; give one.", name=name)
        found[name] = names[name] = None
    return names


def _one_gamma(names: Iterable[str], own: Mapping[str, int], usual: int) -> int:
    """Return the gamma of columns drawn together. Raises BadSetting where they are given different ones."""
    # A column without --sa has none of its own, one with it may have the usual one.
    said = {own[name] for name in names if name in own}
    if len(said) > 1:
        raise BadSetting("Columns drawn together have one gamma; give {known} the same.", known=", ".join(names))
    return said.pop() if said else usual


def _in_groups(table: Table, roles: Mapping[str, Role], said: Mapping[str, Steps], gamma: int) -> dict[str, Steps]:
    """Return the suggested intervals, or parts of dates, of sensitive measurements for which nothing was said."""
    marked = [name for name, role in roles.items() if role is Role.SA and name in table and not said.get(name)]
    found = {name: suggest(table[name], gamma=gamma) for name in marked}
    return {name: steps for name, steps in found.items() if steps}


def _grouped(name: str, steps: Steps) -> str:
    words = words_for(name, steps)
    other = "--generalise" if not isinstance(steps[0], Intervals) else "--intervals"
    return say(
        "{words} This is suggested, since a measurement can't be re-drawn as it stands; {option} says it otherwise.",
        words=words,
        option=other,
    )


def _words(plan: Plan, apart: Iterable[str] = ()) -> list[str]:
    return [words_for(name, steps) for name, steps in plan.generalisations.items() if name not in apart]


def _check_kept(table: Table, roles: Mapping[str, Role], kept: Mapping[str, str]) -> None:
    """Raise BadSetting where a column that names persons would be published without a reason given for it."""
    for name, suggestion in suggest_roles(table).items():
        if suggestion.role is Role.IDENTIFIER and name not in kept and name in roles and roles[name].published:
            raise BadSetting(
                "Column “{name}” looks like an identifier ({reason}); to publish it all the same, give the "
                "reason with --keep '{name}=REASON', or leave it out.",
                name=name,
                reason=suggestion.reason,
            )


def columns_named(text: str, table: Table) -> list[str]:
    """Split a comma-separated list of columns whose names may hold commas themselves. Raises UnknownColumn."""
    if text in table:
        return [text]
    names: list[str] = []
    parts = text.split(",")
    most = 1 + max((name.count(",") for name in table.names), default=0)  # parts of a name
    while parts:
        for length in range(min(most, len(parts)), 0, -1):
            name = ",".join(parts[:length])
            found = next((known for known in (name, name.strip()) if known in table), None)
            if found is not None:
                names.append(found)
                del parts[:length]
                break
        else:
            raise UnknownColumn(parts[0].strip(), table.names)
    return names
