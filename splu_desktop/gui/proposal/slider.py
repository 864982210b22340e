"""The strength: a slider from safer to more exact, whose groove shows in words where it is good."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSlider

from splu_desktop.gui.base import theme
from splu_desktop.gui.base.words import join, t
from splu_desktop.gui.proposal.figures import strength_words

BLURRED, GOOD, UNSAFE = "blurred", "good", "unsafe"
_EDGE = 10  # pixels left and right of the groove
_COLOURS = {
    BLURRED: ("warning", "warning_soft"),
    GOOD: ("answerable", "answerable_soft"),
    UNSAFE: ("fault", "fault_soft"),
}


def zone_words(zone: str) -> str:
    """Return a zone as the groove names it."""
    return {BLURRED: t("too blurred"), GOOD: t("good"), UNSAFE: t("not safe")}[zone]


class StrengthSlider(QSlider):
    """Moves over stops; a position is a stop. Qt's own slider to keys and screen readers, drawn by us."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName(t("Strength"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSingleStep(1)
        self._stops: tuple[float, ...] = (2.0,)
        self._zones: tuple[str, ...] = (GOOD,)
        self._slim = False

    def set_slim(self, slim: bool) -> None:
        """Leave the words out, as in a footer."""
        self._slim = slim
        self.updateGeometry()

    def show_stops(self, stops: Sequence[float], zones: Sequence[str], gamma: float) -> None:
        """Show the stops with their zones, and stand at one; nobody hears."""
        self._stops, self._zones = tuple(stops), tuple(zones)
        with QSignalBlocker(self):
            # The range before the value, which Qt cuts off at the range that it knows.
            self.setRange(0, len(self._stops) - 1)
            self.setValue(min(range(len(self._stops)), key=lambda at: abs(self._stops[at] - gamma)))
        self._describe()
        self.update()

    def sliderChange(self, change: QSlider.SliderChange) -> None:
        super().sliderChange(change)
        self._describe()

    def _describe(self) -> None:
        # Qt tells of a shorter range before it moves the value into it.
        if hasattr(self, "_stops") and self.value() < len(self._stops):
            gamma, zone = self._stops[self.value()], self._zones[self.value()]
            words = join((f"γ {strength_words(gamma)}", zone_words(zone)), ":")
            self.setAccessibleDescription(words)

    # --- moving

    def keyPressEvent(self, event: QKeyEvent) -> None:
        good = [at for at, zone in enumerate(self._zones) if zone == GOOD]
        ends = {Qt.Key.Key_PageUp: good[-1:], Qt.Key.Key_PageDown: good[:1]}
        if (key := Qt.Key(event.key())) in ends:
            for at in ends[key]:
                self.setValue(at)
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Qt's own slider goes by the handle and groove of the style, which are not where ours are drawn.
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._go_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def _go_to(self, x: float) -> None:
        self.setValue(min(range(len(self._stops)), key=lambda at: abs(self._x(at) - x)))

    # --- drawing

    def sizeHint(self) -> QSize:
        lines = 0 if self._slim else 2 * (self.fontMetrics().height() - 1)
        return QSize(200, 26 + lines)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def _x(self, at: float) -> float:
        room = self.width() - 2 * _EDGE
        return _EDGE + room * (at + 0.5) / len(self._stops)

    def _runs(self) -> list[tuple[str, int, int]]:
        """Return zones with their first and last stops."""
        runs: list[tuple[str, int, int]] = []
        for at, zone in enumerate(self._zones):
            if runs and runs[-1][0] == zone:
                runs[-1] = (zone, runs[-1][1], at)
            else:
                runs.append((zone, at, at))
        return runs

    def paintEvent(self, event: QPaintEvent) -> None:
        c, painter = theme.colours(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, on = 13.0, self.isEnabled()
        for zone, first, last in self._runs():
            strong, soft = (getattr(c, name) for name in _COLOURS[zone])
            half = 5.0 if zone == GOOD else 3.0
            left, right = self._x(first - 0.5), self._x(last + 0.5)
            painter.setPen(QPen(QColor(strong if on else c.line), 1.5 if zone == GOOD else 1.0))
            painter.setBrush(QColor(soft if on else c.sunken))
            painter.drawRoundedRect(QRectF(left, middle - half, right - left, 2 * half), half, half)
        painter.setPen(QPen(QColor(c.text if on else c.disabled), 2))
        painter.setBrush(QColor(c.card))
        painter.drawRoundedRect(QRectF(self._x(self.value()) - 6, middle - 10, 12, 20), 4, 4)
        if not self._slim:
            self._write(painter)
        painter.end()

    def _write(self, painter: QPainter) -> None:
        c = theme.colours()
        high = self.fontMetrics().height() - 1
        font, bold = theme.small_font(self.font()), theme.small_font(self.font())
        bold.setBold(True)
        for at, stop in enumerate(self._stops):
            here = at == self.value()
            painter.setFont(bold if here else font)
            painter.setPen(QColor(c.text if here else c.quiet))
            room = QRectF(self._x(at) - 20, 26, 40, high)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, strength_words(stop))
        # Words stand below their zone, moved aside where they would meet the ones before.
        free = 0.0
        runs = self._runs()
        metrics = {zone: QFontMetricsF(bold if zone == GOOD else font) for zone, _, _ in runs}
        wides = [metrics[zone].horizontalAdvance(zone_words(zone)) for zone, _, _ in runs]
        for place, ((zone, first, last), wide) in enumerate(zip(runs, wides, strict=True)):
            end = self.width() - sum(wides[place + 1 :]) - 8 * (len(runs) - place - 1)
            left = min(max(free, (self._x(first) + self._x(last)) / 2 - wide / 2), end - wide)
            painter.setFont(bold if zone == GOOD else font)
            painter.setPen(QColor(getattr(c, _COLOURS[zone][0])))
            painter.drawText(QPointF(left, 26 + high + painter.fontMetrics().ascent()), zone_words(zone))
            free = left + wide + 8
