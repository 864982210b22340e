"""`splu publish`: a table in, a release out, or the reason why not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import belong
from splu_desktop.cli.base.help import several, switch, takes
from splu_desktop.cli.base.import_options import add_import_options
from splu_desktop.cli.base.opening import add_lock, lock_from, password_line
from splu_desktop.cli.base.output import Shown, add_json, print_json, spoken, tell
from splu_desktop.cli.base.plan_options import add_plan_options, add_question_options, planned_from
from splu_desktop.cli.plan import as_gate, print_lines, print_plan
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import say
from splu_desktop.core.roles import Role
from splu_desktop.files.disk.whole import check_name, check_new_file, check_new_folder
from splu_desktop.files.language import language
from splu_desktop.files.publish.planning import Planned
from splu_desktop.files.publish.publishing import Options, Outcome, publish
from splu_desktop.files.release.facts import Dialect
from splu_desktop.files.release.folder import Form


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "publish",
        help=say("publish a table with its secret columns drawn anew"),
        description=say(
            "Publish FILE as a new release, by the proposal, a recipe or a plan of your own. Nothing is written unless "
            "the verdict is useful and defensible or each open line is accepted."
        ),
        epilog=say(
            "examples: splu publish stays.xlsx --for partner --table 'Diagnosis by Sex, Age' --out release; splu "
            "publish stays.xlsx --recipe june.toml --out release; splu publish stays.xlsx --sa Diagnosis --nsa Sex,Age "
            "--gamma 5 --out release"
        ),
    )
    takes(parser, "file FILE", type=Path)
    add_question_options(parser)
    group = parser.add_argument_group(say("the release"))
    takes(group, "--out DIR", "the release folder, or the ZIP with --zip; must not exist yet", type=Path)
    several(group, "--accept NAME=REASON", "accept an open line of the verdict, in at least three words")
    takes(group, "--accept-all REASON", "accept all open lines", default="")
    switch(group, "--xlsx", "write a workbook with the same sheets, too")
    takes(group, "--dialect NAME", "comma (default), or semicolon with decimal comma", choices=["comma", "semicolon"])
    takes(group, "--title TEXT", "what the release is called", default="")
    takes(group, "--contact TEXT", "whom the recipient asks", default="")
    takes(group, "--operator TEXT", "who publishes, for the register (this user)", default="")
    takes(group, "--language", "of README and labels: en, de or fr (that of --lang)", default=spoken().code)
    switch(group, "--zip", "write one ZIP instead of a folder")
    add_lock(group)
    add_plan_options(parser)
    switch(parser, "--strict", "")  # as it always is: kept so that older scripts run
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Publish. Returns 3 where an open line stands against it; nothing is written then. Raises SpluError."""
    accepted = accepted_lines(args.accept)
    belong(args, "--zip", "password_file", "no_password")
    if args.out is None:
        raise BadSetting("Say where the release is to go: --out DIR.")
    check_name(args.out)
    (check_new_file if args.zip else check_new_folder)(args.out)
    language(args.language)
    password, made_up = lock_from(args) if args.zip else (None, False)
    with Shown(quiet=args.json) as shown:
        planned = planned_from(args, shown)
        found = planned.verdict
        if waiting := found.waiting(accepted, args.accept_all):
            shown.end()
            return _refuse(args, planned, accepted, len(waiting))
        options = Options(
            form=Form(
                title=args.title,
                contact=args.contact,
                dialect=Dialect(";", ",") if args.dialect == "semicolon" else Dialect(),
                workbook=args.xlsx,
                spoken=args.language,
            ),
            packed=args.zip,
            password=password,
            source=args.file,
            source_sha256=planned.imported.source.sha256,
            operator=args.operator,
            everything=args.accept_all,
        )
        outcome = publish(
            planned.imported.table,
            planned.plan,
            args.out,
            judged=found,
            accepted=accepted,
            options=options,
            progress=shown,
        )
    _report(args, planned, outcome, accepted, password if made_up else None)
    return 0


def accepted_lines(texts: Iterable[str]) -> dict[str, str]:
    """Return the names of the lines accepted, with their reasons. Raises BadSetting."""
    found = {}
    for text in texts:
        name, sign, reason = text.partition("=")
        if not sign or not reason.strip():
            raise BadSetting("“{text}” after --accept gives no reason; write NAME=REASON.", text=text[:80])
        found[name.strip()] = reason.strip()
    return found


def _refuse(args: argparse.Namespace, planned: Planned, accepted: dict[str, str], waiting: int) -> int:
    if args.json:
        gate = [as_gate(line, accepted.get(line.name)) for line in planned.verdict.lines]
        print_json({**planned.as_dict(), "written": False, "gate": gate})
    else:
        print_plan(planned)
    if not args.json:
        print_lines(planned.verdict, accepted)
        tell("Nothing was written.")
    else:
        _to_error(planned, accepted)
    return 3


def _to_error(planned: Planned, accepted: dict[str, str]) -> None:
    """Say on standard error, beside JSON, which lines wait."""
    for line in planned.verdict.open:
        if line.name not in accepted:
            print(f"splu: {line.sentence} --accept {line.name}=REASON", file=sys.stderr)


def _report(
    args: argparse.Namespace, planned: Planned, outcome: Outcome, accepted: dict[str, str], password: str | None
) -> None:
    opened = outcome.opened
    if args.json:
        print_json(
            {
                **planned.as_dict(),
                "written": True,
                "out": str(args.out),
                "id": opened.id,
                "records": opened.published.n,
                "roles": {role.value: list(planned.plan.named(role)) for role in Role},
                "files": opened.facts["files"],
                "gate": [as_gate(line, accepted.get(line.name)) for line in outcome.verdict.lines],
                "register_entry": outcome.entry.number,
                "fingerprint": outcome.fingerprint,
                "digest": outcome.digest[:16],
                **({} if password is None else {"password": password}),
            }
        )
        return
    print_plan(planned)
    for line in outcome.verdict.open:
        tell("Accepted ({words}): {sentence}", "  ", words=accepted.get(line.name, args.accept_all),
             sentence=line.sentence)  # fmt: skip
    tell(
        "Written: {out} ({n} files, checked; register entry {number}; {words})",
        out=str(args.out),
        n=len(opened.facts["files"]),
        number=outcome.entry.number,
        words=outcome.fingerprint,
    )
    if password is not None:
        tell(password_line(password))
    for note in planned.notes:
        tell(note, "  ")
