"""`splu publish --engine spark`: the options, and the way of a table through a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.import_options import check_columns, choices_from
from splu_desktop.cli.base.output import Shown
from splu_desktop.cli.base.planning import check_recipe_alone, columns_named, overruled, plan_from
from splu_desktop.cli.base.sensitive_option import sensitive_column
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.generalise import Intervals
from splu_desktop.core.messages import listed, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole import check_name, check_new_folder
from splu_desktop.files.project.recipe import read_recipe
from splu_desktop.files.publish.order import Order
from splu_desktop.files.publish.publishing import Outcome

if TYPE_CHECKING:
    from splu_desktop.cluster.publishing import Surveyed

HERE, SPARK = ENGINES = ("here", "spark")
_LEAST_PART = 1_000  # records


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the options that let a cluster do the work."""
    group = parser.add_argument_group(say("on a cluster (see docs/scale.md)"))
    takes(
        group,
        "--engine",
        "spark: the machines of a Spark cluster read FILE, a folder of Parquet or CSV files, and write Parquet",
        choices=ENGINES,
        default=HERE,
    )
    takes(group, "--master URL", "the cluster's address (the one of spark-submit, else this computer alone)")
    takes(group, "--part-records N", "records of a file of the release and of a block, about (1048576)", type=int)


def check_no_cluster(args: argparse.Namespace) -> None:
    """Raise BadSetting where an option is given that only a cluster knows."""
    for option, value in (("--master", args.master), ("--part-records", args.part_records)):
        if value is not None:
            raise BadSetting("{option} belongs to --engine spark; give both, or neither.", option=option)


def published_on_cluster(args: argparse.Namespace, accepted: Mapping[str, str]) -> tuple[Outcome, Plan, list[str]]:
    """Publish, and return the outcome, the plan and notes for the user. Raises SpluError; nothing is written then."""
    from splu_desktop.cluster.machines import cluster  # brings Spark, which no other command needs
    from splu_desktop.cluster.publishing import NO_BLOCKS, NO_PERSONS, RECORDS, publish, survey

    _check(args, {"--person": NO_PERSONS, "--together": NO_BLOCKS})
    asked = choices_from(args)
    recipe = None
    if args.recipe is not None:
        check_recipe_alone(args)
        recipe = read_recipe(args.recipe)
        asked = overruled(recipe.choices, asked)
    with Shown(quiet=args.json) as shown, cluster(args.master) as machines:
        surveyed = survey(machines, args.file, asked, shown)
        table = surveyed.table
        if recipe is not None:
            plan, notes = recipe.plan_for(table, name=say("the recipe “{name}”", name=args.recipe.name)), []
        else:
            check_columns(args, asked, table.names)
            notes = _left_out(args, surveyed)
            plan, more = plan_from(args, table)
            notes += more
        if any(isinstance(step, Intervals) for name in plan.draws for step in plan.generalisations.get(name, ())):
            notes.append(say("A cluster doesn't tell the means of intervals, so their middles stand for them."))
        order = Order(
            table,
            plan,
            args.out,
            formats=("parquet",),
            source=args.file,
            operator=args.operator,
            purpose=args.purpose,
            recipient=args.recipient,
            spoken=args.language,
        )
        outcome = publish(
            machines,
            surveyed,
            order,
            accepted=accepted,
            strict=args.strict or recipe is not None,
            progress=shown,
            records=args.part_records or RECORDS,
        )
    return outcome, plan, notes


def _check(args: argparse.Namespace, refused: Mapping[str, str]) -> None:
    """Raise where options are given that a cluster can't follow."""
    others = {
        "--zip": args.zip,
        "--bom": args.bom,
        "--trial": args.trial is not None,
        "--memory": args.memory is not None,
        "--password-file": args.password_file is not None,
        "--format": set(args.format) - {"parquet"},
    }
    given = [option for option, value in others.items() if value]
    if given:
        raise BadSetting(
            "A cluster's machines have memory of their own and write a folder of Parquet files; leave out {options}.",
            options=listed(given, "{head}, {tail}"),
        )
    for option, sentence in refused.items():
        if getattr(args, option[2:]):
            raise BadSetting(sentence)
    if args.out is None:
        raise BadSetting("Say where the release is to go: --out DIR.")
    if args.part_records is not None and args.part_records < _LEAST_PART:
        raise BadSetting("--part-records takes a whole number from {least}.", least=_LEAST_PART)
    check_name(args.out)
    check_new_folder(args.out)


def _left_out(args: argparse.Namespace, surveyed: Surveyed) -> list[str]:
    """Leave out what has too many values to be looked at and is given no role; returns notes on it."""
    table: Table = surveyed.table
    texts = (*args.nsa, *args.drop, *args.identifier, *args.together)
    said = {name for text in texts for name in columns_named(text, table)}
    said |= {name for text in args.sa for name, _ in sensitive_column(text, table)}
    found = [name for name in surveyed.uncounted if name not in said]
    args.identifier = [*args.identifier, *found]
    return [
        say("“{name}” has too many different values for a cluster to look at, and was left out.", name=name)
        for name in found
    ]
