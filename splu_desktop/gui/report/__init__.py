"""The page Report: for whom, what is still missing, and the pages as they print."""
