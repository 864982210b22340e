"""Other systems of the papers beside this plan: what each would make of the table; nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from splu_desktop.core.messages import isolated
from splu_desktop.core.plan import Plan
from splu_desktop.core.progress import SILENT, Progress
from splu_desktop.files.language import language
from splu_desktop.gui.base import theme
from splu_desktop.gui.base.choices import Choice
from splu_desktop.gui.base.models import Field, TableView
from splu_desktop.gui.base.parts import Busy
from splu_desktop.gui.base.source import Source
from splu_desktop.gui.base.widgets import button, label, margins, put
from splu_desktop.gui.base.words import language_code, t, translate
from splu_desktop.gui.expert.section import Section

if TYPE_CHECKING:
    from splu_desktop.compare.outcome import Comparison, SystemResult

_SHOWN = ("title", "setting", "line", "best_reader", "large_right", "t_p", "t_f")
_SECONDS = 3.0  # for each of the ten lines: half a minute together
_QUESTIONS = 600


def compare_first(source: Source, plan: Plan, column: str, progress: Progress = SILENT) -> Comparison:
    """Compare the first systems with a plan, for a worker. Raises SpluError; Cancelled."""
    # An optional part: nobody waits for the papers' systems at the start.
    from splu_desktop.compare.runner import compare_plan
    from splu_desktop.compare.systems import FIRST

    return compare_plan(source.table, plan, column, FIRST, size=_QUESTIONS, limit=_SECONDS, progress=progress)


class Picture(QWidget):
    """The picture of a comparison, in the window's colours."""

    comparison: Comparison | None = None

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.comparison is not None:
            # Drawn anew each time, since the scheme of colours may have changed.
            drawn, painter = _drawing(self.comparison), QPainter(self)
            width, height = drawn.defaultSize().width(), drawn.defaultSize().height()
            scale = min(1.0, self.width() / width)
            drawn.render(painter, QRectF(0, 0, width * scale, height * scale))
            painter.end()


def _drawing(comparison: Comparison) -> QSvgRenderer:
    # An optional part: it brings the papers' systems.
    from splu_desktop.report.comparison import picture

    return QSvgRenderer(QByteArray(picture(comparison, language(language_code()), dark=theme.colours().dark).encode()))


class SystemsSection(Section):
    """A picture and a table of systems, on demand."""

    def build(self) -> None:
        self.column = Choice(t("Secret column"), 18)
        self.start = button(t("&Compare"), self.run)
        self.body.addLayout(
            put(margins(QHBoxLayout(), 0, spacing=8), label(t("Secret column")), self.column, self.start, 1)
        )
        self.busy = Busy()
        self.busy.cancelled.connect(lambda: self.work.cancel("systems"))
        self.busy.hide()
        self.picture, self.view = Picture(), TableView(t("Other systems"))
        self.picture.setAccessibleName(t("Other systems"))
        self.meaning = label("", "quiet", fitting=True)
        figures = QWidget()
        put(margins(QVBoxLayout(figures), 0, spacing=8), (self.view, 1), self.meaning)
        # One behind the other: at 768 there is no room for both.
        self.tabs = QTabWidget()
        self.tabs.addTab(self.picture, t("Picture"))
        self.tabs.addTab(figures, t("Rows"))
        self.tabs.hide()
        put(self.body, self.busy, (self.tabs, 1))

    def show_plan(self, plan: Plan, source: Source) -> None:
        if not self.work.busy("systems"):  # it went with its table
            self._end()
        asked = [each.sa for each in plan.questions if each.sa in plan.sensitive]  # first: one compares by these
        names = dict.fromkeys([*asked, *plan.sensitive])
        self.column.offer([(isolated(name), name) for name in names], self.column.currentData())

    def run(self) -> None:
        """Compare, in a worker."""
        source, plan = self.session.source, self.session.plan
        if source is None or plan is None:
            return
        self.fault.tell("")
        self.start.setEnabled(False)
        self.busy.begin(t("Working it out…"))
        self.busy.show()
        self.work.start(
            compare_first,
            source,
            plan,
            self.column.currentData(),
            on_partial=self.busy.show_progress,
            on_done=self._done,
            on_exception=self._fail,
            on_cancel=self._end,
            channel="systems",
        )

    def _end(self) -> None:
        self.busy.hide()
        self.start.setEnabled(True)

    def _done(self, comparison: Comparison) -> None:
        # An optional part, as above.
        from splu_desktop.compare.outcome import COLUMNS

        self._end()
        self.picture.comparison = comparison
        self.picture.setFixedHeight(_drawing(comparison).defaultSize().height())
        self.picture.update()
        fields = [_field(name, *COLUMNS[name]) for name in _SHOWN]
        remark: Field[SystemResult] = Field(
            t("Remark"), lambda row: translate(row.impossible), colour=lambda row: "quiet"
        )
        self.model = self.view.hold([*fields, remark])
        self.model.show(comparison.systems)
        self.meaning.setText("\n".join(map(translate, comparison.explain())))
        self.tabs.show()
        self.view.fit_columns(200, filling=len(fields), least=120)

    def _fail(self, sentence: str) -> None:
        self._end()
        self.fault.tell(sentence)


def _field(name: str, head: str, edge: str, cell: Callable[[SystemResult], str]) -> Field[SystemResult]:
    def key(row: SystemResult) -> float | None:
        return getattr(row, name) if name.startswith("t_") else row.median(name)

    right = edge == "r"
    return Field(translate(head), lambda row: translate(cell(row)), key if right else None, right)
