"""Countdown: six tiles, a target, a minute; the nearest wins."""
