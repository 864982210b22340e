"""`splu propose` and `splu plan`: the plan for a table and the verdict on it, before anything is published."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from typing import Any

from splu_desktop.cli.base.help import add_command
from splu_desktop.cli.base.import_options import open_engine
from splu_desktop.cli.base.output import Meter, line_of, one_line, print_json, tell, translate
from splu_desktop.cli.base.plan_options import add_plan_options, plan_table
from splu_desktop.core.mechanism import law
from splu_desktop.core.messages import Figure, Phrase, cases_of_100, certainty_words, isolated, say
from splu_desktop.core.policy import TOO_SMALL, Line, Verdict, title_of
from splu_desktop.core.roles.suggest import Role, suggest_roles
from splu_desktop.files.publish.planning import PlannedTable

_NAMED = 6  # columns of a kind that are named


def add(commands: Any) -> None:
    """Add the commands to the parser."""
    for name, words in (
        ("propose", say("propose how to publish a table: what it protects and what stays readable")),
        ("plan", say("say what a plan of your own protects and what stays readable")),
    ):
        add_plan_options(add_command(commands, name, words, run, description=words))


def run(args: argparse.Namespace) -> int:
    """Print the plan and the verdict. Returns 3 where lines are open."""
    with Meter(quiet=args.json) as shown:
        planned = plan_table(args, shown, open_engine(args, shown))
    command, chosen = _protect_command(args, planned.verdict), planned.plan.persons
    if args.json:
        data = planned.as_dict()
        if args.command == "plan":
            data["persons"] = {"number": data["persons"], "column": None if chosen is None else chosen.column}
        print_json({**data, "protect": command} if command else data)
    else:
        print(*plan_lines(planned), *open_lines(planned.verdict.open), sep="\n")
        for each in planned.proposal.alternatives if planned.proposal is not None else ():
            tell(each.words, _mark(say("or")))
        if command:
            if planned.proposal is None:
                tell("Hand out protected tables of counts instead of rows.", _mark(say("or")))
            print(" " * 14 + one_line(command))
        for note in planned.notes:
            tell(note, "  ")
    return 3 if planned.verdict.open else 0


def _protect_command(args: argparse.Namespace, verdict: Verdict) -> str:
    """Return the command that hands out protected tables of a table too small for rows, "" for another."""
    if verdict.state != TOO_SMALL:
        return ""
    kept = [each for each in args.given if each not in (args.command, "--json")]
    return shlex.join(["splu", "protect", *kept, "--out", f"{args.file.stem}-tables.docx"])


def plan_lines(planned: PlannedTable, *, short: bool = False) -> list[str]:
    """Return the verdict, the tables and what becomes of the columns; where `short`, in at most ten lines."""
    plan, figures = planned.plan, planned.verdict.figures
    lines = [_head(planned), _verdict_line(planned.verdict)]
    for each in figures.tables:
        if not each.cells:
            lines.append(line_of("{table}: no cell is as large as 50.", "  ", table=each.table.words()))
        elif not short or each.readable < each.cells:
            lines.append(line_of("{table}: {answered} of {cells} cells", "  ", table=each.table.words(),
                                 answered=each.readable, cells=each.cells))  # fmt: skip
    several = short and len(plan.blocks) > 2
    for block in plan.blocks[: 1 if several else None]:
        t_p = law.t_p(block.draw, plan.thresholds.epsilon, plan.thresholds.alpha)
        t_f = law.t_f(block.draw, plan.thresholds.epsilon, plan.thresholds.t_e)
        lines.append(line_of(
            "{columns}: gamma {gamma} (T_f {t_f}, T_P {t_p})",
            _mark(say("secret")),
            columns=_list_names(plan.sensitive if several else block.columns),
            gamma=Figure(f"{block.draw.gamma:g}"),
            t_f=say("{n} {n:row|rows}" if plan.persons is None else "{n} {n:person|persons}", n=t_f),
            t_p=Figure(f"{cases_of_100(t_p, down=True)} %"),
        ))  # fmt: skip
    notes = [(say("persons"), words) for words in figures.losses(plan)]
    coarser = [Phrase("{column}: {words}", {"column": name, "words": each.words})
               for name, steps in plan.generalisations.items() for each in steps]  # fmt: skip
    notes += [(say("coarser"), words) for words in ([_list_names(tuple(plan.generalisations))] if short else coarser)]
    same = tuple(name for name in plan.nsas if not plan.generalisations.get(name))
    known, naming = suggest_roles(planned.reading.table), plan.list_with(Role.IDENTIFIER)
    unsure = [name for name in naming if known[name].doubt]  # each row's own, as a weight may be: it names nobody
    dropped, sure = (*plan.list_with(Role.DROPPED), *unsure), tuple(name for name in naming if name not in unsure)
    for words, columns in ((say("as it is"), same), (say("left out"), dropped), (say("names"), sure)):
        notes.append((words, _list_names(columns)))
    return [*lines, *(line_of(words, _mark(mark)) for mark, words in notes if words)]


def _head(planned: PlannedTable) -> str:
    plan, figures = planned.plan, planned.verdict.figures
    details = {"file": planned.reading.source.name, "rows": say("{n} {n:row|rows}", n=figures.rows)}
    if plan.persons is None:
        return line_of(Phrase("{file}: {rows}", details))
    persons = say("{n} {n:person|persons}", n=figures.persons)
    return line_of("{file}: {rows} of {persons} ({column})", **details, persons=persons, column=plan.persons.column)


def _verdict_line(verdict: Verdict) -> str:
    figures = verdict.figures
    if not figures.tables:
        read = say("no table is asked for")
    elif not figures.cells:
        read = say("no cell is as large as 50")
    else:
        read = say("{answered} of {cells} cells can be read", answered=figures.readable, cells=figures.cells)
    return line_of(
        "{state}: {read}, {alike}, a row is right {share} times (riskiest group {riskiest})",
        state=translate(title_of(verdict.state)).upper(),
        read=read,
        alike=say("{n:some stand alone|at least {n} look alike}", n=figures.alike.smallest),
        share=certainty_words(figures.certainty.average),
        riskiest=certainty_words(figures.certainty.riskiest),
    )


def open_lines(lines: Iterable[Line]) -> list[str]:
    """Return open lines, each with its repair and how it is accepted in a second line."""
    texts = []
    for line in lines:
        texts.append(line_of(line.sentence, _mark(say("stops") if line.state == "red" else say("decide"))))
        how = say("--accept {name}=REASON", name=line.name)
        if line.repair is not None:
            how = say("{repair}, or {accept}", repair=line.repair.words, accept=how)
        texts.append(line_of(how, " " * 14))
    return texts


def as_gate(line: Line, reason: str | None) -> dict[str, Any]:
    """Return a line as publish's JSON lists it, with its light."""
    light = {"ok": "green", "amber": "amber", "red": "red"}[line.state]
    return {**line.as_dict(), "light": light, "accepted": reason}


def _mark(words: str) -> str:
    return f"  {translate(words):<11} "


def _list_names(columns: tuple[str, ...]) -> str:
    names = ", ".join(map(isolated, columns[:_NAMED]))
    if len(columns) <= _NAMED:
        return names
    return say("{names} and {n} more", names=names, n=len(columns) - _NAMED)
