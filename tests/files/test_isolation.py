"""Whatever a reader's process does, the program lives on, says one sentence and leaves nothing behind."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from splu_desktop.core.messages import Phrase, say
from splu_desktop.core.progress import Cancelled, Silent, WatchedProgress
from splu_desktop.files.importer import read
from splu_desktop.files.isolation import parent, wire
from splu_desktop.files.isolation.faults import FileFault, TooLarge
from splu_desktop.files.isolation.parent import BrokeOff, isolate
from tests.hostile.files import FORMATS, xlsx

_READ = "import sys, os, signal, time; sys.stdin.buffer.read(); "
ENDINGS = {
    "abort": "os.abort()",
    "kill": "os.kill(os.getpid(), signal.SIGKILL)",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "exit without a word": "os._exit(0)",
    "exit with a status": "sys.exit(3)",
    "an exception": "raise KeyError",
    "no message": "sys.stdout.write('nonsense' * 100)",
    "half a message": "sys.stdout.buffer.write((10 ** 6).to_bytes(8, 'little') * 2 + b'{}')",
    "a pickle": "import pickle; sys.stdout.buffer.write(pickle.dumps(os.system))",
}


def asked(path: Path) -> object:
    return isolate("workbook", path, Silent(), size=1, kind="xlsx", wanted=None)


@pytest.mark.skipif(sys.platform == "win32", reason="the endings are those of Unix")
@pytest.mark.parametrize("ending", ENDINGS)
def test_however_it_ends_the_program_says_a_sentence(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.setattr(parent, "_command", lambda: [sys.executable, "-c", _READ + ENDINGS[ending]])
    before = threading.active_count()
    with pytest.raises(BrokeOff, match=r"“t\.xlsx” can't be read"):
        asked(Path("t.xlsx"))
    assert threading.active_count() == before


def test_the_workbook_of_the_review_is_refused(tmp_path: Path) -> None:
    for number, content in enumerate(FORMATS["xlsx"][2]()):
        if number > 1:
            break
        (tmp_path / "t.xlsx").write_bytes(content)
        try:
            assert read(tmp_path / "t.xlsx").table.n == 60
        except BrokeOff:
            continue


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit it in another way")
@pytest.mark.parametrize("deed", ["bytearray(4 << 30)", "[0] * (1 << 29)", "(lambda f: f(f))(lambda f: f(f))"])
def test_memory_and_recursion_are_limited(monkeypatch: pytest.MonkeyPatch, deed: str) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(Path(parent.__file__).parents[3])!r})\n"
        "from splu_desktop.files.importer import child\n"
        f"child._do = lambda *given: {deed}\nchild.main()"
    )
    monkeypatch.setattr(parent, "_command", lambda: [sys.executable, "-c", program])
    with pytest.raises((BrokeOff, TooLarge)):
        asked(Path("t.xlsx"))


@pytest.mark.skipif(sys.platform == "win32", reason="other systems limit it in another way")
def test_no_library_waits_for_itself_when_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rust ran out of memory while it wrote where it was, and waited for its own lock: the window, for ever."""
    monkeypatch.setenv("RUST_BACKTRACE", "1")
    code = "sys.exit(os.environ['RUST_BACKTRACE'] != '0')"
    told: list[int] = []
    popen = subprocess.Popen

    def started(*given: object, **more: object) -> object:
        process = popen(*given, **more)  # type: ignore[call-overload]
        told.append(process.wait())
        return process

    monkeypatch.setattr(parent, "_command", lambda: [sys.executable, "-c", _READ + code])
    monkeypatch.setattr(parent.subprocess, "Popen", started)
    with pytest.raises(BrokeOff):
        asked(Path("t.xlsx"))
    assert told == [0]


def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(Path(parent.__file__).parents[3])!r})\n"
        "from splu_desktop.files.importer import child\n"
        "child._do = lambda *given: [0 for _ in iter(int, 1)]\nchild.main()"
    )
    monkeypatch.setattr(parent, "_command", lambda: [sys.executable, "-c", program])
    monkeypatch.setattr("splu_desktop.files.isolation.limits._SECONDS", 1.0)
    with pytest.raises(BrokeOff):
        asked(Path("t.xlsx"))


