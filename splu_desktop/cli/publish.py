"""`splu publish`: a table in, a release out, or the reason why not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import misfit, name_option, no_effect
from splu_desktop.cli.base.help import add_command, several, takes
from splu_desktop.cli.base.import_options import open_engine
from splu_desktop.cli.base.opening import lock_from, password_line
from splu_desktop.cli.base.output import Meter, current_language, line_of, print_json
from splu_desktop.cli.base.plan_options import add_plan_options, check_options, plan_table, release_entries
from splu_desktop.cli.plan import as_gate, open_lines, plan_lines
from splu_desktop.core.messages import say
from splu_desktop.core.policy import Line
from splu_desktop.core.roles import Role
from splu_desktop.files.disk.whole_files import check_name, check_new
from splu_desktop.files.project.entries import meanings
from splu_desktop.files.project.release_section import RELEASE
from splu_desktop.files.publish.planning import PlannedTable
from splu_desktop.files.publish.publishing import Options, Outcome, publish
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.folder import Form

_MOST = 12  # lines that it prints


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "publish",
        "publish a table with its secret columns drawn anew",
        run,
        "splu publish stays.xlsx --for partner --table 'Diagnosis by Sex, Age' --out release",
        "splu publish stays.xlsx --recipe june.toml --set title='Stays of June' --out release",
        "splu publish stays.xlsx --sa Diagnosis --nsa Sex,Age --gamma 5 --set missing.Age=999 --out release",
        description=say(
            "Publish FILE as a new release, by the proposal, a recipe or a plan of your own. Nothing is written unless "
            "the verdict is useful and defensible or each open line is accepted."
        ),
    )
    add_plan_options(parser)
    group = parser.add_argument_group(say("the release"))
    takes(group, "--out DIR", "the new folder of the release, or its ZIP", type=Path, required=True)
    words = say("accept an open line of the verdict, or all, in at least three words")
    several(group, "--accept NAME=REASON", words)
    # As older calls spell it: --accept all=REASON; and strict is what publishing always is.
    group.add_argument("--accept-all", dest="accept", action="append", type="all={}".format, help=argparse.SUPPRESS)
    group.add_argument("--strict", action="store_true", help=argparse.SUPPRESS)


def _acceptance(text: str) -> tuple[str, str]:
    """Return the name of a line that is accepted, and why. Raises BadSetting."""
    name, _, reason = text.partition("=")
    if not reason.strip():
        raise misfit(text, "--accept", "NAME=REASON")
    return name.strip(), reason.strip()


def run(args: argparse.Namespace) -> int:
    """Publish. Returns 3 where an open line stands against it; nothing is written then. Raises SpluError."""
    accepted = dict(map(_acceptance, args.accept))
    everything = accepted.pop("all", "")
    check_options(args)
    settings = meanings(RELEASE, release_entries(args))
    packed = settings.get("zip", False)
    locks = [name for name in ("password_file", "no_password") if settings.get(name)]
    if locks and not packed:
        raise no_effect(locks, "zip")
    # Before the table is read, so that nobody waits for a proposal that can't be written.
    check_name(args.out)
    check_new(args.out)
    file = Path(settings["password_file"]) if "password_file" in settings else None
    password, lock = lock_from(file, none=settings.get("no_password", False)) if packed else (None, {})
    with Meter(quiet=args.json) as shown:
        engine = open_engine(args, shown)
        planned = plan_table(args, shown, engine)
        with name_option("--accept"):
            waiting = planned.verdict.list_waiting(accepted, everything)
        if waiting:
            # Else the refusal would begin on the line that shows how far it is.
            shown.end()
            return _refuse(args, planned, waiting, accepted)
        options = Options(
            form=Form(
                title=settings.get("title", ""),
                contact=settings.get("contact", ""),
                dialect=Dialect(*settings.get("dialect", ())),
                workbook=settings.get("xlsx", False),
                language=settings.get("language", current_language().code),
            ),
            as_zip=packed,
            password=password,
            source=args.file,
            source_sha256=planned.reading.source.sha256,
            operator=settings.get("operator", ""),
            accept_all=everything,
        )
        outcome = publish(
            planned.reading.table,
            planned.plan,
            args.out,
            judged=planned.verdict,
            accepted=accepted,
            options=options,
            fill=None if engine is None else partial(engine.fill, planned.plan, planned.reading),
            progress=shown,
        )
    _report(args, planned, outcome, {**accepted, "all": everything}, lock)
    return 0


def _refuse(args: argparse.Namespace, planned: PlannedTable, waiting: Sequence[Line], accepted: dict[str, str]) -> int:
    if args.json:
        gate = [as_gate(line, accepted.get(line.name)) for line in planned.verdict.lines]
        print_json({**planned.as_dict(), "written": False, "gate": gate})
        for line in waiting:  # and beside the object, for people
            print(line_of(line.sentence, "splu: "), f"--accept {line.name}=REASON", file=sys.stderr)
        return 3
    lines = open_lines(waiting)
    if len(lines) > _MOST - 3:  # the sentence of each names its repair
        lines = [f"{first} {second.strip()}" for first, second in zip(lines[::2], lines[1::2], strict=True)]
    print(*plan_lines(planned, short=True)[:2], *lines, line_of("Nothing was written."), sep="\n")
    return 3


def _report(
    args: argparse.Namespace, planned: PlannedTable, outcome: Outcome, accepted: dict[str, str], lock: dict[str, str]
) -> None:
    opened = outcome.release
    if args.json:
        print_json(
            {
                **planned.as_dict(),
                "written": True,
                "out": str(args.out),
                "id": opened.id,
                "records": opened.published.n,
                "roles": {role.value: list(planned.plan.list_with(role)) for role in Role},
                "files": opened.facts["files"],
                "gate": [as_gate(line, accepted.get(line.name)) for line in outcome.verdict.lines],
                "register_entry": outcome.entry.number,
                "fingerprint": outcome.fingerprint,
                "digest": outcome.digest[:16],
                **lock,
            }
        )
        return
    last = [line_of("Accepted ({words}): {sentence}", "  ", words=accepted.get(line.name, accepted["all"]),
                    sentence=line.sentence) for line in outcome.verdict.open]  # fmt: skip
    last.append(line_of(
        "Written: {out} ({n} files, checked; register entry {number}; {words})",
        out=str(args.out),
        n=len(opened.facts["files"]),
        number=outcome.entry.number,
        words=outcome.fingerprint,
    ))  # fmt: skip
    last += map(line_of, map(password_line, lock.values()))
    last += [line_of(note, "  ") for note in planned.notes]
    print(*plan_lines(planned, short=True)[: max(2, _MOST - len(last))], *last, sep="\n")
