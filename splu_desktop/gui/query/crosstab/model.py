"""What is seen of a cross-table: which cells and how; and the heat map's model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QColor

from splu_desktop.core.progress import Progress
from splu_desktop.core.query.crosstab_grid import TRUST, CrosstabGrid
from splu_desktop.core.query.reader import Answer, Badge
from splu_desktop.frozen import dataclass
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.models import Index, one_cell, shortened
from splu_desktop.gui.base.words import beside, joined, number, percent, percent_within, plain, spanned, t, told

Copying = Callable[[Progress], str]  # gives a text for the clipboard; runs in the worker
Order = tuple[int, bool] | None  # the line sorted by (-1: the margin), and whether the largest comes first
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
PROTECTED = "\N{BLACK DIAMOND} "  # before the range of a count that is small
_DEEPEST = 0.45  # of the accent in the ground of the largest cell, so that the text in it keeps its contrast


def short(answer: Answer, share: bool) -> str:
    """Return a cell's text: no digit that the interval does not support, a range for a protected count."""
    if share and answer.n_p:
        if answer.exact:
            return percent(answer.published / answer.n_p)
        width = (answer.ends[1] - answer.ends[0]) / answer.n_p
        if answer.vague:
            return " – ".join(percent_within(end / answer.n_p, width) for end in answer.ends)
        mark = "≈ " if answer.badge is Badge.UNCERTAIN else ""
        return mark + percent_within(answer.estimate / answer.n_p, width)
    if answer.exact:
        return number(answer.published)
    if answer.vague:
        return spanned(*map(number, answer.ends))
    width = max(answer.high - answer.low, 1.0)
    step = 10 ** max(0, math.floor(math.log10(width)) - 1)
    mark = "≈ " if answer.badge is Badge.UNCERTAIN else ""
    return mark + number(round(answer.estimate / step) * step)


@dataclass(frozen=True, eq=False)
class Heat:
    """What a heat map shows at one moment: plain values, to be drawn in the worker.

    Attributes
    ----------
    grid : the cells.
    lines, values : of them, those seen, in their order; -1 is the margin.
    across : whether the SA's values go across.
    share : whether shares of a line's records are shown, not counts.
    mask : (A, B) which cells are seen.
    top : the largest figure seen.
    """

    grid: CrosstabGrid
    lines: tuple[int, ...]
    values: tuple[int, ...]
    across: bool
    share: bool
    mask: NDArray[np.bool_]
    top: float

    def rows(self) -> list[list[tuple[int, int]]]:
        """Return (line, value) of every cell, row by row."""
        if self.across:
            return [[(line, value) for value in self.values] for line in self.lines]
        return [[(line, value) for line in self.lines] for value in self.values]

    def answer(self, line: int, value: int) -> Answer:
        """Return a cell or a margin."""
        if line < 0:
            return self.grid.all if value < 0 else self.grid.totals[value]
        found: Answer = self.grid.lines[line] if value < 0 else self.grid.answers[line, value]
        return found

    def hidden(self, line: int, value: int) -> bool:
        """Return whether a cell is left out of what is seen."""
        return line >= 0 and value >= 0 and not self.mask[line, value]

    def text(self, line: int, value: int) -> str:
        """Return a cell's text."""
        if self.hidden(line, value):
            return "·"
        mark = PROTECTED if self.protected(line, value) else ""  # a hue alone tells some readers nothing
        return mark + short(self.answer(line, value), self.share)

    def protected(self, line: int, value: int) -> bool:
        """Return whether a cell's count is small."""
        return self.answer(line, value).badge is Badge.PROTECTED

    def ground(self, line: int, value: int, c: theme.Colours) -> QColor:
        """Return the ground of a cell: deeper for larger figures, the hue of protection for protected ones.

        A cell of which only a range is shown has none: nobody is to read off its colour what its text withholds.
        """
        if line < 0 or value < 0:
            return QColor(c.sunken)
        if self.protected(line, value):
            return QColor(c.protected_soft)
        answer = self.grid.answers[line, value]
        if answer.vague:
            return QColor(c.card)
        figure = float(answer.estimate)
        if self.share:
            figure /= max(float(self.grid.lines[line].n_p), 1.0)
        return _mixed(QColor(c.card), QColor(c.accent), _DEEPEST * math.sqrt(max(0.0, min(figure / self.top, 1.0))))


def line_name(parts: Sequence[str]) -> str:
    """Return values of several columns as one name, where nothing stands said so."""
    return beside((part or t("(empty)") for part in parts), " · ")


