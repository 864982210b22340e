"""What the recipient reads: README.txt, half a page with an example of this very table, and the data dictionary.

Both are made from the published table and the custodian's choices alone.
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

from splu_desktop.core.condition import Condition
from splu_desktop.core.published import Published
from splu_desktop.core.query import Answer, Method, Reader
from splu_desktop.core.sentences import large_count_promise, small_count_promise
from splu_desktop.core.table import Column
from splu_desktop.core.tolerant_guarantees import sentences_of
from splu_desktop.files.inert import inert

README_NAME, DICTIONARY_NAME = "README.txt", "dictionary.csv"
_WIDTH = 100
_LEAST_SIGNAL = 0.2  # of an example's value
_LISTED = 200  # values of a column that the dictionary lists


def write_readme(published: Published, facts: Mapping[str, Any], path: Path, files: list[str]) -> None:
    """Write the recipient's README. `facts` are those of `release_facts`, `files` the names of the tables."""
    sas = published.sensitive
    counts = "Counts over the unchanged columns alone are exact."
    paragraphs = [
        "HOW TO READ THIS TABLE",
        f"{_opening(published, files)} {_redrawn(published)} {_others(facts)}",
        f"Counts are what this table is for. {counts} How often a sensitive value occurs in the whole table is right "
        "on average, and the surer the larger the count:",
        [f"  - {promise}" for name in sas for promise in _promises(published, name)],
        "A count that combines a sensitive value with other columns has to be RECONSTRUCTED, since re-drawing spreads "
        "the values of a part of the table over the whole of it. A plain filter is wrong there.",
        *_example(published),
        "SPLU Desktop does this for any question (free; also on the command line: splu query FOLDER 'Column=Value'), "
        "with a 95 % interval. Small counts stay unreliable on purpose, whatever the method.",
        f"{DICTIONARY_NAME} describes every column; release.json says the same for programs, with the SHA-256 of each "
        f"file. Release {facts['id']}, made {facts['created'][:10]} by {facts['software']['name']} "
        f"{facts['software']['version']}.",
    ]
    text = "\n\n".join("\n".join(map(_filled, [p] if isinstance(p, str) else p)) for p in paragraphs)
    # Windows' editor shows UTF-8 as such and both kinds of line ends only with these.
    path.write_text(text.replace("\n", "\r\n") + "\r\n", encoding="utf-8-sig", newline="")


