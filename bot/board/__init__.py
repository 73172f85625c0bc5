"""The board: a web page on which the games are played by tapping."""
