"""`splu compare`: the custodian's table by every method, beside the plan."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.import_options import add_import_options
from splu_desktop.cli.base.output import Shown, add_json, per_cent, print_json, print_rows, spoken, tell, whole
from splu_desktop.cli.base.planning import add_plan_options, table_and_plan
from splu_desktop.compare.ours.splu import of_plan
from splu_desktop.compare.runner import LIMIT, Comparison, compare
from splu_desktop.compare.systems import SYSTEMS, named
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import Figure, say
from splu_desktop.core.plan import Plan
from splu_desktop.files.disk.whole import check_new_folder
from splu_desktop.files.language import language
from splu_desktop.report.comparison import own_questions, write_comparison

_QUESTIONS = 3_000
_LEAST, _MOST = 60, 100_000


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare",
        help=say("see the plan beside other methods, on this table"),
        description=say(
            "Publish FILE on paper by every method of the papers, at several settings, and beside them by the "
            "plan; ask all of them the same counts; and see what three readers learn from each. Nothing is published, "
            "and nothing written unless --out is given: then a new folder with a page, a table, the data and a "
            "picture, which are computed from the original and must stay inside."
        ),
    )
    takes(parser, "file FILE", type=Path)
    add_plan_options(parser)
    takes(
        parser,
        "--systems NAME,...",
        "the methods to compare, or all (default: all): {names}",
        names=", ".join(each.name for each in SYSTEMS),
        default="all",
    )
    takes(parser, "--about COL", "the sensitive column to compare, where the plan has several")
    takes(parser, "--questions N", "random counts to ask (default: %(default)s)", type=int, default=_QUESTIONS)
    takes(
        parser,
        "--time-limit SECONDS",
        "how long each method may take with all its settings; one that takes longer is stopped, and listed as not "
        "finished (default: %(default)g; 0 for no limit)",
        type=float,
        default=LIMIT,
    )
    takes(parser, "--own CSV", "your own questions, one per row, as for “splu queries”", type=Path)
    takes(parser, "--out DIR", "write the comparison into this new folder", type=Path)
    takes(
        parser,
        "--language",
        "of the page and the picture: en, de or fr (default: that of --lang)",
        default=spoken().code,
    )
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Compare, print, and write where asked to. Raises SpluError; nothing is written then."""
    systems, code = named(args.systems), language(args.language)
    belong(args, "--out", "language")
    if not _LEAST <= args.questions <= _MOST:
        raise BadSetting(
            "--questions must be a number from {least} to {most}, not {asked}; 3000 is usual.",
            least=_LEAST,
            most=_MOST,
            asked=str(args.questions),
        )
    if not 0 <= args.time_limit < math.inf:
        raise BadSetting(
            "--time-limit must be a number of seconds, such as 60, or 0 for no limit; not {asked}.",
            asked=f"{args.time_limit:g}",
        )
    if args.out is not None:
        check_new_folder(args.out)
    imported, plan, _ = table_and_plan(args)
    name = _about(args.about, plan)
    source, planned = of_plan(imported.table, plan, name)
    own = own_questions(args.own, source, plan)
    with Shown(quiet=args.json) as shown:
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
    written = () if args.out is None else write_comparison(comparison, args.out, code)
    if args.json:
        print_json({**comparison.as_dict(), "files": [str(args.out / each) for each in written]})
        return
    _print(comparison)
    if written:
        said = say(
            "Written to {folder}: {files}. They are computed from the original: keep them inside.",
            folder=str(args.out),
            files=", ".join(map(str, written)),
        )
        tell(said, "\n")


def _about(asked: str | None, plan: Plan) -> str:
    if asked is None:
        return plan.sensitive[0]
    if asked not in plan.sensitive:
        known = ", ".join(plan.sensitive)
        raise BadSetting(
            "“{asked}” is not a sensitive column of this plan; --about takes one of {known}.",
            asked=asked,
            known=known,
        )
    return asked


def _share(value: float | None) -> str:
    return "–" if value is None else per_cent(value, 0)


def _print(comparison: Comparison) -> None:
    source = comparison.source
    tell(
        "“{column}” in {n} records, with {others} unchanged columns: {asked} counts asked of every method, "
        "{seconds} s.",
        column=source.sensitive.name,
        n=source.n,
        others=len(source.names),
        asked=sum(comparison.asked),
        seconds=round(comparison.seconds),
    )
    tell(
        "Guessing the most frequent value is right about {guess}; what the original teaches about the other "
        "columns, {classifier}.",
        guess=per_cent(comparison.guess),
        classifier=per_cent(comparison.classifier),
    )
    print()
    print_rows(
        [(each.system, each.achieved) for each in comparison.tried if each.achieved is not None],
        (say("method"), "l", lambda row: row[0].title),
        (say("setting"), "l", lambda row: row[0].setting),
        (say("small wrong"), "r", lambda row: _share(row[1].small_wrong)),
        (say("large right"), "r", lambda row: _share(row[1].answerable)),
        (say("covered"), "r", lambda row: _share(row[1].covered)),
        (say("row"), "r", lambda row: _share(row[1].stranger)),
        (say("colleague"), "r", lambda row: _share(row[1].colleague)),
        (say("insider"), "r", lambda row: _share(row[1].insider)),
        (say("sole"), "r", lambda row: _share(row[1].insider_sole)),
        (say("uniques"), "r", lambda row: "–" if row[1].uniques is None else whole(row[1].uniques)),
        (say("lost"), "r", lambda row: whole(row[1].lost)),
        (say("classifier"), "r", lambda row: _share(row[1].classifier)),
        (say("pMSE"), "r", lambda row: Figure("–" if row[1].pmse is None else f"{row[1].pmse:.1f}")),
        (say("time"), "r", lambda row: Figure(f"{row[1].seconds:.1f} s")),
        (say("memory"), "r", lambda row: Figure("–" if row[1].megabytes is None else f"{row[1].megabytes:.0f} MB")),
    )
    for each in comparison.tried:
        if each.achieved is None:
            method, setting, why = each.system.title, each.system.setting, each.impossible
            tell("Not possible: {method}, {setting}: {why}", method=method, setting=setting, why=why)
    tell(
        "small wrong: counts of 1 to {alpha} answered wrong by more than {epsilon}; large right: counts of at "
        "least 0.5 % of the records answered to within it.",
        "\n",
        alpha=str(comparison.thresholds.alpha),
        epsilon=per_cent(comparison.thresholds.epsilon, 0),
    )
    tell(
        "row, colleague: how often who finds a person's row, and who also knows the other columns, is right; "
        "insider: how sure who knows all others is at least; sole: the same of the persons whose value nobody else "
        "has."
    )
    tell(
        "classifier: how often one learnt from the answers is right by the other columns; pMSE: how well published "
        "records are told from the original, 1 being chance; memory: beyond what the table took."
    )
