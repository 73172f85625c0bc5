"""`twentyfour-bot check`: what is wrong with this machine, its settings and its bot, and how to mend it.

Nothing is changed by looking, and a bot that runs meanwhile is not disturbed.
"""
