"""Colours, fonts and icons: one palette for light and one for dark, on top of Qt's Fusion style.

No widget keeps a colour of its own: it asks `colours()` when it draws, and again when Qt tells it that its
palette changed. So the window follows the system's scheme while it runs.
"""

from __future__ import annotations

from functools import lru_cache
from string import Template
from typing import Any

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from splu_desktop.core.resources import resource_path


def _shade(*of_schemes: str) -> Any:
    """Return a colour as it stands in `Colours`: light, dark, and for those who need contrast."""
    return of_schemes


class Colours:
    """One scheme. `protected`, `answerable` and `between` mean the same thing on every page.

    The hues are Okabe and Ito's, darkened or lightened until text in them has a contrast of 4.5:1 on `page` and `card`.
    In the third scheme every text has 7:1 and more, edges are as strong as text, and no soft ground carries meaning.
    """

    def __init__(self, number: int, *, dark: bool) -> None:
        self.dark = dark
        for name in Colours.__annotations__:
            setattr(self, name, getattr(Colours, name)[number])

    window: str = _shade("#eef1f4", "#171d23", "#000000")  # rail, panel, status bar
    page: str = _shade("#f8fafb", "#1c232a", "#000000")
    card: str = _shade("#ffffff", "#242c34", "#050505")
    sunken: str = _shade("#f0f3f6", "#2b343d", "#1a1a1a")  # headers of tables, quiet chips
    line: str = _shade("#d3dae1", "#3c4753", "#ffffff")
    edge: str = _shade("#86919c", "#76838f", "#ffffff")  # of what is typed into or moved: 3:1 on `card`
    text: str = _shade("#1b252f", "#e7ecf1", "#ffffff")
    quiet: str = _shade("#52606d", "#a9b5c1", "#ffffff")  # second-rank text
    disabled: str = _shade("#98a4b0", "#6b7783", "#b0b0b0")
    accent: str = _shade("#00629b", "#5eb8ea", "#ffe600")
    on_accent: str = _shade("#ffffff", "#08202f", "#000000")
    accent_soft: str = _shade("#deedf7", "#1d3b4f", "#333000")
    protected: str = _shade("#96376d", "#eba6cb", "#ffb3e0")
    protected_soft: str = _shade("#f7e6ef", "#4a2a3c", "#3d0026")
    answerable: str = _shade("#006b4e", "#55cfa4", "#5cffc0")
    answerable_soft: str = _shade("#dcf2ea", "#1b4437", "#003322")
    between: str = _shade("#5c6873", "#b0bac4", "#ffffff")
    between_soft: str = _shade("#e8ecef", "#39434d", "#333333")
    warning: str = _shade("#8a5300", "#f2b950", "#ffc766")
    warning_soft: str = _shade("#fdf0d5", "#4a3a17", "#332200")
    fault: str = _shade("#b03a00", "#ff9d73", "#ffb199")
    fault_soft: str = _shade("#fde8de", "#55291a", "#401000")


LIGHT, DARK, CONTRAST = Colours(0, dark=False), Colours(1, dark=True), Colours(2, dark=True)


def colours() -> Colours:
    """Return the scheme that is on, told from the application's palette (a style sheet distorts a widget's own)."""
    base = QGuiApplication.palette().color(QPalette.ColorRole.Base)
    if base == QColor(CONTRAST.card):
        return CONTRAST
    return DARK if base.lightness() < 128 else LIGHT


def palette_of(scheme: Colours) -> QPalette:
    """Return the Qt palette of a scheme."""
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette()
    for where, colour in {
        role.Window: scheme.page,
        role.WindowText: scheme.text,
        role.Base: scheme.card,
        role.AlternateBase: scheme.sunken,
        role.Text: scheme.text,
        role.PlaceholderText: scheme.quiet,
        role.Button: scheme.card,
        role.ButtonText: scheme.text,
        role.BrightText: scheme.on_accent,
        role.ToolTipBase: scheme.card,
        role.ToolTipText: scheme.text,
        role.Highlight: scheme.accent,
        role.HighlightedText: scheme.on_accent,
        role.Accent: scheme.accent,
        role.Link: scheme.accent,
        role.LinkVisited: scheme.accent,
        role.Light: scheme.card,
        role.Midlight: scheme.sunken,
        role.Mid: scheme.line,
        role.Dark: scheme.quiet,
        role.Shadow: scheme.line,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText, role.PlaceholderText):
        palette.setColor(group.Disabled, where, QColor(scheme.disabled))
    palette.setColor(group.Disabled, role.Highlight, QColor(scheme.line))
    return palette


def apply(application: QApplication, scheme: Colours) -> None:
    """Dress the application in `scheme`."""
    application.setStyleSheet("")  # else Qt dresses each widget anew at each change of one above it
    application.setPalette(palette_of(scheme))
    application.setStyleSheet(style_sheet(scheme))


def resize_font(base: QFont, times: float, *, bold: bool = False) -> QFont:
    """Return a font so many times as large."""
    font = QFont(base)
    font.setPointSizeF(base.pointSizeF() * times)
    if bold:
        font.setBold(True)
    return font


def title_font(base: QFont) -> QFont:
    """The largest of the three sizes: names of pages and the one figure that matters."""
    font = resize_font(base, 1.6)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def small_font(base: QFont) -> QFont:
    """The smallest of the three sizes: captions and notes."""
    return resize_font(base, 0.92)


def style_sheet(scheme: Colours) -> str:
    """Return the little that palette and Fusion can't say, from `resources/style/window.qss`."""
    prefix = "dark" if scheme.dark else "light"
    places = {name: getattr(scheme, name) for name in Colours.__annotations__}
    for part in ("check", "up", "down"):
        # Quoted, since the program may lie in a folder with a space in its name.
        path = resource_path(f"style/{prefix}-{part}.svg").as_posix().replace('"', '\\"')
        places[part] = f'"{path}"'
    return Template(resource_path("style/window.qss").read_text("utf-8")).substitute(places)


@lru_cache(maxsize=512)
def pixmap(name: str, colour: str, size: int = 16, ratio: float = 1.0, gap: int = 0) -> QPixmap:
    """Return an icon drawn in one colour, `size` logical pixels wide and `gap` more, sharp at the screen's `ratio`."""
    drawing = resource_path(f"icons/{name}.svg").read_bytes().replace(b"currentColor", colour.encode())
    drawn = QSvgRenderer(QByteArray(drawing))
    picture = QPixmap(QSize(round((size + gap) * ratio), round(size * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    drawn.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def icon(name: str, colour: str, gap: int = 0) -> QIcon:
    """Return an icon for buttons and menus, drawn for the screens that there are: it is half of the start else.

    `gap` is empty room at its right, in logical pixels: a styled button leaves none between icon and text.
    """
    picture = QIcon()
    for ratio in {screen.devicePixelRatio() for screen in QGuiApplication.screens()}:
        picture.addPixmap(pixmap(name, colour, 16, ratio, gap))
    return picture
