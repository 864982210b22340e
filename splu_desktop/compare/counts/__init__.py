"""Systems that publish no rows: every count asked for is answered with noise of its own."""
