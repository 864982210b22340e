"""The two pages that are signed."""

from __future__ import annotations

from collections.abc import Iterator

from splu_desktop.core.messages import isolated, say
from splu_desktop.core.policy.figures import say_losses
from splu_desktop.files.language import Language
from splu_desktop.files.release.facts import one_row_words
from splu_desktop.report.content.words import (
    bearers_word,
    cell_words,
    changed_words,
    first_line,
    limit_figures,
    limit_words,
    more_words,
    names,
    of_100,
    persons_word,
    share_cell,
    standing_words,
    who_gets_it,
    whole,
)
from splu_desktop.report.document import Block, Heading, Paragraph, TableBlock, fact_list, table
from splu_desktop.report.facts import Facts, Secret
from splu_desktop.report.fields import Fields
from splu_desktop.report.limit_facts import ALIKE

_SECRETS = 5


def front(facts: Facts, fields: Fields, t: Language) -> Iterator[Block]:
    """Give the blocks of the pages that are signed."""
    yield Paragraph(t("Release “{title}”", title=facts.title), "title")
    yield Paragraph(_subtitle(facts, t), "subtitle")
    for each in facts.changed:
        yield Paragraph(changed_words(each, facts, t), "missed")
    yield Paragraph(first_line(facts, t), "missed" if facts.missed_limits else "verdict")
    yield from _limits(facts, t)
    yield from _persons(facts, t)
    yield from _risk(facts, t)
    yield from _purpose(facts, t)
    yield from _say_left(facts, t)
    yield from _decisions(facts, t)
    yield from _conditions(facts, fields, t)
    yield from _signature(facts, fields, t)


def _subtitle(facts: Facts, t: Language) -> str:
    rows = t.number(facts.rows)
    parts = [t("Rows: {rows}", rows=rows)]
    if facts.persons is not None:
        parts = [t("Rows: {rows}; persons: {persons}", rows=rows, persons=t.number(facts.persons))]
    if facts.audience.recipient:
        parts.append(t("to {recipient}", recipient=facts.audience.recipient))
    parts.append(t("released on {day}", day=t.day(facts.created)))
    return ", ".join(parts)


def _limits(facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("1 Limits"))
    signed = t("who has signed not to recognise anybody") if facts.audience.signed else t("who has signed nothing")
    who = who_gets_it(facts.level, t)
    text = t("They follow from who gets it: {who}.", who=who if facts.level == "public" else f"{who}, {signed}")
    if not facts.internal:
        text += " " + t("All figures are worked out from the release, whose secret values are drawn anew.")
    yield Paragraph(text)
    yield table(
        facts.limits,
        (t("what was asked"), "l", 4.5, lambda each: limit_words(each, facts, t)),
        (t("limit"), "r", 1.2, lambda each: limit_figures(each, t)[0]),
        (t("reached"), "r", 1.2, lambda each: limit_figures(each, t)[1]),
        (t("verdict"), "l", 1.5, lambda each: standing_words(each, facts, t)),
    )


def _persons(facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("2 Persons"))
    left_out = names([each.name for each in facts.columns if each.role == "identifier"], t, 4)
    text = t("All figures of these pages count persons.")
    if facts.persons is None:
        text = t("All figures count rows: the table does not say which are one person’s.")
    elif facts.most_rows is not None:
        text += " " + t("Largest number of rows of one: {most}.", most=t.number(facts.most_rows))
    if facts.one_row:
        text += " " + t.sentence(one_row_words(facts.one_row))
    who = say("rows") if facts.persons is None else say("persons")
    for each in say_losses(who, facts.emptied or 0, facts.left_out or 0, facts.rows_left_out or 0, facts.rows):
        text += " " + t.sentence(each)
    if facts.internal and left_out != "–":
        text += " " + t("{columns}: not published, since it names persons.", columns=left_out)
    yield Paragraph(text)


