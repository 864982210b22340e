"""The report as PDF, HTML, workbook and JSON."""
