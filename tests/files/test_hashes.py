"""SipHash against the numbers its authors print, multilinear hashing against its formula; old registers read on."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from splu_desktop.core.packed.texts import Texts
from splu_desktop.core.plan import Plan
from splu_desktop.core.roles.suggest import Role
from splu_desktop.core.rowkeys import stirred
from splu_desktop.core.table import Column, Table
from splu_desktop.files.register.book import Register
from splu_desktop.files.register.fingerprint import fingerprints
from splu_desktop.files.register.hashes import multilinear, siphash, siphash_words
from tests.draws import plain

_KEY = bytes(range(16))


def test_the_papers_example() -> None:
    # Appendix A: the 15 bytes 00 ... 0e under the key 00 ... 0f; and the first vectors of the reference program.
    texts = ["".join(map(chr, range(length))) for length in (15, 0, 1, 2, 8)]
    wanted = [0xA129CA6149BE45E5, 0x726FDB47DD0E0E31, 0x74F839C593DC67FD, 0x0D6C8009D9A94F5A, 0x93F5F5799A932462]
    assert siphash(texts, _KEY).tolist() == wanted
    assert siphash_words([np.array([0x0706050403020100], np.uint64)], _KEY).tolist() == wanted[-1:]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=20))
def test_registers_of_before_are_read_on(texts: list[str]) -> None:
    key = "0123456789abcdef"
    array = np.empty(len(texts), object)
    array[:] = texts
    theirs = pd.util.hash_array(array, hash_key=key, categorize=False)
    assert np.array_equal(stirred(siphash(texts, key.encode())), theirs)


def by_formula(text: str, key: bytes) -> int:
    """Return Lemire and Kaser's sum over 32-bit characters, a count ahead of them, twice."""
    raw = text.encode()
    count = len(raw) // 8 + 1
    words = bytearray(raw.ljust(8 * count, b"\0"))
    words[-1] |= len(raw) & 255
    factors = np.frombuffer(hashlib.shake_256(key).digest(32 * (count + 1)), "<u8").reshape(-1, 2, 2).tolist()
    characters = np.frombuffer(bytes(words), "<u4").reshape(-1, 2).tolist()
    found = 0
    for way in (0, 1):
        total = factors[0][way][0] * count + factors[0][way][1]
        for halves, of_word in zip(characters, factors[1:], strict=True):
            total += sum(half * each[way] for half, each in zip(halves, of_word, strict=True))
        found = found << 32 | (total % 2**64) >> 32
    return found


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), min_size=1, max_size=20))
def test_multilinear_hashes_are_those_of_the_formula(texts: list[str]) -> None:
    assert multilinear(texts, _KEY).tolist() == [by_formula(text, _KEY) for text in texts]


def test_texts_that_differ_in_one_bit_or_in_zeros_at_the_end_share_no_hash() -> None:
    # Of two different texts by chance once in 2^64 keys; a sum modulo 2^64 alone would lose the highest bytes.
    texts = [f"{'a' * 7}{chr(last)}{'b' * more}" for last in range(33, 127) for more in range(40)]
    texts += ["\0" * count for count in range(600)]
    assert len(np.unique(multilinear(texts, _KEY))) == len(texts)
    packed = [text for text in texts if text and "\0" not in text]
    raw = np.array([text.encode() for text in packed], "S48").view(np.uint8).reshape(-1, 48)
    length = np.array([len(text) for text in packed], np.uint8)
    assert np.array_equal(multilinear(Texts(raw, length), _KEY), multilinear(packed, _KEY))


def test_a_register_of_version_0_1_0_keeps_its_fingerprints(tmp_path: Path) -> None:
    folder = tmp_path / "register"
    folder.mkdir()
    (folder / "key").write_text(bytes(range(32)).hex())
    n = 40
    record = Column.from_labels("record", [f"r{7 * i % n:03}x" for i in range(n)])
    ward = Column.from_labels("ward", [f"W{i % 9}" for i in range(n)])
    illness = Column.from_labels("illness", [f"ill{i % 4}" for i in range(n)])
    plan = Plan({"record": Role.IDENTIFIER, "ward": Role.NSA, "illness": Role.SA}, plain({"illness": 2}))
    table = Table((record, ward, illness))
    before = fingerprints(table, plan, Register(folder).key())
    assert before.table == "ccc2b44a3fb655e3ac8f8df3cb0c86fcba99f17edd8259234dd027bcbefd6a67"
    sketch = before.identifiers["record"].facts()
    assert sketch["sha256"] == "2edd748c12ab6f8432d3ffbde6d717554148fc02965ad1fd8b9a7bad82e729b6"
    begun = Register(tmp_path / "begun")
    assert begun.key() == begun.key()
    assert len(begun.key()) == 33
    assert fingerprints(table, plan, begun.key()).table == fingerprints(table, plan, begun.key()).table
    assert fingerprints(table, plan, begun.key()[:32]).table != fingerprints(table, plan, begun.key()).table
