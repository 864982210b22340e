"""What the recipient reads: README.txt, half a page with an example of this very table, and the data dictionary.

Both are made from the published table and the custodian's choices alone, in the language the custodian chose for them.
"""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.analyse.analyses import told_periods
from splu_desktop.core.analyse.analysis import Analysis, AnalysisKind, columns_of_numbers
from splu_desktop.core.analyse.figures import BELOW
from splu_desktop.core.generalise.groups_of_values import Rare
from splu_desktop.core.generalise.interval_texts import in_words
from splu_desktop.core.generalise.measured import is_measurement
from splu_desktop.core.generalise.step import number_text
from splu_desktop.core.guarantees.attackers import said_once
from splu_desktop.core.messages import isolated, listed, say
from splu_desktop.core.persons import told_of_persons
from splu_desktop.core.published import Published
from splu_desktop.core.query.condition import Condition
from splu_desktop.core.query.reader import Answer, Method, Reader
from splu_desktop.core.roles.names import measures
from splu_desktop.core.roles.vocabulary import said_by
from splu_desktop.core.table import Column, Kind
from splu_desktop.files.disk.inert import inert
from splu_desktop.files.language import Language

README_NAME, DICTIONARY_NAME = "README.txt", "dictionary.csv"
_WIDTH = 100
_LEAST_SIGNAL = 0.2  # of an example's value
_PROMISED = 12  # columns whose promises are all said
_LISTED = 200  # values of a column that the dictionary lists
_MOST_CELLS = 60  # of a cross-table to begin with
_SHELL = set('"$`!\\%^\n\r')  # what a shell changes within quotes
_ENGLISH = Language()
_AMOUNTS = {"an age or a year of birth", "a length of stay or of time"}
_NUMBERED = {"a place", "how care is organised"}  # matters whose numbers stand for something else
_Asked = tuple[str, str, str, str]  # of the examples: sensitive column and value, unchanged column and value


def write_readme(
    reader: Reader,
    facts: Mapping[str, Any],
    path: Path,
    files: list[str],
    spoken: Language = _ENGLISH,
    *,
    kit: bool = True,
) -> None:
    """Write the recipient's README. `facts` are those of `files.release.facts`, `files` the names of the tables.

    Without the `kit` beside it, which reads a CSV whole, there is no example either: of its columns the counts are
    enough then.
    """
    published = reader.published
    shown = published.sensitive[:_PROMISED]
    promises = said_once({name: _promised(published, name) for name in shown}, by_column=True)
    if more := len(published.sensitive) - len(shown):
        promises.append(
            say(
                "What is promised of the counts of the other {n} sensitive columns stands under “guarantees” in "
                "release.json.",
                n=more,
            )
        )
    made_by = say(
        "Release {id}, made {day} by {software} {version}.",
        id=facts["id"],
        day=facts["created"][:10],
        software=facts["software"]["name"],
        version=facts["software"]["version"],
    )
    address = facts["software"].get("address")
    found = [say("The program is to be had at {address}.", address=address)] if address else []
    described = say(
        "{dictionary} describes every column; release.json says the same for programs, with the SHA-256 of each file.",
        dictionary=DICTIONARY_NAME,
    )
    asked = _example_of(reader) if kit else None
    questions = _questions(reader, *asked) if asked else []
    paragraphs: list[list[str]] = [
        [warning(published, kit)],
        [say("HOW TO READ THIS TABLE")],
        [*_redrawn(published, files), *_others(facts)],
        *([sentence] for sentence in published.readers()),
        _worth(published, facts),
        promises,
        [*told_of_persons(published.repeats, published.table, published.draws)],
        *_reconstruction(reader, kit, asked, questions),
        questions,
        [described, made_by, *found],
    ]
    blocks = []
    for sentences in filter(None, paragraphs):
        if sentences is questions:
            blocks.append("\n".join(f"    {question}" for question in questions))
            continue
        said = [spoken.sentence(sentence) for sentence in sentences]
        listing = sentences is promises
        blocks.append("\n".join(_filled(f"  - {text}") for text in said) if listing else _filled(" ".join(said)))
    # Windows' editor shows UTF-8 as such and both kinds of line ends only with these.
    text = "\n\n".join(blocks).replace("\n", "\r\n") + "\r\n"
    path.write_text(text, encoding="utf-8-sig", newline="")