def _risk(facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("3 Risk for the persons, by secret value"))
    text = t(
        "Somebody knows all that is published unchanged about a person and finds a row that fits and shows the "
        "value. How often the value is right: without the release, and with the row."
    )
    if facts.internal:
        text = t(
            "Somebody knows all that is published unchanged about a person and reads all secret columns together. "
            "How often they are right about those who have the value: without the release, and with it."
        )
    yield Paragraph(text)
    columns = [
        (t("secret value"), "l", 3.0, lambda each: f"{isolated(t.value(each.value))} ({isolated(each.column)})"),
        (bearers_word(facts, t), "r", 1.5, lambda each: whole(each.bearers, t)),
        (t("without"), "r", 1.3, lambda each: share_cell(each.without, t)),
        (t("with"), "r", 1.3, lambda each: share_cell(each.with_release, t)),
        (t("gain"), "r", 1.0, lambda each: _gain(each)),
    ]
    if facts.internal:
        columns.append((t("named with 80 of 100"), "r", 1.5, lambda each: whole(each.named, t)))
    yield table(facts.secrets, *columns, most=_SECRETS, more=more_words(t))
    column, value, group = facts.riskiest_value
    if column:
        text = t(
            "Riskiest group: {group}. There {before} of 100 have “{value}” ({column}); a row that shows it is right in "
            "{after}.",
            value=t.value(value),
            column=column,
            group=t.sentence(group),
            before=of_100(facts.riskiest_share),
            after=of_100(facts.riskiest),
        )
        if facts.person is not None and (sure := of_100(facts.person)) != of_100(facts.riskiest):
            text += " " + t("That a person has some secret value in some row is right in {n} of 100 at most.", n=sure)
        yield Paragraph(text)


def _gain(each: Secret) -> str:
    return f"{int(of_100(each.with_release)) - int(of_100(each.without)):+d}".replace("-", "−")  # as printed beside it


def _purpose(facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("4 Purpose, and whether the release serves it"))
    purpose = facts.audience.purpose.rstrip(".")
    text = f"{purpose}." if purpose else t("The purpose is to be entered.")
    if facts.internal:
        out = sum(each.values is not None for each in facts.columns)
        text += " " + t("Columns published for it: {out} of {all}.", out=out, all=len(facts.columns))
    yield Paragraph(text)
    if not facts.tables:
        yield Paragraph(t.sentence(say("No table was asked for.")))
        return
    yield table(
        facts.tables,
        (t("Table"), "l", 2.3, lambda each: t.sentence(each.words)),
        (
            t("readable"),
            "r",
            1.1,
            lambda each: t("{n} of {of}", n=t.number(each.readable), of=t.number(each.of)) if each.of else "–",
        ),
        (t("what the recipient reads"), "l", 5.0, lambda each: t.join(cell_words(one, t) for one in each.ends) or "–"),
    )
    text = t(
        "Readable: the range lies within {within} of the number; numbers of 50 and more count.",
        within=t.percent(facts.tables[0].within, 0),
    )
    if facts.other is not None:
        text += " " + t("Of other usual questions, {n} of 100 can be read.", n=of_100(facts.other, down=True))
    yield Paragraph(text, "note")


def _say_left(facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("5 What is left of the risk"))
    yield from (Paragraph(text, "item") for text in _remaining_risks(facts, t))


def _remaining_risks(facts: Facts, t: Language) -> Iterator[str]:
    who = persons_word(facts, t)
    alike = facts.limit(ALIKE)
    if alike is not None and alike.met:
        text = t("Being in the table is not hidden. Whoever knows a person in it finds its group.")
        if alike.value is not None:
            text += " " + t("Least number of {who} in one: {n}.", n=t.number(alike.value), who=who)
        yield text
    else:
        yield t("Being in the table is not hidden. Some may be found by what is published unchanged.")
    named = max(facts.secrets, key=lambda each: each.named or 0, default=None)
    if named is not None and named.named:
        yield t(
            "Some can be named. Number of {who} of whom “{value}” ({column}) is known with 80 of 100 or more: {n}.",
            value=t.value(named.value),
            column=isolated(named.column),
            n=t.number(named.named),
            who=who,
        )
    # Only single values are hidden: what a block or a person shows together was somebody's, as a whole.
    alone = max((each.alone or 0.0 for each in facts.blocks), default=0.0)
    if alone:
        yield t(
            "Rare combinations stay. {share} of the {who} have secret values together that nobody else has; they are "
            "kept or moved whole.",
            share=t.percent(alone),
            who=who,
        )
    courses = max((each.histories or 0.0 for each in facts.blocks), default=0.0)
    if courses:
        yield t(
            "Courses stay whole. {share} of the persons with several rows have a course that nobody else has.",
            share=t.percent(courses),
        )
    if facts.courses:
        yield t(
            "Days between dates stay. {share} of the persons have distances between dates that nobody else has.",
            share=t.percent(facts.courses),
        )
    if facts.joint is not None:
        recipient, date, _ = facts.earlier[-1]
        yield t(
            "Releases add up. Whoever also holds that of {date} to {recipient} and sees one rare value in both reads "
            "it right in {n} of 100 cases.",
            date=t.day(date),
            recipient=recipient or t.sentence(say("somebody")),
            n=of_100(facts.joint),
        )
    # Law 3 of docs/mechanism.md: what many rows teach lifts whoever knew something before; no figure bounds it.
    yield t("Someone inside knows more. Who already knows most results of a group can be surer than these pages say.")


