"""The board: a page on which the three games are played by tapping."""