def warning(published: Published, kit: bool = True) -> str:
    """Return what must not be done with the release, which stands first wherever it is read."""
    return say(
        "DO NOT COUNT ROWS of {columns} within a part of this table: such counts, shares, ratios and means are wrong, "
        "because the values were re-drawn; ask splu_release.py, splu_release.R or SPLU Desktop instead."
        if kit
        else "DO NOT COUNT ROWS of {columns} within a part of this table: such counts, shares, ratios and means are "
        "wrong, because the values were re-drawn; ask SPLU Desktop instead.",
        columns=_quoted(list(published.sensitive)),
    )


def _filled(paragraph: str) -> str:
    # No line begins with a per cent sign: its blank is one that does not break, as which it is written, too.
    kept = re.sub(r"(?<=\d) %", "\u00a0%", paragraph)
    indent = "    " if paragraph.startswith("  - ") else ""
    return textwrap.fill(kept, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _quoted(names: list[str]) -> str:
    return listed(say("“{name}”", name=name) for name in names)


def _redrawn(published: Published, files: list[str]) -> list[str]:
    """Return what the table holds, what was re-drawn, and what that means for a single record."""
    records, held = published.n, listed(files)
    drawn: dict[str, list[tuple[str, ...]]] = {}
    for names, draw in published.blocks.items():
        drawn.setdefault(draw.how(), []).append(names)
    return [
        say("{files} holds {records} records, in random order.", files=held, records=records)
        if len(files) == 1
        else say("{files} hold {records} records, in random order.", files=held, records=records),
        *(_drawn(how, [name for names in blocks for name in names], len(blocks)) for how, blocks in drawn.items()),
        say("Never read the value beside a single record as a fact about a person."),
        *(
            cost
            for names, draw in published.blocks.items()
            for cost in draw.costs(published.table.select(names), published=True)
        ),
    ]


def _drawn(how: str, names: list[str], blocks: int) -> str:
    columns = _quoted(names)
    if len(names) == 1:
        return say("The column {columns} is sensitive and was re-drawn: {how}", columns=columns, how=how)
    if blocks < len(names):
        return say("The columns {columns} are sensitive and were re-drawn: {how}", columns=columns, how=how)
    return say("The columns {columns} are sensitive and were re-drawn, each by itself: {how}", columns=columns, how=how)


def _others(facts: Mapping[str, Any]) -> list[str]:
    """Return what became of the columns that were not re-drawn."""
    coarser = [entry["name"] for entry in facts["columns"] if entry.get("generalised")]
    unchanged = [entry for entry in facts["columns"] if entry["role"] == "nsa" and not entry.get("generalised")]
    told: list[str] = []
    if coarser:
        said = say(
            "{columns} was made coarser before ({dictionary} says how); what is said here is about the coarser values."
            if len(coarser) == 1
            else "{columns} were made coarser before ({dictionary} says how); what is said here is about the coarser "
            "values.",
            columns=_quoted(coarser),
            dictionary=DICTIONARY_NAME,
        )
        told.append(said)
    if not unchanged:
        return told
    if _shifted(facts):
        return [*told, say("All other columns are unchanged, but for dates that were moved (see below).")]
    return [*told, say("All other columns are unchanged.")]


def _shifted(facts: Mapping[str, Any]) -> list[str]:
    """Return the columns whose dates were moved per person."""
    return list(facts.get("persons", {}).get("dates_shifted", {}).get("columns", ()))


def _worth(published: Published, facts: Mapping[str, Any]) -> list[str]:
    """Return what counts are worth; of columns that are not sensitive only where there are any."""
    kept = [entry for entry in facts["columns"] if entry["role"] == "nsa"]
    coarser = any(entry.get("generalised") for entry in kept)
    exact = (
        say("Counts over the columns that are not sensitive are exact.")
        if coarser
        else say("Counts over the unchanged columns alone are exact.")
    )
    return [
        say("Counts are what this table is for."),
        *([exact] if kept else []),
        *(
            [
                say(
                    "How often a sensitive value occurs in the whole table is right on average, and the surer the "
                    "larger the count:"
                )
            ]
            if all(draw.true_shares for draw in published.draws.values())
            else [
                *said_once({name: [d.caution(name)] for name, d in published.draws.items() if not d.true_shares}),
                say("How surely counts are known, as published or reconstructed, and how surely a record:"),
            ]
        ),
    ]


def _reconstruction(reader: Reader, with_kit: bool, asked: _Asked | None, questions: list[str]) -> list[list[str]]:
    """Return how counts over several columns are estimated; a table of one column has none."""
    offer = say(
        "SPLU Desktop does this for any question (free; also on the command line: splu query FOLDER "
        '"Column=Value"), with a 95 % interval. Small counts stay unreliable on purpose, whatever the method.'
    )
    if len(reader.published.table.columns) == 1:
        return []
    why = say(
        "A count that combines a sensitive value with other columns has to be RECONSTRUCTED, since re-drawing spreads "
        "the values of a part of the table over the whole of it. A plain filter is wrong there."
    )
    kit = say(
        "So do the files beside this one, without any program: splu_release.py (Python from 3.9, no packages) and "
        "splu_release.R (base R; Rscript splu_release.R instead of python splu_release.py), also for shares, "
        "differences, ratios, odds ratios, means, quantiles, trends, cross-tables and regressions, all with 95 % "
        "intervals. What can't be answered is refused in a sentence. “transitions” in release.json has the chances T "
        "of the draw."
    )
    example = _example(reader, *asked) if asked else []
    shown = [say("Questions to begin with, asked in this folder:")] if questions else []
    return [[why], *([example] if example else []), [offer, kit, BELOW, *shown] if with_kit else [offer]]


def write_dictionary(
    published: Published, facts: Mapping[str, Any], path: Path, spoken: Language = _ENGLISH, *, kit: bool = True
) -> None:
    """Write the data dictionary: what must not be done, the heading, and one row per column of the table."""
    heading = (
        say("column"),
        say("role"),
        say("type"),
        say("group size gamma"),
        say("generalised"),
        say("different values"),
        say("no value is written as"),
        say("values"),
    )
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([spoken.sentence(warning(published, kit)), *[""] * (len(heading) - 1)])
        writer.writerow([spoken.sentence(name) for name in heading])
        for column, entry in zip(published.table.columns, facts["columns"], strict=True):
            marks = [say("“{text}”", text=text) if text else say("empty cell") for text in entry["missing"]]
            cells = (
                column.name,
                spoken.sentence(_role(entry, published, facts)),
                spoken.sentence(say(column.kind.value)),
                spoken.sentence(_sizes(published, column.name)) if entry["role"] == "sa" else "",
                spoken.joined(_step(step, spoken) for step in entry.get("generalised", ())),
                str(int(np.count_nonzero(~column.missing))),
                " | ".join(map(spoken.sentence, marks)),
                _values(column, entry, spoken),
            )
            writer.writerow(map(inert, cells))


def _role(entry: Mapping[str, Any], published: Published, facts: Mapping[str, Any]) -> str:
    if entry["name"] in _shifted(facts):
        return say("dates moved by one random number of days per person")
    if entry["role"] == "sa" and not published.draws[entry["name"]].true_shares:
        return say("sensitive: re-drawn, published shares are not true, reconstruct every count")
    if entry["role"] == "sa":
        return say("sensitive: re-drawn, reconstruct counts")
    return say("made coarser, else unchanged") if entry.get("generalised") else say("unchanged")


def _sizes(published: Published, sa: str) -> str:
    draw = published.draws[sa]
    sizes = draw.shape()["sizes"]
    return listed([str(size) for size in sizes]) if sizes else draw.words()


def _values(column: Column, entry: Mapping[str, Any], spoken: Language) -> str:
    known = np.flatnonzero(~column.missing)
    if column.kind.ordered and len(known) > 20:
        ends = {"first": str(column.texts[known[0]]), "last": str(column.texts[known[-1]])}
        return spoken.sentence(say("{first} to {last}", **ends))
    steps = entry.get("generalised", ())
    other = next((step.get("label", Rare.label) for step in steps if step["how"] == "rare"), "")

    def named(text: str) -> str:
        # What we named is the same in every language, as programs and recipes know it by its name; here it is told.
        words = say("all rarer values") if text == other else in_words(text) if steps else None
        told = text if words is None else spoken.sentence(words)
        return isolated(text) if told == text else f"{isolated(text)} = {told}"

    if len(known) <= _LISTED:
        return " | ".join(map(named, column.texts[known]))
    first = " | ".join(map(named, column.texts[known[:5]]))
    return spoken.sentence(say("{values} | … and {n} more", values=first, n=len(known) - 5))


_WAYS = {
    "intervals": "numbers in intervals",
    "age": "age in years at {at}",
    "groups": "values in groups",
    "hierarchy": "values in groups of a hierarchy",
    "rare": "values of fewer than {k} records in one group",
    "missing": "all marks for “no value” spelled alike",
    "chapter": "chapter of {system}",
}
_PARTS = {
    "year": "year of the date",
    "quarter": "quarter of the date",
    "month": "month of the date",
    "weekday": "weekday of the date",
}


def _step(step: Mapping[str, Any], spoken: Language) -> str:
    settings = {key: value for key, value in step.items() if key != "how"}
    if step["how"] == "prefix":
        return spoken.sentence(_prefix(settings))
    if step["how"] == "date" and (part := _PARTS.get(settings.get("part", ""))):
        return spoken.sentence(say(part))
    if step["how"] == "intervals" and (words := cut_words(step)):
        return spoken.sentence(words)
    try:
        return spoken.sentence(say(_WAYS[step["how"]], **settings))
    except KeyError:  # a way of a later version
        told = ", ".join(f"{key} {value}" for key, value in settings.items())
        return f"{step['how']} ({told})" if told else str(step["how"])


def cut_words(step: Mapping[str, Any]) -> str:
    """Return in words where the numbers of a re-drawn column were cut, as a step of release.json says; "" if not."""
    cuts, measure = [number_text(cut) for cut in step.get("cuts", ())], str(step.get("clinical", ""))
    if not cuts:
        return ""
    if measure:
        return say("numbers in clinical intervals ({measure}), cut at {cuts}", measure=measure, cuts=", ".join(cuts))
    return say("numbers in intervals, cut at {cuts}", cuts=", ".join(cuts))


def _prefix(settings: Mapping[str, Any]) -> str:
    if "length" in settings:
        return say("first {n} characters", n=settings["length"])
    if "before" in settings:
        return say("what stands before “{mark}”", mark=settings["before"])
    if "drop_last" in settings:
        return say("without the last {n} characters", n=settings["drop_last"])
    return say("first characters")


def _promised(published: Published, sa: str) -> list[str]:
    draw, asked = published.draws[sa], published.thresholds
    labels = published.table[sa].labels.tolist()
    known = draw.known_anyhow(published.n, labels, sa, asked)
    caution = draw.caution(sa)  # said before
    said = [each for each in draw.sentences(sa, asked, draw.told(published.n, labels, asked)) if each != caution]
    return said if known is None else [known, *said]


def _example_of(reader: Reader) -> _Asked | None:
    """Return what the examples ask: column and value, sensitive, and those of the part of the table that is meant.

    The most frequent sensitive value among the largest part of the table that is not all of it: both are chosen by the
    published table, so the choice tells nothing that the table does not.
    """
    published = reader.published
    sa = published.sensitive[0]
    with np.errstate(divide="ignore", invalid="ignore"):  # values at the eligibility limit have no signal to divide by
        value = _top(published.table[sa], reader.signal(sa))
    part = max(
        (
            (int(counts[at]), -place, column, at)
            for place, column in enumerate(published.table.columns)
            if not published.is_sensitive(column.name) and column.m > 1
            for counts in (column.counts(),)
            for at in (int(counts.argmax()),)
            if counts[at] < 0.9 * published.n
        ),
        key=lambda entry: entry[:2],
        default=None,
    )
    return None if value is None or part is None else (sa, value, part[2].name, str(part[2].labels[part[3]]))


def _questions(reader: Reader, sa: str, value: str, nsa: str, label: str) -> list[str]:
    """Return questions as they are typed in the release's folder, in any shell; without those that none can write."""
    published = reader.published
    met, group = f"{sa}={value}", f"{nsa}={label}"
    # Where odds can't be told, neither can the coefficient of the same two.
    both = (Condition(nsa, values=(label,)),), (Condition(sa, values=(value,)),)
    telling = Analysis(AnalysisKind.ODDS_RATIO, *both).answered(reader)
    found = [["count", group, met], *([["odds-ratio", group, met]] if telling else [])]
    column = published.table[nsa]
    often = np.where(column.labels == label, -1, column.counts())
    other = f"{nsa}={column.labels[often.argmax()]}"
    if ";" not in group + other + met:  # which joins what is to be met at once, as it is typed in every language
        found.append(["difference", *(f"{each}; " + met for each in (group, other))])
    if column.m * published.table[sa].m <= _MOST_CELLS:
        found.append(["crosstab", nsa, sa])
    numbers = [name for name in columns_of_numbers(reader) if _tells_how_much(published.table[name])]
    unchanged = [name for name in numbers if not published.is_sensitive(name)]
    if unchanged:
        found.append(["mean", unchanged[0], met])
    elif numbers:
        found.append(["mean", numbers[0], group])
    for name in published.nsas:
        if told := told_periods(published.table[name]):
            found.append(["trend", met, "--by", f"{name}:{'month' if 'month' in told else told[-1]}"])
            break
    if telling:
        on = [group, *(name for name in unchanged[:1] if name != nsa)]
        found.append(["logit", met, *(word for each in on for word in ("--on", each))])
    plain = [words for words in found if not any(_SHELL & set(word) for word in words)]
    quoted = [[word if re.fullmatch(r"[\w-]+", word) else f'"{word}"' for word in words] for words in plain]
    return [" ".join(["python", "splu_release.py", *words]) for words in quoted]


def _tells_how_much(column: Column) -> bool:
    """Whether a mean of numbers says something, as far as the name tells: none of the numbers of wards does."""
    matters = {matter.what for matter in said_by(column.name)[0]}
    amount = measures(column.name) or bool(matters & _AMOUNTS)
    return column.kind is not Kind.INTEGER or amount or (is_measurement(column) and not matters & _NUMBERED)


def _example(reader: Reader, sa: str, value: str, nsa: str, label: str) -> list[str]:
    """Return the example in words, with its arithmetic."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # As `splu query` answers the same question.
        answer = reader.answer([Condition(nsa, values=(label,)), Condition(sa, values=(value,))], bootstrap=None)
    if not np.isfinite(answer.estimate):
        return []
    question = say(
        "Example: how many records have {nsa} = {label} and {sa} = {value}? The table shows {shown} of the {n_p} "
        "records with {nsa} = {label}.",
        nsa=nsa,
        label=label,
        sa=sa,
        value=value,
        shown=int(answer.published),
        n_p=int(answer.n_p),
    )
    return [question, *_arithmetic(reader, sa, value, answer)]


def _arithmetic(reader: Reader, sa: str, value: str, answer: Answer) -> list[str]:
    published = reader.published
    low, high = answer.ends
    if answer.possible:
        return [say("The release does not tell the true count: {low} to {high} are possible.", low=low, high=high)]
    if answer.vague:
        return [say("Reconstructed, the true count lies between {low} and {high} (95 %).", low=low, high=high)]
    plain = reader.answer(answer.conditions, Method.UNBIASED).estimate
    between = {"plain": round(plain), "estimate": answer.rounded, "low": low, "high": high}
    through = reader.engine.two_numbers(sa)
    if through is None or reader.engine.tight(sa):
        return [
            say(
                "Reconstructed with the matrix of chances T that release.json states, the unbiased estimate is "
                "{plain}, as splu_release.py and “splu query --method unbiased” say. SPLU Desktop also leans towards "
                "what the single conditions say, as far as the noise asks for it: about {estimate}, and with a "
                "probability of 95 % the true count lies between {low} and {high}.",
                **between,
            )
        ]
    at = published.table[sa].code_of(value)
    a, b, count = through.a, float(through.b[at]), int(through.counts[at])
    if a - b < 0.05 * a:
        return [
            say(
                "“{value}” fills so much of the table that nothing about its link to other columns is left.",
                value=value,
            )
        ]
    return [
        say(
            "A record keeps its value with a = {a:.6g}; one of another value becomes {value} with b = (1 - a) x "
            "{count} / ({n} - {count}) = {b:.6g}, {count} being the count of {value} in the whole table.",
            a=a,
            b=b,
            value=value,
            count=count,
            n=published.n,
        ),
        say(
            "The unbiased estimate is ({shown} - {n_p} b) / (a - b) = {plain}, as splu_release.py and “splu query "
            "--method unbiased” say. SPLU Desktop also leans towards what the single conditions say, as far as the "
            "noise asks for it: about {estimate}, and with a probability of 95 % the true count lies between {low} and "
            "{high}.",
            shown=int(answer.published),
            n_p=int(answer.n_p),
            **between,
        ),
    ]


def _top(column: Column, signal: NDArray[np.float64]) -> str | None:
    """Return the most frequent value of which enough is left to reconstruct counts."""
    counts = column.counts()
    counts[column.missing] = 0
    counts[~(signal >= _LEAST_SIGNAL)] = 0
    return str(column.labels[int(counts.argmax())]) if counts.max() > 0 else None
