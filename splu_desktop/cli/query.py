"""`splu query` and `splu queries`: counts from a release alone."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.help import add_command, takes
from splu_desktop.cli.base.opening import ANSWERS, add_release, add_target, open_asked, open_for_answers
from splu_desktop.cli.base.output import Meter, print_json, print_result, print_table, say_written, tell, translate
from splu_desktop.core.answer.answer import Answer, question_words, range_words, say_trust
from splu_desktop.core.answer.conditions import parse_condition
from splu_desktop.core.answer.reader import ESTIMATORS, Reader
from splu_desktop.core.messages import Phrase, percent_of, say


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    example = "splu query RELEASE Sex=Female 'Diagnosis=Asthma|COPD' Age=30..39"
    one = add_command(commands, "query", "answer one count from a release", _query, example)
    add_release(one)
    words = say(
        "Column=Value, Column=A|B, Column=low..high, Column>=low, Column<=high, Column!=Value; Column= or (empty) "
        "for rows without a value; dates as 2024-03-31 or 31.3.2024, a month as 2024-03"
    )
    takes(one, "conditions COLUMN=VALUE", words, nargs="*")
    words = say(
        "Answer every row of a CSV file or of a workbook's first sheet: its header names columns, an empty cell is "
        "no condition, and a cell may hold one value, A|B, low..high, or (empty) for rows without a value."
    )
    many = add_command(commands, "queries", "answer a file of counts from a release", _queries, description=words)
    add_release(many)
    takes(many, "questions FILE", type=Path)
    add_target(many, ANSWERS)
    for parser in (one, many):
        takes(parser, "--method", "estimator (%(default)s)", choices=ESTIMATORS, default=ESTIMATORS[0])


def _query(args: argparse.Namespace) -> None:
    release = open_asked(args, conditions=args.conditions)
    published = release.published
    conditions = [parse_condition(text, published) for text in args.conditions]
    answer = Reader(published).answer(conditions, args.method)
    if args.json:
        print_json({**answer_as_dict(answer), "method": args.method, "release": release.id})
        return
    tell(question_words(answer.conditions))
    rows: list[tuple[str, str]] = [(say("Answer"), range_words(answer))]
    if not answer.exact:
        # Outwards: a range may be a little too wide, never too narrow.
        low, high = math.floor(answer.low_alike), math.ceil(answer.high_alike)
        rows.append((say("About people like these"), say("{low} to {high}", low=low, high=high)))
    rows.append((say("Of"), say("{n} {n:row|rows}", n=answer.n_p)))
    if answer.share is not None and not answer.exact:
        share = say("{low} to {high}", low=percent_of(answer.share[1]), high=percent_of(answer.share[2]))
        rows.append((say("Share"), share))
    rows.append((say("Trust"), say_trust(answer.trust())))
    print()
    print_table(("", ""), rows)


def answer_as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain data."""
    same = ("estimate", "low", "high", "low_alike", "high_alike", "variance")
    return {
        "conditions": list(map(str, answer.conditions)),
        "published": answer.published_count,
        **{name: getattr(answer, name) for name in same},
        "selected": answer.n_p,
        "share": answer.share and dict(zip(("estimate", "low", "high"), answer.share, strict=True)),
        "exact": answer.exact,
        "trust": answer.trust(),
        "shown": {"estimate": round(answer.estimate), "low": math.floor(answer.low), "high": math.ceil(answer.high)},
    }


def _queries(args: argparse.Namespace) -> None:
    # One count has no file of questions, and starts sooner without what reads workbooks.
    from splu_desktop.files.questions.batch import read_questions, write_answers

    release = open_for_answers(args)
    # A row that is not understood says so in its column “note”, and all others are answered.
    questions = read_questions(args.questions, release.published, strict=False)
    with Meter(quiet=args.json) as shown:
        answers = questions.answers(Reader(release.published), args.method, shown)
    write_answers(questions, answers, release.id, args.out)
    trust = Counter(answer.trust() for answer in answers)
    data = {"answers": len(answers), "file": str(args.out), "method": args.method, "release": release.id}
    lines: list[str] = [say_written(args.out)]
    if questions.faults:
        lines.append(say("Not understood: {n}; the column “note” says why.", n=len(questions.faults)))
    if trust:
        each = ", ".join(f"{count:,} {translate(say_trust(name))}" for name, count in trust.items())
        lines.append(Phrase("{trust}: {each}", {"trust": say("Trust"), "each": each}))
    print_result(args, {**data, "trust": dict(trust), "faults": len(questions.faults)}, *lines)
