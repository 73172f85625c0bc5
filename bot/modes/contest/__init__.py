"""Contests: everybody plays the same turns for themselves, for days, beside whatever is on the table."""
