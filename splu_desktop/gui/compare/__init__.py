"""The custodian's table by every method, beside the plan."""
