"""Who reads a release: answers to counts of any combination of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.answer.answer import Answer
from splu_desktop.core.answer.conditions import Condition, UnknownValue, unknown_column
from splu_desktop.core.answer.counts import (
    CountFigures,
    add_classes,
    count_groups_by_class,
    count_one_block,
    count_rows_beside,
    count_several_blocks,
    learn_spread,
    sum_by_line,
)
from splu_desktop.core.answer.scores import BlockScores
from splu_desktop.core.distinct import count_pairs, cross_codes, pair_keys
from splu_desktop.core.errors import BadQuestion, BadSetting
from splu_desktop.core.mechanism import Block
from splu_desktop.core.messages import none_of
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.core.published import Published
from splu_desktop.core.table import remember

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.integer]
Rows = NDArray[np.intp] | slice
# Of some blocks the value or group of each combination of their values (size,), and how many there are.
Parts = Mapping[Block, tuple[Ints, int]]

ESTIMATORS = ("shrunk", "unbiased", "as-published")
_MOST_LABELS = 50  # of an unchanged column from which spreads are learned
_LEARNT = 2_000_000  # figures of one column that are learnt from at most
_MOST_COLUMNS = 40
_ALL = slice(None)  # rows


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
    correlation : (Q,) how alike a person's rows are in each event.
    """

    line_rows: NDArray[np.int64]
    published_counts: NDArray[np.int64]
    figures: CountFigures
    target: Floats
    correlation: Floats


