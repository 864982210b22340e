"""`splu query` and `splu queries`: counts from a release folder alone."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import switch, takes
from splu_desktop.cli.base.opening import add_release, opened
from splu_desktop.cli.base.output import Shown, add_json, per_cent, print_json, print_table, tell, told, whole
from splu_desktop.core.messages import counted, say
from splu_desktop.core.persons import NARROW
from splu_desktop.core.query.condition import columns_named
from splu_desktop.core.query.reader import DEFAULT, Answer, Method, Reader, parse_condition, sentence


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    one = commands.add_parser(
        "query",
        help=say("answer one count from a release"),
        description=say("Estimate how many records of the source meet all conditions, from the release alone."),
        epilog=say("examples: splu query RELEASE Sex=Female 'Diagnosis=Asthma|COPD' Age=30..39"),
    )
    add_release(one)
    takes(
        one,
        "conditions COLUMN=VALUE",
        "Column=Value, Column=A|B, Column=low..high, Column>=low, Column<=high, Column!=Value; Column= or (empty) "
        "for records without a value; dates as 2024-03-31 or 31.3.2024, a month as 2024-03",
        nargs="*",
    )
    _add_method(one)
    takes(
        one,
        "--bootstrap",
        "take the interval from repetitions of the draw on paper (done anyway where theory gives out; "
        "--no-bootstrap: never)",
        action=argparse.BooleanOptionalAction,
    )
    add_json(one)
    one.set_defaults(run=_query)
    many = commands.add_parser(
        "queries",
        help=say("answer a file of counts from a release"),
        description=say(
            "Answer every row of a CSV file or of a workbook's first sheet: its header names columns, an empty "
            "cell is no condition, and a cell may hold one value, A|B, low..high, or (empty) for records without a "
            "value."
        ),
    )
    add_release(many)
    takes(many, "questions FILE", "one question per row, as CSV or workbook", type=Path)
    takes(many, "--out ANSWERS", "file to write, .csv or .xlsx", type=Path, required=True)
    switch(
        many,
        "--bootstrap",
        "where theory gives out, take intervals from repetitions of the draw on paper (a tenth of a second each)",
    )
    switch(many, "--overwrite", "replace the answers file if it exists")
    _add_method(many)
    add_json(many)
    many.set_defaults(run=_queries)


def _add_method(parser: argparse.ArgumentParser) -> None:
    takes(
        parser,
        "--method",
        "estimator (%(default)s)",
        choices=[method.value for method in Method],
        default=DEFAULT.value,
    )


def _query(args: argparse.Namespace) -> None:
    release = opened(args, at_once=False)
    published = release.published
    published.table.need(columns_named(args.conditions, published.table.names))
    conditions = [parse_condition(text, published) for text in args.conditions]
    answer = Reader(published).answer(conditions, Method.named(args.method), bootstrap=args.bootstrap)
    if args.json:
        print_json({**_as_dict(answer), "release": release.facts["id"]})
        return
    tell(sentence(answer.conditions))
    low, high = answer.ends
    between = (
        say("{low} to {high} (draw repeated)", low=low, high=high)
        if answer.bootstrapped
        else say("{low} to {high}", low=low, high=high)
    )
    rows: list[tuple[str, str]] = [
        (say("Published"), whole(answer.published)),
        (say("Estimate"), answer.shown),
        (say("Possible") if answer.possible else say("95 % interval"), between),
        (say("Of"), _selected(answer.n_p)),
    ]
    if answer.share is not None and not answer.exact:
        ends = say("{low} to {high}", low=per_cent(answer.share[1]), high=per_cent(answer.share[2]))
        rows.append((say("Share"), ends))
    rows.append((say("Trust"), told(answer.badge_text)))
    print_table((say("Method"), answer.method.value), rows)
    if not answer.exact and published.by_person:
        tell(NARROW)


def _selected(n_p: int) -> str:
    return counted(
        n_p,
        "{n} record that meets the conditions on non-sensitive columns",
        "{n} records that meet the conditions on non-sensitive columns",
    )


def _as_dict(answer: Answer) -> dict[str, Any]:
    share = answer.share
    estimate, low, high = answer.stated
    return {
        "conditions": [str(condition) for condition in answer.conditions],
        "published": answer.published,
        "estimate": estimate,
        "low": low,
        "high": high,
        "method": answer.method.value,
        "selected": answer.n_p,
        "share": None if share is None else {"estimate": share[0], "low": share[1], "high": share[2]},
        "variance": None if estimate is None else answer.variance,
        "exact": answer.exact,
        "shown": {"estimate": None if answer.vague else answer.rounded, "low": answer.ends[0], "high": answer.ends[1]},
        "badge": answer.badge.value,
        "badge_text": answer.badge_text,
        "interval_by": answer.interval_by,
    }


def _queries(args: argparse.Namespace) -> None:
    # Readers and writers of tables, which a single question has no use for.
    from splu_desktop.files.questions.batch import check_answers_path, read_questions, write_answers

    check_answers_path(args.out, overwrite=args.overwrite, release=args.release)
    release = opened(args)
    published = release.published
    questions = read_questions(args.questions, published, strict=False)
    bootstrap = None if args.bootstrap else False
    with Shown(quiet=args.json) as shown:
        answers = questions.answered(Reader(published), Method.named(args.method), shown, bootstrap=bootstrap)
    write_answers(questions, answers, release.facts["id"] or "", args.out, overwrite=args.overwrite)
    vanished = sum(answer.vanished for answer in answers)
    badges = Counter(answer.badge.value for answer in answers)
    if args.json:
        print_json(
            {
                "answers": len(answers),
                "file": str(args.out),
                "method": args.method,
                "release": release.facts["id"],
                "badges": dict(badges),
                "vanished": vanished,
                "bad": len(questions.faults),
            }
        )
        return
    tell(counted(len(answers), "{n} answer written to {out}.", "{n} answers written to {out}.", out=str(args.out)))
    if questions.faults:
        tell(
            counted(
                len(questions.faults),
                "{n} question can't be understood; its row says why in the column “note”.",
                "{n} questions can't be understood; their rows say why in the column “note”.",
            )
        )
    if badges:
        each = ", ".join(told(say("{n} {name}", n=count, name=told(name))) for name, count in badges.most_common())
        tell("Trust: {each}.", each=each)
        if release.published.by_person:
            tell(NARROW)
    if vanished:
        tell(
            counted(
                vanished,
                "{n} question names a sensitive value that no published record shows; see the column “note”.",
                "{n} questions name a sensitive value that no published record shows; see the column “note”.",
            )
        )
