"""`README.md`: one page for who gets the release."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from splu_desktop.core.answer.analyses import Analysis, Estimate, analyse, say_bands
from splu_desktop.core.answer.answer import ends_of
from splu_desktop.core.answer.conditions import Condition
from splu_desktop.core.answer.crosstab import crosstab
from splu_desktop.core.answer.forecast import LEAST
from splu_desktop.core.answer.reader import Reader
from splu_desktop.core.errors import BadQuestion
from splu_desktop.core.mechanism import CLASS, NUMBER
from splu_desktop.core.mechanism.law import t_f
from splu_desktop.core.messages import Phrase, count_to_name, in_words, isolated, listed, quoted, say
from splu_desktop.core.published import Published
from splu_desktop.core.questions import AskedTable
from splu_desktop.core.sanitise import OTHER
from splu_desktop.files.language import Language
from splu_desktop.files.release.dictionary import OWN_COLUMNS
from splu_desktop.files.release.facts import PANDAS_MISSING, Dialect, one_row_words
from splu_desktop.files.release.fingerprint import WORDS
from splu_desktop.files.release.score_columns import ScoreColumn

README_NAME = "README.md"
MOST_LINES = 60
_KIT = "splu_release"
_VALUES = 8  # of a column, named
_WIDTH = 118
_ASKED = 200_000  # rows by which it is seen whether an analysis has an answer
_quote = functools.partial(json.dumps, ensure_ascii=False)  # a text as Python and R take it


def write_readme(
    published: Published,
    reader: Reader | None,
    facts: Mapping[str, Any],
    questions: Sequence[AskedTable],
    scores: Sequence[ScoreColumn],
    earlier: int,
    path: Path,
    language: Language,
) -> None:
    """Write the page: what it is, the columns, how to count, how good numbers are, what to leave, whom to ask.

    It has at most 60 lines; without a reader it names no figures.
    """
    t = language.sentence
    head = _head(published, facts, t)
    tail = ["", "## " + t(say("Three ways to count")), *_examples(published, facts, questions, scores, reader, t)]
    tail += ["", "## " + t(say("How good numbers are")), *_goodness(published, questions, reader, t)]
    if earlier:
        words = "These persons were released before, {n:once|{n} times}: who holds several releases learns more."
        tail.append(t(say(words, n=earlier)))
    keep = "" if facts["policy"]["who"] == "public" else " " + t(say("Don't pass it on."))
    within = published.thresholds
    least = max(t_f(block.draw, within.epsilon, within.t_e) for block in published.blocks)
    please = [
        say("Don't count rows of re-drawn columns, and trust no number below about {n} without its range.", n=least),
        say("Delete it by {date}.", date=language.day(_flat(facts["until"]))) if facts["until"] else "",
        say("Questions and mistakes to: {contact}.", contact=_flat(facts["contact"]) or say("whoever handed this out")),
        say("Cite as: {title}, protected release {id} of {date}.", title=_flat(facts["title"]), id=facts["id"][:8],
            date=language.day(facts["created"])),
        say("Check: splu verify shows {n} words; compare them with the holder by telephone.", n=WORDS),
    ]  # fmt: skip
    recognise = t(say("Don't try to recognise anybody, and don't join this with data on persons."))
    tail += ["", "## " + t(say("Please")), recognise + keep, *map(t, filter(None, please))]
    columns = ["", "## " + t(say("Columns (table.csv; dictionary.csv has all)"))]
    room = MOST_LINES - len(head) - len(tail) - len(columns)
    named = {name for asked in questions for name in (asked.sa, *asked.by)}
    lines = [*head, *columns, *_columns(published, facts, named, room, t), *tail]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _head(published: Published, facts: Mapping[str, Any], t: Any) -> list[str]:
    """Return what the release is, and which columns were drawn anew, joined or moved."""
    head = [f"# {_flat(facts['title'])}", ""]
    rows = say("Rows: {n}. One row: {row}.", n=published.n, row=facts["row"]) if facts["row"] else None
    head.append(t(rows or say("{n} rows.", n=published.n)))
    if published.one_row_each:
        head.append(t(say("Each row is another person.")))
    elif published.person:
        most = max(cell.rows for cell in published.cells)
        head.append(t(say("A person has up to {n} rows here; all were drawn at once, and the ranges know it.", n=most)))
    if way := facts.get("one_row"):
        head.append(t(one_row_words(way)))
    if facts["recipient"] or facts["purpose"]:
        who, purpose = _flat(facts["recipient"]) or "–", _flat(facts["purpose"]) or "–"
        head.append(t(say("For: {who}. Made for: {purpose}.", who=who, purpose=purpose)))
    head += _period(published, t)
    head += ["", "## " + t(say("Count by scores, not by rows"))]
    names = [say("“{name}”", name=name) for name in published.sensitive]
    shown = count_to_name(len(names), 6)
    drawn = listed(names, "{head} and {tail}")
    if rest := len(names) - shown:
        drawn = say("{names} and {n} more", names=listed(names[:shown], "{head}, {tail}"), n=rest)
    gamma = f"{published.gamma:g}"
    head.append(t(say("Drawn anew to protect persons: {columns}. A row keeps its value in 1 of {gamma} cases.",
                      columns=drawn, gamma=gamma)))  # fmt: skip
    head.append(t(say("Else it shows that of another row of its class: rows must not be counted. All else is true.")))
    if facts["dates_moved"]["columns"]:
        what = say("moved by a number of days for each person")
        head.append(t(Phrase("{columns}: {what}.", {"columns": quoted(facts["dates_moved"]["columns"]), "what": what})))
    for name, least in published.rare.items():
        if OTHER in published.table[name].labels:
            head.append(t(say("“{other}” of “{column}” holds the values that fewer than {n} rows show.",
                              other=OTHER, column=name, n=least)))  # fmt: skip
    return head


def _flat(text: str) -> str:
    return isolated(" ".join(str(text).split()))


def _period(published: Published, t: Any) -> list[str]:
    for column in published.table.columns:
        if column.kind.has_order and column.values is not None and column.values.dtype.kind == "M":
            known = column.labels[~column.missing]
            if not published.is_sensitive(column.name) and len(known):
                ends = say("{first} to {last}", first=known[0], last=known[-1])
                return [t(Phrase("“{column}”: {ends}.", {"column": column.name, "ends": ends}))]
    return []


def _columns(published: Published, facts: Mapping[str, Any], named: Set[str], room: int, t: Any) -> list[str]:
    """Return a line for each column as far as there is room, and what stands for no value."""
    entries = [entry for entry in facts["columns"] if entry["name"] not in OWN_COLUMNS]
    # Those that tables were asked of first, as the examples name them, then those drawn anew.
    entries.sort(key=lambda entry: (entry["name"] not in named, not published.is_sensitive(entry["name"])))
    last = [f"- {name}: {t(words)}" for name, words in OWN_COLUMNS.items() if name in published.table]
    empty = say(
        "An empty cell has no value, or its row would have stood out; rows may be left out for that: "
        "small groups come out low."
    )
    last.append(t(empty))
    if words := {str(label) for column in published.table.columns for label in column.labels} & PANDAS_MISSING:
        some = 'Among the values: {words}; pandas needs keep_default_na=False, na_values=[""].'
        last.append(t(say(some, words=quoted(sorted(words)))))
    lines = []
    for entry in entries[: count_to_name(len(entries), room - len(last) - 1)]:
        column = published.table[entry["name"]]
        labels = column.labels[~column.missing].tolist()
        mark = "**" + t(say("drawn anew")) + "** " if published.is_sensitive(entry["name"]) else ""
        begun = f"- {_flat(entry['name'])}: {mark}"
        if column.kind.has_order and len(labels) > 2:
            low, high = (_short(t(in_words(label))) for label in (labels[0], labels[-1]))
            lines.append(begun + t(say("{first} to {last}", first=low, last=high)))
        else:
            shown = labels[:_VALUES]  # as they stand in the file; the dictionary has all in words
            if shown and (words := t(in_words(shown[0]))) != shown[0]:
                shown[0] = f"{shown[0]} = {words}"
            lines.append(begun + _some_values(shown, len(labels), _WIDTH - len(begun), t))
    if more := [entry["name"] for entry in entries[len(lines) :]]:
        lines.append("- " + _some_values(more, len(more), _WIDTH, t))
    return [*lines, *last]


def _short(label: str) -> str:
    return _flat(label if len(label) < 60 else f"{label[:58]}…")


def _some_values(names: Sequence[str], count: int, room: int, t: Any) -> str:
    """Return names, of `count` that there are: as many whole ones as fit and how many more; the first always."""
    for shown in range(len(names), 0, -1):
        some, more = "; ".join(map(_short, names[:shown])), count - shown
        text: str = some if not more else t(say("{names} and {n} more", names=some, n=more))
        if len(text) <= room or shown == 1:
            return text
    return ""


def example_cell(
    published: Published, questions: Sequence[AskedTable], scores: Sequence[ScoreColumn]
) -> tuple[ScoreColumn, list[tuple[str, str]]]:
    """Return a score column and a cell of the first asked table: the most frequent value, the largest group."""
    counted = [each for each in scores if each.value is not None] or list(scores)
    asked = next((each for each in questions if each.sa in published.sensitive), AskedTable(counted[0].column))
    same = [each for each in counted if each.column == asked.sa and each.value == asked.value]
    counted = same or [each for each in counted if each.column == asked.sa] or counted
    counted = [each for each in counted if each.column == counted[0].column]
    drawn = published.table[counted[0].column]
    shown = {
        str(label): n for label, n, gone in zip(drawn.labels, drawn.counts(), drawn.missing, strict=True) if not gone
    }
    few = [name for name in published.nsas if 2 <= published.table[name].m <= 12]
    by = asked.by[:1] or sorted(few, key=lambda name: published.table[name].m)[:1]
    cell = []
    for name in by:
        column = published.table[name]
        counts = column.counts()
        counts[column.missing] = 0
        cell.append((name, str(column.labels[int(counts.argmax())])))
    return max(counted, key=lambda each: shown.get(str(each.value), 0)), cell


def _examples(
    published: Published,
    facts: Mapping[str, Any],
    questions: Sequence[AskedTable],
    scores: Sequence[ScoreColumn],
    reader: Reader | None,
    t: Any,
) -> list[str]:
    """Return lines to be copied: Python, R, a formula of a spreadsheet, each with the kit and by scores.csv."""
    score, cell = example_cell(published, questions, scores)
    python, r = [], []
    known = all(block.draw.name == "lenders" for block in published.blocks)  # to the kit, which refuses others
    if known and score.value is not None:
        conditions = [Condition(name, (value,)) for name, value in [(score.column, score.value), *cell]]
        asked = [f"{name}={value or '(empty)'}" for name, value in [(score.column, score.value), *cell]]
        call, remark = ", ".join(map(_quote, asked)), ""
        if reader is not None:
            answer = reader.answer(conditions)
            low, high = ends_of(answer)
            about = say("about {n}, {low} to {high} in this table", n=round(answer.estimate), low=low, high=high)
            remark = f"  # {t(about)}"
        python += [f"import {_KIT}; r = {_KIT}.load()", f"r.count({call}){remark}"]
        r += [f'source("splu_release.R"); r <- load_release("."); count(r, {call})']
        if cell and _is_told(reader, Analysis("logistic", score.column, score.value, covariates=(cell[0][0],))):
            formula = f"{asked[0]} ~ {cell[0][0]}"
            python.append(f'r.regress({_quote(formula)}, family="logistic").summary()')
            formula = f"({_r_name(score.column)} == {_quote(score.value)}) ~ {_r_name(cell[0][0])}"
            r.append(f'summary(regress(r, {formula}, family = "logistic"))')
    by = cell[0][0] if cell else ""
    python += _pandas_lines(published, facts, score, by)[: None if known else -2]  # errors, which hold for lenders
    r += _lm_lines(published, facts, score, by)[: None if known else -3]
    beside = [*published.table.names, *(each.name for each in scores)]
    numbers, words = (_letters(beside.index(name)) for name in (score.name, by or score.name))
    value = _criterion(cell[0][1]) if by else '"<>"'
    formula = t(say("=SUMIFS({numbers}, {words}, {value})", numbers=numbers, words=words, value="…"))
    formula = formula.replace("…", value)  # in no sentence, which would keep the direction of its letters by marks
    left_out = "Sums count rows without a value as not having it; share and regress of splu_release leave them out."
    gaps = known and score.value and published.table[score.column].missing.any()
    lines = [
        "```python",
        *python,
        "```",
        "```r",
        *r,
        "```",
        t(say("In a spreadsheet, scores.csv to the right of table.csv, both read in as UTF-8:")) + f" `{formula}`",
        t(say("scores.csv has the same rows: the sum of {name} over any rows {what}.",
              name=score.name, what=score.words)),
        *([t(say(left_out))] if gaps else []),
        t(say("Robust errors alone are too wide where whole classes are compared: take the last lines, too.")),
        t(say("A covariate that was drawn anew needs regress of splu_release; a weight that was can't be used.")),
    ]  # fmt: skip
    alone = say("Drawn in decoy groups, which splu_release does not know: ask SPLU Desktop for ranges.")
    return lines if known else [*lines[:-2], t(alone)]


def _letters(at: int) -> str:
    """Return a whole column of a spreadsheet, the first by 0: "B:B"."""
    name = ""
    while at >= 0:
        name, at = chr(65 + at % 26) + name, at // 26 - 1
    return f"{name}:{name}"


def _criterion(text: str) -> str:
    """Return a value as a spreadsheet looks for it, where "<5" would be a comparison and "*" any text."""
    text = re.sub("[*?~]", r"~\g<0>", text).replace('"', '""')
    return f'"={text}"' if text[:1] in "<>=" else f'"{text}"'


def _r_name(name: str) -> str:
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _is_told(reader: Reader | None, analysis: Analysis) -> bool:
    """Whether an example has an answer in this release: in some rows of a long one, which stand in random order."""
    if reader is None:
        return False
    if reader.published.n > _ASKED:
        some = reader.published.table.take(np.arange(_ASKED))
        reader = Reader(replace(reader.published, table=some))
    try:
        return len(analyse(reader, analysis).estimates) > 1
    except BadQuestion:
        return False


def _pandas_lines(published: Published, facts: Mapping[str, Any], score: ScoreColumn, by: str) -> list[str]:
    dialect = Dialect(**facts["dialect"])
    read = "" if dialect == Dialect() else f", sep={_quote(dialect.delimiter)}, decimal={_quote(dialect.decimal)}"
    robust, whole = 'cov_type="HC1"', "len(d) * w.mean() ** 2"
    if NUMBER in published.table:
        robust = 'cov_type="cluster", cov_kwds={"groups": d.person_number}'
    if CLASS in published.table:
        whole = '(w.groupby(d.lender_class).transform("mean") ** 2).sum()'
    group, formula = (f".groupby({_quote(by)})", f"Q({_quote(by)})") if by else ("", "1")
    text = ', dtype=str, keep_default_na=False, na_values=[""]'
    wider, less = _error_factors(published, score.column)
    return [
        "import pandas, statsmodels.formula.api as smf\n".rstrip(),  # code: by its line's end no sentence to translate
        f'd = pandas.read_csv("table.csv"{read}{text}).join(pandas.read_csv("scores.csv"{read}))',
        f"d{group}.{score.name}.sum()",
        f"fit = smf.ols({f'{score.name} ~ {formula}'!r}, d).fit({robust}); fit.params",
        "w = pandas.DataFrame(fit.model.pinv_wexog.T, fit.resid.index, fit.params.index)"
        ".reindex(d.index, fill_value=0)",
        f"{wider and f'{wider} * '}fit.bse * (1 - {less} * {whole} / (w**2).sum()) ** 0.5",
    ]


def _lm_lines(published: Published, facts: Mapping[str, Any], score: ScoreColumn, by: str) -> list[str]:
    dialect = Dialect(**facts["dialect"])
    read = "" if dialect == Dialect() else f", sep = {_quote(dialect.delimiter)}, dec = {_quote(dialect.decimal)}"
    text = ', colClasses = "character", na.strings = "", check.names = FALSE'
    robust = 'vcovCL(fit, d[rownames(w), "person_number"])' if NUMBER in published.table else "vcovHC(fit)"
    means, whole = "", "colSums(w)^2 / nrow(d)"
    if CLASS in published.table:
        means = '; m <- rowsum(w, d[rownames(w), "lender_class"])'
        whole = "colSums(m^2 / tabulate(d$lender_class)[as.integer(rownames(m))])"
    wider, less = _error_factors(published, score.column)
    return [
        f'd <- cbind(read.csv("table.csv"{read}{text}), read.csv("scores.csv"{read}))',
        f"fit <- lm({score.name} ~ {_r_name(by) if by else 1}, d); coef(fit)",
        f"w <- model.matrix(fit) %*% solve(crossprod(model.matrix(fit))){means}",
        f"s <- sqrt(1 - {less} * {whole} / colSums(w^2))",
        f"lmtest::coeftest(fit, {wider and f'{wider}^2 * '}sandwich::{robust} * outer(s, s))",
    ]


def _error_factors(published: Published, column: str) -> tuple[str, float]:
    """Return by how many times errors are wider where rows of a person are not known, and (1 - a^2)^2.

    Robust errors take scores for independent, but shares of a whole class are told as well as they stand in the table.
    With w what a row adds and w_c its mean over the class, the variance about persons like these is
    1 - (1 - a^2)^2 sum w_c^2 / sum w^2 of theirs; a fifth is added, for what terms leave unexplained between classes.
    """
    kept, wider = published.block_of(column).draw.gamma ** -2, 1.0
    if published.person and NUMBER not in published.table:
        alike = published.correlation_of(published.block_of(column), [column], published.table[column].counts()).min()
        wider = max(1 + (cell.rows - 1) * alike for cell in published.cells) ** 0.5
    less = math.floor(1000 * max(1 - 1.2 * kept * (2 - kept), 0)) / 1000
    return (f"{wider:.2f}" if wider > 1 else ""), less


def _goodness(published: Published, questions: Sequence[AskedTable], reader: Reader | None, t: Any) -> list[str]:
    """Return, for each asked table, how many of its answers about 50 rows and more are within its error."""
    lines: list[str] = []
    for asked in questions[:3]:
        if reader is None or asked.sa not in published.sensitive or not {*asked.by} <= {*published.table.names}:
            continue
        good, every = _count_good(reader, asked)
        words = say("{table}: {good} of {all} answers about 50 rows and more within {percent} %.", table=asked.words(),
                   good=good, all=every, percent=round(100 * _within(asked)))  # fmt: skip
        lines.append(t(words if every else say("{table}: no cell is as large as 50.", table=asked.words())))
        if asked.kind == "mean" and published.table[asked.sa].values is None:
            lines.append(t(say_bands(asked.sa)))
    ranges = say("Figures have two ranges, right in 95 of 100 releases: for persons like these, and for this table.")
    return [*lines, t(ranges)]


def _within(asked: AskedTable) -> float:
    return 0.5 if asked.kind == "compare" else asked.within  # as in the report


def _count_good(reader: Reader, asked: AskedTable) -> tuple[int, int]:
    """Return how many large cells of a table, or means of large groups, are within its error, and how many it has."""
    if asked.kind == "mean":
        means = [good for _, _, good in list_means(reader, asked)]
        return sum(means), len(means)
    table, column = crosstab(reader, asked.by, asked.sa), reader.published.table[asked.sa]
    large = (table.estimate >= LEAST) & ~column.missing & [asked.value in (None, label) for label in table.labels]
    good = large & ((table.high - table.low) / 2 <= _within(asked) * table.estimate)  # none is exact
    return int(good.sum()), int(large.sum())


def list_means(reader: Reader, asked: AskedTable) -> Iterator[tuple[tuple[str, ...], Estimate, bool]]:
    """Give each large group of an asked table of means: its labels, its mean, and whether that is good enough."""
    table = crosstab(reader, asked.by, asked.sa)
    for head in itertools.compress(table.lines, table.line_rows >= LEAST):
        where = tuple(Condition(name, (label,)) for name, label in zip(asked.by, head, strict=True))
        with contextlib.suppress(BadQuestion):  # a group without a number
            mean = analyse(reader, Analysis("mean", asked.sa, where=where)).first
            yield head, mean, (mean.high - mean.low) / 2 <= asked.within * abs(mean.estimate)
