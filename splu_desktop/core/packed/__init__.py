"""Texts by the million, kept as the bytes they are."""