def _decisions(facts: Facts, t: Language) -> Iterator[Block]:
    yield Heading(t("6 Decisions"))
    who = facts.operator if facts.internal else t("the custodian")
    rows: list[tuple[str, str, str]] = []
    for limit in facts.limits:
        # What was asked for with the report is accepted by hand, behind the first line.
        if not limit.met and limit.name != "threshold":
            what = t.sentence(limit.sentence)
            if not limit.sentence:
                what = t("Not met, and accepted: {what}", what=limit_words(limit, facts, t))
            why = limit.reason if facts.internal and limit.accepted else "–"
            rows.append((what, who if limit.accepted else t("open"), why))
    # One line for all columns: of diabetes130, a line for each filled half a page to sign.
    if public := [f"{isolated(each.name)} ({names(each.public, t, 2)})" for each in facts.columns if each.public]:
        rows.append((t("Not secret: {values}", values=names(public, t, 8)), who, t("the usual, not a finding")))
    rows += [(t("{column} names persons and is published", column=name), who, why) for name, why in facts.kept.items()]
    if facts.apart:
        rows.append((t("Each row of a person is drawn by itself"), who, facts.apart))
    if not rows:
        yield Paragraph(t("None: the program’s proposal was published, and no line stood against it."))
        return
    numbered = [(str(at), *row) for at, row in enumerate(rows, 1)]
    yield TableBlock(("#", t("decision"), t("by"), t("why")), numbered, "rlll", (0.3, 4.2, 1.4, 3.0))


def _conditions(facts: Facts, fields: Fields, t: Language) -> Iterator[Block]:
    yield Heading(t("7 Conditions"))
    to_enter = t("to be entered")
    rows = [
        (t("Recipient, contract"), t.join(filter(None, (facts.audience.recipient, fields.contract))) or to_enter),
        (t("Legal basis, request"), fields.basis or to_enter),
        (t("Information, objections"), to_enter),
        (t("Impact assessment"), to_enter),
        (t("Deletion"), t.day(facts.audience.until) or to_enter),
        (t("Printed tables"), t("no number below {n}", n=facts.printed)),
        (t("If somebody is recognised"), t("tell the custodian the same day and pass nothing on")),
        (t("Next look at this decision"), fields.review or to_enter),
    ]
    if fields.remarks:
        rows.append((t("Remarks"), fields.remarks))
    yield fact_list(rows)


def _signature(facts: Facts, fields: Fields, t: Language) -> Iterator[Block]:
    yield Heading(t("8 Signature"))
    dots = "." * 70
    yield Paragraph(t("☐ approved, with these conditions: {dots}", dots=dots))
    yield Paragraph(t("☐ not approved, because {dots}", dots=dots))
    # Numbered as in `_decisions`, where these lines stand first.
    decided = sum(not each.met and each.name != "threshold" for each in facts.limits)
    publisher = t("Who publishes")
    if decided:
        publisher = t("Who publishes, and accepts no. {numbers}", numbers="1" if decided == 1 else f"1–{decided}")
    rows = [
        (publisher, facts.operator or fields.organisation, "", ""),
        (t("Data protection"), fields.reviewer, "", ""),
    ]
    if fields.organisation and facts.operator:
        rows.insert(1, (t("Who decides"), fields.organisation, "", ""))
    yield TableBlock((t("by"), t("name"), t("date"), t("signature")), rows, "llll", (3.0, 2.6, 1.3, 2.6), tall=True)
    words = f" ({facts.fingerprint}, {facts.digest[:16]})" if facts.fingerprint else ""
    yield Paragraph(
        t(
            "Release {id}{words}; SPLU Desktop {version}, {moment}.",
            id=facts.id[:8],  # as README, which can't hold the digest of what holds its own, says it
            words=words,
            version=facts.software,
            moment=t.moment(facts.created),
        ),
        "note",
    )
