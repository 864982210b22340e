"""Colours, fonts and icons: one palette for light and one for dark, on top of Qt's Fusion style.

No widget keeps a colour of its own: it asks `colours()` when it draws, and again when Qt tells it that its
palette changed. So the window follows the system's scheme while it runs.
"""

from __future__ import annotations

from functools import lru_cache
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
    """Return the little that palette and Fusion can't say. Widgets are named by their `look` property."""
    s = scheme
    name = "dark" if s.dark else "light"
    # Quoted, since the program may lie in a folder with a space in its name.
    check, up, down = (
        '"' + resource_path(f"style/{name}-{part}.svg").as_posix().replace('"', '\\"') + '"'
        for part in ("check", "up", "down")
    )
    grounds = "".join(
        f'QFrame[look="banner-{kind}"] {{ background: {soft}; border: none; border-radius: 6px; }}'
        f'QFrame[look="verdict-{kind}"] {{ background: {soft}; border: none; border-left: 4px solid {strong};'
        "border-radius: 4px; }"
        for kind, strong, soft in (
            ("note", s.accent, s.accent_soft),
            ("warning", s.warning, s.warning_soft),
            ("fault", s.fault, s.fault_soft),
            ("done", s.answerable, s.answerable_soft),
        )
    )
    named = "accent", "answerable", "warning", "fault", "protected"
    words = "".join(f'QLabel[look="{name}"] {{ color: {getattr(s, name)}; }}' for name in named)
    # A header's arrow stands above its text, not on it; Qt's up-arrow is that of a falling order.
    return f"""
    QToolTip {{ color: {s.text}; background: {s.card}; border: 1px solid {s.line}; padding: 4px; }}
    QWidget[look="window"] {{ background: {s.window}; }}
    QFrame[look="card"], QFrame[look="choice"] {{ background: {s.card}; border: 1px solid {s.line};
        border-radius: 6px; }}
    QFrame[look="well"] {{ background: {s.card}; border: 2px dashed {s.line}; border-radius: 8px; }}
    QFrame[look="rule"] {{ background: {s.line}; border: none; }}
    QLabel[look|="quiet"] {{ color: {s.quiet}; }}
    QLabel[look="strong"], QLabel[look="accent"], QLabel[look="protected"] {{ font-weight: 600; }}
    {grounds}
    QWidget[look="footer"] {{ background: {s.page}; }}
    QFrame[look="follows"] {{ background: {s.accent_soft}; border: none; border-radius: 6px; }}
    QFrame[look="card-fault"] {{ background: {s.card}; border: 1px solid {s.fault}; border-radius: 6px; }}
    QFrame[look="card-accent"] {{ background: {s.card}; border: 2px solid {s.accent}; border-radius: 6px; }}
    QFrame[look="choice-taken"] {{ background: {s.accent_soft}; border: 2px solid {s.accent}; border-radius: 6px; }}
    {words}
    QAbstractButton, QTabBar, QSlider {{ outline: none; }}
    QPushButton {{ padding: 5px 12px; border: 1px solid {s.line}; border-radius: 5px; background: {s.card}; }}
    QPushButton:hover {{ background: {s.sunken}; }}
    QPushButton:pressed {{ background: {s.line}; }}
    QPushButton:checked {{ background: {s.accent_soft}; border-color: {s.accent}; }}
    QPushButton:disabled {{ color: {s.disabled}; background: {s.page}; }}
    QPushButton[look="primary"] {{ background: {s.accent}; color: {s.on_accent}; border: 1px solid {s.accent};
        padding: 7px 20px; font-weight: 600; }}
    QPushButton[look="primary"]:hover {{ background: {s.text}; border-color: {s.text}; color: {s.page}; }}
    QPushButton[look="primary"]:disabled {{ background: {s.sunken}; color: {s.disabled}; border-color: {s.line}; }}
    QPushButton[look|="flat"] {{ border: 1px solid transparent; background: transparent; color: {s.accent}; }}
    QPushButton[look|="flat"]:hover {{ background: {s.accent_soft}; }}
    QPushButton[look|="flat"]:disabled {{ color: {s.disabled}; }}
    QPushButton[look="flat-link"], QPushButton[look="flat-entry"] {{ padding: 2px 4px; }}
    QPushButton[look="flat-entry"] {{ text-align: left; }}
    QPushButton[look="steps"] {{ padding: 2px 22px 2px 10px; font-weight: 600; }}
    QPushButton[look="flat"]::menu-indicator {{ image: none; width: 0; }}
    QPushButton[look="pill"] {{ border-radius: 11px; padding: 3px 12px; }}
    QTableView, QListView, QTextBrowser {{ background: {s.card}; border: 1px solid {s.line}; border-radius: 6px;
        gridline-color: {s.sunken}; selection-background-color: {s.accent_soft}; selection-color: {s.text};
        outline: 0; }}
    QTableView[look="bare"], QFrame[look="card"] QListWidget {{ border: none; border-radius: 0; }}
    QTableView::item {{ padding: 0 8px; }}
    QListView::item {{ padding: 3px 6px; }}
    QListView[look="parts"]::item {{ padding: 8px 12px; }}
    QListView[look="parts"]::item:selected {{ font-weight: 600; }}
    QTableView::item:focus {{ border: 1px solid {s.accent}; padding: 0 7px; }}
    QTableView::item:selected, QListView::item:selected {{ background: {s.accent_soft}; color: {s.text}; }}
    QHeaderView {{ background: {s.sunken}; border: none; border-radius: 6px; }}
    QHeaderView::section {{ background: {s.sunken}; color: {s.quiet}; border: none; padding: 5px 11px;
        border-bottom: 1px solid {s.line}; border-right: 1px solid {s.line}; }}
    QHeaderView::up-arrow, QHeaderView::down-arrow {{ subcontrol-position: top center; width: 10px; height: 10px;
        top: -3px; }}
    QHeaderView::up-arrow {{ image: url({down}); }}
    QHeaderView::down-arrow {{ image: url({up}); }}
    QTableCornerButton::section {{ background: {s.sunken}; border: none; }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {s.line}; }}
    QTabBar::tab {{ background: transparent; color: {s.quiet}; padding: 6px 12px; border: none;
        border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {s.text}; border-bottom: 2px solid {s.accent}; }}
    QTabBar::tab:hover {{ color: {s.text}; }}
    QLineEdit[look="field"], QPlainTextEdit, QAbstractSpinBox, QComboBox {{ background: {s.card};
        border: 1px solid {s.edge}; border-radius: 5px; selection-background-color: {s.accent};
        selection-color: {s.on_accent}; }}
    QLineEdit[look="field"] {{ padding: 4px 6px; }}
    QAbstractSpinBox, QComboBox {{ padding: 3px 6px; min-height: 18px; }}
    QLineEdit[look="field"]:disabled, QAbstractSpinBox:disabled, QComboBox:disabled {{ color: {s.disabled};
        placeholder-text-color: {s.disabled}; background: {s.page}; border-color: {s.line}; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ subcontrol-origin: border; width: 18px;
        background: transparent; border: none; }}
    QAbstractSpinBox::up-button {{ subcontrol-position: top right; }}
    QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; }}
    QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover {{ background: {s.sunken}; }}
    QAbstractSpinBox::up-arrow {{ image: url({up}); width: 10px; height: 10px; }}
    QAbstractSpinBox::down-arrow {{ image: url({down}); width: 10px; height: 10px; }}
    QComboBox::drop-down {{ border: none; width: 20px; }}
    QComboBox::down-arrow {{ image: url({down}); width: 12px; height: 12px; }}
    QComboBox QAbstractItemView {{ border: 1px solid {s.line}; border-radius: 0; }}
    QCheckBox, QRadioButton {{ spacing: 8px; padding: 2px 3px 2px 5px; }}
    QCheckBox::indicator, QRadioButton::indicator, QTableView::indicator, QListView::indicator {{ width: 14px;
        height: 14px; border: 1px solid {s.quiet}; border-radius: 3px; background: {s.card}; }}
    QCheckBox::indicator:checked, QTableView::indicator:checked, QListView::indicator:checked {{
        background: {s.accent}; border-color: {s.accent}; image: url({check}); }}
    QCheckBox::indicator:disabled {{ border-color: {s.line}; background: {s.sunken}; }}
    QCheckBox::indicator:checked:disabled {{ background: {s.disabled}; border-color: {s.disabled}; }}
    QRadioButton::indicator {{ border-radius: 8px; }}
    QRadioButton::indicator:checked {{ border: 5px solid {s.accent}; width: 6px; height: 6px; }}
    QRadioButton::indicator:disabled {{ border-color: {s.line}; }}
    QLabel[look="number"] {{ color: {s.accent}; background: {s.accent_soft}; border: 1px solid {s.accent};
        border-radius: 12px; min-width: 22px; max-width: 22px; min-height: 22px; max-height: 22px;
        qproperty-alignment: AlignCenter; }}
    QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
    QScrollBar::handle {{ background: {s.edge}; border-radius: 4px; margin: 2px; }}
    QScrollBar::handle:vertical {{ min-height: 32px; }}
    QScrollBar::handle:horizontal {{ min-width: 32px; }}
    QScrollBar::handle:hover {{ background: {s.quiet}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QScrollArea, QAbstractScrollArea::corner {{ background: transparent; border: none; }}
    QProgressBar {{ border: none; border-radius: 4px; background: {s.line}; max-height: 8px; min-height: 8px; }}
    QProgressBar::chunk {{ background: {s.accent}; border-radius: 4px; }}
    QStatusBar {{ background: {s.window}; border-top: 1px solid {s.line}; }}
    QStatusBar::item {{ border: none; }}
    QMenuBar {{ background: {s.window}; }}
    QMenuBar::item {{ padding: 4px 10px; background: transparent; }}
    QMenuBar::item:selected {{ background: {s.accent_soft}; }}
    """


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
    made = QIcon()
    for ratio in {screen.devicePixelRatio() for screen in QGuiApplication.screens()}:
        made.addPixmap(pixmap(name, colour, 16, ratio, gap))
    return made
