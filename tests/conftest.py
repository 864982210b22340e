"""What every test gets: a data folder of its own, so that no test sees or writes the user's register of releases."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPLU_DATA_DIR", str(tmp_path_factory.mktemp("splu-data")))
