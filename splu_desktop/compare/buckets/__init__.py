"""Systems that publish which records share a bucket of sensitive values."""
