"""Tables as CSV, XLSX and Parquet: written, and read back to see that they arrived."""
