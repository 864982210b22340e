"""The sentences and tables of a report: two pages that are signed, and their annex."""
