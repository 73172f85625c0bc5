"""/why: an expression, an answer or a question of tiles, step by step."""
