"""`--engine`: what reads and counts a table that memory can't hold."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from splu_desktop.cli.base.help import takes
from splu_desktop.cli.base.import_options import choices_from, recipe_from
from splu_desktop.core.errors import BadSetting
from splu_desktop.core.progress import Progress

# Name -> the module that opens a file by it, what that needs, and the extra that brings it.
_ENGINES = {
    "duckdb": ("splu_desktop.files.large.duck", ("duckdb", "pyarrow"), "large"),
    "spark": ("splu_desktop.cluster.spark", ("pyspark", "pyarrow"), "spark"),
}


def add_engine_option(group: Any) -> None:
    """Give a command, or a group of its options, the engine."""
    takes(
        group,
        "--engine memory|duckdb|spark",
        "what holds the table; duckdb takes CSV of any size, spark on a cluster",
        choices=["memory", *_ENGINES],
    )


@contextmanager
def open_engine(args: argparse.Namespace, progress: Progress) -> Iterator[Any]:
    """Give the file as a `LargeTable` of the engine that is asked for; None where memory holds the table.

    Raises SpluError; Cancelled.
    """
    if args.engine in (None, "memory"):
        yield None
        return
    module, needed, extra = _ENGINES[args.engine]
    if not all(map(importlib.util.find_spec, needed)):
        raise BadSetting(
            "--engine {engine} needs an optional part: pip install 'splu-desktop[{extra}]'.",
            engine=args.engine, extra=extra,
        )  # fmt: skip
    with importlib.import_module(module).opened(args.file, choices_from(args, recipe_from(args)), progress) as table:
        yield table
