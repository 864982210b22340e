"""Systems that change the sensitive value of each record by itself, with published chances."""
