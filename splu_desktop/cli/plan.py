"""`splu plan`: what a release of a table would promise, before anything is published."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.audience_options import aim_said
from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import several, switch, takes
from splu_desktop.cli.base.import_options import add_import_options
from splu_desktop.cli.base.output import (
    Shown,
    add_json,
    per_cent,
    print_json,
    print_promise,
    print_rows,
    print_table,
    tell,
    told,
    whole,
)
from splu_desktop.cli.base.planning import add_plan_options, table_and_plan
from splu_desktop.cli.base.tolerance_options import print_tolerant
from splu_desktop.core import sanitise
from splu_desktop.core.checks.asked import AskedTable, asked_from, cells, suggested
from splu_desktop.core.checks.expected import Ahead
from splu_desktop.core.checks.gate import beyond_limits, number_line, persons_line, shift_line
from splu_desktop.core.checks.make_safe import make_safe
from splu_desktop.core.checks.proposing import propose, reached
from splu_desktop.core.draw import Draw, belonging
from splu_desktop.core.draw.ways import compared, unprotected
from splu_desktop.core.errors import SpluError
from splu_desktop.core.generalise import coarser, column_after, table_after, words_for
from splu_desktop.core.guarantees.remedies import eligibility, remedies
from splu_desktop.core.messages import Figure, isolated, say, share_of
from splu_desktop.core.persons import persons_of
from splu_desktop.core.plan import Plan, steps_as_dicts
from splu_desktop.core.risk import uniqueness as risk
from splu_desktop.core.risk.alike import alike
from splu_desktop.core.risk.giveaway import giveaways, looked_closely
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.table import Column, Table
from splu_desktop.files.draws import published_entry
from splu_desktop.files.project.recipe import Recipe, read_recipe, write_recipe
from splu_desktop.report.law import CODES, codes

_LISTED = 30
_CELLS = 40
_MANY = 4  # columns of which the same is said, and tables alike, so many that it is said once


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "plan",
        help=say("show what a release would promise, value by value"),
        description=say(
            "Show what publishing FILE would promise: eligibility, guarantees and values of each sensitive "
            "column, recognisable records, and a recommended gamma. Columns not named take the role that splu inspect "
            "suggests. Nothing is published."
        ),
    )
    takes(parser, "file FILE", type=Path)
    add_plan_options(parser)
    takes(parser, "--save-recipe RECIPE.toml", "write all choices to a recipe", type=Path)
    switch(parser, "--overwrite", "replace the recipe if it exists")
    takes(
        parser,
        "--law PACK,...",
        "law packs of the report, kept in the recipe: {codes}; or none",
        codes=", ".join(CODES),
    )
    takes(
        parser,
        "--make-safe k=5,unique=1%",
        "take the steps that the plan needs until at most so many records are unique in the unchanged columns, "
        "each has so many alike, and no column gives a sensitive one away; without numbers the limits of "
        "--audience, or 1 %%",
        nargs="?",
        const="",
    )
    switch(parser, "--curves", "add the curves behind the plots, and the trade-off")
    several(
        parser,
        "--show-table COL,...,SA[=VALUE]",
        "show what recipients will be told of this table, instead of one that the program chooses; one sensitive "
        "column, COLUMN=VALUE for one value; “within 10%%” at its end counts the cells answered so; may be repeated",
    )
    several(
        parser,
        "--must 'COL,...,SA within 20%% [from 50]'",
        "a table that must be answered so exactly, in cells of so many records or more; proposes the strongest "
        "protection that answers all of them; may be repeated",
    )
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Print the plan. Raises SpluError, after printing where a column can't be protected as planned."""
    belong(args, "--save-recipe", "overwrite", "law")
    imported, plan, notes = table_and_plan(args)
    laws = _laws(args)
    table = imported.table
    safe = None
    if args.make_safe is not None:
        safe = make_safe(table, plan, aim_said(args.make_safe, plan.audience))
        plan = safe.plan
    fault: SpluError | None = None
    try:
        sanitise.check(table, plan)
    except SpluError as refusal:
        fault = refusal
    after = table_after(table, plan.generalisations)
    source = imported.source
    said: dict[str, Any] = {
        "source": {"name": source.name, "bytes": source.size, "sha256": source.sha256},
        "records": table.n,
        "roles": {name: role.value for name, role in plan.roles.items()},
        "kept_identifiers": dict(plan.kept_identifiers),
        "thresholds": plan.as_dict()["thresholds"],
        "generalisations": _generalisations(table, after, plan),
        "risk": _risk(table, after, plan),
        "sensitive": {name: _sensitive(table[name], after, plan, args.curves) for name in plan.sensitive},
        "together": []
        if fault is not None
        else [
            {"columns": list(names), "costs": list(map(str, costs))}
            for names, draw in plan.blocks.items()
            if (costs := draw.costs(after))
        ],
        "could_be_together": [
            {"columns": list(each.columns), "reason": str(each.reason), "words": str(each.sentence)}
            for each in belonging.suggested(
                after, [name for name, draw in plan.draws.items() if len(draw.block(name)) == 1]
            )
        ],
        "notes": notes,
    }
    if plan.audience is not None:
        limits = plan.audience.limits
        said["audience"] = {**plan.audience.as_dict(), "limits": asdict(limits)}
        notes.append(plan.audience.sentence)
    if safe is not None:
        said["made_safe"] = {
            "aim": asdict(safe.aim),
            "reached": safe.reached,
            "words": safe.sentence,
            "steps": [
                {"column": s.column, "words": s.sentence, "unique": s.unique, "unique_before": s.unique_before}
                for s in safe.steps
            ],
        }
    for found in giveaways(after, plan.named(Role.NSA), plan.sensitive):
        said["sensitive"][found.sensitive]["given_away_by"].append(
            {
                "column": found.column,
                "columns": list(found.columns),
                "value": found.value,
                "told": found.told,
                "records": found.bearers,
                "values": found.values,
            }
        )
        notes.append(found.sentence)
    if (closely := looked_closely(after, plan.named(Role.NSA))) is not None:
        notes.append(closely)
    can = [name for name in plan.draws if said["sensitive"][name]["eligible"]]
    ways = {name: plan.draws[name].learned(after, name, plan.thresholds) for name in can}
    if plan.audience is not None:
        broken = beyond_limits(after, plan, ways)
        said["audience"]["broken"] = [{"limit": line.name, "words": line.sentence} for line in broken]
    both = alike(after, ways)
    said["alike"] = [asdict(pair) for pair in both]
    notes += [pair.sentence for pair in both]
    said["expected"] = _expected(after, plan, ways, args.show_table)
    if args.must:
        said["proposal"] = _proposal(table, plan, [asked_from(text, after) for text in args.must])
    persons = persons_of(table, told=plan.named(Role.IDENTIFIER))
    said["persons"] = None if persons is None else asdict(persons)
    if plan.persons is not None:
        said["by_person"] = plan.persons.as_dict()
    notes.append(persons_line(table, after, ways, chosen=plan.persons, told=plan.named(Role.IDENTIFIER)).sentence)
    if plan.persons is not None and plan.persons.number:
        notes.append(number_line(table, after, plan).sentence)
    if plan.persons is not None and plan.persons.shift:
        notes.append(shift_line(table, plan.persons).sentence)
    if args.save_recipe is not None and fault is None:
        write_recipe(Recipe(imported.choices, plan, source, laws), args.save_recipe, overwrite=args.overwrite)
        said["recipe"] = str(args.save_recipe)
    if args.json:
        print_json(said)
    else:
        _print_text(said, all_tables=bool(args.show_table))
    if fault is not None:
        raise fault


