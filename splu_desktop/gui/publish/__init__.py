"""The page Publish: one verdict, what stops it with its repair, what needs a decision, and what goes out."""
