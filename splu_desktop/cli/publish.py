"""`splu publish`: a table in, a release out."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.cluster import SPARK, add_cluster_options, check_no_cluster, published_on_cluster
from splu_desktop.cli.base.effects import belong, without_effect
from splu_desktop.cli.base.help import several, switch, takes
from splu_desktop.cli.base.import_options import add_import_options
from splu_desktop.cli.base.opening import add_lock, lock_from, password_line
from splu_desktop.cli.base.output import Shown, add_json, print_json, print_table, spoken, tell, told
from splu_desktop.cli.base.planning import add_plan_options, table_and_plan
from splu_desktop.core.checks.gate import NAMES, Gate
from splu_desktop.core.checks.trial import trial
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.messages import isolated, say
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.files.disk.room import LIBRARIES, PER_TEXT_BYTE, check_room
from splu_desktop.files.disk.stamp import stamp
from splu_desktop.files.disk.whole import check_name, check_new_file, check_new_folder
from splu_desktop.files.draws import draws_as_dicts
from splu_desktop.files.importer.problems import ProblemKind
from splu_desktop.files.language import language
from splu_desktop.files.publish.publishing import Examination, GateShut, Order, Outcome, examine, pass_gate, publish

_OF_WRITING = (
    "out", "format", "bom", "zip", "password_file", "no_password", "operator", "purpose", "recipient", "language",
    "strict", "accept",
)  # fmt: skip
_YES = ("y", "yes", "j", "ja", "o", "oui")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "publish",
        help=say("publish a table with its sensitive columns re-drawn"),
        description=say(
            "Publish FILE as a new release. Columns not named take the role that splu inspect suggests. "
            "Red lines of the gate always refuse, and so do thresholds asked for and missed and columns that tell most "
            "of a sensitive one, unless accepted in words; other amber lines are printed as warnings, and refuse too "
            "with --strict or --recipe unless accepted by name."
        ),
    )
    takes(parser, "file FILE", type=Path)
    add_plan_options(parser)
    takes(parser, "--out DIR", "the release folder, or the ZIP with --zip; must not exist yet", type=Path)
    several(parser, "--format NAME,...", "besides CSV, which is always written: xlsx, parquet")
    takes(parser, "--xlsx", "same as --format xlsx", action="append_const", const="xlsx", dest="format")
    takes(parser, "--parquet", "same as --format parquet", action="append_const", const="parquet", dest="format")
    switch(parser, "--bom", "begin the CSV with a byte order mark, as Excel wants it")
    switch(parser, "--zip", "write one ZIP instead of a folder")
    add_lock(parser)
    takes(
        parser,
        "--memory SIZE",
        "bytes of memory to get along with, such as 4G: a delimited text that needs more is kept on disk as "
        "numbers while it is published (default: most of what is free)",
    )
    takes(parser, "--operator", "who publishes, for the register (this user)", default="")
    takes(parser, "--purpose", "what for, for the register", default="")
    takes(parser, "--recipient", "for whom, for the register", default="")
    takes(
        parser,
        "--language",
        "of README.txt and dictionary.csv: en, de or fr (default: that of --lang)",
        default=spoken().code,
    )
    switch(parser, "--strict", "refuse while an amber line of the gate is not accepted")
    several(
        parser,
        "--accept NAME[=WORDS]",
        "accept an amber line of the gate, in words for the register: {names}",
        names=", ".join(NAMES),
    )
    takes(
        parser,
        "--trial RECORDS",
        "re-draw a random sample (10000 records) and compare it with the original; write nothing",
        type=int,
        nargs="?",
        const=10_000,
    )
    add_cluster_options(parser)
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Publish. Raises SpluError; nothing is written then."""
    accepted = _accepted(args.accept)
    if args.trial is not None:
        without_effect(args, say("--trial writes nothing"), *_OF_WRITING)
    belong(args, "--zip", "password_file", "no_password")
    if args.engine == SPARK:
        outcome, plan, notes = published_on_cluster(args, accepted)
        _report(outcome, plan, args, notes, None)
        return
    check_no_cluster(args)
    if args.trial is None:
        if args.out is None:
            raise BadSetting("Say where the release is to go: --out DIR.")
        check_name(args.out)
        (check_new_file if args.zip else check_new_folder)(args.out)
    language(args.language)
    memory = None if args.memory is None else _bytes(args.memory)
    password, made_up = lock_from(args) if args.zip and args.trial is None else (None, False)
    before = stamp(args.file)
    if before is not None and args.memory is None:  # what is no file is told of by who reads it
        check_room(LIBRARIES + PER_TEXT_BYTE * args.file.stat().st_size)
    imported, plan, notes = table_and_plan(args, memory)
    # Whoever counts the source's lines must find the ones that did not become records, and bounds in intervals theirs.
    grouped = [p.sentence for p in imported.problems if p.kind is ProblemKind.NOTE and p.column in plan.generalisations]
    left_out = [p.sentence for p in imported.problems if p.kind is ProblemKind.SKIPPED_ROWS]
    notes = [*left_out, *notes, *grouped]
    order = Order(
        imported.table,
        plan,
        args.out or Path(),
        formats=tuple(name.strip() for text in args.format for name in text.split(",") if name.strip()),
        bom=args.bom,
        packed=args.zip,
        password=password,
        source=args.file,
        source_sha256=imported.source.sha256,
        source_stamp=before,
        operator=args.operator,
        purpose=args.purpose,
        recipient=args.recipient,
        spoken=args.language,
        storage=imported.storage,
    )
    if args.trial is not None:
        _trial(order, args.trial, args.json)
        return
    strict = args.strict or args.recipe is not None
    with Shown(quiet=args.json) as shown:
        examination = examine(order, progress=shown)
        shown.end()
        # What keeps the release back whatever was released before comes first: nobody is asked in vain.
        pass_gate(Gate(examination.gate.lines, {"earlier-release": "", **accepted}), order, strict)
        if not strict and "earlier-release" not in accepted:
            _tell_of_earlier(examination, accepted)
        outcome = publish(order, accepted=accepted, strict=strict, examination=examination, progress=shown)
    _report(outcome, plan, args, notes, password if made_up else None)


