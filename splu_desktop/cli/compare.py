"""`splu compare`: the custodian's table by every method, beside the plan."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.import_options import add_import_options
from splu_desktop.cli.base.output import Shown, add_json, print_json, print_table
from splu_desktop.cli.base.planning import add_plan_options, table_and_plan
from splu_desktop.compare.base.source import TrueTable
from splu_desktop.compare.ours.splu import of_plan
from splu_desktop.compare.runner import LIMIT, Comparison, compare
from splu_desktop.compare.systems import SYSTEMS, named
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.plan import Plan
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.files.disk.whole import check_new_folder
from splu_desktop.files.language import language
from splu_desktop.files.questions.batch import read_questions
from splu_desktop.report.comparison import write_comparison

_QUESTIONS = 3_000
_LEAST, _MOST = 60, 100_000


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare",
        help="see the plan beside other methods, on this table",
        description="Publish FILE on paper by every method of the papers, at several settings, and beside them by the "
        "plan; ask all of them the same counts; and see what three readers learn from each. Nothing is published, and "
        "nothing written unless --out is given: then a new folder with a page, a table, the data and a picture, which "
        "are computed from the original and must stay inside.",
        epilog="methods: " + ", ".join(system.name for system in SYSTEMS),
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    add_plan_options(parser)
    parser.add_argument(
        "--systems", default="all", metavar="NAME,...", help="the methods to compare, or all (default: all)"
    )
    parser.add_argument("--about", metavar="COL", help="the sensitive column to compare, where the plan has several")
    parser.add_argument(
        "--questions", type=int, default=_QUESTIONS, metavar="N", help="random counts to ask (default: %(default)s)"
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help="how long each method may take with all its settings; one that takes longer is stopped, and listed as not "
        "finished (default: %(default)g; 0 for no limit)",
    )
    parser.add_argument(
        "--own", type=Path, metavar="CSV", help="your own questions, one per row, as for “splu queries”"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the comparison into this new folder")
    parser.add_argument("--language", default="en", help="of the page and the picture: en, de or fr (default: en)")
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Compare, print, and write where asked to. Raises SpluError; nothing is written then."""
    systems, spoken = named(args.systems), language(args.language)
    if not _LEAST <= args.questions <= _MOST:
        raise BadSetting(
            f"--questions must be a number from {_LEAST} to {_MOST:,}, not {args.questions}; 3000 is usual."
        )
    if not 0 <= args.time_limit < math.inf:
        raise BadSetting(
            f"--time-limit must be a number of seconds, such as 60, or 0 for no limit; not {args.time_limit:g}."
        )
    if args.out is not None:
        check_new_folder(args.out)
    imported, plan, _ = table_and_plan(args)
    name = _about(args.about, plan)
    source, planned = of_plan(imported.table, plan, name)
    own = _own(args.own, source, plan)
    shown = Shown(sys.stderr.isatty() and not args.json)
    try:
        comparison = compare(
            source,
            systems,
            plan=planned,
            size=args.questions,
            own=own,
            thresholds=plan.thresholds,
            limit=args.time_limit or None,
            progress=shown,
        )
    finally:
        shown.end()
    written = () if args.out is None else write_comparison(comparison, args.out, spoken)
    if args.json:
        print_json({**comparison.as_dict(), "files": [str(args.out / each) for each in written]})
        return
    _print(comparison)
    if written:
        print(f"\nWritten to {args.out}: {', '.join(written)}. They are computed from the original: keep them inside.")


def _about(asked: str | None, plan: Plan) -> str:
    if asked is None:
        return plan.sensitive[0]
    if asked not in plan.sensitive:
        known = ", ".join(plan.sensitive)
        raise BadSetting(f"“{asked}” is not a sensitive column of this plan; --about takes one of {known}.")
    return asked


def _own(path: Path | None, source: TrueTable, plan: Plan) -> tuple[tuple[Condition, ...], ...]:
    """Return the questions of a file, asked of the original as of a release. Raises BadQuestions."""
    if path is None:
        return ()
    name = source.sensitive.name
    return read_questions(path, Published(source.table, {name: plan.draws[name]})).conditions


def _print(comparison: Comparison) -> None:
    source = comparison.source
    print(
        f"“{source.sensitive.name}” in {source.n:,} records, with {len(source.names)} unchanged columns: "
        f"{sum(comparison.asked):,} counts asked of every method, {comparison.seconds:.0f} s."
    )
    print(
        f"Guessing the most frequent value is right about {100 * comparison.guess:.1f} %; what the original teaches "
        f"about the other columns, {100 * comparison.classifier:.1f} %.\n"
    )
    rows, impossible = [], []
    for each in comparison.tried:
        a = each.achieved
        if a is None:
            impossible.append(f"{each.system.title}, {each.system.setting}: {each.impossible}")
            continue
        shares = (a.small_wrong, a.answerable, a.covered, a.stranger, a.colleague, a.insider, a.insider_sole)
        cells = ["–" if share is None else f"{100 * share:.0f} %" for share in shares]
        uniques = "–" if a.uniques is None else f"{a.uniques:,}"
        rows.append([each.system.title, each.system.setting, *cells, uniques, f"{a.lost:,}", f"{a.seconds:.1f} s"])
    header = ["method", "setting", "small wrong", "large right", "covered", "row", "colleague", "insider", "sole"]
    print_table([*header, "uniques", "lost", "time"], rows, right=range(2, 12))
    for line in impossible:
        print(f"Not possible: {line}")
    epsilon, alpha = comparison.thresholds.epsilon, comparison.thresholds.alpha
    print(
        f"\nsmall wrong: counts of 1 to {alpha} answered wrong by more than {100 * epsilon:.0f} %; large right: counts "
        f"of at least 0.5 % of the records answered to within it.\nrow, colleague: how often who finds a person's row, "
        f"and who also knows the other columns, is right; insider: how sure who knows all others is at "
        f"least; sole: the same of the persons whose value nobody else has."
    )
