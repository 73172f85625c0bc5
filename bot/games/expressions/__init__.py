"""Expressions that people write as answers: finding, judging and rendering them."""
