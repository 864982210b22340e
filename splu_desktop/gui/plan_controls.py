"""The inputs of the plan page: the gamma slider with its limit in words, and boxes for shares and counts."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSlider, QSpinBox, QWidget

from splu_desktop.gui.plan_figures import SLIDER
from splu_desktop.gui.widgets import label
from splu_desktop.gui.words import number, percent


def percent_box(least: float, most: float, places: int, name: str) -> QDoubleSpinBox:
    """Return a box for a share, shown in per cent; its value is in per cent."""
    box = QDoubleSpinBox()
    box.setRange(least, most)
    box.setDecimals(places)
    box.setSuffix(" %")
    box.setSingleStep(1.0)
    box.setAccessibleName(name)
    box.setKeyboardTracking(False)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box


def whole_box(least: int, most: int, name: str) -> QSpinBox:
    """Return a box for a whole number."""
    box = QSpinBox()
    box.setRange(least, most)
    box.setAccessibleName(name)
    box.setKeyboardTracking(False)
    box.setGroupSeparatorShown(True)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box


class GammaControl(QWidget):
    """Slider and box for gamma, limited to what the column allows, which it says in words."""

    changed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        caption = label(self.tr("&Group size gamma"), "strong")
        caption.setTextFormat(Qt.TextFormat.AutoText)
        self.box = whole_box(SLIDER[0], SLIDER[-1], self.tr("Group size gamma"))
        caption.setBuddy(self.box)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(SLIDER[0], SLIDER[-1])
        self.slider.setPageStep(5)
        self.slider.setAccessibleName(self.tr("Group size gamma"))
        self.least, self.most = label(number(SLIDER[0]), "quiet"), label("", "quiet")
        self.limit = label("", "quiet", wrap=True)
        grid.addWidget(caption, 0, 0)
        grid.addWidget(self.least, 0, 1)
        grid.addWidget(self.slider, 0, 2)
        grid.addWidget(self.most, 0, 3)
        grid.addWidget(self.box, 0, 4)
        grid.addWidget(self.limit, 1, 0, 1, 5)
        grid.setColumnStretch(2, 1)
        self.slider.valueChanged.connect(self._moved)
        self.box.valueChanged.connect(self._moved)

    def value(self) -> int:
        """Return gamma."""
        return self.slider.value()

    def show_value(self, gamma: int, largest: int, value: str, share: float) -> None:
        """Show gamma and its limit: `largest` is set by the most frequent `value` with its `share` of the records."""
        most = max(SLIDER[0], min(largest, SLIDER[-1]))
        for part in (self.slider, self.box):
            with QSignalBlocker(part):
                part.setRange(SLIDER[0], most)
                part.setValue(gamma)
        self.slider.setEnabled(most > SLIDER[0])
        self.most.setText(number(most))
        if largest >= SLIDER[-1]:
            text = self.tr("Any size up to {most} is possible: the most frequent value, “{value}”, fills only {share}.")
        else:
            text = self.tr("At most {most}: the most frequent value, “{value}”, fills {share} of the records.")
        self.limit.setText(text.format(most=number(most), value=value or self.tr("(empty)"), share=percent(share)))
        self.slider.setAccessibleDescription(self.limit.text())

    def _moved(self, gamma: int) -> None:
        for part in (self.slider, self.box):
            with QSignalBlocker(part):
                part.setValue(gamma)
        self.changed.emit(gamma)
