"""How soon publishing stops when asked to: the longest time between two looks at the cancel flag, stage by stage.

    python -m benchmarks.cancel [--records 1000000] [--formats csv,xlsx,parquet] [--zip] [--password]

A run can only stop where it looks whether it was asked to, so the longest time between two looks is the longest wait.
Looks are counted per thread: "beside" is the work that goes on next to the main line (self-check, hashes), which has to
end, too, before a cancelled run is over. Own work is the thread's processor time in the gap with the
longest: on a busy machine a gap is longer than the work in it.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path
from unittest import mock

from benchmarks.publish import make_csv, make_distinct_csv
from splu_desktop.cli.base.planning import make_plan
from splu_desktop.core.generalise import by_width
from splu_desktop.core.progress import Watched
from splu_desktop.files.disk import background
from splu_desktop.files.importer import read
from splu_desktop.files.publish.publishing import Order, publish
from splu_desktop.files.register.book import Register

LIMIT = 0.2  # seconds


class Gaps:
    """A Progress that keeps, for each thread and stage, the longest time since the look before."""

    def __init__(self) -> None:
        self.longest: dict[tuple[str, str], tuple[float, float, float]] = {}
        self._last: dict[int, tuple[str, float, float]] = {}
        self._lock = threading.Lock()

    def report(self, stage: str, done: float) -> None:
        """Note a look. A gap belongs to the stage that the look at its beginning named."""
        me, now, own = threading.get_ident(), time.perf_counter(), time.thread_time()
        where = "main" if threading.current_thread() is threading.main_thread() else "beside"
        with self._lock:
            if me in self._last:
                before, since, own_since = self._last[me]
                key, gap = (where, before), (now - since, own - own_since, done)
                self.longest[key] = max(self.longest.get(key, gap), gap)
            self._last[me] = stage, now, own

    def forget(self) -> None:
        """The thread's work is over: what follows in it is other work."""
        with self._lock:
            self._last.pop(threading.get_ident(), None)


def measure(order: Order, register: Register) -> Gaps:
    """Publish once and return the gaps of all threads."""
    gaps = Gaps()

    class Both(Watched):
        def __init__(self, show: object, stopped: object) -> None:
            super().__init__(gaps.report, stopped)  # type: ignore[arg-type]

    real = background.in_background

    def watched(work, progress, *stage):  # type: ignore[no-untyped-def]
        def whole(own):  # type: ignore[no-untyped-def]
            own.report("Starting", 0.0)
            try:
                return work(own)
            finally:
                own.report("Ending", 1.0)
                gaps.forget()

        return real(whole, progress, *stage)

    with (
        mock.patch.object(background, "Watched", Both),
        mock.patch("splu_desktop.files.publish.publishing.in_background", watched),
        mock.patch("splu_desktop.files.release.folder.in_background", watched),
    ):
        gaps.report("Beginning", 0.0)
        publish(order, strict=False, register=register, progress=gaps)
        gaps.report("End", 1.0)
    return gaps


def main() -> None:
    """Print one line per thread and stage, the longest gap first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--formats", default="csv,xlsx,parquet")
    parser.add_argument("--distinct", action="store_true", help="columns with a value per record")
    parser.add_argument("--zip", action="store_true")
    parser.add_argument("--password", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="splu-bench-") as name:
        folder = Path(name)
        (make_distinct_csv if args.distinct else make_csv)(folder / "source.csv", args.records)
        imported = read(folder / "source.csv")
        table = imported.table
        steps = {"age": (by_width(table["age"], 10),)}
        nsa = ["admitted at", "charge", "note", "reading"] if args.distinct else []
        kept = dict.fromkeys(nsa, "a benchmark")
        plan, _ = make_plan(
            table,
            sensitive=["diagnosis:10", "insurance:2"],
            nsa=nsa,
            kept=kept,
            generalisations=steps,
        )
        order = Order(
            table, plan, folder / ("r.zip" if args.zip else "r"), formats=tuple(args.formats.split(",")),
            packed=args.zip, password="a long password" if args.password else None,
            source=folder / "source.csv", source_sha256=imported.source.sha256,
        )  # fmt: skip
        for turn in ("first release", "second release (compared with the first)"):
            gaps = measure(order, Register(folder / "register"))
            print(f"{turn}, {args.records} records x {len(table.columns)}")
            print(f"{'thread':8}{'stage':34}{'longest gap':>12}{'own work':>10}{'ends at':>9}")
            for (where, stage), (gap, own, done) in sorted(gaps.longest.items(), key=lambda item: -item[1][0]):
                mark = "  over" if own > LIMIT else ""
                print(f"{where:8}{stage:34}{1000 * gap:9.0f} ms{1000 * own:7.0f} ms{100 * done:7.0f} %{mark}")
            if order.packed:
                order.target.unlink()
            else:
                for path in order.target.iterdir():
                    path.unlink()
                order.target.rmdir()


if __name__ == "__main__":
    main()