def _filled(paragraph: str) -> str:
    # No line begins with a per cent sign: its blank is one that does not break, as which it is written, too.
    kept = re.sub(r"(?<=\d) %", "\u00a0%", paragraph)
    indent = "    " if paragraph.startswith("  - ") else ""
    return textwrap.fill(kept, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _opening(published: Published, files: list[str]) -> str:
    quoted = _listed([f"“{name}”" for name in published.sensitive])
    held = f"{_listed(files)} {'holds' if len(files) == 1 else 'hold'} {published.n:,} records, in random order."
    if len(published.sensitive) == 1:
        return f"{held} The column {quoted} is sensitive and was re-drawn (mechanism SPLU-Gen):"
    return f"{held} The columns {quoted} are sensitive and were re-drawn (mechanism SPLU-Gen), each by itself:"


def _redrawn(published: Published) -> str:
    chances = {name: _chance(published, name) for name in published.sensitive}
    share = (
        next(iter(chances.values()))
        if len(set(chances.values())) == 1
        else _listed([f"{chance} for “{name}”" for name, chance in chances.items()])
    )
    return (
        "every record was put into a group with records of other values at random, and took the value of a random "
        f"member of its group. So the value that stands beside a single record is that record's own only by chance "
        f"({share}). Never read it as a fact about a person."
    )


def _others(facts: Mapping[str, Any]) -> str:
    """Return what became of the columns that were not re-drawn."""
    coarser = [entry["name"] for entry in facts["columns"] if entry.get("generalised")]
    unchanged = [entry for entry in facts["columns"] if entry["role"] == "nsa" and not entry.get("generalised")]
    if not coarser:
        return "All other columns are unchanged." if unchanged else ""
    quoted = _listed([f"“{name}”" for name in coarser])
    told = (
        f"{quoted} {'was' if len(coarser) == 1 else 'were'} made coarser before ({DICTIONARY_NAME} says how); what is "
        "said here is about the coarser values."
    )
    return f"{told} All other columns are unchanged." if unchanged else told


def write_dictionary(published: Published, facts: Mapping[str, Any], path: Path) -> None:
    """Write the data dictionary: one row per column of the table, in its order."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            [
                "column",
                "role",
                "type",
                "group size gamma",
                "generalised",
                "different values",
                "no value is written as",
                "values",
            ]
        )
        for column, entry in zip(published.table.columns, facts["columns"], strict=True):
            sensitive = entry["role"] == "sa"
            writer.writerow(
                inert(cell)
                for cell in (
                    column.name,
                    _role(entry),
                    column.kind.value,
                    _sizes(entry) if sensitive else "",
                    "; ".join(_step(step) for step in entry.get("generalised", ())),
                    str(column.m),
                    " | ".join(f"“{text}”" if text else "empty cell" for text in entry["missing"]),
                    _values(column),
                )
            )


def _role(entry: Mapping[str, Any]) -> str:
    if entry["role"] == "sa":
        return "sensitive: re-drawn, reconstruct counts"
    return "made coarser, else unchanged" if entry.get("generalised") else "unchanged"


def _sizes(entry: Mapping[str, Any]) -> str:
    return str(entry["gamma"]) if "gamma" in entry else _listed([str(size) for size in entry["grouping"]["sizes"]])


def _values(column: Column) -> str:
    known = np.flatnonzero(~column.missing)
    if column.kind.ordered and len(known) > 20:
        return f"{column.labels[known[0]]} to {column.labels[known[-1]]}"
    if len(known) <= _LISTED:
        return " | ".join(column.labels[known])
    return " | ".join(column.labels[known[:5]]) + f" | … and {len(known) - 5} more"


_WAYS = {
    "intervals": "numbers in intervals",
    "date": "{part} of the date",
    "age": "age in years at {at}",
    "groups": "values in groups",
    "hierarchy": "values in groups of a hierarchy",
    "rare": "values of fewer than {k} records in one group",
    "missing": "all marks for “no value” spelled alike",
    "chapter": "chapter of {system}",
}


def _step(step: Mapping[str, Any]) -> str:
    settings = {key: value for key, value in step.items() if key != "how"}
    if step["how"] == "prefix":
        if "length" in settings:
            return f"first {settings['length']} characters"
        if "before" in settings:
            return f"what stands before “{settings['before']}”"
        return f"without the last {settings['drop_last']} characters" if "drop_last" in settings else "first characters"
    try:
        return _WAYS[step["how"]].format(**settings)
    except KeyError:
        told = ", ".join(f"{key} {value}" for key, value in settings.items())
        return f"{step['how']} ({told})" if told else str(step["how"])


def _chance(published: Published, sa: str) -> str:
    """Return how surely the value beside a record is the record's own."""
    if sa in published.gammas:
        return f"1 in {published.gammas[sa]}"
    limits = published.groupings[sa].tolerances.limits.values()
    below = [limit for limit in limits if limit < 1]
    most = f"at most {100 * float(max(below)):.3g} % for sensitive values" if below else "no value is sensitive"
    return most if len(below) == len(limits) else f"{most}; values with tolerance 1 may be the record's own"


def _promises(published: Published, sa: str) -> tuple[str, ...]:
    if sa in published.groupings:
        return tuple(sentences_of(sa, published.groupings[sa], published.thresholds))
    gamma, asked = published.gammas[sa], published.thresholds
    return (
        small_count_promise(gamma, asked.epsilon, asked.alpha, column=sa),
        large_count_promise(gamma, asked.epsilon, asked.t_e, column=sa),
    )


def _example(published: Published) -> list[str]:
    """Return the example: the most frequent sensitive value among the largest part of the table that is not all of it.

    Both are chosen by the published table, so the choice tells nothing that the table does not.
    """
    sa = published.sensitive[0]
    reader = Reader(published)
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
    if value is None or part is None:
        return []
    nsa, label = part[2].name, str(part[2].labels[part[3]])
    with np.errstate(divide="ignore", invalid="ignore"):
        answer = reader.answer(
            [Condition(nsa, values=(label,)), Condition(sa, values=(value,))], method=Method.UNBIASED
        )
    if not np.isfinite(answer.estimate):
        return []
    return [
        f"Example: how many records have {nsa} = {label} and {sa} = {value}? The table shows {answer.published:,} of "
        f"the {answer.n_p:,} records with {nsa} = {label}. {_arithmetic(published, sa, value, answer)}"
    ]


def _arithmetic(published: Published, sa: str, value: str, answer: Answer) -> str:
    if sa in published.groupings:
        return (
            "Reconstructed with the matrix of chances T that group sizes, shares and tolerances in release.json give, "
            f"the estimate is {answer.estimate:,.0f}, and with a probability of 95 % the true count lies between "
            f"{answer.low:,.0f} and {answer.high:,.0f}."
        )
    a = published.retention(sa)
    column = published.table[sa]
    count = int(column.counts()[column.code_of(value)])
    b = (1 - a) * count / (published.n - count)
    if a - b < 0.05 * a:
        return f"“{value}” fills so much of the table that nothing about its link to other columns is left."
    low, high = f"{answer.low:,.0f}", f"{answer.high:,.0f}"
    if abs((answer.published - answer.n_p * b) / (a - b) - answer.estimate) > 1:  # beyond 0 or all records, and cut
        return f"Reconstructed, the true count lies between {low} and {high} (95 %)."
    return (
        f"A record keeps its value with a = {a:.6g}; one of another value becomes {value} with b = (1 - a) x {count:,} "
        f"/ ({published.n:,} - {count:,}) = {b:.6g}, {count:,} being the count of {value} in the whole table. So the "
        f"estimate is ({answer.published:,} - {answer.n_p:,} b) / (a - b) = {answer.estimate:,.0f}, and with a "
        f"probability of 95 % the true count lies between {low} and {high}."
    )


def _top(column: Column, signal: NDArray[np.float64]) -> str | None:
    """Return the most frequent value of which enough is left to reconstruct counts."""
    counts = column.counts()
    counts[column.missing] = 0
    counts[~(signal >= _LEAST_SIGNAL)] = 0
    return str(column.labels[int(counts.argmax())]) if counts.max() > 0 else None


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
