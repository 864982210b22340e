"""Stands in the bundle for PySide6.QtOpenGL (9 MB), which pyqtgraph imports unasked: nothing is drawn by OpenGL."""
