"""How a release is written, and what a plan may say beside its options: what stands behind --set."""

from __future__ import annotations

from dataclasses import fields

from splu_desktop.core.mechanism import draw_names
from splu_desktop.core.messages import say
from splu_desktop.core.policy import Limits
from splu_desktop.files.language import LANGUAGES
from splu_desktop.files.project.entries import Entry, Shape, one_of

_LIMITS = (*(each.name for each in fields(Limits) if each.name != "name"), "certainty")
RELEASE = (
    Entry("title", "TEXT", say("what it is called")),
    Entry("contact", "TEXT", say("whom the recipient asks")),
    Entry("operator", "TEXT", say("who publishes, for the register (this user)")),
    Entry(
        "language",
        "CODE",
        say("language of what is written: en, de or fr (that of --lang)"),
        meaning=one_of(tuple(LANGUAGES)),
    ),
    Entry(
        "dialect",
        "NAME",
        say("comma, or semicolon with decimal comma"),
        meaning=one_of({"comma": (",", "."), "semicolon": (";", ",")}),
    ),
    Entry("xlsx", "", say("write a workbook with the same sheets, too"), Shape.SWITCH),
    Entry("zip", "", say("write one ZIP instead of a folder"), Shape.SWITCH),
    Entry(
        "password_file",
        "FILE",
        say("the ZIP's password is the first line of FILE (or {variable})", variable="SPLU_PASSWORD"),
    ),
    Entry("no_password", "", say("write a ZIP that anybody can open (else a password is made up)"), Shape.SWITCH),
)
# Of a plan that options say, what few need; a recipe says it in other words, column by column.
PLANNING = (
    Entry(
        "draw",
        "NAME",
        say("how values are drawn: {names}", names=", ".join(draw_names())),
        meaning=one_of(draw_names()),
    ),
    Entry("together", "A,B|C,D", say("secret columns drawn as one")),
    Entry("kept_identifiers", "COL=REASON", say("publish a column that names persons, for a reason"), Shape.BY_KEY),
    Entry(
        "limits",
        "NAME=VALUE:REASON",
        say("another limit than the audience's, with the reason: {names}", names=", ".join(_LIMITS)),
        Shape.BY_KEY,
        key=one_of(_LIMITS),
    ),
    Entry("person_number", "", say("give each person a random number in the release"), Shape.SWITCH),
    Entry("shift_dates", "COL,…=DAYS", say("move a person's dates by one number of whole weeks, up to DAYS")),
)
