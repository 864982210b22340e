"""What the later pages need, imported before they are wanted."""

from __future__ import annotations

from importlib import import_module

from splu_desktop.core.progress import Progress


def load_ahead(progress: Progress) -> None:
    """Import what the later pages need while a table is read, in the worker: the window would stand still for it.

    Only what has nothing to do with Qt. Raises Cancelled.
    """
    for name in (
        "core.checks.gate", "core.checks.selfcheck", "core.guarantees.planning", "core.query.engine",
        "files.publish.publishing", "files.release.handover", "report.make",
    ):  # fmt: skip
        progress.report("Getting ready", 0.0)
        import_module(f"splu_desktop.{name}")
