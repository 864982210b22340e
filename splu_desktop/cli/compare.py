"""`splu compare`: the custodian's table by every method, beside the plan."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong, misfit
from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.opening import add_written_language
from splu_desktop.cli.base.output import Shown, add_json, per_cent, print_json, print_rows, tell, whole
from splu_desktop.cli.base.plan_options import add_plan_options, add_question_options, planned_from
from splu_desktop.compare.ours.splu import of_plan
from splu_desktop.compare.outcome import CERTAINTY, CURVE, SMALL_COUNTS, Comparison, SystemTried
from splu_desktop.compare.runner import DRAWS, LIMIT, compare
from splu_desktop.compare.systems import FIRST, SYSTEMS, named
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import Figure, Said, none_of, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT
from splu_desktop.core.published import Published
from splu_desktop.core.table import Table
from splu_desktop.files.disk.whole import check_new_folder
from splu_desktop.files.language import language
from splu_desktop.files.questions.batch import read_questions
from splu_desktop.report.comparison import write_comparison

_QUESTIONS = 1_200
_LINES = {CURVE: "", SMALL_COUNTS: say("as strong: small counts"), CERTAINTY: say("as strong: certainty")}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare",
        help=say("see the plan beside other methods, on this table"),
    )
    takes(parser, "file FILE", type=Path)
    add_question_options(parser)
    add_plan_options(parser)
    takes(
        parser,
        "--systems NAME,...",
        "the methods to compare: first ({first}), all, or some of {names}",
        names=", ".join(each.name for each in SYSTEMS),
        first=", ".join(each.name for each in FIRST),
        default="first",
    )
    takes(parser, "--about COL", "the secret column that is counted, where there are several")
    takes(parser, "--questions N", "how many random counts are asked (%(default)s)", type=int, default=_QUESTIONS)
    takes(parser, "--draws N", "draws of each setting (%(default)s)", type=int, default=DRAWS)
    takes(parser, "--seed N", "make the same comparison again", type=int)
    takes(
        parser,
        "--time-limit SECONDS",
        "how long each method may take with all its settings (%(default)g; 0 for no limit)",
        type=float,
        default=LIMIT,
    )
    takes(parser, "--own CSV", "your own questions, one per row, as for “splu queries”", type=Path)
    takes(parser, "--out DIR", "write the comparison into this new folder; keep it inside", type=Path)
    add_written_language(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Compare, print, and write where asked to. Raises SpluError; nothing is written then."""
    systems, t = named(args.systems), language(args.language)
    belong(args, "--out", "language")
    _check(args)
    if args.out is not None:
        check_new_folder(args.out)
    planned = planned_from(args, SILENT)
    name = _about(args.about, planned.plan)
    source, ours = of_plan(planned.imported.table, planned.plan, name)
    with Shown(quiet=args.json) as shown:
        comparison = compare(
            source,
            systems,
            plan=ours,
            size=args.questions,
            draws=args.draws,
            thresholds=planned.plan.thresholds,
            limit=args.time_limit or None,
            seed=args.seed,
            own=_own_questions(args.own, planned.imported.table, planned.plan),
            progress=shown,
        )
    written = () if args.out is None else write_comparison(comparison, args.out, t)
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


def _own_questions(path: Path | None, table: Table, plan: Plan) -> tuple[tuple[Condition, ...], ...]:
    """Return the questions in a file, asked of the original as of a release. Raises BadQuestions."""
    if path is None:
        return ()
    return read_questions(path, Published(table.select((*plan.nsas, *plan.sensitive)), plan.blocks)).conditions


def _check(args: argparse.Namespace) -> None:
    for name, least, most in (("questions", 60, 100_000), ("draws", 1, 100), ("seed", 0, math.inf),
                              ("time_limit", 0, 1e9)):  # fmt: skip
        if (number := getattr(args, name)) is not None and not least <= number <= most:
            raise misfit(f"{number}", f"--{name.replace('_', '-')}", f"{least} … {most:g}")


