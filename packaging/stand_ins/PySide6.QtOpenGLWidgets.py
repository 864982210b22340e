"""Stands in the bundle for PySide6.QtOpenGLWidgets, of which pyqtgraph derives a class that is never made."""

from PySide6.QtWidgets import QWidget as QOpenGLWidget  # noqa: F401