class SeenTable(QObject):
    """Which cells of a grid are seen, and how: shared by the heat map and the bars."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.grid: CrosstabGrid | None = None
        self.share = False
        self.text = ""
        self.trusted = len(TRUST)  # kinds of TRUST that are seen, from the first
        self.mask: NDArray[np.bool_] = np.zeros((0, 0), bool)
        self.estimate: NDArray[np.float64] = np.zeros((0, 0))
        self.low, self.high, self.published = self.estimate, self.estimate, self.estimate
        self.n_p: NDArray[np.float64] = np.zeros(0)
        self.totals: NDArray[np.float64] = np.zeros(0)
        self.truth: NDArray[np.int64] | None = None  # (A, B); never in a grid, which files are made of

    def take_truth(self, truth: NDArray[np.int64] | None) -> None:
        """Show the true counts beside the cells, or no longer."""
        self.truth = truth
        self.changed.emit()

    def true_text(self, line: int, value: int) -> str:
        """Return a cell's true count, "" where it is not to be seen."""
        return "" if self.truth is None else number(int(self.truth[line, value]))

    def take(self, grid: CrosstabGrid | None) -> None:
        """See another grid."""
        self.grid, self.truth = grid, None
        if grid is not None:
            self.estimate, self.low, self.high, self.published = (
                grid.numbers(name) for name in ("estimate", "low", "high", "published")
            )
            self.n_p = np.array([line.n_p for line in grid.lines], float)
            self.totals = np.array([total.estimate for total in grid.totals])
        self._filter()

    def set(self, *, share: bool | None = None, text: str | None = None, trusted: int | None = None) -> None:
        """Change what is seen of it."""
        self.share = self.share if share is None else share
        self.text = self.text if text is None else text
        self.trusted = self.trusted if trusted is None else trusted
        self._filter()

    def _filter(self) -> None:
        grid = self.grid
        if grid is None:
            self.mask = np.zeros((0, 0), bool)
        else:
            mask = grid.trust < self.trusted
            lines, values = [n.casefold() for n in grid.names], [v.casefold() for v in grid.values]
            for word in self.text.casefold().split():
                fits = np.array([word in name for name in lines], bool)
                mask &= fits[:, None] | np.array([word in value for value in values], bool)
            self.mask = mask
        self.changed.emit()

    def widest(self) -> str:
        """Return a text as wide as the widest range that a cell can show."""
        if self.share:
            return f"{PROTECTED}{percent(0.999, 1)} – {percent(0.999, 1)}"
        most = number(max(10.0 ** len(str(math.ceil(self.high.max()))) - 1, 999.0)) if self.high.size else number(999)
        return f"{PROTECTED}{most} – {most}"

    def measure(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (A, B) counts, or shares of their line's records."""
        return figures / self.n_p[:, None] if self.share else figures

    def words(self, line: int, value: int) -> str:
        """Return one cell in full words."""
        if self.grid is None:
            return ""
        answer: Answer = self.grid.answers[line, value]
        where = line_name((*self.grid.parts[line], self.grid.values[value]))
        if answer.exact:
            return joined((where, told(answer.shown)), ":")
        said = {
            "where": where,
            "low": number(answer.ends[0]),
            "high": number(answer.ends[1]),
            "share": short(answer, True),
            "of": number(answer.n_p),
            "badge": told(answer.badge_text),
        }
        if answer.possible:
            return t("{where}: {low} to {high} possible; {share} of {of}; {badge}", **said)
        return t(
            "{where}: {shown}, 95 % interval {low} to {high}; {share} of {of}; {badge}",
            shown=told(answer.shown),
            **said,
        )


class HeatModel(QAbstractTableModel):
    """The grid as a table: the SA's values down and the NSAs across, or the other way round; margins come first."""

    def __init__(self, seen: SeenTable) -> None:
        super().__init__(seen)
        self.seen = seen
        self.across = False  # whether the SA's values go across
        self.row_order: Order = None
        self.column_order: Order = None
        self._lines: NDArray[np.intp] = np.zeros(0, np.intp)
        self._values: NDArray[np.intp] = np.zeros(0, np.intp)
        self._top = 1.0
        self._shot: Heat | None = None
        seen.changed.connect(self.arrange)

    def arrange(self) -> None:
        """Find rows and columns anew."""
        self.beginResetModel()
        mask = self.seen.mask
        figures = self.seen.measure(self.seen.estimate) if mask.size else mask.astype(float)
        lines, values = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        down, over = (self.column_order, self.row_order) if self.across else (self.row_order, self.column_order)
        # `down` sorts the SA's values by one line's figures, `over` the lines by one value's.
        self._values = values[_ranks(figures.T[values], self.seen.totals[values], down)] if mask.size else values
        self._lines = lines[_ranks(figures[lines], self.seen.n_p[lines], over)] if mask.size else lines
        seen_figures = figures[mask] if mask.size else figures
        self._top = float(seen_figures.max()) if seen_figures.size and seen_figures.max() > 0 else 1.0
        self._shot = self.shot() if self.seen.grid is not None else None
        self.endResetModel()

    def turn(self, across: bool) -> None:
        """Show the SA's values across, or down."""
        self.across = across
        self.row_order, self.column_order = self.column_order, self.row_order
        self.arrange()

    def sort_by(self, section: int, orientation: Qt.Orientation) -> None:
        """Sort by the column (or row) clicked: largest first, then smallest first, then as the values stand."""
        down = orientation == Qt.Orientation.Horizontal
        line = self._line_of(section, orientation)
        now = self.row_order if down else self.column_order
        new: Order = (line, True)
        if now is not None and now[0] == line:
            new = (line, False) if now[1] else None
        if down:
            self.row_order = new
        else:
            self.column_order = new
        self.arrange()

    def _line_of(self, section: int, orientation: Qt.Orientation) -> int:
        if section == 0:
            return -1
        over_values = (orientation == Qt.Orientation.Horizontal) == self.across
        return int((self._values if over_values else self._lines)[section - 1])

    def place(self, index: Index) -> tuple[int, int]:
        """Return (line, value) of a cell, -1 in a margin."""
        first, second = (index.row(), index.column()) if self.across else (index.column(), index.row())
        return (
            int(self._lines[first - 1]) if first else -1,
            int(self._values[second - 1]) if second else -1,
        )

    def shot(self) -> Heat:
        """Return what is shown now."""
        grid = self.seen.grid
        assert grid is not None
        lines, values = ((-1, *(int(at) for at in places)) for places in (self._lines, self._values))
        return Heat(grid, lines, values, self.across, self.seen.share, self.seen.mask, self._top)

    def copying(self, rows: Sequence[int], columns: Sequence[int]) -> Copying:
        """Return what gives the text of some cells with their names, true counts left out; for the worker."""
        shot = self.shot()
        across, down = (
            [one_cell(self.name(at, side)) for at in chosen]
            for chosen, side in ((columns, Qt.Orientation.Horizontal), (rows, Qt.Orientation.Vertical))
        )

        def text(progress: Progress) -> str:
            places = shot.rows()
            lines = ["\t".join(["", *across])]
            for done, (name, row) in enumerate(zip(down, rows, strict=True)):
                progress.report("Copying", done / len(rows))
                lines.append("\t".join([name, *(shot.text(*places[row][column]) for column in columns)]))
            return "\n".join(lines)

        return text

    def answer(self, line: int, value: int) -> Answer:
        """Return a cell or a margin."""
        assert self._shot is not None
        return self._shot.answer(line, value)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own signature)
        size = len(self._lines if self.across else self._values)
        return 0 if parent.isValid() or not size else size + 1

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        size = len(self._values if self.across else self._lines)
        return 0 if parent.isValid() or not size else size + 1

    def name(self, section: int, orientation: Qt.Orientation) -> str:
        """Return the name of a row or column."""
        line, grid = self._line_of(section, orientation), self.seen.grid
        assert grid is not None
        over_values = (orientation == Qt.Orientation.Horizontal) == self.across
        if line < 0:
            return str(t("All"))
        return line_name((grid.values[line],) if over_values else grid.parts[line])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        grid = self.seen.grid
        if grid is None or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if orientation == Qt.Orientation.Horizontal else LEFT
            return None
        line = self._line_of(section, orientation)
        name = self.name(section, orientation)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(t("{name}: click to sort by it", name=name))
        order = self.row_order if orientation == Qt.Orientation.Horizontal else self.column_order
        sign = "" if order is None or order[0] != line else (" ▾" if order[1] else " ▴")
        return shortened(name) + sign

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.seen.grid is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        line, value = self.place(index)
        assert self._shot is not None
        inside = line >= 0 and value >= 0
        if role == Qt.ItemDataRole.DisplayRole:
            text = self._shot.text(line, value)
            true = self.seen.true_text(line, value) if inside and not self._shot.hidden(line, value) else ""
            return t("{estimate} | true {count}", estimate=text, count=true) if true else text
        if self._shot.hidden(line, value):
            return None
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole) and inside:
            words = self.seen.words(line, value)
            return plain(words) if role == Qt.ItemDataRole.ToolTipRole else words
        c = theme.colours()
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(c.protected if self._shot.protected(line, value) else c.text)
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._shot.ground(line, value, c)
        return None


def _ranks(figures: NDArray[np.float64], margin: NDArray[np.float64], order: Order) -> NDArray[np.intp]:
    """Return the order of (K, L) figures by one of their L lines, or by their (K,) margin."""
    if order is None:
        return np.arange(len(figures))
    by = margin if order[0] < 0 else figures[:, order[0]]
    return np.argsort(-by if order[1] else by, kind="stable")


def _mixed(ground: QColor, ink: QColor, part: float) -> QColor:
    parts = [
        round(a + (b - a) * part)
        for a, b in zip(
            (ground.red(), ground.green(), ground.blue()), (ink.red(), ink.green(), ink.blue()), strict=True
        )
    ]
    return QColor(*parts)
