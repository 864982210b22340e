"""Light, dark and high contrast: chosen in the menu, remembered, and legible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QApplication, QSlider, QWidget

from splu_desktop.gui.base import appearance, theme
from splu_desktop.gui.base.session import Step
from splu_desktop.gui.shell.main_window import MainWindow

SCHEMES = (theme.LIGHT, theme.DARK)
TEXTS = ("text", "quiet", "accent", "protected", "answerable", "between", "warning", "fault")


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, 1.4.3."""

    def light(name: str) -> float:
        parts = QColor(name).getRgbF()[:3]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", appearance.SCHEMES)
def test_every_text_can_be_read_on_every_ground(name: str) -> None:
    scheme, least = appearance.SCHEMES[name], 7.0 if name == "contrast" else 4.5
    grounds = ("window", "page", "card", "sunken")
    for text in TEXTS:
        # A chip's ground is found by its colour's name, so every colour that means something has one.
        for ground in (*grounds, *[f"{text}_soft"] * (text not in ("text", "quiet"))):
            if (text, ground) == ("between", "sunken"):
                continue  # never shown there
            assert contrast(getattr(scheme, text), getattr(scheme, ground)) >= least, (text, ground)
    assert contrast(scheme.on_accent, scheme.accent) >= least
    assert contrast(scheme.edge, scheme.card) >= 3.0
    assert set(dir(scheme)) >= {*TEXTS, *grounds}


@pytest.mark.parametrize("name", appearance.SCHEMES)
def test_a_slider_can_be_seen_with_its_way(name: str, qapp: QApplication) -> None:
    """WCAG 2.2, 1.4.11: Qt's own is drawn dark on dark."""
    scheme = appearance.SCHEMES[name]
    ground = QWidget()
    slider = QSlider(Qt.Orientation.Horizontal, ground)
    slider.setGeometry(0, 0, 200, 24)
    slider.setRange(0, 10)
    slider.setValue(5)
    try:
        theme.apply(qapp, scheme)
        picture = QImage(200, 24, QImage.Format.Format_RGB32)
        picture.fill(QColor(scheme.card))
        slider.render(picture, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
        for at in (40, 160):  # before the handle and behind it
            assert contrast(picture.pixelColor(at, 12).name(), scheme.card) >= 3.0
        edges = [picture.pixelColor(at, 8).name() for at in range(85, 115)]
        assert max(contrast(each, scheme.card) for each in edges) >= 3.0
    finally:
        theme.apply(qapp, theme.LIGHT)


def test_the_menu_dresses_at_once_and_is_remembered(window: MainWindow, qapp: QApplication) -> None:
    menu = appearance.appearance_menu(window)
    acts = dict(zip(("system", *appearance.SCHEMES), menu.actions(), strict=True))
    try:
        for name, scheme in appearance.SCHEMES.items():
            acts[name].trigger()
            assert theme.colours() is scheme
            assert appearance.chosen() == name
            appearance.dress(qapp)  # as the next start does
            assert theme.colours() is scheme
    finally:
        acts["system"].trigger()
    assert appearance.chosen() == appearance.SYSTEM
    assert theme.colours() is theme.LIGHT


def painted(top: QWidget) -> set[int]:
    """Return the colours that stand on a widget."""
    image = top.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return set(np.unique(np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF).tolist())


def test_nothing_keeps_the_colours_of_the_scheme_before(
    opened: MainWindow, idle: Callable[[MainWindow], None], qapp: QApplication
) -> None:
    """Icons of tabs and cards and the marks of a plot did: light orange on white."""
    opened.resize(1366, 768)
    opened.show_step(Step.PLAN)
    opened.plan_page.t_p.setValue(99)  # asks for more than it gets: a tab with a warning
    light, dark = ({QColor(getattr(each, name)).rgb() & 0xFFFFFF for name in TEXTS} for each in SCHEMES)
    views = ((Step.CLASSIFY, None), (Step.PLAN, 3))
    seen: list[set[int]] = []
    try:
        for scheme in SCHEMES:
            theme.apply(qapp, scheme)
            for step, at in views:
                opened.show_step(step)
                if at is not None:
                    opened.plan_page.tabs.setCurrentIndex(at)
                idle(opened)
                qapp.processEvents()
                seen.append(painted(opened))
    finally:
        theme.apply(qapp, theme.LIGHT)
    for view, before, after in zip(views, seen, seen[len(views) :], strict=False):
        assert len(before & (light - dark)) > 3
        assert not after & before & (light - dark), (view, [f"{each:06x}" for each in after & light])
