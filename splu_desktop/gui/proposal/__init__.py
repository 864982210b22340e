"""The page Proposal: what goes out, before it exists, live with the strength."""