def test_cancelling_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*args: object, **options: object) -> subprocess.Popen[bytes]:
        begun.append(real(*args, **options))  # type: ignore[call-overload]
        return begun[-1]

    monkeypatch.setattr(parent, "_command", lambda: [sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(parent.subprocess, "Popen", popen)
    stop = WatchedProgress(lambda stage, done: None, lambda: bool(begun))
    with pytest.raises(Cancelled):
        isolate("workbook", Path("t.xlsx"), stop, size=1)
    assert begun[0].poll() is not None


def test_no_process_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def popen(*args: object, **options: object) -> None:
        raise OSError(12, "no memory")

    monkeypatch.setattr(parent.subprocess, "Popen", popen)
    with pytest.raises(TooLarge, match="not enough memory"):
        asked(Path("t.xlsx"))


def test_messages_come_back_as_they_were(tmp_path: Path) -> None:
    sentence = say("“{path}” has {n} rows ({share:.1f} %).", path="t", n=20_000, share=0.5)
    given = {"a": [1, 2.5, None, True, "\ud800"], 3: "\0", "say": sentence, "x": np.arange(5, dtype=np.int32)}
    given["numbers"] = [0.1, -0.0, 1e300, float("inf")]
    with (tmp_path / "m").open("w+b") as file:
        wire.write(given, file)
    found = wire.read(memoryview((tmp_path / "m").read_bytes()))
    assert found["a"] == given["a"]
    assert found[3] == given[3]
    assert isinstance(found["say"], Phrase)
    assert str(found["say"]) == "“t” has 20,000 rows (0.5 %)."
    assert found["x"].tolist() == [0, 1, 2, 3, 4]
    assert list(map(repr, found["numbers"])) == ["0.1", "-0.0", "1e+300", "inf"]


@pytest.mark.parametrize("template", ["{path.__class__}", "{path!r}", "{path:>999999999}", "{0}", "{path[0]}"])
def test_a_sentence_reaches_into_nothing(template: str) -> None:
    with pytest.raises(wire.BadMessage):
        wire._unpack({"say": [template, {"dict": [["path", "t"]]}]}, [])


def test_no_process_leaves_its_memory_behind() -> None:
    pytest.importorskip("resource")
    program = (
        "from splu_desktop.cli import main\nimport resource\ntry:\n main(['--version'])\nexcept SystemExit:\n pass\n"
    )
    program += "print(resource.getrlimit(resource.RLIMIT_CORE))"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "(0, 0)"


def test_a_pipe_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "p")
    with pytest.raises(FileFault, match="no ordinary file"):
        read(tmp_path / "p")


def test_a_small_file_starts_a_process_that_imports_little(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(xlsx())
    program = (
        "import sys, atexit\n"
        "from splu_desktop.files.importer.workbook import opened_workbook\nfrom pathlib import Path\n"
        "from splu_desktop.core.progress import Silent\n"
        f"opened_workbook.choose(Path({str(tmp_path / 't.xlsx')!r}), Silent(), kind='xlsx', wanted=None)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"pandas", "scipy", "PySide6", "pyarrow"} & set(told.stdout.split())


def test_a_parquet_file_is_read_without_pandas(tmp_path: Path) -> None:
    # pyarrow loads it for some conversions wherever it is installed: 0.2 s of each reader's process.
    day, moment = dt.date(2024, 3, 31), dt.datetime(2024, 3, 31, 8, 30)
    cells = {
        "text": ["a", None, "b"],
        "number": [1, 2, None],
        "day": [day, None, day],
        "moment": [moment, moment, None],
    }
    texts = [["a", "", "b"], ["1", "2", ""], ["2024-03-31", "", "2024-03-31"], [*["2024-03-31 08:30:00"] * 2, ""]]
    pq.write_table(pa.table({**cells, "coded": pa.array(["x", None, "x"]).dictionary_encode()}), tmp_path / "t.parquet")
    program = (
        "import sys\nfrom pathlib import Path\nfrom splu_desktop.core.progress import SILENT\n"
        "from splu_desktop.files.importer import parquet_file\n"
        f"found = parquet_file.columns(Path({str(tmp_path / 't.parquet')!r}), SILENT, limit=None)\n"
        "print([[known[code] for code in codes] for codes, known in found['columns']], 'pandas' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == f"{[*texts, ['x', '', 'x']]} False"
