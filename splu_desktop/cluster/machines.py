"""A Spark cluster to work on: an existing one, or one of this computer's own processes."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from splu_desktop.core.errors import SpluError
from splu_desktop.core.messages import say

ALONE = "local[2]"  # where no cluster is named
_ALWAYS = {  # nothing of the data in files that stay, and nothing done twice without need
    "spark.eventLog.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.io.encryption.enabled": "true",
    "spark.speculation": "false",
    "spark.log.level": "OFF",
}
_FAILED = re.compile(r"\bWorkFailed: (\w+ in (?:\?|[\w./\\]+:\d+))")


class NoSpark(SpluError):
    """PySpark or Java is not here, or the cluster can't be reached."""


class ClusterFailed(SpluError):
    """The cluster gave up."""


class Cluster:
    """Runs functions of `work` on the machines of a cluster."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def parts(self, items: Sequence[Any]) -> Any:
        """Return a collection of as many parts as items."""
        return self._context.parallelize(list(items), len(items))

    def told(self, parts: Any) -> list[Any]:
        """Return what all parts give, once all is done. Raises ClusterFailed."""
        try:
            return list(parts.collect())
        except Exception as fault:  # Spark's faults are of many kinds, and their texts are not to be shown
            said = str(fault)
        if "Torn" in said:
            raise torn()
        found = _FAILED.search(said)
        where = found.group(1) if found else say("it gave no reason that may be shown")
        raise ClusterFailed(
            "The cluster could not finish ({where}), so nothing was published and nothing is left behind; look at "
            "its machines, memory and disks, and publish again.",
            where=where,
        )


def torn() -> ClusterFailed:
    """Return the fault for work of two attempts that would have been mixed."""
    return ClusterFailed(
        "A machine was lost after others had used its work, or the source changed, so nothing was published and "
        "nothing is left behind; publish again."
    )


def sent_to(parts: Any, receivers: int) -> Any:
    """Return what parts send, (receiver, sent) each, in one part for each receiver."""
    return parts.partitionBy(receivers, _itself)


def _itself(receiver: int) -> int:
    return receiver


@contextlib.contextmanager
def cluster(master: str | None = None, settings: Sequence[tuple[str, str]] = ()) -> Iterator[Cluster]:
    """Give a cluster, and let it go.

    Parameters
    ----------
    master : its address as Spark knows it; None for the one that `spark-submit` or Spark's own settings name, else two
        processes of this computer.
    settings : further settings of Spark.

    Raises NoSpark.
    """
    try:
        import pyspark  # an optional part
        from pyspark import SparkConf, SparkContext
    except ImportError:
        raise NoSpark(
            "Spark is not part of this installation; install the program with its “spark” extra, and Java 17 or newer."
        ) from None
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise NoSpark("Spark needs Java 17 or newer, which is not installed here.")
    private = Path(tempfile.mkdtemp(prefix="splu-spark-"))  # nobody else may enter it
    before = {name: os.environ.get(name) for name in ("SPARK_HOME", "PYSPARK_PYTHON")}
    try:
        conf = SparkConf()
        if master is not None or not conf.contains("spark.master"):
            conf.setMaster(master or ALONE)
        if conf.get("spark.master", "").startswith("local"):
            # Its processes write logs and the like into its home: into one that goes with them.
            own = _linked(Path(before["SPARK_HOME"] or Path(pyspark.__file__).parent), private)
            os.environ.update({"SPARK_HOME": str(own), "PYSPARK_PYTHON": sys.executable})
            for name, value in {
                "spark.local.dir": str(private),
                "spark.executorEnv.PYTHONPATH": str(Path(__file__).resolve().parents[2]),
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.host": "127.0.0.1",
            }.items():
                conf.setIfMissing(name, value)
        conf.setIfMissing("spark.app.name", f"splu {secrets.token_hex(4)}")
        for name, value in (*settings, *_ALWAYS.items()):
            conf.set(name, value)
        try:
            context = SparkContext(conf=conf)
        except Exception:  # of many kinds, from two languages
            raise NoSpark("The Spark cluster can't be reached; look at its address and settings.") from None
        try:
            yield Cluster(context)
        finally:
            with contextlib.suppress(Exception):  # a cluster that is gone is let go
                context.cancelAllJobs()
            with contextlib.suppress(Exception):
                context.stop()
    finally:
        for name, former in before.items():
            os.environ.pop(name, None)
            if former is not None:
                os.environ[name] = former
        shutil.rmtree(private, ignore_errors=True)


def _linked(home: Path, private: Path) -> Path:
    """Return a home of Spark in a private folder."""
    own = private / "home"
    own.mkdir()
    for entry in home.iterdir():
        if entry.name not in ("work", "logs"):
            (own / entry.name).symlink_to(entry)
    return own


Work = Callable[[int, Any], Iterator[Any]]
