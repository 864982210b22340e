"""Who reads a release: answers to counts of any combination of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.answer import Answer
from splu_desktop.core.answer.conditions import Condition, UnknownValue, unknown_column
from splu_desktop.core.answer.counts import (
    CountFigures,
    add_classes,
    correlate_together,
    count_groups_by_class,
    count_one_block,
    count_rows_beside,
    count_several_blocks,
    learn_spread,
    sum_by_line,
)
from splu_desktop.core.answer.scores import class_shares
from splu_desktop.core.distinct import count_pairs, cross_codes, pair_keys
from splu_desktop.core.errors import BadQuestion, BadSetting
from splu_desktop.core.mechanism import Block
from splu_desktop.core.messages import none_of
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published, block_codes
from splu_desktop.core.table import remember

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
# A sensitive column, the (N,) value or group of values of each row, and how many there are.
Part = tuple[str, NDArray[np.integer], int]

ESTIMATORS = ("shrunk", "unbiased", "as-published")
_MOST_LABELS = 50  # of an unchanged column from which spreads are learned
_LEARNT = 2_000_000  # figures of one column that are learnt from at most
_MOST_COLUMNS = 40


@dataclass(frozen=True)
class Question:
    """Conditions as labels: of unchanged columns, and of sensitive ones."""

    nsas: tuple[tuple[str, bytes], ...]
    sas: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """Figures of every value of a sensitive column (or of pairs) in many lines.

    Attributes
    ----------
    line_rows : (L,) rows of each line.
    published_counts : (L, Q) rows that show each event.
    figures : (L, Q) unbiased estimates with their variances.
    target : (L, Q) counts that lines and events let expect by themselves.
    """

    line_rows: NDArray[np.int64]
    published_counts: NDArray[np.int64]
    figures: CountFigures
    target: Floats


class Reader:
    """Answers from one release. Safe to share between threads once made."""

    def __init__(self, published: Published) -> None:
        self.published = published

    # --- one question

    def answer(self, conditions: Sequence[Condition], estimator: str = "shrunk") -> Answer:
        """Return the answer to one count. Raises BadQuestion, BadSetting."""
        return self.answers([conditions], estimator)[0]

    def answers(
        self, questions: Sequence[Sequence[Condition]], estimator: str = "shrunk", progress: Progress = SILENT
    ) -> list[Answer]:
        """Return answers to counts, in their order. Raises BadQuestion, BadSetting; Cancelled."""
        if estimator not in ESTIMATORS:
            raise BadSetting(none_of(estimator, ESTIMATORS))
        found: list[Answer] = []
        # Files of thousands of questions ask many twice, in other words.
        known: dict[Question, Answer] = {}
        for done, conditions in enumerate(questions):
            progress.report("Counting", done / len(questions))
            question = self.resolve(conditions)
            if question not in known:
                known[question] = self._answer(question, estimator)
            found.append(replace(known[question], conditions=tuple(conditions)))
        return found

    def resolve(self, conditions: Sequence[Condition]) -> Question:
        """Return conditions as sets of labels, those on one column intersected. Raises BadQuestion.

        A sensitive value that no published row shows is no fault: rare values may vanish in the draw.
        """
        table = self.published.table
        chosen: dict[str, Flags] = {}
        for condition in conditions:
            if condition.column not in table:
                raise BadQuestion(unknown_column(condition.column, self.published))
            column, sensitive = table[condition.column], self.published.is_sensitive(condition.column)
            try:
                labels = condition.select(column, sensitive=sensitive)
            except UnknownValue:
                if not sensitive:
                    raise
                labels = condition.select_known(column)
            before = chosen.get(condition.column)
            if before is not None and labels.any() and not (labels & before).any():
                raise BadQuestion(
                    "The conditions on “{column}” contradict each other: no value meets them all; write a|b for "
                    "either of two.",
                    column=condition.column,
                )
            chosen[condition.column] = labels if before is None else labels & before
        # A condition that all values meet is none: a sensitive column named in it would cost noise for nothing. Bytes,
        # so that questions are keys.
        every = {name: flags.tobytes() for name, flags in sorted(chosen.items()) if not flags.all()}
        return Question(
            tuple((n, f) for n, f in every.items() if not self.published.is_sensitive(n)),
            tuple((n, f) for n, f in every.items() if self.published.is_sensitive(n)),
        )

    def select_rows(self, question: Question) -> Flags:
        """Return (N,) rows that meet the conditions on unchanged columns."""
        found = np.ones(self.published.n, bool)
        for name, flags in question.nsas:
            found &= np.frombuffer(flags, bool)[self.published.table[name].codes]
        return found

    def _answer(self, question: Question, estimator: str) -> Answer:
        inside = self.select_rows(question)
        n_p = int(inside.sum())
        small = self.published.thresholds.alpha
        # Unchanged columns stand in the table as they are, so a count of them alone is exact.
        if not question.sas or n_p == 0:
            return Answer((), n_p, n_p, n_p, n_p, n_p, n_p, n_p, 0.0, small, n_p)
        events: dict[Block, Flags] = {}
        for name, flags in question.sas:
            block, shown = self.published.block_of(name), np.frombuffer(flags, bool)[self.published.table[name].codes]
            # Columns of a block are one draw: whether a row shows all of them at once is one event, with one score.
            events[block] = events[block] & shown if block in events else shown
        parts = [(block.columns[0], shown.astype(np.int64), 2) for block, shown in events.items()]
        grid = self.grid(inside.astype(np.int64), 2, parts)
        figures = grid.figures.take_last()
        top = np.array([[float(n_p)]])
        alike = self.among_alike(figures, top, list(events))
        (low, high), (low_alike, high_alike) = figures.interval(top), alike.interval(top)
        x = float(figures.estimate[0, 0])
        if estimator == "unbiased":
            value = x
        elif estimator == "as-published":
            value = float(self._as_published(inside, list(events.items())))
        else:
            target = np.array([[self._target(question, n_p)]])
            spread = np.mean([self.spread(name) for name, _ in question.sas])
            value = float(figures.draw_towards(target, float(spread))[0, 0])
        # The interval is that of the unbiased figure; leaning must not lead out of it.
        value = min(max(value, float(low[0, 0])), float(high[0, 0]))
        return Answer(
            conditions=(),
            published_count=int(grid.published_counts[-1, -1]),
            estimate=value,
            low=float(low[0, 0]),
            high=float(high[0, 0]),
            low_alike=float(low_alike[0, 0]),
            high_alike=float(high_alike[0, 0]),
            n_p=n_p,
            variance=float(figures.variance()[0, 0]),
            small=small,
            unbiased=x,
        )

    def among_alike(self, figures: CountFigures, top: Floats, blocks: Sequence[Block]) -> CountFigures:
        """Return figures of events of some blocks about persons like these; top (...) records of their lines."""
        published = self.published
        rows = self._class_rows
        more = float(np.average([cell.rows for cell in published.cells], weights=rows)) - 1 if rows.any() else 0.0
        rho = max(map(published.correlation_of, blocks), default=0.0)
        return figures.among_alike(published.n, top, more, rho)

    @cached_property
    def _class_rows(self) -> NDArray[np.int64]:
        return np.bincount(self.published.record_class, minlength=len(self.published.cells))

    def _as_published(self, inside: Flags, events: Sequence[tuple[Block, Flags]]) -> float:
        """Return the papers' estimate: published counts of the whole table instead of those of classes."""
        if len(events) > 1:
            raise BadQuestion("Here secret columns can't be combined; ask one at a time.")
        block, shown = events[0]
        a = block.draw.retention
        return (float(shown[inside].sum()) - (1 - a) * float(inside.sum()) * float(shown.mean())) / a

    # --- what a line lets expect

    @remember
    def spread(self, sensitive: str) -> float:
        """Return t, how far counts of one condition lie from what the whole table lets expect."""
        if sensitive in self.published.spread:
            return self.published.spread[sensitive]
        table, column = self.published.table, self.published.table[sensitive]
        lines = [table[name] for name in self.published.nsas if 2 <= table[name].m <= _MOST_LABELS][:_MOST_COLUMNS]
        lines.sort(key=lambda line: line.m)  # columns of few labels have the large cells, which tell most of the spread
        share = column.counts() / max(column.n, 1)
        cells: list[tuple[Floats, Floats, Floats]] = []
        for line in lines:
            if cells and min(line.m * len(self.published.cells), table.n) * column.m > _LEARNT:
                break
            grid = self.column_grid(line.codes, line.m, sensitive)
            target = grid.line_rows[:, None] * share
            cells.append((grid.figures.estimate.ravel(), grid.figures.variance().ravel(), target.ravel()))
        return learn_spread(*map(np.concatenate, zip(*cells, strict=True))) if cells else 0.0

    def lifts(self, sensitive: str, line: NDArray[np.integer], lines: int) -> Floats:
        """Return (L, m) how many times as often each value occurs in each line, drawn towards 1. line : (N,)."""
        grid = self.column_grid(line, lines, sensitive)
        return grid.figures.lifts(grid.target, self.spread(sensitive))

    @remember  # question after question asks the same
    def label_lifts(self, sensitive: str, name: str) -> Floats:
        """Return (L, m) the lifts in each label of an unchanged column."""
        column = self.published.table[name]
        return self.lifts(sensitive, column.codes, column.m)

    @remember  # every table of a column asks them
    def _column_shares(self, sensitive: str) -> Floats:
        column = self.published.table[sensitive]
        return class_shares(column.codes, column.m, self.published.record_class, len(self.published.cells))

    def _target(self, question: Question, n_p: int) -> float:
        """Return mu = N_P pi prod(lift of each condition by itself), rescaled to N_P; parts of blocks multiply."""
        expected, table = 1.0, self.published.table
        for name, events in question.sas:
            column = table[name]
            mu = share = column.counts() / max(column.n, 1)
            # With one condition the line itself is what the lift would be learned from: it would vouch for itself.
            if len(question.nsas) > 1:
                for nsa, picked in question.nsas:
                    flags, line = np.frombuffer(picked, bool), table[nsa]
                    if flags.sum() == 1 and min(line.m * len(self.published.cells), line.n) * column.m <= _LEARNT:
                        mu = mu * self.label_lifts(name, nsa)[flags.argmax()]
                    else:
                        mu = mu * self.lifts(name, flags[line.codes].astype(np.int32), 2)[1]
            total = mu.sum()
            # Lifts of several conditions multiply as if these were independent; the values still have to fill the line.
            mu = mu / total if total > 0 else share
            expected *= float(mu[np.frombuffer(events, bool)].sum())
        return n_p * expected

    # --- many cells

    def column_grid(self, line: NDArray[np.integer], lines: int, *names: str) -> Grid:
        """Return figures of each value of a sensitive column, or of each pair of two, in each line.

        line : (N,) the line of each row, from 0.
        """
        parts: list[Part] = []
        for name in names:
            column = self.published.table[name]
            codes, m = column.codes, column.m
            if parts and self.published.block_of(name) == self.published.block_of(parts[0][0]):
                _, before, number = parts.pop()  # columns of a block are one draw: a pair is one event
                codes, m = before.astype(np.int64) * m + codes, number * m
            parts.append((name, codes, m))
        return self.grid(line, lines, parts)

    def grid(self, line: NDArray[np.integer], lines: int, parts: Sequence[Part]) -> Grid:
        """Return figures of each value, or group of values, of some sensitive columns together, in each line.

        line : (N,) the line of each row, from 0.
        parts : columns of different blocks.
        """
        published, classes, number = self.published, self.published.record_class, len(self.published.cells)
        blocks, sizes = [published.block_of(name) for name, _, _ in parts], [m for _, _, m in parts]
        groups = any(block.draw.name == "groups" for block in blocks)
        if groups and len(parts) > 1:
            raise BadQuestion("Here secret columns can't be combined; ask one at a time.")
        pair, pairs = cross_codes(pair_keys(line, number, classes), lines * number)
        of_line, of_class = np.divmod(pairs, number)
        codes, whole, m = parts[0][1], np.ones(1), math.prod(sizes)
        shares = []
        for at, (name, own, size) in enumerate(parts):
            codes = pair_keys(codes, size, own) if at else own
            whole = np.outer(whole, np.bincount(own, minlength=size) / max(published.n, 1)).ravel()
            alone = [size if other == at else 1 for other in range(len(parts))]
            whole_column = own is published.table[name].codes
            share = self._column_shares(name) if whole_column else class_shares(own, size, classes, number)
            share = share[of_class].reshape(-1, *alone)
            shares.append(np.broadcast_to(share, (len(pairs), *sizes)).reshape(-1, m))
        shown = count_pairs(pair, len(pairs), codes, m).astype(float)
        rows, by_line = shown.sum(axis=1)[:, None], sum_by_line(shown, of_line, lines).astype(np.int64)
        selected = by_line.sum(axis=1)
        if groups:
            values = block_codes(published.table, blocks[0].columns)
            figures = count_groups_by_class(blocks[0].draw, values, classes, line, lines, codes, m, drawn=True)
            return Grid(selected, by_line, figures, selected[:, None] * whole)
        a = [block.draw.retention for block in blocks]
        in_class = self._class_rows.astype(float)[of_class][:, None]
        rho = [published.correlation_of(block) for block in blocks]
        beside = np.zeros((1, 1))
        if published.person:
            person_rows = np.array([cell.rows for cell in published.cells])[of_class]
            beside = count_rows_beside(pair, published.owner, person_rows)[:, None]
        if len(parts) == 1:
            effect = 1 + beside * rho[0]
            figures = count_one_block(a[0], rows, in_class, shown, shares[0], of_line, lines, effect)
            return Grid(selected, by_line, figures, selected[:, None] * whole)
        states = shown.reshape(-1, *sizes)
        for at in range(len(parts)):  # rows that show all but a part, beside those that show it, too
            states = np.stack([states.sum(axis=2 * at + 1, keepdims=True) - states, states], axis=at)
        states = states.reshape(*(2,) * len(parts), -1, m)
        figures = count_several_blocks(a, rows, in_class, states, shares)
        figures = figures.scale(1 + beside * correlate_together(rho, shares))
        figures = add_classes(figures, of_line, lines, rows, np.prod(shares, axis=0))
        return Grid(selected, by_line, figures, selected[:, None] * whole)