@dataclass(frozen=True, eq=False)
class _Events:
    """Q events that values of some blocks make together; C classes."""

    codes: Ints  # (N,) the event that each row shows of those that are looked at
    whole: Floats  # (Q,) the share of all rows that shows each, as if blocks were independent
    totals: NDArray[np.int64]  # (C, Q) rows of each class that show each, of the last block
    shares: list[Floats]  # by block, (C, Q) the share of each class that shows its part
    rho: list[Floats]  # by block, (Q,) how alike a person's rows are in its part


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows of lines, K parts of them, each in one class."""

    line: Ints  # (K,)
    of_class: Ints  # (K,)
    shown: Floats  # (K, Q) rows that show each event
    row_part: Ints  # (N,) the part of each row that is looked at


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
        answers: list[Answer] = []
        # Files of thousands of questions ask many twice, in other words.
        known: dict[Question, Answer] = {}
        for done, conditions in enumerate(questions):
            progress.report("Counting", done / len(questions))
            question = self.resolve(conditions)
            if question not in known:
                known[question] = self._answer(question, estimator)
            answers.append(replace(known[question], conditions=tuple(conditions)))
        return answers

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
        # A condition that all values meet is none, but a sensitive value may have vanished. Bytes: questions are keys.
        hides = self.published.is_sensitive
        every = {name: flags.tobytes() for name, flags in sorted(chosen.items()) if hides(name) or not flags.all()}
        return Question(
            tuple((n, f) for n, f in every.items() if not hides(n)), tuple((n, f) for n, f in every.items() if hides(n))
        )

    def rows_that_meet(self, conditions: Sequence[tuple[str, bytes]]) -> Rows:
        """Return the rows that meet conditions on unchanged columns: of the next column only those are looked at."""
        rows: Rows = _ALL
        for name, flags in conditions:
            met = np.frombuffer(flags, bool).take(self.published.table[name].codes[rows])
            rows = np.flatnonzero(met) if isinstance(rows, slice) else rows.compress(met)
        return rows

    @remember
    def _pairs(self, block: Block) -> BlockScores:
        # Rows of a class that show the same are counted once: question after question asks them.
        return BlockScores(self.published, block)

    def _answer(self, question: Question, estimator: str) -> Answer:
        rows = self.rows_that_meet(question.nsas)
        n_p = self.published.n if isinstance(rows, slice) else len(rows)
        small = self.published.thresholds.alpha
        # Unchanged columns stand in the table as they are, so a count of them alone is exact.
        if not question.sas or n_p == 0:
            return Answer((), n_p, n_p, n_p, n_p, n_p, n_p, n_p, 0.0, small)
        events: dict[Block, Flags] = {}
        for name, flags in question.sas:
            block = self.published.block_of(name)
            shown = np.frombuffer(flags, bool)[self._pairs(block).labels_of(name)]
            # Columns of a block are one draw: whether a row shows all of them at once is one event, with one score.
            events[block] = events[block] & shown if block in events else shown
        parts = {block: (shown.astype(np.int32), 2) for block, shown in events.items()}
        asked = [name for name, _ in question.sas]
        if question.nsas or len(parts) > 1 or self.published.person:
            grid = self.grid(np.ones(n_p, np.int64), 2, parts, asked, rows)
        else:  # all rows, and none is looked at
            grid = self.grid(np.zeros(0, np.int64), 2, parts, asked, np.zeros(0, np.intp), others=1)
        figures, top = grid.figures, grid.line_rows[:, None].astype(float)
        ends = (*figures.interval(top), *self.among_alike(grid, top).interval(top))
        low, high, low_alike, high_alike = (float(each[-1, -1]) for each in ends)
        x, published_count = float(figures.estimate[-1, -1]), int(grid.published_counts[-1, -1])
        if estimator == "unbiased":
            value = x
        elif estimator == "as-published":
            if len(events) > 1:
                raise BadQuestion("Here secret columns can't be combined; ask one at a time.")
            # The papers' estimate: published counts of the whole table instead of those of classes.
            a, everywhere = block.draw.retention, float(events[block][self._pairs(block).codes].mean())
            value = (published_count - (1 - a) * float(n_p) * everywhere) / a
        else:
            target = np.array([[self._target(question, n_p)]])
            spread = float(np.mean([self.spread(name) for name in asked]))
            value = float(figures.draw_towards(target, spread)[-1, -1])
        # The interval is that of the unbiased figure; leaning must not lead out of it.
        value, variance = min(max(value, low), high), float(figures.variance()[-1, -1])
        return Answer((), published_count, value, low, high, low_alike, high_alike, n_p, variance, small)

    def among_alike(self, grid: Grid, top: Floats) -> CountFigures:
        """Return figures of events of some drawn columns about persons like these; top (...) records of their lines."""
        published, rows = self.published, self._class_rows
        more = float(np.average([cell.rows for cell in published.cells], weights=rows)) - 1 if rows.any() else 0.0
        return grid.figures.among_alike(published.n, top, more, grid.correlation)

    @cached_property
    def _class_rows(self) -> NDArray[np.int64]:
        return np.bincount(self.published.record_class, minlength=len(self.published.cells))

    # --- what a line lets expect

    @remember
    def spread(self, sensitive: str) -> float:
        """Return t, how far counts of one condition lie from what the whole table lets expect."""
        if sensitive in self.published.spread:
            return self.published.spread[sensitive]
        table, column = self.published.table, self.published.table[sensitive]
        lines = [table[name] for name in self.published.nsas if 2 <= table[name].m <= _MOST_LABELS][:_MOST_COLUMNS]
        lines.sort(key=lambda line: line.m)  # columns of few labels have the large cells, which tell most of the spread
        cells: list[tuple[Floats, Floats, Floats]] = []
        for line in lines:
            if cells and min(line.m * len(self.published.cells), table.n) * column.m > _LEARNT:
                break
            grid = self.label_grid(sensitive, line.name)
            cells.append((grid.figures.estimate.ravel(), grid.figures.variance().ravel(), grid.target.ravel()))
        return learn_spread(*map(np.concatenate, zip(*cells, strict=True))) if cells else 0.0

    def lifts(self, sensitive: str, grid: Grid) -> Floats:
        """Return (L, m) how many times as often each value occurs in each line of its grid, drawn towards 1."""
        return grid.figures.lifts(grid.target, self.spread(sensitive))

    @remember  # spread and question after question ask the same
    def label_grid(self, sensitive: str, name: str) -> Grid:
        """Return figures of each value of a sensitive column in each label of an unchanged one."""
        column = self.published.table[name]
        return self.column_grid(column.codes, column.m, sensitive)

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
                        mu = mu * self.lifts(name, self.label_grid(name, nsa))[flags.argmax()]
                    else:
                        rows = np.flatnonzero(flags.take(line.codes))
                        there = self.column_grid(np.ones(len(rows), np.int32), 2, name, rows=rows)
                        mu = mu * self.lifts(name, there)[1]
            total = mu.sum()
            # Lifts of several conditions multiply as if these were independent; the values still have to fill the line.
            mu = mu / total if total > 0 else share
            expected *= float(mu[np.frombuffer(events, bool)].sum())
        return n_p * expected

    # --- many cells

    def column_grid(self, line: Ints, lines: int, *names: str, rows: Rows = _ALL) -> Grid:
        """Return figures of each value of a sensitive column, or of each pair of two, in each line, as `grid` does."""
        parts: dict[Block, tuple[Ints, int]] = {}
        for name in names:
            block, m = self.published.block_of(name), self.published.table[name].m
            labels = self._pairs(block).labels_of(name)
            if block in parts:
                before, number = parts[block]  # columns of a block are one draw: a pair is one event
                labels, m = before.astype(np.int64) * m + labels, number * m
            parts[block] = labels, m
        return self.grid(line, lines, parts, names, rows)

    def grid(
        self, line: Ints, lines: int, parts: Parts, asked: Sequence[str], rows: Rows = _ALL, others: int = 0
    ) -> Grid:
        """Return figures of each value, or group of values, of some blocks together, in each line.

        line : (K,) the line of each row that is looked at, from 0.
        asked : columns of the blocks that make the parts.
        rows, others : those rows, and the line of all others, which several blocks leave without figures.
        """
        published, blocks = self.published, list(parts)
        by_groups = any(block.draw.name == "groups" for block in blocks)
        if by_groups and len(blocks) > 1:
            raise BadQuestion("Here secret columns can't be combined; ask one at a time.")
        if by_groups:  # scores of groups hang on all that a class shows
            every = np.full(published.n, others)
            every[rows] = line
            line, rows = every, _ALL
        events = self._events(parts, asked, rows)
        cells = self._cells(line, lines, events, rows, others)
        if by_groups:
            draw, values, classes = blocks[0].draw, self._pairs(blocks[0]).codes, published.record_class
            number = len(events.whole)
            figures = count_groups_by_class(draw, values, classes, line, lines, events.codes, number, drawn=True)
        else:
            figures = self._lender_figures(parts, events, cells, lines, rows)
        by_line = sum_by_line(cells.shown, cells.line, lines).astype(np.int64)
        line_rows = by_line.sum(axis=1)
        return Grid(line_rows, by_line, figures, line_rows[:, None] * events.whole, np.max(events.rho, axis=0))

    def _events(self, parts: Parts, asked: Sequence[str], rows: Rows) -> _Events:
        """Return the events that the values of some blocks make together."""
        published, whole, codes = self.published, np.ones(1), None
        totals: list[NDArray[np.int64]] = []
        for block, (labels, size) in parts.items():
            part = labels.take(self._pairs(block).codes[rows])
            codes = part if codes is None else pair_keys(codes, size, part)
            totals.append(self._pairs(block).count_by_class(labels, size))
            whole = np.outer(whole, totals[-1].sum(axis=0) / max(published.n, 1)).ravel()
        rho = [
            published.correlation_of(block, asked, each.sum(axis=0)) for block, each in zip(parts, totals, strict=True)
        ]
        shares = [each / np.maximum(each.sum(axis=1, keepdims=True), 1) for each in totals]
        if len(parts) > 1:  # else each value stands in its place
            values = np.unravel_index(np.arange(len(whole)), [size for _, size in parts.values()])
            shares = [share.take(value, axis=1) for share, value in zip(shares, values, strict=True)]
            rho = [one.take(value) for one, value in zip(rho, values, strict=True)]
        assert codes is not None
        return _Events(codes, whole, totals[-1], shares, rho)

    def _cells(self, line: Ints, lines: int, events: _Events, rows: Rows, others: int) -> _Cells:
        """Return the rows looked at by line and class; of one block the rest of each class, too, in line `others`."""
        number, one_block = len(self.published.cells), len(events.shares) == 1
        row_part, parts = cross_codes(pair_keys(line, number, self.published.record_class[rows]), lines * number)
        of_line, of_class = np.divmod(parts, number)
        if one_block and isinstance(rows, slice) and len(parts) == np.count_nonzero(self._class_rows):
            # Where lines are made of columns of the classes, each class lies in one of them.
            return _Cells(of_line, of_class, events.totals[of_class].astype(float), row_part)
        shown = count_pairs(row_part, len(parts), events.codes, len(events.whole)).astype(float)
        if one_block and not isinstance(rows, slice):
            left = events.totals.astype(float)
            left[of_class] -= shown
            rest = np.flatnonzero(left.any(axis=1))
            of_line, of_class = np.append(np.full(len(rest), others), of_line), np.append(rest, of_class)
            shown, row_part = np.append(left[rest], shown, axis=0), row_part + len(rest)
        return _Cells(of_line, of_class, shown, row_part)

    def _lender_figures(self, parts: Parts, events: _Events, cells: _Cells, lines: int, rows: Rows) -> CountFigures:
        """Return (L, Q) figures of events of blocks that were drawn by lenders."""
        published, beside = self.published, np.zeros((1, 1))
        if published.person:
            person_rows = np.array([cell.rows for cell in published.cells])[cells.of_class]
            owner = None if published.owner is None else published.owner[rows]
            beside = count_rows_beside(cells.row_part, owner, person_rows)[:, None]
        a = [block.draw.retention for block in parts]
        shown, selected = cells.shown, cells.shown.sum(axis=1)[:, None]
        in_class = self._class_rows.astype(float)[cells.of_class][:, None]
        shares = [share.take(cells.of_class, axis=0) for share in events.shares]
        if len(parts) == 1:
            effect = 1 + beside * events.rho[0]
            return count_one_block(a[0], selected, in_class, shown, shares[0], cells.line, lines, effect)
        states = shown.reshape(-1, *(size for _, size in parts.values()))
        for at in range(len(parts)):  # rows that show all but a part, beside those that show it, too
            states = np.stack([states.sum(axis=2 * at + 1, keepdims=True) - states, states], axis=at)
        states = states.reshape(*(2,) * len(parts), *shown.shape)
        figures = count_several_blocks(a, selected, in_class, states, shares)
        alike = np.prod([one + (1 - one) * g for one, g in zip(events.rho, shares, strict=True)], axis=0)
        effect = 1 + beside * alike  # at most: each factor about 0, not its mean
        figures = replace(figures, level=figures.level * effect, slope=figures.slope * effect)
        return add_classes(figures, cells.line, lines, selected, np.prod(shares, axis=0))
