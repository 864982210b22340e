"""What every test gets: a data folder of its own, and randomness that is the same in every run.

Releases draw from the operating system (tests/core/test_randomness.py and tests/end2end/test_laws.py see to that). In
the tests the bits behind it come from a seeded generator instead, so that a red check means a fault and never bad luck:
an interval that holds 95 times in 100 fails some test in every tenth run otherwise.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

from splu_desktop.core.mechanism.randomness import SystemRandomness
from splu_desktop.core.messages import Phrase
from splu_desktop.core.progress import Progress
from splu_desktop.files.language import language
from tests.optional import closing_line, skip_what_lacks
from tests.seeded import Seeded

# The same examples in every run, and no example judged by its time: a red check means a fault, not a busy machine.
settings.register_profile("splu", deadline=None, derandomize=True)
settings.load_profile("splu")

SYSTEM_BITS = SystemRandomness.bits
_source = Seeded(0)


def _reseed(name: str) -> None:
    global _source
    _source = Seeded(zlib.crc32(name.encode()))


def _seeded_bits(_: SystemRandomness, count: int) -> NDArray[np.uint32]:
    return _source.bits(count)


@pytest.fixture(autouse=True, scope="session")
def _repeatable() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SystemRandomness, "bits", _seeded_bits)
        yield


@pytest.fixture(autouse=True)
def _own_kinds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws and analyses that tests add are known to the tests of them alone."""
    if request.module.__name__.rpartition(".")[2] in ("test_analyses", "test_contributing", "test_new_draw"):
        return
    for name in ("splu_desktop.core.mechanism.draw", "splu_desktop.core.answer.analyses"):
        if (module := sys.modules.get(name)) is not None:
            own = {key: kind for key, kind in module._KNOWN.items() if not _made_in(kind).startswith("tests.")}
            monkeypatch.setattr(module, "_KNOWN", own)


def _made_in(kind: Any) -> str:
    return str(getattr(kind, "make", kind).__module__)


@pytest.fixture(autouse=True, scope="session")
def _parts_are_said() -> Iterator[None]:
    """No sentence of the program stands in another as mere text, where it would stay English in every language."""
    known = {key for key in language("de").core if key.count(" ") > 1}
    filled: set[str] = set()
    make = Phrase.__new__

    def said(cls: type[Phrase], template: str, values: Mapping[str, object]) -> Phrase:
        bare = [value for value in values.values() if type(value) is str and (value in known or value in filled)]
        assert not bare, f"not said by say(): {bare}"
        made = make(cls, template, values)
        if template in known and values and template.count(" ") > 3:  # "40 and more" is also a label of ours
            filled.add(str.__str__(made))
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Phrase, "__new__", said)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> None:
    """What a module's tests share draws the same whichever test asks first for it, and whatever ran before."""
    if fixturedef.scope == "module":
        _reseed(request.node.nodeid)


@pytest.fixture(autouse=True)
def _repeatable_test(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    _reseed(request.node.nodeid)
    if (output := sys.modules.get("splu_desktop.cli.base.output")) is not None:
        monkeypatch.setattr(output, "_spoken", ["en"])  # whichever a test before has spoken
    if request.node.get_closest_marker("system_randomness"):
        monkeypatch.setattr(SystemRandomness, "bits", SYSTEM_BITS)


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path_factory.mktemp("splu-data")))


@pytest.fixture
def readers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let readers of other formats work in this process, where what they read is tested and not that it is isolated."""
    from splu_desktop.files.importer import child  # what most tests do without
    from splu_desktop.files.isolation import parent, wire

    def run(asked: IO[bytes], found: IO[bytes], progress: Progress, most: int, seconds: int) -> None:
        child.answer(wire.read(memoryview(asked.read())), progress, found)
        found.flush()

    monkeypatch.setattr(parent, "_run", run)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skip_what_lacks(items)


def _skipped(reporter: pytest.TerminalReporter) -> tuple[str, list[str]]:
    reasons = [str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])]
    return closing_line(reasons)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Let nothing be skipped but the optional parts, on the system that developers and CI have."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and exitstatus == 0 and sys.platform == "linux" and _skipped(reporter)[1]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    line, other = _skipped(terminalreporter)
    if line:
        terminalreporter.write_line(line)
    if other:
        terminalreporter.write_line(f"FAILED: skipped for a reason that tests/optional.py does not know: {other}")
