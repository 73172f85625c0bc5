"""What people write: expressions found in any text, for all games that are answered by one."""
