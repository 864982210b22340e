"""`scores.csv`: the same rows as the table, in numbers to add up (mechanism.md section 4).

The sum of a score column over any rows estimates how many of them truly have the value; ordinary least squares with
robust errors estimates differences. What it holds follows from the published table alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.scores import BlockScores
from splu_desktop.core.generalise.chapters import NO_CHAPTER, Chapter, system_of
from splu_desktop.core.mechanism import CLASS, NUMBER, Block
from splu_desktop.core.mechanism.law import t_f
from splu_desktop.core.messages import say
from splu_desktop.core.published import Published

SCORES_NAME = "scores.csv"
_FEW = 12  # values of which each has a column
_MOST = 20  # columns of one sensitive column
_VARIABLE = 32  # characters of a variable's name in Stata and SAS
_SIGNS = {">=": "_ge_", "<=": "_le_", ">": "_gt_", "<": "_lt_"}


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """One column of scores.csv.

    Attributes
    ----------
    name : a word that formulas of statistics programs take as it is.
    column, value : what it counts; value None for the number itself, or for a chapter of codes.
    words : what its sum tells.
    values : (V,) scores.
    which : (P,) the score of each pair of class and combination of values.
    pairs : (N,) the pair that each row shows; columns of one block share the array.
    """

    name: str
    column: str
    value: str | None
    words: str
    values: NDArray[Any]
    which: NDArray[np.int32]
    pairs: NDArray[np.int32]

    @property
    def scores(self) -> NDArray[Any]:
        """(N,) numbers."""
        return self.values[self.which][self.pairs]


def score_columns(
    published: Published, public: Sequence[str], by_block: Mapping[Block, Published] | None = None
) -> tuple[ScoreColumn, ...]:
    """Return the score columns of a release, then class and person numbers.

    public : values that are not secret, which a column of two values does without.
    by_block : of a large table, for each block the release of its pairs of class and combination, with weights.
    """
    known = {each: BlockScores(published if by_block is None else by_block[each], each) for each in published.blocks}
    columns: list[ScoreColumn] = []
    for name in published.sensitive:
        columns += _columns_of(name, known[published.block_of(name)], public)
    if CLASS in published.table:
        # By the pairs of the first block, beside whose scores it then stands.
        first, numbers = known[published.blocks[0]], np.arange(1, len(published.cells) + 1)
        words = say("number of the row's class")
        columns.append(ScoreColumn(CLASS, CLASS, None, words, numbers, first.pair_class, first.pair))
    if NUMBER in published.table:
        persons = published.table[NUMBER]
        numbers, every = np.array([int(label) for label in persons.labels]), np.arange(persons.m, dtype=np.int32)
        words = say("number of the row's person")
        columns.append(ScoreColumn(NUMBER, NUMBER, None, words, numbers, every, persons.codes))
    # Both files are put side by side, also as labels.do and labels.sas name the table's columns.
    variables = {*variable_names(published.table.names)} - {*variable_names((CLASS, NUMBER))}
    taken = {each.casefold() for each in (*published.table.names, *variables)}
    return tuple(replace(each, name=_take_word(each.name, taken)) for each in columns)


def _take_word(name: str, taken: set[str]) -> str:
    """Return a name as a word that is not taken, which it then is."""
    for sign, spelling in _SIGNS.items():  # ">50K" and "<=50K" are not to be one name
        name = name.replace(sign, spelling)
    word = re.sub(r"\W+", "_", name).strip("_") or "score"
    word = f"_{word}" if word[0].isdigit() else word
    while word.casefold() in taken:
        word += "_"
    taken.add(word.casefold())
    return word


def _columns_of(name: str, scores: BlockScores, public: Sequence[str]) -> Iterator[ScoreColumn]:
    """Give the scores of a re-drawn column's numbers, then of each value and each chapter of codes that is counted."""
    shown, pairs = scores.published, scores.pair
    column, amounts, label_of = shown.table[name], shown.numbers(name), scores.labels_of(name)
    if amounts is not None:
        there = np.isfinite(amounts)
        both = scores.phi(np.stack([np.where(there, amounts, 0.0), there], axis=1)[label_of])
        every = np.arange(len(both), dtype=np.int32)
        words = say("adds up the numbers of “{column}”", column=name)
        yield ScoreColumn(f"{name}_score", name, None, words, both[:, 0], every, pairs)
        if column.missing.any():
            words = say("counts rows with a number in “{column}”", column=name)
            yield ScoreColumn(f"{name}_known", name, None, words, both[:, 1], every, pairs)
        if column.m > _FEW:  # of many numbers each one alone is not asked for
            return
    labels, chapters = _counted_values(shown, name, public), _counted_chapters(shown, name)
    sets = np.zeros((column.m, len(labels) + len(chapters)), bool)
    for at, of in enumerate([*([label] for label in labels), *chapters.values()]):
        sets[[column.code_of(label) for label in of], at] = True
    of_sets = scores.set_scores(sets[label_of])
    for at, label in enumerate(labels):
        words = say("counts rows with “{value}” in “{column}”", value=label, column=name)
        yield ScoreColumn(f"{name}_{label or 'missing'}", name, label, words, *of_sets[at], pairs)
    for at, chapter in enumerate(chapters, len(labels)):
        words = say("counts rows with a code of “{chapter}” in “{column}”", chapter=chapter, column=name)
        yield ScoreColumn(f"{name}_{chapter}", name, None, words, *of_sets[at], pairs)


def _counted_values(published: Published, name: str, public: Sequence[str]) -> list[str]:
    """Return the values that get a score column each: all of few, else those that stand out of the noise."""
    column = published.table[name]
    counts, labels = column.counts(), [str(label) for label in column.labels]
    if column.m <= _FEW:
        secret = [label for label, gap in zip(labels, column.missing, strict=True) if label not in public and not gap]
        # Of two values one column tells both.
        return secret if len(labels) == 2 and secret else labels
    enough, order = _enough(published, name), sorted(range(column.m), key=lambda at: -counts[at])
    # Below T_f a sum would be noise that people read as a number.
    return [labels[at] for at in order[:_MOST] if counts[at] >= enough] or [labels[order[0]]]


def _counted_chapters(published: Published, name: str) -> dict[str, list[str]]:
    """Return, of a long list of diagnosis codes, the codes of each chapter that stands out of the noise."""
    column = published.table[name]
    system = system_of(column) if column.m > _FEW else None
    if system is None:
        return {}
    grouping, counts, enough = Chapter(system).group_labels(column), column.counts(), _enough(published, name)
    chapters = {}
    for at, chapter in enumerate(grouping.names):
        codes = np.flatnonzero((grouping.group == at) & ~column.missing)
        if chapter != NO_CHAPTER and len(codes) > 1 and counts[codes].sum() >= enough:
            chapters[chapter] = [str(column.labels[code]) for code in codes]
    return chapters


def _enough(published: Published, name: str) -> int:
    return t_f(published.block_of(name).draw, published.thresholds.epsilon, published.thresholds.t_e)


def variable_names(names: Sequence[str]) -> list[str]:
    """Return names as statistics programs take them: letters, digits, underscores, each once."""
    variables: list[str] = []
    for name in names:
        word = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[: _VARIABLE - 4] or "column"
        word = word if word[0].isalpha() else f"v_{word}"[: _VARIABLE - 4]
        while word.casefold() in map(str.casefold, variables):
            word += "_2" if not word.endswith("_2") else "x"
        variables.append(word)
    return variables