def _laws(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the law packs that the options or else the recipe name. Raises BadSetting."""
    if args.law is not None:
        return codes(args.law)
    return () if args.recipe is None else read_recipe(args.recipe).laws


def _generalisations(table: Table, after: Table, plan: Plan) -> dict[str, Any]:
    return {
        name: {
            "steps": [step.as_dict() for step in steps],
            "words": words_for(name, steps),
            "distinct_before": table[name].m,
            "distinct_after": after[name].m,
        }
        for name, steps in plan.generalisations.items()
    }


def _risk(table: Table, after: Table, plan: Plan) -> dict[str, Any]:
    """Return how recognisable records are by the NSAs, with and without generalisation, and what causes it."""
    names = plan.named(Role.NSA)
    found: dict[str, Any] = {"columns": list(names), **risk.risk(after, names).as_dict()}
    if any(name in plan.generalisations for name in names):
        found["without_generalisation"] = risk.risk(table, names).as_dict()
    steps = {name: coarser(after[name]) for name in names}
    trials = {name: column_after(after[name], way) for name, way in steps.items() if way}
    found["causes"] = [
        {
            "column": cause.name,
            "left_out": cause.without.as_dict(),
            "alone": cause.alone.as_dict(),
            "generalised": None
            if cause.generalised is None
            else {
                "steps": [step.as_dict() for step in steps[cause.name]],
                "words": steps[cause.name][0].words,
                **cause.generalised.as_dict(),
            },
        }
        for cause in risk.causes(after, names, trials=trials)
    ]
    return found


def _sensitive(source: Column, after: Table, plan: Plan, curves: bool) -> dict[str, Any]:
    steps = plan.generalisations.get(source.name, ())
    allowed = eligibility(source, steps)
    column, draw, asked = after[source.name], plan.draws[source.name], plan.thresholds
    entry = published_entry(draw)
    try:
        draw.check(column)
        draw = draw.learned(after, column.name, asked)
    except SpluError:
        eligible = False
    else:
        eligible = not allowed.measured
    found: dict[str, Any] = {
        **entry,
        "eligible": eligible,
        "largest_gamma": allowed.largest_gamma,
        "limiting_value": allowed.value,
        "limiting_count": allowed.count,
        "limiting_share": allowed.share,
        "measurement": allowed.measured,
        "given_away_by": [],
        "remedies": [remedy.as_dict() for remedy in remedies(source, steps, draw.gamma, asked, tolerances=True)],
    }
    if not eligible:
        return found
    sharper = (
        compared(column, draw)
        if draw.true_shares and draw.gamma is None and len(draw.block(column.name)) == 1
        else None
    )
    if sharper is not None:
        widths = {
            name: [width if math.isfinite(width) else None for width in pair] for name, pair in asdict(sharper).items()
        }
        found["compared"] = {**widths, "words": sharper.sentence(column.name)}
    column = column.compacted()
    free = unprotected(column, draw)
    if free is not None:
        found["unprotected"] = {
            "value": free.value,
            "share": free.share,
            "half_widths": list(free.cell),
            "words": str(free.sentence(column.name)),
        }
    told = draw.told(column.n, column.labels.tolist(), asked)
    return {**found, **draw.stated(asked, told), **draw.figures(column, asked, curves=curves)}


def _expected(after: Table, plan: Plan, ways: Mapping[str, Draw], wanted: Sequence[str]) -> list[dict[str, Any]]:
    """Return what recipients will be told of tables: those wanted, else one for each column that can be drawn."""
    asked = [asked_from(text, after) for text in wanted]
    ahead = Ahead.of(after, plan)
    found = []
    for one in asked or [suggested(after, plan.named(Role.NSA), name) for name in ways]:
        drawn = one.sensitive(plan.draws)
        if not set(drawn) <= set(ways):
            continue
        draws = {name: plan.draws[name] for name in plan.draws[drawn[0]].block(drawn[0])}
        every = cells(after, one)
        told = ahead.told(draws, plan.thresholds, [cell.conditions for cell in every])
        lines = [[c for c in cell.conditions if c.column not in drawn] for cell in every]
        readers = ahead.readers(draws, plan.thresholds, drawn[0], list({tuple(line): line for line in lines}.values()))
        known = [name for name in one.named if name not in drawn]
        found.append(
            {
                "table": one.what(),
                "columns": [*one.columns],
                "error": one.error,
                **reached(told, one, least=1).as_dict(),
                "cells": [
                    {
                        "values": list(cell.values),
                        "true": each.true,
                        "estimate": each.answer.estimate,
                        "low": each.answer.low,
                        "high": each.answer.high,
                        "trust": each.answer.badge.value,
                        "told": each.words(),
                    }
                    for cell, each in zip(every, told, strict=True)
                ],
                "readers": asdict(readers),
                "readers_words": [sentence for sentence in readers.sentences(known) if sentence],
            }
        )
    return found


def _proposal(table: Table, plan: Plan, musts: Sequence[AskedTable]) -> dict[str, Any]:
    with Shown(quiet=False) as shown:
        found = propose(table, plan, musts, progress=shown)
    return {
        "met": found.met,
        "draws": {name: draw.as_dict() for name, draw in found.draws.items()},
        "generalisations": steps_as_dicts(found.generalisations),
        "not_sensitive": dict(found.unprotected),
        "answered": [each.as_dict() for each in found.answered],
        "words": found.sentences(),
    }


def _print_expected(found: dict[str, Any], *others: dict[str, Any]) -> None:
    """Print what recipients will be told of a table; of others like it, how far they are answered."""
    tell("What recipients will be told of {table}:", "\n", table=found["table"])
    rows = [
        [*map(_short, cell["values"]), whole(cell["true"]), cell["told"], told(cell["trust"])]
        for cell in found["cells"][:_CELLS]
    ]
    numbers = len(found["columns"])
    print_table([*found["columns"], say("true count"), say("told"), say("trust")], rows, right=[numbers, numbers + 1])
    if len(found["cells"]) > _CELLS:
        tell("… and {n} more cells; --json lists them all.", n=len(found["cells"]) - _CELLS)
    tell(found["words"])
    for line in found["readers_words"]:
        tell(line, "  ")
    if others:
        tell("The same of other columns; --show-table shows a table's cells:", "\n")
        print_rows(
            others,
            (say("table"), "l", lambda each: each["table"]),
            (say("cells"), "r", lambda each: whole(each["asked"])),
            (say("within {error}", error=per_cent(found["error"], 0)), "r", lambda each: whole(each["answered"])),
            (say("stranger right"), "r", lambda each: per_cent(each["readers"]["stranger"])),
            (say("colleague right"), "r", lambda each: per_cent(each["readers"]["colleague"])),
        )


def _shape(*sentences: str) -> tuple[str, ...]:
    """Return what sentences say whatever their figures and names are."""
    return tuple(getattr(sentence, "template", sentence) for sentence in sentences)


def _alike(
    found: Mapping[str, dict[str, Any]], kind: Callable[[str, dict[str, Any]], object]
) -> list[dict[str, dict[str, Any]]]:
    """Return what was found in parts: those of one kind together where they are many, every other by itself."""
    kinds: dict[object, dict[str, dict[str, Any]]] = {}
    for name, each in found.items():
        kinds.setdefault(kind(name, each), {})[name] = each
    parts = kinds.values()
    return [part for few in parts for part in ([few] if len(few) >= _MANY else [{n: each} for n, each in few.items()])]


def _print_text(said: dict[str, Any], *, all_tables: bool = False) -> None:
    tell("{name}: {n} records", name=said["source"]["name"], n=said["records"])
    for role, title in (
        ("sa", say("re-drawn (SA)")),
        ("nsa", say("unchanged (NSA)")),
        ("identifier", say("left out, identifier")),
        ("dropped", say("left out")),
    ):
        names = [name for name, given in said["roles"].items() if given == role]
        if names:
            tell(", ".join(map(isolated, names)), f"  {told(title) + ':':<22}")
    for name, why in said["kept_identifiers"].items():
        tell("“{name}” looks like an identifier and is published all the same: {why}", "  ", name=name, why=why)
    if "made_safe" in said:
        tell("Made safe:", "\n")
        for step in said["made_safe"]["steps"]:
            tell(step["words"], "  - ")
        tell(said["made_safe"]["words"], "  ")
    shown = _alike(
        said["sensitive"],
        lambda name, column: (
            (
                _shape(column["words"], *column["sentences"]),
                tuple(row["value"] for row in column["values"]),
                *("compared" in column, "unprotected" in column),
            )
            if "words" in column
            else name
        ),
    )
    for columns in shown:
        print()
        name, column = next(iter(columns.items()))
        if "words" in column:
            print_tolerant(columns)
        else:
            _print_sensitive(name, column, said["thresholds"])
        if "compared" in column:
            tell(column["compared"]["words"], "  ")
        if "unprotected" in column:
            value = column["unprotected"]["value"]
            free, others, way = map(shlex.quote, (f"{name}:{value}=1", f"{name}:*=gamma", f"{name}=joined"))
            asked = f"--tolerance {free} --tolerance {others} --draw {way}"
            tell("{words} Say {options} for that.", "\n  ", words=told(column["unprotected"]["words"]), options=asked)
    tables = _alike(
        {table["table"]: table for table in said["expected"]},
        lambda name, table: name if all_tables else (*table["columns"], *_shape(*table["readers_words"])),
    )
    for each in tables:
        _print_expected(*each.values())
    if "proposal" in said:
        print()
        for line in said["proposal"]["words"]:
            tell(line)
    for block in said["together"]:
        tell("Drawn together: {columns}", "\n", columns=", ".join(map(isolated, block["columns"])))
        for line in block["costs"]:
            tell(line, "  ")
    if said["could_be_together"]:
        print()
    for each in said["could_be_together"]:
        tell(
            "{words} Say --together {columns} to see what is gained and lost.",
            words=told(each["words"]),
            columns=shlex.quote(",".join(each["columns"])),
        )
    print()
    _print_risk(said["risk"])
    if "audience" in said:
        broken = said["audience"]["broken"]
        kept = say("This plan keeps the limits for who gets the release.")
        tell(say("This plan breaks limits for who gets the release:") if broken else kept, "\n")
        for line in broken:
            tell(line["words"], "  - ")
    if said["notes"]:
        print()
    for note in said["notes"]:
        tell("Note: {note}", note=say(note))
    if "recipe" in said:
        tell("All choices are kept in {path}.", "\n", path=said["recipe"])


def _print_sensitive(name: str, found: dict[str, Any], asked: dict[str, Any]) -> None:
    how = say("gamma {gamma}", gamma=str(found["gamma"])) if "gamma" in found else say("a tolerance per value")
    tell("Sensitive column “{name}”, {how}", name=name, how=how)
    if found["measurement"]:
        tell("It holds a measurement and must be put into groups first.", "  ")
    else:
        tell(
            "Largest gamma possible: {gamma}, limited by “{value}” ({n} records, {share}).",
            "  ",
            gamma=str(found["largest_gamma"]),
            value=found["limiting_value"],
            n=found["limiting_count"],
            share=per_cent(found["limiting_share"]),
        )
    for line in (*found.get("sentences", ()), *found.get("readers", ()), *found.get("warnings", ())):
        tell(line, "  ")
    if "recommendation" in found:
        tell(found["recommendation"]["words"], "  ")
    if found["remedies"]:
        tell("What would help:", "  ")
    for remedy in found["remedies"]:
        words, gamma = remedy["words"], remedy["largest_gamma"]
        if gamma >= 2:
            words = say("{remedy} (allows gamma up to {gamma})", remedy=told(words), gamma=str(gamma))
        tell(words, "    - ")
    if "values" not in found:
        return
    print()
    print_promise(found, asked["alpha"])
    print()
    listed = found["values"]
    if len(listed) > _LISTED:  # the rarest are what protection is about
        listed = [*listed[: _LISTED // 2], *listed[-_LISTED // 2 :]]
    print_rows(
        listed,
        (say("value"), "l", lambda row: _short(row["value"])),
        (say("count"), "r", lambda row: whole(row["count"])),
        (say("state"), "l", lambda row: told(row["state"])),
        (say("larger error"), "r", lambda row: per_cent(row["error_probability"], 2)),
        (say("expected error"), "r", lambda row: per_cent(row["expected_error"], 2)),
        (say("signal left"), "r", lambda row: per_cent(row["signal"])),
    )
    if len(found["values"]) > _LISTED:
        left = len(found["values"]) - len(listed)
        tell("… and {n} values between these; --json lists them all.", n=left)


def _print_risk(found: dict[str, Any]) -> None:
    if not found["columns"]:
        tell("No column is published unchanged, so no record is recognisable by one.")
        return
    total, below = found["records"], found["below"]
    tell("Recognisable records, by the columns published unchanged:")
    before = found.get("without_generalisation", {}).get("below")
    kinds = {k: told(say("unique") if k == "2" else say("in classes of fewer than {k}", k=k)) + ":" for k in below}
    width = max(29, *map(len, kinds.values()))
    for k, count in below.items():
        share: str = share_of(count, total) if total else Figure("0 %")
        if before:
            share = say("{share}; {n} before generalising", share=share, n=before[k])
        print(f"  {kinds[k]:<{width}}{told(whole(count)):>11} ({told(share)})")
    alone = [cause for cause in found["causes"] if cause["alone"]["below"]["2"] > total // 10]
    for cause in alone[:5]:
        tell("“{column}” alone makes {n} unique.", "  ", column=cause["column"], n=cause["alone"]["below"]["2"])
    telling = [c for c in found["causes"] if c["left_out"]["below"]["2"] < below["2"]][:5]
    if telling:
        tell("Leaving out one column would make unique records fewer:", "  ")
    for cause in telling:
        tell("without “{column}”: {n} unique", "    ", column=cause["column"], n=cause["left_out"]["below"]["2"])
    coarser = [c for c in found["causes"] if c["generalised"] and c["generalised"]["below"]["2"] < below["2"]]
    coarser.sort(key=lambda cause: int(cause["generalised"]["below"]["2"]))
    if coarser:
        tell("Generalising one column would, too:", "  ")
    for cause in coarser[:5]:
        made = cause["generalised"]
        tell(
            "“{column}”, {words}: {n} unique",
            "    ",
            column=cause["column"],
            words=told(made["words"]),
            n=made["below"]["2"],
        )


def _short(text: str) -> str:
    line = " ".join(text.split()) or "(empty)"
    return line if len(line) <= 40 else line[:39] + "…"
