"""From cells to columns: header, records, kinds, missing values."""
