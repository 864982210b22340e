"""`splu propose` and `splu plan`: the plan for a table and the verdict on it, before anything is published."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.engine_options import opened_engine
from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.output import Shown, add_json, one_line, print_json, tell, told
from splu_desktop.cli.base.plan_options import add_plan_options, add_question_options, planned_from
from splu_desktop.core.mechanism import law
from splu_desktop.core.messages import Figure, Said, counted, isolated, say
from splu_desktop.core.policy import TOO_SMALL, Line, Verdict, share_words
from splu_desktop.core.roles import Role
from splu_desktop.files.publish.planning import Planned

_NAMED = 6  # columns of a kind that are named


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    for name, words in (
        ("propose", say("propose how to publish a table: what it protects and what stays readable")),
        ("plan", say("say what a plan of your own protects and what stays readable")),
    ):
        parser = commands.add_parser(name, help=words, description=words)
        takes(parser, "file FILE", type=Path)
        add_question_options(parser)
        add_plan_options(parser)
        add_json(parser)
        parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the plan and the verdict. Returns 3 where lines are open."""
    with Shown(quiet=args.json) as shown, opened_engine(args, shown) as engine:
        planned = planned_from(args, shown, engine=engine)
    command = _protect_command(args, planned.verdict)
    if args.json:
        data = planned.as_dict()
        if args.command == "plan":
            chosen = planned.plan.persons
            data["persons"] = {"number": data["persons"], "column": None if chosen is None else chosen.column}
        print_json({**data, "protect": command} if command else data)
    else:
        print_plan(planned)
        print_lines(planned.verdict)
        for each in planned.proposal.alternatives if planned.proposal is not None else ():
            tell(each.words, f"  {told(say('or'))}  ")
        if command:
            if planned.proposal is None:
                tell("Hand out protected tables of counts instead of rows.", f"  {told(say('or'))}  ")
            print(" " * 6 + one_line(command))
        for note in planned.notes:
            tell(note, "  ")
    return 3 if planned.verdict.open else 0


def _protect_command(args: argparse.Namespace, found: Verdict) -> str:
    """Return the command that hands out protected tables of a table too small for rows, "" for another."""
    if found.state != TOO_SMALL:
        return ""
    kept = [each for each in args.given if each not in (args.command, "--json")]
    return shlex.join(["splu", "protect", *kept, "--out", f"{args.file.stem}-tables.docx"])


def print_plan(planned: Planned) -> None:
    """Print the verdict, the tables and what becomes of the columns, in few lines."""
    plan, found = planned.plan, planned.verdict
    figures = found.figures
    rows = counted(figures.rows, "{n} row", "{n} rows")
    if plan.persons is not None:
        persons = counted(figures.persons, "{n} person", "{n} persons")
        tell("{file}: {rows} of {persons} ({column})", file=planned.imported.source.name, rows=rows, persons=persons,
             column=plan.persons.column)  # fmt: skip
    else:
        tell(Said("{file}: {rows}", {"file": planned.imported.source.name, "rows": rows}))
    if not figures.tables:
        read = say("no table is asked for")
    elif not figures.cells:
        read = say("no cell is as large as 50")
    else:
        read = say("{answered} of {cells} cells can be read", answered=figures.answered, cells=figures.cells)
    tell(
        "{state}: {read}, {alike}, a row is right in {share} cases (riskiest group {riskiest})",
        state=told(found.title).upper(),
        read=read,
        alike=counted(figures.alike.smallest, "some stand alone", "at least {n} look alike"),
        share=share_words(figures.certainty.average),
        riskiest=share_words(figures.certainty.riskiest),
    )
    for each in figures.tables:
        if each.cells:
            tell("{table}: {answered} of {cells} cells", "  ", table=each.asked.words(), answered=each.answered,
                 cells=each.cells)  # fmt: skip
        else:
            tell("{table}: no cell is as large as 50.", "  ", table=each.asked.words())
    for block in plan.blocks:
        t_p = law.t_p(block.draw, plan.thresholds.epsilon, plan.thresholds.alpha)
        t_f = law.t_f(block.draw, plan.thresholds.epsilon, plan.thresholds.t_e)
        tell(
            "{columns}: gamma {gamma} (T_f {t_f}, T_P {t_p})",
            f"  {told(say('secret')):<9} ",
            columns=_named(block.columns),
            gamma=Figure(f"{block.draw.gamma:g}"),
            t_f=t_f,
            t_p=Figure(f"{100 * t_p:.0f} %"),
        )
    for told_step in planned.proposal.steps if planned.proposal is not None else ():
        if told_step.name in ("person", "blanked"):
            tell(told_step.words, f"  {told(say('persons')):<9} ")
    for name, steps in plan.generalisations.items():
        for step in steps:
            tell(Said("{column}: {words}", {"column": name, "words": step.words}), f"  {told(say('coarser')):<9} ")
    for words, role in ((say("as it is"), Role.NSA), (say("left out"), Role.DROPPED), (say("names"), Role.IDENTIFIER)):
        if columns := plan.named(role):
            tell(_named(columns), f"  {told(words):<9} ")


def print_lines(found: Verdict, accepted: dict[str, str] | None = None) -> None:
    """Print the open lines, each with its repair and how it is accepted."""
    for line in found.open:
        if accepted and line.name in accepted:
            continue
        tell(line.sentence, f"  {told(say('stops') if line.state == 'red' else say('decide')):<9} ")
        how = say("--accept {name}=REASON", name=line.name)
        if line.repair is not None:
            tell("{repair}, or {accept}", " " * 12, repair=line.repair.words, accept=how)
        else:
            tell(how, " " * 12)


def as_gate(line: Line, reason: str | None = None) -> dict[str, Any]:
    """Return a line as publish's JSON lists it, with its light."""
    light = {"ok": "green", "amber": "amber", "red": "red"}[line.state]
    return {**line.as_dict(), "light": light, "accepted": reason}


def _named(columns: tuple[str, ...]) -> str:
    names = ", ".join(map(isolated, columns[:_NAMED]))
    if len(columns) <= _NAMED:
        return names
    return say("{names} and {n} more", names=names, n=len(columns) - _NAMED)
