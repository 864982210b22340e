"""What every test gets: a data folder of its own, so that no test sees or writes the user's register of releases."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples in every run, and no example judged by its time: a red check means a fault, not a busy machine.
settings.register_profile("splu", deadline=None, derandomize=True)
settings.load_profile("splu")


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path_factory.mktemp("splu-data")))
