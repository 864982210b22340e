"""`splu compare`: the custodian's table by every method, beside the plan."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong, misfit
from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.opening import add_written_language
from splu_desktop.cli.base.output import Meter, line_of, print_json, print_rows, tell
from splu_desktop.cli.base.plan_options import add_plan_options, columns_named, plan_table
from splu_desktop.compare.outcome import COLUMNS, MEASURES, Comparison
from splu_desktop.compare.runner import DRAWS, LIMIT, compare_plan
from splu_desktop.compare.systems import FIRST, SYSTEMS, find_systems
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import none_of, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.published import Published
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole_files import check_new
from splu_desktop.files.language import language
from splu_desktop.files.questions.batch import read_questions
from splu_desktop.report.comparison import write_comparison

_QUESTIONS = 1_200


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(commands, "compare", "see the plan beside other methods, on this table", run)
    add_plan_options(parser)
    names, first = ", ".join(each.name for each in SYSTEMS), ", ".join(each.name for each in FIRST)
    systems = say("the methods to compare: first ({first}), all, or some of {names}", names=names, first=first)
    takes(parser, "--systems NAME,...", systems, default="first")
    takes(parser, "--about COL", "the secret column that is counted, where there are several")
    takes(parser, "--questions N", "how many random counts are asked (%(default)s)", type=int, default=_QUESTIONS)
    takes(parser, "--draws N", "draws of each setting (%(default)s)", type=int, default=DRAWS)
    takes(parser, "--seed N", "make the same comparison again", type=int)
    limit = say("how long each method may take with all its settings (%(default)g; 0 for no limit)")
    takes(parser, "--time-limit SECONDS", limit, type=float, default=LIMIT)
    takes(parser, "--own CSV", "your own questions, one per row, as for “splu queries”", type=Path)
    takes(parser, "--out DIR", "write the comparison into this new folder; keep it inside", type=Path)
    add_written_language(parser)


def run(args: argparse.Namespace) -> None:
    """Compare, print, and write where asked to. Raises SpluError; nothing is written then."""
    systems = find_systems(args.systems)
    belong(args, "--out", "language")
    _check(args)
    if args.out is not None:
        check_new(args.out)
    planned = plan_table(args, SILENT)
    table, plan = planned.reading.table, planned.plan
    # Asked of the original as of a release.
    original = Published(table.select((*plan.nsas, *plan.sensitive)), plan.blocks)
    own = () if args.own is None else read_questions(args.own, original).conditions
    with Meter(quiet=args.json) as shown:
        comparison = compare_plan(
            table,
            plan,
            _about(args, plan, table),
            systems,
            size=args.questions,
            draws=args.draws,
            limit=args.time_limit or None,
            seed=args.seed,
            own=own,
            progress=shown,
        )
    written = () if args.out is None else write_comparison(comparison, args.out, language(args.language))
    if args.json:
        print_json({**comparison.as_dict(), "files": [str(args.out / each) for each in written]})
        return
    _print(comparison)
    if written:
        words = say("Written to {folder}: {files}. They are computed from the original: keep them inside.")
        tell(words, "\n", folder=str(args.out), files=", ".join(map(str, written)))


def _check(args: argparse.Namespace) -> None:
    for name, least, most in (("questions", 60, 100_000), ("draws", 1, 100), ("seed", 0, math.inf),
                              ("time_limit", 0, 1e9)):  # fmt: skip
        if (number := getattr(args, name)) is not None and not least <= number <= most:
            raise misfit(f"{number}", f"--{name.replace('_', '-')}", f"{least} … {most:g}")


def _about(args: argparse.Namespace, plan: Plan, table: Table) -> str:
    """Return the column that is counted: the one named, else one of --sa, else what the plan's tables count."""
    if args.about is not None and args.about not in plan.sensitive:
        raise BadSetting(none_of(args.about, plan.sensitive))
    named = [name for text in args.sa for name in columns_named(text, table) if name in plan.sensitive]
    asked = [each.sa for each in plan.questions if each.sa in (named or plan.sensitive)]
    return args.about or next(iter([*asked, *named]), plan.sensitive[0])


def _print(comparison: Comparison) -> None:
    asked, guess, *meaning = comparison.explain()
    print(line_of(asked), line_of(guess), "", sep="\n")
    done = [each for each in comparison.systems if each.draws]
    print_rows(done, *COLUMNS.values())
    print()
    # Too long for a terminal beside the figures.
    print_rows([each for each in done if each.metrics], COLUMNS["title"], COLUMNS["setting"], MEASURES)
    impossible = [line_of(each.say_impossible()) for each in comparison.systems if not each.draws]
    print("", *impossible, "", *map(line_of, meaning), sep="\n")
