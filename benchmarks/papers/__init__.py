"""What the papers say, measured again on tables that can be had."""
