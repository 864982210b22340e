"""Light, dark and high contrast: chosen in the menu, remembered, and legible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QWidget

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
