"""What follows from the answers, in sentences: limits, persons, what must be readable."""

from __future__ import annotations

from splu_desktop.core.messages import quoted
from splu_desktop.core.policy import Limits, limits_for
from splu_desktop.core.roles.absence import absence_values
from splu_desktop.gui.base.messages import one_in, persons_of, rows_of
from splu_desktop.gui.base.session import Answers
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.words import bold, number, t, translate


def of_audience(answers: Answers) -> list[str]:
    """Return what follows from who gets it."""
    limits: Limits = limits_for(answers.audience)
    persons = persons_of(answers)
    return [
        t("At least {n} look alike in all that is published as it is.", n=bold(f"{number(limits.alike)} {persons}")),
        t(
            "A row is right about a secret in at most {average} cases, {riskiest} in any group.",
            average=bold(one_in(limits.average)),
            riskiest=bold(one_in(limits.riskiest)),
        ),
        t("No printed number below {n}.", n=bold(number(limits.printed))),
    ]


def of_person(source: Source, answers: Answers) -> list[str]:
    """Return what follows from what a row is and who the person is."""
    rows = bold(rows_of(source.table.n, answers))
    if answers.person is None:
        return [
            t("{rows}. Limits count {what}.", rows=rows, what=persons_of(answers)),
            t("If a person has several rows, they are less safe than the figures say."),
        ]
    persons, most = source.persons.get(answers.person, (0, 0))
    who = bold(f"{number(persons)} {t('patients')}")
    if most > 1:
        rows = t("{rows} of {persons}, up to {most} each", rows=rows, persons=who, most=number(most))
    elif most:
        rows = who
    return [t("{rows}. Limits count {what}.", rows=rows, what=persons_of(answers))]


def of_tables(source: Source, answers: Answers) -> list[str]:
    """Return what follows from the tables."""
    limits = limits_for(answers.audience)
    sentences = [
        t("At least {share} of their cells with 50 and more must be readable.", share=bold(one_in(limits.useful))),
        t("Smaller ones are hidden on purpose."),
    ]
    public = not_secret(source, answers)
    if public:
        sentences.append(t("{values}: not secret.", values=translate(quoted(public))))
    return sentences


def not_secret(source: Source, answers: Answers) -> list[str]:
    """Return values of the asked columns that count as not secret: absence, and what was declared so."""
    values: dict[str, None] = {}
    for asked in answers.questions:
        absent = absence_values(source.table[asked.sa])
        values.update(dict.fromkeys(str(each) for each in absent if each not in ("", asked.value)))
        if asked.sa in answers.not_secret and asked.value is not None:
            values[asked.value] = None
    return list(values)[:3]
