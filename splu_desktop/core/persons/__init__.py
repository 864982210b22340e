"""Persons with several rows: which column names them, and what is done about them."""
