"""How often values occur together in Parquet files, counted by DuckDB in a reader's process: no record leaves it.

What DuckDB is told holds no word of a user or a file: files are parameters, columns go by their places. It may open the
files named and nothing else, looks for no extension, and has no place for what does not fit into its memory.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from splu_desktop.core.progress import Progress
from splu_desktop.files.isolation.wire import Plain

MEMORY = 512 << 20  # bytes that DuckDB may take
_THREADS = 4  # at most
_SAMPLE, _DIFFERENT = 100_000, 0.9  # records, and the share of them with other values than all others from which on
_TYPES = {"VARCHAR", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP"}  # those that a release's own writer makes


def counts(paths: list[str], progress: Progress, *, names: list[str], wanted: list[int]) -> Plain:
    """Return (codes, distinct values) of some columns over the combinations that occur, and records of each of these.

    Parameters
    ----------
    paths : the files.
    names : all their columns, in order.
    wanted : the places of those that are asked for.

    Returns None where that can't be told, or not any sooner than by reading every record.
    """
    import duckdb  # an optional part; who asks has looked for it

    progress.report("Counting", 0.0)
    asked = ", ".join(f"c{at}" for at in wanted)
    source = f"read_parquet(?) AS t({', '.join(f'c{at}' for at in range(len(names)))})"
    settings: Any = {
        "threads": min(os.cpu_count() or 1, _THREADS),
        "memory_limit": f"{MEMORY >> 20}MiB",
        "temp_directory": "",
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(config=settings) as engine:

            def asked_of(query: str, *given: Any) -> Any:
                return engine.execute(query, given)

            asked_of("SET allowed_paths = ?", paths)
            asked_of("SET enable_external_access = false")
            asked_of("SET lock_configuration = true")
            for path in paths:  # another order of columns, or columns within columns, would be counted by wrong places
                _, *told = asked_of("SELECT name, num_children FROM parquet_schema(?)", path).fetchall()
                if told != [(name, None) for name in names]:
                    return None
            types = [column[1] for column in asked_of(f"SELECT {asked} FROM {source} LIMIT 0", paths).description]
            if not {str(kind) for kind in types} <= _TYPES:
                return None
            few = f"SELECT DISTINCT * FROM (SELECT {asked} FROM {source} LIMIT {_SAMPLE})"
            if asked_of(f"SELECT count(*) FROM ({few})", paths).fetchone()[0] > _DIFFERENT * _SAMPLE:
                return None
            cells = asked_of(f"SELECT {asked}, count(*) AS n FROM {source} GROUP BY ALL", paths).fetchnumpy()
    except duckdb.Error:  # the way by records reads it, or says what is wrong
        return None
    columns = []
    for at, kind in zip(wanted, types, strict=True):
        each = cells[f"c{at}"].astype("datetime64[D]") if str(kind) == "DATE" else cells[f"c{at}"]
        index: dict[Any, int] = {}
        codes = np.fromiter((index.setdefault(value, len(index)) for value in each.tolist()), np.int32, len(each))
        columns.append([codes, list(index)])
    return {"columns": columns, "counts": cells["n"].astype(np.int64)}
