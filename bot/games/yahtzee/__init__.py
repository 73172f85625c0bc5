"""Yahtzee without rerolls: everybody puts the same thirteen rolls into the thirteen categories of a card."""
