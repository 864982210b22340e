"""Systems that generalise: classes of records that look alike, with conditions on the values in each."""
