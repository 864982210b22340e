"""Other systems of the papers beside ours, on the custodian's own table: same questions, same readers."""
