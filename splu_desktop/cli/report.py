"""`splu report`: the audit report of a release, in two editions and four formats."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_desktop.cli.base.effects import IMPORT, belong, without_effect
from splu_desktop.cli.base.help import switch, takes
from splu_desktop.cli.base.import_options import add_import_options, choices_from
from splu_desktop.cli.base.opening import add_password, check_locked, password_from, told_how
from splu_desktop.cli.base.output import Shown, add_json, print_json, spoken, tell
from splu_desktop.cli.base.planning import overruled
from splu_desktop.core.draw.by_person import one_per_person
from splu_desktop.core.errors import BadSetting, SpluError
from splu_desktop.core.messages import say
from splu_desktop.files.importer import read
from splu_desktop.files.language import language
from splu_desktop.files.project.recipe import Recipe, read_recipe
from splu_desktop.files.register.book import Register
from splu_desktop.files.release.reading import read_release
from splu_desktop.report.alternatives import read_comparison
from splu_desktop.report.content.front import verdict as in_words
from splu_desktop.report.history import background, entry_of, typed_then
from splu_desktop.report.law import CODES, DEFAULT, packs
from splu_desktop.report.make import check_target, make_report, write_report
from splu_desktop.report.model import Fields


class FailedChecks(SpluError):
    """A check of the release failed; the report says which."""


_FIELDS = {
    "title": say("what to print as title"),
    "organisation": say("what to print as organisation"),
    "operator": say("who published"),
    "reviewer": say("who signs"),
    "purpose": say("what the release is for"),
    "recipient": say("who gets it"),
    "controls": say("what protects the release at the recipient"),
    "contract": say("what the recipient is bound to"),
    "attempt": say("record of an attempt at recognising persons: by whom, when, what was found"),
    "review": say("when the assessment is looked at again"),
    "threshold": say("largest risk of recognition allowed, 0 to 1, beside 0.09"),
    "law": say(
        "law packs, between commas: {codes}; or none (default: the recipe's, else {usual})",
        codes=", ".join(CODES),
        usual=DEFAULT,
    ),
    "remarks": say("what to print as remarks"),
}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "report",
        help=say("write the audit report of a release"),
        description=say(
            "Write what was released, with which promise, what it is worth and what it risks. The external "
            "edition, which is written unless --internal is given, follows from the release alone and may be handed "
            "out with it."
        ),
    )
    takes(parser, "release RELEASE", "a release folder or ZIP", type=Path)
    takes(parser, "--out FILE", "the report; ends in .pdf, .html, .json or .xlsx", type=Path, required=True)
    switch(parser, "--overwrite", "write over FILE if it is there")
    switch(parser, "--internal", "the internal edition, with true counts; needs --source")
    takes(parser, "--source FILE", "the file that the release was made from", type=Path)
    takes(parser, "--recipe RECIPE", "the recipe it was published with", type=Path)
    takes(parser, "--comparison FILE", "what splu compare --json wrote, for the internal edition", type=Path)
    for name, meaning in _FIELDS.items():
        takes(parser, f"--{name}", meaning, default="")
    takes(parser, "--language", "en, de or fr (default: that of --lang)", default=spoken().code)
    takes(parser, "--paper", "A4 or Letter, for PDF (default: A4)")
    add_password(parser)
    add_import_options(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Write the report. Raises SpluError; nothing is written then."""
    check_target(args.out)
    language(args.language)
    if args.out.exists() and not args.overwrite:
        raise BadSetting("“{path}” exists already; choose another name, or add --overwrite.", path=str(args.out))
    if args.internal != (args.source is not None):
        raise BadSetting(
            "The internal edition is computed with the source: give --internal and --source FILE together."
        )
    if args.comparison is not None and not args.internal:
        raise BadSetting("A comparison was measured with the source: give --comparison with --internal alone.")
    belong(args, "--source", *IMPORT)
    if args.out.suffix.lower() != ".pdf":
        without_effect(args, say("“{path}” has no pages", path=str(args.out)), "paper")
    check_locked(args)
    recipe = None if args.recipe is None else read_recipe(args.recipe)
    typed = {name: getattr(args, name) for name in _FIELDS}
    if recipe is not None:
        typed["law"] = typed["law"] or ",".join(recipe.laws)
    given = Fields(**typed)
    packs(given.law)
    password = password_from(args)
    with Shown(quiet=args.json) as shown:
        with told_how(password):
            opened = read_release(args.release, password=password, progress=shown)
        compared = () if args.comparison is None else read_comparison(args.comparison, opened.published)
        register = Register()
        entry = entry_of(register.read(), opened)
        fields = typed_then(entry, given, internal=args.internal)
        behind = None
        if args.internal:
            imported, plan = _source(args, recipe)
            behind = background(opened, imported, plan=plan, register=register, alternatives=compared, progress=shown)
        report = make_report(opened, fields, behind, password=password, progress=shown)
        write_report(report, args.out, language=args.language, paper=args.paper or "A4", progress=shown)
    verdict = report.public.cover.verdict
    if args.json:
        print_json(
            {
                "out": str(args.out),
                "edition": report.edition,
                "bytes": args.out.stat().st_size,
                "verdict": {"code": verdict.code, "reasons": list(verdict.reasons)},
            }
        )
        _refuse_failed(report)
        return
    written = (
        say("Wrote the internal edition to {path}", path=str(args.out))
        if args.internal
        else say("Wrote the external edition to {path}", path=str(args.out))
    )
    tell(written)
    print(in_words(report, spoken()))
    _refuse_failed(report)


def _refuse_failed(report: Any) -> None:
    """Raise FailedChecks where a check failed: the report is written, and says so; a script must see it, too."""
    if report.public.cover.verdict.code == "fails":
        raise FailedChecks("The release is not to be relied on: the report was written and names what failed.")


def _source(args: argparse.Namespace, recipe: Recipe | None) -> tuple[Any, Any]:
    """Return the source as read, and the recipe's plan or None."""
    asked = choices_from(args)
    if recipe is None:
        return read(args.source, asked), None
    imported = read(args.source, overruled(recipe.choices, asked))
    by = recipe.plan.persons
    if by is not None and by.way == "random":
        raise BadSetting(
            "The release has one record of each person, taken at random; nobody knows any more which, so there is "
            "no report that compares it with the source."
        )
    imported = replace(imported, table=one_per_person(imported.table, by))
    return imported, recipe.plan_for(imported.table, name=say("the recipe “{name}”", name=args.recipe.name))
