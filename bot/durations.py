"""Spans of time, in seconds."""

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
WEEK = 7 * DAY
