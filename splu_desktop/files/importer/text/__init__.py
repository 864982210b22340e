"""Delimited and fixed-width text: encoding, dialect, layout, fields."""
