"""Sheets of workbooks and marked-up tables."""