def _tell_of_earlier(examination: Examination, accepted: dict[str, str]) -> None:
    """Say before the work that the same records were released before; ask whoever is there. Raises GateShut."""
    for line in examination.gate.amber:
        if line.name == "earlier-release":
            print(f"splu: {told(say('note: {sentence}', sentence=told(line.sentence)))}", file=sys.stderr)
            if not _at_a_terminal():
                continue
            # Yes in each of the languages, whichever is spoken.
            if input(told(say("Publish all the same? [y/N]")) + " ").strip().lower() not in _YES:
                raise GateShut(
                    "Nothing was published; hand out the earlier release again, or say --accept earlier-release."
                )
            accepted[line.name] = say("asked at the terminal")


def _at_a_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and sys.stdout.isatty()


def _bytes(text: str) -> int:
    """Return a size such as 4G or 800M in bytes. Raises BadSetting."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise BadSetting("“{text}” is no size of memory; say it like 4G or 800M.", text=text[:40])
    return int(float(found[1]) * 1024 ** (1 + "KMGT".find(found[2].upper()) if found[2] else 0))


def _accepted(texts: Iterable[str]) -> dict[str, str]:
    accepted = {}
    for text in texts:
        name, _, words = text.partition("=")
        if name not in NAMES:
            known = ", ".join(NAMES)
            raise BadSetting("There is no line “{name}” in the gate; --accept takes {known}.", name=name, known=known)
        accepted[name] = words
    return accepted


def _report(outcome: Outcome, plan: Plan, args: argparse.Namespace, notes: list[str], password: str | None) -> None:
    opened = outcome.opened
    notes = [*notes, *(line.sentence for line in outcome.gate.notes)]
    roles = {role.value: list(plan.named(role)) for role in Role}
    if args.json:
        print_json(
            {
                "out": str(args.out),
                "id": opened.facts["id"],
                "records": opened.published.n,
                "draws": draws_as_dicts(plan.draws),
                "roles": roles,
                "files": opened.facts["files"],
                "notes": notes,
                "gate": [_line(line, outcome) for line in outcome.gate.lines],
                "checks": [
                    {"name": c.name, "passed": c.passed, "column": c.column, "sentence": c.sentence}
                    for c in outcome.checks
                ],
                "register_entry": outcome.entry.number,
                "guarantees": outcome.entry.body["guarantees"],
                **({} if password is None else {"password": password}),
            }
        )
        return
    tell("Published {n} records to {out}", n=opened.published.n, out=str(args.out))
    if password is not None:
        tell(password_line(password))
    for name in plan.sensitive:
        title = told(say("re-drawn (SA)")) + ":"
        tell("{column}, {words}", f"  {title:<21} ", column=name, words=told(opened.published.draws[name].words()))
    for words, role in (
        (say("unchanged (NSA)"), Role.NSA),
        (say("left out, identifier"), Role.IDENTIFIER),
        (say("left out"), Role.DROPPED),
    ):
        if roles[role.value]:
            tell(", ".join(map(isolated, roles[role.value])), f"  {told(words) + ':':<21} ")
    for sentence in opened.published.readers():
        tell(sentence, "  ")
    for entry in opened.facts["files"]:
        tell("{name}: {n} bytes, SHA-256 {sha}", "  ", name=entry["name"], n=entry["bytes"], sha=entry["sha256"])
    tell(
        "checked {n} ways, all passed; entry {number} of the register of releases",
        "  ",
        n=str(len(outcome.checks)),
        number=str(outcome.entry.number),
    )
    for note in notes:
        tell("Note: {note}", note=say(note))
    for line in outcome.gate.amber:
        if line.name not in outcome.gate.accepted:
            tell("Warning: {sentence}", sentence=told(line.sentence))
        elif reason := outcome.gate.accepted[line.name]:
            tell("Accepted ({words}): {sentence}", words=reason, sentence=told(line.sentence))
        else:
            tell("Accepted: {sentence}", sentence=told(line.sentence))


def _line(line: Any, outcome: Outcome) -> dict[str, Any]:
    return {
        "name": line.name,
        "light": line.light.value,
        "column": line.column,
        "sentence": line.sentence,
        "accepted": outcome.gate.accepted.get(line.name),
    }


def _trial(order: Order, records: int, as_json: bool) -> None:
    tried = trial(order.table, order.plan, records)
    if as_json:
        print_json(
            {
                "records": tried.published.n,
                "columns": [
                    {
                        "column": bars.column,
                        "values": [
                            {"value": label, "original": int(before), "published": int(after)}
                            for label, before, after in zip(bars.labels, bars.before, bars.after, strict=True)
                        ],
                    }
                    for bars in tried.marginals
                ],
            }
        )
        return
    tell("Trial on {n} records drawn at random; nothing was written.", n=tried.published.n)
    tell("For your eyes only: the column “original” shows true counts.")
    for bars in tried.marginals:
        print(f"\n{bars.column}")
        top = sorted(zip(bars.labels, bars.before, bars.after, strict=True), key=lambda row: -row[1])
        rows = [[label or say("(empty)"), str(int(before)), str(int(after))] for label, before, after in top[:20]]
        print_table([say("value"), say("original"), say("published")], rows, right=(1, 2))
        if len(top) > 20:
            tell("… and {n} more values", n=len(top) - 20)