def _about(asked: str | None, plan: Plan) -> str:
    if asked is None:  # what must come out is what one asks of
        return next((each.sa for each in plan.questions if each.sa in plan.sensitive), plan.sensitive[0])
    if asked not in plan.sensitive:
        raise BadSetting(none_of(asked, plan.sensitive))
    return asked


def _range(tried: SystemTried, name: str) -> Figure:
    spread = tried.spread(name)
    if spread is None:
        return Figure("–")
    low, middle, high = (f"{100 * each:.0f}" for each in spread)
    return Figure(f"{middle} %" if low == high else f"{middle} % ({low}–{high})")


def _measures(metrics: Mapping[str, float]) -> Figure:
    shown = {name: f"{value:.4g}" if abs(value) < 1_000 else f"{value:,.0f}" for name, value in metrics.items()}
    return Figure(", ".join(f"{name} {each.replace('inf', '∞').replace('nan', '–')}" for name, each in shown.items()))


def _print(comparison: Comparison) -> None:
    source = comparison.source
    tell(
        "“{column}” in {n} records: {asked} counts asked of every method; one record can meet {meeting} of all that is "
        "asked.",
        column=source.sensitive.name,
        n=source.n,
        asked=comparison.asked,
        meeting=source.meeting,
    )
    tell(
        "Guessing the most frequent value is right about {guess}; what the original teaches about the other columns, "
        "{classifier}. {seconds} s.",
        guess=per_cent(comparison.guess),
        classifier=per_cent(comparison.classifier),
        seconds=round(comparison.seconds),
    )
    print()
    print_rows(
        [each for each in comparison.tried if each.draws],
        (say("method"), "l", lambda row: row.system.title),
        (say("setting"), "l", lambda row: row.system.setting),
        ("", "l", lambda row: _LINES[row.line]),
        (say("small wrong"), "r", lambda row: _range(row, "small_wrong")),
        (say("large right"), "r", lambda row: _range(row, "large_right")),
        (say("covered"), "r", lambda row: _range(row, "covered")),
        (say("row"), "r", lambda row: _range(row, "row")),
        (say("classifier"), "r", lambda row: _range(row, "classifier")),
        (say("best reader"), "r", lambda row: _range(row, "best_reader")),
        (say("insider"), "r", lambda row: _range(row, "insider")),
        ("T_P", "r", lambda row: Figure(f"{row.t_p:.2f}")),
        ("T_f", "r", lambda row: "–" if row.t_f is None else whole(row.t_f)),
        ("ε", "r", lambda row: Figure("∞" if math.isinf(row.epsilon) else f"{row.epsilon:.2f}")),
        (say("time"), "r", lambda row: Figure(f"{row.median('seconds') or 0:.1f} s")),
    )
    print()
    print_rows(
        [each for each in comparison.tried if each.draws and each.draws[0].metrics and each.line == CURVE],
        (say("method"), "l", lambda row: row.system.title),
        (say("setting"), "l", lambda row: row.system.setting),
        (say("the papers' own measures"), "l", lambda row: _measures(row.draws[0].metrics)),
    )
    print()
    for each in comparison.tried:
        if not each.draws:
            method, setting, why = each.system.title, each.system.setting, each.impossible
            tell(Said("{method}, {setting}: {why}", {"method": method, "setting": setting, "why": why}))
    print()
    tell(
        "Figures are medians, with the range over the draws. small wrong: counts of 1 to {alpha} told wrong by more "
        "than {epsilon}; large right: counts of 0.5 % and more told within it.",
        alpha=str(comparison.thresholds.alpha),
        epsilon=per_cent(comparison.thresholds.epsilon, 0),
    )
    tell(
        "row, classifier, best reader: how often who has the row, the answers, or all of it is right about a person; "
        "insider: how sure who knows all others is."
    )
    tell("epsilon: of differential privacy, for all that is asked together by basic composition, with delta 0.")
